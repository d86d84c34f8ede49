/* SPDX-License-Identifier: Apache-2.0 */
/* Options are copied into a struct of this version and checked before anything else happens;
 * threads are set for the calling thread and given back at the end. */
#include "run/api/api_call.h"

#include "base/caller_struct.h"
#include "base/compute/threads.h"
#include "records/image/image_set.h"

int sbl_threads_borrow(unsigned threads)
{
    const int before = sbl_thread_limit();
    if (threads == 0) return 0;
    sbl_thread_set((int)threads);
    return before;
}

void sbl_threads_restore(int before)
{
    if (before != 0) sbl_thread_set(before);
}

static sbl_status take(sbl_api_call *entry, const sbl_synth_options *options, unsigned steps, sbl_error *err)
{
    const sbl_status status = sbl_synth_options_take(&entry->options, options, err);
    return status == SBL_OK ? sbl_options_check_values(&entry->options, steps, err) : status;
}

sbl_status sbl_api_call_begin(sbl_api_call *entry, const sbl_synth_options *options, unsigned steps,
                              sbl_error *err)
{
    const sbl_status status = take(entry, options, steps, err);
    if (status == SBL_OK) entry->threads = sbl_threads_borrow(entry->options.threads);
    return status;
}

sbl_status sbl_api_call_begin_fit(sbl_api_call *entry, const sbl_synth_options *options, sbl_data_kinds kind,
                                  unsigned steps, sbl_error *err)
{
    sbl_status status = take(entry, options, steps, err);
    if (status == SBL_OK)
        status = sbl_options_check_method(&entry->options, entry->options.method, kind, steps, err);
    if (status == SBL_OK) entry->threads = sbl_threads_borrow(entry->options.threads);
    return status;
}

void sbl_api_call_end(const sbl_api_call *entry) { sbl_threads_restore(entry->threads); }
