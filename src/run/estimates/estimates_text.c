/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates as a table for people, as CSV and as JSON. All names are of the schema. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"
#include "run/estimates/estimates.h"

#define WHAT "estimates"

static const char *const statistics[] = {"count", "share", "mean", "quantile", "correlation"};
static const char *const numbers[] = {"estimate",           "low",          "high", "standard_error",
                                      "degrees_of_freedom", "privacy_share"};
#define NUMBERS (sizeof numbers / sizeof numbers[0])

static double number_at(const sbl_combined *c, size_t i)
{
    const double all[NUMBERS] = {c->estimate,           c->low,          c->high, c->standard_error,
                                 c->degrees_of_freedom, c->privacy_share};
    return all[i];
}

static const sbl_column *column_at(const sbl_estimates *e, size_t column)
{
    return &e->queries->schema->columns[column];
}

/* The category of a group; NULL: missing. */
static const char *category_of(const sbl_estimates *e, uint32_t group, size_t place)
{
    const sbl_column *column = column_at(e, e->queries->by[place]);
    const uint32_t code = sbl_query_code_of(e->queries, group, place);
    return code < column->categories.count ? column->categories.items[code] : NULL;
}

/* What a statistic has beside its column: a category, an order, another column. */
static void append_detail(sbl_text *text, const sbl_estimates *e, const sbl_query *query)
{
    char order[SBL_DOUBLE_TEXT_SIZE];
    if (query->kind == SBL_STATISTIC_SHARE)
        sbl_text_printf(text, "%s", column_at(e, query->column)->categories.items[query->code]);
    if (query->kind == SBL_STATISTIC_QUANTILE)
        sbl_text_printf(text, "%s", sbl_double_to_text(order, query->order));
    if (query->kind == SBL_STATISTIC_CORRELATION)
        sbl_text_printf(text, "%s", column_at(e, query->other)->name);
}

/* ---- JSON ---- */

static json_t *finite_or_null(double number) { return isfinite(number) ? json_real(number) : json_null(); }

static json_t *detail_json(const sbl_estimates *e, const sbl_query *query)
{
    if (query->kind == SBL_STATISTIC_QUANTILE) return json_real(query->order);
    if (query->kind == SBL_STATISTIC_CORRELATION) return json_string(column_at(e, query->other)->name);
    return json_string(column_at(e, query->column)->categories.items[query->code]);
}

static json_t *group_json(const sbl_estimates *e, uint32_t group)
{
    json_t *object = json_object();
    for (size_t i = 0; i < e->queries->by_count; i++) {
        const char *category = category_of(e, group, i);
        object = sbl_json_put(object, column_at(e, e->queries->by[i])->name,
                              category != NULL ? json_string(category) : json_null());
    }
    return object;
}

static json_t *one_json(const sbl_estimates *e, const sbl_estimated *one)
{
    const sbl_query *query = &e->queries->items[one->query];
    json_t *object = sbl_json_put(json_object(), "statistic", json_string(statistics[query->kind]));
    if (query->kind != SBL_STATISTIC_COUNT) {
        object = sbl_json_put(object, "column", json_string(column_at(e, query->column)->name));
        if (query->kind != SBL_STATISTIC_MEAN) object = sbl_json_put(object, "detail", detail_json(e, query));
    }
    object = sbl_json_put(object, "group", group_json(e, one->group));
    if (one->difference)
        object = sbl_json_put(object, "minus", json_string(category_of(e, e->queries->against, 0)));
    for (size_t i = 0; i < NUMBERS; i++)
        object = sbl_json_put(object, numbers[i],
                              one->known ? finite_or_null(number_at(&one->combined, i)) : json_null());
    return object;
}

static sbl_status write_json(sbl_text *text, const sbl_estimates *e, sbl_error *err)
{
    json_t *list = json_array(), *object = json_object();
    sbl_status status = SBL_OK;
    char *pretty = NULL;
    for (size_t i = 0; i < e->count; i++) list = sbl_json_append(list, one_json(e, &e->items[i]));
    object = sbl_json_put(object, "draws", json_integer((json_int_t)e->options->draws));
    object = sbl_json_put(object, "level", json_real(e->options->level));
    object = sbl_json_put(object, "estimates", list);
    pretty = object != NULL ? sbl_json_pretty(object) : NULL;
    if (pretty == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
    sbl_text_append(text, pretty, strlen(pretty));
done:
    sbl_free(pretty);
    json_decref(object);
    return status;
}

/* ---- CSV ---- */

static void append_cell(sbl_text *text, const char *cell)
{
    sbl_text_append(text, "\"", 1);
    for (; *cell != '\0'; cell++) sbl_text_append(text, *cell == '"' ? "\"\"" : cell, *cell == '"' ? 2 : 1);
    sbl_text_append(text, "\"", 1);
}

/* A column of groups that is called as one of ours gets another name. */
static void append_by_name(sbl_text *text, const char *name)
{
    static const char *const ours[] = {"statistic", "column", "detail", "minus"};
    sbl_text cell = {0};
    bool taken = false;
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) taken = taken || strcmp(ours[i], name) == 0;
    for (size_t i = 0; i < NUMBERS; i++) taken = taken || strcmp(numbers[i], name) == 0;
    sbl_text_printf(&cell, "%s%s", taken ? "by_" : "", name);
    text->failed = text->failed || cell.failed;
    if (!cell.failed) append_cell(text, cell.data);
    sbl_text_clear(&cell);
}

static void append_heading(sbl_text *text, const sbl_estimates *e)
{
    sbl_text_printf(text, "statistic,column,detail,");
    for (size_t i = 0; i < e->queries->by_count; i++) {
        append_by_name(text, column_at(e, e->queries->by[i])->name);
        sbl_text_printf(text, ",");
    }
    sbl_text_printf(text, "minus");
    for (size_t i = 0; i < NUMBERS; i++) sbl_text_printf(text, ",%s", numbers[i]);
    sbl_text_printf(text, "\n");
}

static void append_row(sbl_text *text, const sbl_estimates *e, const sbl_estimated *one)
{
    const sbl_query *query = &e->queries->items[one->query];
    char number[SBL_DOUBLE_TEXT_SIZE];
    sbl_text detail = {0};
    append_detail(&detail, e, query);
    sbl_text_printf(text, "%s,", statistics[query->kind]);
    if (query->kind != SBL_STATISTIC_COUNT) append_cell(text, column_at(e, query->column)->name);
    sbl_text_printf(text, ",");
    if (detail.data != NULL) append_cell(text, detail.data);
    sbl_text_printf(text, ",");
    for (size_t i = 0; i < e->queries->by_count; i++) {
        const char *category = category_of(e, one->group, i);
        if (category != NULL) append_cell(text, category);
        sbl_text_printf(text, ",");
    }
    if (one->difference) append_cell(text, category_of(e, e->queries->against, 0));
    for (size_t i = 0; i < NUMBERS; i++)
        sbl_text_printf(text, ",%s",
                        one->known ? sbl_double_to_text(number, number_at(&one->combined, i)) : "");
    sbl_text_printf(text, "\n");
    text->failed = text->failed || detail.failed;
    sbl_text_clear(&detail);
}

/* ---- a table ---- */

static void append_title(sbl_text *text, const sbl_estimates *e, const sbl_estimated *one)
{
    const sbl_query *query = &e->queries->items[one->query];
    sbl_text_printf(text, "%s", statistics[query->kind]);
    if (query->kind == SBL_STATISTIC_QUANTILE) {
        sbl_text_printf(text, " ");
        append_detail(text, e, query);
    }
    if (query->kind != SBL_STATISTIC_COUNT)
        sbl_text_printf(text, " of %s", column_at(e, query->column)->name);
    if (query->kind == SBL_STATISTIC_SHARE || query->kind == SBL_STATISTIC_CORRELATION) {
        sbl_text_printf(text, "%s", query->kind == SBL_STATISTIC_SHARE ? " = " : " and ");
        append_detail(text, e, query);
    }
}

static void append_group(sbl_text *text, const sbl_estimates *e, const sbl_estimated *one)
{
    for (size_t i = 0; i < e->queries->by_count; i++) {
        const char *category = category_of(e, one->group, i);
        sbl_text_printf(text, "%s%s", i > 0 ? ", " : "", category != NULL ? category : "(missing)");
    }
    if (one->difference) sbl_text_printf(text, " - %s", category_of(e, e->queries->against, 0));
}

static size_t widest_group(const sbl_estimates *e, size_t most)
{
    size_t widest = 0;
    for (size_t i = 0; i < e->count; i++) {
        sbl_text group = {0};
        append_group(&group, e, &e->items[i]);
        if (group.length > widest) widest = group.length;
        sbl_text_clear(&group);
    }
    return widest < most ? widest : most;
}

static void append_line(sbl_text *text, const sbl_estimates *e, const sbl_estimated *one, size_t width)
{
    const sbl_combined *c = &one->combined;
    sbl_text group = {0};
    append_group(&group, e, one);
    sbl_text_printf(text, "  %-*s", (int)width, group.data != NULL ? group.data : "");
    if (one->known)
        sbl_text_printf(text, " %12.6g %12.6g %12.6g\n", c->estimate, c->low, c->high);
    else
        sbl_text_printf(text, " %12s  too few rows\n", "-");
    text->failed = text->failed || group.failed;
    sbl_text_clear(&group);
}

static void write_table(sbl_text *text, const sbl_estimates *e)
{
    const size_t width = widest_group(e, 36);
    for (size_t i = 0; i < e->count; i++) {
        const sbl_estimated *one = &e->items[i];
        if (i == 0 || e->items[i - 1].query != one->query) {
            append_title(text, e, one);
            sbl_text_printf(text, "\n  %-*s %12s %12s %12s\n", (int)width, "", "estimate", "low", "high");
        }
        append_line(text, e, one, width);
    }
    sbl_text_printf(text,
                    "low to high: %g %% interval for the population, from %llu draws; nothing was charged\n",
                    100.0 * e->options->level, (unsigned long long)e->options->draws);
    if (text->data != NULL) (void)sbl_plain_lines(text->data);
}

sbl_status sbl_estimates_write(char **text, const sbl_estimates *e, sbl_error *err)
{
    sbl_text out = {0};
    sbl_status status = SBL_OK;
    if (e->options->form == SBL_ESTIMATE_JSON) {
        SBL_TRY(write_json(&out, e, err));
    } else if (e->options->form == SBL_ESTIMATE_CSV) {
        append_heading(&out, e);
        for (size_t i = 0; i < e->count; i++) append_row(&out, e, &e->items[i]);
    } else {
        write_table(&out, e);
    }
    SBL_TRY(sbl_text_check(&out, WHAT, err));
    *text = out.data;
    out = (sbl_text){0};
done:
    sbl_text_clear(&out);
    return status;
}
