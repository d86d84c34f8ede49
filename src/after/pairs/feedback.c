/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The controller of feedback.h: before each sweep the logits and gains of every block are
 * computed from the counts, the shards are swept in parallel, and theta takes its step from the
 * merged counts. */
#include "after/pairs/feedback_run.h"

#include <math.h>
#include <string.h>

#include "base/compute/threads.h"

#define FEW_SHARDS 4    /* of small states */
#define ROWS_OF_FEW 512 /* in each of these, at least; with fewer there is one shard */
#define MENDS 4         /* the last sweep has fewer shards by this factor */
#define LEAST_ROWS 6.0f /* of each of more than a few shards: the least of an entry that a gain is for */
#define RISE 0.3        /* part of the sweeps over which the gain rises */
#define FINISH 0.25     /* part at the end with twice the gain and a quarter of the step */
#define BIAS_GAIN 2.5f  /* columns are held tighter than pairs */
#define MOST_STEP 1.0f
#define MOST_THETA 12.0f
#define APART 32 /* numbers between what two shards write: no line of a cache is both's */

size_t sbl_feedback_shards(size_t rows, size_t tables)
{
    size_t shards = FEW_SHARDS;
    if (rows < FEW_SHARDS * ROWS_OF_FEW) return 1;
    while (shards < SHARDS && rows / (2 * shards) >= ROWS_A_SHARD &&
           tables <= SBL_FEEDBACK_MOST_TABLES / (2 * shards))
        shards *= 2;
    return shards;
}

size_t sbl_feedback_last_shards(size_t shards) { return shards < MENDS ? 1 : shards / MENDS; }

static size_t most_cells(const sbl_trees *trees)
{
    size_t most = 1;
    for (size_t g = 0; g < trees->target_count; g++)
        if (trees->targets[g].cells > most) most = trees->targets[g].cells;
    return (most + APART - 1) / APART * APART;
}

sbl_status sbl_feedback_trees_init(sbl_feedback_state *r, size_t rows, sbl_error *err)
{
    const sbl_trees *trees = &r->layout.potts->trees;
    sbl_status status = SBL_OK;
    if (trees->tree_count == 0) return SBL_OK;
    SBL_POOL(&r->pool, r->leaves, rows, trees->tree_count, "the rows of a fit");
    SBL_POOL(&r->pool, r->leaf_counts, trees->entry_count, 1, "the rows of a fit");
    SBL_POOL(&r->pool, r->phi, trees->entry_count, 1, "the rows of a fit");
    SBL_POOL(&r->pool, r->phi_gain, trees->entry_count, 1, "the rows of a fit");
    r->most_cells = most_cells(trees);
    SBL_POOL(&r->pool, r->cell_shares, (size_t)sbl_thread_limit(), r->most_cells, "the rows of a fit");
done:
    return status;
}

sbl_status sbl_feedback_fields_init(sbl_feedback_state *r, sbl_pool *pool, size_t shards, sbl_error *err)
{
    const size_t entries = r->layout.potts->trees.entry_count;
    sbl_status status = SBL_OK;
    r->shards = r->most_shards = shards;
    for (size_t s = 0; s < shards; s++) {
        sbl_gibbs_field *field = &r->fields[s];
        SBL_POOL(pool, field->bias, r->layout.bias_size + APART, 1, "the rows of a fit");
        SBL_POOL(pool, field->tables, r->layout.table_size + APART, 1, "the rows of a fit");
        SBL_POOL(pool, field->scratch, sbl_gibbs_scratch(&r->layout) + APART, 1, "the rows of a fit");
        SBL_POOL(pool, field->rows, r->layout.most_links + APART, 1, "the rows of a fit");
        if (r->layout.trees.words == 0) continue;
        SBL_POOL(pool, field->phi, entries, 1, "the rows of a fit");
        SBL_TRY(sbl_gibbs_row_init(&field->row, pool, &r->layout.trees, err));
    }
done:
    return status;
}

sbl_status sbl_feedback_state_init(sbl_feedback_state *r, const sbl_potts *potts, size_t rows, sbl_error *err)
{
    size_t groups = 0;
    sbl_status status = SBL_OK;
    *r = (sbl_feedback_state){.rows = rows};
    SBL_TRY(sbl_gibbs_layout_init(&r->layout, &r->pool, potts, err));
    for (size_t j = 0; j < potts->count; j++) groups += potts->columns[j].groups;
    SBL_POOL(&r->pool, r->gains, potts->theta_count, 1, "the rows of a fit");
    SBL_POOL(&r->pool, r->dense, potts->theta_count, 1, "the rows of a fit");
    SBL_POOL(&r->pool, r->counts, potts->theta_count, 1, "the rows of a fit");
    SBL_POOL(&r->pool, r->ones, potts->bias_count, 1, "the rows of a fit");
    SBL_POOL(&r->pool, r->bias, potts->bias_count, 1, "the rows of a fit");
    SBL_POOL(&r->pool, r->bias_gain, r->layout.bias_size, 1, "the rows of a fit");
    SBL_POOL(&r->pool, r->group_shares, groups, 1, "the rows of a fit");
    SBL_POOL(&r->pool, r->groups_at, potts->count, 1, "the rows of a fit");
done:
    return status;
}

void sbl_feedback_sum_groups(sbl_feedback_state *r, const float *shares)
{
    const sbl_potts *potts = r->layout.potts;
    size_t at = 0;
    for (size_t j = 0; j < potts->count; j++) {
        const sbl_potts_column *column = &potts->columns[j];
        r->groups_at[j] = at;
        for (uint32_t v = 0; v < column->codes; v++)
            r->group_shares[at + column->group_of[v]] += shares[column->bias_at + v];
        at += column->groups;
    }
}

typedef struct gains {
    float k, alpha;
} gains;

static gains gains_at(const sbl_feedback_rule *rule, size_t sweep)
{
    const double done = (double)sweep / (double)rule->sweeps;
    const bool finish = done >= 1 - FINISH;
    const float rise = (float)fmin(1, 0.25 + 0.75 * done / RISE);
    return (gains){rule->gain * rise * (finish ? 2.0f : 1.0f), rule->step * (finish       ? 0.25f
                                                                             : done < 0.5 ? 1.0f
                                                                                          : 0.5f)};
}

/* One block before a sweep and after it: the logits and gains to sweep with, or the step that theta
 * takes. */
typedef struct block_view {
    const float *p, *q; /* shares of the rows' and the columns' codes */
    size_t rows, columns, at;
    float ridge;
} block_view;

static block_view view_block(const sbl_feedback_state *r, const sbl_feedback_goal *goal, size_t b)
{
    const sbl_potts *potts = r->layout.potts;
    const sbl_potts_block *block = &potts->blocks[b];
    block_view v = {.at = block->at, .ridge = goal->ridges ? goal->ridges[b] : 0};
    v.rows = sbl_potts_size(potts, block->first, block->grouped);
    v.columns = sbl_potts_size(potts, block->second, block->grouped);
    v.p = block->grouped ? r->group_shares + r->groups_at[block->first]
                         : goal->shares + potts->columns[block->first].bias_at;
    v.q = block->grouped ? r->group_shares + r->groups_at[block->second]
                         : goal->shares + potts->columns[block->second].bias_at;
    return v;
}

/* What the logits of a row of a block follow from, beside its arrays. */
typedef struct row_rule {
    float p;      /* share of the row's code */
    float ridge;  /* lambda */
    float k;      /* of the controller */
    float unit;   /* 1 / n */
    float shards; /* S */
    float least;  /* part of f */
} row_rule;

SBL_CLONES
static void prepare_row(float *restrict logits, float *restrict gain, const float *restrict theta,
                        const float *restrict target, const uint32_t *restrict counts,
                        const float *restrict q, size_t columns, const row_rule *rule)
{
    const float p = rule->p, ridge = rule->ridge, k = rule->k, unit = rule->unit;
    const float shards = rule->shards;
    for (size_t j = 0; j < columns; j++) {
        const float share = (float)counts[j] * unit;
        const float f = 0.5f * (share + p * q[j]) + rule->least + ridge;
        logits[j] = theta[j] + k / f * (target[j] - share - ridge * theta[j]);
        gain[j] = shards * k * unit / f;
    }
}

SBL_CLONES
static void step_row(float *restrict theta, const float *restrict gain, const float *restrict target,
                     const uint32_t *restrict counts, size_t columns, float ridge, float rate, float unit)
{
    for (size_t j = 0; j < columns; j++) {
        const float share = (float)counts[j] * unit;
        float step = rate * gain[j] * (target[j] - share - ridge * theta[j]);
        step = step > MOST_STEP ? MOST_STEP : step < -MOST_STEP ? -MOST_STEP : step;
        step += theta[j];
        step = step > MOST_THETA ? MOST_THETA : step < -MOST_THETA ? -MOST_THETA : step;
        theta[j] = theta[j] > SBL_POTTS_NEVER ? step : theta[j];
    }
}

/* A shard's gain is S times that of one shard. Where f is small, one row would move the logit of an entry so far that the
 * shard could not find its way back: of more than a few shards, f is some rows of each at least. */
static float least_of(const sbl_feedback_state *r)
{
    const float rows = r->most_shards > FEW_SHARDS ? LEAST_ROWS * (float)r->shards : 1;
    return rows / (float)r->rows;
}

static void prepare_blocks(sbl_feedback_state *r, const sbl_feedback_goal *goal, float k)
{
    const sbl_potts *potts = r->layout.potts;
    const float unit = 1 / (float)r->rows, least = least_of(r);
    SBL_OMP(omp parallel for schedule(dynamic))
    for (size_t b = 0; b < potts->block_count; b++) {
        const block_view v = view_block(r, goal, b);
        for (size_t i = 0; i < v.rows; i++) {
            const size_t at = v.at + i * v.columns;
            const row_rule rule = {v.p[i], v.ridge, k, unit, (float)r->shards, least};
            prepare_row(r->dense + at, r->gains + at, potts->theta + at, goal->targets + at, r->counts + at,
                        v.q, v.columns, &rule);
        }
    }
}

static void prepare_biases(sbl_feedback_state *r, const sbl_feedback_goal *goal, float k)
{
    const sbl_potts *potts = r->layout.potts;
    const float unit = 1 / (float)r->rows;
    for (size_t j = 0; j < potts->count; j++)
        for (uint32_t v = 0; v < potts->columns[j].codes; v++) {
            const size_t i = potts->columns[j].bias_at + v;
            const float gain = BIAS_GAIN * k / (goal->shares[i] + unit);
            r->bias[i] = potts->bias[i] + gain * (goal->shares[i] - (float)r->ones[i] * unit);
            r->bias_gain[r->layout.bias_at[j] + v] = (float)r->shards * gain * unit;
        }
}

/* shares (cells): of the cells of a tree's target. */
static void share_cells(float *shares, const sbl_feedback_state *r, const sbl_feedback_goal *goal,
                        const sbl_tree_target *target)
{
    const sbl_potts_column *column = &r->layout.potts->columns[target->column];
    const uint16_t *of = r->layout.potts->trees.target_of + target->of_at;
    memset(shares, 0, target->cells * sizeof *shares);
    for (uint32_t v = 0; v < column->codes; v++) shares[of[v]] += goal->shares[column->bias_at + v];
}

static void prepare_tree(const sbl_feedback_state *r, const sbl_feedback_goal *goal, float k, size_t t)
{
    const sbl_potts *potts = r->layout.potts;
    const sbl_tree *tree = &potts->trees.trees[t];
    const sbl_tree_target *target = &potts->trees.targets[tree->target];
    const float unit = 1 / (float)r->rows;
    float *shares = r->cell_shares + (size_t)sbl_thread_index() * r->most_cells;
    share_cells(shares, r, goal, target);
    for (size_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        const size_t at = tree->at + leaf * target->cells;
        uint64_t rows = 0;
        for (size_t c = 0; c < target->cells; c++) rows += r->leaf_counts[at + c];
        const row_rule rule = {(float)rows * unit,
                               goal->leaf_ridges ? goal->leaf_ridges[t] : 0,
                               k,
                               unit,
                               (float)r->shards,
                               unit};
        prepare_row(r->phi + at, r->phi_gain + at, potts->phi + at, goal->leaf_targets + at,
                    r->leaf_counts + at, shares, target->cells, &rule);
    }
}

static void prepare_trees(const sbl_feedback_state *r, const sbl_feedback_goal *goal, float k)
{
    const size_t trees = r->layout.potts->trees.tree_count;
    SBL_OMP(omp parallel for schedule(static) if (trees > 1))
    for (size_t t = 0; t < trees; t++) prepare_tree(r, goal, k, t);
}

static void step_trees(const sbl_feedback_state *r, sbl_potts *potts, const sbl_feedback_goal *goal,
                       float rate)
{
    const size_t trees = potts->trees.tree_count;
    const float unit = 1 / (float)r->rows;
    SBL_OMP(omp parallel for schedule(static) if (trees > 1))
    for (size_t t = 0; t < trees; t++) {
        const size_t at = potts->trees.trees[t].at;
        step_row(potts->phi + at, r->phi_gain + at, goal->leaf_targets + at, r->leaf_counts + at,
                 sbl_tree_entries(&potts->trees, t), goal->leaf_ridges ? goal->leaf_ridges[t] : 0, rate,
                 unit);
    }
}

/* After a sweep; gains are still those it ran with: n gain / S = k / f. */
static void take_steps(sbl_feedback_state *r, sbl_potts *potts, const sbl_feedback_goal *goal, float alpha)
{
    const float unit = 1 / (float)r->rows, rate = alpha * (float)r->rows / (float)r->shards;
    SBL_OMP(omp parallel for schedule(dynamic, 8))
    for (size_t b = 0; b < potts->block_count; b++) {
        const block_view v = view_block(r, goal, b);
        step_row(potts->theta + v.at, r->gains + v.at, goal->targets + v.at, r->counts + v.at,
                 v.rows * v.columns, v.ridge, rate, unit);
    }
    for (size_t j = 0; j < potts->count; j++) {
        const size_t at = potts->columns[j].bias_at;
        step_row(potts->bias + at, r->bias_gain + r->layout.bias_at[j], goal->shares + at, r->ones + at,
                 potts->columns[j].codes, 0, rate, unit);
    }
    step_trees(r, potts, goal, rate);
}

void sbl_feedback_fill(const sbl_feedback_state *r, size_t s, const sbl_feedback_logits *logits)
{
    const sbl_potts *potts = r->layout.potts;
    for (size_t b = 0; b < potts->block_count; b++)
        sbl_gibbs_set_block(&r->layout, r->fields[s].tables, b, logits->theta + potts->blocks[b].at);
    sbl_gibbs_set_bias(&r->layout, r->fields[s].bias, logits->bias);
    if (r->leaves != NULL)
        memcpy(r->fields[s].phi, logits->phi, potts->trees.entry_count * sizeof *logits->phi);
}

void sbl_feedback_sweep(sbl_feedback_state *r, uint16_t *rows, const sbl_feedback_rule *rule, size_t sweep,
                        const sbl_feedback_logits *logits)
{
    const size_t width = sbl_potts_row(r->layout.potts);
    SBL_OMP(omp parallel for schedule(static, 1))
    for (size_t s = 0; s < r->shards; s++) {
        const size_t begin = r->rows * s / r->shards, end = r->rows * (s + 1) / r->shards;
        const sbl_gibbs_pass pass = {rule->seed, rule->first_sweep + sweep, begin, rule->fixed};
        sbl_feedback_fill(r, s, logits);
        r->fields[s].gains = r->gains;
        r->fields[s].bias_gain = r->bias_gain;
        r->fields[s].phi_gain = r->phi_gain;
        if (r->leaves != NULL) r->fields[s].leaves = r->leaves + begin * r->layout.potts->trees.tree_count;
        sbl_gibbs_sweep(&r->layout, &r->fields[s], rows + begin * width, end - begin, &pass);
    }
}

sbl_status sbl_feedback_count(sbl_feedback_state *r, const uint16_t *rows, sbl_error *err)
{
    const sbl_potts *potts = r->layout.potts;
    SBL_CHECK(sbl_potts_count(potts, r->counts, r->ones, rows, r->rows, err));
    if (r->leaves != NULL) sbl_potts_count_leaves(potts, r->leaf_counts, r->leaves, rows, r->rows);
    return SBL_OK;
}

void sbl_feedback_prepare(sbl_feedback_state *r, const sbl_feedback_goal *goal, float k)
{
    prepare_blocks(r, goal, k);
    prepare_biases(r, goal, k);
    prepare_trees(r, goal, k);
}

sbl_status sbl_feedback_run(sbl_potts *potts, uint16_t *rows, size_t row_count, const sbl_feedback_goal *goal,
                            const sbl_feedback_rule *rule, sbl_error *err)
{
    sbl_feedback_state r;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_feedback_state_init(&r, potts, row_count, err));
    SBL_TRY(sbl_feedback_trees_init(&r, row_count, err));
    SBL_TRY(sbl_feedback_fields_init(&r, &r.pool, sbl_feedback_shards(row_count, r.layout.table_size), err));
    sbl_feedback_sum_groups(&r, goal->shares);
    if (r.leaves != NULL) sbl_potts_find_leaves(potts, r.leaves, rows, row_count);
    SBL_TRY(sbl_feedback_count(&r, rows, err));
    const sbl_feedback_logits logits = {r.dense, r.bias, r.phi};
    for (size_t sweep = 0; sweep < rule->sweeps; sweep++) {
        const gains g = gains_at(rule, sweep);
        const bool last = sweep + 1 == rule->sweeps;
        r.shards = last ? sbl_feedback_last_shards(r.most_shards) : r.most_shards;
        sbl_feedback_prepare(&r, goal, g.k);
        sbl_feedback_sweep(&r, rows, rule, sweep, &logits);
        if (!last || g.alpha > 0) SBL_TRY(sbl_feedback_count(&r, rows, err));
        if (g.alpha > 0) take_steps(&r, potts, goal, g.alpha);
        if (!sbl_progress_goes_on(rule->progress, sweep + 1, rule->sweeps))
            SBL_FAIL(err, SBL_ESTOPPED, "stopped while fitting");
    }
done:
    sbl_pool_clear(&r.pool);
    return status;
}
