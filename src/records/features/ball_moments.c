/* SPDX-License-Identifier: Apache-2.0 */
/* `ball`: means and second moments of records that are points of the unit ball, seen through a public
 * random projection (public/rows/projection.h has the maths and the parameters). Tables only.
 *
 * Bounds: the point has norm at most `radius`, in 2^14 grid units. Squares and products are formed from the
 * enforced integers, and the joint change of all three is charged (docs/mechanisms/ron-gauss.md). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/gemm.h"
#include "public/rows/projection.h"
#include "records/accumulate/sum.h"
#include "records/features/feature.h"

#define BOUND2 (UINT64_C(1) << (2 * SBL_RON_GRID_BITS))

static bool has_mean(const sbl_ron_plan *plan) { return plan->centre.means == NULL; }

static bool has_moments(const sbl_ron_plan *plan)
{
    return plan->options.geometry == SBL_RON_CLIP || plan->centre.means != NULL;
}

/* ---- public ---- */

/* Is the record that of the facts? The radius of the target is the plan's own to choose. */
static sbl_status check_record(const sbl_ron_plan *plan, const sbl_facts *facts, sbl_error *err)
{
    sbl_unit_record record = {0};
    sbl_status status = sbl_ron_record(&record, facts, plan->record.target_radius,
                                       plan->options.geometry == SBL_RON_CLIP, err);
    if (status != SBL_OK) return status == SBL_EARG ? SBL_EINPUT : status;
    json_t *own = sbl_unit_record_to_json(&plan->record);
    json_t *planned = sbl_unit_record_to_json(&record);
    if (own == NULL || planned == NULL)
        status = sbl_no_memory(err, "a plan");
    else if (!json_equal(own, planned))
        status = sbl_fail(err, SBL_EINPUT, "the plan does not match its schema");
    json_decref(own);
    json_decref(planned);
    sbl_unit_record_clear(&record);
    return status;
}

static void free_made(void *made)
{
    sbl_ball *ball = made;
    sbl_ron_rotation_clear(&ball->rotation);
    sbl_ron_plan_clear(&ball->plan);
    sbl_free(ball);
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_ball *ball;
    SBL_ALLOC(ball, 1, "a plan");
    if (facts->kind != SBL_DATA_TABLE)
        SBL_FAIL(err, SBL_EINPUT, "feature '%s' is for tables only", SBL_RON_FEATURE);
    ball->facts = facts;
    SBL_TRY(sbl_ron_plan_parse(&ball->plan, parameters, err));
    SBL_TRY(check_record(&ball->plan, facts, err));
    SBL_TRY(sbl_ron_rotation_init(&ball->rotation, &ball->plan, err));
    *made = ball;
    ball = NULL;
done:
    if (ball != NULL) free_made(ball);
    return status;
}

static size_t count_blocks(const void *made)
{
    const sbl_ron_plan *plan = &((const sbl_ball *)made)->plan;
    if (!has_moments(plan)) return 1;
    return plan->moments >= 2 ? 3 : 2;
}

static sbl_block vector_block(const char *name, size_t width, double radius)
{
    sbl_block block = {.width = width, .per_class = true, .bound2 = BOUND2};
    (void)snprintf(block.name, sizeof block.name, "%s", name);
    block.bound1 = (uint64_t)ceil(sqrt((double)width) * ldexp(1.0, SBL_RON_GRID_BITS));
    block.scale = sbl_block_scale(width, BOUND2, radius);
    return block;
}

/* Weights are for a unit ball: divided by its radius in grid units, squared for moments. An entry off the
 * diagonal occurs twice in the matrix, so it may have sqrt 2 times the precision at no cost, except under
 * Laplace noise. */
static void describe(const void *made, sbl_block *blocks, double *weights)
{
    const sbl_ron_plan *plan = &((const sbl_ball *)made)->plan;
    const double unit = ldexp(1.0, -2 * SBL_RON_GRID_BITS);
    if (has_mean(plan)) {
        blocks[0] = vector_block(SBL_RON_MEAN, plan->width, plan->radius);
        *weights++ = ldexp(plan->options.split.mean, -SBL_RON_GRID_BITS);
    } else {
        blocks[0] = vector_block("point", plan->moments, plan->radius);
        blocks[0].withheld = true;
    }
    if (!has_moments(plan)) return;
    blocks[1] = sbl_block_of_moments(SBL_RON_SQUARES, SBL_BLOCK_SQUARES, &blocks[0], plan->moments);
    *weights++ = unit;
    if (plan->moments < 2) return;
    blocks[2] = sbl_block_of_moments(SBL_RON_PRODUCTS, SBL_BLOCK_PRODUCTS, &blocks[0], plan->moments);
    *weights = plan->options.pure ? unit : sqrt(2.0) * unit;
}

/* ---- records ---- */

/* Points (slice, m), features (slice, width), targets (slice), then what the product with the rotation
 * works in. */
static size_t workspace_bytes(const void *made)
{
    const sbl_ball *ball = made;
    const size_t m = ball->plan.record.dimensions;
    return (sbl_slice_rows(ball->facts) * (m + ball->plan.width + 1) + sbl_gemm_workspace(m)) * sizeof(float);
}

/* Seen from the centre of its class, on the sphere again; a label that does not exist is class 0, as
 * in the sums. The target keeps within its radius. */
static void recentre(float *point, float *target, const sbl_ron_plan *plan, size_t class)
{
    const size_t known = class < plan->record.shape.classes ? class : 0;
    const double *centre = plan->centre.means + known * plan->width;
    const double *x = centre + plan->targets;
    for (size_t i = 0; i < plan->record.dimensions; i++) point[i] = (float)((double)point[i] - x[i]);
    sbl_ron_normalise(point, plan->record.dimensions);
    if (plan->targets != 0)
        *target =
            (float)(((double)*target - centre[0]) / (1.0 + fabs(centre[0]) / plan->record.target_radius));
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_ball *ball = made;
    const sbl_ron_plan *plan = &ball->plan;
    const sbl_heads *heads = &ball->facts->heads;
    const size_t m = plan->record.dimensions;
    const size_t width = has_mean(plan) ? plan->width : plan->moments;
    const size_t slice = sbl_slice_rows(ball->facts);
    float *points = workspace, *features = points + slice * m;
    float *targets = features + slice * plan->width, *scratch = targets + slice;
    static const sbl_ron_rotation identity = {0};
    for (size_t r = 0; r < records->rows; r++) {
        float *point = points + r * m;
        targets[r] = (float)sbl_unit_record_encode(
            &plan->record, point, records->numeric + r * heads->numeric_count,
            records->codes + r * heads->categorical_count, ball->facts->code_columns);
        if (plan->options.geometry != SBL_RON_CLIP) sbl_ron_normalise(point, m);
        if (!has_mean(plan))
            recentre(point, &targets[r], plan, records->labels != NULL ? records->labels[r] : 0);
    }
    sbl_ron_rotate(features, width, plan, has_moments(plan) ? &ball->rotation : &identity, points,
                   width - plan->targets, targets, records->rows, scratch);
    return sbl_sum_add_f32(sum, block, 0, width, features, width, err);
}

const sbl_feature sbl_feature_ball = {
    .name = SBL_RON_FEATURE,
    .make = make,
    .free = free_made,
    .count = count_blocks,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
};
