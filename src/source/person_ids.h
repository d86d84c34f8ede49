/* Whose row a synthetic row is: persons 1, 2, 3, ... with numbers of rows as often as the noisy
 * histogram of a release says. Public: no real id is ever seen here. */
#ifndef SBL_SOURCE_PERSON_IDS_H
#define SBL_SOURCE_PERSON_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct sbl_person_ids {
    uint64_t *ends; /* (count): 2^64 times the share of persons with at most 1, 2, ... rows */
    size_t count;
    uint64_t person; /* the last one that was begun; 0: none */
    uint64_t left;   /* of its rows */
} sbl_person_ids;

/* shares (count): of the persons with 1, 2, ... rows; nonnegative, sum 1. NULL: all have one. */
sbl_status sbl_person_ids_init(sbl_person_ids *ids, const double *shares, size_t count,
                               sbl_error *err);
void sbl_person_ids_clear(sbl_person_ids *ids);
/* Of the next row. The rows of a person follow each other. */
uint64_t sbl_person_ids_next(sbl_person_ids *ids);

#endif
