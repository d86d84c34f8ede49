/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to Arrow tables: one column on its way into typed rows.
 *
 * How a column is read follows from its Arrow type and its schema alone, and is chosen when the table is
 * opened:
 *
 *   numbers, days, moments   in a column of that kind: converted run by run, never written as text
 *   texts                    looked up in place
 *   dictionaries, truths     each value is read once for all rows that name it
 *   anything else            (a number in a column of categories, a column where -999 means missing) goes through its
 *                            text, as a cell does; the result is remembered by its value */
#ifndef SBL_FORMATS_ARROW_COLUMN_H
#define SBL_FORMATS_ARROW_COLUMN_H

#include "records/formats/arrow_type.h"
#include "records/rows/column_binding.h"

/* A run of cells of one column, taken out of its buffers by one loop per type.
 *
 * A usual cell (not missing, finite, a text within its buffer) is a value of the run. Any other is missing
 * or odd. The reader of the run reads an odd cell by itself (arrow_type.h): the meaning of a cell does not
 * depend on the path that reads it. */

#define SBL_ARROW_RUN 256 /* cells: what a run takes stays in the first cache */

enum { SBL_RUN_MISSING = 0, SBL_RUN_VALUE = 1, SBL_RUN_ODD = 2 };

/* Privacy: cells of records. */
typedef struct sbl_arrow_run {
    size_t count;
    bool exceptions; /* is any cell no value? */
    uint8_t is[SBL_ARROW_RUN];
    union {
        double values[SBL_ARROW_RUN];
        uint64_t keys[SBL_ARROW_RUN];
        sbl_binding_piece texts[SBL_ARROW_RUN]; /* NULL if it is not a value */
    };
} sbl_arrow_run;

/* How a column's values become the numbers that its cells are. */
typedef enum sbl_arrow_scale {
    SBL_SCALE_PLAIN,   /* numbers */
    SBL_SCALE_DAYS,    /* days and moments as days; a moment other than midnight is odd */
    SBL_SCALE_SECONDS, /* days and moments as seconds */
} sbl_arrow_scale;

/* Can this type be read as numbers of that scale? */
bool sbl_arrow_has_numbers(const sbl_arrow_type *type, sbl_arrow_scale scale);
/* Has none of these numbers a fraction? */
bool sbl_arrow_is_whole(const sbl_arrow_type *type);
bool sbl_arrow_has_texts(const sbl_arrow_type *type);

/* count cells (at most SBL_ARROW_RUN) of a batch, from row `from` of it on. array: the batch's column,
 * which was checked; type: of what its buffer holds, with numbers or texts as the function wants. Values
 * that are not finite are odd. */
void sbl_arrow_run_numbers(sbl_arrow_run *run, const sbl_arrow_type *type, sbl_arrow_scale scale,
                           const struct ArrowArray *batch, const struct ArrowArray *array, int64_t from,
                           size_t count);
void sbl_arrow_run_texts(sbl_arrow_run *run, const sbl_arrow_type *type, const struct ArrowArray *batch,
                         const struct ArrowArray *array, int64_t from, size_t count);
/* What tells two cells of one type apart, in 64 bits: the codes of a dictionary, truths, the bits of a number. A
 * decimal that is wider is odd. type: any but texts and nulls. */
void sbl_arrow_run_keys(sbl_arrow_run *run, const sbl_arrow_type *type, const struct ArrowArray *batch,
                        const struct ArrowArray *array, int64_t from, size_t count);

/* A cell of a column of categories that a stream of ours has read: its code, and its fault from this bit on. */
#define SBL_READ_SHIFT 28
#define SBL_READ_CODES ((UINT32_C(1) << SBL_READ_SHIFT) - 1)

/* Their codes, which mean nothing where a cell is missing. type: uint32. Returns whether any has a fault. */
bool sbl_arrow_run_read(sbl_arrow_run *run, uint32_t *codes, const struct ArrowArray *batch,
                        const struct ArrowArray *array, int64_t from, size_t count);

/* ---- the column ---- */

typedef enum sbl_arrow_way {
    SBL_WAY_CELLS, /* one by one */
    SBL_WAY_NUMBERS,
    SBL_WAY_TEXTS,
    SBL_WAY_CODES, /* known by their places in a dictionary; where it is too long to be learnt, one by one */
    SBL_WAY_KEYS,  /* known by what they are */
    SBL_WAY_READ   /* read by the stream itself (duckdb.h) */
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
    const sbl_binding *typed; /* borrowed, and so is buffer (SBL_ARROW_BUFFER bytes) */
    char *buffer;
    size_t index; /* of the column in the table */
    sbl_arrow_type type;
    sbl_arrow_way way;
    sbl_arrow_scale scale; /* of numbers */
    sbl_known_values known;
} sbl_arrow_column;

/* Column `index` of a table, of a type that is not refused, which the schema names. On failure, too, it is to be closed.
 * read: its values are SBL_WAY_READ, which no producer but ours may say.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_arrow_column_open(sbl_arrow_column *column, const sbl_binding *typed, size_t index,
                                 const sbl_arrow_type *type, bool read, char *buffer, sbl_error *err);
void sbl_arrow_column_close(sbl_arrow_column *column); /* wipes; an empty one is fine */

/* Its array, which was checked, in a batch of this number of rows; then rows of that batch into rows of
 * ours; and the end of the batch. array: the batch's own column.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_arrow_column_begin(sbl_arrow_column *column, const struct ArrowArray *array, int64_t rows,
                                  sbl_error *err);
void sbl_arrow_column_read(sbl_arrow_column *column, const struct ArrowArray *batch, int64_t from,
                           sbl_batch *rows, size_t count);
/* The same to any place; array: the column's, in this batch. */
void sbl_arrow_column_read_to(sbl_arrow_column *column, const struct ArrowArray *batch,
                              const struct ArrowArray *array, int64_t from, const sbl_binding_target *to,
                              size_t row, size_t count);
void sbl_arrow_column_leave(sbl_arrow_column *column); /* wipes what was cached of the batch */

#endif
