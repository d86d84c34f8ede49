/* SPDX-License-Identifier: Apache-2.0 */
/* Counts tuples of codes in a dense array up to 2^18 cells, otherwise in a hash table of the cells
 * that occur. Distances are summed in integers, so that the order does not matter. */
#include "owner/fidelity/tally.h"

#include <string.h>

#include "base/alloc.h"

#define DENSE_CELLS ((size_t)1 << 18) /* above this a hash table is kinder to the cache */
#define FIRST_PLACES ((size_t)1 << 12)
#define BLOCK_ROWS ((size_t)2048)

/* The number of cells, or 0 when it is above DENSE_CELLS. */
static size_t dense_cells(const sbl_tally_input *input)
{
    size_t cells = 1;
    for (size_t i = 0; i < input->way; i++) {
        cells *= input->sizes[i];
        if (cells > DENSE_CELLS) return 0;
    }
    return cells;
}

static bool capacity(sbl_tally *tally, size_t keys, size_t counts)
{
    if (keys > tally->key_room) {
        sbl_free_wiped(tally->keys, tally->key_room * sizeof *tally->keys);
        tally->keys = sbl_alloc_array(keys, sizeof *tally->keys);
        tally->key_room = tally->keys != NULL ? keys : 0;
        if (tally->keys == NULL) return false;
    }
    if (counts > tally->count_room) {
        sbl_free_wiped(tally->counts, tally->count_room * sizeof *tally->counts);
        tally->counts = sbl_alloc_array(counts, sizeof *tally->counts);
        tally->count_room = tally->counts != NULL ? counts : 0;
        if (tally->counts == NULL) return false;
    }
    memset(tally->counts, 0, counts * sizeof *tally->counts);
    return true;
}

/* ---- dense ---- */

static void dense_block(uint32_t *cells, const sbl_tally_input *input, size_t table, size_t first,
                        size_t count)
{
    const uint32_t *codes = input->codes[table][0] + first;
    for (size_t r = 0; r < count; r++) cells[r] = codes[r];
    for (size_t i = 1; i < input->way; i++) {
        const uint32_t size = input->sizes[i];
        codes = input->codes[table][i] + first;
        for (size_t r = 0; r < count; r++) cells[r] = cells[r] * size + codes[r];
    }
}

static sbl_status count_dense(sbl_tally *tally, const sbl_tally_input *input, sbl_error *err)
{
    if (tally->block == NULL) tally->block = sbl_alloc_array(BLOCK_ROWS, sizeof *tally->block);
    if (tally->block == NULL || !capacity(tally, 0, tally->cells * tally->tables))
        return sbl_no_memory(err, "counts of cells");
    for (size_t t = 0; t < input->tables; t++) {
        uint32_t *counts = tally->counts + t * tally->cells;
        for (size_t first = 0; first < input->rows[t]; first += BLOCK_ROWS) {
            const size_t left = input->rows[t] - first;
            const size_t count = left < BLOCK_ROWS ? left : BLOCK_ROWS;
            dense_block(tally->block, input, t, first, count);
            for (size_t r = 0; r < count; r++) counts[tally->block[r]]++;
        }
    }
    return SBL_OK;
}

/* ---- hashed ---- */

/* Two codes per word; a word of all ones is not a pair of codes and marks a free slot. */
#define FREE_PLACE UINT64_MAX

static void make_key(uint64_t key[2], const sbl_tally_input *input, size_t table, size_t row)
{
    uint64_t words[SBL_TALLY_MAX_WAY] = {0};
    for (size_t i = 0; i < input->way; i++) words[i] = input->codes[table][i][row];
    key[0] = words[0] << 32 | words[1];
    key[1] = words[2] << 32 | words[3];
}

/* The finalizer of MurmurHash3. */
static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

/* The key's place, or the free one where it belongs. There always is a free one. */
static size_t find_place(const sbl_tally *tally, const uint64_t key[2])
{
    size_t place = (size_t)mix(key[0] ^ mix(key[1])) & (tally->cells - 1);
    for (;;) {
        const uint64_t *there = tally->keys + 2 * place;
        if (there[0] == FREE_PLACE || (there[0] == key[0] && there[1] == key[1])) return place;
        place = (place + 1) & (tally->cells - 1);
    }
}

static bool empty_places(sbl_tally *tally, size_t places)
{
    tally->cells = places;
    tally->occupied = 0;
    if (!capacity(tally, 2 * places, places * tally->tables)) return false;
    for (size_t i = 0; i < 2 * places; i++) tally->keys[i] = FREE_PLACE;
    return true;
}

/* Twice the places. */
static bool grow(sbl_tally *tally)
{
    sbl_tally larger = {.tables = tally->tables, .hashed = true, .block = tally->block};
    if (!empty_places(&larger, 2 * tally->cells)) {
        larger.block = NULL;
        sbl_tally_clear(&larger);
        return false;
    }
    for (size_t p = 0; p < tally->cells; p++) {
        if (tally->keys[2 * p] == FREE_PLACE) continue;
        const size_t place = find_place(&larger, tally->keys + 2 * p);
        memcpy(larger.keys + 2 * place, tally->keys + 2 * p, 2 * sizeof *larger.keys);
        for (size_t t = 0; t < tally->tables; t++)
            larger.counts[t * larger.cells + place] = tally->counts[t * tally->cells + p];
    }
    larger.occupied = tally->occupied;
    tally->block = NULL;
    sbl_tally_clear(tally);
    *tally = larger;
    return true;
}

static sbl_status count_hashed(sbl_tally *tally, const sbl_tally_input *input, sbl_error *err)
{
    uint64_t key[2];
    bool good = empty_places(tally, FIRST_PLACES);
    for (size_t t = 0; good && t < input->tables; t++)
        for (size_t row = 0; good && row < input->rows[t]; row++) {
            make_key(key, input, t, row);
            const size_t place = find_place(tally, key);
            tally->counts[t * tally->cells + place]++;
            if (tally->keys[2 * place] != FREE_PLACE) continue;
            memcpy(tally->keys + 2 * place, key, sizeof key);
            tally->occupied++;
            if (2 * tally->occupied > tally->cells) good = grow(tally);
        }
    return good ? SBL_OK : sbl_no_memory(err, "counts of cells");
}

sbl_status sbl_tally_count(sbl_tally *tally, const sbl_tally_input *input, sbl_error *err)
{
    tally->tables = input->tables;
    tally->cells = dense_cells(input);
    tally->hashed = tally->cells == 0;
    return tally->hashed ? count_hashed(tally, input, err) : count_dense(tally, input, err);
}

void sbl_tally_clear(sbl_tally *tally)
{
    sbl_free_wiped(tally->keys, tally->key_room * sizeof *tally->keys);
    sbl_free_wiped(tally->counts, tally->count_room * sizeof *tally->counts);
    sbl_free_wiped(tally->block, BLOCK_ROWS * sizeof *tally->block);
    *tally = (sbl_tally){0};
}

double sbl_tally_distance(const sbl_tally *tally, size_t a, uint64_t rows_a, size_t b, uint64_t rows_b)
{
    /* sum |x_a n_b - x_b n_a| <= 2 n_a n_b, and rows are below 2^31: no overflow. */
    uint64_t sum = 0;
    for (size_t c = 0; c < tally->cells; c++) {
        const uint64_t left = tally->counts[a * tally->cells + c] * rows_b;
        const uint64_t right = tally->counts[b * tally->cells + c] * rows_a;
        sum += left > right ? left - right : right - left;
    }
    return (double)sum / (2.0 * (double)rows_a * (double)rows_b);
}

void sbl_tally_codes(uint32_t *codes, const sbl_tally *tally, const sbl_tally_input *input, size_t cell)
{
    if (tally->hashed) {
        const uint64_t *key = tally->keys + 2 * cell;
        const uint32_t all[] = {(uint32_t)(key[0] >> 32), (uint32_t)key[0], (uint32_t)(key[1] >> 32),
                                (uint32_t)key[1]};
        memcpy(codes, all, input->way * sizeof *codes);
        return;
    }
    for (size_t i = input->way; i-- > 0;) {
        codes[i] = (uint32_t)(cell % input->sizes[i]);
        cell /= input->sizes[i];
    }
}
