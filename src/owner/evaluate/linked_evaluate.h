/* SPDX-License-Identifier: Apache-2.0 */
/* Compares real with synthetic linked tables: keys, numbers of child rows, each table alone and next to its
 * parent, as one JSON document of kind "linked" (docs/FORMATS.md). NOT PRIVATE. */
#ifndef SBL_EVALUATE_LINKED_EVALUATE_H
#define SBL_EVALUATE_LINKED_EVALUATE_H

#include "owner/evaluate/table_study.h"

/* The tables of one data set, in the schema's order. */
typedef struct sbl_linked_input {
    const char *name; /* for the document; NULL: there is none */
    const sbl_table *tables[SBL_MOST_TABLES];
} sbl_linked_input;

/* In:      request  schema (of linked tables), sets, seed, threads, progress and context count
 *          train    .name NULL: none; real units are then halved for the ceiling
 * Returns: as sbl_evaluate_study() */
sbl_status sbl_evaluate_linked(json_t **document, const sbl_evaluate_request *request,
                               const sbl_linked_input *real, const sbl_linked_input *synthetic,
                               const sbl_linked_input *train, sbl_error *err);

#endif
