/* What a running total costs a group of units, added to another total (docs/mechanisms/accounting.md,
 * "Ledgers of the same people"). Integers only: the factor is exact, and nothing is rounded. */
#include "account/budget.h"

/* sum + part * factor; false when it does not fit. */
static bool add_times(sbl_u128 *sum, sbl_u128 part, sbl_u128 factor)
{
    sbl_u128 times;
    return sbl_u128_mul(&times, part, factor) && sbl_u128_add(sum, *sum, times);
}

sbl_status sbl_totals_add_group(sbl_totals *sum, const sbl_totals *part, uint64_t units,
                                sbl_error *err)
{
    sbl_charge *to = &sum->charge;
    const sbl_charge *from = &part->charge;
    const sbl_u128 once = units;
    if (units == 0 || (units > 1 && from->delta != 0))
        return sbl_fail(err, SBL_EARG, "the delta of released keys is known for one unit only");
    if (!add_times(&to->mu2, from->mu2, once * once) || !add_times(&to->eps0, from->eps0, once) ||
        !add_times(&to->delta, from->delta, 1) ||
        __builtin_add_overflow(to->draws, from->draws, &to->draws) ||
        __builtin_add_overflow(sum->releases, part->releases, &sum->releases) ||
        __builtin_add_overflow(sum->gaussian_releases, part->gaussian_releases,
                               &sum->gaussian_releases))
        return sbl_fail(err, SBL_EARG, "the costs are too large to be added up");
    return SBL_OK;
}
