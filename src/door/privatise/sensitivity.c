/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the sensitivities that public/account charges from the bounds that records/accumulate enforces.
 * Proofs: docs/mechanisms/joint-release.md.
 *
 * Each record is held to ||q|| <= R (bound2 = R^2). Replacing one record moves a block's sum by q - q':
 *   signed            ||q - q'||^2 <= (||q|| + ||q'||)^2                 <= 4 R^2
 *   non-negative      ||q - q'||^2 <= ||q||^2 + ||q'||^2 (<q, q'> >= 0)  <= 2 R^2
 *   pairwise          ||q - q'||^2 <= 2 R^2, compared pair by pair       (records/accumulate/levels.h)
 *   other class       q leaves one class's sum and q' enters another's   <= 2 R^2
 * In the L1 norm each of them is at most 2 R1. For one record that is added or removed, the squared distance is
 * at most R^2, and R1 in the L1 norm.
 *
 * If up to k rows of a person count, these are the bounds for one row. public/account computes the joint
 * sensitivity of a person, whose replacement may have fewer or more rows (docs/mechanisms/unit.md). The
 * block of persons holds a 1 for each person: its bound is 1, and 2 if a person is replaced. Squares and
 * products: public/account/charge.c, with proofs in docs/mechanisms/ron-gauss.md. */
#include "door/privatise/privatise.h"

#include "base/alloc.h"
#include "public/account/survival.h"

static sbl_sensitivity gaussian_sensitivity(const sbl_block *block)
{
    const uint64_t any_two =
        block->pairwise ? 2 * block->bound2 : (block->nonnegative ? 2 : 4) * block->bound2;
    const sbl_sensitivity result = {
        .same_label = any_two,
        .label_change = block->per_class ? 2 * block->bound2 : any_two,
        .one_record = block->bound2,
    };
    return result;
}

static sbl_sensitivity laplace_sensitivity(const sbl_block *block)
{
    const sbl_sensitivity result = {
        .same_label = 2 * block->bound1,
        .label_change = 2 * block->bound1,
        .one_record = block->bound1,
    };
    return result;
}

/* The most coordinates of a source that squares or products are formed from; 0: it is not a source. */
static size_t outer_of_family(const sbl_layout *layout, size_t source)
{
    size_t outer = 0;
    for (size_t b = 0; b < layout->block_count; b++) {
        const sbl_block *block = &layout->blocks[b];
        if (sbl_block_is_moments(block) && sbl_layout_source(layout, b) == source && block->outer > outer)
            outer = block->outer;
    }
    return outer;
}

static sbl_sensitivity sensitivity_of(const sbl_layout *layout, size_t b, sbl_mechanism mechanism)
{
    const sbl_block *block = &layout->blocks[b];
    /* With one class there is no label to change, and a certificate cannot tell such a block. */
    sbl_block told = *block;
    told.per_class = block->per_class && layout->classes > 1;
    const bool is_moments = sbl_block_is_moments(block);
    const size_t source = is_moments ? sbl_layout_source(layout, b) : b;
    const size_t outer = outer_of_family(layout, source);
    sbl_sensitivity result;
    if (is_moments)
        result = sbl_moments_sensitivity(mechanism, block->kind, layout->blocks[source].bound2, outer,
                                         told.per_class);
    else if (mechanism == SBL_DISCRETE_LAPLACE)
        result = laplace_sensitivity(block);
    else
        result = gaussian_sensitivity(&told);
    result.of_person = block->kind == SBL_BLOCK_PERSONS;
    if (outer != 0) result.family = source + 1;
    return result;
}

sbl_status sbl_layout_sensitivities(sbl_sensitivity *blocks, const sbl_layout *layout,
                                    sbl_mechanism mechanism, sbl_neighbours neighbours, sbl_error *err)
{
    /* A label change moves one count down and one up; nothing else moves the counts. Squares and
     * absolute values of +-1 agree, so this serves both mechanisms. */
    const sbl_sensitivity counts = {
        .label_change = 2, .one_record = 1, .rows_per_unit = layout->rows_per_unit};
    const size_t noisy = sbl_layout_noisy_blocks(layout);
    for (size_t i = 0; i < noisy; i++) {
        const size_t b = sbl_layout_noisy_block(layout, i);
        if (b == layout->block_count) continue;
        const sbl_block *block = &layout->blocks[b];
        if (mechanism == SBL_DISCRETE_LAPLACE && block->kind == SBL_BLOCK_VECTOR && block->bound1 == 0)
            return sbl_fail(err, SBL_EARG, "block '%s' has no enforced L1 bound, which a pure release needs",
                            block->name);
        blocks[i] = sensitivity_of(layout, b, mechanism);
        blocks[i].rows_per_unit = layout->rows_per_unit;
    }
    if (!layout->counts) return SBL_OK;
    if (layout->classes == 1 && sbl_rows_are_public(neighbours, layout->rows_per_unit))
        return sbl_fail(err, SBL_EARG,
                        "counts of a single class are the public number of rows: leave them out");
    blocks[noisy - 1] = counts;
    return SBL_OK;
}

sbl_u128 sbl_layout_extra_delta(const sbl_layout *layout, sbl_neighbours neighbours)
{
    const sbl_block *first = &layout->blocks[0]; /* keys are the one block of their layout */
    return first->survival_bits != 0 ? sbl_survival_delta(first->survival_bits, first->bound2, neighbours)
                                     : 0;
}

sbl_status sbl_layout_charge(sbl_charge *charge, sbl_u128 *joint, const sbl_layout *layout,
                             sbl_mechanism mechanism, sbl_neighbours neighbours, const uint64_t *multipliers,
                             sbl_error *err)
{
    const size_t count = sbl_layout_noisy_blocks(layout);
    sbl_sensitivity *sensitivities = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(sensitivities, count, "a plan");
    SBL_TRY(sbl_layout_sensitivities(sensitivities, layout, mechanism, neighbours, err));
    SBL_TRY(sbl_joint_sensitivity(joint, mechanism, neighbours, sensitivities, multipliers, count, err));
    SBL_TRY(sbl_charge_from_joint(charge, mechanism, *joint, sbl_layout_noisy_values(layout), err));
    charge->delta = sbl_layout_extra_delta(layout, neighbours);
done:
    sbl_free(sensitivities);
    return status;
}

void sbl_layout_describe(sbl_block *described, const sbl_layout *layout, const uint64_t *multipliers)
{
    const size_t noisy = sbl_layout_noisy_blocks(layout);
    size_t offset = 0;
    for (size_t i = 0; i < noisy; i++) {
        const size_t b = sbl_layout_noisy_block(layout, i);
        sbl_block *block = &described[i];
        *block = b == layout->block_count ? sbl_block_of_counts(layout->classes) : layout->blocks[b];
        block->group = 0; /* how a bound was enforced is the layout's own affair */
        block->levels = NULL;
        block->per_class = block->per_class && layout->classes > 1;
        block->multiplier = multipliers[i];
        block->offset = offset;
        offset += block->width * sbl_block_columns(block, layout->classes);
    }
}
