/* SPDX-License-Identifier: Apache-2.0 */
/* Records that a test author would not think of, made from public facts alone: ends and outsides of every
 * bound, NaN, infinities, subnormal numbers, codes and labels that do not exist, missing values, text cells
 * that are not numbers. Whatever a record is, what it moves must be paid for. */
#ifndef SBL_AUDIT_NEIGHBOURS_H
#define SBL_AUDIT_NEIGHBOURS_H

#include "base/error.h"
#include "public/rows/encoded_records.h"
#include "records/features/features.h"

/* Encoded records, owned. */
typedef struct sbl_hostile {
    const sbl_facts *facts; /* borrowed */
    sbl_drawn columns;
    const char **names; /* (rows): the kind of each, a literal */
    size_t rows;
    size_t kinds;
} sbl_hostile;

/* Out:     hostile  cleared by sbl_hostile_clear
 * Returns: SBL_OK; SBL_EMEM; SBL_EINPUT when a cell was refused: none may be */
sbl_status sbl_hostile_make(sbl_hostile *hostile, const sbl_facts *facts, sbl_error *err);
void sbl_hostile_clear(sbl_hostile *hostile);

/* As records; borrowed. One of them: first = its row, rows = 1. */
sbl_records sbl_hostile_records(const sbl_hostile *hostile, size_t first, size_t rows);

/* A hostile person, who has the record `which`: once where a row is a person, once more than can count
 * where rows do, and of whole persons 1, 2 or 1000 times, or 1000 records one after the other. How many
 * rows it has, and which record row `turn` of them is. */
#define SBL_HOSTILE_MOST_TIMES (SBL_ROWS_PER_UNIT_MAX + 1)
size_t sbl_hostile_times(const sbl_features *features, size_t which);
size_t sbl_hostile_turn(const sbl_hostile *hostile, const sbl_features *features, size_t which, size_t turn);

#endif
