/* SPDX-License-Identifier: Apache-2.0 */
/* [4] A hash table with open addressing under a secret key. Slots are reserved by the number of rows before
 * a batch is looked at, so neither memory nor a failure depends on the texts. At the end the keys are
 * sorted by column and bytes. */
#include "records/accumulate/key_tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/os_random.h"
#include "base/siphash.h"
#include "public/account/survival.h"

struct sbl_key_tally {
    sbl_layout layout;
    size_t columns;
    uint8_t hash_key[SBL_SIPHASH_KEY_SIZE];
    sbl_key_count *keys; /* (places) */
    char *texts;         /* (places * SBL_TEXT_LONGEST) */
    uint32_t *slots;     /* (slot_count), a power of two, at least 2 * places: number of a key + 1 */
    size_t places;
    size_t slot_count;
    size_t count;
    size_t text_used;
    uint64_t rows;
    bool broken;
    bool sorted; /* in order: the slots are not valid any more */
};

sbl_status sbl_key_tally_layout(sbl_layout *layout, size_t columns, unsigned survival_bits,
                                const uint8_t plan_hash[SBL_SHA256_SIZE], sbl_error *err)
{
    sbl_status status = SBL_OK;
    *layout = (sbl_layout){.classes = 1, .rows_cap = SBL_KEYS_MOST};
    if (columns == 0 || columns > SBL_KEYS_MOST || survival_bits < SBL_SURVIVAL_LEAST_BITS ||
        survival_bits > SBL_SURVIVAL_MOST_BITS)
        return sbl_fail(err, SBL_EARG, "a tally of %zu columns at %u bits cannot be made", columns,
                        survival_bits);
    SBL_ALLOC(layout->blocks, 1, "a tally");
    layout->block_count = 1;
    layout->blocks[0] = (sbl_block){.name = "keys",
                                    .width = SBL_KEYS_MOST,
                                    .nonnegative = true,
                                    .bound2 = columns,
                                    .bound1 = columns,
                                    .scale = 1.0,
                                    .survival_bits = survival_bits};
    memcpy(layout->plan_hash, plan_hash, sizeof layout->plan_hash);
done:
    return status;
}

sbl_status sbl_key_tally_new(sbl_key_tally **tally, const sbl_layout *layout, sbl_error *err)
{
    sbl_key_tally *made = NULL;
    sbl_status status = SBL_OK;
    *tally = NULL;
    /* For persons with several rows the delta of the names is not proved: a tally counts rows. */
    if (layout->block_count != 1 || layout->blocks[0].survival_bits == 0 || layout->counts ||
        layout->rows_per_unit != 0)
        return sbl_fail(err, SBL_EARG, "this is not the layout of a tally");
    SBL_ALLOC(made, 1, "a tally");
    made->columns = layout->blocks[0].bound2;
    SBL_TRY(sbl_layout_copy(&made->layout, layout, err));
    SBL_TRY(sbl_os_random(made->hash_key, sizeof made->hash_key, err));
    *tally = made;
    made = NULL;
done:
    sbl_key_tally_free(made);
    return status;
}

static void free_tables(sbl_key_tally *tally)
{
    /* What was never written to holds nothing, and need not become real memory to be wiped. */
    sbl_free_wiped(tally->keys, tally->count * sizeof *tally->keys);
    sbl_free_wiped(tally->texts, tally->text_used);
    sbl_free_wiped(tally->slots, tally->slot_count * sizeof *tally->slots);
}

void sbl_key_tally_free(sbl_key_tally *tally)
{
    if (tally == NULL) return;
    free_tables(tally);
    sbl_layout_clear(&tally->layout);
    sbl_free_wiped(tally, sizeof *tally);
}

static void put_slot(uint32_t *slots, size_t slot_count, uint64_t hash, size_t key)
{
    size_t at = (size_t)hash & (slot_count - 1);
    while (slots[at] != 0) at = (at + 1) & (slot_count - 1);
    slots[at] = (uint32_t)(key + 1);
}

/* Slots for this number of keys, whatever they are. */
static sbl_status make_places(sbl_key_tally *tally, size_t wanted, sbl_error *err)
{
    size_t places = tally->places != 0 ? tally->places : 1024;
    sbl_key_tally larger = *tally;
    if (wanted <= tally->places) return SBL_OK;
    while (places < wanted) places *= 2;
    larger.places = places;
    larger.slot_count = 2 * places;
    larger.keys = sbl_alloc_array(places, sizeof *larger.keys);
    larger.texts = sbl_alloc_array(places, SBL_TEXT_LONGEST);
    larger.slots = sbl_alloc_array(larger.slot_count, sizeof *larger.slots);
    if (larger.keys == NULL || larger.texts == NULL || larger.slots == NULL) {
        sbl_free(larger.keys);
        sbl_free(larger.texts);
        sbl_free(larger.slots);
        return sbl_no_memory(err, "the distinct texts of these rows");
    }
    if (tally->count > 0) {
        memcpy(larger.keys, tally->keys, tally->count * sizeof *larger.keys);
        memcpy(larger.texts, tally->texts, tally->text_used);
    }
    for (size_t i = 0; i < tally->count; i++)
        put_slot(larger.slots, larger.slot_count, larger.keys[i].hash, i);
    free_tables(tally);
    *tally = larger;
    return SBL_OK;
}

static uint64_t hash_of(const sbl_key_tally *tally, const sbl_text_cell *cell, uint32_t column)
{
    uint8_t bytes[SBL_TEXT_LONGEST + sizeof column];
    memcpy(bytes, &column, sizeof column);
    memcpy(bytes + sizeof column, cell->text, cell->length);
    const uint64_t hash = sbl_siphash(tally->hash_key, bytes, sizeof column + cell->length);
    sbl_wipe(bytes, sizeof bytes);
    return hash;
}

static bool is_key(const sbl_key_tally *tally, const sbl_key_count *key, uint64_t hash,
                   const sbl_text_cell *cell, uint32_t column)
{
    return key->hash == hash && key->column == column && key->length == cell->length &&
           memcmp(tally->texts + key->text, cell->text, cell->length) == 0;
}

/* There is a place. */
static void count_cell(sbl_key_tally *tally, const sbl_text_cell *cell, uint32_t column)
{
    const uint64_t hash = hash_of(tally, cell, column);
    size_t at = (size_t)hash & (tally->slot_count - 1);
    for (; tally->slots[at] != 0; at = (at + 1) & (tally->slot_count - 1)) {
        sbl_key_count *key = &tally->keys[tally->slots[at] - 1];
        if (!is_key(tally, key, hash, cell, column)) continue;
        key->count++;
        return;
    }
    tally->keys[tally->count] = (sbl_key_count){
        .hash = hash, .count = 1, .column = column, .length = cell->length, .text = tally->text_used};
    memcpy(tally->texts + tally->text_used, cell->text, cell->length);
    tally->text_used += cell->length;
    tally->slots[at] = (uint32_t)++tally->count;
}

sbl_status sbl_key_tally_add(sbl_key_tally *tally, const sbl_text_cell *cells, size_t rows, sbl_error *err)
{
    const size_t columns = tally->columns;
    sbl_status status = SBL_OK;
    if (tally->sorted || tally->broken)
        SBL_FAIL(err, SBL_EINTERNAL, "a tally that is finished or broken takes no more rows");
    if (rows > SBL_KEYS_MOST / columns || tally->rows + rows > SBL_KEYS_MOST / columns)
        SBL_FAIL(err, SBL_EINPUT, "this column has too many distinct texts to count: declare its categories");
    SBL_TRY(make_places(tally, (size_t)(tally->rows + rows) * columns, err));
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            const sbl_text_cell *cell = &cells[r * columns + c];
            if (cell->length > 0 && cell->length <= SBL_TEXT_LONGEST) count_cell(tally, cell, (uint32_t)c);
        }
    tally->rows += rows;
done:
    if (status != SBL_OK) tally->broken = true;
    return status;
}

const sbl_layout *sbl_key_tally_layout_of(const sbl_key_tally *tally) { return &tally->layout; }

uint64_t sbl_key_tally_rows(const sbl_key_tally *tally) { return tally->rows; }

bool sbl_key_tally_is_whole(const sbl_key_tally *tally) { return !tally->broken; }

const char *sbl_key_tally_text(const sbl_key_tally *tally, const sbl_key_count *key)
{
    return tally->texts + key->text;
}

static int compare_keys(const void *a, const void *b, void *context)
{
    const sbl_key_tally *tally = context;
    const sbl_key_count *left = a;
    const sbl_key_count *right = b;
    if (left->column != right->column) return left->column < right->column ? -1 : 1;
    const size_t shorter = left->length < right->length ? left->length : right->length;
    const int order = memcmp(sbl_key_tally_text(tally, left), sbl_key_tally_text(tally, right), shorter);
    if (order != 0) return order;
    return (left->length > right->length) - (left->length < right->length);
}

const sbl_key_count *sbl_key_tally_sorted(sbl_key_tally *tally, size_t *count)
{
    if (!tally->sorted && tally->count > 0)
        qsort_r(tally->keys, tally->count, sizeof *tally->keys, compare_keys, tally);
    tally->sorted = true;
    *count = tally->count;
    return tally->keys;
}
