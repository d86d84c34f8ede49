/* SPDX-License-Identifier: Apache-2.0 */
/* Closed forms. The noise of a linear combination of sums is known exactly, so the interval of a count or a sum is
 * exact; that of a mean is Fieller's, exact too. Sampling adds its own variance, estimated from the same sums. */
#include "after/answers/group_answers.h"

#include <math.h>

#define Z2 (SBL_ANSWER_Z * SBL_ANSWER_Z)

static const sbl_interval unknown = {NAN, NAN};

static sbl_interval around(double middle, double deviation)
{
    return (sbl_interval){middle - SBL_ANSWER_Z * deviation, middle + SBL_ANSWER_Z * deviation};
}

/* The score interval: expected counts m with (c - m)^2 <= z^2 (noise^2 + m (1 - m / n)). The variance is that of
 * the hypothesis, not an estimate, so it holds for small counts too. */
static sbl_interval expected_count(double count, double noise2, double n)
{
    const double a = 1.0 + (n > 0.0 ? Z2 / n : 0.0);
    const double b = count + Z2 / 2.0;
    const double root = sqrt(fmax(0.0, b * b - a * (count * count - Z2 * noise2)));
    sbl_interval found = {(b - root) / a, (b + root) / a};
    found.low = fmax(found.low, 0.0);
    found.high = fmax(found.high, 0.0);
    if (n > 0.0) found.high = fmin(found.high, n);
    return found;
}

sbl_answer sbl_answer_count(double count, const sbl_group_facts *facts)
{
    const double noise = facts->noise * sqrt(facts->tied);
    sbl_answer answer = {
        .estimate = count, .noise = noise, .table = around(count, noise), .population = unknown};
    answer.table.low = fmax(answer.table.low, 0.0);
    answer.table.high = fmax(answer.table.high, 0.0);
    if (facts->n != 0) answer.table.high = fmin(answer.table.high, (double)facts->n);
    if (facts->sampled) answer.population = expected_count(count, noise * noise, (double)facts->n);
    return answer;
}

/* Of the linear combination with these weights, where the sums may be tied to their total. */
static double combined_noise(const double weights[3], const sbl_group_facts *facts)
{
    double squares = 0.0, total = 0.0;
    for (size_t i = 0; i < 3; i++) {
        squares += weights[i] * weights[i];
        total += weights[i];
    }
    return facts->noise * sqrt(fmax(0.0, squares - (1.0 - facts->tied) * total * total));
}

sbl_answer sbl_answer_sum(const double parts[3], const sbl_group_facts *facts)
{
    const double low = facts->low, high = facts->high;
    const double weights[3] = {low, (low + high) / 2.0, high};
    /* x^2 = low^2 (1-u)^2 + low high 2u(1-u) + high^2 u^2. */
    const double squares = low * low * parts[0] + low * high * parts[1] + high * high * parts[2];
    double sum = 0.0;
    for (size_t i = 0; i < 3; i++) sum += weights[i] * parts[i];
    const double noise = combined_noise(weights, facts);
    sbl_answer answer = {.estimate = sum, .noise = noise, .table = around(sum, noise), .population = unknown};
    const double spread = squares - (facts->n != 0 ? sum * sum / (double)facts->n : 0.0);
    if (facts->sampled) answer.population = around(sum, sqrt(noise * noise + fmax(0.0, spread)));
    return answer;
}

sbl_interval sbl_ratio_interval(double a, double b, double c, double d, double low, double high)
{
    const double lead = b * b - d;
    const double inside = a * a * b * b - lead * (a * a - c);
    if (!(lead > 0.0) || !(inside >= 0.0) || !(b > 0.0)) return (sbl_interval){low, high};
    const double root = sqrt(inside);
    return (sbl_interval){fmin(fmax((a * b - root) / lead, low), high),
                          fmax(fmin((a * b + root) / lead, high), low)};
}

/* Places v in [-1, 1] as values. */
static sbl_interval as_values(sbl_interval places, const sbl_group_facts *facts)
{
    const double middle = (facts->low + facts->high) / 2.0, half = (facts->high - facts->low) / 2.0;
    return (sbl_interval){middle + half * places.low, middle + half * places.high};
}

/* The mean place is V / N with V = sum of v = parts[2] - parts[0] and N the sum of the parts. V - t N has noise
 * of variance noise^2 (2 + 3 t^2), less where the sums are tied, and sampling variance sum (v - t)^2. */
sbl_answer sbl_answer_mean(const double parts[3], const sbl_group_facts *facts)
{
    const double count = parts[0] + parts[1] + parts[2], places = parts[2] - parts[0];
    const double noise2 = facts->noise * facts->noise;
    const double of_count = 3.0 * noise2 * (1.0 - 3.0 * (1.0 - facts->tied));
    const double middle = (facts->low + facts->high) / 2.0, half = (facts->high - facts->low) / 2.0;
    const double mean = places / count;
    sbl_answer answer = {.estimate = NAN, .noise = INFINITY, .population = unknown};
    answer.table =
        as_values(sbl_ratio_interval(places, count, 2.0 * Z2 * noise2, Z2 * of_count, -1.0, 1.0), facts);
    if (count > 0.0 && count * count > Z2 * of_count && fabs(mean) <= 1.0) {
        answer.estimate = middle + half * mean;
        answer.noise = half * sqrt(2.0 * noise2 + of_count * mean * mean) / count;
    }
    if (!facts->sampled) return answer;
    /* sum v^2 = parts[0] - parts[1] + parts[2]; no more than the bounds allow for this mean. */
    const double spread = parts[0] - parts[1] + parts[2] - places * mean;
    const double most = count - places * mean;
    const double sampling = count > 0.0 ? fmin(fmax(spread, 0.0), fmax(most, 0.0)) : 0.0;
    answer.population = as_values(
        sbl_ratio_interval(places, count, Z2 * (2.0 * noise2 + sampling), Z2 * of_count, -1.0, 1.0), facts);
    return answer;
}
