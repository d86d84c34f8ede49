/* SPDX-License-Identifier: Apache-2.0 */
/* How often each combination of some columns' codes occurs in several tables.
 *
 * A cell is a proper tuple of codes, never a sum or product of them. A small domain is counted in a
 * dense array, a large one in a hash table of the cells that occur. */
#ifndef SBL_FIDELITY_TALLY_H
#define SBL_FIDELITY_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SBL_TALLY_MAX_WAY 4
#define SBL_TALLY_MAX_TABLES 5

/* Columns to count by. codes[t][i]: the codes of table t in the i-th of them. */
typedef struct sbl_tally_input {
    size_t way; /* 1 to SBL_TALLY_MAX_WAY */
    uint32_t sizes[SBL_TALLY_MAX_WAY];
    size_t tables;
    const uint32_t *codes[SBL_TALLY_MAX_TABLES][SBL_TALLY_MAX_WAY];
    size_t rows[SBL_TALLY_MAX_TABLES];
} sbl_tally_input;

/* Counts and the room for them, to be used again for other columns. Zero-initialise. */
typedef struct sbl_tally {
    size_t tables;
    size_t cells;    /* dense: of the domain; hashed: places of the hash table */
    size_t occupied; /* hashed: places in use */
    bool hashed;
    uint64_t *keys;   /* hashed: two words per place */
    uint32_t *counts; /* (tables, cells) */
    size_t key_room, count_room;
    uint32_t *block; /* dense: the cells of some rows */
} sbl_tally;

/* Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_tally_count(sbl_tally *tally, const sbl_tally_input *input, sbl_error *err);
void sbl_tally_clear(sbl_tally *tally);

/* Total variation distance of tables a and b, of n_a and n_b rows: half the L1 distance of their
 * relative frequencies. Summed in integers: the order of the cells does not matter. */
double sbl_tally_distance(const sbl_tally *tally, size_t a, uint64_t rows_a, size_t b, uint64_t rows_b);

/* The codes of a cell that occurs: codes[way]. */
void sbl_tally_codes(uint32_t *codes, const sbl_tally *tally, const sbl_tally_input *input, size_t cell);

#endif
