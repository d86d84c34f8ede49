/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of the groups of a table, and their variances.
 *
 * Each statistic has influence values e_i: to first order its error is their sum. So its variance is the sum over
 * persons of (the sum of the e_i of the person's rows)^2, less (sum of all e_i)^2 over the number of persons. Where
 * rows are independent, a person is a row. Legend: w rows in the group with a value.
 *     count        e_i = 1, so that the variance is w - w^2 / rows
 *     mean m       e_i = (x_i - m) / w;  a share is the mean of 0 and 1
 *     quantile q   e_i = (p - [x_i <= q]) / (w f), with the density f at q from the quantiles at p -+ sqrt(p (1-p) / w)
 *     correlation  e_i = (a_i b_i - r (a_i^2 + b_i^2) / 2) / w, with standardised a and b */
#include <math.h>
#include <stdlib.h>

#include "run/estimates/query_rows.h"

#define LEAST_ROWS 2 /* of a group, for anything but a count */

/* Rows of a group. */
typedef struct group_rows {
    const size_t *order;
    size_t count;
} group_rows;

static group_rows rows_of(const sbl_query_rows *rows, size_t group)
{
    return (group_rows){rows->order + rows->starts[group], rows->starts[group + 1] - rows->starts[group]};
}

static const double *column_of(const sbl_query_rows *rows, size_t column)
{
    size_t i = 0;
    while (rows->used[i] != column) i++;
    return rows->columns[i];
}

/* ---- estimates, with the influence of each row of the group ---- */

static double count_rows(sbl_query_rows *rows, group_rows group)
{
    for (size_t i = 0; i < group.count; i++) rows->influence[group.order[i]] = 1.0;
    return (double)group.count;
}

/* code: of a share, else SBL_NO_GROUP. */
static double value_at(const double *column, size_t row, uint32_t code)
{
    if (code == SBL_NO_GROUP || isnan(column[row])) return column[row];
    return column[row] == (double)code ? 1.0 : 0.0;
}

static double take_mean(sbl_query_rows *rows, group_rows group, const double *column, uint32_t code)
{
    double mean = 0.0, w = 0.0;
    for (size_t i = 0; i < group.count; i++) {
        const double x = value_at(column, group.order[i], code);
        if (!isnan(x)) mean += (x - mean) / ++w;
    }
    for (size_t i = 0; i < group.count; i++) {
        const double x = value_at(column, group.order[i], code);
        rows->influence[group.order[i]] = isnan(x) ? 0.0 : (x - mean) / w;
    }
    return w >= LEAST_ROWS ? mean : (double)NAN;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile_at(const double *sorted, size_t count, double order)
{
    const double at = ceil(order * (double)count) - 1.0;
    return sorted[(size_t)fmin(fmax(at, 0.0), (double)count - 1.0)];
}

static double take_quantile(sbl_query_rows *rows, group_rows group, const double *column, double p)
{
    size_t w = 0;
    for (size_t i = 0; i < group.count; i++)
        if (!isnan(column[group.order[i]])) rows->scratch[w++] = column[group.order[i]];
    if (w < LEAST_ROWS) return (double)NAN;
    qsort(rows->scratch, w, sizeof *rows->scratch, compare);
    const double quantile = quantile_at(rows->scratch, w, p), step = sqrt(p * (1.0 - p) / (double)w);
    const double spread = quantile_at(rows->scratch, w, p + step) - quantile_at(rows->scratch, w, p - step);
    const double scale = spread / (2.0 * step) / (double)w; /* 1 / (w f) */
    for (size_t i = 0; i < group.count; i++) {
        const double x = column[group.order[i]];
        rows->influence[group.order[i]] = isnan(x) ? 0.0 : scale * (p - (x <= quantile ? 1.0 : 0.0));
    }
    return quantile;
}

static double take_correlation(sbl_query_rows *rows, group_rows group, const double *x, const double *y)
{
    double w = 0.0, mx = 0.0, my = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
    for (size_t i = 0; i < group.count; i++) {
        const size_t row = group.order[i];
        if (isnan(x[row]) || isnan(y[row])) continue;
        const double dx = x[row] - mx, dy = y[row] - my;
        mx += dx / ++w;
        my += dy / w;
        xx += dx * (x[row] - mx);
        yy += dy * (y[row] - my);
        xy += dx * (y[row] - my);
    }
    if (w < LEAST_ROWS || !(xx > 0.0) || !(yy > 0.0)) return (double)NAN;
    const double r = xy / sqrt(xx * yy), sx = sqrt(xx / w), sy = sqrt(yy / w);
    for (size_t i = 0; i < group.count; i++) {
        const size_t row = group.order[i];
        const double a = (x[row] - mx) / sx, b = (y[row] - my) / sy;
        rows->influence[row] = isnan(a) || isnan(b) ? 0.0 : (a * b - r * (a * a + b * b) / 2.0) / w;
    }
    return r;
}

static double take(sbl_query_rows *rows, group_rows group, const sbl_query *query)
{
    for (size_t i = 0; i < group.count; i++) rows->influence[group.order[i]] = 0.0;
    switch (query->kind) {
    case SBL_STATISTIC_SHARE:
        return take_mean(rows, group, column_of(rows, query->column), query->code);
    case SBL_STATISTIC_MEAN:
        return take_mean(rows, group, column_of(rows, query->column), SBL_NO_GROUP);
    case SBL_STATISTIC_QUANTILE:
        return take_quantile(rows, group, column_of(rows, query->column), query->order);
    case SBL_STATISTIC_CORRELATION:
        return take_correlation(rows, group, column_of(rows, query->column), column_of(rows, query->other));
    default:
        return count_rows(rows, group);
    }
}

/* ---- variances ---- */

/* Of the sum of the influences of one group less those of another, which may be empty. Rows of both are in order, so
 * that those of a person follow each other. */
static double variance_of(const sbl_query_rows *rows, group_rows plus, group_rows minus)
{
    double squares = 0.0, sum = 0.0;
    for (size_t i = 0, j = 0; i < plus.count || j < minus.count;) {
        const bool first = j == minus.count || (i < plus.count && plus.order[i] < minus.order[j]);
        const uint64_t person = rows->persons[first ? plus.order[i] : minus.order[j]];
        double own = 0.0;
        for (; i < plus.count && rows->persons[plus.order[i]] == person; i++)
            own += rows->influence[plus.order[i]];
        for (; j < minus.count && rows->persons[minus.order[j]] == person; j++)
            own -= rows->influence[minus.order[j]];
        squares += own * own;
        sum += own;
    }
    return rows->clusters > 0 ? fmax(0.0, squares - sum * sum / (double)rows->clusters) : 0.0;
}

/* A group without rows, or with one value only, does not show that the population has none: the variance is that
 * of one row. */
static double least_variance(const sbl_query *query, double estimate, size_t rows)
{
    if (query->kind == SBL_STATISTIC_COUNT) return estimate == 0.0 ? 1.0 : 0.0;
    if (query->kind != SBL_STATISTIC_SHARE || rows == 0 || (estimate != 0.0 && estimate != 1.0)) return 0.0;
    return 1.0 / ((double)rows * (double)rows);
}

void sbl_query_answer(sbl_group_answer *answers, sbl_group_answer *differences, sbl_query_rows *rows,
                      const sbl_queries *queries, const sbl_query *query)
{
    const group_rows none = {NULL, 0};
    for (size_t g = 0; g < queries->groups; g++) {
        answers[g].estimate = take(rows, rows_of(rows, g), query);
        answers[g].variance = fmax(variance_of(rows, rows_of(rows, g), none),
                                   least_variance(query, answers[g].estimate, rows_of(rows, g).count));
    }
    for (size_t g = 0; differences != NULL && g < queries->groups; g++) {
        differences[g].estimate = answers[g].estimate - answers[queries->against].estimate;
        differences[g].variance = variance_of(rows, rows_of(rows, g), rows_of(rows, queries->against));
    }
}
