/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table as they are written, for the rows of its child tables: their constraints may name columns of the
 * rows above them. A row is the table's own columns, then those of its parent row, and so on up to the root. */
#ifndef SBL_SINKS_ROW_MEMORY_H
#define SBL_SINKS_ROW_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct sbl_row_memory {
    size_t width;   /* of a row; 0: nothing is remembered */
    double *rows;   /* (capacity, width) */
    bool *left_out; /* (capacity): the row is not written, and no row below it is */
    size_t count, capacity;
    uint64_t first; /* the number of the first row that is remembered: numbers follow each other */
} sbl_row_memory;

/* One row more, number first + count: `own` columns, then those of the row above; above may be NULL.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_row_memory_add(sbl_row_memory *memory, const double *row, size_t own, const double *above,
                              bool left_out, sbl_error *err);
/* The row of this number; NULL: it is not remembered. */
const double *sbl_row_memory_find(const sbl_row_memory *memory, uint64_t number);
bool sbl_row_memory_left_out(const sbl_row_memory *memory, uint64_t number);
/* The rows before number count no more. */
void sbl_row_memory_forget(sbl_row_memory *memory);
void sbl_row_memory_clear(sbl_row_memory *memory);

#endif
