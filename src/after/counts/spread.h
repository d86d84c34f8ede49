/* SPDX-License-Identifier: Apache-2.0 */
/* [7] From codes to cells: each code gives out its cells by quotas, never by independent draws, so that a column has the
 * shares of its cells exactly.
 *
 * Rows get cells at random. For a number, the row's other columns shift the odds: the lean s of a row is the sum of their
 * slopes (slopes.h). Its place u in the code, 0 .. 1, has the density 1 + a (2 u - 1) with
 * a = s / (2 + |s|), which is exp(s u) to first order. Rows get cells in the order of their places. */
#ifndef SBL_COUNTS_SPREAD_H
#define SBL_COUNTS_SPREAD_H

#include "after/counts/slopes.h"
#include "base/random/model_rng.h"

/* Codes in the proportions of shares, each count within 1 of its quota; in random order, or the smallest first. */
void sbl_quotas(uint16_t *codes, size_t count, const float *shares, uint32_t cells, bool shuffled,
                sbl_model_rng *rng);

/* What one other column says of where a number lies in its code. All borrowed. */
typedef struct sbl_lean {
    const float *slopes;   /* (codes, other_codes) */
    const uint16_t *other; /* the other column's codes, `stride` apart */
    const uint16_t *where; /* the same: it leans where this code is not 0; NULL: everywhere */
    const uint16_t *group; /* (the other's codes): the slopes are over groups of them; NULL: over codes */
    size_t stride;
    uint32_t other_codes;
} sbl_lean;

/* Working memory for one column at a time. */
typedef struct sbl_spread {
    uint32_t *sorted; /* (rows): by code */
    uint32_t *ranked; /* (rows): those of one code by their places */
    size_t *begin;    /* (cells + 1): of each code among sorted */
    float *leans;     /* (rows) */
    uint16_t *drawn;  /* (rows) */
    uint16_t *steps;  /* (rows): places in a code */
    float *shares;    /* (cells) */
    uint32_t *cells;  /* (cells) */
} sbl_spread;

/* Its arrays are the pool's.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_spread_init(sbl_spread *spread, sbl_pool *pool, size_t rows, size_t most_cells,
                           sbl_error *err);

/* to[r * to_step]: a cell of the code from[r * from_step], for each row. */
void sbl_spread_column(sbl_spread *spread, const sbl_code_cells *column, const sbl_lean *leans,
                       size_t lean_count, const uint16_t *from, size_t from_step, uint16_t *to,
                       size_t to_step, size_t rows, sbl_model_rng *rng);

#endif
