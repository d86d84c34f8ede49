/* Records into a sum on several threads: they are read in batches, a batch is cut into slices, and
 * each thread adds its slices to a sum of its own. */
#ifndef SBL_PIPELINE_SLICES_H
#define SBL_PIPELINE_SLICES_H

#include "accumulate/sum.h"
#include "base/status.h"
#include "semblance/synth.h"

/* What tables and images do in ways of their own; job is theirs. */
typedef struct sbl_slices {
    size_t most; /* records of a slice: their features stay in cache */
    /* The next batch of records into the job; *count = 0: there are no more. */
    sbl_status (*read)(size_t *count, void *job, sbl_error *err);
    /* One thread's room; freed wiped, room may be NULL. */
    sbl_status (*room_new)(void **room, const void *job, sbl_error *err);
    void (*room_free)(void *room, const void *job);
    /* Records first .. first + count - 1 of the batch. */
    sbl_status (*add)(sbl_sum *sum, void *room, const void *job, size_t first, size_t count,
                      sbl_error *err);
} sbl_slices;

/* The sum of all records.
 * In:      input    its name, and
 *          charged  what was charged before it is read: for messages
 * Privacy: reads records; the sum must go through the door.
 * Owner:   the caller; sbl_sum_free() */
sbl_status sbl_slices_sum(sbl_sum **sum, const sbl_slices *slices, void *job,
                          const sbl_layout *layout, const char *input, const char *charged,
                          const sbl_synth_options *options, sbl_error *err);

#endif
