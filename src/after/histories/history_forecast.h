/* SPDX-License-Identifier: Apache-2.0 */
/* Which relations a run of `histories` will be able to tell from noise, about: a guess from public facts, made before
 * any record is read (docs/mechanisms/histories.md). */
#ifndef SBL_HISTORIES_HISTORY_FORECAST_H
#define SBL_HISTORIES_HISTORY_FORECAST_H

#include "after/histories/history_selection.h"

typedef enum sbl_history_relation {
    SBL_RELATION_OF_PERSON, /* two columns of a person */
    SBL_RELATION_OF_ROW,    /* two columns of a row */
    SBL_RELATION_ABOVE,     /* a column of a row and one of its person or of a row above it */
    SBL_RELATION_PREVIOUS,  /* a column of a row and one of the rows before it */
    SBL_HISTORY_RELATIONS
} sbl_history_relation;

typedef struct sbl_history_expected {
    size_t measured; /* tables of two columns */
    size_t possible; /* of these: a relation can stand out if it is as strong as can be */
    double hidden[SBL_HISTORY_RELATIONS]; /* the median of sbl_relation_hidden(); 0: there is none */
} sbl_history_expected;

/* Returns: SBL_OK, SBL_EINPUT, SBL_EMEM */
sbl_status sbl_history_expect(sbl_history_expected *expected, const sbl_history_tree *tree,
                              const sbl_history_setting *setting, sbl_error *err);

#endif
