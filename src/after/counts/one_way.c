/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Plans the one-way tables, joins the two levels of a long one by inverse variance, and
 * projects on the simplex by Michelot's algorithm. */
#include "after/counts/one_way.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/missing.h"

#define TWO_LEVELS_ABOVE 16
#define MOST_WEIGHED 256
#define UPPER_SHARE 0.5 /* of a column's precision, to the runs */

/* ---- what to measure ---- */

static double weight_of(const sbl_pairs_column *column)
{
    return cbrt(pow(fmin(column->cells, MOST_WEIGHED), 2));
}

static bool in_two_levels(const sbl_pairs_column *column)
{
    return column->kind == SBL_PAIRS_NUMBER && column->ordered > TWO_LEVELS_ABOVE;
}

/* Runs of nearly equal length; a cell that stands apart is a run of its own. */
static uint32_t fill_runs(uint32_t *of, const sbl_pairs_column *column)
{
    const uint32_t runs = (uint32_t)lround(sqrt(column->ordered));
    for (uint32_t c = 0; c < column->ordered; c++) of[c] = (uint32_t)((uint64_t)c * runs / column->ordered);
    for (uint32_t c = column->ordered; c < column->cells; c++) of[c] = runs + c - column->ordered;
    return runs + column->cells - column->ordered;
}

static sbl_status add_column(sbl_pairs_plan *plan, const sbl_pairs_column *column, uint32_t number,
                             uint32_t *of, double precision, sbl_error *err)
{
    sbl_pairs_map map = {SBL_PAIRS_FINE, number, column->cells, of};
    uint32_t place;
    for (uint32_t c = 0; c < column->cells; c++) of[c] = c;
    SBL_CHECK(sbl_pairs_plan_add_map(plan, &place, &map, column->cells, err));
    const double upper = in_two_levels(column) ? UPPER_SHARE * precision : 0;
    SBL_CHECK(sbl_pairs_plan_add_table(plan, place, SBL_PAIRS_NO_MAP, precision - upper, err));
    if (upper > 0) {
        map.level = SBL_PAIRS_COARSE;
        map.cells = fill_runs(of, column);
        SBL_CHECK(sbl_pairs_plan_add_map(plan, &place, &map, column->cells, err));
        SBL_CHECK(sbl_pairs_plan_add_table(plan, place, SBL_PAIRS_NO_MAP, upper, err));
    }
    return SBL_OK;
}

sbl_status sbl_pairs_plan_one_way(sbl_pairs_plan *plan, const sbl_pairs_setting *setting, double share,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    double total = 0;
    uint32_t *of;
    SBL_ALLOC(of, SBL_PAIRS_MOST_CELLS, "a histogram");
    for (size_t j = 0; j < setting->count; j++) total += weight_of(&setting->columns[j]);
    for (size_t j = 0; j < setting->count; j++) {
        const sbl_pairs_column *column = &setting->columns[j];
        SBL_TRY(add_column(plan, column, (uint32_t)j, of, share * weight_of(column) / total, err));
    }
done:
    sbl_free(of);
    return status;
}

/* ---- what to make of it ---- */

/* Michelot's algorithm: with `active` the entries above 0, p = y - t v there, t from the sum; an
 * entry that falls below 0 leaves and never comes back. Ends at the exact projection. */
void sbl_pairs_project_simplex(double *p, const double *y, const double *v, size_t count, double total)
{
    double shift = -INFINITY;
    for (size_t left = count + 1, before = count + 2; left < before;) {
        double sum = -total, weight = 0;
        before = left;
        left = 0;
        for (size_t i = 0; i < count; i++) {
            const double w = v ? v[i] : 1;
            if (!(y[i] > shift * w)) continue;
            sum += y[i];
            weight += w;
            left++;
        }
        if (left > 0) shift = sum / weight;
    }
    for (size_t i = 0; i < count; i++) p[i] = fmax(y[i] - shift * (v ? v[i] : 1), 0);
}

static size_t find_table(const sbl_pairs_plan *plan, uint32_t column, sbl_pairs_level level)
{
    size_t t = 0;
    for (; t < plan->table_count; t++) {
        const sbl_pairs_table *table = &plan->tables[t];
        if (table->second == SBL_PAIRS_NO_MAP && plan->maps[table->first].column == column &&
            plan->maps[table->first].level == level)
            break;
    }
    return t;
}

/* The run's total is (1 - rho) upper + rho (sum of its cells), rho = s_u^2 / (s_u^2 + b s^2) for b
 * cells: the inverse variance mean; the cells share the difference evenly. */
static sbl_status join_levels(sbl_pairs_histogram *h, const sbl_pairs_map *runs, const double *upper,
                              double upper_noise, sbl_error *err)
{
    sbl_status status = SBL_OK;
    double *shift;
    h->runs = runs->cells;
    SBL_POOL(&h->pool, h->run_of, h->cells, 1, "a histogram");
    SBL_POOL(&h->pool, h->sizes, h->runs, 1, "a histogram");
    SBL_POOL(&h->pool, h->kept, h->runs, 1, "a histogram");
    SBL_POOL(&h->pool, shift, h->runs, 1, "a histogram");
    memcpy(h->run_of, runs->of, h->cells * sizeof *h->run_of);
    for (uint32_t c = 0; c < h->cells; c++) {
        h->sizes[h->run_of[c]]++;
        shift[h->run_of[c]] -= h->counts[c];
    }
    for (uint32_t a = 0; a < h->runs; a++) {
        const double own = h->sizes[a] * h->variance, other = upper_noise * upper_noise;
        h->kept[a] = other / (other + own);
        shift[a] = (1 - h->kept[a]) * (upper[a] + shift[a]) / h->sizes[a];
    }
    for (uint32_t c = 0; c < h->cells; c++) h->counts[c] += shift[h->run_of[c]];
done:
    return status;
}

sbl_status sbl_pairs_histogram_init(sbl_pairs_histogram *histogram, const sbl_pairs_plan *plan,
                                    uint32_t column, uint32_t cells, const double *const *values,
                                    const double *noise, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t fine = find_table(plan, column, SBL_PAIRS_FINE);
    const size_t upper = find_table(plan, column, SBL_PAIRS_COARSE);
    *histogram = (sbl_pairs_histogram){.cells = cells};
    if (fine == plan->table_count)
        SBL_FAIL(err, SBL_EINPUT, "the first release has no table of column %zu", (size_t)column + 1);
    histogram->variance = noise[fine] * noise[fine];
    SBL_POOL(&histogram->pool, histogram->counts, cells, 1, "a histogram");
    memcpy(histogram->counts, values[fine], cells * sizeof *histogram->counts);
    if (upper < plan->table_count)
        SBL_TRY(
            join_levels(histogram, &plan->maps[plan->tables[upper].first], values[upper], noise[upper], err));
done:
    if (status != SBL_OK) sbl_pairs_histogram_clear(histogram);
    return status;
}

void sbl_pairs_histogram_clear(sbl_pairs_histogram *histogram)
{
    sbl_pool_clear(&histogram->pool);
    *histogram = (sbl_pairs_histogram){0};
}

/* silent (runs): 1 where all cells of a run are. */
static void silent_runs(uint8_t *silent, const sbl_pairs_histogram *h)
{
    memset(silent, 1, h->runs);
    for (uint32_t c = 0; c < h->cells; c++)
        if (!sbl_pairs_histogram_silent(h, c)) silent[h->run_of[c]] = 0;
}

/* Project those of y that are kept; the others become 0. packed: scratch (count). */
static void project_some(double *y, const uint8_t *left_out, size_t count, double total, double *packed)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!left_out[i]) packed[kept++] = y[i];
    sbl_pairs_project_simplex(packed, packed, NULL, kept, total);
    kept = 0;
    for (size_t i = 0; i < count; i++) y[i] = left_out[i] ? 0 : packed[kept++];
}

/* Runs are contiguous, so the cells of one are projected where they lie. */
static void project_runs(double *shares, const sbl_pairs_histogram *h, const double *totals, double *scratch)
{
    for (uint32_t c = 0; c < h->cells;) {
        const uint32_t run = h->run_of[c], size = h->sizes[run];
        if (h->silent)
            project_some(shares + c, h->silent + c, size, totals[run], scratch);
        else
            sbl_pairs_project_simplex(shares + c, shares + c, NULL, size, totals[run]);
        c += size;
    }
}

sbl_status sbl_pairs_histogram_project(double *shares, const sbl_pairs_histogram *h, double rows,
                                       sbl_error *err)
{
    double *totals, *scratch;
    uint8_t *silent;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    for (uint32_t c = 0; c < h->cells; c++) shares[c] /= rows;
    if (h->runs == 0) {
        for (uint32_t c = 0; c < h->cells; c++)
            if (sbl_pairs_histogram_silent(h, c)) shares[c] = -INFINITY; /* stays out */
        sbl_pairs_project_simplex(shares, shares, NULL, h->cells, 1);
        return SBL_OK;
    }
    SBL_POOL(&pool, totals, h->runs, 1, "a histogram");
    SBL_POOL(&pool, scratch, h->cells, 1, "a histogram");
    SBL_POOL(&pool, silent, h->runs, 1, "a histogram");
    silent_runs(silent, h);
    for (uint32_t c = 0; c < h->cells; c++) totals[h->run_of[c]] += shares[c];
    project_some(totals, silent, h->runs, 1, scratch);
    project_runs(shares, h, totals, scratch);
done:
    sbl_pool_clear(&pool);
    return status;
}

/* A cell's correction is common to its run: over a cells of a run of b the sum has variance
 * s^2 (a - a^2 (1 - rho) / b). */
static void run_variances(double *variances, const sbl_pairs_histogram *h, const sbl_pairs_map *map,
                          const uint8_t *left_out, uint32_t *within)
{
    for (uint32_t run = 0; run < h->runs; run++) {
        memset(within, 0, map->cells * sizeof *within);
        for (uint32_t c = 0; c < h->cells; c++) within[map->of[c]] += h->run_of[c] == run && !left_out[c];
        for (uint32_t m = 0; m < map->cells; m++)
            variances[m] += h->variance *
                            (within[m] - (double)within[m] * within[m] * (1 - h->kept[run]) / h->sizes[run]);
    }
}

/* left_out (cells): those of silent runs, where their cell of the map has others. */
static void leave_out(uint8_t *left_out, const sbl_pairs_histogram *h, const sbl_pairs_map *map,
                      uint8_t *silent, uint32_t *others)
{
    silent_runs(silent, h);
    memset(others, 0, map->cells * sizeof *others);
    for (uint32_t c = 0; c < h->cells; c++) others[map->of[c]] += !silent[h->run_of[c]];
    for (uint32_t c = 0; c < h->cells; c++) left_out[c] = silent[h->run_of[c]] && others[map->of[c]] > 0;
}

sbl_status sbl_pairs_histogram_sums(double *counts, double *variances, const sbl_pairs_histogram *h,
                                    const sbl_pairs_map *map, sbl_error *err)
{
    uint32_t *within;
    uint8_t *left_out, *silent;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    for (uint32_t m = 0; m < map->cells; m++) counts[m] = variances[m] = 0;
    if (h->runs == 0) {
        for (uint32_t c = 0; c < h->cells; c++) {
            counts[map->of[c]] += h->counts[c];
            variances[map->of[c]] += h->variance;
        }
        return SBL_OK;
    }
    SBL_POOL(&pool, within, map->cells, 1, "a histogram");
    SBL_POOL(&pool, left_out, h->cells, 1, "a histogram");
    SBL_POOL(&pool, silent, h->runs, 1, "a histogram");
    leave_out(left_out, h, map, silent, within);
    for (uint32_t c = 0; c < h->cells; c++) counts[map->of[c]] += left_out[c] ? 0 : h->counts[c];
    run_variances(variances, h, map, left_out, within);
done:
    sbl_pool_clear(&pool);
    return status;
}

/* Which bins of a number cannot be told from noise.
 *
 * Bounds are public and often wide: a column of bytes may be declared up to 1.5e9 and end at 5e6. Noise
 * then puts some rows where there are no records, and these few rows dominate the mean or the variance.
 * Two levels of counts show this, since the sum of a run has less noise than its bins. With s the standard
 * deviation of a sum:
 *  - a bin is audible if its count is above 4 s, a run if it is above 3 s or has an audible bin (there are
 *    more bins than runs to be wrong about);
 *  - a run next to an audible one is audible above 1.5 s: a distribution's tail;
 *  - if some bins of a run are audible and the others sum to at most 2 s, those others are silenced, and
 *    the run's mass is in the audible ones.
 * If the bins to be silenced are so noisy that a tenth of the rows could be in them, nothing is silenced: at
 * a small budget one loud run would absorb the rest.
 *
 * Silent bins get no share; projection gives their noise to the others. The rule uses only the release and
 * its noise: post-processing. */

#define LOUD_CELL 4.0
#define LOUD_RUN 3.0
#define BESIDE 1.5
#define QUIET 2.0
#define HIDDEN 0.1 /* of the rows: deviation of the sum of silent cells, at most */

/* Standard deviation of the sum of `some` cells of a run: their correction is common
 * (one_way.c, run_variances). */
static double deviation(const sbl_pairs_histogram *h, uint32_t run, double some)
{
    return sqrt(h->variance * (some - some * some * (1 - h->kept[run]) / h->sizes[run]));
}

/* What a run's cells say: its total, and of those that are not heard their number and sum. */
typedef struct run_sum {
    double total, rest;
    uint32_t first, quiet;
} run_sum;

static void sum_runs(run_sum *sums, const sbl_pairs_histogram *h)
{
    for (uint32_t c = h->cells; c-- > 0;) {
        run_sum *sum = &sums[h->run_of[c]];
        const bool heard = h->counts[c] > LOUD_CELL * deviation(h, h->run_of[c], 1);
        sum->first = c;
        sum->total += h->counts[c];
        if (heard) continue;
        sum->rest += h->counts[c];
        sum->quiet++;
    }
}

static bool run_is_loud(const run_sum *sum, const sbl_pairs_histogram *h, uint32_t run)
{
    return sum->quiet < h->sizes[run] || sum->total > LOUD_RUN * deviation(h, run, h->sizes[run]);
}

/* Silence a heard run's quiet cells where they hold nothing together. */
static void quiet_cells(sbl_pairs_histogram *h, const run_sum *sum, uint32_t run)
{
    const uint32_t size = h->sizes[run];
    if (sum->quiet == 0 || sum->quiet == size || sum->rest > QUIET * deviation(h, run, sum->quiet)) return;
    for (uint32_t c = sum->first; c < sum->first + size; c++)
        h->silent[c] = !(h->counts[c] > LOUD_CELL * deviation(h, run, 1));
}

/* runs: those of the bins in order. Returns whether any is audible. */
static bool silence_runs(sbl_pairs_histogram *h, const run_sum *sums, uint32_t runs)
{
    bool any = false;
    for (uint32_t run = 0; run < runs; run++) {
        const run_sum *sum = &sums[run];
        const bool beside = (run > 0 && run_is_loud(&sums[run - 1], h, run - 1)) ||
                            (run + 1 < runs && run_is_loud(&sums[run + 1], h, run + 1));
        const bool loud = run_is_loud(sum, h, run);
        any = any || loud;
        if (loud)
            quiet_cells(h, sum, run);
        else if (!beside || !(sum->total > BESIDE * deviation(h, run, h->sizes[run])))
            memset(h->silent + sum->first, 1, h->sizes[run]);
    }
    return any;
}

/* Standard deviation of the sum of all silent cells. */
static double silent_deviation(const sbl_pairs_histogram *h)
{
    double variance = 0;
    for (uint32_t c = 0; c < h->cells;) {
        const uint32_t run = h->run_of[c], size = h->sizes[run];
        uint32_t some = 0;
        for (uint32_t i = 0; i < size; i++) some += h->silent[c + i];
        variance += pow(deviation(h, run, some), 2);
        c += size;
    }
    return sqrt(variance);
}

sbl_status sbl_pairs_histogram_denoise(sbl_pairs_histogram *h, uint32_t ordered, double rows, sbl_error *err)
{
    sbl_status status = SBL_OK;
    run_sum *sums = NULL;
    if (h->runs == 0 || ordered == 0) return SBL_OK;
    SBL_ALLOC(sums, h->runs, "a histogram");
    SBL_POOL(&h->pool, h->silent, h->cells, 1, "a histogram");
    sum_runs(sums, h);
    if (!silence_runs(h, sums, h->run_of[ordered - 1] + 1) || silent_deviation(h) > HIDDEN * rows)
        memset(h->silent, 0, h->cells);
done:
    sbl_free(sums);
    return status;
}

/* ---- missing values ---- */

sbl_status sbl_pairs_histogram_silence(sbl_pairs_histogram *h, uint32_t cell, bool silent, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (h->silent == NULL) SBL_POOL(&h->pool, h->silent, h->cells, 1, "a histogram");
    h->silent[cell] = silent;
done:
    return status;
}

sbl_status sbl_pairs_histogram_test_missing(sbl_pairs_histogram *h, const sbl_pairs_column *column,
                                            size_t tested, sbl_error *err)
{
    const uint32_t cell = sbl_pairs_missing(column);
    if (cell == SBL_PAIRS_NO_CELL) return SBL_OK;
    const double noise = h->runs == 0 ? sqrt(h->variance) : deviation(h, h->run_of[cell], 1);
    const bool silent = sbl_missing_is_noise(h->counts[cell], noise, false, tested);
    return sbl_pairs_histogram_silence(h, cell, silent, err);
}

size_t sbl_pairs_missing_count(const sbl_pairs_column *columns, size_t count)
{
    size_t with = 0;
    for (size_t j = 0; j < count; j++) with += columns[j].missing;
    return with;
}
