/* SPDX-License-Identifier: Apache-2.0 */
/* Public bins: each column's values divided into a finite list, derived from the schema alone.
 *
 * A category has one bin per code. A number is cut into equal bins of the unit interval, and its
 * smallest and largest value have bins of their own: heavy-tailed numbers pile up at an end, and so do
 * values out of bounds. A grid (integers, dates, declared decimals) of few enough values has one bin per
 * value: people heap on single values, and a wider bin would smear them over its neighbours. In a larger
 * grid, bins end half-way between two values, and empty ones are left out. A declared spike has its own
 * bin among them. A missing number is one more bin, so that its stand-in does not look like a value, and so
 * is each spike outside the bounds, after it.
 * A classification label is not a column: it says which histogram a record belongs to. Methods that do not
 * distinguish classes use joint bins, where it is a column like any other. */
#ifndef SBL_SCHEMA_BINS_H
#define SBL_SCHEMA_BINS_H

#include "base/alloc.h"
#include "public/schema/encoding_layout.h"

#define SBL_CELLS_MAX_BINS 4096

typedef struct sbl_bins_column {
    sbl_head_kind kind;
    size_t index;     /* column of the encoded matrix of its kind */
    size_t indicator; /* numbers: column of the codes that says it is missing or a spike, or
                         SBL_NO_HEAD */
    size_t count;     /* cells: intervals, that of a missing number, those of sentinels */
    size_t offset;    /* of its first cell among those of a record */
    size_t intervals; /* cells of values in their order: the others come after them */
    bool ordered;     /* categories: neighbouring codes are alike */
    size_t levels;    /* of a hierarchy over its categories; 0: none */
    /* (levels, intervals): the number of each category's group, the coarsest level first. */
    const uint32_t *ancestors;
    /* Numbers. */
    sbl_column domain; /* bounds, transform, grid and fallback; no name, owns nothing */
    double *edges;     /* (intervals - 1): unit coordinate u is in cell #{e : edges[e] <= u} */
    double *low;       /* (count): where a cell's values lie; equal where it holds one value. Those */
    double *high;      /* of an end cell may pass 0 or 1 by half a step of the grid */
    bool single;       /* a grid with one cell per value: neighbouring cells are neighbouring values */
    size_t spikes[SBL_MOST_SPIKES]; /* the cells of the domain's spikes */
} sbl_bins_column;

typedef struct sbl_bins {
    sbl_bins_column *columns;
    size_t count;       /* K */
    size_t total;       /* T: cells of all columns */
    size_t bins;        /* of a number that has not one cell per value */
    size_t singles;     /* most values of a grid with one cell per value */
    size_t linear;      /* 0, or for joint bins: a logarithmic number has bins / 2 equal bins of its
                       logarithm, cut again at this number of equal bins of its value */
    size_t classes;     /* C >= 1 */
    size_t label;       /* column of the codes that holds the class, or SBL_NO_HEAD */
    bool label_missing; /* the last class is that of records without a label */
    size_t numeric_count, categorical_count; /* width of the encoded matrices */
    sbl_pool pool;                           /* of the arrays */
} sbl_bins;

/* 1 <= bins <= singles <= SBL_CELLS_MAX_BINS. A label of one class is an ordinary column.
 * Returns: SBL_OK, SBL_EARG (also when there is no column beside the label), SBL_EMEM */
sbl_status sbl_bins_init(sbl_bins *cells, const sbl_schema *schema, const sbl_heads *heads, size_t bins,
                         size_t singles, sbl_error *err);
sbl_status sbl_bins_copy(sbl_bins *copy, const sbl_bins *cells, sbl_error *err);
/* The same where the label is an ordinary column, and a logarithmic number is cut both ways:
 * logarithmic cells alone smear what is far from the minimum. linear: 1 .. SBL_CELLS_MAX_BINS. */
sbl_status sbl_bins_init_joint(sbl_bins *cells, const sbl_schema *schema, const sbl_heads *heads, size_t bins,
                               size_t singles, size_t linear, sbl_error *err);
void sbl_bins_clear(sbl_bins *cells);

/* The cell of one column of a record. Every input has one: numbers are clamped, a code that does
 * not exist is category 0.
 * Privacy: a record's cell is as sensitive as the record. */
size_t sbl_bins_find(const sbl_bins_column *column, const double *numeric, const uint32_t *codes);

#define SBL_NO_CELL ((size_t)-1)
/* The cell of missing values; SBL_NO_CELL: the column cannot be empty. */
static inline size_t sbl_bins_missing(const sbl_bins_column *column)
{
    const bool may = column->kind == SBL_HEAD_CATEGORICAL ? column->count > column->intervals
                                                          : column->domain.missing_allowed;
    return may ? column->intervals : SBL_NO_CELL;
}

/* What the indicator of a number says of a value in this cell: 0, missing, or which spike. */
uint32_t sbl_bins_indicator(const sbl_bins_column *column, size_t cell);

/* A number evenly within a cell, `uniform` of the way through it. */
double sbl_bins_place(const sbl_bins_column *column, size_t cell, double uniform);

#endif
