/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as persons, each with its events in order: what the measures of histories work on.
 *
 * A person's columns are those that the schema declares so (per unit); the others are the event's, and
 * the one that orders events is neither. NOT PRIVATE, as everything of fidelity/. */
#ifndef SBL_FIDELITY_PERSON_EVENTS_H
#define SBL_FIDELITY_PERSON_EVENTS_H

#include "owner/fidelity/column_codes.h"
#include "owner/fidelity/compared_tables.h"

/* Which column of a view is what. */
typedef struct sbl_history_columns {
    const sbl_view *view;     /* borrowed */
    uint32_t *person, *event; /* numbers of columns of the view */
    size_t person_count, event_count;
    const sbl_view_column *order; /* NULL: events are in the order of rows */
} sbl_history_columns;

sbl_status sbl_history_columns_init(sbl_history_columns *columns, const sbl_view *view,
                                    const sbl_schema *schema, sbl_error *err);
void sbl_history_columns_clear(sbl_history_columns *columns);

/* One table. An event is meant by its place: persons one after the other, the events of each in order. */
typedef struct sbl_history_table {
    const sbl_frame *frame; /* borrowed */
    size_t persons;
    uint32_t *starts; /* (persons + 1): places of person p are starts[p] .. starts[p + 1] - 1 */
    uint32_t *rows;   /* (frame->rows): the frame's row of each place */
    double *times;    /* (frame->rows): the order column at each place; NULL where there is none */
    size_t in_order;  /* persons whose rows are in order in the table */
    uint32_t *later;  /* (later_count): places of events that are not their person's first */
    size_t later_count;
} sbl_history_table;

/* frame: with persons; one without rows is a table of none. */
sbl_status sbl_history_table_init(sbl_history_table *table, const sbl_frame *frame,
                                  const sbl_history_columns *columns, sbl_error *err);
void sbl_history_table_clear(sbl_history_table *table); /* wipes */

/* All tables of an evaluation. */
typedef struct sbl_histories {
    const sbl_tables *tables; /* borrowed */
    sbl_history_columns columns;
    sbl_history_table of[SBL_ROLE_COUNT];
    sbl_codes cells; /* a column for each of the view, an entry for each place: categories as they are,
                      * numbers in ten cells with as many real events each, what stands apart one cell each */
    double *effects; /* (columns of the view): cells.effects; NULL where relations are not kept */
} sbl_histories;

sbl_status sbl_histories_init(sbl_histories *h, const sbl_tables *tables, const sbl_view *view,
                              const sbl_schema *schema, sbl_error *err);
void sbl_histories_clear(sbl_histories *h);

/* A number of a row so that sums and differences are exact where the column has a grid: in its own units, or
 * in steps of the grid. */
double sbl_history_number(const sbl_view_column *column, const sbl_frame *frame, size_t row);

/* ---- cells of equal shares ---- */

#define SBL_MOST_EDGES 15

/* Where numbers are cut so that `parts` have as many of them each: fewer where values repeat. */
typedef struct sbl_edges {
    double at[SBL_MOST_EDGES];
    size_t count;
} sbl_edges;

/* values (count) are put in order. */
sbl_edges sbl_edges_of(double *values, size_t count, size_t parts);
/* 0 .. edges->count */
uint32_t sbl_edges_cell(const sbl_edges *edges, double value);

/* ---- numbers of events ---- */

#define SBL_HISTORY_BUCKETS 16
/* 1, 2, 3, 4, 5, 6-7, 8-10, ... events: 0 .. SBL_HISTORY_BUCKETS - 1 */
uint32_t sbl_history_bucket(uint32_t events);

/* ---- measures, each with its floor and ceiling ---- */

/* Total variation distances. */
sbl_status sbl_history_events(sbl_triple tvd, sbl_triple by_person, const sbl_histories *h, sbl_error *err);
sbl_status sbl_history_previous(sbl_triple tvd, sbl_triple same, const sbl_histories *h, size_t limit,
                                sbl_error *err);
sbl_status sbl_history_parent(sbl_triple tvd, const sbl_histories *h, size_t limit, sbl_error *err);
sbl_status sbl_history_gap_pairs(sbl_triple tvd, const sbl_histories *h, sbl_error *err);

/* Kolmogorov-Smirnov distances over gaps, and over persons: the first to the last time, sums, means and
 * numbers of different values of a column. */
typedef enum sbl_person_number {
    SBL_PERSON_SPAN,
    SBL_PERSON_TOTAL,
    SBL_PERSON_MEAN,
    SBL_PERSON_DISTINCT
} sbl_person_number;
sbl_status sbl_history_gaps(sbl_triple ks, const sbl_histories *h, sbl_error *err);
sbl_status sbl_history_persons(sbl_triple ks, const sbl_histories *h, sbl_person_number number,
                               const sbl_view_column *column, sbl_error *err);

/* Shares of the persons of one table: synthetic, floor, and real instead of the ceiling. */
void sbl_history_constant(sbl_triple share, const sbl_histories *h);
void sbl_history_in_order(sbl_triple share, const sbl_histories *h);

/* A cell in words; NULL when out of memory. */
json_t *sbl_history_cell(const sbl_view_column *column, const sbl_frame *frame, size_t row);
/* Some persons of a table for pictures (docs/FORMATS.md); NULL when out of memory. */
json_t *sbl_history_people(const sbl_history_table *table, const sbl_history_columns *columns);

#endif
