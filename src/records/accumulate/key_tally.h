/* SPDX-License-Identifier: Apache-2.0 */
/* [4] Counts how many records hold each key, for keys that are not known beforehand: texts of the cells of
 * some columns. The counts are exact and private. Which keys exist, and how many, is as sensitive as the
 * records. The tally leaves through door/privatise only (docs/mechanisms/discover.md).
 *
 * Enforced: a record holds at most one key of each column, and counts 1 in it. So a record that is added or
 * removed moves at most `columns` counts, each by 1. Memory follows the number of rows, never the keys:
 * before a batch is looked at, slots exist for as many new keys as the batch has cells. Nothing is evicted,
 * because one new key could push out a frequent one, which no threshold covers. The hash has a secret key.
 * All memory is wiped. */
#ifndef SBL_ACCUMULATE_KEY_TALLY_H
#define SBL_ACCUMULATE_KEY_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "public/rows/text_cell.h"
#include "records/accumulate/layout.h"

typedef struct sbl_key_tally sbl_key_tally;

/* One key and how many records hold it. Secret. */
typedef struct sbl_key_count {
    uint64_t hash;
    int64_t count;
    uint32_t column; /* below columns */
    uint32_t length;
    size_t text; /* place among the texts */
} sbl_key_count;

/* The layout of a tally of this number of columns, with its plan's hash: one block "keys" of SBL_KEYS_MOST
 * coordinates, in which a record has `columns` ones, with survival_bits set. Clear with
 * sbl_layout_clear(). Returns: SBL_OK, SBL_EARG for a number that is out of range, SBL_EMEM */
sbl_status sbl_key_tally_layout(sbl_layout *layout, size_t columns, unsigned survival_bits,
                                const uint8_t plan_hash[SBL_SHA256_SIZE], sbl_error *err);

/* An empty tally; the layout, of sbl_key_tally_layout, is copied.
 * Returns: SBL_OK; SBL_EARG for another layout; SBL_EENTROPY, SBL_EMEM */
sbl_status sbl_key_tally_new(sbl_key_tally **tally, const sbl_layout *layout, sbl_error *err);
void sbl_key_tally_free(sbl_key_tally *tally); /* wipes; NULL is fine */

/* Add rows records: cells[r * columns + c] is the key of record r in column c.
 * Returns: SBL_OK; SBL_EINPUT when rows times columns would pass SBL_KEYS_MOST, SBL_EMEM: the tally
 * cannot be released any more then */
sbl_status sbl_key_tally_add(sbl_key_tally *tally, const sbl_text_cell *cells, size_t rows, sbl_error *err);

const sbl_layout *sbl_key_tally_layout_of(const sbl_key_tally *tally);
uint64_t sbl_key_tally_rows(const sbl_key_tally *tally);
bool sbl_key_tally_is_whole(const sbl_key_tally *tally);

/* Secret. Put the keys in order of column, then of their bytes, and give them. Nothing may be added
 * after. */
const sbl_key_count *sbl_key_tally_sorted(sbl_key_tally *tally, size_t *count);
const char *sbl_key_tally_text(const sbl_key_tally *tally, const sbl_key_count *key);

#endif
