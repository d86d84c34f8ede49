/* Inside Arrow tables: one column on its way into typed rows.
 *
 * How a column is read follows from its Arrow type and its schema alone, and is settled when the table is opened:
 *
 *   numbers, days, moments   of a column that holds such: converted run by run, nothing is written as a text
 *   texts                    looked up where they stand
 *   dictionaries, truths     each value is read once for all rows that name it
 *   anything else            (a number in a column of categories, a column where -999 means missing) goes through its
 *                            text, as a cell does; what came of it is remembered by its value
 */
#ifndef SBL_SOURCE_ARROW_COLUMN_H
#define SBL_SOURCE_ARROW_COLUMN_H

#include "source/arrow_run.h"

typedef enum sbl_arrow_way {
    SBL_WAY_CELLS, /* one by one */
    SBL_WAY_NUMBERS,
    SBL_WAY_TEXTS,
    SBL_WAY_CODES, /* known by their places in a dictionary; where it is too long to be learnt, one by one */
    SBL_WAY_KEYS /* known by what they are */
} sbl_arrow_way;

/* What some values became in the rows. */
typedef struct sbl_known_values {
    sbl_batch_column column;
    uint8_t *faults; /* NULL: nothing is known */
    uint64_t *keys;  /* of values known by what they are, else NULL */
    uint8_t *used;   /* of keys: is something known here? */
    size_t count;
} sbl_known_values;

typedef struct sbl_arrow_column {
    const sbl_typed *typed; /* borrowed, and so is buffer (SBL_ARROW_BUFFER bytes) */
    char *buffer;
    size_t index; /* of the column in the table */
    sbl_arrow_type type;
    sbl_arrow_way way;
    sbl_arrow_scale scale; /* of numbers */
    sbl_known_values known;
} sbl_arrow_column;

/* Column `index` of a table, of a type that is not refused, which the schema names. On failure, too, it is to be closed.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_arrow_column_open(sbl_arrow_column *column, const sbl_typed *typed, size_t index,
                                 const sbl_arrow_type *type, char *buffer, sbl_error *err);
void sbl_arrow_column_close(sbl_arrow_column *column); /* wipes; an empty one is fine */

/* Its array in a batch of so many rows, which was checked; then rows of that batch into rows of ours; and the end of
 * the batch. array: the batch's own column.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_arrow_column_begin(sbl_arrow_column *column, const struct ArrowArray *array,
                                  int64_t rows, sbl_error *err);
void sbl_arrow_column_read(sbl_arrow_column *column, const struct ArrowArray *batch, int64_t from,
                           sbl_batch *rows, size_t count);
void sbl_arrow_column_leave(sbl_arrow_column *column); /* wipes what was known of the batch */

#endif
