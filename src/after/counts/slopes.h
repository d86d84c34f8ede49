/* SPDX-License-Identifier: Apache-2.0 */
/* [7] How a number goes on within a code.
 *
 * Models know codes, and a code of a number may have many cells. If cells were given out at random within a code, a number
 * would follow another column from code to code but not within one: its relations would be too weak and its regression
 * slopes too flat. The interactions of a model say how the odds of a code change from one code to the next, given the code
 * of another column. Within a code they are taken to go on along this line.
 *
 * A slope is the change of the interaction between the two neighbours of a code, for each cell between their mean cells,
 * times the number of cells of the code. A code at an end has one neighbour, itself is the other. Codes of one cell, which
 * may be values that people heap on, are passed over as neighbours and have no slopes, nor have codes of missing values.
 * Where an interaction is over groups of codes, its slopes go from group to group. */
#ifndef SBL_COUNTS_SLOPES_H
#define SBL_COUNTS_SLOPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

/* One column: how its cells divide into codes. All borrowed. */
typedef struct sbl_code_cells {
    const uint32_t *code_of; /* (cells) */
    const float *share;      /* (cells): of a cell within its code */
    uint32_t cells, codes;
    uint32_t ordered; /* the first cells, in the order of a number; 0: the column is a category */
} sbl_code_cells;

/* Where the codes of a number lie. */
typedef struct sbl_code_places {
    uint32_t codes;
    double *places;  /* (codes): the mean cell */
    double *cells;   /* (codes): how many; 0 where a code has one or is not of the number */
    uint8_t *number; /* (codes): all its cells are of the number */
} sbl_code_places;

/* Its arrays are the pool's.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_code_places_init(sbl_code_places *places, sbl_pool *pool, const sbl_code_cells *column,
                                sbl_error *err);

/* An interaction of this column with another. */
typedef struct sbl_interaction {
    const float *theta;        /* its first entry */
    size_t own_step;           /* between entries of neighbouring codes of this column */
    size_t other_step;         /* the same of the other column */
    uint32_t other_codes;      /* of the other column */
    const uint16_t *own_group; /* (codes): entries are over groups of this column's codes; NULL: over codes */
} sbl_interaction;

/* slopes (codes, other_codes), 0 where there is none. */
void sbl_slopes_set(float *slopes, const sbl_code_places *places, const sbl_interaction *of);

#endif
