/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The three steps of the header, column after column: sizes of the classes, the pooled
 * histogram, and each class shrunk towards it. A fit that was paid for never fails for its noise:
 * counts are clamped and everything is projected on distributions. */
#include "after/train/marginals_fit.h"

#include <math.h>
#include <string.h>

#include "after/train/steps.h"
#include "after/train/target.h"
#include "base/alloc.h"
#include "public/schema/missing.h"

#define LARGEST_COUNT 1e12 /* larger than any table */

/* Estimates in counts of rows, and room to work in. */
typedef struct fit {
    const sbl_bins *cells;
    const sbl_release *release;
    double *counts;       /* (C, T) */
    double *sizes;        /* (C): rows per class */
    double *shares;       /* (C) */
    double *pooled;       /* (T): shares of cells within their column */
    double *column;       /* (T) */
    sbl_steps steps;      /* of columns with one cell per value */
    double variance;      /* of the noise on an entry of counts */
    double size_variance; /* the same on a size */
    size_t never;         /* the cell of missing values of the column at hand, where no record has one;
                           * else SBL_NO_CELL */
    double rows;
} fit;

static sbl_status find_block(const sbl_block **block, const sbl_bins *cells, const sbl_release *release,
                             sbl_error *err)
{
    *block = sbl_release_find(release, "cells");
    if (!*block || (*block)->width != cells->total || sbl_release_columns(release, *block) != cells->classes)
        return sbl_fail(err, SBL_EINPUT, "the release has no block 'cells' with the shape of the plan");
    return SBL_OK;
}

static void read_counts(fit *f, const sbl_block *block)
{
    double deviation = sbl_release_noise_deviation(f->release, block);
    f->variance = deviation * deviation;
    for (size_t c = 0; c < f->cells->classes; c++)
        for (size_t t = 0; t < f->cells->total; t++) {
            double count = sbl_release_estimate(f->release, block, c, t);
            /* Noise that large drowns everything anyway; a fit that was paid for must not fail. */
            f->counts[c * f->cells->total + t] = fmax(-LARGEST_COUNT, fmin(LARGEST_COUNT, count));
        }
}

/* Estimates of the size of every class, averaged by inverse variance. */
static void average_sizes(fit *f)
{
    const sbl_block *counts = f->release->counts ? sbl_release_find(f->release, "counts") : NULL;
    if (counts && counts->width != f->cells->classes) counts = NULL;
    for (size_t c = 0; c < f->cells->classes; c++) {
        double weighted = 0, weights = 0;
        for (size_t k = 0; k < f->cells->count; k++) {
            const sbl_bins_column *column = &f->cells->columns[k];
            const double *values = f->counts + c * f->cells->total + column->offset;
            double total = 0, weight = 1 / ((double)column->count * f->variance);
            for (size_t j = 0; j < column->count; j++) total += values[j];
            weighted += weight * total;
            weights += weight;
        }
        if (counts) {
            double deviation = sbl_release_noise_deviation(f->release, counts);
            double weight = 1 / (deviation * deviation);
            weighted += weight * sbl_release_estimate(f->release, counts, 0, c);
            weights += weight;
        }
        f->sizes[c] = weighted / weights;
        f->size_variance = 1 / weights;
    }
}

/* Can a count of missing values with noise of this variance not be told from 0? */
static bool is_noise(const fit *f, double count, double variance)
{
    size_t tested = f->cells->label_missing ? 1 : 0;
    for (size_t k = 0; k < f->cells->count; k++)
        tested += sbl_bins_missing(&f->cells->columns[k]) != SBL_NO_CELL;
    return sbl_missing_is_noise(count, sqrt(variance), f->release->mechanism == SBL_DISCRETE_LAPLACE, tested);
}

/* The column's missing values are left out of every class where the sum over classes cannot be told from
 * noise. */
static void test_missing(fit *f, const sbl_bins_column *column)
{
    const size_t cell = sbl_bins_missing(column), classes = f->cells->classes;
    double sum = 0;
    f->never = SBL_NO_CELL;
    if (cell == SBL_NO_CELL) return;
    for (size_t c = 0; c < classes; c++) sum += f->counts[c * f->cells->total + column->offset + cell];
    if (is_noise(f, sum, (double)classes * f->variance)) f->never = cell;
}

static void find_sizes(fit *f)
{
    size_t classes = f->cells->classes;
    average_sizes(f);
    f->rows = (double)f->release->n;
    if (f->release->n == 0)
        for (size_t c = 0; c < classes; c++) f->rows += f->sizes[c];
    if (!(f->rows >= 1)) f->rows = 1;
    if (f->cells->label_missing && is_noise(f, f->sizes[classes - 1], f->size_variance))
        f->sizes[classes - 1] = -INFINITY; /* no record lacks the label */
    sbl_project_shares(f->shares, f->sizes, classes, f->rows);
    for (size_t c = 0; c < classes; c++) f->sizes[c] = f->shares[c] * f->rows;
}

/* Were the classes alike, counts of class c would be size_c times the common shares with the same
 * noise everywhere, and least squares would give sum size_c counts_c / sum size_c^2. */
static void pool_column(fit *f, const sbl_bins_column *column)
{
    double *sums = f->column, squares = 0;
    for (size_t c = 0; c < f->cells->classes; c++) squares += f->sizes[c] * f->sizes[c];
    for (size_t j = 0; j < column->count; j++) {
        sums[j] = 0;
        for (size_t c = 0; c < f->cells->classes; c++)
            sums[j] += f->sizes[c] * f->counts[c * f->cells->total + column->offset + j];
    }
    if (column->single) sbl_steps_fit(&f->steps, sums, column->count, squares * f->variance);
    if (f->never != SBL_NO_CELL) sums[f->never] = -INFINITY;
    sbl_project_shares(f->pooled + column->offset, sums, column->count, squares);
}

/* column = size * pooled + what is left of counts - size * pooled without its noise, the difference
 * freed of its mean: that part is about the size, which is known better. */
static void shrink_column(fit *f, const sbl_bins_column *column, const double *counts, double size)
{
    const double *pooled = f->pooled + column->offset;
    double *out = f->column, mean = 0;
    for (size_t j = 0; j < column->count; j++) {
        out[j] = counts[j] - size * pooled[j];
        mean += out[j] / (double)column->count;
    }
    for (size_t j = 0; j < column->count; j++) out[j] -= mean;
    if (column->single)
        sbl_steps_fit(&f->steps, out, column->count, f->variance);
    else
        sbl_shrink(out, NULL, column->count, (double)(column->count - 1) * f->variance);
    for (size_t j = 0; j < column->count; j++) out[j] += size * pooled[j];
}

static void fit_column(fit *f, float *probabilities, const sbl_bins_column *column, size_t c)
{
    double size = f->sizes[c], *shares = f->column;
    if (f->cells->classes > 1 && size >= 1) {
        shrink_column(f, column, f->counts + c * f->cells->total + column->offset, size);
        if (f->never != SBL_NO_CELL) shares[f->never] = -INFINITY;
        sbl_project_shares(shares, shares, column->count, size);
    } else {
        shares = f->pooled + column->offset;
    }
    for (size_t j = 0; j < column->count; j++)
        probabilities[c * f->cells->total + column->offset + j] = (float)shares[j];
}

static void fill_model(fit *f, sbl_marginals_model *model)
{
    find_sizes(f);
    for (size_t k = 0; k < f->cells->count; k++) {
        const sbl_bins_column *column = &f->cells->columns[k];
        test_missing(f, column);
        pool_column(f, column);
        for (size_t c = 0; c < f->cells->classes; c++) fit_column(f, model->probabilities, column, c);
    }
    for (size_t c = 0; c < f->cells->classes; c++) model->class_shares[c] = (float)f->shares[c];
}

/* Cells of the longest column with one cell per value. */
static size_t most_singles(const sbl_bins *cells)
{
    size_t most = 0;
    for (size_t k = 0; k < cells->count; k++)
        if (cells->columns[k].single && cells->columns[k].count > most) most = cells->columns[k].count;
    return most;
}

sbl_status sbl_marginals_fit(sbl_marginals_model *model, double *rows, const sbl_bins *cells,
                             const sbl_release *release, sbl_error *err)
{
    sbl_bins copy = {0};
    fit f = {.cells = cells, .release = release};
    const sbl_block *block;
    sbl_status status;
    *model = (sbl_marginals_model){0};
    SBL_TRY(find_block(&block, cells, release, err));
    SBL_TRY(sbl_bins_copy(&copy, cells, err));
    SBL_TRY(sbl_marginals_model_init(model, &copy, err));
    SBL_ALLOC(f.counts, cells->classes * cells->total, "fitting marginals");
    SBL_ALLOC(f.sizes, cells->classes, "fitting marginals");
    SBL_ALLOC(f.shares, cells->classes, "fitting marginals");
    SBL_ALLOC(f.pooled, cells->total, "fitting marginals");
    SBL_ALLOC(f.column, cells->total, "fitting marginals");
    SBL_TRY(sbl_steps_init(&f.steps, most_singles(cells), err));
    read_counts(&f, block);
    fill_model(&f, model);
    if (rows) *rows = f.rows;
done:
    if (status != SBL_OK) sbl_marginals_model_clear(model);
    sbl_free(f.counts);
    sbl_free(f.sizes);
    sbl_free(f.shares);
    sbl_free(f.pooled);
    sbl_free(f.column);
    sbl_steps_clear(&f.steps);
    return status;
}
