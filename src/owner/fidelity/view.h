/* SPDX-License-Identifier: Apache-2.0 */
/* A table's columns as people name them: one entry per column of the schema that is not ignored,
 * with the places of its heads in an encoded record (a number and its missing indicator are one).
 *
 * Public cells of a column, the same as in bench/utility/marginals.py: a category is one cell per
 * code, missing included; a number is cut into SBL_VIEW_BINS equal bins between its declared
 * bounds, in its own units whatever transform is declared; missing is one cell more, and so is each
 * spike outside the bounds. */
#ifndef SBL_FIDELITY_VIEW_H
#define SBL_FIDELITY_VIEW_H

#include "owner/fidelity/frame.h"

#define SBL_VIEW_BINS 8

typedef struct sbl_view_column {
    const sbl_column *column; /* borrowed from the schema */
    bool numeric;
    size_t index;     /* column of the frame's numbers or codes */
    size_t indicator; /* numbers: column of the codes that says missing or a sentinel, or
                         SBL_NO_HEAD */
    uint32_t cells;   /* public cells */
} sbl_view_column;

typedef struct sbl_view {
    sbl_view_column *columns;
    size_t count;
} sbl_view;

sbl_status sbl_view_init(sbl_view *view, const sbl_codec *codec, sbl_error *err);
void sbl_view_clear(sbl_view *view);

/* 0 where this row has a number within the bounds; else 1 on, of what stands apart: missing where that
 * is allowed, then the sentinels (public/schema/spikes.h). Always 0 of a category, where missing is a code. */
uint32_t sbl_view_apart(const sbl_view_column *column, const sbl_frame *frame, size_t row);

/* A number as (x - minimum) / (maximum - minimum), with the declared transform undone; 0 where the
 * bounds are equal. */
double sbl_view_linear(const sbl_view_column *column, const sbl_frame *frame, size_t row);

/* A category's code, missing included. */
uint32_t sbl_view_code(const sbl_view_column *column, const sbl_frame *frame, size_t row);

/* All cells of a frame, by columns: cells[c * rows + r]. Owner: the caller, sbl_free_wiped().
 * NULL when out of memory. */
uint32_t *sbl_view_cells(const sbl_view *view, const sbl_frame *frame);

#endif
