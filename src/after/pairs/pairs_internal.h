/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the selection: its state after each release. Not for use outside src/after/pairs. */
#ifndef SBL_PAIRS_INTERNAL_H
#define SBL_PAIRS_INTERNAL_H

#include "after/counts/one_way.h"
#include "after/pairs/measurement_plan.h"
#include "base/alloc.h"

/* What is known of one pair of columns. */
typedef struct sbl_known_pair {
    double *sketch;  /* (groups, groups): noisy counts; NULL without */
    double *table;   /* (codes, codes): noisy counts; NULL without */
    double variance; /* of an entry of table */
    double error;    /* standard error of an energy of the sketch */
    double energy;   /* c: squared interaction to expect, in shares */
    bool chosen;
} sbl_known_pair;

/* What is known of one column. */
typedef struct sbl_known_column {
    sbl_pairs_histogram histogram;
    double *fine;               /* (cells): projected shares of the public cells */
    sbl_pairs_map codes;        /* of the public cells */
    sbl_pairs_map groups;       /* of the public cells */
    uint16_t *group_of;         /* (codes.cells) */
    double *counts, *variances; /* (codes.cells): from the first release */
    double *again;              /* (codes.cells): measured again; NULL without */
    double again_variance;
    uint32_t never; /* of missing values, where no record has one: their code; SBL_PAIRS_NO_CELL: none */
    size_t at;      /* where its codes begin among all */
} sbl_known_column;

struct sbl_pairs_selection {
    sbl_pairs_setting setting;
    sbl_pairs_column *facts; /* the setting's columns, copied */
    sbl_pairs_shape shape;
    size_t round; /* releases taken */
    sbl_pairs_plan plan;
    sbl_known_column *columns;
    size_t code_count; /* of all columns */
    sbl_known_pair *pairs;
    size_t pair_count;
    double sketch_noise2; /* variance of a sketch entry; 0 without */
    double precise_share; /* of mu^2: what the precise tables may spend */
    double label_part;    /* of that, to the label's pairs at least */
    size_t state_rows;
    bool settled; /* what thresholds decide is decided: values are moved, and it stays (pairs_posterior.h) */
    sbl_progress_span progress;
    sbl_pool pool; /* of all arrays but those of the plan */
};

/* Number of state rows: the table's, up to 100,000, and in a wide table up to 20,000 or 4,000,000
 * cells: a sweep takes time by the cell, and more rows come in passes (pairs_sampler.h). */
size_t sbl_selection_state_rows(const sbl_pairs_setting *setting);
/* Codes of all columns, at most or usually, from public facts. */
double sbl_selection_codes(const sbl_pairs_setting *setting, bool usually);

#define SBL_SELECTION_MOST_GROUPS 64

/* The expected distance of a pair of columns, on average, if precise tables may spend this share of mu^2: by the
 * energies of the sketch.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_selection_expected(double *distance, sbl_pairs_selection *selection, double share,
                                  sbl_error *err);

/* ---- public rules, which a plan's words follow, too (error_forecast.h) ---- */

/* What the label's pairs get of the precise tables at least. */
double sbl_selection_label_part(const sbl_pairs_shape *shape);
/* Groups a column of the sketch. */
double sbl_selection_groups(const sbl_pairs_shape *shape);
/* The share of the rows that a code should have, from the noise that a precise table will have. */
double sbl_selection_merge_threshold(const sbl_pairs_setting *setting, const sbl_pairs_shape *shape);

/* After the first release: codes, and groups for the sketch. */
sbl_status sbl_selection_make_codes(sbl_pairs_selection *selection, sbl_error *err);
/* code_count, offsets, sums over codes: once the codes of every column are known. */
sbl_status sbl_selection_index_codes(sbl_pairs_selection *selection, sbl_error *err);

/* The best one-way shares of all releases so far: shares, variances (code_count), the variances in
 * counts. What other tables say of a code is given to its public cells and these are projected:
 * columns[].fine follows. The codes' shares are theirs, but with a sketch, where codes are many and
 * well known, the codes themselves are projected, each weighed by its variance. */
sbl_status sbl_selection_shares(sbl_pairs_selection *selection, double *shares, double *variances,
                                sbl_error *err);
/* out (groups): sums over a column's groups. */
void sbl_selection_group_shares(const sbl_known_column *column, double *out, const double *shares);

/* The same shares of all columns, over codes and over groups. */
typedef struct sbl_selection_margins {
    double *shares, *variances; /* (code_count) */
    double *group_shares;       /* (groups) */
    size_t *groups_at;          /* (count): where a column's groups begin */
    size_t groups;              /* of all columns */
} sbl_selection_margins;
sbl_status sbl_selection_margins_init(sbl_selection_margins *margins, sbl_pool *pool,
                                      sbl_pairs_selection *selection, sbl_error *err);
/* Shares as the model takes them, and the biases of independent columns; both (code_count). */
void sbl_selection_start(float *shares, float *bias, const sbl_selection_margins *margins,
                         const sbl_pairs_selection *selection);

/* out (rows, columns): a noisy table's interaction on the margins p, q; shares. */
void sbl_selection_target(double *out, const double *table, size_t rows, size_t columns, double n,
                          const double *p, const double *q);

/* Rows of the models that the sketch is compared with, of the state at most. That they are a sample adds about 1 / rows to an
 * energy; more rows than make this small beside the error that the sketch's noise gives it would only take time. */
size_t sbl_selection_choice_rows(const sbl_pairs_selection *selection);
/* After the sketch: which pairs matter (energy, error, chosen). */
sbl_status sbl_selection_choose(sbl_pairs_selection *selection, sbl_error *err);

/* After it: more codes where the sketch shows that a pair needs them (measurement_plan_codes.c). */
sbl_status sbl_selection_refine_codes(sbl_pairs_selection *selection, sbl_error *err);

/* Plans of the second and third release. */
sbl_status sbl_selection_plan_sketch(sbl_pairs_selection *selection, sbl_error *err);
sbl_status sbl_selection_plan_label(sbl_pairs_selection *selection, sbl_error *err);
sbl_status sbl_selection_plan_precise(sbl_pairs_selection *selection, sbl_error *err);
/* Of the only release: all pairs, or the label's, over public codes. */
sbl_status sbl_selection_plan_public(sbl_pairs_selection *selection, sbl_error *err);

/* The model of what was released so far, with the tables of trees where there are any (forest_fit.h). last: of all
 * releases; fewer sweeps are enough for a model that trees are grown on. */
struct sbl_forest_tables;
sbl_status sbl_selection_fit(sbl_pairs_selection *selection, sbl_pairs_model *model,
                             struct sbl_forest_tables *forest, bool last, sbl_error *err);

/* A model of the selection's columns and codes, without blocks. */
sbl_status sbl_selection_potts_init(sbl_potts *potts, const sbl_pairs_selection *selection, sbl_error *err);

/* The most precise tables per column: this limits the cost of a fit in advance. */
#define SBL_SELECTION_TABLES_PER_COLUMN 16

/* Does the pair have the label? */
static inline bool sbl_selection_labelled(const sbl_pairs_selection *selection, size_t i, size_t j)
{
    return i == selection->setting.label || j == selection->setting.label;
}

#endif
