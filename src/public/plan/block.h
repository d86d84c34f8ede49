/* SPDX-License-Identifier: Apache-2.0 */
/* A block: a vector of integers per record that is summed, with the facts about it at every stage. A layout
 * says what is enforced, a release adds multiplier and position, and a certificate lists the same block
 * again with the sensitivity that follows from its bounds.
 *
 * The bounds are enforced on every record by an integer test and an integer clip
 * (records/accumulate/enforce.c), never assumed. The release step derives every sensitivity from these
 * fields and from nothing else. Blocks live on the heap; only memory limits their number.
 */
#ifndef SBL_PLAN_BLOCK_H
#define SBL_PLAN_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kinds.h"
#include "public/account/charge.h"

#define SBL_BLOCK_NAME_SIZE 32
#define SBL_GRID_BITS 28 /* the usual norm bound is R = 2^28 grid units */
#define SBL_GRID_BOUND2 (UINT64_C(1) << (2 * SBL_GRID_BITS))
#define SBL_BOUND2_MAX (UINT64_C(1) << 60)
#define SBL_MOMENTS_BOUND2_MAX (UINT64_C(1) << 30) /* of a block that moments are formed from */
#define SBL_BOUND1_MAX (UINT64_C(1) << 62)
#define SBL_WIDTH_MAX (UINT64_C(1) << 32)

/* The name of the block that holds the number of records per class. */
#define SBL_COUNTS_BLOCK "counts"
/* And of the one that holds the number of persons by how many of their rows count. */
#define SBL_PERSONS_BLOCK "persons"

struct sbl_levels; /* records/accumulate/levels.h */

typedef struct sbl_block {
    /* What is enforced: every station. */
    char name[SBL_BLOCK_NAME_SIZE]; /* [a-z0-9_.-]+, its own among the blocks of a release */
    size_t width;                   /* coordinates per record, >= 1 */
    size_t group;        /* 0: the bounds hold for the whole record. Else width % group == 0 and each run
                     * of `group` coordinates is held to floor(bound / (width / group)), which implies
                     * the bound and lets a record be fed in pieces. Known to layouts only */
    bool per_class;      /* true: one sum per class; false: one sum over all records */
    bool nonnegative;    /* negative coordinates become 0 */
    bool pairwise;       /* any two records are at most sqrt(2 bound2) apart, as nonnegative ones are:
                       * their integers come from `levels`, of which every pair was compared */
    uint64_t bound2;     /* sum of q_i^2 <= bound2 <= 2^60 */
    uint64_t bound1;     /* sum of |q_i| <= bound1 <= 2^62; 0: no such bound, then no Laplace release;
                       * and for squares and products, whose L1 bound follows from bound2 */
    double scale;        /* q_i = rint(scale * feature_i); positive, finite */
    sbl_block_kind kind; /* the rest of this part is empty for a block of features */
    char source[SBL_BLOCK_NAME_SIZE]; /* SQUARES, PRODUCTS: the block they are formed from, and */
    size_t outer;                     /* how many of its first coordinates take part */
    unsigned survival_bits; /* not 0: the coordinates are keys that are not known beforehand, a record
                             * has bound2 ones at most, each in another; of these only the ones
                             * whose noisy count passes a threshold are named and released
                             * (public/account/survival.h), and width is how many were. In a layout:
                             * SBL_KEYS_MOST */
    bool withheld;          /* a source that is fed and enforced, but whose own sum is neither kept nor
                    * released: only its squares and products are. Known to layouts only */
    const struct sbl_levels *levels; /* of a pairwise block: what its records are looked up in;
                                      * borrowed. Known to layouts only */

    /* In a release and in a certificate; 0 before. */
    uint64_t multiplier; /* of the sum, before noise of scale 2^56 is added; 1 to 2^62 - 1 */
    size_t offset;       /* of its first value among those of the release; (columns, width) row-major */
    sbl_sensitivity sensitivity; /* what one record may move; derived, whatever stands here */
} sbl_block;

/* The block of squares or products of the first `outer` coordinates of source. Its bound2 is the
 * source's squared (at most 2^60, so the source's norm is at most 2^15 grid units), its scale the
 * source's squared, and it has no bound1: its L1 bounds follow from bound2. Products need outer >=
 * 2. A name that is too long is cut. */
sbl_block sbl_block_of_moments(const char *name, sbl_block_kind kind, const sbl_block *source, size_t outer);

/* The number of records per class, as a block: one 1 per record. */
sbl_block sbl_block_of_counts(size_t classes);

/* How many persons have 1, 2, ..., rows_per_unit rows that count: of each person a 1 in one place.
 */
sbl_block sbl_block_of_persons(uint64_t rows_per_unit);

/* Does the block hold squares or products? */
static inline bool sbl_block_is_moments(const sbl_block *block)
{
    return block->kind == SBL_BLOCK_SQUARES || block->kind == SBL_BLOCK_PRODUCTS;
}

/* Coordinates of squares or products of `outer` coordinates. */
size_t sbl_moments_width(sbl_block_kind kind, size_t outer);

/* How many sums stand side by side: classes, or 1. */
size_t sbl_block_columns(const sbl_block *block, size_t classes);

/* The number of the block with this name; count when there is none. */
size_t sbl_block_find(const sbl_block *blocks, size_t count, const char *name);

/* The scale that takes features of norm <= norm to the grid without ever tripping the clip: c R /
 * norm with the public pre-shrink c = 1 - (ceil(sqrt(width)) / 2 + 1) / R - 2^-20 and R =
 * floor(sqrt(bound2)) (docs/mechanisms/fixed-point.md). For a block with groups, pass a group's
 * width, bound2 and norm. Not positive, so refused by sbl_layout_validate, where the grid is too
 * coarse for the width: such blocks (one-hot, histograms) hold integers and set their own scale. */
double sbl_block_scale(size_t width, uint64_t bound2, double norm);

#endif
