/* SPDX-License-Identifier: Apache-2.0 */
/* The section of one of several linked tables: its own columns, the numbers of child rows, and its rows as events
 * of their parents. */
#include "base/alloc.h"
#include "base/json.h"
#include "owner/fidelity/linked_frames.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/person_events.h"

json_t *sbl_linked_keys(const sbl_linked_set *set, size_t t)
{
    const sbl_linked_frame *rows = &set->tables[t];
    const bool keyed = t == 0 || rows->keys.tags != NULL || rows->frame.rows == 0;
    return json_pack("{s:I, s:o, s:o}", "rows", (json_int_t)rows->frame.rows, "repeated",
                     keyed ? json_integer((json_int_t)rows->repeated) : json_null(), "orphans",
                     t == 0 ? json_null() : json_integer((json_int_t)rows->orphans));
}

/* Is there something to compare? */
static bool has_rows(const sbl_tables *tables)
{
    return tables->frames[SBL_ROLE_REAL].rows != 0 && tables->frames[SBL_ROLE_SYNTHETIC].rows != 0;
}

/* ---- numbers of child rows ---- */

/* The number alone, and by each of the row's own columns. */
static sbl_status compare_numbers(sbl_triple number, sbl_triple by_column, const sbl_linked_view *v,
                                  const sbl_histories *h, size_t child, sbl_error *err)
{
    const uint32_t place = (uint32_t)(v->parent_count + v->own_count + child);
    const sbl_compared numbers = {SBL_RELATION_CHILDREN, &v->view};
    uint32_t *pairs = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(pairs, v->own_count, "pairs of columns");
    for (size_t c = 0; c < v->own_count; c++)
        pairs[c] = place * (uint32_t)v->view.count + (uint32_t)(v->parent_count + c);
    SBL_TRY(sbl_codes_distance(number, h->tables, &h->cells, NULL, &place, 1, &numbers, NULL, err));
    SBL_TRY(sbl_codes_distance(by_column, h->tables, &h->cells, &h->cells, pairs, v->own_count, &numbers,
                               NULL, err));
done:
    sbl_free(pairs);
    return status;
}

static sbl_status measure_children(json_t **list, const sbl_linked_plan *plan, size_t t,
                                   const sbl_tables *tables, sbl_error *err)
{
    const sbl_linked_view *v = &plan->views[t];
    sbl_histories h = {0};
    sbl_triple number, by_column;
    sbl_status status = SBL_OK;
    *list = json_array();
    if (v->child_count == 0 || !has_rows(tables)) return SBL_OK;
    SBL_TRY(sbl_histories_init(&h, tables, &v->view, &v->joined, err));
    for (size_t c = 0; c < v->child_count; c++) {
        SBL_TRY(compare_numbers(number, by_column, v, &h, c, err));
        *list = sbl_json_append(
            *list, json_pack("{s:s, s:o, s:o}", "table", plan->schema->tables[v->children[c]].name, "number",
                             sbl_triple_json(number), "number_columns", sbl_triple_json(by_column)));
    }
done:
    sbl_histories_clear(&h);
    return status;
}

/* ---- all of it ---- */

static sbl_status measure_own(json_t **part, const sbl_linked_view *v, const sbl_tables *tables, size_t limit,
                              sbl_error *err)
{
    const sbl_view own = {v->view.columns + v->parent_count, v->own_count};
    *part = json_null();
    if (own.count == 0 || !has_rows(tables)) return SBL_OK;
    return sbl_measure_marginals(part, tables, &own, limit, err);
}

/* The rows of a table as events of their parent rows. */
static sbl_status measure_events(json_t **part, const sbl_linked_view *v, const sbl_tables *tables,
                                 size_t limit, sbl_error *err)
{
    const sbl_view both = {v->view.columns, v->parent_count + v->own_count};
    *part = json_null();
    if (v->table->parent == SBL_NO_TABLE || !has_rows(tables)) return SBL_OK;
    const sbl_status status = sbl_measure_histories(part, tables, &both, &v->joined, limit, err);
    /* Keys make these true, and the units have a picture of their own. */
    if (status == SBL_OK) (void)json_object_del(*part, "constant");
    if (status == SBL_OK) (void)json_object_del(*part, "people");
    return status;
}

sbl_status sbl_measure_linked(json_t **result, const sbl_linked_plan *plan, size_t t,
                              const sbl_tables *tables, size_t limit, sbl_error *err)
{
    const sbl_linked_table *table = &plan->schema->tables[t];
    const sbl_linked_view *v = &plan->views[t];
    json_t *own = NULL, *children = NULL, *events = NULL;
    sbl_status status = SBL_OK;
    *result = NULL;
    SBL_TRY(measure_own(&own, v, tables, limit, err));
    SBL_TRY(measure_children(&children, plan, t, tables, err));
    SBL_TRY(measure_events(&events, v, tables, limit, err));
    *result = json_pack("{s:s, s:s?, s:O, s:O, s:O}", "name", table->name, "parent",
                        table->parent != SBL_NO_TABLE ? plan->schema->tables[table->parent].name : NULL,
                        "marginals", own, "children", children, "histories", events);
    if (*result == NULL) status = sbl_no_memory(err, "the measures of linked tables");
done:
    json_decref(own);
    json_decref(children);
    json_decref(events);
    return status;
}
