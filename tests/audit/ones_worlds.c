/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/ones_worlds.h"

#include <stdlib.h>
#include <string.h>

#include "records/accumulate/sum.h"

enum { TABLES = 4, CELLS = 10, WIDTH = TABLES * CELLS, ENTRIES = 9 };

#define COMMON .width = WIDTH, .ones = ENTRIES, .bound1 = TABLES, .nonnegative = true

const world ones_worlds[] = {
    {.name = "ones per class with counts, replace-one", COMMON, LABELS(2), WITH_COUNTS, GAUSS, REPLACE_ONE},
    {.name = "ones per class with counts, add-remove", COMMON, LABELS(3), WITH_COUNTS, GAUSS, ADD_REMOVE},
    {.name = "ones over all records, replace-one", COMMON, .classes = 1, GAUSS, REPLACE_ONE},
    {.name = "pure, ones per class, replace-one", COMMON, LABELS(2), PURE_LAPLACE, REPLACE_ONE},
    {.name = "pure, ones per class with counts, add-remove",
     COMMON,
     LABELS(2),
     WITH_COUNTS,
     PURE_LAPLACE,
     ADD_REMOVE},
};
const size_t ones_world_count = sizeof ones_worlds / sizeof ones_worlds[0];

enum pair_kind {
    OTHER_CELLS,
    OTHER_CELLS_OTHER_LABEL,
    OTHER_LABEL,
    BAD_LABEL,
    FALLING_ORDER,
    NOTHING,
    OUT_OF_RANGE,
    NEXT_CLASS,
    ONE_PLACE,
    ONE_PLACE_OTHER_LABEL,
    TWO_PLACES,
    TOO_MANY,
    TOO_MANY_AND_REPEATED,
    DUPLICATES,
    PAIR_KINDS
};
static const char *const names[PAIR_KINDS] = {"other cells",
                                              "other cells, other label",
                                              "other label",
                                              "bad label",
                                              "falling order",
                                              "nothing",
                                              "out of range",
                                              "entries of the next class",
                                              "one place again and again",
                                              "one place again and again, other label",
                                              "two places again and again",
                                              "too many",
                                              "too many and repeated",
                                              "duplicates"};
const size_t ones_pair_count = PAIR_KINDS;

/* Cell `cell` of every table, in order, then nothing. */
static void cells(double *row, size_t cell)
{
    for (size_t i = 0; i < ENTRIES; i++)
        row[i] = i < TABLES ? (double)(i * CELLS + cell) : (double)SBL_NO_ENTRY;
}

/* first, first + step, ... */
static void series(double *row, double first, double step)
{
    for (size_t i = 0; i < ENTRIES; i++) row[i] = first + (double)i * step;
}

/* The rows a and b in which the two data sets differ, and b's label. */
static void fill_pair(double *a, double *b, uint32_t *label, const world *w, enum pair_kind kind)
{
    const uint32_t other = (uint32_t)((*label + 1) % w->classes);
    cells(a, 0);
    cells(b, 1);
    switch (kind) {
    case OTHER_CELLS:
        break;
    case OTHER_CELLS_OTHER_LABEL:
        *label = other;
        break;
    case OTHER_LABEL:
        cells(b, 0);
        *label = other;
        break;
    case BAD_LABEL:
        *label = 4000000000u;
        break;
    case FALLING_ORDER:
        for (size_t i = 0; i < ENTRIES; i++) a[i] = b[ENTRIES - 1 - i];
        break;
    case NOTHING:
        series(b, SBL_NO_ENTRY, 0);
        break;
    case OUT_OF_RANGE:
        series(a, WIDTH, 1);
        series(b, 4e9, 1000);
        break;
    case NEXT_CLASS: /* where a class's own coordinates would be, were the width not looked at */
        for (size_t i = TABLES; i < ENTRIES; i++) a[i] = (double)(WIDTH + i);
        break;
    case ONE_PLACE: /* no more entries than a record may have, but all the same */
        for (size_t i = 0; i < TABLES; i++) a[i] = 3;
        for (size_t i = 0; i < TABLES; i++) b[i] = 4;
        break;
    case ONE_PLACE_OTHER_LABEL:
        series(a, WIDTH - 1, 0);
        series(b, WIDTH - 1, 0);
        *label = other;
        break;
    case TWO_PLACES:
        for (size_t i = 0; i < ENTRIES; i++) a[i] = i % 2 != 0 ? 5 : 6;
        for (size_t i = 0; i < ENTRIES; i++) b[i] = i % 3 != 0 ? 7 : 8;
        break;
    case TOO_MANY:
        series(a, 0, 1);
        series(b, WIDTH - 1, -1);
        break;
    case TOO_MANY_AND_REPEATED:
        for (size_t i = 0; i < ENTRIES; i++) a[i] = (double)(i / 2);
        for (size_t i = 0; i < ENTRIES; i++) b[i] = (double)(20 + i / 3);
        break;
    default: /* DUPLICATES, of which there is one more */
        memcpy(b, a - (WORLD_ROWS - 1) * ENTRIES, ENTRIES * sizeof *b);
        break;
    }
}

void make_ones_pair(neighbour_pair *pair, const world *w, size_t which)
{
    const size_t last = (WORLD_ROWS - 1) * ENTRIES;
    records *both[2] = {&pair->first, &pair->second};
    for (size_t i = 0; i < 2; i++) {
        *both[i] = (records){calloc(WORLD_ROWS, sizeof(uint32_t)),
                             calloc(WORLD_ROWS * ENTRIES, sizeof(double)), WORLD_ROWS};
        for (size_t r = 0; r < WORLD_ROWS; r++) {
            both[i]->labels[r] = (uint32_t)(r % w->classes);
            cells(both[i]->features + r * ENTRIES, r * 7 % CELLS);
        }
    }
    pair->name = names[which];
    pair->tight = false;
    fill_pair(pair->first.features + last, pair->second.features + last, &pair->second.labels[WORLD_ROWS - 1],
              w, (enum pair_kind)which);
    if (w->neighbours == SBL_ADD_REMOVE) pair->second.rows = WORLD_ROWS - 1;
}
