/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of a person have in common, counted column by column, and who owns how many.
 *
 * NOT PRIVATE: the counts come from the records. For `schema inspect` and `schema check`. */
#ifndef SBL_INSPECT_PERSON_TALLY_H
#define SBL_INSPECT_PERSON_TALLY_H

#include "base/tag_table.h"
#include "base/text.h"
#include "public/rows/row_batch.h"

/* For one column. A person's first row is the first that is read. */
typedef struct sbl_person_column {
    uint64_t differ;  /* rows that are not as the first of their person */
    uint64_t persons; /* who have such a row */
    uint64_t mixed;   /* rows compared with the first row of another person, and of these */
    uint64_t apart;   /* those that are not as it */
    uint64_t rises;   /* rows above the one before of the same person, where both have a value */
    uint64_t falls;   /* likewise, below */
} sbl_person_column;

/* Zero-initialise. */
typedef struct sbl_person_tally {
    const sbl_schema *schema;
    uint32_t share; /* of persons that are followed, as a share of 2^32 - 1 */
    size_t *followed;
    size_t column_count;           /* followed ones */
    sbl_person_column *columns;    /* (column_count) */
    sbl_tag_table index;           /* the number of a person, from 1 */
    uint64_t *rows;                /* (capacity): of each person */
    struct sbl_person_cell *cells; /* (capacity, column_count) */
    size_t capacity;
    uint64_t later;  /* rows after the first of their person */
    uint64_t nobody; /* rows that name no person */
    bool failed;     /* out of memory */
} sbl_person_tally;

/* In:  schema  with a unit, borrowed
 *      follow  (columns of the schema): which are compared; none that is ignored
 *      share   which persons are looked at, by the hash of their id: UINT32_MAX: all of them */
sbl_status sbl_person_tally_begin(sbl_person_tally *tally, const sbl_schema *schema, const bool *follow,
                                  uint32_t share, sbl_error *err);
/* Rows that say whose they are. */
void sbl_person_tally_take(sbl_person_tally *tally, const sbl_batch *batch);
/* Lines for `schema check`: rows without an id, persons with more rows than count, persons whose rows
 * disagree. keys_of: in linked tables they are keys of this table; NULL: persons. */
sbl_status sbl_person_tally_describe(sbl_text *text, const sbl_person_tally *tally, const char *keys_of,
                                     sbl_error *err);
void sbl_person_tally_clear(sbl_person_tally *tally); /* wipes */

#endif
