/* SPDX-License-Identifier: Apache-2.0 */
/* Whole histories drawn forwards, with immediate feedback.
 *
 * Column after column is drawn from P(x) ~ exp(bias(x) + sum of theta(context, x)) over the contexts
 * that it has tables with; of a person first, of its events then, one after the other, each seeing
 * those before it. These are exact draws: there is no chain to mix. With feedback, what is drawn
 * lowers at once the logits of the entries that it fills, by the entry's gain times the row's weight:
 * weighted counts are pulled to their targets instead of wandering around them.
 *
 * What is drawn is a function of the field, the rows, the seed and the number of the sweep alone. */
#ifndef SBL_HISTORIES_HISTORY_DRAW_H
#define SBL_HISTORIES_HISTORY_DRAW_H

#include "public/counts/history_tree.h"

/* A table: of a side and the column that is drawn by it. */
typedef struct sbl_walk_edge {
    uint32_t side;
    uint32_t codes;  /* of the side */
    bool looks_back; /* a table of steps: nothing to a first event */
    size_t at;       /* its first entry: (codes, lanes of the column) */
} sbl_walk_edge;

typedef struct sbl_walk_column {
    uint32_t base, codes;
    uint32_t lanes;  /* codes, padded */
    bool looks_back; /* the gap: a first event has none */
    size_t bias_at;
    size_t first_edge, edge_count;
} sbl_walk_column;

/* What is drawn in one go: the persons (every row is one), or the events of persons that are there. */
typedef struct sbl_walk {
    const sbl_history_shape *shape; /* borrowed */
    uint32_t *codes;                /* (base_count) */
    bool of_events;
    size_t width; /* codes of a row: person_count or side_count */
    sbl_walk_column *columns;
    size_t column_count;
    sbl_walk_edge *edges;
    size_t edge_count;
    size_t bias_size, table_size; /* floats */
    uint32_t most_lanes;
    sbl_pool pool; /* of the arrays */
} sbl_walk;

/* codes, tables: of the whole tree; which tables there are, (first, second) sides each with first <
 * second: those of another link or sort are passed over. */
sbl_status sbl_walk_init(sbl_walk *walk, const sbl_history_shape *shape, const uint32_t *codes,
                         bool of_events, const uint32_t (*tables)[2], size_t table_count, sbl_error *err);
void sbl_walk_clear(sbl_walk *walk);

/* For all rows of a person together: how many events of one kind refer to them, and how many of these follow
 * another. Where a person has several parent rows, these numbers weight the events. */
typedef struct sbl_walk_unit {
    uint32_t events, steps;
} sbl_walk_unit;

/* The rows of all persons, or of another parent table. */
typedef struct sbl_walk_rows {
    size_t persons;
    const size_t *starts;       /* (persons + 1): of its rows; NULL: each has one */
    uint16_t *rows;             /* (rows, width); of events the person's codes are there */
    uint64_t *steps;            /* (rows): set where there is time, and of a first event given; else NULL */
    const sbl_walk_unit *units; /* (persons); NULL: all events of a person refer to one row */
} sbl_walk_rows;
static inline size_t sbl_walk_first(const sbl_walk_rows *rows, size_t person)
{
    return rows->starts != NULL ? rows->starts[person] : person;
}

/* How the codes of the gap divide into cells of pace. */
typedef struct sbl_walk_gaps {
    const uint32_t *code_of; /* (cells) */
    const float *share;      /* (cells): of a cell within its code */
    uint32_t cells;
} sbl_walk_gaps;

/* Logits, and what they fall by for a row of weight 1 that fills an entry. */
typedef struct sbl_walk_field {
    const float *bias, *tables;
    const float *bias_gain, *gains; /* NULL: no feedback */
    bool again;                     /* the rows were counted before: what they filled is given back first */
} sbl_walk_field;

/* Persons are divided into this number of shards, which are drawn in parallel and exchange their tallies
 * after each sweep: until then each takes its own shard's changes for everyone's. It does not depend on the
 * number of threads. */
#define SBL_WALK_SHARDS 4

/* Draw all persons in a random order of this sweep's. bias and tables stay as they are. alone: in one
 * part.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_walk_draw(const sbl_walk *walk, const sbl_walk_field *field, const sbl_walk_rows *rows,
                         const sbl_walk_gaps *gaps, uint64_t seed, uint64_t sweep, bool alone,
                         sbl_error *err);

/* Weighted shares of the rows: ones (bias_size), tables (table_size), each table's sum 1. total (sorts):
 * what the rows weigh. */
void sbl_walk_count(const sbl_walk *walk, const sbl_walk_rows *rows, double *ones, double *tables,
                    double total[SBL_HISTORY_SORTS]);

/* What row r of m weighs, in its sort; a first event has no step. */
static inline double sbl_walk_weight(const sbl_walk_rows *rows, size_t person, size_t m, size_t r,
                                     sbl_history_sort sort)
{
    const sbl_walk_unit *unit = rows->units != NULL ? &rows->units[person] : NULL;
    if (sort == SBL_OF_STEPS && r == 0) return 0.0;
    const size_t of = unit == NULL ? m : sort == SBL_OF_STEPS ? unit->steps + 1u : unit->events;
    return (double)sbl_history_weight(of, sort) / SBL_HISTORY_UNIT;
}

#endif
