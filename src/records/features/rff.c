/* Frequencies go in groups of panels: first the panels of a group, each by one thread, give their
 * losses and the slopes of their phases; then the rows, each by one thread, take in the slopes of
 * the panels in order. So a row's gradient is added up in one order for any number of threads and
 * any size of the groups, which is chosen for the cache. */
#include "records/features/rff.h"
#include "after/losses/loss_common.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"
#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"
#include "records/features/onehot.h"

#define PANEL SBL_FOURIER_PANEL
#define GROUP_NUMBERS (1u << 18) /* slopes of a group, about */
#define CHUNK (2 * SBL_FOURIER_ROWS)

typedef struct rff_loss {
    sbl_loss common;
    const sbl_rff *rff;
    size_t panels, group; /* group: panels at a time */
    int threads;
    float *row_weight;   /* (C): share over rows */
    float *class_weight; /* (C): of a class and a frequency in the loss */
    float *target;       /* (panels, C, 2 PANEL) */
    float *joint_panels; /* (joint panels, d + T, PANEL): numbers and codes side by side */
    float *slopes;       /* (group, PANEL, padded) */
    float *sines;        /* (threads, PANEL, padded) */
    double *losses;      /* (panels) */
} rff_loss;

static sbl_status allocate(rff_loss *l, const sbl_generated *generated, sbl_error *err)
{
    const size_t classes = generated->facts->classes, slopes = SBL_FOURIER_SLOPES(generated->padded_rows);
    sbl_status status = SBL_OK;
    SBL_POOL(&l->common.pool, l->row_weight, classes, 1, "training");
    SBL_POOL(&l->common.pool, l->class_weight, classes, 1, "training");
    SBL_POOL(&l->common.pool, l->target, l->panels * 2 * PANEL, classes, "training");
    SBL_POOL(&l->common.pool, l->joint_panels, sbl_fourier_panel_count(l->rff->joint) * PANEL,
             l->rff->columns + l->rff->onehot, "training");
    SBL_POOL(&l->common.pool, l->slopes, l->group, slopes, "training");
    SBL_POOL(&l->common.pool, l->sines, (size_t)l->threads, slopes, "training");
    SBL_POOL(&l->common.pool, l->losses, l->panels, 1, "training");
done:
    return status;
}

static void set_constants(rff_loss *l, const sbl_target *target, const sbl_generated *generated)
{
    const size_t classes = generated->facts->classes, count = l->rff->frequencies;
    for (size_t c = 0; c < classes; c++) {
        const size_t rows = generated->starts[c + 1] - generated->starts[c];
        if (rows > 0) {
            l->row_weight[c] = (float)(generated->shares[c] / (double)rows);
            l->class_weight[c] = (float)(target->weight * generated->weights[c] / (double)count);
        }
        for (size_t f = 0; f < count; f++)
            memcpy(l->target + ((f / PANEL * classes + c) * PANEL + f % PANEL) * 2,
                   target->means + (c * count + f) * 2, 2 * sizeof(float));
    }
}

static void join_panels(rff_loss *l)
{
    const size_t numbers = l->rff->columns * PANEL, codes = l->rff->onehot * PANEL;
    for (size_t p = 0; p < sbl_fourier_panel_count(l->rff->joint); p++) {
        float *panel = l->joint_panels + p * (numbers + codes);
        memcpy(panel, l->rff->panels + p * numbers, numbers * sizeof *panel);
        memcpy(panel + numbers, l->rff->code_panels + p * codes, codes * sizeof *panel);
    }
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    const size_t slopes = SBL_FOURIER_SLOPES(generated->padded_rows);
    rff_loss *l = loss;
    l->rff = made;
    l->panels = sbl_fourier_panel_count(l->rff->frequencies);
    l->threads = sbl_thread_limit();
    l->group = GROUP_NUMBERS / slopes / (size_t)l->threads * (size_t)l->threads;
    if (l->group < 2 * (size_t)l->threads) l->group = 2 * (size_t)l->threads;
    if (l->group > l->panels) l->group = l->panels;
    SBL_CHECK(allocate(l, generated, err));
    set_constants(l, target, generated);
    join_panels(l);
    return SBL_OK;
}

/* A panel of frequencies and what it works on. Joint ones see all inputs, the others the numbers,
 * which come first. */
typedef struct panel_task {
    sbl_fourier_problem problem;
    const float *panel, *target;
    size_t lanes;
} panel_task;

static panel_task task_of(const rff_loss *l, const sbl_generated *generated, size_t p)
{
    const size_t first = p * PANEL, left = l->rff->frequencies - first;
    const size_t classes = generated->facts->classes;
    const bool joint = first < l->rff->joint;
    const size_t columns = l->rff->columns + (joint ? l->rff->onehot : 0);
    return (panel_task){.problem = {generated->padded_rows, columns, classes, generated->starts,
                                    l->row_weight, l->class_weight},
                        .panel = (joint ? l->joint_panels : l->rff->panels) + p * columns * PANEL,
                        .target = l->target + p * classes * 2 * PANEL,
                        .lanes = left < PANEL ? left : PANEL};
}

static void find_slopes(rff_loss *l, const sbl_generated *generated, size_t p, size_t place)
{
    const size_t size = SBL_FOURIER_SLOPES(generated->padded_rows);
    const panel_task task = task_of(l, generated, p);
    l->losses[p] = sbl_fourier_slopes(l->slopes + place * size, l->sines + (size_t)sbl_thread_index() * size,
                                      &task.problem, generated->inputs, task.panel, task.lanes, task.target);
}

/* Panels first .. last - 1 into the rows of one chunk. */
static void take_slopes(const rff_loss *l, sbl_generated *generated, size_t first, size_t last, size_t row)
{
    const size_t size = SBL_FOURIER_SLOPES(generated->padded_rows);
    const size_t end = row + CHUNK < generated->padded_rows ? row + CHUNK : generated->padded_rows;
    for (size_t p = first; p < last; p++) {
        const panel_task task = task_of(l, generated, p);
        sbl_fourier_gradient(generated->d_inputs, l->slopes + (p - first) * size, &task.problem, task.panel,
                             task.lanes, row, end);
    }
}

static double loss_step(void *loss, sbl_generated *generated)
{
    rff_loss *l = loss;
    double sum = 0;
    for (size_t first = 0; first < l->panels; first += l->group) {
        const size_t last = first + l->group < l->panels ? first + l->group : l->panels;
        SBL_OMP(omp parallel num_threads(l->threads))
        {
            SBL_OMP(omp for schedule(static, 1))
            for (size_t p = first; p < last; p++) find_slopes(l, generated, p, p - first);
            SBL_OMP(omp for schedule(static))
            for (size_t row = 0; row < generated->rows; row += CHUNK)
                take_slopes(l, generated, first, last, row);
        }
    }
    for (size_t p = 0; p < l->panels; p++) sum += l->losses[p];
    return sum;
}

/* [3] Draws the frequencies of tables from the public seed into the panels of base/compute/fourier.h,
 * and sums features 512 frequencies at a time, so that a slice's features stay in cache. */

static const double two_pi = 6.283185307179586476925;

static size_t place(size_t f, size_t column, size_t columns)
{
    return (f / PANEL * columns + column) * PANEL + f % PANEL;
}

/* Scales and deviations go round at different paces, so that all their pairs occur. */
static void draw_frequency(sbl_rff *rff, const sbl_rff_rule *rule, size_t f)
{
    sbl_model_rng rng;
    double scale = rule->scales[f % rule->scale_count] * sqrt((double)rff->columns / 6);
    sbl_model_rng_init(&rng, rule->seed, SBL_RNG_FREQUENCIES, f);
    for (size_t i = 0; i < rff->columns; i++)
        rff->panels[place(f, i, rff->columns)] = (float)(sbl_model_rng_normal(&rng) / (scale * two_pi));
    if (f >= rff->joint) return;
    double deviation = rule->code_deviations[f / rule->scale_count % rule->code_deviation_count] / two_pi;
    for (size_t j = 0; j < rff->onehot; j++)
        rff->code_panels[place(f, j, rff->onehot)] = (float)(sbl_model_rng_normal(&rng) * deviation);
}

sbl_status sbl_rff_init(sbl_rff *rff, const sbl_record_shape *shape, const sbl_rff_rule *rule, sbl_error *err)
{
    sbl_status status;
    *rff = (sbl_rff){.columns = shape->numeric,
                     .onehot = shape->onehot,
                     .codes = shape->categorical,
                     .frequencies = rule->frequencies};
    SBL_TRY(sbl_parameters_scales_check(rule->scales, rule->scale_count, "length scale", err));
    SBL_TRY(sbl_parameters_scales_check(rule->code_deviations, rule->code_deviation_count, "code deviation",
                                        err));
    if (rule->joint > rule->frequencies) SBL_FAIL(err, SBL_EARG, "more joint frequencies than frequencies");
    rff->joint = rule->joint == rule->frequencies ? rule->joint : rule->joint / PANEL * PANEL;
    if (shape->numeric == 0) rff->joint = rule->frequencies;
    if (shape->categorical == 0) rff->joint = 0;
    if (rff->columns + rff->onehot < 1 || rff->frequencies < 1 || rff->frequencies > (size_t)1 << 30)
        SBL_FAIL(err, SBL_EARG, "random Fourier features need columns and frequencies");
    SBL_POOL(&rff->pool, rff->panels, sbl_fourier_panel_count(rff->frequencies) * PANEL, rff->columns,
             "Fourier frequencies");
    SBL_POOL(&rff->pool, rff->code_panels, sbl_fourier_panel_count(rff->joint) * PANEL, rff->onehot,
             "Fourier frequencies");
    for (size_t f = 0; f < rff->frequencies; f++) draw_frequency(rff, rule, f);
done:
    if (status != SBL_OK) sbl_rff_clear(rff);
    return status;
}

void sbl_rff_clear(sbl_rff *rff)
{
    sbl_pool_clear(&rff->pool);
    *rff = (sbl_rff){0};
}

/* Panels from .. to - 1, all joint or none. */
static void run_panels(const sbl_rff *rff, float *features, size_t stride, const sbl_fourier_rows *rows,
                       size_t from, size_t to, bool joint)
{
    sbl_fourier_panels panels = {.numbers = rff->panels + from * rff->columns * PANEL,
                                 .onehot = joint ? rff->code_panels + from * rff->onehot * PANEL : NULL,
                                 .columns = rff->columns,
                                 .onehot_width = rff->onehot,
                                 .count = to - from};
    if (to > from) sbl_fourier_features(features, stride, rows, &panels);
}

void sbl_rff_tile(const sbl_rff *rff, float *features, size_t stride, const sbl_fourier_rows *rows,
                  size_t first, size_t count)
{
    size_t from = first / PANEL, to = from + sbl_fourier_panel_count(count);
    size_t joint = sbl_fourier_panel_count(rff->joint);
    size_t middle = joint < from ? from : joint < to ? joint : to;
    run_panels(rff, features, stride, rows, from, middle, true);
    run_panels(rff, features + 2 * PANEL * (middle - from), stride, rows, middle, to, false);
}

/* ---- the feature ---- */

#define NAME "rff"
#define TILE_FREQUENCIES 512 /* Fourier features of a slice at a time, whole panels */

json_t *sbl_rff_parameters(const sbl_rff_rule *rule, size_t features, double joint_share)
{
    return json_pack("{s:I, s:o, s:o, s:f, s:o}", "features", (json_int_t)features, "scales",
                     sbl_parameters_from_reals(rule->scales, rule->scale_count), "code_deviations",
                     sbl_parameters_from_reals(rule->code_deviations, rule->code_deviation_count),
                     "joint_share", joint_share, "seed", sbl_parameters_from_seed(rule->seed));
}

static sbl_status read_rule(sbl_rff_rule *rule, double *lists[2], const json_t *parameters, sbl_error *err)
{
    double share;
    SBL_CHECK(sbl_parameters_are(parameters, 5, NAME, err));
    SBL_CHECK(sbl_json_get_double(&share, parameters, "joint_share", NAME, err));
    SBL_CHECK(sbl_parameters_frequencies(&rule->frequencies, &rule->seed, parameters, NAME, err));
    if (!(share >= 0 && share <= 1)) return sbl_fail(err, SBL_EARG, "joint_share is not between 0 and 1");
    SBL_CHECK(sbl_parameters_reals(&lists[0], &rule->scale_count, parameters, "scales", SBL_MOST_SCALES, NAME,
                                   err));
    SBL_CHECK(sbl_parameters_reals(&lists[1], &rule->code_deviation_count, parameters, "code_deviations",
                                   SBL_MOST_SCALES, NAME, err));
    rule->joint = (size_t)(share * (double)rule->frequencies);
    rule->scales = lists[0];
    rule->code_deviations = lists[1];
    return SBL_OK;
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    sbl_rff_rule rule = {0};
    double *lists[2] = {NULL, NULL};
    sbl_status status = SBL_OK;
    sbl_rff *rff;
    SBL_ALLOC(rff, 1, "Fourier frequencies");
    if (facts->kind != SBL_DATA_TABLE) SBL_FAIL(err, SBL_EINPUT, "feature '%s' is one of tables", NAME);
    SBL_TRY(read_rule(&rule, lists, parameters, err));
    SBL_TRY(sbl_rff_init(rff, &facts->shape, &rule, err));
    rff->facts = facts;
    *made = rff;
    rff = NULL;
done:
    sbl_free(rff);
    sbl_free(lists[0]);
    sbl_free(lists[1]);
    return status;
}

static void free_made(void *made)
{
    sbl_rff_clear(made);
    sbl_free(made);
}

static void describe(const void *made, sbl_block *block, double *weight)
{
    sbl_fourier_describe(block, weight, "rff", ((const sbl_rff *)made)->frequencies);
}

/* Numbers (slice, d), features (slice, 2 TILE_FREQUENCIES), one-hot places (slice, K). */
static size_t workspace_bytes(const void *made)
{
    const sbl_rff *rff = made;
    return sbl_slice_rows(rff->facts) *
           ((rff->columns + 2 * TILE_FREQUENCIES) * sizeof(float) + rff->codes * sizeof(uint32_t));
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_rff *rff = made;
    const sbl_facts *facts = rff->facts;
    const size_t slice = sbl_slice_rows(facts);
    float *numbers = workspace, *features = numbers + slice * rff->columns;
    uint32_t *entries = (uint32_t *)(features + slice * 2 * TILE_FREQUENCIES);
    const sbl_fourier_rows rows = {numbers, rff->columns, entries, rff->codes, records->rows};
    for (size_t i = 0; i < records->rows * rff->columns; i++) numbers[i] = (float)records->numeric[i];
    sbl_onehot_entries(entries, &facts->shape, records->codes, facts->heads.categorical_count,
                       facts->code_columns, records->rows);
    for (size_t first = 0; first < rff->frequencies; first += TILE_FREQUENCIES) {
        const size_t left = rff->frequencies - first;
        const size_t count = left < TILE_FREQUENCIES ? left : TILE_FREQUENCIES;
        sbl_rff_tile(rff, features, 2 * TILE_FREQUENCIES, &rows, first, count);
        const sbl_status status =
            sbl_sum_add_f32(sum, block, 2 * first, 2 * count, features, 2 * TILE_FREQUENCIES, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

const sbl_feature sbl_feature_rff = {
    .name = NAME,
    .make = make,
    .free = free_made,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
    .loss_size = sizeof(rff_loss),
    .loss_init = loss_init,
    .loss_step = loss_step,
};
