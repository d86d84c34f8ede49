/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Each block gives each of its two columns a lean, where that is a number. */
#include "after/pairs/pairs_leans.h"

#define WHAT "drawing rows"

static sbl_code_cells cells_of(const sbl_pairs_model *model, const uint32_t *ordered, size_t j)
{
    const size_t at = model->cells_at[j];
    return (sbl_code_cells){.code_of = model->code_of + at,
                            .share = model->share + at,
                            .cells = (uint32_t)(model->cells_at[j + 1] - at),
                            .codes = model->potts.columns[j].codes,
                            .ordered = ordered != NULL ? ordered[j] : 0};
}

/* What a block says of its column j. */
static sbl_status add_lean(sbl_pairs_leans *leans, size_t number, sbl_pool *pool, const sbl_potts *potts,
                           const sbl_potts_block *block, size_t j, const sbl_code_places *places,
                           sbl_error *err)
{
    const bool is_first = block->first == j;
    const uint32_t other = is_first ? block->second : block->first;
    const size_t wide = sbl_potts_size(potts, block->second, block->grouped);
    const sbl_interaction of = {.theta = potts->theta + block->at,
                                .own_step = is_first ? wide : 1,
                                .other_step = is_first ? 1 : wide,
                                .other_codes = sbl_potts_size(potts, other, block->grouped),
                                .own_group = block->grouped ? potts->columns[j].group_of : NULL};
    float *slopes;
    sbl_status status = SBL_OK;
    SBL_POOL(pool, slopes, places->codes, of.other_codes, WHAT);
    sbl_slopes_set(slopes, places, &of);
    leans->others[number] = other;
    leans->leans[number] = (sbl_lean){.slopes = slopes,
                                      .group = block->grouped ? potts->columns[other].group_of : NULL,
                                      .stride = 1,
                                      .other_codes = of.other_codes};
done:
    return status;
}

static bool has(const sbl_potts_block *block, size_t j) { return block->first == j || block->second == j; }

sbl_status sbl_pairs_leans_init(sbl_pairs_leans *leans, sbl_pool *pool, const sbl_pairs_model *model,
                                const uint32_t *ordered, sbl_error *err)
{
    const sbl_potts *potts = &model->potts;
    size_t number = 0;
    sbl_status status = SBL_OK;
    *leans = (sbl_pairs_leans){0};
    SBL_POOL(pool, leans->columns, potts->count, 1, WHAT);
    SBL_POOL(pool, leans->first, potts->count + 1, 1, WHAT);
    SBL_POOL(pool, leans->leans, potts->block_count, 2, WHAT);
    SBL_POOL(pool, leans->others, potts->block_count, 2, WHAT);
    for (size_t j = 0; j < potts->count; j++) {
        sbl_code_places places;
        leans->columns[j] = cells_of(model, ordered, j);
        leans->first[j] = number;
        if (leans->columns[j].ordered == 0) continue;
        SBL_TRY(sbl_code_places_init(&places, pool, &leans->columns[j], err));
        for (size_t b = 0; b < potts->block_count; b++)
            if (has(&potts->blocks[b], j))
                SBL_TRY(add_lean(leans, number++, pool, potts, &potts->blocks[b], j, &places, err));
    }
    leans->first[potts->count] = number;
done:
    return status;
}
