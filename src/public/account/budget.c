/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the integer totals into doubles, rounded up, and computes delta(epsilon) of the composed mechanism
 * (gaussian.c), plus the allowance for the discrete noise. The header states the inequality at
 * sbl_budget_check(). No result may be smaller than its true value. */
#include "public/account/budget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "public/account/charge.h"
#include "public/account/gaussian.h"
#include "semblance/account.h"

/* The texts of a budget as numbers. A text stands for the double nearest to it. */
static sbl_status read_budget(double *epsilon, double *delta, const sbl_budget *budget, sbl_error *err)
{
    *epsilon = INFINITY;
    if (strncmp(budget->epsilon, SBL_NO_LIMIT, sizeof SBL_NO_LIMIT) != 0 &&
        (memchr(budget->epsilon, '\0', SBL_BUDGET_TEXT_SIZE) == NULL ||
         !sbl_text_to_double(epsilon, budget->epsilon) || !(*epsilon > 0.0) ||
         (isinf(*epsilon) && strcmp(budget->epsilon, "inf") != 0)))
        return sbl_fail(err, SBL_EARG,
                        "the budget's epsilon must be a positive number, inf or " SBL_NO_LIMIT);
    if (memchr(budget->delta, '\0', SBL_BUDGET_TEXT_SIZE) == NULL ||
        !sbl_text_to_double(delta, budget->delta) || !(*delta >= 0.0 && *delta < 1.0))
        return sbl_fail(err, SBL_EARG,
                        "the budget's delta must lie between 0 and 1, or be 0 for pure releases");
    return SBL_OK;
}

sbl_status sbl_budget_validate(const sbl_budget *budget, sbl_error *err)
{
    double epsilon;
    double delta;
    return read_budget(&epsilon, &delta, budget, err);
}

bool sbl_budget_has_limit(const sbl_budget *budget)
{
    double epsilon;
    double delta;
    return read_budget(&epsilon, &delta, budget, NULL) == SBL_OK && (isfinite(epsilon) || budget->mu2 != 0);
}

bool sbl_budget_allows_no_more(const sbl_budget *budget, const sbl_budget *other)
{
    double epsilon, delta;
    double other_epsilon, other_delta;
    if (read_budget(&epsilon, &delta, budget, NULL) != SBL_OK ||
        read_budget(&other_epsilon, &other_delta, other, NULL) != SBL_OK)
        return false;
    if (!sbl_budget_has_limit(other)) return true;
    const bool mu2_fits = other->mu2 == 0 || (budget->mu2 != 0 && budget->mu2 <= other->mu2);
    return epsilon <= other_epsilon && delta <= other_delta && mu2_fits;
}

/* Totals in doubles, each rounded up. */
typedef struct spent {
    double mu;
    double epsilon0;
    double extra_delta;
    uint64_t draws;
    uint64_t releases;
} spent;

static spent spent_of(const sbl_totals *totals)
{
    const sbl_charge *charge = &totals->charge;
    const double root = sqrt(sbl_fixed96_to_double_up(charge->mu2));
    return (spent){
        .mu = charge->mu2 == 0 ? 0.0 : nextafter(root, INFINITY),
        .epsilon0 = sbl_fixed96_to_double_up(charge->eps0),
        .extra_delta = sbl_fixed96_to_double_up(charge->delta),
        .draws = charge->draws,
        .releases = totals->gaussian_releases,
    };
}

/* An upper bound of the delta at which the totals are (epsilon, delta) private. All pure parts are
 * taken as one of their summed epsilon, which is never less. Subtracting the allowance may round to
 * nothing: that is worth far less than the margin (accounting.md, Rounding). */
static long double delta_at(const spent *s, double epsilon)
{
    const sbl_allowance allowance = sbl_discretisation_allowance(s->draws, s->releases, epsilon);
    const long double reduced = (long double)epsilon - allowance.epsilon;
    return sbl_mixed_delta_wide(s->mu, s->epsilon0, 1, reduced) * (1.0L + SBL_DELTA_MARGIN) +
           allowance.delta + s->extra_delta;
}

/* The allowance grows with epsilon, so it is taken at a whole number `cap` that is at least the
 * epsilon found with it. */
static double epsilon_at(const spent *s, double delta)
{
    double cap = 1.0;
    for (;;) {
        const sbl_allowance allowance = sbl_discretisation_allowance(s->draws, s->releases, cap);
        const double left = nextafter(delta - allowance.delta - s->extra_delta, -1.0);
        if (!(left > 0.0)) return INFINITY;
        double epsilon = sbl_mixed_epsilon_valid(s->mu, s->epsilon0, 1, left);
        if (s->draws > 0) epsilon = nextafter(epsilon + allowance.epsilon, INFINITY);
        if (epsilon <= cap) return epsilon;
        cap = ceil(epsilon);
    }
}

/* The same with delta 0 allowed, for pure totals only. */
static double epsilon_reached(const spent *s, double delta)
{
    if (delta > 0.0) return epsilon_at(s, delta);
    return s->mu == 0.0 && s->extra_delta == 0.0 ? s->epsilon0 : INFINITY;
}

sbl_status sbl_totals_epsilon(double *epsilon, const sbl_totals *totals, double delta, sbl_error *err)
{
    const spent s = spent_of(totals);
    *epsilon = INFINITY;
    if (!(delta >= 0.0 && delta < 1.0))
        return sbl_fail(err, SBL_EARG, "delta must lie between 0 and 1 (0 for pure releases only)");
    *epsilon = epsilon_reached(&s, delta);
    return SBL_OK;
}

#define LARGE_EPSILON 50

sbl_status sbl_release_mu(double *mu, double epsilon, double delta, uint64_t draws, sbl_error *err)
{
    const sbl_status status = sbl_gdp_mu(mu, epsilon, delta, err);
    if (status != SBL_OK) return status;
    const sbl_allowance allowance = sbl_discretisation_allowance(draws, 1, epsilon);
    *mu = 0.0;
    if (!(delta > allowance.delta))
        return epsilon > LARGE_EPSILON
                   ? sbl_fail(err, SBL_EARG,
                              "an epsilon of %g is too large: 1 to 3 is usual, and above %d the guarantee is "
                              "empty",
                              epsilon, LARGE_EPSILON)
                   : sbl_fail(err, SBL_EARG,
                              "delta is too small: the precision of the noise alone may add %.1e "
                              "to it at an epsilon of %g",
                              allowance.delta, epsilon);
    if (!(epsilon > allowance.epsilon))
        return sbl_fail(err, SBL_EARG,
                        "an epsilon of %g is too small: the precision of the noise alone costs %.1e", epsilon,
                        allowance.epsilon);
    return sbl_gdp_mu(mu, epsilon - allowance.epsilon, delta - allowance.delta, err);
}

sbl_status sbl_delta_check(double delta, uint64_t n, sbl_error *err)
{
    char text[SBL_DOUBLE_TEXT_SIZE];
    if (delta > SBL_DELTA_MAX)
        return sbl_fail(
            err, SBL_EARG,
            "delta %s is above 1e-3: a guarantee that may fail so often is worthless; use a smaller delta",
            sbl_double_to_text(text, delta));
    if (n != 0 && delta * (double)n >= 1.0)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_DELTA, NULL,
                             "delta %s is not below 1/n for n = %llu: it would allow a whole record to be "
                             "published; use a smaller delta",
                             sbl_double_to_text(text, delta), (unsigned long long)n);
    return SBL_OK;
}

/* Cut to two digits, so that what is stated is what is meant. */
double sbl_delta_usual(uint64_t n)
{
    double delta = SBL_DELTA_USUAL;
    char text[32];
    if (n == 0 || 0.1 / (double)n >= SBL_DELTA_USUAL) return delta;
    const double tenth = 0.1 / (double)n;
    const int exponent = (int)floor(log10(tenth)) - 1;
    const int digits = (int)(tenth / pow(10.0, exponent) + 1e-9);
    (void)snprintf(text, sizeof text, "%de%d", digits, exponent);
    (void)sbl_text_to_double(&delta, text);
    return delta;
}

static sbl_status fail_mu2(const sbl_budget *budget, sbl_u128 mu2, sbl_error *err)
{
    char reached[SBL_DOUBLE_TEXT_SIZE];
    char allowed[SBL_DOUBLE_TEXT_SIZE];
    return sbl_fail(err, SBL_EBUDGET, "mu^2 would reach %s, the budget allows %s: ask for less",
                    sbl_double_to_text(reached, sbl_fixed96_to_double_up(mu2)),
                    sbl_double_to_text(allowed, sbl_fixed96_to_double_down(budget->mu2)));
}

/* A release that is not pure in a budget for pure ones, or one whose noise has an allowance above delta. */
static sbl_status fail_precision(const sbl_budget *budget, double delta, sbl_error *err)
{
    return delta == 0.0
               ? sbl_fail(
                     err, SBL_EBUDGET,
                     "the budget is for pure releases (delta 0), and this one is not pure: use a pure one")
               : sbl_fail(err, SBL_EBUDGET,
                          "no epsilon would hold at delta %s any more, since the precision of the "
                          "noise alone may add more than that; the budget is epsilon %s: ask for "
                          "less",
                          budget->delta, budget->epsilon);
}

sbl_status sbl_budget_check(const sbl_budget *budget, const sbl_totals *totals, sbl_error *err)
{
    double epsilon;
    double delta;
    char text[SBL_DOUBLE_TEXT_SIZE];
    const spent s = spent_of(totals);
    const sbl_status status = read_budget(&epsilon, &delta, budget, err);
    if (status != SBL_OK) return status;
    if (budget->mu2 != 0 && totals->charge.mu2 > budget->mu2)
        return fail_mu2(budget, totals->charge.mu2, err);
    if (isinf(epsilon)) return SBL_OK;
    if (delta > 0.0 && delta_at(&s, epsilon) <= delta) return SBL_OK;
    /* A smaller epsilon may pass where the allowance at the budget's own is too large. */
    const double reached = epsilon_reached(&s, delta);
    if (reached <= epsilon) return SBL_OK;
    if (isinf(reached)) return fail_precision(budget, delta, err);
    return sbl_fail(err, SBL_EBUDGET,
                    "epsilon would reach %s at delta %s, the budget is epsilon %s: ask for less",
                    sbl_double_to_text(text, reached), budget->delta, budget->epsilon);
}

/* ---- what is left ---- */

#define MOST_DRAWS (UINT64_C(1) << 32) /* of one release: more than any has */

/* Would one more release of this epsilon, at the budget's delta, still fit? */
static bool one_more_fits(const sbl_budget *budget, const sbl_totals *totals, double epsilon, double delta)
{
    sbl_totals after = *totals;
    sbl_charge charge = {0};
    double mu = 0.0;
    sbl_status status = SBL_OK;
    if (delta > 0.0) {
        status = sbl_release_mu(&mu, epsilon, delta, MOST_DRAWS, NULL);
        if (status == SBL_OK) status = sbl_fixed96_from_double_up(&charge.mu2, mu * mu, NULL);
        charge.draws = MOST_DRAWS;
        after.gaussian_releases++;
    } else {
        status = sbl_fixed96_from_double_up(&charge.eps0, epsilon, NULL);
    }
    after.releases++;
    if (status == SBL_OK) status = sbl_charge_add(&after.charge, &charge, NULL);
    return status == SBL_OK && sbl_budget_check(budget, &after, NULL) == SBL_OK;
}

double sbl_budget_epsilon_left(const sbl_budget *budget, const sbl_totals *totals)
{
    double most, delta, least = 0.0;
    if (read_budget(&most, &delta, budget, NULL) != SBL_OK) return 0.0;
    if (isinf(most) && budget->mu2 == 0) return INFINITY;
    /* With a limit on mu alone no epsilon above this one means anything. */
    if (isinf(most)) most = LARGE_EPSILON;
    if (one_more_fits(budget, totals, most, delta)) return most;
    for (int step = 0; step < 60; step++) {
        const double middle = least + (most - least) / 2.0;
        if (one_more_fits(budget, totals, middle, delta))
            least = middle;
        else
            most = middle;
    }
    return least;
}

/* What discreteness and the samplers add to (epsilon, delta): docs/mechanisms/discretisation.md.
 *
 * Bridge lemma for `draws` = D discrete Gaussians of scale s = 2^56 in `releases` = K releases:
 *     eta1 = D / (24 s^2)
 *     eta2 = (s sqrt(D + 2 sqrt(K D L) + 2 K L) + sqrt(D) / 2)^2 / (24 s^4) + 3 D e^(-2 pi^2 s^2)
 *     (epsilon + eta1 + eta2, e^eta1 (delta + K e^(epsilon - L)))
 * and, where each draw is within SAMPLER_DISTANCE of its law in total variation, a further
 *     (1 + e^(epsilon + eta1 + eta2)) D SAMPLER_DISTANCE. */

#define TAIL_EXPONENT 100.0    /* L */
#define SAMPLER_DISTANCE 1e-32 /* per draw; the constant-flow sampler is within 1.3e-33 */
#define ROUND_UP (1.0 + 1e-12) /* far more than these few double operations lose */

sbl_allowance sbl_discretisation_allowance(uint64_t draws, uint64_t releases, double epsilon)
{
    if (draws == 0) return (sbl_allowance){0.0, 0.0};
    const double d = (double)draws;
    const double k = releases > 0 ? (double)releases : 1.0;
    const double s = ldexp(1.0, SBL_NOISE_SCALE_BITS);
    const double eta1 = d / (24.0 * s * s);
    const double norm =
        s * sqrt(d + 2.0 * sqrt(k * d * TAIL_EXPONENT) + 2.0 * k * TAIL_EXPONENT) + sqrt(d) / 2.0;
    /* The Poisson summation term 3 D e^(-2 pi^2 s^2) is below 10^(-10^34): inside ROUND_UP. */
    const double eta2 = norm / (s * s) * (norm / (s * s)) / 24.0;
    const double eta = (eta1 + eta2) * ROUND_UP;
    const double bridge = expm1(eta1) + exp(eta1) * k * exp(epsilon - TAIL_EXPONENT);
    const double sampler = (1.0 + exp(epsilon + eta)) * d * SAMPLER_DISTANCE;
    return (sbl_allowance){eta, fmin((bridge + sampler) * ROUND_UP, 1.0)};
}
