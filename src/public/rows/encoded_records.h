/* SPDX-License-Identifier: Apache-2.0 */
/* Encoded records on their way in and out: matrices by rows, as public/plan/facts.h describes a record. */
#ifndef SBL_ROWS_ENCODED_RECORDS_H
#define SBL_ROWS_ENCODED_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/kinds.h"
#include "public/plan/facts.h"
#include "public/rows/text_cell.h"

/* The rows of whole persons, one person after the other, each person's in order. */
typedef struct sbl_events {
    const double *numeric;   /* (events, heads.numeric_count) */
    const uint32_t *codes;   /* (events, heads.categorical_count) */
    const uint32_t *starts;  /* (persons + 1): person p has rows starts[p] .. starts[p + 1] - 1, at
                             * least one. Of T linked tables (persons * T + 1): its rows of table t are
                             * starts[p T + t] .. starts[p T + t + 1] - 1, of table 0 just one; of a row the
                             * numbers and codes of its own table are set, the others are 0 */
    const uint32_t *parents; /* (events), for linked tables: the parent row, counted from 0 among the
                              * person's rows of the parent's table; rows are in the order of their
                              * parents. 0 if the parent is the root. NULL: a single table */
} sbl_events;

/* T of a person's starts. */
static inline size_t sbl_events_tables(const sbl_facts *facts)
{
    return facts->table_facts != NULL ? facts->schema->table_count : 1;
}

/* Some records that were read. What a kind of data does not have is NULL. Privacy: records. */
typedef struct sbl_records {
    const double *numeric;     /* tables: (rows, heads.numeric_count) in [0,1] */
    const uint32_t *codes;     /* tables: (rows, heads.categorical_count), the label's among them */
    const uint8_t *pixels;     /* images: (rows, shape.numeric) */
    const uint32_t *labels;    /* (rows), below classes; NULL: one class */
    const uint8_t *misfits;    /* (rows, facts.columns), 1 where a cell did not fit the schema, or a
                                * file was no image of the set's shape; NULL: all did */
    const sbl_unit_tag *units; /* (rows): whose row each is, where a person may own several */
    const sbl_unit_tag *keys;  /* (rows): each row's own key, if it has child tables; else NULL */
    /* (rows): which of its person's rows each is (records/accumulate/person_rows_kept.h); set by the code that adds
     * the records to a sum. */
    const uint32_t *unit_rows;
    const sbl_text_cell *texts; /* (rows, columns that are asked for texts): for a table without a
                                 * schema, which has nothing else */
    sbl_events events; /* starts not NULL: a record is a whole person (records/persons/person_source.c). Then
                        * rows is the number of persons, numeric and codes are NULL, labels are those
                        * of the first event, units has one tag a person, and misfits says of which
                        * columns at least half of the person's counted cells did not fit */
    size_t rows;       /* in a feature's hands at most sbl_slice_rows(), of persons SBL_PERSON_SLICE */
} sbl_records;

/* One thread's share of a batch: its features stay in cache. */
#define SBL_SLICE_ROWS 128 /* of tables, and the most of any data */
#define SBL_IMAGE_SLICE_ROWS 16
#define SBL_PERSON_SLICE 16
_Static_assert(SBL_IMAGE_SLICE_ROWS <= SBL_SLICE_ROWS, "no slice is longer than SBL_SLICE_ROWS");

static inline size_t sbl_slice_rows(const sbl_facts *facts)
{
    return facts->kind == SBL_DATA_IMAGES ? SBL_IMAGE_SLICE_ROWS : SBL_SLICE_ROWS;
}

/* Some of the records, from `first` on; borrowed. */
sbl_records sbl_records_slice(const sbl_records *records, const sbl_facts *facts, size_t first, size_t rows);

/* Records in memory of one's own, such as a model draws; the same layout. */
typedef struct sbl_drawn {
    double *numeric;
    uint32_t *codes;
    uint8_t *pixels;
    uint32_t *labels;    /* images only: a table's label is among the codes */
    sbl_unit_tag *units; /* of records that are handled like real ones: whose each is; else NULL */
    uint8_t *misfits;    /* likewise: what a model draws fits */
    uint64_t *persons;   /* of a model that draws whole persons: whose row each is, 0, 1, 2, ... in
                          * the order of drawing; NULL: rows do not belong together */
    /* Of a model of linked tables, else NULL. A person's rows are the root's one, then those of table 1,
     * 2, ...; of a row only the columns of its own table are looked at. */
    uint8_t *tables;   /* which table each row is of (schema.tables) */
    uint64_t *numbers; /* its number within its table: 0, 1, 2, ... over all that is drawn */
    uint64_t *parents; /* the number, in the parent's table, of the row it hangs on; the root: its own */
    size_t rows;       /* that there is memory for */
} sbl_drawn;

/* Memory for rows records, zeroed. as_read: with the parts that only a record that is read has: the
 * label of a table beside its codes, its unit, its misfits.
 * Owner: the caller; sbl_drawn_clear() */
sbl_status sbl_drawn_make(sbl_drawn *drawn, const sbl_facts *facts, size_t rows, bool as_read,
                          sbl_error *err);
/* Memory for whose row each is, too. */
sbl_status sbl_drawn_keep_persons(sbl_drawn *drawn, sbl_error *err);
/* Memory for tables, numbers and parents, too. */
sbl_status sbl_drawn_keep_links(sbl_drawn *drawn, sbl_error *err);
/* How many of the first rows, at most `most` of them, are those of whole persons; all rows where there are no
 * more than `most`, and `most` where one person has more than that. */
size_t sbl_whole_persons(const uint64_t *persons, size_t rows, size_t most);
/* Wipes. facts: as it was made with; NULL where it was not. */
void sbl_drawn_clear(sbl_drawn *drawn, const sbl_facts *facts);
/* The records from `first` on; borrowed. */
sbl_records sbl_drawn_records(const sbl_drawn *drawn, const sbl_facts *facts, size_t first, size_t rows);

#endif
