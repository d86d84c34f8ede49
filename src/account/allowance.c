/* What discreteness and the samplers add to (epsilon, delta): docs/mechanisms/discretisation.md.
 *
 * Bridge lemma for `draws` = D discrete Gaussians of scale s = 2^56 in `releases` = K releases:
 *     eta1 = D / (24 s^2)
 *     eta2 = (s sqrt(D + 2 sqrt(K D L) + 2 K L) + sqrt(D) / 2)^2 / (24 s^4) + 3 D e^(-2 pi^2 s^2)
 *     (epsilon + eta1 + eta2, e^eta1 (delta + K e^(epsilon - L)))
 * and, where each draw is within SAMPLER_DISTANCE of its law in total variation, a further
 *     (1 + e^(epsilon + eta1 + eta2)) D SAMPLER_DISTANCE. */
#include <math.h>

#include "account/charge.h"
#include "semblance/account.h"

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
