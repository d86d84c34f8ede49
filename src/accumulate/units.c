/* A table of persons with open addressing. A tag is a keyed hash: its low bits are as good an address
 * as any, and nobody who chooses ids can make them collide. */
#include "accumulate/units.h"

#include <stdbool.h>

#include "base/locked.h"
#include "base/memory.h"

#define FIRST_ROOM 1024

typedef struct person {
    sbl_unit_tag tag; /* nobody: the place is free */
    uint64_t rows;    /* seen so far, at most k */
} person;

struct sbl_units {
    person *persons; /* (room) */
    size_t room;     /* a power of two */
    size_t count;
    uint64_t rows_per_unit;
};

sbl_status sbl_units_new(sbl_units **units, uint64_t rows_per_unit, sbl_error *err)
{
    *units = NULL;
    if (rows_per_unit == 0 || rows_per_unit > SBL_ROWS_PER_UNIT_MAX)
        return sbl_fail(err, SBL_EARG, "1 to %d rows of a person can count", SBL_ROWS_PER_UNIT_MAX);
    sbl_units *made = sbl_alloc_array(1, sizeof *made);
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a table of persons");
    made->rows_per_unit = rows_per_unit;
    made->room = FIRST_ROOM;
    made->persons = sbl_locked_alloc(made->room, sizeof *made->persons);
    if (made->persons == NULL) {
        sbl_units_free(made);
        return sbl_fail(err, SBL_EMEM, "out of memory for a table of persons");
    }
    *units = made;
    return SBL_OK;
}

void sbl_units_free(sbl_units *units)
{
    if (units == NULL) return;
    sbl_locked_free(units->persons, units->room, sizeof *units->persons);
    sbl_free_wiped(units, sizeof *units);
}

static bool is_nobody(sbl_unit_tag tag) { return (tag.low | tag.high) == 0; }

/* The place of this person, or the free one where it belongs: there is always one. */
static person *find(person *persons, size_t room, sbl_unit_tag tag)
{
    size_t at = tag.low & (room - 1);
    while (!is_nobody(persons[at].tag) &&
           ((persons[at].tag.low ^ tag.low) | (persons[at].tag.high ^ tag.high)) != 0)
        at = (at + 1) & (room - 1);
    return &persons[at];
}

/* Twice the room; the old pages are wiped. */
static bool grow(sbl_units *units)
{
    const size_t room = 2 * units->room;
    person *persons = sbl_locked_alloc(room, sizeof *persons);
    if (persons == NULL) return false;
    for (size_t i = 0; i < units->room; i++)
        if (!is_nobody(units->persons[i].tag))
            *find(persons, room, units->persons[i].tag) = units->persons[i];
    sbl_locked_free(units->persons, units->room, sizeof *persons);
    units->persons = persons;
    units->room = room;
    return true;
}

sbl_status sbl_units_turns(sbl_units *units, uint32_t *turns, const sbl_unit_tag *tags, size_t rows,
                           sbl_error *err)
{
    for (size_t r = 0; r < rows; r++) {
        turns[r] = 0;
        if (is_nobody(tags[r])) continue;
        /* At most half of the places are taken, so that a search is short. */
        if (2 * units->count >= units->room && !grow(units))
            return sbl_fail(err, SBL_EMEM, "out of memory for a table of persons");
        person *owner = find(units->persons, units->room, tags[r]);
        units->count += owner->rows == 0;
        owner->tag = tags[r];
        turns[r] = (uint32_t)owner->rows;
        owner->rows += owner->rows < units->rows_per_unit;
    }
    return SBL_OK;
}
