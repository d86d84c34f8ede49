/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of one picture in several draws from the posterior, and an interval for the share of rows in each: a histogram,
 * or the table of two columns. Rows are added as they are drawn and are not kept. Post-processing of releases. */
#ifndef SBL_EVALUATE_DRAWN_CELLS_H
#define SBL_EVALUATE_DRAWN_CELLS_H

#include <jansson.h>

#include "base/alloc.h"
#include "base/error.h"
#include "owner/fidelity/axis.h"

#define SBL_PICTURE_LEVEL 0.95

typedef struct sbl_drawn_cells {
    sbl_axis axes[2];
    size_t sides; /* 1: a histogram; 2: a table of two columns */
    size_t cells, draws;
    double *rows;     /* (cells): of this draw */
    double *squares;  /* (cells): squared rows of each person, summed */
    double *products; /* (cells): rows of a person here, times all rows of the person, summed */
    double *own;      /* (cells): rows of the person that is under way */
    uint32_t *touched;
    size_t touched_count;
    double *estimates, *variances; /* (cells, draws) */
    double *spare;                 /* (2, draws) */
    sbl_pool pool;                 /* of all these */
} sbl_drawn_cells;

/* The axes of the cells are set. Clear it in any case. */
sbl_status sbl_drawn_cells_init(sbl_drawn_cells *cells, size_t draws, sbl_error *err);
void sbl_drawn_cells_clear(sbl_drawn_cells *cells);

/* A row of the person that is under way; all rows of that person came: there were `rows` of them. */
void sbl_drawn_cells_add(sbl_drawn_cells *cells, const sbl_frame *frame, size_t row);
void sbl_drawn_cells_end_person(sbl_drawn_cells *cells, double rows);
/* All rows of a draw came. rows: their number; squares: that of each person squared, summed. */
void sbl_drawn_cells_end_draw(sbl_drawn_cells *cells, size_t draw, double rows, double squares);

/* Into a histogram or a pair of the picture: "low" and "high" with the shape of "synthetic", and, with `shares`, "synthetic"
 * itself. A pair also gets "told": is some cell unlike that of independent columns, at the level for all cells together? */
sbl_status sbl_drawn_cells_put(json_t *picture, sbl_drawn_cells *cells, bool shares, sbl_error *err);

#endif
