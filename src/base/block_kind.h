/* What the integers of a block are, for those who sum them and those who charge for them. */
#ifndef SBL_BASE_BLOCK_KIND_H
#define SBL_BASE_BLOCK_KIND_H

/* Squares and products are formed inside accumulate/ from the enforced integers q of their source
 * block, after the clip: whatever bound holds for q then holds for them in integers, and for all
 * three together (docs/mechanisms/ron-gauss.md). */
typedef enum sbl_block_kind {
    SBL_BLOCK_VECTOR = 0, /* q itself: the features that the caller feeds */
    SBL_BLOCK_SQUARES,    /* q_i^2, i < outer */
    SBL_BLOCK_PRODUCTS,   /* q_i q_j, i < j < outer, row by row */
    SBL_BLOCK_PERSONS     /* how many persons have 1, 2, ..., k rows that count: formed inside
                           * accumulate/ from whose row it is (docs/mechanisms/unit.md) */
} sbl_block_kind;

#endif
