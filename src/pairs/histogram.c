/* [6] Plans the one-way tables, joins the two levels of a long one by inverse variance, and
 * projects on the simplex by Michelot's algorithm. */
#include "pairs/histogram.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define TWO_LEVELS_ABOVE 16
#define MOST_WEIGHED 256
#define UPPER_SHARE 0.5 /* of a column's precision, to the runs */

static sbl_status no_memory(sbl_error *err)
{
    return sbl_fail(err, SBL_EMEM, "out of memory for a histogram");
}

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
    for (uint32_t c = 0; c < column->ordered; c++)
        of[c] = (uint32_t)((uint64_t)c * runs / column->ordered);
    for (uint32_t c = column->ordered; c < column->cells; c++) of[c] = runs + c - column->ordered;
    return runs + column->cells - column->ordered;
}

static sbl_status add_column(sbl_pairs_plan *plan, const sbl_pairs_column *column, uint32_t number,
                             uint32_t *of, double precision, sbl_error *err)
{
    sbl_pairs_map map = {SBL_PAIRS_FINE, number, column->cells, of};
    uint32_t place;
    sbl_status status;
    for (uint32_t c = 0; c < column->cells; c++) of[c] = c;
    SBL_TRY(sbl_pairs_plan_add_map(plan, &place, &map, column->cells, err));
    const double upper = in_two_levels(column) ? UPPER_SHARE * precision : 0;
    SBL_TRY(sbl_pairs_plan_add_table(plan, place, SBL_PAIRS_NO_MAP, precision - upper, err));
    if (upper > 0) {
        map.level = SBL_PAIRS_COARSE;
        map.cells = fill_runs(of, column);
        SBL_TRY(sbl_pairs_plan_add_map(plan, &place, &map, column->cells, err));
        SBL_TRY(sbl_pairs_plan_add_table(plan, place, SBL_PAIRS_NO_MAP, upper, err));
    }
done:
    return status;
}

sbl_status sbl_pairs_plan_one_way(sbl_pairs_plan *plan, const sbl_pairs_setting *setting,
                                  double share, sbl_error *err)
{
    uint32_t *of = sbl_alloc_array(SBL_PAIRS_MOST_CELLS, sizeof *of);
    sbl_status status = of ? SBL_OK : no_memory(err);
    double total = 0;
    for (size_t j = 0; j < setting->count; j++) total += weight_of(&setting->columns[j]);
    for (size_t j = 0; status == SBL_OK && j < setting->count; j++) {
        const sbl_pairs_column *column = &setting->columns[j];
        status = add_column(plan, column, (uint32_t)j, of, share * weight_of(column) / total, err);
    }
    sbl_free(of);
    return status;
}

/* ---- what to make of it ---- */

/* Michelot's algorithm: with `active` the entries above 0, p = y - t v there, t from the sum; an
 * entry that falls below 0 leaves and never comes back. Ends at the exact projection. */
void sbl_pairs_project_simplex(double *p, const double *y, const double *v, size_t count,
                               double total)
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
static sbl_status join_levels(sbl_pairs_histogram *h, const sbl_pairs_map *runs,
                              const double *upper, double upper_noise, sbl_error *err)
{
    h->runs = runs->cells;
    h->run_of = sbl_alloc_array(h->cells, sizeof *h->run_of);
    h->sizes = sbl_alloc_array(h->runs, sizeof *h->sizes);
    h->kept = sbl_alloc_array(h->runs, sizeof *h->kept);
    double *shift = sbl_alloc_array(h->runs, sizeof *shift);
    if (!h->run_of || !h->sizes || !h->kept || !shift) {
        sbl_free(shift);
        return no_memory(err);
    }
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
    sbl_free(shift);
    return SBL_OK;
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
        return sbl_fail(err, SBL_EINPUT, "the first release has no table of column %zu",
                        (size_t)column + 1);
    histogram->variance = noise[fine] * noise[fine];
    histogram->counts = sbl_alloc_array(cells, sizeof *histogram->counts);
    if (!histogram->counts) return no_memory(err);
    memcpy(histogram->counts, values[fine], cells * sizeof *histogram->counts);
    if (upper < plan->table_count)
        status = join_levels(histogram, &plan->maps[plan->tables[upper].first], values[upper],
                             noise[upper], err);
    if (status != SBL_OK) sbl_pairs_histogram_clear(histogram);
    return status;
}

void sbl_pairs_histogram_clear(sbl_pairs_histogram *histogram)
{
    sbl_free(histogram->counts);
    sbl_free(histogram->run_of);
    sbl_free(histogram->sizes);
    sbl_free(histogram->kept);
    sbl_free(histogram->silent);
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
static void project_some(double *y, const uint8_t *left_out, size_t count, double total,
                         double *packed)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!left_out[i]) packed[kept++] = y[i];
    sbl_pairs_project_simplex(packed, packed, NULL, kept, total);
    kept = 0;
    for (size_t i = 0; i < count; i++) y[i] = left_out[i] ? 0 : packed[kept++];
}

/* Runs are contiguous, so the cells of one are projected where they lie. */
static void project_runs(double *shares, const sbl_pairs_histogram *h, const double *totals,
                         double *scratch)
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
    for (uint32_t c = 0; c < h->cells; c++) shares[c] /= rows;
    if (h->runs == 0) {
        sbl_pairs_project_simplex(shares, shares, NULL, h->cells, 1);
        return SBL_OK;
    }
    double *totals = sbl_alloc_array(h->runs, sizeof *totals);
    double *scratch = sbl_alloc_array(h->cells, sizeof *scratch);
    uint8_t *silent = sbl_alloc_array(h->runs, sizeof *silent);
    const bool good = totals && scratch && silent;
    if (good) {
        silent_runs(silent, h);
        for (uint32_t c = 0; c < h->cells; c++) totals[h->run_of[c]] += shares[c];
        project_some(totals, silent, h->runs, 1, scratch);
        project_runs(shares, h, totals, scratch);
    }
    sbl_free(totals);
    sbl_free(scratch);
    sbl_free(silent);
    return good ? SBL_OK : no_memory(err);
}

/* A cell's correction is common to its run: over a cells of a run of b the sum has variance
 * s^2 (a - a^2 (1 - rho) / b). */
static void run_variances(double *variances, const sbl_pairs_histogram *h, const sbl_pairs_map *map,
                          const uint8_t *left_out, uint32_t *within)
{
    for (uint32_t run = 0; run < h->runs; run++) {
        memset(within, 0, map->cells * sizeof *within);
        for (uint32_t c = 0; c < h->cells; c++)
            within[map->of[c]] += h->run_of[c] == run && !left_out[c];
        for (uint32_t m = 0; m < map->cells; m++)
            variances[m] += h->variance * (within[m] - (double)within[m] * within[m] *
                                                           (1 - h->kept[run]) / h->sizes[run]);
    }
}

/* left_out (cells): those of silent runs, where their cell of the map has others. */
static void leave_out(uint8_t *left_out, const sbl_pairs_histogram *h, const sbl_pairs_map *map,
                      uint8_t *silent, uint32_t *others)
{
    silent_runs(silent, h);
    memset(others, 0, map->cells * sizeof *others);
    for (uint32_t c = 0; c < h->cells; c++) others[map->of[c]] += !silent[h->run_of[c]];
    for (uint32_t c = 0; c < h->cells; c++)
        left_out[c] = silent[h->run_of[c]] && others[map->of[c]] > 0;
}

sbl_status sbl_pairs_histogram_sums(double *counts, double *variances, const sbl_pairs_histogram *h,
                                    const sbl_pairs_map *map, sbl_error *err)
{
    for (uint32_t m = 0; m < map->cells; m++) counts[m] = variances[m] = 0;
    if (h->runs == 0) {
        for (uint32_t c = 0; c < h->cells; c++) {
            counts[map->of[c]] += h->counts[c];
            variances[map->of[c]] += h->variance;
        }
        return SBL_OK;
    }
    uint32_t *within = sbl_alloc_array(map->cells, sizeof *within);
    uint8_t *left_out = sbl_alloc_array(h->cells, sizeof *left_out);
    uint8_t *silent = sbl_alloc_array(h->runs, sizeof *silent);
    const bool good = within && left_out && silent;
    if (good) {
        leave_out(left_out, h, map, silent, within);
        for (uint32_t c = 0; c < h->cells; c++)
            counts[map->of[c]] += left_out[c] ? 0 : h->counts[c];
        run_variances(variances, h, map, left_out, within);
    }
    sbl_free(within);
    sbl_free(left_out);
    sbl_free(silent);
    return good ? SBL_OK : no_memory(err);
}
