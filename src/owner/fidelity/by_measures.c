/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers whose bounds depend on a category, category by category: percentiles in the number's own units, and the
 * Kolmogorov-Smirnov distance. A category that is off is kept as a relation. Chance is judged by persons rather than
 * by rows, since a person's values resemble each other. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/order.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/worst_relations.h"

#define LEAST_ROWS 20 /* of a category in each table, for a distance */
#define MEAN_DISTANCE \
    0.87 /* sqrt(pi / 2) ln 2: E[KS] of two samples of n and m is about this sqrt(1 / n + 1 / m) */

/* The values of one category in one table. */
typedef struct sample {
    double *values; /* sorted, in [0, 1] */
    size_t count;
    size_t persons; /* that they belong to; the rows where there are no persons */
} sample;

static void clear_sample(sample *s, const sbl_frame *frame)
{
    sbl_free_wiped(s->values, frame->rows * sizeof *s->values);
    *s = (sample){0};
}

static sbl_status take_sample(sample *s, const sbl_view_column *number, const sbl_view_column *by,
                              uint32_t code, const sbl_frame *frame, sbl_error *err)
{
    uint8_t *seen = NULL;
    sbl_status status = SBL_OK;
    *s = (sample){0};
    SBL_ALLOC(s->values, frame->rows, "distances");
    SBL_ALLOC(seen, frame->person_count + 1, "distances");
    for (size_t row = 0; row < frame->rows; row++) {
        if (sbl_view_code(by, frame, row) != code || sbl_view_apart(number, frame, row) != 0) continue;
        s->values[s->count++] = sbl_view_linear(number, frame, row);
        if (frame->persons != NULL && seen[frame->persons[row]] != 0) continue;
        if (frame->persons != NULL) seen[frame->persons[row]] = 1;
        s->persons++;
    }
    qsort(s->values, s->count, sizeof *s->values, sbl_double_order);
done:
    sbl_free_wiped(seen, frame->person_count + 1);
    if (status != SBL_OK) clear_sample(s, frame);
    return status;
}

/* NaN of an empty sample, which becomes null. */
static double percentile(const sample *s, double share, const sbl_column *facts)
{
    if (s->count == 0) return NAN;
    const size_t at = (size_t)(share * (double)(s->count - 1) + 0.5);
    return facts->minimum + s->values[at] * (facts->maximum - facts->minimum);
}

static json_t *sample_json(const sample *s, const sbl_column *facts)
{
    return json_pack("{s:I, s:o, s:o, s:o}", "rows", (json_int_t)s->count, "p1",
                     sbl_number_json(percentile(s, 0.01, facts)), "median",
                     sbl_number_json(percentile(s, 0.5, facts)), "p99",
                     sbl_number_json(percentile(s, 0.99, facts)));
}

static sbl_status keep(const sbl_tables *tables, const sbl_column *const columns[2], const char *category,
                       double distance, const sample *real, const sample *synthetic, sbl_error *err)
{
    const double sizes = 1.0 / (double)real->persons + 1.0 / (double)synthetic->persons;
    const sbl_relation relation = {.kind = SBL_RELATION_CATEGORY,
                                   .columns = {columns[0], columns[1]},
                                   .category = category,
                                   .distance = distance,
                                   .expected = MEAN_DISTANCE * sqrt(sizes),
                                   .sizes = sizes,
                                   .effect = 1.0};
    return tables->relations != NULL ? sbl_relations_add(tables->relations, &relation, err) : SBL_OK;
}

static sbl_status measure_category(json_t **result, const sbl_tables *tables, const sbl_view_column *number,
                                   const sbl_view_column *by, uint32_t code, sbl_error *err)
{
    const sbl_frame *frames[2] = {&tables->frames[SBL_ROLE_REAL], &tables->frames[SBL_ROLE_SYNTHETIC]};
    const sbl_column *columns[2] = {number->column, by->column};
    const char *category = by->column->categories.items[code];
    sample samples[2] = {{0}, {0}};
    double ks = NAN, wasserstein;
    sbl_status status = SBL_OK;
    for (size_t t = 0; t < 2; t++) SBL_TRY(take_sample(&samples[t], number, by, code, frames[t], err));
    if (samples[0].count >= LEAST_ROWS && samples[1].count >= LEAST_ROWS) {
        sbl_sample_distances(&ks, &wasserstein, samples[0].values, samples[0].count, samples[1].values,
                             samples[1].count);
        SBL_TRY(keep(tables, columns, category, ks, &samples[0], &samples[1], err));
    }
    *result = sbl_json_append(*result,
                              json_pack("{s:s, s:o, s:o, s:o}", "category", category, "real",
                                        sample_json(&samples[0], number->column), "synthetic",
                                        sample_json(&samples[1], number->column), "ks", sbl_number_json(ks)));
done:
    for (size_t t = 0; t < 2; t++) clear_sample(&samples[t], frames[t]);
    return status;
}

static const sbl_view_column *find(const sbl_view *view, const sbl_column *column)
{
    for (size_t c = 0; c < view->count; c++)
        if (view->columns[c].column == column) return &view->columns[c];
    return NULL;
}

sbl_status sbl_measure_by(json_t **result, const sbl_tables *tables, const sbl_view *view,
                          const sbl_column *columns, const sbl_schema *schema, sbl_error *err)
{
    *result = json_array();
    for (size_t c = 0; c < schema->column_count; c++) {
        const sbl_column *facts = &schema->columns[c];
        if (facts->by_domains == NULL) continue;
        const sbl_view_column *number = find(view, &columns[c]), *by = find(view, &columns[facts->by]);
        if (number == NULL || by == NULL) continue;
        json_t *list = json_array();
        for (uint32_t code = 0; code < by->column->categories.count; code++) {
            const sbl_status status = measure_category(&list, tables, number, by, code, err);
            if (status == SBL_OK) continue;
            json_decref(list);
            json_decref(*result);
            *result = NULL;
            return status;
        }
        *result = sbl_json_append(*result, json_pack("{s:s, s:s, s:o}", "name", number->column->name, "by",
                                                     by->column->name, "categories", list));
    }
    return *result != NULL ? SBL_OK : sbl_no_memory(err, "an evaluation");
}
