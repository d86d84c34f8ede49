/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the selection: its state after each release. Not for use outside src/after/histories. */
#ifndef SBL_HISTORIES_HISTORY_SELECTION_INTERNAL_H
#define SBL_HISTORIES_HISTORY_SELECTION_INTERNAL_H

#include "after/histories/history_selection.h"

/* What is known of a base. */
typedef struct sbl_known_base {
    sbl_pairs_histogram histogram;
    double *fine;               /* (cells): projected shares */
    double *counts, *variances; /* (codes): of the first release */
} sbl_known_base;

/* A side of a table that was measured: its codes, or groups of them. */
typedef struct sbl_known_side {
    uint32_t *of; /* (codes): the group of each */
    size_t groups;
} sbl_known_side;

/* A table of two sides, measured. */
typedef struct sbl_known_table {
    uint32_t first, second; /* sides of the tree, first < second */
    sbl_known_side rows, columns;
    double *values;  /* (rows.groups, columns.groups): noisy counts */
    double variance; /* of an entry */
} sbl_known_table;

struct sbl_history_selection {
    const sbl_history_tree *tree;
    sbl_history_setting setting;
    size_t round;
    sbl_pairs_plan plan;
    sbl_pairs_map *codes;  /* (base_count) */
    uint32_t *code_counts; /* (base_count) */
    sbl_known_base *bases; /* (base_count) */
    sbl_known_table *tables;
    size_t table_count;
    double persons;
    /* What all persons weigh in tables of a link and sort: as their numbers of events say, and less where a
     * release held persons to their bound, by release. */
    double (*weights)[SBL_HISTORY_SORTS];                    /* (links) */
    double (*totals[SBL_HISTORY_ROUNDS])[SBL_HISTORY_SORTS]; /* (links) each */
    sbl_pool pool;
};

static inline double sbl_history_total(const sbl_history_selection *selection, size_t round,
                                       const sbl_history_shape *link, sbl_history_sort sort)
{
    return selection->totals[round][link - selection->tree->links][sort];
}

/* The size of the state: persons, and about how many events. */
size_t sbl_history_state_persons(double persons, double events_a_person);

/* Sums of the first release over the codes, once these are known. */
sbl_status sbl_history_index_codes(sbl_history_selection *selection, sbl_error *err);

/* The tables of the second release (history_tables.c): how many there can be, and those that are measured, into
 * the selection's plan, whose codes and maps are known. */
sbl_status sbl_history_tables_count(size_t *count, const sbl_history_tree *tree, sbl_error *err);
sbl_status sbl_history_tables_add(sbl_history_selection *selection, sbl_error *err);

/* The mean number of events of a person, of all links. */
double sbl_history_mean_events(const sbl_history_selection *selection);

#endif
