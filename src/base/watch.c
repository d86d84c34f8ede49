/* Progress as a share of the whole, in thousandths: a stretch knows where it begins and ends
 * within the whole, so nested work needs no global count of steps. The stop flag is atomic because
 * other threads read it; the callback runs in the caller's thread only. */
#include "base/watch.h"

sbl_watch sbl_watch_of(sbl_watcher *watcher, const char *what)
{
    return (sbl_watch){.watcher = watcher, .what = what, .from = 0, .to = 1};
}

sbl_watch sbl_watch_span(const sbl_watch *watch, uint64_t from, uint64_t to, uint64_t of,
                         const char *what)
{
    if (watch == NULL) return (sbl_watch){0};
    const double width = (watch->to - watch->from) / (double)of;
    sbl_watch made = *watch;
    made.from = watch->from + (double)from * width;
    made.to = watch->from + (double)to * width;
    if (what != NULL) made.what = what;
    return made;
}

bool sbl_watch_goes_on(const sbl_watch *watch, uint64_t step, uint64_t steps)
{
    if (watch == NULL || watch->watcher == NULL || watch->watcher->progress == NULL) return true;
    sbl_watcher *watcher = watch->watcher;
    if (atomic_load(&watcher->stopped)) return false;
    const double share =
        steps == 0 || step >= steps ? (double)(steps != 0) : (double)step / (double)steps;
    const double place = watch->from + share * (watch->to - watch->from);
    /* The end of one stretch may be a rounding above the beginning of the next: steps never fall for that. */
    const uint64_t told = (uint64_t)(SBL_WATCH_STEPS * place + 1e-6);
    if (watcher->progress(watcher->context, watch->what, told, SBL_WATCH_STEPS, 0.0) == 0)
        return true;
    atomic_store(&watcher->stopped, true);
    return false;
}

bool sbl_watch_stopped(const sbl_watch *watch)
{
    return watch != NULL && watch->watcher != NULL && atomic_load(&watch->watcher->stopped);
}

sbl_status sbl_watch_fail(sbl_error *err)
{
    return sbl_fail(err, SBL_ESTOPPED, "stopped while evaluating");
}
