/* SPDX-License-Identifier: Apache-2.0 */
/* One atomic integer per handle: bits for the call at work and for "freed meanwhile". A second
 * call loses the compare-and-swap and is refused; the last one out frees. */
#include "base/handle_lock.h"

#include <stddef.h>

enum { IDLE = 0, DROPPED = 4 }; /* beside the bits of sbl_use */

void sbl_mark_init(sbl_mark *mark, void (*drop)(void *handle), void *handle)
{
    atomic_init(&mark->state, IDLE);
    mark->drop = drop;
    mark->handle = handle;
}

sbl_status sbl_use_begin(sbl_mark **used, sbl_mark *mark, sbl_use use, const char *what, sbl_error *err)
{
    int idle = IDLE;
    *used = NULL;
    if (!atomic_compare_exchange_strong(&mark->state, &idle, use))
        return sbl_fail(err, SBL_EBUSY,
                        "%.100s is in use by another thread, or by the call that runs this callback: wait "
                        "until it ends, or use another handle",
                        what);
    *used = mark;
    return SBL_OK;
}

void sbl_use_end(sbl_mark *used)
{
    if (used != NULL && (atomic_exchange(&used->state, IDLE) & DROPPED) != 0) used->drop(used->handle);
}

bool sbl_mark_changes(const sbl_mark *mark) { return (atomic_load(&mark->state) & SBL_USE_CHANGES) != 0; }

void sbl_mark_drop(sbl_mark *mark)
{
    if (atomic_fetch_or(&mark->state, DROPPED) == IDLE) mark->drop(mark->handle);
}
