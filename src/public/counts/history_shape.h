/* SPDX-License-Identifier: Apache-2.0 */
/* What is public of histories: which columns are the person's and which an event's, how far apart
 * events can be, and which tables of counts there are.
 *
 * A person has columns of its own, a number of events m and the time of the first one. An event has
 * its columns and, where events are ordered by a column, its gap: how long after the one before it it
 * came. These are the *bases*: what is drawn, one after the other, the person's first. What an event
 * is drawn by are *sides*: the bases, and contexts that follow from the person's earlier events
 * (docs/mechanisms/histories.md).
 *
 * A gap is told as pace: with `left` steps of time left in the window and r events to come,
 *     z = 1 - (1 - (gap - 1/2) / left)^r,
 * which would be even on [0, 1] if times were: persons with few and with many events share one table,
 * and no time passes the end of the window. Nothing here, and nothing in this folder, has seen a
 * record. */
#ifndef SBL_COUNTS_HISTORY_SHAPE_H
#define SBL_COUNTS_HISTORY_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "public/counts/pairs_plan.h"

#define SBL_HISTORY_NONE ((size_t)-1)
#define SBL_HISTORY_UNIT 65536u /* of a weight: 1 */

typedef enum sbl_side_kind {
    SBL_SIDE_PERSON,   /* a base: the person's column, its number of events, its first time */
    SBL_SIDE_EVENT,    /* a base: the event's gap or column */
    SBL_SIDE_POSITION, /* event 1, 2, 3-4, 5-8, ..., 33 and more */
    SBL_SIDE_CALENDAR, /* in which twelfth of the window the event before was */
    SBL_SIDE_LEFT,     /* steps left after it, for each event to come: by powers of 2^(5/8) */
    SBL_SIDE_PREVIOUS, /* what the event before had in a base */
    SBL_SIDE_MEMORY    /* what all before had: the most frequent code, of an order the mean one */
} sbl_side_kind;

typedef struct sbl_side {
    sbl_side_kind kind;
    uint32_t base; /* PREVIOUS, MEMORY: of which base; a base: itself */
} sbl_side;

/* Whose sums a table holds. */
typedef enum sbl_history_sort {
    SBL_OF_PERSONS, /* of a person: one unit */
    SBL_OF_EVENTS,  /* of each of m events: share(m) / m */
    SBL_OF_STEPS    /* of each but the first: share(m - 1) / (m - 1); what needs an event before */
} sbl_history_sort;
#define SBL_HISTORY_SORTS 3

/* One link: a row (a person, or a row of a linked table) and the events that refer to it. Bases and sides
 * are numbered within the link here; `number` is their number in the whole tree (history_tree.h). */
typedef struct sbl_history_shape {
    size_t parent;               /* the link on whose events it hangs; SBL_HISTORY_NONE: on persons */
    size_t most;                 /* k: events of a person that count */
    size_t least;                /* 1: no row is without events; 0: some are */
    uint64_t span;               /* steps of time of the window; 0: events have an order, no time */
    size_t order;                /* the column of cells that orders them, or SBL_HISTORY_NONE */
    size_t sorted;               /* a base that orders them and is drawn like any other, told by another date
                                  * (history_lag.h); SBL_HISTORY_NONE: none */
    sbl_pairs_column *columns;   /* (base_count) */
    size_t person_count;         /* bases 0 .. person_count - 1 are those of the row and of its own
                                  * parents */
    size_t base_count;           /* the rest the event's */
    bool *context;               /* (person_count): are events drawn by it? */
    size_t count_base;           /* of m: the row's, after its columns */
    size_t first_base, gap_base; /* SBL_HISTORY_NONE where there is no time */
    sbl_side *sides;             /* (side_count): the bases, then contexts */
    size_t side_count;
    size_t position;       /* the side of this kind, and */
    size_t calendar, left; /* SBL_HISTORY_NONE where there is no time */
    size_t previous;       /* of the first event base; the others follow */
    size_t memory;         /* likewise */
    uint32_t *number;      /* (side_count): among all sides, ascending */
    uint32_t *local;       /* (all sides): back again, or SBL_NO_SIDE */
} sbl_history_shape;
#define SBL_NO_SIDE UINT32_MAX

/* The shape of a side whose base has this number of codes (its bins, or fewer): its kind, how many codes
 * it has itself, and which of them are ordered. */
sbl_pairs_column sbl_side_column(const sbl_history_shape *shape, uint32_t base_codes, size_t side);
/* Its codes; codes (base_count). */
static inline uint32_t sbl_side_codes(const sbl_history_shape *shape, const uint32_t *codes, size_t side)
{
    return sbl_side_column(shape, codes[shape->sides[side].base], side).cells;
}

/* Does a side need an event before? */
bool sbl_side_looks_back(const sbl_history_shape *shape, size_t side);
/* For a table of one side (second SBL_HISTORY_NONE) or two. */
sbl_history_sort sbl_history_sort_of(const sbl_history_shape *shape, size_t first, size_t second);

/* The sides that base `base` is drawn by, at most side_count of them: every table of two is one of
 * them and the base. */
size_t sbl_history_contexts_of(const sbl_history_shape *shape, size_t base, uint32_t *sides);

/* ---- numbers of events ---- */

/* Cells are single numbers to 64, or, where k is larger, to 32 and then widen by a tenth; the first is 0
 * where a row may have none. */
uint32_t sbl_history_count_cells(size_t most, size_t least);
uint32_t sbl_history_count_cell(const sbl_history_shape *shape, size_t events);
void sbl_history_count_range(const sbl_history_shape *shape, uint32_t cell, size_t *low, size_t *high);

/* share(m) = min(m^(1/4), 1.7): what the events of a person weigh together. 0 for m = 0. */
double sbl_history_share(size_t events);
/* What one of m events adds to a table of that sort, in units of 2^-16, rounded down. */
uint32_t sbl_history_weight(size_t events, sbl_history_sort sort);

/* ---- times ---- */

uint32_t sbl_history_first_cells(uint64_t span);
uint32_t sbl_history_first_cell(const sbl_history_shape *shape, uint64_t step);
/* Evenly within a cell; beyond the last cell stands a row without events, and then it is within the window. */
uint64_t sbl_history_first_step(const sbl_history_shape *shape, uint32_t cell, double uniform);
/* For a number in [0,1] of the order's column, and back. */
uint64_t sbl_history_step_of(const sbl_history_shape *shape, double place);
double sbl_history_place_of(const sbl_history_shape *shape, uint64_t step);

#define SBL_HISTORY_PACES 41 /* cells */
/* Cell 0: in the same step. left: steps from the event before to the end; to_come: events, this one
 * among them. */
uint32_t sbl_history_pace(uint64_t gap, uint64_t left, size_t to_come);
uint64_t sbl_history_gap(uint32_t cell, double uniform, uint64_t left, size_t to_come);

/* ---- contexts ---- */

/* The code of a place: event 1, 2, 3-4, 5-8, ..., 33 and more; r from 0. */
uint16_t sbl_history_position(size_t r);

/* What one knows of the events of one person so far. */
typedef struct sbl_history_past {
    const sbl_history_shape *shape;
    const uint32_t *codes; /* (base_count), borrowed */
    uint32_t *times;       /* (event bases, most codes): how often each was */
    uint64_t *totals;      /* (event bases): of codes */
    uint16_t *often;       /* (event bases): the most frequent, the latest of several */
    bool *ordered;         /* (event bases) */
    size_t most_codes;
} sbl_history_past;

sbl_status sbl_history_past_init(sbl_history_past *past, sbl_pool *pool, const sbl_history_shape *shape,
                                 const uint32_t *codes, sbl_error *err);
/* Set the contexts of event r of m: row (side_count) follows that of event r - 1, and step is where the
 * step of event r - 1 stands (any pointer without time). Events in their order, from 0. */
void sbl_history_look_back(sbl_history_past *past, uint16_t *row, const uint64_t *step, size_t r, size_t m);
/* Of a person who is real, in the end. One that could not be made is fine. */
void sbl_history_past_wipe(sbl_history_past *past);
/* The person's m rows are done. */
void sbl_history_forget(sbl_history_past *past, const uint16_t *rows, size_t m);

#endif
