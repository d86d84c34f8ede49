/* Inside Arrow tables: what a column holds, and one cell of it.
 *
 * A producer may be wrong or hostile. What can be seen without a record (formats, numbers of buffers and
 * children, lengths that contradict each other, buffers that are not there) is refused by column and type. What
 * only a cell shows (an offset that runs backwards, a code without an entry) makes a cell that cannot be read,
 * as any other bad cell: nothing that is refused depends on a record. */
#ifndef SBL_SOURCE_ARROW_TYPE_H
#define SBL_SOURCE_ARROW_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "schema/schema.h"
#include "semblance/arrow.h"

typedef enum sbl_arrow_kind {
    SBL_ARROW_REFUSED, /* no meaning as a cell: lists, structs, binary, times, durations, ... */
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
    SBL_ARROW_TIMESTAMP
} sbl_arrow_kind;

/* Of a dictionary: the type of its values, and the kind of the codes. */
typedef struct sbl_arrow_type {
    sbl_arrow_kind kind;
    sbl_arrow_kind codes; /* SBL_ARROW_REFUSED: no dictionary */
    int scale;            /* of a decimal, digits after the point; may be below 0 */
    int width;            /* of a decimal, bits: 32, 64, 128 */
    int64_t per_second;   /* of a timestamp */
    bool zoned;           /* of a timestamp */
} sbl_arrow_type;

/* What the column holds; SBL_ARROW_REFUSED where that has no meaning. */
sbl_arrow_type sbl_arrow_type_of(const struct ArrowSchema *schema);

/* Is this the schema of a table: a struct whose children have names?
 * Returns: SBL_OK; SBL_EINPUT (name is that of the table) */
sbl_status sbl_arrow_check_table(const struct ArrowSchema *schema, const char *name,
                                 sbl_error *err);
/* Is this a batch of columns as the schema has: as many children, none shorter than the batch?
 * Returns: SBL_OK; SBL_EINPUT */
sbl_status sbl_arrow_check_batch(const struct ArrowArray *batch, const struct ArrowSchema *schema,
                                 const char *name, sbl_error *err);
/* Has it every column that the schema wants, and each once? unit: also the one that says whose row it is.
 * Returns: SBL_OK; SBL_EINPUT, in the words of tables that have no header */
sbl_status sbl_arrow_check_names(const struct ArrowSchema *table, const sbl_schema *schema,
                                 bool unit, const char *name, sbl_error *err);
/* Can the array be read as this type? column: its name.   Returns: SBL_OK; SBL_EINPUT */
sbl_status sbl_arrow_check_array(const sbl_arrow_type *type, const struct ArrowArray *array,
                                 const char *column, const char *name, sbl_error *err);
/* SBL_EINPUT: the type of this column has no meaning as a cell. */
sbl_status sbl_arrow_refuse(const struct ArrowSchema *column, const char *name, sbl_error *err);

/* ---- a cell ---- */

typedef enum sbl_arrow_sort {
    SBL_CELL_IS_MISSING,
    SBL_CELL_IS_UNREADABLE,
    SBL_CELL_IS_TRUTH,    /* whole: 0 or 1 */
    SBL_CELL_IS_INTEGER,  /* whole */
    SBL_CELL_IS_UNSIGNED, /* large */
    SBL_CELL_IS_NUMBER,   /* number */
    SBL_CELL_IS_DECIMAL,  /* text: digits with a point, in the room */
    SBL_CELL_IS_DAY,      /* whole: since 1970-01-01 */
    SBL_CELL_IS_MOMENT,   /* whole: seconds since then */
    SBL_CELL_IS_TEXT,     /* text, followed by 8 readable bytes */
    SBL_CELL_IS_LONG      /* text that is too long for a cell: only good for whose row it is */
} sbl_arrow_sort;

typedef struct sbl_arrow_cell {
    sbl_arrow_sort sort;
    bool zoned; /* of a moment; of a day: never */
    int64_t whole;
    int64_t
        nanoseconds; /* of a day or a moment, past whole: no value of a column, but part of an id */
    uint64_t large;
    double number;
    const char *text; /* in the array or in the room: good until the next cell */
    size_t length;
} sbl_arrow_cell;

/* Room for a text that has no readable bytes after it. */
#define SBL_ARROW_MOST_TEXT ((size_t)1 << 20) /* a longer one cannot be read: SBL_RECORD_LIMIT */
#define SBL_ARROW_ROOM (SBL_ARROW_MOST_TEXT + 16)

/* Cell number row of an array that was checked, counted from the array's offset. room: SBL_ARROW_ROOM bytes.
 * Privacy: a cell of a record. */
void sbl_arrow_cell_at(sbl_arrow_cell *cell, const sbl_arrow_type *type,
                       const struct ArrowArray *array, int64_t row, char *room);
/* Of a dictionary: the entry of row; -1: missing, or there is no such entry (*bad). */
int64_t sbl_arrow_code_at(const sbl_arrow_type *type, const struct ArrowArray *array, int64_t row,
                          bool *bad);

/* The cell as CSV has it, without a NUL at its end: in own, where the cell has it, or a constant. column: how it is
 * written; NULL: nothing says so. */
#define SBL_ARROW_TEXT_SIZE 128
const char *sbl_arrow_cell_text(size_t *length, char own[SBL_ARROW_TEXT_SIZE],
                                const sbl_arrow_cell *cell, const sbl_column *column);
/* The same as an id: no two values of a type have one text. Not of a missing cell. */
const char *sbl_arrow_cell_id(size_t *length, char own[SBL_ARROW_TEXT_SIZE],
                              const sbl_arrow_cell *cell);

/* Is row (from the offset) there, by the validity bitmap? */
static inline bool sbl_arrow_is_there(const struct ArrowArray *array, int64_t row)
{
    const uint8_t *bits = array->n_buffers > 0 ? array->buffers[0] : 0;
    const int64_t at = array->offset + row;
    return array->null_count == 0 || bits == 0 || (bits[at / 8] >> (at % 8) & 1) != 0;
}

#endif
