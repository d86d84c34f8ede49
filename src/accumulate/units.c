/* A table of units with open addressing. A tag is a keyed hash: its low bits are as good an address
 * as any, and nobody who chooses ids can make them collide. */
#include "accumulate/units.h"

#include <stdbool.h>

#include "base/memory.h"

#define FIRST_CAPACITY 1024
#define TABLE "a table of persons" /* as a lack of memory for it is reported */

typedef struct unit {
    sbl_unit_tag tag; /* nobody: the place is free */
    uint64_t rows;    /* seen so far, at most k */
} unit;

struct sbl_units {
    unit *items;     /* (capacity) */
    size_t capacity; /* a power of two */
    size_t count;
    uint64_t rows_per_unit;
};

sbl_status sbl_units_new(sbl_units **units, uint64_t rows_per_unit, sbl_error *err)
{
    sbl_units *made = NULL;
    sbl_status status = SBL_OK;
    *units = NULL;
    if (rows_per_unit == 0 || rows_per_unit > SBL_ROWS_PER_UNIT_MAX)
        return sbl_fail(err, SBL_EARG, "1 to %d rows of a person can count", SBL_ROWS_PER_UNIT_MAX);
    SBL_ALLOC(made, 1, TABLE);
    made->rows_per_unit = rows_per_unit;
    made->capacity = FIRST_CAPACITY;
    made->items = sbl_locked_alloc(made->capacity, sizeof *made->items);
    if (made->items == NULL) SBL_TRY(sbl_no_memory(err, TABLE));
    *units = made;
    made = NULL;
done:
    sbl_units_free(made);
    return status;
}

void sbl_units_free(sbl_units *units)
{
    if (units == NULL) return;
    sbl_locked_free(units->items, units->capacity, sizeof *units->items);
    sbl_free_wiped(units, sizeof *units);
}

static bool is_nobody(sbl_unit_tag tag) { return (tag.low | tag.high) == 0; }

/* The place of this unit, or the free one where it belongs: there is always one. */
static unit *find(unit *items, size_t capacity, sbl_unit_tag tag)
{
    size_t at = tag.low & (capacity - 1);
    while (!is_nobody(items[at].tag) &&
           ((items[at].tag.low ^ tag.low) | (items[at].tag.high ^ tag.high)) != 0)
        at = (at + 1) & (capacity - 1);
    return &items[at];
}

/* Twice the places; the old pages are wiped. */
static bool grow(sbl_units *units)
{
    const size_t capacity = 2 * units->capacity;
    unit *items = sbl_locked_alloc(capacity, sizeof *items);
    if (items == NULL) return false;
    for (size_t i = 0; i < units->capacity; i++)
        if (!is_nobody(units->items[i].tag))
            *find(items, capacity, units->items[i].tag) = units->items[i];
    sbl_locked_free(units->items, units->capacity, sizeof *items);
    units->items = items;
    units->capacity = capacity;
    return true;
}

sbl_status sbl_units_index_rows(sbl_units *units, uint32_t *unit_rows, const sbl_unit_tag *tags,
                                size_t rows, sbl_error *err)
{
    for (size_t r = 0; r < rows; r++) {
        unit_rows[r] = 0;
        if (is_nobody(tags[r])) continue;
        /* At most half of the places are taken, so that a search is short. */
        if (2 * units->count >= units->capacity && !grow(units)) return sbl_no_memory(err, TABLE);
        unit *found = find(units->items, units->capacity, tags[r]);
        units->count += found->rows == 0;
        found->tag = tags[r];
        unit_rows[r] = (uint32_t)found->rows;
        found->rows += found->rows < units->rows_per_unit;
    }
    return SBL_OK;
}
