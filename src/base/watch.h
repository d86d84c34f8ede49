/* Somebody who waits for long work: is told how far it is, and may stop it.
 *
 *     sbl_watcher watcher = {.progress = call, .context = context};
 *     sbl_watch whole = sbl_watch_of(&watcher, "reading");
 *     sbl_watch half = sbl_watch_span(&whole, 0, 1, 2, "columns");       (the first of two parts)
 *     for (i = 0; i < count && sbl_watch_goes_on(&half, i, count); i++) ...
 *     if (sbl_watch_stopped(&whole)) return sbl_watch_fail(err);
 *
 * Whoever is told to stop stops where it is. What it has made by then is not whole: the flag stays up, and whoever
 * asked for the work throws it away. */
#ifndef SBL_BASE_WATCH_H
#define SBL_BASE_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* One for each call of the library. */
typedef struct sbl_watcher {
    /* As sbl_progress of semblance/options.h; not 0: stop. NULL: nobody waits. */
    int (*progress)(void *context, const char *what, uint64_t step, uint64_t steps, double loss);
    void *context;
    atomic_bool stopped;
} sbl_watcher;

/* A stretch of the work. Zeros: nobody waits. */
typedef struct sbl_watch {
    sbl_watcher *watcher; /* borrowed */
    const char *what;     /* is being done; borrowed */
    double from, to;      /* of the whole work, which is 0 to 1 */
} sbl_watch;

/* What progress is told as the number of steps of the whole work. */
#define SBL_WATCH_STEPS 1000

/* All of the work. */
sbl_watch sbl_watch_of(sbl_watcher *watcher, const char *what);
/* From `from` to `to` of the `of` equal parts of a stretch, at least one; what NULL: as of the stretch. watch may be
 * NULL. */
sbl_watch sbl_watch_span(const sbl_watch *watch, uint64_t from, uint64_t to, uint64_t of,
                         const char *what);
/* Part number `part`, from 0, of `parts`. */
static inline sbl_watch sbl_watch_part(const sbl_watch *watch, uint64_t part, uint64_t parts)
{
    return sbl_watch_span(watch, part, part + 1, parts, NULL);
}

/* Say that `step` of the stretch's `steps` are done, and ask: false: stop. In the thread of the caller of the library
 * only: the first of a team (sbl_thread_index() 0). watch may be NULL, here and below. */
bool sbl_watch_goes_on(const sbl_watch *watch, uint64_t step, uint64_t steps);
/* Was it said, in any thread? */
bool sbl_watch_stopped(const sbl_watch *watch);
/* SBL_ESTOPPED and its message. */
sbl_status sbl_watch_fail(sbl_error *err);

/* The body of a loop that a team of threads shares: the first of them asks, and all hear the answer. */
static inline bool sbl_watch_team_goes_on(const sbl_watch *watch, int thread, uint64_t step,
                                          uint64_t steps)
{
    return thread == 0 ? sbl_watch_goes_on(watch, step, steps) : !sbl_watch_stopped(watch);
}

#endif
