/* SPDX-License-Identifier: Apache-2.0 */
/* Predicting a number: by its mean, and by ridge regression
 *     min over b, b0 of  sum_i (y_i - b0 - x_i b)^2 + |b|^2
 * on the standardised design, solved by conjugate gradients on the normal equations with the
 * diagonal as preconditioner (Golub and Van Loan 2013, section 11.5): the matrix is never formed,
 * so that many categories cost no more than few. The penalty makes one-hot columns independent. */
#include <string.h>

#include "base/alloc.h"
#include "owner/learners/design.h"

#define PENALTY 1.0
#define STOP_AT 1e-12
#define MAX_STEPS 1000

/* Coefficients of the design's columns, then the intercept: d numbers. */
typedef struct ridge {
    const sbl_design *design;
    const sbl_samples *train;
    size_t d;
    double *arena;
    double *weights, *residual, *direction, *product, *diagonal; /* (d) each */
} ridge;

static double predict_row(const sbl_design *design, const double *weights, const sbl_samples *samples,
                          size_t row)
{
    double sum = weights[design->width];
    for (size_t j = 0; j < design->number_count; j++)
        sum += weights[j] * sbl_design_number(design, samples, row, j);
    for (size_t k = 0; k < design->category_count; k++)
        sum += weights[design->offset[k] + samples->codes[row * samples->category_count + k]];
    return sum;
}

/* out += factor x_row */
static void add_row(double *out, const sbl_design *design, const sbl_samples *samples, size_t row,
                    double factor)
{
    for (size_t j = 0; j < design->number_count; j++)
        out[j] += factor * sbl_design_number(design, samples, row, j);
    for (size_t k = 0; k < design->category_count; k++)
        out[design->offset[k] + samples->codes[row * samples->category_count + k]] += factor;
    out[design->width] += factor;
}

static sbl_status ridge_init(ridge *r, const sbl_design *design, const sbl_samples *train, sbl_error *err)
{
    *r = (ridge){.design = design, .train = train, .d = design->width + 1};
    r->arena = sbl_alloc_array(r->d, 5 * sizeof *r->arena);
    if (r->arena == NULL) return sbl_no_memory(err, "ridge regression");
    r->weights = r->arena;
    r->residual = r->weights + r->d;
    r->direction = r->residual + r->d;
    r->product = r->direction + r->d;
    r->diagonal = r->product + r->d;
    return SBL_OK;
}

/* residual = X' (y - mean), diagonal = that of X'X + penalty. */
static void start(ridge *r)
{
    const sbl_design *design = r->design;
    for (size_t i = 0; i < r->train->rows; i++) {
        add_row(r->residual, design, r->train, i, r->train->targets[i] - design->target_mean);
        for (size_t j = 0; j < design->number_count; j++) {
            const double value = sbl_design_number(design, r->train, i, j);
            r->diagonal[j] += value * value;
        }
        for (size_t k = 0; k < design->category_count; k++)
            r->diagonal[design->offset[k] + r->train->codes[i * r->train->category_count + k]] += 1;
    }
    for (size_t j = 0; j < design->width; j++) r->diagonal[j] += PENALTY;
    r->diagonal[design->width] = (double)r->train->rows;
}

/* product = (X'X + penalty) direction */
static void multiply(ridge *r)
{
    memset(r->product, 0, r->d * sizeof *r->product);
    for (size_t i = 0; i < r->train->rows; i++)
        add_row(r->product, r->design, r->train, i, predict_row(r->design, r->direction, r->train, i));
    for (size_t j = 0; j < r->design->width; j++) r->product[j] += PENALTY * r->direction[j];
}

/* residual' M^-1 residual with M the diagonal. */
static double residual_size(const ridge *r)
{
    double sum = 0;
    for (size_t j = 0; j < r->d; j++) sum += r->residual[j] * r->residual[j] / r->diagonal[j];
    return sum;
}

static void solve(ridge *r)
{
    start(r);
    double size = residual_size(r);
    const double enough = STOP_AT * STOP_AT * size;
    for (size_t j = 0; j < r->d; j++) r->direction[j] = r->residual[j] / r->diagonal[j];
    for (size_t step = 0; step < MAX_STEPS && size > enough; step++) {
        double curvature = 0;
        multiply(r);
        for (size_t j = 0; j < r->d; j++) curvature += r->direction[j] * r->product[j];
        for (size_t j = 0; j < r->d; j++) {
            r->weights[j] += size / curvature * r->direction[j];
            r->residual[j] -= size / curvature * r->product[j];
        }
        const double next = residual_size(r);
        for (size_t j = 0; j < r->d; j++)
            r->direction[j] = r->residual[j] / r->diagonal[j] + next / size * r->direction[j];
        size = next;
    }
}

sbl_status sbl_learn_ridge(double *scores, const sbl_samples *train, const sbl_samples *test,
                           const sbl_learner_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_design design = {0};
    ridge r = {0};
    (void)options;
    SBL_TRY(sbl_design_init(&design, train, err));
    SBL_TRY(ridge_init(&r, &design, train, err));
    solve(&r);
    for (size_t i = 0; i < test->rows; i++)
        scores[i] = design.target_mean + predict_row(&design, r.weights, test, i);
done:
    sbl_free_wiped(r.arena, 5 * r.d * sizeof *r.arena);
    sbl_design_clear(&design);
    return status;
}

sbl_status sbl_learn_constant_number(double *scores, const sbl_samples *train, const sbl_samples *test,
                                     const sbl_learner_options *options, sbl_error *err)
{
    sbl_design design;
    const sbl_status status = sbl_design_init(&design, train, err);
    (void)options;
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < test->rows; i++) scores[i] = design.target_mean;
    sbl_design_clear(&design);
    return SBL_OK;
}
