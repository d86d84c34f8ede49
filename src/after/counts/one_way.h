/* SPDX-License-Identifier: Apache-2.0 */
/* One-way tables: what to measure, and what to make of it.
 *
 * The precision of column j is proportional to min(k_j, 256)^(2/3), k_j its cells: that minimises
 * the sum over columns of the expected L1 error k_j s_j, and a column with a huge list of
 * categories does not eat the others' budget. A number of more than 16 cells is measured at two
 * levels, single cells and round(sqrt(k)) runs of them, half of its precision each: a run's total
 * is then known better than the sum of its cells. */
#ifndef SBL_COUNTS_ONE_WAY_H
#define SBL_COUNTS_ONE_WAY_H

#include "base/alloc.h"
#include "public/counts/pairs_plan.h"

/* Append to `plan` the one-way tables of every column, with precisions that sum to share. */
sbl_status sbl_pairs_plan_one_way(sbl_pairs_plan *plan, const sbl_pairs_setting *setting, double share,
                                  sbl_error *err);

/* Estimated counts of a column's fine cells. */
typedef struct sbl_pairs_histogram {
    uint32_t cells;
    double *counts;   /* (cells): unbiased, not projected */
    double variance;  /* of a fine cell's own measurement, which runs are then corrected by */
    uint32_t runs;    /* 0: one level */
    uint32_t *run_of; /* (cells) */
    uint32_t *sizes;  /* (runs): cells of a run */
    double *kept;     /* (runs): rho, the weight of the cells' own sum in the run's total */
    uint8_t *silent;  /* (cells): 1 where a cell is taken to hold nothing; NULL: none is */
    sbl_pool pool;    /* of the arrays */
} sbl_pairs_histogram;

/* From the release of a plan that holds the column's tables. values and noise: by table of the
 * plan; noise is the standard deviation of an entry.
 * Returns: SBL_OK, SBL_EINPUT when there is no table of the column, SBL_EMEM */
sbl_status sbl_pairs_histogram_init(sbl_pairs_histogram *histogram, const sbl_pairs_plan *plan,
                                    uint32_t column, uint32_t cells, const double *const *values,
                                    const double *noise, sbl_error *err);
void sbl_pairs_histogram_clear(sbl_pairs_histogram *histogram);

/* Say which cells hold nothing but noise (one_way.c has the rule): projection leaves them out. Only
 * in two levels. ordered: the cells that lie in order; the others are not asked here. */
sbl_status sbl_pairs_histogram_denoise(sbl_pairs_histogram *histogram, uint32_t ordered, double rows,
                                       sbl_error *err);

/* Say whether a cell is taken to hold nothing, in one level or in two. */
sbl_status sbl_pairs_histogram_silence(sbl_pairs_histogram *histogram, uint32_t cell, bool silent,
                                       sbl_error *err);
/* The same of the column's missing values, where it has a cell of them: silent unless they are clear of
 * the noise (public/schema/missing.h). tested: columns that are asked. */
sbl_status sbl_pairs_histogram_test_missing(sbl_pairs_histogram *histogram, const sbl_pairs_column *column,
                                            size_t tested, sbl_error *err);
/* How many of the columns have a cell of missing values. */
size_t sbl_pairs_missing_count(const sbl_pairs_column *columns, size_t count);

static inline bool sbl_pairs_histogram_silent(const sbl_pairs_histogram *histogram, uint32_t cell)
{
    return histogram->silent && histogram->silent[cell];
}

/* shares (cells): counts, such as the histogram's own, in; out, projected on the distributions. In
 * two levels first the runs, then the cells of each run; silent ones get 0. */
sbl_status sbl_pairs_histogram_project(double *shares, const sbl_pairs_histogram *histogram, double rows,
                                       sbl_error *err);

/* counts, variances (map->cells): sums of the fine counts over the cells of a map. Runs that are
 * silent throughout are left out, but not where a cell of the map has nothing else. */
sbl_status sbl_pairs_histogram_sums(double *counts, double *variances, const sbl_pairs_histogram *histogram,
                                    const sbl_pairs_map *map, sbl_error *err);

/* p = the p >= 0 with sum `total` nearest to y in the norm sum (p - y)^2 / v; v NULL: all 1, else
 * > 0. Where y is -INFINITY, p is 0. p may be y. total >= 0. */
void sbl_pairs_project_simplex(double *p, const double *y, const double *v, size_t count, double total);

#endif
