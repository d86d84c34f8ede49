/* SPDX-License-Identifier: Apache-2.0 */
/* The combining rule for replicates (docs/mechanisms/inference.md).
 *
 * Legend: M replicates, r rows of a replicate over rows of the real table, estimates q_i with variances u_i,
 *     q = mean of q_i,  b = their sample variance,  u = mean of u_i
 *     T = (1 + 1/M) b - u,  nu = (M - 1) (T / (T + u))^2       (Raghunathan, Reiter and Rubin 2003)
 *     q -+ t(nu) sqrt(T)
 * b estimates W = V + u, where V is the posterior variance of the quantity, and the variance of q as its estimate is
 * V + W / M. V is at least r u, the sampling variance of the real table, so T is at least F = r u + (1 + r) u / M. By
 * chance b may be smaller than that allows. Then T is F, and nu grows from its value at F by (F / T)^4: the smaller b
 * is, the surer that T is F. The exponent was chosen on simulated normal estimates (tests/combine). */
#include <math.h>
#include <string.h>

#include "after/combine/student.h"
#include "base/caller_struct.h"
#include "base/error.h"
#include "semblance/combine.h"

static sbl_status check_numbers(const double *estimates, const double *variances, size_t count,
                                sbl_error *err)
{
    if (count < 2)
        return sbl_fail(err, SBL_EARG, "%zu replicate%s: an interval needs at least 2, and 20 are better",
                        count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(estimates[i]))
            return sbl_fail(err, SBL_EARG, "estimate %zu is not a finite number", i + 1);
        if (!(variances[i] >= 0.0 && isfinite(variances[i])))
            return sbl_fail(err, SBL_EARG, "variance %zu is not a finite number of at least 0", i + 1);
    }
    return SBL_OK;
}

static sbl_status take_options(sbl_combine_options *ours, const sbl_combine_options *theirs, sbl_error *err)
{
    sbl_combine_options_init(ours);
    if (theirs != NULL) SBL_CHECK(sbl_struct_take(ours, sizeof *ours, theirs, "options", err));
    if (ours->level == 0.0) ours->level = 0.95;
    if (ours->row_ratio == 0.0) ours->row_ratio = 1.0;
    if (!(ours->level > 0.0 && ours->level < 1.0))
        return sbl_fail(err, SBL_EARG, "level: use a number above 0 and below 1");
    if (!(ours->row_ratio > 0.0 && isfinite(ours->row_ratio)))
        return sbl_fail(err, SBL_EARG, "row_ratio: use a finite number above 0");
    return SBL_OK;
}

static double mean(const double *numbers, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += numbers[i] / (double)count;
    return sum;
}

static double sample_variance(const double *numbers, size_t count, double centre)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += (numbers[i] - centre) * (numbers[i] - centre);
    return sum / (double)(count - 1);
}

/* T; its degrees of freedom. */
static double total_variance(double *degrees, double b, double u, double m, double r)
{
    const double total = (1.0 + 1.0 / m) * b - u;
    const double least = r * u + (1.0 + r) * u / m;
    const double used = fmax(total, least);
    const double share = used > 0.0 ? used / (used + u) : 1.0;
    *degrees = (m - 1.0) * share * share;
    if (total < least) *degrees *= pow(least / fmax(total, 0.0), 4.0);
    *degrees = fmax(*degrees, 1.0);
    return used;
}

static void state(sbl_combined *combined, const double *estimates, const double *variances, size_t count,
                  const sbl_combine_options *options)
{
    sbl_combined *c = combined;
    c->estimate = mean(estimates, count);
    c->within = mean(variances, count);
    c->between = sample_variance(estimates, count, c->estimate);
    const double total =
        total_variance(&c->degrees_of_freedom, c->between, c->within, (double)count, options->row_ratio);
    c->standard_error = sqrt(total);
    const double half = sbl_student_central(options->level, c->degrees_of_freedom) * c->standard_error;
    const double real = sbl_student_central(options->level, INFINITY) * sqrt(options->row_ratio * c->within);
    c->low = c->estimate - half;
    c->high = c->estimate + half;
    c->privacy_share = half > 0.0 ? 1.0 - real / half : 0.0;
}

sbl_status sbl_combine(sbl_combined *combined, const double *estimates, const double *variances, size_t count,
                       const sbl_combine_options *options, sbl_error *err)
{
    sbl_combine_options used;
    sbl_combined ours = {0};
    SBL_CHECK(sbl_need(combined, "combined", err));
    SBL_CHECK(sbl_need(estimates, "estimates", err));
    SBL_CHECK(sbl_need(variances, "variances", err));
    const size_t size = combined->struct_size;
    if (size < sizeof size) return sbl_fail(err, SBL_EARG, "combined: its struct_size must be set");
    SBL_CHECK(take_options(&used, options, err));
    SBL_CHECK(check_numbers(estimates, variances, count, err));
    state(&ours, estimates, variances, count, &used);
    if (!isfinite(ours.low) || !isfinite(ours.high))
        return sbl_fail(err, SBL_EARG,
                        "the estimates or variances are too large to combine; change their unit");
    ours.struct_size = size;
    memcpy(combined, &ours, size < sizeof ours ? size : sizeof ours);
    return SBL_OK;
}
