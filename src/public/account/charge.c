/* SPDX-License-Identifier: Apache-2.0 */
/* Costs in integers: compiled without floating point. */
#include "public/account/charge.h"

const char *const sbl_neighbours_names[] = {"replace-one", "add-remove", NULL};
const char *const sbl_mechanism_names[] = {"discrete-gaussian", "discrete-laplace", NULL};

const char *sbl_neighbours_name(sbl_neighbours neighbours)
{
    return sbl_neighbours_names[neighbours == SBL_ADD_REMOVE];
}

const char *sbl_mechanism_name(sbl_mechanism mechanism)
{
    return sbl_mechanism_names[mechanism == SBL_DISCRETE_LAPLACE];
}

/* The bounds of docs/mechanisms/ron-gauss.md, for z z^T - z' z'^T with |z|^2, |z'|^2 <= norm2. */
sbl_sensitivity sbl_moments_sensitivity(sbl_mechanism mechanism, sbl_block_kind kind, uint64_t norm2,
                                        uint64_t outer, bool per_class)
{
    sbl_sensitivity result = {.is_moments = true};
    if (mechanism == SBL_DISCRETE_GAUSSIAN) {
        /* Frobenius norm: at most 2 norm2^2, since each product occurs in it twice. */
        result.one_record = kind == SBL_BLOCK_SQUARES ? norm2 * norm2 : (norm2 * norm2 + 1) / 2;
        result.same_label = 2 * result.one_record;
        result.label_change = result.same_label;
        return result;
    }
    /* Upper triangle with the diagonal: min(sqrt(p (p + 3) / 2), p / sqrt 2 + 1) norm2. */
    const sbl_u128 square = (sbl_u128)norm2 * norm2;
    const sbl_u128 by_entries = sbl_u128_sqrt_ceil((sbl_u128)outer * (outer + 3) / 2 * square);
    const sbl_u128 by_halves = sbl_u128_sqrt_ceil(((sbl_u128)outer * outer * square + 1) / 2) + norm2;
    result.same_label = (uint64_t)(by_entries < by_halves ? by_entries : by_halves);
    result.label_change = per_class ? (outer + 1) * norm2 : result.same_label;
    result.one_record = ((outer + 1) * norm2 + 1) / 2;
    return result;
}

/* The cases that exclude each other. */
typedef enum { SAME_LABEL, LABEL_CHANGE, ONE_RECORD } change;

static uint64_t sensitivity_in(const sbl_sensitivity *block, change what)
{
    if (what == ONE_RECORD) return block->one_record;
    return what == SAME_LABEL ? block->same_label : block->label_change;
}

/* m^2 s (Gaussian) or m s (Laplace). */
static bool cost_of(sbl_u128 *cost, sbl_mechanism mechanism, uint64_t multiplier, uint64_t s)
{
    sbl_u128 factor = multiplier;
    if (mechanism == SBL_DISCRETE_GAUSSIAN) factor *= multiplier; /* 128 bits hold any square */
    return sbl_u128_mul(cost, factor, s);
}

/* A vector's cost beside `moments`, the larger cost of its squares and products: charge.h has the
 * formula. */
static bool vector_cost(sbl_u128 *cost, sbl_mechanism mechanism, uint64_t multiplier,
                        const sbl_sensitivity *vector, change what, sbl_u128 moments)
{
    const uint64_t s = sensitivity_in(vector, what);
    sbl_u128 unit = 0;
    if (!cost_of(cost, mechanism, multiplier, s)) return false;
    if (mechanism == SBL_DISCRETE_LAPLACE || s / 2 <= vector->one_record)
        return sbl_u128_add(cost, *cost, moments);
    /* Here s = 4 one_record, and four times the unit fits. */
    (void)cost_of(&unit, mechanism, multiplier, vector->one_record);
    if (unit >= moments) return true;
    return sbl_u128_add(cost, 2 * unit + sbl_u128_mul_div_up(unit, unit, moments), moments);
}

/* What the blocks of the family of block `first`, its first, cost in a case. */
static bool family_cost(sbl_u128 *cost, sbl_mechanism mechanism, const sbl_sensitivity *blocks,
                        const uint64_t *multipliers, size_t first, size_t count, change what)
{
    size_t vector = count;
    sbl_u128 moments = 0;
    for (size_t b = first; b < count; b++) {
        sbl_u128 own;
        if (blocks[b].family != blocks[first].family) continue;
        if (!blocks[b].is_moments) {
            vector = b;
            continue;
        }
        if (!cost_of(&own, mechanism, multipliers[b], sensitivity_in(&blocks[b], what))) return false;
        if (own > moments) moments = own;
    }
    *cost = moments;
    return vector == count ||
           vector_cost(cost, mechanism, multipliers[vector], &blocks[vector], what, moments);
}

static bool starts_its_family(const sbl_sensitivity *blocks, size_t block)
{
    for (size_t b = 0; b < block; b++)
        if (blocks[b].family == blocks[block].family) return false;
    return true;
}

/* The formula of a family knows one vector. */
static bool has_two_vectors(const sbl_sensitivity *blocks, size_t count)
{
    for (size_t b = 0; b < count; b++) {
        if (blocks[b].family == 0 || blocks[b].is_moments) continue;
        for (size_t other = 0; other < b; other++)
            if (blocks[other].family == blocks[b].family && !blocks[other].is_moments) return true;
    }
    return false;
}

/* The blocks of one case add up; those of_person are not of one row. */
static bool case_cost(sbl_u128 *total, sbl_mechanism mechanism, const sbl_sensitivity *blocks,
                      const uint64_t *multipliers, size_t count, change what)
{
    *total = 0;
    for (size_t b = 0; b < count; b++) {
        sbl_u128 cost = 0;
        bool fits = true;
        if (blocks[b].of_person) continue;
        if (blocks[b].family == 0)
            fits = cost_of(&cost, mechanism, multipliers[b], sensitivity_in(&blocks[b], what));
        else if (starts_its_family(blocks, b))
            fits = family_cost(&cost, mechanism, blocks, multipliers, b, count, what);
        if (!fits || !sbl_u128_add(total, *total, cost)) return false;
    }
    return true;
}

/* What the blocks of_person cost. */
static bool person_cost(sbl_u128 *total, sbl_mechanism mechanism, const sbl_sensitivity *blocks,
                        const uint64_t *multipliers, size_t count, change what)
{
    *total = 0;
    for (size_t b = 0; b < count; b++) {
        sbl_u128 cost = 0;
        if (!blocks[b].of_person) continue;
        if (!cost_of(&cost, mechanism, multipliers[b], sensitivity_in(&blocks[b], what)) ||
            !sbl_u128_add(total, *total, cost))
            return false;
    }
    return true;
}

/* What a person with up to k rows costs, from what rows do and the blocks of_person. */
typedef struct person_rows {
    uint64_t k;         /* 0: a row is a person */
    sbl_u128 dearest;   /* J: of one row, in the worst case */
    sbl_u128 added;     /* of one row that is there or not */
    sbl_u128 of_person; /* P */
} person_rows;

/* How much less than k rows that are exchanged it costs, at least, that k - 1 are and one is added:
 *     k^2 J - ((k - 1) sqrt J + sqrt J_1)^2  =  (2 k - 1) J - 2 (k - 1) sqrt(J J_1) - J_1,
 * with roots rounded up; Laplace: k J - ((k - 1) J + J_1). Nothing overflows where k^2 J does not,
 * for J_1 <= J. */
static sbl_u128 saved_when_uneven(sbl_mechanism mechanism, const person_rows *p)
{
    if (mechanism == SBL_DISCRETE_LAPLACE) return p->dearest - p->added;
    const sbl_u128 whole = (2 * (sbl_u128)p->k - 1) * p->dearest;
    const sbl_u128 roots = (sbl_u128)sbl_u128_sqrt_ceil(p->dearest) * sbl_u128_sqrt_ceil(p->added);
    const sbl_u128 left = 2 * ((sbl_u128)p->k - 1) * roots + p->added;
    return whole > left ? whole - left : 0;
}

/* Between persons with the same number of rows no block of_person changes; otherwise at most k - 1 rows are
 * exchanged. Proof: docs/mechanisms/unit.md. */
static bool joint_of_persons(sbl_u128 *joint, sbl_mechanism mechanism, bool replaced, const person_rows *p)
{
    sbl_u128 times = p->k == 0 ? 1 : p->k;
    sbl_u128 even = 0;
    sbl_u128 uneven = 0;
    if (mechanism == SBL_DISCRETE_GAUSSIAN) times *= times; /* 128 bits hold any square */
    if (!sbl_u128_mul(&even, times, p->dearest)) return false;
    const sbl_u128 saved = replaced && p->k != 0 ? saved_when_uneven(mechanism, p) : 0;
    if (!sbl_u128_add(&uneven, even - saved, p->of_person)) return false;
    *joint = even > uneven ? even : uneven;
    return true;
}

static uint64_t rows_of_unit(const sbl_sensitivity *blocks, size_t count)
{
    uint64_t rows = 0;
    for (size_t b = 0; b < count; b++)
        if (blocks[b].rows_per_unit > rows) rows = blocks[b].rows_per_unit;
    return rows;
}

sbl_status sbl_joint_sensitivity(sbl_u128 *joint, sbl_mechanism mechanism, sbl_neighbours neighbours,
                                 const sbl_sensitivity *blocks, const uint64_t *multipliers, size_t count,
                                 sbl_error *err)
{
    /* The cases exclude each other, so the blocks of one case add up and the cases compete. */
    sbl_u128 costs[3] = {0};
    person_rows person = {.k = rows_of_unit(blocks, count)};
    const bool replaced = neighbours == SBL_REPLACE_ONE;
    bool fits = person_cost(&person.of_person, mechanism, blocks, multipliers, count,
                            replaced ? SAME_LABEL : ONE_RECORD);
    if (replaced)
        fits = case_cost(&costs[0], mechanism, blocks, multipliers, count, SAME_LABEL) &&
               case_cost(&costs[1], mechanism, blocks, multipliers, count, LABEL_CHANGE) && fits;
    /* One who takes a person's place may have fewer rows, or more. */
    if (!replaced || person.k != 0)
        fits = case_cost(&costs[2], mechanism, blocks, multipliers, count, ONE_RECORD) && fits;
    for (size_t c = 0; c < 3; c++)
        if (costs[c] > person.dearest) person.dearest = costs[c];
    person.added = costs[2];
    *joint = 0;
    if (has_two_vectors(blocks, count))
        return sbl_fail(err, SBL_EARG, "a family of blocks has one vector at most");
    if (!fits || !joint_of_persons(joint, mechanism, replaced, &person))
        return sbl_fail(err, SBL_EARG,
                        "the joint sensitivity of %zu blocks does not fit 128 bits: use smaller "
                        "multipliers",
                        count);
    return SBL_OK;
}

sbl_status sbl_charge_from_joint(sbl_charge *charge, sbl_mechanism mechanism, sbl_u128 joint, uint64_t draws,
                                 sbl_error *err)
{
    *charge = (sbl_charge){0};
    if (mechanism == SBL_DISCRETE_GAUSSIAN) {
        /* joint / 2^112 as a numerator over 2^96. */
        const unsigned excess = 2 * SBL_NOISE_SCALE_BITS - 96;
        const sbl_u128 below_one = ((sbl_u128)1 << excess) - 1;
        charge->mu2 = (joint >> excess) + ((joint & below_one) != 0);
        charge->draws = draws;
        return SBL_OK;
    }
    /* joint / 2^56 as a numerator over 2^96: exact. */
    if (!sbl_u128_mul(&charge->eps0, joint, (sbl_u128)1 << (96 - SBL_NOISE_SCALE_BITS)))
        return sbl_fail(err, SBL_EARG, "a pure epsilon of 2^32 or more cannot be charged");
    return SBL_OK;
}

sbl_status sbl_charge_add(sbl_charge *total, const sbl_charge *charge, sbl_error *err)
{
    sbl_charge sum;
    if (!sbl_u128_add(&sum.mu2, total->mu2, charge->mu2) ||
        !sbl_u128_add(&sum.eps0, total->eps0, charge->eps0) ||
        !sbl_u128_add(&sum.delta, total->delta, charge->delta) ||
        __builtin_add_overflow(total->draws, charge->draws, &sum.draws))
        return sbl_fail(err, SBL_EARG, "the sum of the charges is too large to be recorded");
    *total = sum;
    return SBL_OK;
}

/* What a running total costs a group of units, added to another total (docs/mechanisms/accounting.md,
 * "Ledgers of the same people"). Integers only: the factor is exact, and nothing is rounded. */

/* sum + part * factor; false when it does not fit. */
static bool add_times(sbl_u128 *sum, sbl_u128 part, sbl_u128 factor)
{
    sbl_u128 times;
    return sbl_u128_mul(&times, part, factor) && sbl_u128_add(sum, *sum, times);
}

sbl_status sbl_totals_add_group(sbl_totals *sum, const sbl_totals *part, uint64_t units, sbl_error *err)
{
    sbl_totals total = *sum;
    sbl_charge *to = &total.charge;
    const sbl_charge *from = &part->charge;
    const sbl_u128 once = units;
    if (units == 0 || (units > 1 && from->delta != 0))
        return sbl_fail(err, SBL_EARG, "the delta of released keys is known for one unit only");
    if (!add_times(&to->mu2, from->mu2, once * once) || !add_times(&to->eps0, from->eps0, once) ||
        !add_times(&to->delta, from->delta, 1) ||
        __builtin_add_overflow(to->draws, from->draws, &to->draws) ||
        __builtin_add_overflow(total.releases, part->releases, &total.releases) ||
        __builtin_add_overflow(total.gaussian_releases, part->gaussian_releases, &total.gaussian_releases))
        return sbl_fail(err, SBL_EARG, "the costs are too large to be added up");
    *sum = total;
    return SBL_OK;
}
