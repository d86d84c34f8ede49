/* SPDX-License-Identifier: Apache-2.0 */
/* Gibbs sweeps over rows, with immediate feedback.
 *
 * A sweep draws each code of each row anew from its distribution given the row's other codes. With
 * feedback, each row that changes its codes moves the logits at once: those of what it left rise,
 * those of what it took fall, by the entry's gain. Counts are then pulled to their targets instead
 * of wandering around them (feedback.h chooses logits and gains).
 *
 * Where the model has trees, a row leaves the counts of all their tables while it is drawn. To draw a
 * column, the leaves are listed that the row could have with that column open (gibbs_trees.h), but only of
 * trees where there is more than one: the term of another is a constant.
 *
 * What is drawn is a function of the field, the rows, the seed and the number of the sweep alone:
 * the arithmetic is the same on every machine, lane by lane. */
#ifndef SBL_PAIRS_GIBBS_H
#define SBL_PAIRS_GIBBS_H

#include "after/pairs/gibbs_trees.h"
#include "after/pairs/potts.h"

#define SBL_GIBBS_LANES 8 /* rows of tables are padded to a multiple of this number of floats */

/* What one view (the codes or the groups) of a column has to do with one of another column. */
typedef struct sbl_gibbs_link {
    uint32_t place;    /* of the other's code in a row */
    uint32_t own_step; /* gains: how far apart this view's codes are, and the other's */
    uint32_t other_step;
    uint32_t mirror_stride; /* length of a row of the mirrored table */
    size_t table_at;        /* logits by the other's code: rows of this view's codes, padded */
    size_t mirror_at;       /* the same table by this view's code */
    size_t gain_at;
} sbl_gibbs_link;

typedef struct sbl_gibbs_view {
    uint32_t codes, lanes; /* lanes: codes padded */
    size_t first_link, link_count;
} sbl_gibbs_view;

/* The blocks of a model laid out for sweeping. */
typedef struct sbl_gibbs_layout {
    const sbl_potts *potts; /* borrowed */
    sbl_gibbs_view *views;  /* (2 count): codes, then groups */
    sbl_gibbs_link *links;
    size_t *bias_at;                         /* (count): of the padded biases */
    size_t bias_size, table_size, gain_size; /* floats */
    size_t most_lanes, most_links;           /* of one column */
    sbl_gibbs_trees trees;
} sbl_gibbs_layout;

/* Its arrays are the pool's.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_gibbs_layout_init(sbl_gibbs_layout *layout, sbl_pool *pool, const sbl_potts *potts,
                                 sbl_error *err);

/* Write one block's logits (dense, row by row of its first column) into padded tables, twice. */
void sbl_gibbs_set_block(const sbl_gibbs_layout *layout, float *tables, size_t block, const float *dense);
/* bias (bias_size) from dense biases; padding never wins. */
void sbl_gibbs_set_bias(const sbl_gibbs_layout *layout, float *bias, const float *dense);

/* What a sweep works with; bias and tables change when there are gains. */
typedef struct sbl_gibbs_field {
    float *bias;            /* (bias_size) */
    float *tables;          /* (table_size) */
    const float *bias_gain; /* (bias_size), or NULL: no feedback */
    const float *gains;     /* (gain_size): as theta, row by row of a block's first column */
    float *scratch;         /* sbl_gibbs_scratch(layout) floats */
    const float **rows;     /* (most_links) */
    float *phi;             /* (trees.entry_count), where the model has trees; changes with gains */
    const float *phi_gain;  /* (trees.entry_count) */
    uint32_t *leaves;       /* (row_count, trees): of the rows that are swept with gains, in and out */
    sbl_gibbs_row row;      /* where the model has trees */
} sbl_gibbs_field;

size_t sbl_gibbs_scratch(const sbl_gibbs_layout *layout);

typedef struct sbl_gibbs_pass {
    uint64_t seed;
    uint64_t sweep;       /* < 2^16 */
    uint64_t first;       /* number of the first row, < 2^40 */
    const uint8_t *fixed; /* (count): columns that keep their codes, or NULL */
} sbl_gibbs_pass;

void sbl_gibbs_sweep(const sbl_gibbs_layout *layout, const sbl_gibbs_field *field, uint16_t *rows,
                     size_t row_count, const sbl_gibbs_pass *pass);

#endif
