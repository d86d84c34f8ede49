/* SPDX-License-Identifier: Apache-2.0 */
/* How far the synthetic rows will be from the real ones, about, by noise alone: a guess from public facts, made before
 * any record is read, so that an epsilon can be judged by it. docs/mechanisms/pairs.md derives it and says how far it
 * was off.
 *
 * All are total variation distances, 0 to 1: the part of the rows that would have to be others for the two tables of
 * counts to agree. Numbers are compared in SBL_EXPECTED_PARTS equal parts, categories one by one, as `evaluate` does. */
#ifndef SBL_PAIRS_ERROR_FORECAST_H
#define SBL_PAIRS_ERROR_FORECAST_H

#include "public/counts/pairs_plan.h"

#define SBL_EXPECTED_PARTS 8

typedef struct sbl_pairs_expected {
    double column;     /* of a column, the mean over all */
    double pair_least; /* of a pair of columns that have nothing to do with each other, the mean over all */
    double pair;       /* of a pair that has a table of its own, which related ones get; 0: none has */
    double label;      /* the same of the pairs with the label; 0: there is none, or they have no tables */
    double hidden; /* two columns this far from independent, or less, may come out independent; 1: all of them
                        * do, but for those with the label where `label` is above 0; 0: every pair is measured */
} sbl_pairs_expected;

/* Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_pairs_expect(sbl_pairs_expected *expected, const sbl_pairs_setting *setting, sbl_error *err);

#endif
