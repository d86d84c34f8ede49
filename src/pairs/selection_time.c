/* About how long a fit takes on this machine: a rehearsal on a made-up model of as many columns and
 * codes. Its sweeps are timed over few rows, and the state's rows and the sweeps of a run multiply
 * that. Processor time, which does not grow with what else the machine does. */
#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "pairs/codes.h"
#include "pairs/feedback.h"
#include "pairs/selection_parts.h"
#include "random/model_rng.h"

#define USUAL_CODES 24      /* of a number */
#define REHEARSED_CODES 64u /* of a column at most: beyond, time grows with them */
#define ROWS 2000           /* one shard has them */
#define FEW_SWEEPS 1
#define MORE_SWEEPS 5
#define TIMES 3
#define SWEEPS 31 /* of a run over the state: 25 of the fit; choices of pairs over fewer tables */
#define PASS_SWEEPS 3 /* of a further pass of drawn rows */
#define ALONE 0.1     /* of the sweeps, in one thread: the last of each run */
#define SECONDS_BESIDE 0.2

static double codes_of(const sbl_pairs_column *column)
{
    if (column->kind == SBL_PAIRS_NUMBER)
        return fmin(column->ordered, USUAL_CODES) + column->cells - column->ordered;
    return fmin(column->cells, SBL_PAIRS_MOST_CODES);
}

/* Other columns that each has a table with. */
static size_t tables_a_column(const sbl_pairs_setting *setting)
{
    const sbl_pairs_course course = sbl_pairs_shape_of(setting).course;
    const size_t others = setting->count - 1;
    if (course == SBL_PAIRS_ONE_WAY) return 0;
    if (course == SBL_PAIRS_LABEL) return others < 1 ? others : 1;
    if (course == SBL_PAIRS_ALL || others < SBL_SELECTION_TABLES_PER_COLUMN) return others;
    return SBL_SELECTION_TABLES_PER_COLUMN;
}

/* times: what the codes that are left out would take more. */
static sbl_status make_potts(sbl_potts *potts, double *times, const sbl_pairs_setting *setting,
                             sbl_error *err)
{
    const uint32_t count = (uint32_t)setting->count;
    const size_t reach = (tables_a_column(setting) + 1) / 2;
    uint32_t *sizes = sbl_alloc_array(count, 2 * sizeof *sizes);
    double all = 0, some = 0;
    sbl_status status = SBL_OK;
    if (!sizes) return sbl_fail(err, SBL_EMEM, "out of memory for a rehearsal");
    for (uint32_t j = 0; j < count; j++) {
        const double codes = codes_of(&setting->columns[j]);
        sizes[j] = (uint32_t)fmin(codes, REHEARSED_CODES);
        sizes[count + j] = 1;
        all += codes;
        some += sizes[j];
    }
    *times = all / some;
    SBL_TRY(sbl_potts_init(potts, sizes, sizes + count, count, err));
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t d = 1; d <= reach && d < count; d++) {
            const uint32_t other = (j + d) % count;
            if (2 * d == count && other < j) continue; /* half of a round is met twice */
            SBL_TRY(sbl_potts_add(potts, j < other ? j : other, j < other ? other : j, false, err));
        }
done:
    sbl_free(sizes);
    return status;
}

typedef struct rehearsal {
    sbl_potts potts;
    uint16_t *rows;
    float *shares, *targets;
} rehearsal;

static sbl_status fill(rehearsal *r, sbl_error *err)
{
    const size_t width = sbl_potts_row(&r->potts);
    sbl_model_rng rng;
    r->rows = sbl_alloc_array(ROWS, width * sizeof *r->rows);
    r->shares = sbl_alloc_array(r->potts.bias_count, sizeof *r->shares);
    r->targets = sbl_alloc_array(r->potts.theta_count + 1, sizeof *r->targets);
    if (!r->rows || !r->shares || !r->targets)
        return sbl_fail(err, SBL_EMEM, "out of memory for a rehearsal");
    sbl_model_rng_init(&rng, 1, SBL_RNG_PAIRS, 0);
    for (size_t j = 0; j < r->potts.count; j++) {
        const sbl_potts_column *column = &r->potts.columns[j];
        for (size_t v = 0; v < column->codes; v++)
            r->shares[column->bias_at + v] = 1 / (float)column->codes;
        for (size_t row = 0; row < ROWS; row++)
            r->rows[row * width + j] = (uint16_t)sbl_model_rng_below(&rng, column->codes);
    }
    for (size_t b = 0; b < r->potts.block_count; b++) {
        const sbl_potts_block *block = &r->potts.blocks[b];
        const size_t entries =
            (size_t)r->potts.columns[block->first].codes * r->potts.columns[block->second].codes;
        for (size_t i = 0; i < entries; i++) r->targets[block->at + i] = 1 / (float)entries;
    }
    return SBL_OK;
}

/* So many sweeps: the least of some, for the first warms up. */
static sbl_status time_sweeps(double *seconds, rehearsal *r, size_t sweeps, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *seconds = INFINITY;
    const sbl_feedback_goal goal = {r->shares, r->targets, NULL};
    const sbl_feedback_rule rule = {.sweeps = sweeps, .gain = 4, .step = 0.2f, .seed = 1};
    for (int time = 0; time < TIMES && status == SBL_OK; time++) {
        const double started = sbl_thread_seconds();
        status = sbl_feedback_run(&r->potts, r->rows, ROWS, &goal, &rule, err);
        *seconds = fmin(*seconds, sbl_thread_seconds() - started);
    }
    return status;
}

sbl_status sbl_pairs_selection_seconds(double *seconds, double *processor,
                                       const sbl_pairs_setting *setting, size_t threads,
                                       sbl_error *err)
{
    rehearsal r = {0};
    double times = 1, few = 0, more = 0;
    sbl_status status;
    *seconds = *processor = 0;
    SBL_TRY(make_potts(&r.potts, &times, setting, err));
    SBL_TRY(fill(&r, err));
    SBL_TRY(time_sweeps(&few, &r, FEW_SWEEPS, err));
    SBL_TRY(time_sweeps(&more, &r, MORE_SWEEPS, err));
    const double state = (double)sbl_selection_state_rows(setting);
    const double passes = fmax(setting->rows / state, 1) - 1;
    const double a_row = fmax(more - few, 0) / (ROWS * (MORE_SWEEPS - FEW_SWEEPS));
    const double swept = times * a_row * state * (SWEEPS + PASS_SWEEPS * passes);
    const double teams = fmin(fmax((double)threads, 1), SBL_FEEDBACK_SHARDS);
    *processor = SECONDS_BESIDE + swept;
    *seconds = SECONDS_BESIDE + swept * (ALONE + (1 - ALONE) / teams);
done:
    sbl_potts_clear(&r.potts);
    sbl_free(r.rows);
    sbl_free(r.shares);
    sbl_free(r.targets);
    return status;
}
