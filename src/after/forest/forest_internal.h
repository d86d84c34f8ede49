/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the selection of `forest`: its state after each release, and the steps between two of them.
 * Not for use outside src/after/pairs. */
#ifndef SBL_FOREST_INTERNAL_H
#define SBL_FOREST_INTERNAL_H

#include "after/forest/forest.h"
#include "after/pairs/pairs_internal.h"

/* Releases, in their order. */
enum sbl_forest_round {
    SBL_FOREST_ONE_WAY,
    SBL_FOREST_SKETCH,
    SBL_FOREST_PROBE,
    SBL_FOREST_PRECISE, /* pairs; and the first forest */
    SBL_FOREST_SECOND,
    SBL_FOREST_THIRD
};

#define SBL_FOREST_PROBE_TREES 4u /* grown, and as many blind, where one column is asked about */
#define SBL_FOREST_PROBE_SWEEPS 6 /* with what the probe says of the columns that were chosen */
#define SBL_FOREST_MOST_LEAVES 512u
#define SBL_FOREST_MOST_CELLS 32u /* of a target */
#define SBL_FOREST_CHOSEN 3u      /* columns that have forests at most */
#define SBL_FOREST_MOST_FAMILIES (2 * SBL_FOREST_TARGETS + 3 * SBL_FOREST_CHOSEN)

extern const size_t sbl_forest_trees[SBL_FOREST_MOST_ROUNDS];
extern const size_t sbl_forest_sweeps[SBL_FOREST_MOST_ROUNDS]; /* before a release's forest is grown */
double sbl_forest_left(void);                                  /* of mu^2, after the probe */
/* Of mu^2: of the trees of a release; of all forests together. Both follow from the number of columns. */
double sbl_forest_share(const sbl_pairs_setting *setting, size_t round);
double sbl_forest_whole(const sbl_pairs_setting *setting);
/* Of mu^2, to precise tables of pairs beside forests. */
double sbl_forest_tables_share(const sbl_pairs_setting *setting);
/* What pairs of columns lose by forests, as a part of their expected error. */
sbl_status sbl_forest_loss(double *loss, sbl_pairs_selection *pairs, sbl_error *err);

struct sbl_forest_selection {
    sbl_pairs_selection *pairs;
    size_t round;    /* releases taken */
    bool forests;    /* the fourth release had trees */
    sbl_trees taken; /* of all releases */
    double *values;  /* (taken.entry_count) */
    sbl_forest_family families[SBL_FOREST_MOST_FAMILIES];
    sbl_forest_surprise against[SBL_FOREST_MOST_FAMILIES];
    sbl_forest_surprise left[SBL_FOREST_MOST_FAMILIES];
    size_t family_count;
    sbl_forest_finding found[SBL_FOREST_TARGETS]; /* by the probe: families i and found_count + i */
    size_t found_count;
    sbl_trees next;     /* that are planned */
    uint32_t *expected; /* (next.entry_count): of the rows that a probe's trees were grown on */
    size_t moved;       /* entries of values that were moved (forest_posterior.c) */
    uint32_t *ordered;  /* (columns): the first codes, which lie in order */
};

/* The column that a family's trees are for. */
static inline size_t sbl_forest_column(const sbl_forest_selection *s, size_t family)
{
    const sbl_trees *trees = &s->taken;
    return trees->targets[trees->trees[s->families[family].first].target].column;
}

/* Rows of the model on which the trees of the probe are grown (forest_cost.c). state: rows of the whole model. */
size_t sbl_forest_probe_rows(size_t state);
/* The same of the models on which forests are grown, and of the last one. columns: of the table. */
size_t sbl_forest_between_rows(size_t state);
size_t sbl_forest_last_rows(size_t state, size_t columns);
size_t sbl_forest_last_sweeps(size_t rows, size_t columns);

/* A model of all releases so far, of this number of rows, with trees swept so often; against (and left) follow. */
sbl_status sbl_forest_fit_so_far(sbl_forest_selection *s, sbl_pairs_model *model, size_t rows, size_t sweeps,
                                 sbl_error *err);

/* Grows the trees of the next release on the rows of a model: s->next. For a probe also s->expected.
 * columns: the targets of the forests. */
sbl_status sbl_forest_grow_probe(sbl_forest_selection *s, const sbl_pairs_model *model, sbl_error *err);
sbl_status sbl_forest_grow(sbl_forest_selection *s, const sbl_pairs_model *model, const size_t *columns,
                           size_t count, sbl_error *err);

/* Columns to ask about (forest_targets.c): those that were named, the label, or those that the rows of a
 * model explain least. */
sbl_status sbl_forest_candidates(const sbl_forest_selection *s, const sbl_pairs_model *model,
                                 size_t columns[SBL_FOREST_TARGETS], size_t *count, sbl_error *err);
/* Append a target of `column`: its codes as cells, or at most `most` groups of them where they are more or
 * a number's. */
sbl_status sbl_forest_add_target(const sbl_forest_selection *s, sbl_trees *trees, size_t column,
                                 const sbl_selection_margins *margins, uint32_t most, sbl_error *err);
/* An empty list of trees over the codes of the selection. */
sbl_status sbl_forest_begin(const sbl_forest_selection *s, sbl_trees *trees, sbl_error *err);

/* What pairs leave unexplained of a column, if the probe said that it is more than chance and worth a forest; else 0. */
double sbl_forest_gain(const sbl_forest_selection *s, const sbl_forest_finding *finding);
/* Are forests worth what pairs lose by them? asked_for: they are grown whatever the answer. */
sbl_forest_answer sbl_forest_answer_to(double gain, double loss, bool asked_for);
/* The columns that get forests, most surprising first, each unless forests of those before it would explain
 * it; model: of pairs and what the probe says of these, for the first forests to be grown on. */
sbl_status sbl_forest_choose(sbl_forest_selection *s, size_t columns[SBL_FOREST_CHOSEN], size_t *count,
                             sbl_pairs_model *model, sbl_error *err);
/* Families of the probe whose column gets no forest are left out of fits from here on. */
void sbl_forest_silence(sbl_forest_selection *s, const size_t *columns, size_t count);

#endif
