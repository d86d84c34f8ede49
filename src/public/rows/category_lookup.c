/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the hash table of a column's categories: open addressing, at most a quarter full. Finding
 * is inline in the header, because it runs once per cell. */
#include "public/rows/category_lookup.h"

#include "base/alloc.h"
#include "base/size.h"

bool sbl_lookup_init(sbl_lookup *lookup, size_t count)
{
    size_t slots = 4;
    while (slots / 4 < count) /* at most a quarter full: chains stay short */
        if (!sbl_size_mul(&slots, slots, 2)) return false;
    lookup->slots = sbl_alloc_array(slots, sizeof *lookup->slots);
    lookup->mask = slots - 1;
    return lookup->slots != NULL;
}

/* The hash of a text that has no padding after it. */
static uint64_t hash_unpadded(const char *text, size_t length)
{
    uint64_t hash = length;
    size_t left = length;
    char last[8] = {0};
    for (; left > 8; left -= 8, text += 8) hash = sbl_lookup_mix(hash, sbl_load_word(text));
    memcpy(last, text, left);
    return sbl_lookup_mix(hash, sbl_load_word(last));
}

void sbl_lookup_add(sbl_lookup *lookup, const char *text, uint32_t code)
{
    const size_t length = strlen(text);
    const uint64_t hash = hash_unpadded(text, length);
    for (size_t i = hash & lookup->mask;; i = (i + 1) & lookup->mask) {
        sbl_lookup_slot *slot = &lookup->slots[i];
        if (slot->text == NULL) {
            *slot = (sbl_lookup_slot){hash, text, length, code};
            return;
        }
        if (slot->hash == hash && slot->length == length && memcmp(slot->text, text, length) == 0) return;
    }
}

void sbl_lookup_clear(sbl_lookup *lookup)
{
    sbl_free(lookup->slots);
    lookup->slots = NULL;
}
