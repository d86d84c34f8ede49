/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of long work: a listener is called with how far it is, and can stop it.
 *
 *     sbl_progress_listener listener = {.progress = call, .context = context};
 *     sbl_progress_span whole = sbl_progress_begin(&listener, "reading");
 *     sbl_progress_span half = sbl_progress_range(&whole, 0, 1, 2, "columns");       (the first of two parts)
 *     for (i = 0; i < count && sbl_progress_goes_on(&half, i, count); i++) ...
 *     if (sbl_progress_stopped(&whole)) return sbl_progress_fail(err);
 *
 * Work that is told to stop returns immediately, unfinished. The flag stays up, and the caller discards the
 * result. */
#ifndef SBL_BASE_PROGRESS_H
#define SBL_BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* One for each call of the library. */
typedef struct sbl_progress_listener {
    /* As sbl_progress of semblance/options.h; not 0: stop. NULL: no listener. */
    int (*progress)(void *context, const char *what, uint64_t step, uint64_t steps, double loss);
    void *context;
    atomic_bool stopped;
} sbl_progress_listener;

/* A span of the work. Zeros: no listener. */
typedef struct sbl_progress_span {
    sbl_progress_listener *listener; /* borrowed */
    const char *what;                /* is being done; borrowed */
    double from, to;                 /* of the whole work, which is 0 to 1 */
} sbl_progress_span;

/* The number of steps of the whole work, as reported to listeners. */
#define SBL_PROGRESS_STEPS 1000

/* All of the work. */
sbl_progress_span sbl_progress_begin(sbl_progress_listener *listener, const char *what);
/* From `from` to `to` of the `of` equal parts of a stretch, at least one; what NULL: as of the stretch. progress may be
 * NULL. */
sbl_progress_span sbl_progress_range(const sbl_progress_span *progress, uint64_t from, uint64_t to,
                                     uint64_t of, const char *what);
/* Part number `part`, from 0, of `parts`. */
static inline sbl_progress_span sbl_progress_part(const sbl_progress_span *progress, uint64_t part,
                                                  uint64_t parts)
{
    return sbl_progress_range(progress, part, part + 1, parts, NULL);
}

/* Say that `step` of the stretch's `steps` are done, and ask: false: stop. In the thread of the caller of the library
 * only: the first of a team (sbl_thread_index() 0). progress may be NULL, here and below. */
bool sbl_progress_goes_on(const sbl_progress_span *progress, uint64_t step, uint64_t steps);
/* Was it said, in any thread? */
bool sbl_progress_stopped(const sbl_progress_span *progress);
/* SBL_ESTOPPED and its message. */
sbl_status sbl_progress_fail(sbl_error *err);

/* The body of a loop that a team of threads shares: the first of them asks, and all hear the answer. */
static inline bool sbl_progress_team_goes_on(const sbl_progress_span *progress, int thread, uint64_t step,
                                             uint64_t steps)
{
    return thread == 0 ? sbl_progress_goes_on(progress, step, steps) : !sbl_progress_stopped(progress);
}

#endif
