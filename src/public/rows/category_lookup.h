/* SPDX-License-Identifier: Apache-2.0 */
/* From the text of a cell to its code: a fixed dictionary, built from the schema and never grown by
 * what a table holds. */
#ifndef SBL_ROWS_CATEGORY_LOOKUP_H
#define SBL_ROWS_CATEGORY_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SBL_LOOKUP_NONE UINT32_MAX

/* Readable bytes that must follow a text whose word is loaded. */
#define SBL_LOOKUP_PADDING 8

typedef struct sbl_lookup_slot {
    uint64_t hash;
    const char *text; /* borrowed from the schema; NULL: empty */
    size_t length;
    uint32_t code;
} sbl_lookup_slot;

typedef struct sbl_lookup {
    sbl_lookup_slot *slots;
    size_t mask; /* number of slots minus one; a power of two minus one */
} sbl_lookup;

/* Room for count texts. false: out of memory */
bool sbl_lookup_init(sbl_lookup *lookup, size_t count);
/* The first code that a text is given stays. */
void sbl_lookup_add(sbl_lookup *lookup, const char *text, uint32_t code);
void sbl_lookup_clear(sbl_lookup *lookup);

/* Eight bytes as a number whose low byte is the first, on any machine. */
static inline uint64_t sbl_load_word(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint64_t sbl_lookup_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

/* text must be followed by SBL_LOOKUP_PADDING readable bytes. */
static inline uint64_t sbl_lookup_hash(const char *text, size_t length)
{
    uint64_t hash = length;
    size_t left = length;
    for (; left > 8; left -= 8, text += 8) hash = sbl_lookup_mix(hash, sbl_load_word(text));
    const uint64_t keep = left == 0 ? 0 : ~UINT64_C(0) >> (64 - 8 * left);
    return sbl_lookup_mix(hash, sbl_load_word(text) & keep);
}

static inline uint32_t sbl_lookup_find(const sbl_lookup *lookup, const char *text, size_t length)
{
    const uint64_t hash = sbl_lookup_hash(text, length);
    for (size_t i = hash & lookup->mask;; i = (i + 1) & lookup->mask) {
        const sbl_lookup_slot *slot = &lookup->slots[i];
        if (slot->text == NULL) return SBL_LOOKUP_NONE;
        /* Of up to eight bytes the hash is one-to-one (an odd factor, a shifted xor): they need no second look. */
        if (slot->hash == hash && slot->length == length &&
            (length <= sizeof hash || memcmp(slot->text, text, length) == 0))
            return slot->code;
    }
}

#endif
