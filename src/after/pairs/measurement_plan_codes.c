/* SPDX-License-Identifier: Apache-2.0 */
/* From one-way tables to codes, groups and shares. */
#include <math.h>
#include <string.h>

#include "after/counts/bin_codes.h"
#include "after/pairs/pairs_internal.h"
#include "base/alloc.h"
#include "public/schema/missing.h"

#define MERGE_BELOW 0.7 /* noises of a precise table: a code should hold more */
#define LEAST_GROUPS 3

double sbl_selection_merge_threshold(const sbl_pairs_setting *s, const sbl_pairs_shape *shape)
{
    const bool sketch = shape->course == SBL_PAIRS_SKETCH;
    const double tables = (double)s->count * (sketch ? 2 : 1);
    const double share = sketch ? shape->share[2] : shape->share[1];
    return MERGE_BELOW * sbl_pairs_unit_noise(s) * sqrt(tables / share) / s->rows;
}

double sbl_selection_groups(const sbl_pairs_shape *shape)
{
    /* The resolution was computed at a share of .2. */
    const double wanted = shape->resolution * pow(shape->share[1] / 0.2, 0.25);
    return fmin(fmax(wanted, LEAST_GROUPS), SBL_SELECTION_MOST_GROUPS);
}

static void identity(sbl_pairs_map *map, uint32_t cells)
{
    map->level = SBL_PAIRS_CODES;
    map->cells = cells;
    for (uint32_t c = 0; c < cells; c++) map->of[c] = c;
}

/* group_of from the two maps of the public cells; one group where there is no sketch. */
static sbl_status index_column(sbl_known_column *column, uint32_t cells, sbl_pool *pool, sbl_error *err)
{
    const uint32_t codes = column->codes.cells;
    sbl_status status = SBL_OK;
    if (column->groups.cells == 0) {
        column->groups.level = SBL_PAIRS_GROUPS;
        column->groups.cells = 1;
        memset(column->groups.of, 0, cells * sizeof *column->groups.of);
    }
    SBL_POOL(pool, column->group_of, codes, 1, "the codes of a selection");
    SBL_POOL(pool, column->counts, codes, 1, "the codes of a selection");
    SBL_POOL(pool, column->variances, codes, 1, "the codes of a selection");
    for (uint32_t c = 0; c < cells; c++)
        column->group_of[column->codes.of[c]] = (uint16_t)column->groups.of[c];
    SBL_TRY(
        sbl_pairs_histogram_sums(column->counts, column->variances, &column->histogram, &column->codes, err));
done:
    return status;
}

sbl_status sbl_selection_index_codes(sbl_pairs_selection *selection, sbl_error *err)
{
    selection->code_count = 0;
    for (size_t j = 0; j < selection->setting.count; j++) {
        sbl_known_column *column = &selection->columns[j];
        if (column->codes.cells == 0)
            return sbl_fail(err, SBL_EINPUT, "the plan of a release lacks the codes of column %zu", j + 1);
        SBL_CHECK(index_column(column, selection->facts[j].cells, &selection->pool, err));
        column->at = selection->code_count;
        selection->code_count += column->codes.cells;
    }
    return SBL_OK;
}

static sbl_status make_groups(sbl_pairs_selection *selection, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_selection_margins margins;
    sbl_pool pool = {0};
    const uint32_t most = (uint32_t)sbl_selection_groups(&selection->shape);
    SBL_TRY(sbl_selection_margins_init(&margins, &pool, selection, err));
    for (size_t j = 0; j < selection->setting.count; j++) {
        sbl_known_column *column = &selection->columns[j];
        SBL_TRY(sbl_pairs_merge_groups(&column->groups, &column->codes, &selection->facts[j],
                                       margins.shares + column->at, most, err));
    }
    SBL_TRY(sbl_selection_index_codes(selection, err));
done:
    sbl_pool_clear(&pool);
    return status;
}

sbl_status sbl_selection_make_codes(sbl_pairs_selection *selection, sbl_error *err)
{
    for (size_t j = 0; j < selection->setting.count; j++) {
        sbl_known_column *column = &selection->columns[j];
        if (selection->shape.course == SBL_PAIRS_ONE_WAY)
            identity(&column->codes, selection->facts[j].cells);
        else
            SBL_CHECK(sbl_pairs_merge_column(
                &column->codes, &selection->facts[j], column->fine,
                sbl_selection_merge_threshold(&selection->setting, &selection->shape), err));
    }
    SBL_CHECK(sbl_selection_index_codes(selection, err));
    if (selection->shape.course == SBL_PAIRS_SKETCH) SBL_CHECK(make_groups(selection, err));
    return SBL_OK;
}

/* ---- shares from all releases ---- */

void sbl_selection_group_shares(const sbl_known_column *column, double *out, const double *shares)
{
    for (uint32_t g = 0; g < column->groups.cells; g++) out[g] = 0;
    for (uint32_t v = 0; v < column->codes.cells; v++) out[column->group_of[v]] += shares[v];
}

/* Weighted sums over what each release says of a code: sums += y / v, weights += 1 / v. */
static void add_table_margin(double *sums, double *weights, const sbl_known_pair *pair, size_t rows,
                             size_t columns, bool of_rows)
{
    const size_t across = of_rows ? columns : rows;
    const double weight = 1 / (pair->variance * (double)across);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) sums[of_rows ? i : j] += weight * pair->table[i * columns + j];
    for (size_t v = 0; v < (of_rows ? rows : columns); v++) weights[v] += weight;
}

/* The sketch's sums over the groups of column i, from all its pairs. Returns the weight 1 / v. */
static double sketch_margins(const sbl_pairs_selection *selection, size_t i, double *sums)
{
    double weight = 0;
    const size_t groups = selection->columns[i].groups.cells;
    memset(sums, 0, groups * sizeof *sums);
    for (size_t j = 0; j < selection->setting.count; j++) {
        if (j == i) continue;
        const bool rows = i < j;
        const size_t p = sbl_pairs_index(rows ? i : j, rows ? j : i, selection->setting.count);
        const double *sketch = selection->pairs[p].sketch;
        const size_t across = selection->columns[j].groups.cells;
        if (!sketch) continue;
        const double each = 1 / ((double)across * selection->sketch_noise2);
        for (size_t g = 0; g < groups; g++)
            for (size_t h = 0; h < across; h++)
                sums[g] += each * sketch[rows ? g * across + h : h * groups + g];
        weight += each;
    }
    return weight;
}

/* A group's total moves to the inverse variance mean; its codes follow in proportion to their
 * variances. scratch: 4 doubles a group. */
static void add_sketch(const sbl_pairs_selection *selection, size_t i, double *y, const double *v,
                       double *scratch)
{
    const sbl_known_column *column = &selection->columns[i];
    const size_t groups = column->groups.cells;
    double *told = scratch, *sums = told + groups, *variances = sums + groups;
    const double weight = sketch_margins(selection, i, told);
    if (!(weight > 0)) return;
    sbl_selection_group_shares(column, sums, y);
    sbl_selection_group_shares(column, variances, v);
    for (uint32_t c = 0; c < column->codes.cells; c++) {
        const size_t g = column->group_of[c];
        const double mean = (sums[g] / variances[g] + told[g]) / (1 / variances[g] + weight);
        y[c] += (mean - sums[g]) / variances[g] * v[c];
    }
}

static void combine_column(const sbl_pairs_selection *selection, size_t i, double *y, double *v,
                           double *scratch)
{
    const sbl_known_column *column = &selection->columns[i];
    const size_t codes = column->codes.cells, count = selection->setting.count;
    for (size_t c = 0; c < codes; c++) {
        y[c] = column->counts[c] / column->variances[c];
        v[c] = 1 / column->variances[c];
        if (column->again) {
            y[c] += column->again[c] / column->again_variance;
            v[c] += 1 / column->again_variance;
        }
    }
    for (size_t j = 0; j < count; j++) {
        if (j == i) continue;
        const bool rows = i < j;
        const sbl_known_pair *pair = &selection->pairs[sbl_pairs_index(rows ? i : j, rows ? j : i, count)];
        const size_t across = selection->columns[j].codes.cells;
        if (pair->table) add_table_margin(y, v, pair, rows ? codes : across, rows ? across : codes, rows);
    }
    for (size_t c = 0; c < codes; c++) {
        v[c] = 1 / v[c];
        y[c] *= v[c];
    }
    add_sketch(selection, i, y, v, scratch);
}

static void project_codes(double *counts, const double *variances, size_t codes, double rows)
{
    sbl_pairs_project_simplex(counts, counts, variances, codes, rows);
    for (size_t c = 0; c < codes; c++) counts[c] /= rows;
}

/* Codes of the given counts, projected as public cells; number: scratch, one per code. */
static sbl_status project_cells(sbl_pairs_selection *selection, size_t j, double *counts, double *number,
                                sbl_error *err)
{
    sbl_known_column *column = &selection->columns[j];
    const uint32_t cells = selection->facts[j].cells, *of = column->codes.of;
    memset(number, 0, column->codes.cells * sizeof *number);
    for (uint32_t c = 0; c < cells; c++)
        number[of[c]] += sbl_pairs_histogram_silent(&column->histogram, c) ? 0 : 1;
    for (uint32_t c = 0; c < cells; c++) /* of a code that is silent throughout nothing is kept */
        column->fine[c] =
            column->histogram.counts[c] + (counts[of[c]] - column->counts[of[c]]) / fmax(number[of[c]], 1);
    const sbl_status status =
        sbl_pairs_histogram_project(column->fine, &column->histogram, selection->setting.rows, err);
    memset(counts, 0, column->codes.cells * sizeof *counts);
    for (uint32_t c = 0; c < cells; c++) counts[of[c]] += column->fine[c];
    return status;
}

/* Is the cell the only one of its code? */
static bool is_alone(const sbl_known_column *column, uint32_t cells, uint32_t cell)
{
    for (uint32_t c = 0; c < cells; c++)
        if (c != cell && column->codes.of[c] == column->codes.of[cell]) return false;
    return true;
}

/* Missing values are asked about again with what all releases say of their code, where they have one to
 * themselves. Among other rare categories the first release decides. */
static sbl_status test_missing(sbl_pairs_selection *selection, size_t j, const double *counts,
                               const double *variances, size_t tested, sbl_error *err)
{
    sbl_known_column *column = &selection->columns[j];
    const uint32_t cell = sbl_pairs_missing(&selection->facts[j]);
    if (selection->settled) return SBL_OK;
    column->never = SBL_PAIRS_NO_CELL;
    if (cell == SBL_PAIRS_NO_CELL || !is_alone(column, selection->facts[j].cells, cell)) return SBL_OK;
    const uint32_t code = column->codes.of[cell];
    const bool noise = sbl_missing_is_noise(counts[code], sqrt(variances[code]), false, tested);
    if (noise) column->never = code;
    return sbl_pairs_histogram_silence(&column->histogram, cell, noise, err);
}

sbl_status sbl_selection_shares(sbl_pairs_selection *selection, double *shares, double *variances,
                                sbl_error *err)
{
    const size_t tested = sbl_pairs_missing_count(selection->facts, selection->setting.count);
    sbl_status status = SBL_OK;
    double *scratch;
    SBL_ALLOC(scratch, 4 * SBL_PAIRS_MOST_CELLS, "the codes of a selection");
    for (size_t j = 0; j < selection->setting.count; j++) {
        const sbl_known_column *column = &selection->columns[j];
        double *p = shares + column->at, *v = variances + column->at;
        combine_column(selection, j, p, v, scratch);
        SBL_TRY(test_missing(selection, j, p, v, tested, err));
        double *cells = scratch + SBL_PAIRS_MOST_CELLS;
        const size_t bytes = column->codes.cells * sizeof *p;
        memcpy(cells, p, bytes);
        SBL_TRY(project_cells(selection, j, cells, scratch, err));
        if (column->never != SBL_PAIRS_NO_CELL) p[column->never] = -INFINITY; /* stays out */
        if (selection->shape.course == SBL_PAIRS_SKETCH)
            project_codes(p, v, column->codes.cells, selection->setting.rows);
        else
            memcpy(p, cells, bytes);
    }
done:
    sbl_free(scratch);
    return status;
}

sbl_status sbl_selection_margins_init(sbl_selection_margins *margins, sbl_pool *pool,
                                      sbl_pairs_selection *selection, sbl_error *err)
{
    const size_t count = selection->setting.count;
    sbl_status status = SBL_OK;
    *margins = (sbl_selection_margins){0};
    SBL_POOL(pool, margins->groups_at, count, 1, "the codes of a selection");
    for (size_t j = 0; j < count; j++) {
        margins->groups_at[j] = margins->groups;
        margins->groups += selection->columns[j].groups.cells;
    }
    SBL_POOL(pool, margins->shares, selection->code_count, 1, "the codes of a selection");
    SBL_POOL(pool, margins->variances, selection->code_count, 1, "the codes of a selection");
    SBL_POOL(pool, margins->group_shares, margins->groups, 1, "the codes of a selection");
    SBL_TRY(sbl_selection_shares(selection, margins->shares, margins->variances, err));
    for (size_t j = 0; j < count; j++)
        sbl_selection_group_shares(&selection->columns[j], margins->group_shares + margins->groups_at[j],
                                   margins->shares + selection->columns[j].at);
done:
    return status;
}

void sbl_selection_start(float *shares, float *bias, const sbl_selection_margins *margins,
                         const sbl_pairs_selection *selection)
{
    for (size_t i = 0; i < selection->code_count; i++) {
        shares[i] = (float)margins->shares[i];
        bias[i] = (float)log(margins->shares[i] + 0.2 / (double)selection->state_rows);
    }
    for (size_t j = 0; j < selection->setting.count; j++) {
        const sbl_known_column *column = &selection->columns[j];
        if (column->never != SBL_PAIRS_NO_CELL) bias[column->at + column->never] = SBL_POTTS_NEVER;
    }
}

/* Codes that follow the pair that needs them.
 *
 * A number's codes have about equal mass, so that a small group at its end (infants among all ages) shares one code with
 * those beside it, and within a code a cell does not know the other columns. The sketch shows where this
 * hides something: records that some other column sets apart (those of one of its groups) and that
 * lie, most of them, in one group of this number. Where among its cells they lie only a finer table
 * can say. Such a group is cut into more codes, as many as leave each of them some noises of a precise
 * table. Codes stay within groups. From releases alone: post-processing. */

#define MOST_OF 0.5      /* a group's records: these lie in one group of the number */
#define SURE 2.0         /* noises of the sketch by which they do */
#define CODE_NOISES 16.0 /* of a precise table: what a code of a cut group holds of them */

typedef struct refining {
    sbl_pairs_selection *selection;
    sbl_selection_margins margins;
    double *pieces; /* (groups of all): codes that a group should have */
} refining;

/* Records of a group of column j that lie, most of them, in group g of column i: the most that any
 * group of j has, or 0. */
static double confined_by(const refining *r, size_t i, uint32_t g, size_t j)
{
    const sbl_pairs_selection *selection = r->selection;
    const double n = selection->setting.rows, noise = sqrt(selection->sketch_noise2);
    const size_t p = sbl_pairs_index(i < j ? i : j, i < j ? j : i, selection->setting.count);
    const double *sketch = selection->pairs[p].sketch;
    const size_t own = selection->columns[i].groups.cells, across = selection->columns[j].groups.cells;
    double most = 0;
    for (size_t h = 0; sketch && h < across; h++) {
        const double both = sketch[i < j ? g * across + h : h * own + g];
        const double whole = n * r->margins.group_shares[r->margins.groups_at[j] + h];
        if (both - SURE * noise >= MOST_OF * whole) most = fmax(most, fmin(both, whole));
    }
    return fmin(most, n * r->margins.group_shares[r->margins.groups_at[i] + g]);
}

/* How many codes each group of a number should have. Where that is more than a column may have, all
 * its groups get fewer. */
static void count_pieces(const refining *r, size_t i)
{
    const sbl_pairs_selection *selection = r->selection;
    const double noise = sbl_pairs_unit_noise(&selection->setting) *
                         sqrt(2 * (double)selection->setting.count / selection->shape.share[2]);
    const uint32_t groups = selection->columns[i].groups.cells;
    double *pieces = r->pieces + r->margins.groups_at[i], sum = 0;
    for (uint32_t g = 0; g < groups; g++) {
        double most = 0;
        for (size_t j = 0; j < selection->setting.count; j++)
            if (j != i) most = fmax(most, confined_by(r, i, g, j));
        pieces[g] = most / (CODE_NOISES * noise);
        sum += pieces[g];
    }
    const double scale =
        fmin(1, (SBL_PAIRS_MOST_NUMBER_CODES - selection->columns[i].codes.cells) / fmax(sum, 1));
    for (uint32_t g = 0; g < groups; g++) pieces[g] = floor(fmax(scale, 0) * pieces[g]);
}

/* A group's cells from `begin` to `end` in codes of about equal mass, the first of which is `code`.
 * Returns the code after the last. */
static uint32_t cut_evenly(uint32_t *of, const double *fine, uint32_t begin, uint32_t end, double pieces,
                           uint32_t code)
{
    double mass = 0, held = 0;
    for (uint32_t c = begin; c < end; c++) mass += fine[c];
    for (uint32_t c = begin; c < end; c++) {
        if (held > 0 && held + 0.5 * fine[c] >= mass / pieces) {
            code++;
            held = 0;
        }
        of[c] = code;
        held += fine[c];
    }
    return code + 1;
}

/* The same with the codes that it has. */
static uint32_t keep_codes(uint32_t *of, uint32_t begin, uint32_t end, uint32_t code)
{
    for (uint32_t c = begin, before = of[begin]; c < end; c++) {
        if (of[c] != before) code++;
        before = of[c];
        of[c] = code;
    }
    return code + 1;
}

static void refine_column(const refining *r, size_t i)
{
    const sbl_pairs_column *facts = &r->selection->facts[i];
    sbl_known_column *column = &r->selection->columns[i];
    uint32_t *of = column->codes.of, code = 0, end;
    count_pieces(r, i);
    for (uint32_t c = 0; c < facts->ordered; c = end) {
        const uint32_t g = column->groups.of[c];
        double have = 1;
        for (end = c + 1; end < facts->ordered && column->groups.of[end] == g; end++)
            have += of[end] != of[end - 1];
        const double pieces = r->pieces[r->margins.groups_at[i] + g];
        code =
            pieces > have ? cut_evenly(of, column->fine, c, end, pieces, code) : keep_codes(of, c, end, code);
    }
    for (uint32_t c = facts->ordered; c < facts->cells; c++) of[c] = code++;
    column->codes.cells = code;
}

sbl_status sbl_selection_refine_codes(sbl_pairs_selection *selection, sbl_error *err)
{
    refining r = {.selection = selection};
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_selection_margins_init(&r.margins, &pool, selection, err));
    SBL_POOL(&pool, r.pieces, r.margins.groups, 1, "the codes of a selection");
    for (size_t i = 0; i < selection->setting.count; i++)
        if (selection->facts[i].kind == SBL_PAIRS_NUMBER) refine_column(&r, i);
    SBL_TRY(sbl_selection_index_codes(selection, err));
done:
    sbl_pool_clear(&pool);
    return status;
}
