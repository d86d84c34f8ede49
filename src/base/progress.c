/* SPDX-License-Identifier: Apache-2.0 */
/* Progress as a share of the whole, in thousandths: a stretch knows where it begins and ends
 * within the whole, so nested work needs no global count of steps. The stop flag is atomic because
 * other threads read it; the callback runs in the caller's thread only. */
#include "base/progress.h"

sbl_progress_span sbl_progress_begin(sbl_progress_listener *listener, const char *what)
{
    return (sbl_progress_span){.listener = listener, .what = what, .from = 0, .to = 1};
}

sbl_progress_span sbl_progress_range(const sbl_progress_span *progress, uint64_t from, uint64_t to,
                                     uint64_t of, const char *what)
{
    if (progress == NULL) return (sbl_progress_span){0};
    const double width = (progress->to - progress->from) / (double)of;
    sbl_progress_span made = *progress;
    made.from = progress->from + (double)from * width;
    made.to = progress->from + (double)to * width;
    if (what != NULL) made.what = what;
    return made;
}

bool sbl_progress_goes_on(const sbl_progress_span *progress, uint64_t step, uint64_t steps)
{
    if (progress == NULL || progress->listener == NULL || progress->listener->progress == NULL) return true;
    sbl_progress_listener *listener = progress->listener;
    if (atomic_load(&listener->stopped)) return false;
    const double share = steps == 0 || step >= steps ? (double)(steps != 0) : (double)step / (double)steps;
    const double place = progress->from + share * (progress->to - progress->from);
    /* The end of one stretch may be a rounding above the beginning of the next: steps never fall for that. */
    const uint64_t told = (uint64_t)(SBL_PROGRESS_STEPS * place + 1e-6);
    if (listener->progress(listener->context, progress->what, told, SBL_PROGRESS_STEPS, 0.0) == 0)
        return true;
    atomic_store(&listener->stopped, true);
    return false;
}

bool sbl_progress_stopped(const sbl_progress_span *progress)
{
    return progress != NULL && progress->listener != NULL && atomic_load(&progress->listener->stopped);
}

sbl_status sbl_progress_fail(sbl_error *err)
{
    return sbl_fail(err, SBL_ESTOPPED, "stopped while evaluating");
}
