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

/* A table of two sides, measured. */
typedef struct sbl_known_table {
    uint32_t first, second; /* sides of the tree, first < second */
    double *values;         /* (codes of first, codes of second): noisy counts */
    double variance;        /* of an entry */
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

/* The mean number of events of a person, of all links. */
double sbl_history_mean_events(const sbl_history_selection *selection);

#endif
