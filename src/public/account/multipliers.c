/* SPDX-License-Identifier: Apache-2.0 */
/* The integers that match the sums to the fixed noise scale. Chosen in floating point, verified in
 * integers: what counts for privacy is the verification. */
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "public/account/charge.h"
#include "semblance/account.h"

#define MULTIPLIER_LIMIT 0x1p62L

/* The largest joint sensitivity whose charge is at most `amount`. */
static sbl_status joint_limit(sbl_u128 *limit, sbl_mechanism mechanism, double amount, sbl_error *err)
{
    *limit = 0;
    if (!(amount > 0.0) || !isfinite(amount))
        return sbl_fail(err, SBL_EARG, "the mu or epsilon to spend must be positive and finite");
    if (mechanism == SBL_DISCRETE_LAPLACE) {
        /* Charges are joint * 2^40 (charge.c). */
        const sbl_status status = sbl_fixed96_from_double_down(limit, amount, err);
        *limit >>= 96 - SBL_NOISE_SCALE_BITS;
        return status;
    }
    /* floor(amount^2 2^96) 2^16: charges are ceil(joint / 2^16). With amount = f 2^e, f < 2^53 an
     * integer, amount^2 is f^2 2^(2e), exactly. */
    int exponent;
    const sbl_u128 f = (sbl_u128)ldexp(frexp(amount, &exponent), 53);
    const int shift = 2 * (exponent - 53) + 96;
    if (amount >= 0x1p8) /* beyond what 128 bits can charge: what they can is spent */
        *limit = SBL_U128_MAX;
    else if (shift >= 0)
        *limit = f * f << shift << 16;
    else if (shift > -128)
        *limit = f * f >> -shift << 16;
    return SBL_OK;
}

/* What the weights as multipliers would cost; charge.c does the same in integers. */
typedef struct weighing {
    sbl_mechanism mechanism;
    const sbl_sensitivity *blocks;
    const double *weights;
    size_t count;
} weighing;

static long double weigh(const weighing *w, size_t block, uint64_t s)
{
    const long double weight = w->weights[block];
    return (w->mechanism == SBL_DISCRETE_GAUSSIAN ? weight * weight : weight) * (long double)s;
}

/* What the family of a vector, or of moments without one, costs in the case that `which` names. */
static long double family_weight(const weighing *w, size_t family, size_t which)
{
    long double moments = 0.0L;
    long double vector = 0.0L;
    long double unit = 0.0L;
    for (size_t b = 0; b < w->count; b++) {
        const sbl_sensitivity *block = &w->blocks[b];
        const uint64_t cases[] = {block->same_label, block->label_change, block->one_record};
        if (block->family != family) continue;
        if (block->is_moments) {
            moments = fmaxl(moments, weigh(w, b, cases[which]));
            continue;
        }
        vector = weigh(w, b, cases[which]);
        if (w->mechanism == SBL_DISCRETE_GAUSSIAN && cases[which] / 2 > block->one_record)
            unit = weigh(w, b, block->one_record);
    }
    if (unit == 0.0L) return vector + moments;
    return unit >= moments ? vector : moments + 2.0L * unit + unit * unit / moments;
}

static bool is_first_of_family(const sbl_sensitivity *blocks, size_t block)
{
    for (size_t b = 0; b < block; b++)
        if (blocks[b].family == blocks[block].family) return false;
    return true;
}

static long double case_weight(const weighing *w, size_t which)
{
    long double total = 0.0L;
    for (size_t b = 0; b < w->count; b++) {
        const sbl_sensitivity *block = &w->blocks[b];
        const uint64_t cases[] = {block->same_label, block->label_change, block->one_record};
        if (block->of_person) continue;
        if (block->family == 0)
            total += weigh(w, b, cases[which]);
        else if (is_first_of_family(w->blocks, b))
            total += family_weight(w, block->family, which);
    }
    return total;
}

/* What the blocks of_person cost. */
static long double person_weight(const weighing *w, size_t which)
{
    long double total = 0.0L;
    for (size_t b = 0; b < w->count; b++) {
        const sbl_sensitivity *block = &w->blocks[b];
        const uint64_t cases[] = {block->same_label, block->label_change, block->one_record};
        if (block->of_person) total += weigh(w, b, cases[which]);
    }
    return total;
}

/* max over cases of sum_b w_b^2 s_b (Gaussian) or sum_b w_b s_b (Laplace), a family taken together,
 * for a person's rows: the cost of multipliers equal to the weights. */
static long double unit_cost(sbl_mechanism mechanism, sbl_neighbours neighbours,
                             const sbl_sensitivity *blocks, const double *weights, size_t count)
{
    const weighing w = {mechanism, blocks, weights, count};
    const uint64_t rows = blocks[0].rows_per_unit;
    const size_t which = neighbours == SBL_ADD_REMOVE ? 2 : 0;
    const long double k = rows == 0 ? 1.0L : (long double)rows;
    const long double times = mechanism == SBL_DISCRETE_GAUSSIAN ? k * k : k;
    const long double of_person = person_weight(&w, which);
    long double row = case_weight(&w, which);
    if (which == 0) row = fmaxl(row, case_weight(&w, 1));
    if (rows == 0 || which == 2) return times * row + of_person;
    const long double added = case_weight(&w, 2);
    row = fmaxl(row, added);
    const long double uneven = mechanism == SBL_DISCRETE_GAUSSIAN
                                   ? powl((k - 1.0L) * sqrtl(row) + sqrtl(added), 2.0L)
                                   : (k - 1.0L) * row + added;
    return fmaxl(times * row, uneven + of_person);
}

static sbl_status check_blocks(sbl_neighbours neighbours, const sbl_sensitivity *blocks,
                               const double *weights, size_t count, sbl_error *err)
{
    if (count == 0) return sbl_fail(err, SBL_EARG, "a release needs at least one block");
    for (size_t b = 0; b < count; b++) {
        const bool moves = neighbours == SBL_ADD_REMOVE
                               ? blocks[b].one_record != 0
                               : (blocks[b].same_label | blocks[b].label_change) != 0;
        if (!moves)
            return sbl_fail(err, SBL_EARG,
                            "block %zu does not depend on any one record: it needs no noise and "
                            "cannot be part of a release",
                            b);
        if (!(weights[b] > 0.0) || !isfinite(weights[b]))
            return sbl_fail(err, SBL_EARG, "the weight of block %zu must be positive and finite", b);
    }
    return SBL_OK;
}

/* multiplier_b = floor(scale w_b). */
static sbl_status scale_weights(uint64_t *multipliers, const double *weights, size_t count, long double scale,
                                sbl_error *err)
{
    for (size_t b = 0; b < count; b++) {
        const long double product = floorl(scale * weights[b]);
        if (!(product < MULTIPLIER_LIMIT))
            return sbl_fail(err, SBL_EARG, "the multiplier of block %zu does not fit 62 bits: spend less", b);
        if (product < 1.0L)
            return sbl_fail(err, SBL_EARG,
                            "the multiplier of block %zu would be zero: spend more, or give the "
                            "block a larger weight",
                            b);
        multipliers[b] = (uint64_t)product;
    }
    return SBL_OK;
}

sbl_status sbl_choose_multipliers(uint64_t *multipliers, sbl_mechanism mechanism, sbl_neighbours neighbours,
                                  const sbl_sensitivity *blocks, const double *weights, size_t count,
                                  double amount, sbl_error *err)
{
    sbl_u128 limit;
    sbl_u128 joint;
    sbl_status status = SBL_OK;
    for (size_t b = 0; b < count; b++) multipliers[b] = 0;
    SBL_TRY(check_blocks(neighbours, blocks, weights, count, err));
    SBL_TRY(joint_limit(&limit, mechanism, amount, err));
    /* Start a little above the answer and step down until the integers agree. */
    const long double cost = unit_cost(mechanism, neighbours, blocks, weights, count);
    long double scale = (long double)limit / cost;
    if (mechanism == SBL_DISCRETE_GAUSSIAN) scale = sqrtl(scale);
    scale *= 1.0L + 0x1p-50L;
    do {
        SBL_TRY(scale_weights(multipliers, weights, count, scale, err));
        scale *= 1.0L - 0x1p-52L;
    } while (sbl_joint_sensitivity(&joint, mechanism, neighbours, blocks, multipliers, count, NULL) !=
                 SBL_OK ||
             joint > limit);
done:
    for (size_t b = 0; status != SBL_OK && b < count; b++) multipliers[b] = 0;
    return status;
}

/* Between fixed96 and double, exactly or in the direction named. */

#define DOUBLE_BITS 53

static double to_double(sbl_u128 value, bool up)
{
    int shift = 0;
    while (value >> shift >> DOUBLE_BITS != 0) shift++;
    sbl_u128 top = value >> shift;
    if (up && top << shift != value) top++;
    return ldexp((double)(uint64_t)top, shift - 96);
}

double sbl_fixed96_to_double_up(sbl_u128 value) { return to_double(value, true); }
double sbl_fixed96_to_double_down(sbl_u128 value) { return to_double(value, false); }

static sbl_status from_double(sbl_u128 *value, double number, bool up, sbl_error *err)
{
    int exponent;
    *value = 0;
    if (!(number >= 0.0 && number < 0x1p32))
        return sbl_fail(err, SBL_EARG, "a charge must be at least 0 and less than 2^32");
    /* number = mantissa 2^(exponent - 53), the mantissa an integer of at most 53 bits. */
    const sbl_u128 mantissa = (sbl_u128)ldexp(frexp(number, &exponent), DOUBLE_BITS);
    const int shift = exponent - DOUBLE_BITS + 96;
    if (shift >= 0) {
        *value = mantissa << shift;
        return SBL_OK;
    }
    const int drop = shift < -64 ? 64 : -shift;
    *value = mantissa >> drop;
    if (up && *value << drop != mantissa) ++*value;
    return SBL_OK;
}

sbl_status sbl_fixed96_from_double_up(sbl_u128 *value, double number, sbl_error *err)
{
    return from_double(value, number, true, err);
}

sbl_status sbl_fixed96_from_double_down(sbl_u128 *value, double number, sbl_error *err)
{
    return from_double(value, number, false, err);
}
