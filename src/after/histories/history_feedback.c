/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Logits, gains and steps from counts (history_feedback.h has the formulas), sweep by sweep. */
#include "after/histories/history_feedback.h"

#include <math.h>
#include <string.h>

#include "base/random/model_rng.h"

#define GAIN 4.0
#define RISE 0.3      /* part of the sweeps over which the gain rises */
#define FINISH 0.25   /* part at the end with twice the gain and a quarter of the step */
#define BIAS_GAIN 1.5 /* columns are held tighter than tables */
#define MOST_STEP 1.0
#define MOST_THETA 12.0
#define LEAST_SHARE 1e-4
#define PADDING (-1e30f)
#define WHAT "drawing histories"

typedef struct run {
    const sbl_walk *walk;
    const sbl_history_goal *goal;
    double *ones, *counts; /* shares of the rows */
    double total[SBL_HISTORY_SORTS];
    float *logits, *bias_logits, *gains, *bias_gains;
    sbl_pool pool;
} run;

static sbl_status run_init(run *r, sbl_error *err)
{
    const sbl_walk *walk = r->walk;
    sbl_status status = SBL_OK;
    SBL_POOL(&r->pool, r->ones, walk->bias_size, 1, WHAT);
    SBL_POOL(&r->pool, r->bias_logits, walk->bias_size, 1, WHAT);
    SBL_POOL(&r->pool, r->bias_gains, walk->bias_size, 1, WHAT);
    SBL_POOL(&r->pool, r->counts, walk->table_size, 1, WHAT);
    SBL_POOL(&r->pool, r->logits, walk->table_size, 1, WHAT);
    SBL_POOL(&r->pool, r->gains, walk->table_size, 1, WHAT);
done:
    return status;
}

typedef struct strength {
    double k, alpha;
} strength;

static strength strength_at(const sbl_history_rule *rule, size_t sweep)
{
    const double done = (double)sweep / (double)rule->sweeps;
    const bool finish = rule->sweeps > 4 && done >= 1.0 - FINISH;
    const double rise = rule->sweeps > 4 ? fmin(1.0, 0.25 + 0.75 * done / RISE) : 1.0;
    return (strength){GAIN * rise * (finish ? 2.0 : 1.0), (double)rule->step * (finish       ? 0.25
                                                                                : done < 0.5 ? 1.0
                                                                                             : 0.5)};
}

/* What a row of weight 1 adds to a share. */
static double unit_of(const run *r, bool looks_back)
{
    return 1.0 / fmax(r->total[looks_back ? SBL_OF_STEPS : SBL_OF_EVENTS], 1e-9);
}

static double clip(double value, double most) { return fmin(fmax(value, -most), most); }

/* Before a sweep (stepping false): logits and gains of one table. After it: theta's step. */
static void set_edge(const run *r, const sbl_walk_column *column, size_t edge, float *theta, strength s,
                     bool stepping)
{
    const sbl_walk_edge *e = &r->walk->edges[edge];
    const double w = unit_of(r, e->looks_back);
    const double ridge = r->goal->ridges != NULL ? (double)r->goal->ridges[edge] : 0.0;
    for (uint32_t row = 0; row < e->codes; row++)
        for (uint32_t code = 0; code < column->codes; code++) {
            const size_t i = e->at + (size_t)row * column->lanes + code;
            const double floor_of = 0.5 * (r->counts[i] + (double)r->goal->even[i]) + w + ridge;
            const double pull =
                s.k / floor_of * ((double)r->goal->targets[i] - r->counts[i] - ridge * (double)theta[i]);
            if (stepping) {
                theta[i] = (float)clip((double)theta[i] + clip(s.alpha * pull, MOST_STEP), MOST_THETA);
            } else {
                r->logits[i] = (float)((double)theta[i] + pull);
                r->gains[i] = (float)(s.k * w / floor_of);
            }
        }
}

static void set_bias(const run *r, const sbl_walk_column *column, float *bias, strength s, bool stepping)
{
    const double w = unit_of(r, column->looks_back);
    for (uint32_t code = 0; code < column->codes; code++) {
        const size_t i = column->bias_at + code;
        const double target = (double)r->goal->shares[i];
        const double gain = BIAS_GAIN * s.k / (target + w);
        const double pull = gain * (target - r->ones[i]);
        if (stepping) {
            bias[i] += (float)clip(s.alpha * pull, MOST_STEP);
        } else {
            r->bias_logits[i] = (float)((double)bias[i] + pull);
            r->bias_gains[i] = (float)(gain * w);
        }
    }
}

static void set_all(const run *r, float *bias, float *theta, strength s, bool stepping)
{
    const sbl_walk *walk = r->walk;
    for (size_t c = 0; c < walk->column_count; c++) {
        const sbl_walk_column *column = &walk->columns[c];
        set_bias(r, column, bias, s, stepping);
        for (size_t e = 0; e < column->edge_count; e++)
            set_edge(r, column, column->first_edge + e, theta, s, stepping);
    }
}

void sbl_history_start_bias(const sbl_walk *walk, float *bias, const float *shares, const uint8_t *never)
{
    for (size_t i = 0; i < walk->bias_size; i++) bias[i] = PADDING;
    for (size_t c = 0; c < walk->column_count; c++)
        for (uint32_t code = 0; code < walk->columns[c].codes; code++) {
            const size_t i = walk->columns[c].bias_at + code;
            if (!never[i]) bias[i] = (float)sbl_exact_log((double)shares[i] + LEAST_SHARE);
        }
}

sbl_status sbl_history_feedback(const sbl_walk *walk, const sbl_walk_rows *rows, const sbl_walk_gaps *gaps,
                                float *bias, float *theta, const sbl_history_goal *goal,
                                const sbl_history_rule *rule, sbl_error *err)
{
    run r = {.walk = walk, .goal = goal};
    const sbl_walk_field plain = {.bias = bias, .tables = theta};
    sbl_status status = SBL_OK;
    SBL_TRY(run_init(&r, err));
    memcpy(r.bias_logits, bias, walk->bias_size * sizeof *bias);
    SBL_TRY(sbl_walk_draw(walk, &plain, rows, gaps, rule->seed, rule->first_sweep, false, err));
    sbl_walk_count(walk, rows, r.ones, r.counts, r.total);
    for (size_t i = 0; i < rule->sweeps; i++) {
        const strength s = strength_at(rule, i);
        const sbl_walk_field field = {.bias = r.bias_logits,
                                      .tables = r.logits,
                                      .bias_gain = r.bias_gains,
                                      .gains = r.gains,
                                      .again = true};
        if (!sbl_progress_goes_on(rule->progress, i, rule->sweeps)) SBL_TRY(sbl_progress_fail(err));
        set_all(&r, bias, theta, s, false);
        SBL_TRY(sbl_walk_draw(walk, &field, rows, gaps, rule->seed, rule->first_sweep + 1 + i,
                              i + 1 == rule->sweeps, err));
        sbl_walk_count(walk, rows, r.ones, r.counts, r.total);
        if (rule->step > 0.0f) set_all(&r, bias, theta, s, true);
    }
done:
    sbl_pool_clear(&r.pool);
    return status;
}
