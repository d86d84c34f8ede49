/* What is summed and what is enforced: the public shape of a sum.
 *
 * A block is a vector of integers per record. Its bounds are enforced on every record by an integer
 * test and an integer clip (accumulate/enforce.c), never assumed; the door derives every
 * sensitivity from what stands here and from nothing else. */
#ifndef SBL_ACCUMULATE_LAYOUT_H
#define SBL_ACCUMULATE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/block_kind.h"
#include "base/hash.h"
#include "base/status.h"

#define SBL_BLOCK_NAME_SIZE 32
#define SBL_GRID_BITS 28 /* the usual norm bound is R = 2^28 grid units */
#define SBL_ROWS_CAP_DEFAULT (UINT64_C(1) << 34)
#define SBL_SUM_LIMIT (UINT64_C(1) << 62) /* rows_cap * (largest coordinate) must not exceed it */
#define SBL_BOUND2_MAX (UINT64_C(1) << 60)
#define SBL_MOMENTS_BOUND2_MAX (UINT64_C(1) << 30) /* of a block that moments are formed from */
#define SBL_BOUND1_MAX (UINT64_C(1) << 62)
#define SBL_WIDTH_MAX (UINT64_C(1) << 32)

typedef struct sbl_block {
    char name[SBL_BLOCK_NAME_SIZE]; /* [a-z0-9_.-]+ */
    size_t width;                   /* coordinates per record, >= 1 */
    size_t group;   /* 0: the bounds hold for the whole record. Else width % group == 0 and each run
                     * of `group` coordinates is held to floor(bound / (width / group)), which implies
                     * the bound and lets a record be fed in pieces */
    bool per_class; /* true: one sum per class; false: one sum over all records */
    bool nonnegative; /* negative coordinates become 0 */
    uint64_t bound2;  /* sum of q_i^2 <= bound2 <= 2^60 */
    uint64_t
        bound1;   /* sum of |q_i| <= bound1 <= 2^62; 0: no such bound (then no Laplace release) */
    double scale; /* q_i = rint(scale * feature_i); positive, finite */
    sbl_block_kind kind; /* the rest is 0 for an ordinary block */
    size_t source;       /* SQUARES, PRODUCTS: number of the block they are formed from */
    size_t outer;        /* and how many of its first coordinates take part */
    bool withheld;       /* a source that is fed and enforced, but whose own sum is neither kept nor
                          * released: only its squares and products are */
} sbl_block;

/* The block of squares or products of the first `outer` coordinates of block number `source`. Its
 * bound2 is the source's squared (at most 2^60, so the source's norm is at most 2^15 grid units),
 * its scale the source's squared, and it has no bound1: its L1 bounds follow from bound2. Products
 * need outer >= 2. */
sbl_block sbl_block_of_moments(const char *name, sbl_block_kind kind, const sbl_block *blocks,
                               size_t source, size_t outer);

typedef struct sbl_layout {
    sbl_block *blocks;
    size_t block_count;                 /* >= 1 */
    size_t classes;                     /* >= 1 */
    bool counts;                        /* the number of records per class is part of the release */
    uint64_t rows_cap;                  /* most rows that may ever be added */
    uint8_t plan_hash[SBL_SHA256_SIZE]; /* SHA-256 of the public plan that made this layout */
} sbl_layout;

/* What is enforced on each run of coordinates: on every group, or on the whole record. */
typedef struct sbl_run_bounds {
    size_t run;       /* coordinates in a run: group, or width where there is no group */
    uint64_t bound2;  /* floor(bound2 / runs) */
    uint64_t bound1;  /* floor(bound1 / runs); 0: no such bound */
    uint64_t largest; /* floor(sqrt(bound2)): no |q_i| exceeds it */
} sbl_run_bounds;
sbl_run_bounds sbl_block_run_bounds(const sbl_block *block);

/* The scale that takes features of norm <= norm to the grid without ever tripping the clip: c R /
 * norm with the public pre-shrink c = 1 - (ceil(sqrt(width)) / 2 + 1) / R - 2^-20 and R =
 * floor(sqrt(bound2)) (docs/mechanisms/fixed-point.md). For a block with groups, pass a group's
 * width, bound2 and norm. Not positive, so refused by sbl_layout_validate, where the grid is too
 * coarse for the width: such blocks (one-hot, histograms) hold integers and set their own scale. */
double sbl_layout_scale(size_t width, uint64_t bound2, double norm);

/* Is it well formed, and can no sum overflow? SBL_EARG names the block and the fault. Names are
 * unique; beside counts no block may take the name "counts". */
sbl_status sbl_layout_validate(const sbl_layout *layout, sbl_error *err);

/* Deep copy; cleared by sbl_layout_clear. */
sbl_status sbl_layout_copy(sbl_layout *copy, const sbl_layout *layout, sbl_error *err);
void sbl_layout_clear(sbl_layout *layout);

/* SHA-256 over every field (plan_hash included): two sums may be merged when these agree. */
sbl_status sbl_layout_hash(uint8_t hash[SBL_SHA256_SIZE], const sbl_layout *layout, sbl_error *err);

/* Number of sums of one block: width * classes (per_class) or width; none of a withheld one. */
size_t sbl_block_values(const sbl_layout *layout, size_t block);

/* Number of int64 in a sum: those of every block, then one count per class. */
size_t sbl_layout_values(const sbl_layout *layout);

/* What gets noise: every block that is not withheld, in order, then the counts where the layout has
 * them. Multipliers, weights and sensitivities of a release are in this order. */
size_t sbl_layout_noisy_blocks(const sbl_layout *layout);
/* The number in layout->blocks of noisy block i; block_count stands for the counts. */
size_t sbl_layout_noisy_block(const sbl_layout *layout, size_t i);
/* Integers of noise: the values of all noisy blocks. */
size_t sbl_layout_noisy_values(const sbl_layout *layout);

#endif
