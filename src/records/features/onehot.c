/* Class sums of the softmax outputs in strips of 64 columns, each added row after row, so that the
 * result does not depend on the threads; then the squared residual and its gradient. */
#include "records/features/onehot.h"

#include <math.h>
#include <string.h>

#include "after/losses/loss_common.h"
#include "base/alloc.h"
#include "base/compute/threads.h"
#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"
#include "records/features/feature.h"

#define STRIP 64 /* entries that one thread takes at a time */

typedef struct onehot_loss {
    sbl_loss common;
    size_t classes, width; /* C, T */
    float *row_weight;     /* (C): share over rows */
    float *class_weight;   /* (C): of a class in the loss */
    float *target;         /* (C, T) */
    float *sums;           /* (C, T) */
} onehot_loss;

static void set_constants(onehot_loss *l, const sbl_target *target, const sbl_generated *generated,
                          size_t columns)
{
    for (size_t c = 0; c < l->classes; c++) {
        const size_t rows = generated->starts[c + 1] - generated->starts[c];
        if (rows == 0) continue;
        l->row_weight[c] = (float)(generated->shares[c] / (double)rows);
        l->class_weight[c] = (float)(target->weight * generated->weights[c] / (double)columns);
    }
    memcpy(l->target, target->means, l->classes * l->width * sizeof *l->target);
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    const sbl_record_shape *shape = &((const sbl_facts *)made)->shape;
    sbl_status status = SBL_OK;
    onehot_loss *l = loss;
    l->classes = generated->facts->classes;
    l->width = shape->onehot;
    SBL_POOL(&l->common.pool, l->row_weight, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->class_weight, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->target, l->classes, l->width, "training");
    SBL_POOL(&l->common.pool, l->sums, l->classes, l->width, "training");
    set_constants(l, target, generated, shape->categorical);
done:
    return status;
}

/* Sums over rows first .. last - 1, in their order. Whole strips have a constant length, so that
 * compilers keep the sums in registers. */
SBL_CLONES static void strip_sum(float *restrict sums, const float *restrict rows, size_t width,
                                 size_t columns, size_t first, size_t last)
{
    float sum[STRIP] = {0};
    for (size_t r = first; r < last; r++) {
        const float *row = rows + r * width;
        if (columns == STRIP) {
            for (size_t j = 0; j < STRIP; j++) sum[j] += row[j];
        } else {
            for (size_t j = 0; j < columns; j++) sum[j] += row[j];
        }
    }
    memcpy(sums, sum, columns * sizeof *sums);
}

static void class_sums(onehot_loss *l, const sbl_generated *generated)
{
    const size_t width = l->width;
    SBL_OMP(omp parallel for schedule(static) if (width * generated->rows > 65536))
    for (size_t first = 0; first < width; first += STRIP) {
        const size_t columns = width - first < STRIP ? width - first : STRIP;
        for (size_t c = 0; c < l->classes; c++)
            strip_sum(l->sums + c * width + first, generated->expected + first, width, columns,
                      generated->starts[c], generated->starts[c + 1]);
    }
}

static double loss_step(void *loss, sbl_generated *generated)
{
    onehot_loss *l = loss;
    double sum = 0;
    class_sums(l, generated);
    for (size_t c = 0; c < l->classes; c++) {
        const float weight = l->class_weight[c], row = l->row_weight[c];
        for (size_t i = c * l->width; i < (c + 1) * l->width; i++) {
            const float residual = row * l->sums[i] - l->target[i];
            sum += (double)weight * (double)residual * (double)residual;
            generated->d_expected[i] += 2 * weight * row * residual;
        }
    }
    return sum;
}

/* Every column at its noisy marginal in the class, floored where noise would dominate. */
static void loss_start(float *expected, const void *made, const sbl_target *target,
                       const sbl_generated *generated)
{
    const sbl_record_shape *shape = &((const sbl_facts *)made)->shape;
    for (size_t c = 0; c < generated->facts->classes; c++) {
        const double share = generated->shares[c];
        const double least = 1e-6 + 0.5 * target->deviation / sqrt((double)shape->categorical);
        for (size_t i = c * shape->onehot; i < (c + 1) * shape->onehot; i++) {
            const double p = (double)target->means[i] > least ? (double)target->means[i] : least;
            expected[i] = share > 0 ? (float)(p / share) : 1;
        }
    }
}

/* [3] The feature `onehot`: the places of the ones, straight into the sum as integers. Its loss in
 * training is in onehot.c. */

static size_t entry_of(const sbl_record_shape *shape, const uint32_t *row, const size_t *columns, size_t k)
{
    size_t code = row[columns ? columns[k] : k];
    return shape->offsets[k] + (code < shape->cardinalities[k] ? code : 0);
}

void sbl_onehot_entries(uint32_t *entries, const sbl_record_shape *shape, const uint32_t *codes,
                        size_t stride, const size_t *columns, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < shape->categorical; k++)
            entries[r * shape->categorical + k] = (uint32_t)entry_of(shape, codes + r * stride, columns, k);
}

/* ---- the feature ---- */

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    if (facts->shape.categorical == 0)
        return sbl_fail(err, SBL_EINPUT, "feature 'onehot' needs a column of categories");
    *made = (void *)(uintptr_t)facts; /* borrowed */
    return sbl_parameters_are(parameters, 0, "onehot", err);
}

/* The block weighs as much as one of norm 1. */
static void describe(const void *made, sbl_block *block, double *weight)
{
    const sbl_record_shape *shape = &((const sbl_facts *)made)->shape;
    *block = (sbl_block){.name = "onehot",
                         .width = shape->onehot,
                         .per_class = true,
                         .nonnegative = true,
                         .bound2 = shape->categorical,
                         .bound1 = shape->categorical, /* ones: both norms are K */
                         .scale = 1.0};
    *weight = 1.0 / sqrt((double)shape->categorical);
}

static size_t workspace_bytes(const void *made)
{
    const sbl_facts *facts = made;
    return facts->shape.categorical * sbl_slice_rows(facts) * sizeof(uint32_t);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_facts *facts = made;
    sbl_onehot_entries(workspace, &facts->shape, records->codes, facts->heads.categorical_count,
                       facts->code_columns, records->rows);
    return sbl_sum_add_ones(sum, block, workspace, facts->shape.categorical, err);
}

const sbl_feature sbl_feature_onehot = {
    .name = "onehot",
    .make = make,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
    .loss_size = sizeof(onehot_loss),
    .loss_init = loss_init,
    .loss_step = loss_step,
    .loss_start = loss_start,
};
