/* SPDX-License-Identifier: Apache-2.0 */
/* Tries every pair of contributions, so its cost is quadratic in their number. Everything that
 * decides is in 128-bit integers that saturate; doubles only fill `reach`, which is for people
 * and above 1 exactly where a bound broke. */
#include "owner/audit/change.h"

#include <math.h>

#define LARGEST_ROOT ((sbl_u128)1 << 64)

static const int64_t *exact_values(const sbl_sum *sum, size_t i)
{
    const sbl_layout *layout = sbl_sum_layout(sum);
    const size_t block = sbl_layout_noisy_block(layout, i);
    return block == layout->block_count ? sbl_sum_counts(sum) : sbl_sum_values(sum, block);
}

sbl_i128 sbl_scaled_value(const sbl_sum *sum, const sbl_release *release, size_t i, size_t at)
{
    return sum != NULL ? (sbl_i128)release->blocks[i].multiplier * exact_values(sum, i)[at] : 0;
}

/* total += step or step^2; whatever does not fit is the largest number. */
static sbl_u128 add_step(sbl_u128 total, sbl_u128 step, sbl_mechanism mechanism)
{
    sbl_u128 sum;
    if (mechanism == SBL_DISCRETE_GAUSSIAN) {
        if (step >= LARGEST_ROOT) return SBL_U128_MAX;
        step *= step;
    }
    return sbl_u128_add(&sum, total, step) ? sum : SBL_U128_MAX;
}

sbl_u128 sbl_change_between(const sbl_sum *first, const sbl_sum *second, const sbl_release *release)
{
    sbl_u128 moved = 0;
    for (size_t i = 0; i < release->block_count; i++) {
        const sbl_block *block = &release->blocks[i];
        const size_t values = block->width * sbl_block_columns(block, release->classes);
        const int64_t *a = exact_values(first, i);
        const int64_t *b = second != NULL ? exact_values(second, i) : NULL;
        for (size_t v = 0; v < values; v++) {
            const sbl_i128 step = (sbl_i128)block->multiplier * (b != NULL ? a[v] - b[v] : a[v]);
            if (step != 0) moved = add_step(moved, (sbl_u128)(step < 0 ? -step : step), release->mechanism);
        }
    }
    return moved;
}

/* Does what the ledger was charged cover the joint sensitivity? Both are in its line. */
static bool charge_covers(const sbl_ledger_entry *entry)
{
    return entry->mechanism == SBL_DISCRETE_GAUSSIAN
               ? (entry->joint >> 16) + ((entry->joint & 0xffff) != 0) <= entry->charge.mu2
               : entry->joint <= entry->charge.eps0 >> 40;
}

static double reach_of(const sbl_change *change, const sbl_ledger_entry *entry)
{
    const double part = (double)change->moved / (double)entry->joint;
    const double reach = entry->mechanism == SBL_DISCRETE_GAUSSIAN ? sqrt(part) : part;
    return change->within ? fmin(reach, 1.0) : fmax(reach, nextafter(1.0, 2.0));
}

void sbl_change_judge(sbl_change *change, const sbl_ledger_entry *entry)
{
    change->within = change->moved <= entry->joint && charge_covers(entry);
    change->reach = reach_of(change, entry);
}

sbl_change sbl_change_largest(const sbl_contributions *all, const sbl_release *release,
                              const sbl_ledger_entry *entry)
{
    const bool replace = entry->neighbours == SBL_REPLACE_ONE;
    sbl_change change = {.second = SBL_NO_CONTRIBUTION};
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = replace ? i + 1 : all->count; j < all->count + !replace; j++) {
            const sbl_sum *other = replace ? all->sums[j] : NULL;
            const sbl_u128 moved = sbl_change_between(all->sums[i], other, release);
            change.pairs++;
            if (moved <= change.moved) continue;
            change.moved = moved;
            change.first = i;
            change.second = replace ? j : SBL_NO_CONTRIBUTION;
        }
    sbl_change_judge(&change, entry);
    return change;
}
