/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of data it is, what the integers of a block are, and whose row it is: facts that several folders name. */
#ifndef SBL_BASE_KINDS_H
#define SBL_BASE_KINDS_H

#include <stdint.h>

typedef enum sbl_data_kind { SBL_DATA_TABLE = 0, SBL_DATA_IMAGES } sbl_data_kind;

/* The name used in files. */
static inline const char *sbl_data_kind_name(sbl_data_kind kind)
{
    return kind == SBL_DATA_IMAGES ? "images" : "table";
}

/* What the integers of a block are, for those who sum them and those who charge for them. */

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

/* Whose row it is, for tables in which one person may own several rows. */

/* The most rows of one person that can be made to count. Noise grows with the number. */
#define SBL_ROWS_PER_UNIT_MAX 1024

/* A keyed hash of the cell that identifies a person (base/siphash.h). Both 0: the cell names no person,
 * and the row counts as a separate person. Privacy: as secret as the cell. */
typedef struct sbl_unit_tag {
    uint64_t low, high;
} sbl_unit_tag;

#endif
