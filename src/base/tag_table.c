/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing. A tag is a keyed hash: its low bits are as good an address as any, and an attacker who
 * chooses ids cannot make them collide. */
#include "base/tag_table.h"

#include "base/alloc.h"

#define FIRST_CAPACITY 1024

struct sbl_tag_place {
    sbl_unit_tag tag; /* both 0: the slot is free */
    uint64_t number;
};

/* The place of this tag, or the free one where it belongs: there is always one. */
static struct sbl_tag_place *find(const sbl_tag_table *table, sbl_unit_tag tag)
{
    struct sbl_tag_place *places = table->places;
    const size_t mask = table->capacity - 1;
    size_t at = tag.low & mask;
    while (!sbl_tag_is_nobody(places[at].tag) &&
           ((places[at].tag.low ^ tag.low) | (places[at].tag.high ^ tag.high)) != 0)
        at = (at + 1) & mask;
    return &places[at];
}

/* Twice the places; the old pages are wiped. */
static bool grow(sbl_tag_table *table)
{
    sbl_tag_table larger = {.capacity = table->capacity != 0 ? 2 * table->capacity : FIRST_CAPACITY,
                            .count = table->count};
    larger.places = sbl_locked_alloc(larger.capacity, sizeof *larger.places);
    if (larger.places == NULL) return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (!sbl_tag_is_nobody(table->places[i].tag)) *find(&larger, table->places[i].tag) = table->places[i];
    sbl_tag_table_clear(table);
    *table = larger;
    return true;
}

uint64_t *sbl_tag_table_at(sbl_tag_table *table, sbl_unit_tag tag)
{
    /* At most half of the places are taken, so that a search is short. */
    if (2 * table->count >= table->capacity && !grow(table)) return NULL;
    struct sbl_tag_place *place = find(table, tag);
    table->count += sbl_tag_is_nobody(place->tag);
    place->tag = tag;
    return &place->number;
}

uint64_t *sbl_tag_table_find(const sbl_tag_table *table, sbl_unit_tag tag)
{
    if (table->capacity == 0) return NULL;
    struct sbl_tag_place *place = find(table, tag);
    return sbl_tag_is_nobody(place->tag) ? NULL : &place->number;
}

uint64_t *sbl_tag_table_next(const sbl_tag_table *table, size_t *at)
{
    while (*at < table->capacity) {
        struct sbl_tag_place *place = &table->places[(*at)++];
        if (!sbl_tag_is_nobody(place->tag)) return &place->number;
    }
    return NULL;
}

void sbl_tag_table_clear(sbl_tag_table *table)
{
    sbl_locked_free(table->places, table->capacity, sizeof *table->places);
    *table = (sbl_tag_table){0};
}
