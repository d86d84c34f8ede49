/* SPDX-License-Identifier: Apache-2.0 */
/* The public shape of a sum, block by block: what is summed and what is enforced (public/plan/block.h). */
#ifndef SBL_ACCUMULATE_LAYOUT_H
#define SBL_ACCUMULATE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"
#include "public/plan/block.h"

#define SBL_ROWS_CAP_DEFAULT (UINT64_C(1) << 34)
#define SBL_SUM_LIMIT (UINT64_C(1) << 62) /* rows_cap * (largest coordinate) must not exceed it */

typedef struct sbl_layout {
    sbl_block *blocks;
    size_t block_count;     /* >= 1 */
    size_t classes;         /* >= 1 */
    bool counts;            /* the number of records per class is part of the release */
    uint64_t rows_cap;      /* most rows that may ever be added */
    uint64_t rows_per_unit; /* the most rows of one person that count, up to SBL_ROWS_PER_UNIT_MAX;
                             * 0: a row is a person */
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

/* The number of the block that block (squares or products) is formed from; block_count when there
 * is none, which a valid layout excludes. */
size_t sbl_layout_source(const sbl_layout *layout, size_t block);

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
