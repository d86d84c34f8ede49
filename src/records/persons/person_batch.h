/* SPDX-License-Identifier: Apache-2.0 */
/* Whole persons on their way out: events, and where the events of each person begin (sbl_records.events),
 * for one table or linked ones. Begin a person, add its rows table after table, end it. Privacy: records. */
#ifndef SBL_PERSONS_PERSON_BATCH_H
#define SBL_PERSONS_PERSON_BATCH_H

#include "public/rows/encoded_records.h"

/* A row, and by what it is sorted. */
typedef struct sbl_event {
    double key;
    uint32_t row;
    uint32_t parent; /* its parent's place; smaller ones come first */
} sbl_event;

/* Stable, in workspace of as many; returns the one of both that holds the result. */
sbl_event *sbl_events_sort(sbl_event *from, sbl_event *to, size_t count);
/* The place among the numbers of a row of the column that orders a table's rows, or SBL_NO_COLUMN. */
size_t sbl_events_key(const sbl_facts *facts);

/* Where a table's part of a record begins. */
typedef struct sbl_table_part {
    const sbl_facts *facts; /* of the table by itself */
    size_t numeric, codes, columns;
} sbl_table_part;

/* Begins as zero. */
typedef struct sbl_person_batch {
    const sbl_facts *facts; /* borrowed */
    size_t tables;
    sbl_table_part *parts; /* (tables) */
    sbl_drawn out;         /* numbers and codes of events; labels, units and misfits of persons */
    uint32_t *starts;
    uint32_t *parents; /* NULL: one table */
    uint16_t *misfits; /* (columns): how many cells of the person at hand did not fit */
    size_t persons;
    size_t table; /* of the person at hand */
} sbl_person_batch;

sbl_status sbl_person_batch_make(sbl_person_batch *batch, const sbl_facts *facts, sbl_error *err);
void sbl_person_batch_clear(sbl_person_batch *batch); /* wipes */

/* Has it enough events to be given? There is always room for one more person of at most
 * SBL_ROWS_PER_UNIT_MAX + 1 rows until then. */
bool sbl_person_batch_is_full(const sbl_person_batch *batch);
static inline void sbl_person_batch_empty(sbl_person_batch *batch) { batch->persons = 0; }

/* label: of one table with classes, else 0. */
void sbl_person_batch_begin(sbl_person_batch *batch, sbl_unit_tag unit, uint32_t label);
/* A row of this table, which is not before that of the row given last. */
void sbl_person_batch_give(sbl_person_batch *batch, size_t table, const sbl_records *row, uint32_t parent);
void sbl_person_batch_end(sbl_person_batch *batch);

/* What was given, as records; borrowed. */
sbl_records sbl_person_batch_records(const sbl_person_batch *batch);

#endif
