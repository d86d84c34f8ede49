/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are drawn from a finished model: copies of a state that is held to its own tables, and rows of the
 * parameters alone. */
#include <string.h>

#include "after/pairs/feedback_run.h"
#include "base/compute/threads.h"

#define PART 256 /* rows of sweeps without feedback that one thread takes */
#define HOLD 4   /* k of a sweep that holds rows to tables they have already */

/* ---- copies of a state ---- */

struct sbl_feedback_held {
    sbl_feedback_state state; /* without fields; leaves of the state's rows */
};

/* What the state has of everything, as shares: the targets. */
typedef struct own_tables {
    float *shares, *targets, *leaf_targets;
    sbl_pool pool; /* of all these */
} own_tables;

static sbl_status share_tables(own_tables *own, const sbl_feedback_state *r, sbl_error *err)
{
    const sbl_potts *potts = r->layout.potts;
    const float unit = 1 / (float)r->rows;
    sbl_status status = SBL_OK;
    SBL_POOL(&own->pool, own->shares, potts->bias_count, 1, "drawing rows");
    SBL_POOL(&own->pool, own->targets, potts->theta_count, 1, "drawing rows");
    SBL_POOL(&own->pool, own->leaf_targets, potts->trees.entry_count, 1, "drawing rows");
    for (size_t i = 0; i < potts->bias_count; i++) own->shares[i] = (float)r->ones[i] * unit;
    for (size_t i = 0; i < potts->theta_count; i++) own->targets[i] = (float)r->counts[i] * unit;
    for (size_t i = 0; i < potts->trees.entry_count; i++)
        own->leaf_targets[i] = (float)r->leaf_counts[i] * unit;
done:
    return status;
}

sbl_status sbl_feedback_hold(sbl_feedback_held **held, const sbl_potts *potts, const uint16_t *rows,
                             size_t row_count, sbl_error *err)
{
    own_tables own = {0};
    sbl_feedback_held *h = NULL;
    sbl_status status = SBL_OK;
    *held = NULL;
    SBL_ALLOC(h, 1, "drawing rows");
    sbl_feedback_state *r = &h->state;
    SBL_TRY(sbl_feedback_state_init(r, potts, row_count, err));
    SBL_TRY(sbl_feedback_trees_init(r, row_count, err));
    r->shards = sbl_feedback_last_shards(sbl_feedback_shards(row_count, r->layout.table_size));
    if (r->leaves != NULL) sbl_potts_find_leaves(potts, r->leaves, rows, row_count);
    SBL_TRY(sbl_feedback_count(r, rows, err));
    SBL_TRY(share_tables(&own, r, err));
    sbl_feedback_sum_groups(r, own.shares);
    const sbl_feedback_goal goal = {
        .shares = own.shares, .targets = own.targets, .leaf_targets = own.leaf_targets};
    sbl_feedback_prepare(r, &goal, HOLD);
    *held = h;
    h = NULL;
done:
    sbl_pool_clear(&own.pool);
    sbl_feedback_held_free(h);
    return status;
}

void sbl_feedback_held_free(sbl_feedback_held *held)
{
    if (held == NULL) return;
    sbl_pool_clear(&held->state.pool);
    sbl_free(held);
}

sbl_status sbl_feedback_redraw(const sbl_feedback_held *held, uint16_t *rows, const sbl_feedback_rule *rule,
                               sbl_error *err)
{
    sbl_feedback_state r = held->state; /* borrows all but what follows */
    const size_t trees = r.layout.potts->trees.tree_count;
    const sbl_feedback_logits logits = {r.dense, r.bias, r.phi};
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_feedback_fields_init(&r, &pool, r.shards, err));
    if (trees > 0) {
        SBL_POOL(&pool, r.leaves, r.rows, trees, "drawing rows");
        memcpy(r.leaves, held->state.leaves, r.rows * trees * sizeof *r.leaves);
    }
    for (size_t sweep = 0; sweep < rule->sweeps; sweep++) sbl_feedback_sweep(&r, rows, rule, sweep, &logits);
done:
    sbl_pool_clear(&pool);
    return status;
}

/* ---- rows of the parameters ---- */

static void sweep_parts(sbl_feedback_state *r, uint16_t *rows, size_t row_count, uint64_t first,
                        const sbl_feedback_rule *rule, size_t thread, size_t threads)
{
    const size_t width = sbl_potts_row(r->layout.potts);
    for (size_t begin = thread * PART; begin < row_count; begin += threads * PART) {
        const size_t end = begin + PART < row_count ? begin + PART : row_count;
        sbl_gibbs_field *field = &r->fields[thread];
        if (r->leaves != NULL) {
            field->leaves = r->leaves + thread * PART * r->layout.potts->trees.tree_count;
            sbl_trees_find(&r->layout.potts->trees, field->leaves, rows + begin * width, end - begin, width);
        }
        for (size_t sweep = 0; sweep < rule->sweeps; sweep++) {
            const sbl_gibbs_pass pass = {rule->seed, rule->first_sweep + sweep, first + begin, rule->fixed};
            sbl_gibbs_sweep(&r->layout, field, rows + begin * width, end - begin, &pass);
        }
    }
}

sbl_status sbl_feedback_none(const sbl_potts *potts, uint16_t *rows, size_t row_count, uint64_t first,
                             const sbl_feedback_rule *rule, sbl_error *err)
{
    sbl_feedback_state r;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_feedback_state_init(&r, potts, SHARDS * ROWS_A_SHARD, err));
    SBL_TRY(sbl_feedback_trees_init(&r, SHARDS * PART, err));
    SBL_TRY(sbl_feedback_fields_init(&r, &r.pool, sbl_feedback_shards(r.rows, r.layout.table_size), err));
    const sbl_feedback_logits logits = {potts->theta, potts->bias, potts->phi};
    SBL_OMP(omp parallel for schedule(static, 1))
    for (size_t s = 0; s < r.shards; s++) {
        sbl_feedback_fill(&r, s, &logits);
        sweep_parts(&r, rows, row_count, first, rule, s, r.shards);
    }
done:
    sbl_pool_clear(&r.pool);
    return status;
}
