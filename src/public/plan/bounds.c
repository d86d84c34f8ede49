/* SPDX-License-Identifier: Apache-2.0 */
/* The length of a Gaussian vector, its tail by the moment generating function of its square, which discrete Gaussian
 * noise does not exceed; Hoeffding's inequality over frequencies. docs/mechanisms/bounds.md has the proofs. */
#include "public/plan/bounds.h"

#include <math.h>
#include <stdbool.h>

#define EXACT_BELOW 64 /* values up to which the mean length is computed exactly */

/* E |N| of `values` independent standard normal numbers, sqrt 2 Gamma((D + 1) / 2) / Gamma(D / 2): by m(D) m(D + 1) = D,
 * and for many by its series in 1 / D. */
static double mean_length(double values)
{
    double length = sqrt(2.0 / 3.14159265358979323846);
    if (values > EXACT_BELOW) {
        const double part = 1.0 / values;
        return sqrt(values) * (1.0 - part * (0.25 - part * (1.0 / 32.0 + part * 5.0 / 128.0)));
    }
    for (double d = 1.0; d < values; d++) length = d / length;
    return length;
}

/* What |N| exceeds with probability exp(-t) at most. */
static double most_length(double values, double t) { return sqrt(values + 2.0 * sqrt(values * t) + 2.0 * t); }

sbl_bound sbl_bound_noise(const sbl_noisy_mean *mean, double risk)
{
    const bool exact = mean->count_noise == 0.0;
    const double t = exact ? -log(risk) : log(2.0 / risk);
    const double off = mean->count_noise * sqrt(2.0 * log(4.0 / risk));
    const double records = fmax(mean->records - off, 1.0);
    const double count_off = mean->count_noise * mean_length(1.0);
    return (sbl_bound){.expected = (mean->noise * mean_length(mean->values) + count_off) / records,
                       .most = (mean->noise * most_length(mean->values, t) + off) / records};
}

/* A squared distance between two embeddings of length at most 1 is in [0, 4]: so is each frequency's part of it. */
sbl_bound sbl_bound_random_features(double features, double risk)
{
    const double frequencies = features / 2.0;
    return (sbl_bound){.expected = fmin(2.0 / sqrt(frequencies), 4.0),
                       .most = fmin(4.0 * sqrt(log(2.0 / risk) / (2.0 * frequencies)), 4.0)};
}

size_t sbl_bound_balance(double noise, size_t least, size_t most)
{
    const double features = sqrt(2.0) / noise;
    if (!(features > (double)least)) return least;
    if (features >= (double)most) return most;
    return (size_t)features / 2 * 2;
}
