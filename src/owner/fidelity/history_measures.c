/* SPDX-License-Identifier: Apache-2.0 */
/* The part "histories" of an evaluation: which numbers there are, and their names. */
#include <math.h>

#include "base/json.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/person_events.h"

#define NONE          \
    {                 \
        NAN, NAN, NAN \
    }

/* One number of the real, the synthetic and the training table each. */
static json_t *of_tables(const sbl_histories *h, bool mean)
{
    static const struct {
        const char *name;
        sbl_table_role role;
    } shown[] = {{"real", SBL_ROLE_REAL}, {"synthetic", SBL_ROLE_SYNTHETIC}, {"train", SBL_ROLE_CEILING}};
    json_t *made = json_object();
    for (size_t i = 0; i < 3; i++) {
        const sbl_history_table *table = &h->of[shown[i].role];
        const bool exists = shown[i].role != SBL_ROLE_CEILING || h->tables->has_train;
        json_t *value = !exists ? json_null()
                        : mean  ? json_real((double)table->frame->rows / (double)table->persons)
                                : json_integer((json_int_t)table->persons);
        made = sbl_json_put(made, shown[i].name, value);
    }
    return made;
}

/* A measure's triple goes under its name; a failure is remembered in part. */
static void add(json_t **part, const char *name, const sbl_triple triple)
{
    *part = sbl_json_put(*part, name, sbl_triple_json(triple));
}

static sbl_status add_events(json_t **part, const sbl_histories *h, size_t limit, sbl_error *err)
{
    sbl_triple first, second;
    SBL_CHECK(sbl_history_events(first, second, h, err));
    add(part, "events", first);
    add(part, "events_person", second);
    SBL_CHECK(sbl_history_previous(first, second, h, limit, err));
    add(part, "previous_this", first);
    add(part, "previous_same", second);
    SBL_CHECK(sbl_history_parent(first, h, limit, err));
    add(part, "person_event", first);
    return SBL_OK;
}

static sbl_status add_times(json_t **part, const sbl_histories *h, sbl_error *err)
{
    sbl_triple gaps = NONE, spans = NONE, pairs = NONE;
    if (h->columns.order != NULL) {
        SBL_CHECK(sbl_history_gaps(gaps, h, err));
        SBL_CHECK(sbl_history_persons(spans, h, SBL_PERSON_SPAN, NULL, err));
        SBL_CHECK(sbl_history_gap_pairs(pairs, h, err));
    }
    add(part, "gap", gaps);
    add(part, "span", spans);
    add(part, "gap_gap", pairs);
    return SBL_OK;
}

/* One event column: sums of numbers, means of numbers and ordered categories, different values of categories; of dates
 * nothing. */
static sbl_status add_column(json_t **list, const sbl_histories *h, const sbl_view_column *column,
                             sbl_error *err)
{
    const bool number = column->column->kind == SBL_COLUMN_NUMBER;
    sbl_triple total = NONE, mean = NONE, distinct = NONE;
    if (number) SBL_CHECK(sbl_history_persons(total, h, SBL_PERSON_TOTAL, column, err));
    if (number || column->column->ordered)
        SBL_CHECK(sbl_history_persons(mean, h, SBL_PERSON_MEAN, column, err));
    if (!column->numeric) SBL_CHECK(sbl_history_persons(distinct, h, SBL_PERSON_DISTINCT, column, err));
    *list = sbl_json_append(*list, json_pack("{s:s, s:o, s:o, s:o}", "name", column->column->name, "total",
                                             sbl_triple_json(total), "mean", sbl_triple_json(mean),
                                             "distinct", sbl_triple_json(distinct)));
    return SBL_OK;
}

static sbl_status measure(json_t **part, const sbl_histories *h, size_t limit, sbl_error *err)
{
    const sbl_history_columns *columns = &h->columns;
    json_t *list = json_array();
    sbl_triple share;
    sbl_status status = SBL_OK;
    SBL_TRY(add_events(part, h, limit, err));
    SBL_TRY(add_times(part, h, err));
    sbl_history_constant(share, h);
    add(part, "constant", share);
    sbl_history_in_order(share, h);
    add(part, "in_order", share);
    for (size_t c = 0; c < columns->event_count; c++)
        SBL_TRY(add_column(&list, h, &columns->view->columns[columns->event[c]], err));
    *part = sbl_json_put(*part, "columns", list);
    list = NULL;
    *part = sbl_json_put(*part, "people", sbl_history_people(&h->of[SBL_ROLE_SYNTHETIC], columns));
done:
    json_decref(list);
    return status;
}

/* Does every table that was read say whose its rows are? */
static bool say_whose(const sbl_tables *tables)
{
    return tables->frames[SBL_ROLE_REAL].persons != NULL &&
           tables->frames[SBL_ROLE_SYNTHETIC].persons != NULL &&
           (!tables->has_train || tables->frames[SBL_ROLE_CEILING].persons != NULL);
}

static json_t *head_json(const sbl_histories *h, const sbl_schema *schema)
{
    const sbl_view_column *order = h->columns.order;
    return json_pack("{s:s, s:s?, s:o, s:o}", "unit", schema->columns[schema->unit].name, "order",
                     order != NULL ? order->column->name : NULL, "persons", of_tables(h, false),
                     "events_per_person", of_tables(h, true));
}

sbl_status sbl_measure_histories(json_t **result, const sbl_tables *tables, const sbl_view *view,
                                 const sbl_schema *schema, size_t limit, sbl_error *err)
{
    sbl_histories h = {0};
    json_t *part = NULL;
    sbl_status status = SBL_OK;
    *result = NULL;
    if (schema->unit == SBL_NO_COLUMN) {
        part = json_null();
    } else if (!say_whose(tables)) {
        part = json_pack("{s:s, s:s}", "unit", schema->columns[schema->unit].name, "why",
                         "a table does not say whose its rows are");
    } else {
        SBL_TRY(sbl_histories_init(&h, tables, view, schema, err));
        part = head_json(&h, schema);
        SBL_TRY(measure(&part, &h, limit, err));
    }
    if (part == NULL) SBL_TRY(sbl_no_memory(err, "the measures of histories"));
    *result = part;
    part = NULL;
done:
    json_decref(part);
    sbl_histories_clear(&h);
    return status;
}
