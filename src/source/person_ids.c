/* Synthetic persons are given numbers of rows by a golden-ratio sequence against the cumulated
 * shares: no randomness, and the shares are met more evenly than by drawing. */
#include "source/person_ids.h"

#include <math.h>

#include "base/memory.h"

/* 2^64 over the golden ratio: the fractions i times this, modulo 1, of any number of persons i lie as
 * evenly as can be, so that the shares are met more closely than by drawing. */
#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

sbl_status sbl_person_ids_init(sbl_person_ids *ids, const double *shares, size_t count,
                               sbl_error *err)
{
    double below = 0.0;
    *ids = (sbl_person_ids){.count = shares != NULL ? count : 1};
    ids->ends = sbl_alloc_array(ids->count, sizeof *ids->ends);
    if (ids->ends == NULL) return sbl_no_memory(err, "a few rows");
    for (size_t j = 0; j < ids->count; j++) {
        below += shares != NULL ? shares[j] : 1.0;
        ids->ends[j] = below < 1.0 ? (uint64_t)ldexp(below, 64) : UINT64_MAX;
    }
    ids->ends[ids->count - 1] = UINT64_MAX;
    return SBL_OK;
}

void sbl_person_ids_clear(sbl_person_ids *ids)
{
    sbl_free(ids->ends);
    *ids = (sbl_person_ids){0};
}

uint64_t sbl_person_ids_next(sbl_person_ids *ids)
{
    if (ids->left == 0) {
        const uint64_t at = ++ids->person * GOLDEN;
        size_t j = 0;
        while (j + 1 < ids->count && at >= ids->ends[j]) j++;
        ids->left = j + 1;
    }
    ids->left--;
    return ids->person;
}
