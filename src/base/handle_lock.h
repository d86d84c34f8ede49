/* SPDX-License-Identifier: Apache-2.0 */
/* One call at a time for a handle: a mark that says whether a call works with it.
 *
 * A second one, from another thread or from a callback of the first, is refused (SBL_EBUSY) and changes nothing: two fits
 * at once would each take the other's account for the past. A handle that is freed while a call works with it lives
 * until that call ends. */
#ifndef SBL_BASE_HANDLE_LOCK_H
#define SBL_BASE_HANDLE_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"

typedef struct sbl_mark {
    atomic_int state;
    void (*drop)(void *handle); /* frees it */
    void *handle;
} sbl_mark;

void sbl_mark_init(sbl_mark *mark, void (*drop)(void *handle), void *handle);

typedef enum sbl_use { SBL_USE_READS = 1, SBL_USE_CHANGES = 2 } sbl_use;

/* For one call: *used is the mark until sbl_use_end(), NULL if refused. what: the handle's name for the message.
 * Returns: SBL_OK; SBL_EBUSY */
sbl_status sbl_use_begin(sbl_mark **used, sbl_mark *mark, sbl_use use, const char *what, sbl_error *err);
void sbl_use_end(sbl_mark *used); /* the last thing that a call does with the handle; NULL is fine */

/* Does a call change the handle? Then nothing in it can be lent. */
bool sbl_mark_changes(const sbl_mark *mark);
/* Free the handle, now or when the call that works with it ends. */
void sbl_mark_drop(sbl_mark *mark);

#endif
