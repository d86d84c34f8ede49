/* SPDX-License-Identifier: Apache-2.0 */
/* [3] What `histories` counts: the rows of a few persons as codes, each event with the contexts of the
 * events before it and beside it. All of it depends on the rows of one person. */
#ifndef SBL_FEATURES_PERSON_CODES_H
#define SBL_FEATURES_PERSON_CODES_H

#include "public/rows/encoded_records.h"
#include "records/features/history_counts.h"

/* The rows of one link of a few persons. */
typedef struct sbl_link_rows {
    uint16_t *rows;   /* (persons of a slice, k, side_count) */
    uint16_t *places; /* (persons of a slice, k): which of those beside it a row is */
    size_t counts[SBL_PERSON_SLICE];
    size_t later[SBL_PERSON_SLICE]; /* those that have one before them */
    uint64_t *steps;                /* (k): of one person */
    sbl_history_past past;
} sbl_link_rows;

typedef struct sbl_person_codes {
    uint16_t *persons;    /* (persons of a slice, person_count) */
    sbl_link_rows *links; /* (link_count) */
} sbl_person_codes;

/* Room in a pool, which frees it. */
sbl_status sbl_person_codes_init(sbl_person_codes *codes, sbl_pool *pool, const sbl_histories *h,
                                 sbl_error *err);
/* Person p of the records, all of it. */
void sbl_person_codes_fill(sbl_person_codes *codes, const sbl_histories *h, const sbl_records *records,
                           size_t p);
/* Before the pool is cleared; it may be half made. */
void sbl_person_codes_wipe(sbl_person_codes *codes, const sbl_histories *h);

#endif
