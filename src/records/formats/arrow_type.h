/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to Arrow tables: what a column holds, and one cell of it.
 *
 * A producer may be wrong or hostile. Faults that show without a record (formats, numbers of buffers and
 * children, lengths that contradict each other, missing buffers) are refused, naming the column and the
 * type. A fault that only a cell shows (an offset that runs backwards, a code without an entry) makes a
 * cell that cannot be read, like any other bad cell. So no refusal depends on a record. */
#ifndef SBL_FORMATS_ARROW_TYPE_H
#define SBL_FORMATS_ARROW_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "records/rows/cell.h"
#include "semblance/arrow.h"

typedef enum sbl_arrow_kind {
    SBL_ARROW_REFUSED, /* no meaning as a cell: lists, structs, binary, durations, ... */
    SBL_ARROW_NULL,
    SBL_ARROW_BOOL,
    SBL_ARROW_INT8,
    SBL_ARROW_INT16,
    SBL_ARROW_INT32,
    SBL_ARROW_INT64,
    SBL_ARROW_UINT8,
    SBL_ARROW_UINT16,
    SBL_ARROW_UINT32,
    SBL_ARROW_UINT64,
    SBL_ARROW_HALF,
    SBL_ARROW_FLOAT,
    SBL_ARROW_DOUBLE,
    SBL_ARROW_DECIMAL,
    SBL_ARROW_UTF8,
    SBL_ARROW_LARGE_UTF8,
    SBL_ARROW_UTF8_VIEW,
    SBL_ARROW_DATE32,
    SBL_ARROW_DATE64,
    SBL_ARROW_TIMESTAMP,
    SBL_ARROW_TIME32, /* of day */
    SBL_ARROW_TIME64
} sbl_arrow_kind;

/* For a dictionary: the type of its values, and the kind of the codes. */
typedef struct sbl_arrow_type {
    sbl_arrow_kind kind;
    sbl_arrow_kind codes; /* SBL_ARROW_REFUSED: no dictionary */
    int scale;            /* of a decimal, digits after the point; may be below 0 */
    int width;            /* of a decimal, bits: 32, 64, 128 */
    int64_t per_second;   /* of a timestamp or a time */
    bool zoned;           /* of a timestamp */
    bool mixed;           /* of texts: a cell may say which sort it is */
} sbl_arrow_type;

/* What the column holds; SBL_ARROW_REFUSED where that has no meaning. */
sbl_arrow_type sbl_arrow_type_of(const struct ArrowSchema *schema);

/* Is this the schema of a table: a struct whose children have names?
 * Returns: SBL_OK; SBL_EINPUT (name is that of the table) */
sbl_status sbl_arrow_check_table(const struct ArrowSchema *schema, const char *name, sbl_error *err);
/* Is this a batch of columns as the schema has: as many children, none shorter than the batch?
 * Returns: SBL_OK; SBL_EINPUT */
sbl_status sbl_arrow_check_batch(const struct ArrowArray *batch, const struct ArrowSchema *schema,
                                 const char *name, sbl_error *err);
/* Can the array be read as this type? column: its name.   Returns: SBL_OK; SBL_EINPUT */
sbl_status sbl_arrow_check_array(const sbl_arrow_type *type, const struct ArrowArray *array,
                                 const char *column, const char *name, sbl_error *err);
/* SBL_EINPUT: the type of this column has no meaning as a cell. */
sbl_status sbl_arrow_refuse(const struct ArrowSchema *column, const char *name, sbl_error *err);

/* ---- mixed columns ---- */

/* Texts whose field has the metadata ARROW:extension:name = semblance.cells: a column whose cells have no common type,
 * as object columns of Python. A text that begins with the mark is another sort of cell, by the letter that follows:
 *
 *   b0, b1  a truth       i-12  a whole number         g1.5e-07  a number    d3.05  a decimal, digits as they are
 *   D19000  a day         m12.000000000  a moment, in seconds and nanoseconds; z: one in UTC; c: a time of day
 *   t       the text that follows
 *
 * Every cell is read as one of a column that has nothing but its sort. */
#define SBL_MIXED_MARK '\x01'
#define SBL_MIXED_TAG 2 /* bytes: the mark and the letter */

/* Does the field say so? */
bool sbl_arrow_is_mixed(const struct ArrowSchema *schema);
/* The cell that a text of such a column is. */
void sbl_arrow_mixed_cell(sbl_cell *cell);

/* ---- a cell ---- */

/* For a text that has no readable bytes after it, and for decimals. */
#define SBL_ARROW_BUFFER (SBL_CELL_MOST_TEXT + 16)

/* Cell number row of an array that was checked, counted from the array's offset. buffer: SBL_ARROW_BUFFER
 * bytes, which may receive its text.
 * Privacy: a cell of a record. */
void sbl_arrow_cell_at(sbl_cell *cell, const sbl_arrow_type *type, const struct ArrowArray *array,
                       int64_t row, char *buffer);
/* For a dictionary: the entry of row; -1: missing, or an index out of range (*bad). */
int64_t sbl_arrow_code_at(const sbl_arrow_type *type, const struct ArrowArray *array, int64_t row, bool *bad);

/* Is row (from the offset) there, by the validity bitmap? */
static inline bool sbl_arrow_is_there(const struct ArrowArray *array, int64_t row)
{
    const uint8_t *bits = array->n_buffers > 0 ? array->buffers[0] : 0;
    const int64_t at = array->offset + row;
    return array->null_count == 0 || bits == 0 || (bits[at / 8] >> (at % 8) & 1) != 0;
}

#endif
