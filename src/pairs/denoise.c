/* Which cells of a number hold nothing that can be told from noise.
 *
 * Bounds are public and often wide: a column of bytes may be declared up to 1.5e9 and end at 5e6.
 * Noise then puts some rows where no record is, and a mean or a variance follows those few. In two
 * levels this can be seen: the runs know of themselves whether they hold anything. With s the
 * standard deviation of a sum,
 *  - a cell is heard when its count is above 4 s, a run when it is above 3 s or a cell of it is
 *    heard (there are more cells than runs to be wrong about);
 *  - so is a run beside one that is heard, when it is above 1.5 s: a distribution's tail;
 *  - the cells of a run where some are heard and the others' sum is not above 2 s: those others fall
 *    silent, what the run holds is in the first.
 * Where all that would fall silent is so noisy that a tenth of the rows could hide in it, nothing is
 * known well enough and nothing is denoise: at a small budget one loud run would swallow the rest.
 *
 * Silent cells get no share, and what noise gave them goes to the others in projection. The rule
 * knows the release and its noise only: post-processing. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pairs/histogram.h"

#define LOUD_CELL 4.0
#define LOUD_RUN 3.0
#define BESIDE 1.5
#define QUIET 2.0
#define HIDDEN 0.1 /* of the rows: deviation of the sum of silent cells, at most */

/* Standard deviation of the sum of `some` cells of a run: their correction is common
 * (histogram.c, run_variances). */
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
    if (sum->quiet == 0 || sum->quiet == size || sum->rest > QUIET * deviation(h, run, sum->quiet))
        return;
    for (uint32_t c = sum->first; c < sum->first + size; c++)
        h->silent[c] = !(h->counts[c] > LOUD_CELL * deviation(h, run, 1));
}

/* runs: those of the cells in order. Returns whether any is heard. */
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

sbl_status sbl_pairs_histogram_denoise(sbl_pairs_histogram *h, uint32_t ordered, double rows,
                                       sbl_error *err)
{
    if (h->runs == 0 || ordered == 0) return SBL_OK;
    run_sum *sums = sbl_alloc_array(h->runs, sizeof *sums);
    sbl_free(h->silent);
    h->silent = sbl_alloc_array(h->cells, sizeof *h->silent);
    if (!sums || !h->silent) {
        sbl_free(sums);
        return sbl_fail(err, SBL_EMEM, "out of memory for a histogram");
    }
    sum_runs(sums, h);
    if (!silence_runs(h, sums, h->run_of[ordered - 1] + 1) || silent_deviation(h) > HIDDEN * rows)
        memset(h->silent, 0, h->cells);
    sbl_free(sums);
    return SBL_OK;
}
