/* From what accumulate/ enforces to what account/ charges. Proofs:
 * docs/mechanisms/joint-release.md.
 *
 * With ||q|| <= R enforced per record (bound2 = R^2), one record replaced moves a block's sum by
 * q - q':
 *   signed            ||q - q'||^2 <= (||q|| + ||q'||)^2                 <= 4 R^2
 *   non-negative      ||q - q'||^2 <= ||q||^2 + ||q'||^2 (<q, q'> >= 0)  <= 2 R^2
 *   other class       q leaves one class's sum and q' enters another's   <= 2 R^2
 * and in the L1 norm every one of them is at most 2 R1. One record added or removed: R^2, R1. */
#include "privatise/privatise.h"

static sbl_sensitivity gaussian_sensitivity(const sbl_block *block)
{
    const uint64_t any_two = (block->nonnegative ? 2 : 4) * block->bound2;
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

sbl_status sbl_layout_sensitivities(sbl_sensitivity *blocks, const sbl_layout *layout,
                                    sbl_mechanism mechanism, sbl_neighbours neighbours,
                                    sbl_error *err)
{
    /* A label change moves one count down and one up; nothing else moves the counts. Squares and
     * absolute values of +-1 agree, so this serves both mechanisms. */
    static const sbl_sensitivity counts = {.same_label = 0, .label_change = 2, .one_record = 1};
    for (size_t b = 0; b < layout->block_count; b++) {
        const sbl_block *block = &layout->blocks[b];
        if (mechanism == SBL_DISCRETE_LAPLACE && block->bound1 == 0)
            return sbl_fail(err, SBL_EARG,
                            "block '%s' has no enforced L1 bound, which a pure release needs",
                            block->name);
        blocks[b] = mechanism == SBL_DISCRETE_LAPLACE ? laplace_sensitivity(block)
                                                      : gaussian_sensitivity(block);
    }
    if (!layout->counts) return SBL_OK;
    if (layout->classes == 1 && neighbours == SBL_REPLACE_ONE)
        return sbl_fail(err, SBL_EARG,
                        "counts of a single class are the public number of rows: leave them out");
    blocks[layout->block_count] = counts;
    return SBL_OK;
}
