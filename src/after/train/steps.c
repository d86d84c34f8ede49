/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The best piecewise constant fit by dynamic programming over running sums, O(T^2), then the
 * shrinkage of what is left. */
#include "after/train/steps.h"

#include <math.h>

#include "base/alloc.h"

sbl_status sbl_steps_init(sbl_steps *steps, size_t most, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *steps = (sbl_steps){0};
    SBL_POOL(&steps->pool, steps->sums, most + 1, 1, "fitting steps");
    SBL_POOL(&steps->pool, steps->costs, most + 1, 1, "fitting steps");
    SBL_POOL(&steps->pool, steps->starts, most + 1, 1, "fitting steps");
    SBL_POOL(&steps->pool, steps->fitted, most + 1, 1, "fitting steps");
done:
    if (status != SBL_OK) sbl_steps_clear(steps);
    return status;
}

void sbl_steps_clear(sbl_steps *steps)
{
    sbl_pool_clear(&steps->pool);
    *steps = (sbl_steps){0};
}

void sbl_shrink(double *values, const double *towards, size_t count, double noise2)
{
    double norm2 = 0;
    for (size_t j = 0; j < count; j++) {
        double difference = values[j] - (towards ? towards[j] : 0);
        norm2 += difference * difference;
    }
    double factor = norm2 > noise2 ? 1 - noise2 / norm2 : 0;
    for (size_t j = 0; j < count; j++) {
        double goal = towards ? towards[j] : 0;
        values[j] = goal + factor * (values[j] - goal);
    }
}

/* A piece of m values with sum S at their mean costs (their squares) - S^2 / m + penalty. The
 * squares add up to the same whatever the pieces are and are left out. */
static void find_pieces(sbl_steps *steps, const double *values, size_t count, double penalty)
{
    steps->sums[0] = steps->costs[0] = 0;
    for (size_t end = 1; end <= count; end++) {
        steps->sums[end] = steps->sums[end - 1] + values[end - 1];
        double best = INFINITY;
        for (size_t start = 0; start < end; start++) {
            double sum = steps->sums[end] - steps->sums[start];
            double cost = steps->costs[start] - sum * sum / (double)(end - start);
            if (cost < best) {
                best = cost;
                steps->starts[end] = start;
            }
        }
        steps->costs[end] = best + penalty;
    }
}

void sbl_steps_fit(sbl_steps *steps, double *values, size_t count, double variance)
{
    size_t pieces = 0;
    find_pieces(steps, values, count, 2 * variance * log((double)count));
    for (size_t end = count, start; end > 0; end = start, pieces++) {
        start = steps->starts[end];
        double sum = steps->sums[end] - steps->sums[start];
        for (size_t j = start; j < end; j++) steps->fitted[j] = sum / (double)(end - start);
    }
    sbl_shrink(values, steps->fitted, count, (double)(count - pieces) * variance);
}
