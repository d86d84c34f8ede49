/* Costs in integers: compiled without floating point. */
#include "account/charge.h"

const char *sbl_neighbours_name(sbl_neighbours neighbours)
{
    return neighbours == SBL_ADD_REMOVE ? "add-remove" : "replace-one";
}

const char *sbl_mechanism_name(sbl_mechanism mechanism)
{
    return mechanism == SBL_DISCRETE_LAPLACE ? "discrete-laplace" : "discrete-gaussian";
}

/* total += m^2 s (Gaussian) or m s (Laplace). */
static bool add_block(sbl_u128 *total, sbl_mechanism mechanism, uint64_t multiplier, uint64_t s)
{
    sbl_u128 factor = multiplier;
    if (mechanism == SBL_DISCRETE_GAUSSIAN) factor *= multiplier; /* 128 bits hold any square */
    sbl_u128 term;
    return sbl_u128_mul(&term, factor, s) && sbl_u128_add(total, *total, term);
}

sbl_status sbl_joint_sensitivity(sbl_u128 *joint, sbl_mechanism mechanism,
                                 sbl_neighbours neighbours, const sbl_sensitivity *blocks,
                                 const uint64_t *multipliers, size_t count, sbl_error *err)
{
    /* The cases exclude each other, so the blocks of one case add up and the cases compete. */
    sbl_u128 same = 0;
    sbl_u128 change = 0;
    bool fits = true;
    *joint = 0;
    for (size_t b = 0; b < count && fits; b++) {
        const uint64_t m = multipliers[b];
        if (neighbours == SBL_ADD_REMOVE)
            fits = add_block(&same, mechanism, m, blocks[b].one_record);
        else
            fits = add_block(&same, mechanism, m, blocks[b].same_label) &&
                   add_block(&change, mechanism, m, blocks[b].label_change);
    }
    if (!fits)
        return sbl_fail(err, SBL_EARG,
                        "the joint sensitivity of %zu blocks does not fit 128 bits: use smaller "
                        "multipliers",
                        count);
    *joint = same > change ? same : change;
    return SBL_OK;
}

sbl_status sbl_charge_from_joint(sbl_charge *charge, sbl_mechanism mechanism, sbl_u128 joint,
                                 uint64_t draws, sbl_error *err)
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
