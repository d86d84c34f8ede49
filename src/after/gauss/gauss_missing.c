/* SPDX-License-Identifier: Apache-2.0 */
/* A category's proportion in a mean is 1/K plus a sum of its Helmert coordinates over their scale
 * (public/rows/unit_record.h). With noise of deviation s on each coordinate of M columns its own is
 * s sqrt(M) (K - 1) / K, whatever the rotation. */
#include "after/gauss/gauss_missing.h"

#include <math.h>

#include "base/alloc.h"
#include "public/rows/projection.h"
#include "public/schema/missing.h"

#define NEVER (-1e30F) /* an offset with which no proportion is the largest */

typedef struct test {
    sbl_gauss_model *model;
    const sbl_facts *facts;
    double rows;
    double noise; /* of a coordinate of a class's sum */
    bool laplace;
    size_t columns;
    float *scratch; /* coordinates and proportions of one column */
} test;

static bool is_noise(const test *t, double count, double deviation)
{
    return sbl_missing_is_noise(count, deviation, t->laplace, t->columns);
}

/* How much longer than its scale the categories' part of a class's records is: 1 for clip. Points that were
 * put on the sphere and stretched to the domain's middle have their own length only on average. */
static double length_of(const test *t, size_t class)
{
    const sbl_gauss_model *model = t->model;
    const sbl_unit_record *record = &model->record;
    const size_t first = record->shape.numeric; /* the target is one of the numbers */
    double square = 0, columns = 0;
    if (record->centred) return 1;
    for (size_t k = 0; k < record->shape.categorical; k++) columns += record->shape.cardinalities[k] > 1;
    for (size_t i = first; i < model->width; i++) {
        const double mean = (double)model->means[class * model->width + i];
        square += mean * mean;
        for (size_t g = 0; g < model->latents; g++) {
            const double factor = (double)model->factors[(class * model->latents + g) * model->width + i];
            square += factor * factor;
        }
    }
    return fmax(model->stretch * sqrt(square * (double)record->columns / columns), 0.1);
}

/* Records of a class with code `code` of column k, whose coordinates begin at `at`; variance is added to. */
static double count_code(const test *t, size_t class, size_t k, uint32_t code, size_t at, double *variance)
{
    const sbl_gauss_model *model = t->model;
    const size_t categories = model->record.shape.cardinalities[k];
    const double codes = (double)categories, length = length_of(t, class);
    float *coordinates = t->scratch, *proportions = t->scratch + categories;
    for (size_t j = 0; j + 1 < categories; j++)
        coordinates[j] = (float)((double)model->means[class * model->width + at + j] * model->stretch);
    sbl_unit_record_proportions(&model->record, proportions, k, coordinates);
    const double share = ((double)proportions[code] - (1 - length) / codes) / length;
    const double deviation =
        t->noise * model->stretch / length * sqrt((double)model->record.columns) * (codes - 1) / codes;
    *variance += deviation * deviation;
    return share * t->rows * (double)model->shares[class];
}

static void test_codes(const test *t)
{
    const sbl_record_shape *shape = &t->model->record.shape;
    size_t k = 0, at = shape->numeric;
    for (size_t i = 0; i < t->facts->heads.count; i++) {
        const sbl_head *head = &t->facts->heads.items[i];
        const uint32_t code = sbl_head_missing(head, t->facts->schema);
        double count = 0, variance = 0;
        if (head->kind != SBL_HEAD_CATEGORICAL || head->index == t->facts->label_column) continue;
        for (size_t c = 0; code != SBL_NO_CODE && c < shape->classes; c++)
            count += count_code(t, c, k, code, at, &variance);
        if (code != SBL_NO_CODE && is_noise(t, count, sqrt(variance)))
            for (size_t c = 0; c < shape->classes; c++)
                t->model->offsets[c * shape->onehot + shape->offsets[k] + code] = NEVER;
        at += shape->cardinalities[k++] - 1;
    }
}

/* A class has at least one record in a model: the one without a label may have none. */
static void test_class(const test *t, const sbl_release *first)
{
    const sbl_block *counts = sbl_release_find(first, "counts");
    const size_t last = t->facts->classes - 1;
    float *shares = t->model->shares;
    if (last == 0 || counts == NULL ||
        sbl_head_missing(&t->facts->heads.items[t->facts->heads.label], t->facts->schema) == SBL_NO_CODE ||
        !is_noise(t, sbl_release_estimate(first, counts, 0, last),
                  sbl_release_noise_deviation(first, counts)) ||
        !(shares[last] < 1.0F))
        return;
    for (size_t c = 0; c < last; c++) shares[c] = (float)((double)shares[c] / (1.0 - (double)shares[last]));
    shares[last] = 0;
}

sbl_status sbl_gauss_take_missing(sbl_gauss_model *model, const sbl_facts *facts, double rows,
                                  const sbl_release *first, sbl_error *err)
{
    const sbl_block *means = sbl_release_find(first, SBL_RON_MEAN);
    test t = {.model = model,
              .facts = facts,
              .rows = rows,
              .laplace = first->mechanism == SBL_DISCRETE_LAPLACE,
              .columns = sbl_missing_columns(facts->schema)};
    sbl_status status = SBL_OK;
    if (means == NULL) return SBL_OK;
    t.noise = sbl_release_noise_deviation(first, means);
    test_class(&t, first);
    if (model->projected) return SBL_OK; /* its columns are coordinates */
    SBL_ALLOC(t.scratch, 2 * sbl_record_shape_most(&model->record.shape), "a model");
    test_codes(&t);
done:
    sbl_free(t.scratch);
    return status;
}
