/* SPDX-License-Identifier: Apache-2.0 */
/* What the releases after the first measure, or all of them in one. */
#include <math.h>
#include <stdlib.h>

#include "after/counts/bin_codes.h"
#include "after/counts/table_math.h"
#include "after/pairs/pairs_internal.h"
#include "base/alloc.h"

#define LEAST_TABLE 1e-4 /* of a release: a table below gets nothing */
#define LABEL_WEIGHT 4.0 /* of an error in a pair with the label, */
#define NOISY_WEIGHT 8.0 /* and where a sketch has from this number of groups a column */
#define NOISY_FROM 4.0
#define NOISY_BELOW 6.0              /* to below this */
#define AGAIN_WEIGHT 0.25            /* of one-way errors, of the weight of all the column's pairs */
#define MEAN_ABS 0.79788456080286536 /* of a normal number */
#define COARSE_GRID 8                /* codes of a number in one release, where its bins are few */
#define FINE_GRID 16
#define FEW_BINS 32

static double weight_of(const sbl_pairs_selection *selection, size_t i, size_t j)
{
    const sbl_pairs_shape *shape = &selection->shape;
    const bool noisy =
        shape->rounds > 1 && shape->resolution >= NOISY_FROM && shape->resolution < NOISY_BELOW;
    return !sbl_selection_labelled(selection, i, j) ? 1 : noisy ? NOISY_WEIGHT : LABEL_WEIGHT;
}

static sbl_status add_maps(sbl_pairs_selection *selection, bool groups, sbl_error *err)
{
    for (size_t j = 0; j < selection->setting.count; j++) {
        const sbl_known_column *column = &selection->columns[j];
        SBL_CHECK(sbl_pairs_plan_add_map(&selection->plan, NULL, groups ? &column->groups : &column->codes,
                                         selection->facts[j].cells, err));
    }
    return SBL_OK;
}

/* Group maps come first, so that map j is column j's. */
sbl_status sbl_selection_plan_sketch(sbl_pairs_selection *selection, sbl_error *err)
{
    const uint32_t count = (uint32_t)selection->setting.count;
    const double each = selection->shape.share[1] / (double)selection->pair_count;
    SBL_CHECK(add_maps(selection, true, err));
    SBL_CHECK(add_maps(selection, false, err));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            SBL_CHECK(sbl_pairs_plan_add_table(&selection->plan, i, j, each, err));
    return SBL_OK;
}

/* Precision (omega m_i m_j)^(2/3): least sum of omega-weighted expected L1 errors of raw tables. */
static double raw_weight(const sbl_pairs_selection *selection, size_t i, size_t j, bool label_only)
{
    if (label_only && !sbl_selection_labelled(selection, i, j)) return 0;
    const double entries =
        (double)selection->columns[i].codes.cells * (double)selection->columns[j].codes.cells;
    return cbrt(pow((label_only ? 1 : weight_of(selection, i, j)) * entries, 2));
}

static sbl_status add_raw_pairs(sbl_pairs_selection *selection, uint32_t first_map, bool label_only,
                                double share, sbl_error *err)
{
    const uint32_t count = (uint32_t)selection->setting.count;
    double total = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) total += raw_weight(selection, i, j, label_only);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            const double weight = raw_weight(selection, i, j, label_only);
            if (weight > 0)
                SBL_CHECK(sbl_pairs_plan_add_table(&selection->plan, first_map + i, first_map + j,
                                                   share * weight / total, err));
        }
    return SBL_OK;
}

sbl_status sbl_selection_plan_label(sbl_pairs_selection *selection, sbl_error *err)
{
    const sbl_status status = add_maps(selection, false, err);
    return status == SBL_OK ? add_raw_pairs(selection, 0, true, selection->shape.share[1], err) : status;
}

sbl_status sbl_selection_plan_public(sbl_pairs_selection *selection, sbl_error *err)
{
    const uint32_t first_map = (uint32_t)selection->plan.map_count;
    const sbl_pairs_setting *s = &selection->setting;
    const bool few = sbl_pairs_bins(s->rows, s->count, s->mu, s->sensitivity2) <= FEW_BINS;
    for (size_t j = 0; j < s->count; j++)
        sbl_pairs_public_codes(&selection->columns[j].codes, &selection->facts[j],
                               few ? COARSE_GRID : FINE_GRID);
    const sbl_status status = add_maps(selection, false, err);
    if (status != SBL_OK) return status;
    return add_raw_pairs(selection, first_map, selection->shape.course == SBL_PAIRS_LABEL,
                         selection->shape.pair_share, err);
}

/* ---- the third release ---- */

typedef struct bid {
    double precision;
    size_t pair;
} bid;

typedef struct market {
    double budget;      /* precision of shares: n^2 / noise^2 */
    sbl_slopes *slopes; /* pairs, then columns */
    double *precision;
    double *shares, *variances;
    bid *bids;     /* (pairs) */
    sbl_pool pool; /* of all these */
} market;

static sbl_status market_init(market *m, sbl_pairs_selection *selection, sbl_error *err)
{
    const size_t items = selection->pair_count + selection->setting.count;
    const double unit = sbl_pairs_unit_noise(&selection->setting) / selection->setting.rows;
    sbl_status status = SBL_OK;
    m->budget = selection->precise_share / (unit * unit);
    SBL_POOL(&m->pool, m->slopes, items, 1, "the plan of a release");
    SBL_POOL(&m->pool, m->precision, items, 1, "the plan of a release");
    SBL_POOL(&m->pool, m->shares, selection->code_count, 1, "the plan of a release");
    SBL_POOL(&m->pool, m->variances, selection->code_count, 1, "the plan of a release");
    SBL_POOL(&m->pool, m->bids, selection->pair_count, 1, "the plan of a release");
    SBL_TRY(sbl_selection_shares(selection, m->shares, m->variances, err));
done:
    return status;
}

static void pair_slopes(market *m, const sbl_pairs_selection *selection, size_t i, size_t j)
{
    const sbl_known_column *a = &selection->columns[i], *b = &selection->columns[j];
    const size_t p = sbl_pairs_index(i, j, selection->setting.count);
    const double energy = selection->pairs[p].energy, weight = weight_of(selection, i, j);
    if (a->codes.cells < 2 || b->codes.cells < 2) return;
    for (uint32_t v = 0; v < a->codes.cells; v++)
        for (uint32_t w = 0; w < b->codes.cells; w++)
            sbl_slopes_add(&m->slopes[p], energy * m->shares[a->at + v] * m->shares[b->at + w], weight,
                           m->budget);
}

/* A column's shares are known with these variances already; a share is not thought to be off by
 * more than itself. */
static void column_slopes(market *m, const sbl_pairs_selection *selection, size_t j)
{
    const sbl_known_column *column = &selection->columns[j];
    const double n2 = selection->setting.rows * selection->setting.rows;
    double weight = 0;
    for (size_t i = 0; i < selection->setting.count; i++)
        if (i != j) weight += weight_of(selection, i, j);
    for (uint32_t v = 0; v < column->codes.cells; v++) {
        const double size = fmax(m->shares[column->at + v], 0.125 / column->codes.cells);
        const double known = n2 / m->variances[column->at + v] + 1 / (size * size);
        sbl_slopes_add(&m->slopes[selection->pair_count + j], 1 / known, AGAIN_WEIGHT * weight, m->budget);
    }
}

/* The label's part for its pairs at least: what is missing is taken from all others. */
static void favour_label(market *m, const sbl_pairs_selection *selection)
{
    const size_t count = selection->setting.count, label = selection->setting.label;
    const double least = m->budget * selection->label_part;
    double have = 0, total = 0, sum = 0;
    if (label == SBL_PAIRS_NO_COLUMN) return;
    for (size_t i = 0; i < count; i++) {
        if (i == label) continue;
        have += m->precision[sbl_pairs_index(i < label ? i : label, i < label ? label : i, count)];
        total += raw_weight(selection, i, label, true);
    }
    if (have >= least) return;
    for (size_t i = 0; i < count; i++) {
        if (i == label) continue;
        const size_t p = sbl_pairs_index(i < label ? i : label, i < label ? label : i, count);
        const double wanted = least * raw_weight(selection, i, label, true) / total;
        const double given = fmax(m->precision[p], wanted);
        sum += given;
        m->precision[p] = -given; /* marks the label's */
    }
    double rest = 0;
    for (size_t i = 0; i < selection->pair_count + count; i++) rest += fmax(m->precision[i], 0);
    const double scale = sum < m->budget && rest > 0 ? (m->budget - sum) / rest : 0;
    const double own = rest > 0 && sum < m->budget ? 1 : m->budget / sum;
    for (size_t i = 0; i < selection->pair_count + count; i++)
        m->precision[i] = m->precision[i] < 0 ? -m->precision[i] * own : m->precision[i] * scale;
}

static int more_precision(const void *a, const void *b)
{
    const bid *x = a, *y = b;
    if (x->precision != y->precision) return x->precision > y->precision ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

/* Of the pairs' tables only the most precise. */
static void drop_most(market *m, const sbl_pairs_selection *selection)
{
    const size_t most = SBL_SELECTION_TABLES_PER_COLUMN * selection->setting.count;
    bid *bids = m->bids;
    if (selection->pair_count <= most) return;
    for (size_t p = 0; p < selection->pair_count; p++) bids[p] = (bid){m->precision[p], p};
    qsort(bids, selection->pair_count, sizeof *bids, more_precision);
    for (size_t i = most; i < selection->pair_count; i++) m->precision[bids[i].pair] = 0;
}

/* A table that is too small to matter gives way to the others. */
static void drop_small(double *precision, size_t count, double budget)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (precision[i] < LEAST_TABLE * budget) precision[i] = 0;
        sum += precision[i];
    }
    for (size_t i = 0; i < count; i++) precision[i] *= sum > 0 ? budget / sum : 0;
}

static sbl_status add_bought(sbl_pairs_selection *selection, const market *m, sbl_error *err)
{
    const uint32_t count = (uint32_t)selection->setting.count;
    const double share = selection->precise_share / m->budget;
    SBL_CHECK(add_maps(selection, false, err));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            const double precision = m->precision[sbl_pairs_index(i, j, count)];
            if (precision > 0)
                SBL_CHECK(sbl_pairs_plan_add_table(&selection->plan, i, j, share * precision, err));
        }
    for (uint32_t j = 0; j < count; j++) {
        const double precision = m->precision[selection->pair_count + j];
        if (precision > 0)
            SBL_CHECK(
                sbl_pairs_plan_add_table(&selection->plan, j, SBL_PAIRS_NO_MAP, share * precision, err));
    }
    return SBL_OK;
}

static sbl_status divide(market *m, sbl_pairs_selection *selection, sbl_error *err)
{
    const size_t count = selection->setting.count;
    SBL_CHECK(market_init(m, selection, err));
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) pair_slopes(m, selection, i, j);
    for (size_t j = 0; j < count; j++) column_slopes(m, selection, j);
    sbl_allocate(m->precision, m->slopes, selection->pair_count + count, m->budget, LEAST_TABLE);
    favour_label(m, selection);
    return SBL_OK;
}

/* Half the sum over the entries of a pair of what each is off by: its prior variance and the table's, joined. */
static double error_left(const market *m, const sbl_pairs_selection *selection, size_t i, size_t j)
{
    const sbl_known_column *a = &selection->columns[i], *b = &selection->columns[j];
    const size_t p = sbl_pairs_index(i, j, selection->setting.count);
    double sum = 0;
    for (uint32_t v = 0; v < a->codes.cells; v++)
        for (uint32_t w = 0; w < b->codes.cells; w++) {
            const double prior = selection->pairs[p].energy * m->shares[a->at + v] * m->shares[b->at + w];
            sum += sqrt(fmax(prior, 0) / (1 + fmax(prior, 0) * m->precision[p]));
        }
    return 0.5 * MEAN_ABS * sum;
}

sbl_status sbl_selection_expected(double *distance, sbl_pairs_selection *selection, double share,
                                  sbl_error *err)
{
    const size_t count = selection->setting.count;
    const double kept = selection->precise_share;
    market m = {0};
    *distance = 0;
    selection->precise_share = share;
    const sbl_status status = divide(&m, selection, err);
    selection->precise_share = kept;
    for (size_t i = 0; status == SBL_OK && i < count; i++)
        for (size_t j = i + 1; j < count; j++) *distance += error_left(&m, selection, i, j);
    *distance /= (double)selection->pair_count;
    sbl_pool_clear(&m.pool);
    return status;
}

sbl_status sbl_selection_plan_precise(sbl_pairs_selection *selection, sbl_error *err)
{
    const size_t items = selection->pair_count + selection->setting.count;
    market m = {0};
    sbl_status status;
    if (!selection->shape.forest) SBL_TRY(sbl_selection_refine_codes(selection, err));
    SBL_TRY(divide(&m, selection, err));
    drop_most(&m, selection);
    drop_small(m.precision, items, m.budget);
    SBL_TRY(add_bought(selection, &m, err));
done:
    sbl_pool_clear(&m.pool);
    return status;
}
