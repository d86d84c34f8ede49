/* SPDX-License-Identifier: Apache-2.0 */
/* Noise, carried from the releases to tables of parts. Shares are taken to be even: nothing else is public.
 *
 * An entry of share q that is known with deviation t is taken to be off by sqrt(2 / pi) q t / sqrt(q^2 + t^2): the
 * noise where that is small, and where it is large no more than the share itself, for tables are projected on the
 * distributions and a model that hears nothing stays with the product of its columns. */
#include "after/pairs/error_forecast.h"

#include <math.h>

#include "after/counts/bin_codes.h"
#include "after/counts/one_way.h"
#include "after/pairs/pairs_internal.h"
#include "base/alloc.h"

#define MEAN_OF_NORMAL 0.797884560802865 /* sqrt(2 / pi): of |x|, x standard normal */
#define MOST_COLUMNS 1000                /* that are looked at: of more, every second, third, ... */
#define TABLES_PER_COLUMN 2.0            /* precise tables, as codes are planned for (bin_codes.h) */

/* What is known of one column. */
typedef struct known {
    double parts;    /* that it is compared in */
    double codes;    /* that tables of pairs have of it */
    double variance; /* of the share of a part */
} known;

/* Of the tables of pairs: how many there are, and the deviation of the noise on an entry as a share of the rows. */
typedef struct bought {
    double tables;
    double noise;       /* 0: there are none */
    double label_noise; /* of those with the label; 0: none */
} bought;

static double error_of(double share, double variance)
{
    return MEAN_OF_NORMAL * share * sqrt(variance / (share * share + variance));
}

static double parts_of(const sbl_pairs_column *column)
{
    if (column->kind != SBL_PAIRS_NUMBER) return column->cells;
    return fmin(column->ordered, SBL_EXPECTED_PARTS) + column->cells - column->ordered;
}

/* Lighter ones than the threshold are merged. */
static double codes_of(const sbl_pairs_column *column, double threshold)
{
    const double most = column->kind != SBL_PAIRS_NUMBER
                            ? column->cells
                            : fmin(column->ordered, SBL_PAIRS_NUMBER_CODES) + column->cells - column->ordered;
    return fmax(1, threshold > 0 ? fmin(most, 1 / threshold) : most);
}

/* Deviation of the noise of a table with this share of mu^2, as a share of the rows. */
static double noise_of(const sbl_pairs_setting *s, double precision)
{
    return sbl_pairs_unit_noise(s) / sqrt(precision) / s->rows;
}

/* ---- columns ---- */

/* A table of `cells` that says this of a part: the sum of its cells, where it has as many. */
static double precision_of(double cells, double parts, double noise)
{
    return cells < parts ? 0 : 1 / (noise * noise * cells / parts);
}

/* By the one-way tables of the first release. */
static sbl_status hear_columns(known *columns, const sbl_pairs_setting *s, double share, sbl_error *err)
{
    sbl_pairs_plan plan = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_pairs_plan_one_way(&plan, s, share, err));
    for (size_t t = 0; t < plan.table_count; t++) {
        const sbl_pairs_map *map = &plan.maps[plan.tables[t].first];
        known *column = &columns[map->column];
        column->variance += precision_of(map->cells, column->parts, noise_of(s, plan.tables[t].precision));
    }
done:
    sbl_pairs_plan_clear(&plan);
    return status;
}

/* A table of pairs says its columns' own shares, too: each is a sum over the other column's cells. */
static double margin_precision(double cells, double parts, double others, double noise, double tables)
{
    return noise > 0 ? tables * precision_of(cells, parts, noise * sqrt(others)) : 0;
}

static void hear_pairs(known *columns, const sbl_pairs_setting *s, const sbl_pairs_shape *shape,
                       const bought *b)
{
    const double count = (double)s->count;
    const double groups = sbl_selection_groups(shape);
    const double sketch =
        shape->course == SBL_PAIRS_SKETCH ? noise_of(s, shape->share[1] / (count * (count - 1) / 2)) : 0;
    double codes = 0;
    for (size_t j = 0; j < s->count; j++) codes += columns[j].codes / count;
    for (size_t j = 0; j < s->count; j++) {
        known *column = &columns[j];
        column->variance +=
            margin_precision(fmin(groups, column->codes), column->parts, groups, sketch, count - 1);
        column->variance +=
            margin_precision(column->codes, column->parts, codes, b->noise, 2 * b->tables / count);
    }
}

/* ---- pairs ---- */

static bought buy(const sbl_pairs_setting *s, const sbl_pairs_shape *shape)
{
    const double count = (double)s->count, pairs = count * (count - 1) / 2;
    const bool labelled = s->label != SBL_PAIRS_NO_COLUMN;
    bought b = {0};
    if (shape->course == SBL_PAIRS_SKETCH || shape->course == SBL_PAIRS_ALL) {
        const bool all = shape->course == SBL_PAIRS_ALL;
        const double share = all ? shape->pair_share : shape->share[2];
        b.tables = all ? pairs : fmin(pairs, TABLES_PER_COLUMN * count);
        b.noise = noise_of(s, share / b.tables);
        if (labelled)
            b.label_noise = fmin(b.noise, noise_of(s, sbl_selection_label_part(shape) * share / (count - 1)));
    } else if (shape->course == SBL_PAIRS_LABEL) {
        b.label_noise = noise_of(s, shape->pair_share / (count - 1));
    }
    return b;
}

/* A part of both columns is a sum of entries; where codes are fewer than parts, a part of an entry. Each column's
 * own error enters weighted by the other's share. */
static double pair_error(const known *a, const known *b, double noise)
{
    const double share = 1 / (a->parts * b->parts);
    const double entries = a->codes * b->codes * share;
    const double own = a->variance / (b->parts * b->parts) + b->variance / (a->parts * a->parts);
    const double variance = noise * noise * fmax(entries, entries * entries) + own;
    return 0.5 * error_of(share, variance) / share;
}

static double label_error(const known *columns, const sbl_pairs_setting *s, double noise)
{
    double sum = 0;
    for (size_t j = 0; j < s->count; j++)
        if (j != s->label) sum += pair_error(&columns[j], &columns[s->label], noise);
    return sum / (double)(s->count - 1);
}

static double mean_pair_error(const known *columns, const sbl_pairs_setting *s, double noise)
{
    const size_t step = 1 + s->count / MOST_COLUMNS;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < s->count; i += step)
        for (size_t j = i + step; j < s->count; j += step, count++)
            sum += pair_error(&columns[i], &columns[j], noise);
    return count > 0 ? sum / (double)count : 0;
}

/* The choice hears energies above 2 v sqrt(2 df), v the variance of an entry of the sketch, df = (g - 1)^2. What lies
 * evenly over all g^2 entries has the least energy for its distance d: (2 d / g)^2. */
static double hidden_below(const sbl_pairs_setting *s, const sbl_pairs_shape *shape)
{
    if (shape->course == SBL_PAIRS_ALL) return 0;
    if (shape->course != SBL_PAIRS_SKETCH) return 1;
    const double groups = sbl_selection_groups(shape);
    const double pairs = (double)s->count * (double)(s->count - 1) / 2;
    const double v = pow(noise_of(s, shape->share[1] / pairs), 2);
    return fmin(1, 0.5 * groups * sqrt(2 * v * sqrt(2) * (groups - 1)));
}

sbl_status sbl_pairs_expect(sbl_pairs_expected *expected, const sbl_pairs_setting *s, sbl_error *err)
{
    const sbl_pairs_shape shape = sbl_pairs_shape_of(s);
    const bought b = buy(s, &shape);
    const bool one = s->one_round && shape.pair_share > 0;
    const double merged =
        one || shape.course == SBL_PAIRS_ONE_WAY ? 0 : sbl_selection_merge_threshold(s, &shape);
    known *columns = NULL;
    sbl_status status = SBL_OK;
    *expected = (sbl_pairs_expected){.hidden = hidden_below(s, &shape)};
    SBL_ALLOC(columns, s->count, "a plan");
    for (size_t j = 0; j < s->count; j++)
        columns[j] = (known){.parts = parts_of(&s->columns[j]), .codes = codes_of(&s->columns[j], merged)};
    SBL_TRY(hear_columns(columns, s, one ? 1 - shape.pair_share : shape.share[0], err));
    hear_pairs(columns, s, &shape, &b);
    for (size_t j = 0; j < s->count; j++) {
        columns[j].variance = 1 / columns[j].variance;
        const double share = 1 / columns[j].parts;
        expected->column += 0.5 * error_of(share, columns[j].variance) / share / (double)s->count;
    }
    expected->pair_least = mean_pair_error(columns, s, 0);
    if (b.noise > 0) expected->pair = mean_pair_error(columns, s, b.noise);
    if (b.label_noise > 0) expected->label = label_error(columns, s, b.label_noise);
done:
    sbl_free(columns);
    return status;
}
