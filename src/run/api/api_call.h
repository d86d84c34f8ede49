/* SPDX-License-Identifier: Apache-2.0 */
/* What a public function does first and last: its arguments are there, its options are read as this
 * version knows them and checked, and OpenMP is left as it was found. */
#ifndef SBL_API_API_CALL_H
#define SBL_API_API_CALL_H

#include "run/methods/method_options.h"
#include "semblance/data.h"

/* Zero-initialise; options are set once sbl_api_call_begin has succeeded. */
typedef struct sbl_api_call {
    sbl_synth_options options;
    int threads; /* what OpenMP was set to; 0: nothing was changed */
} sbl_api_call;

/* Take and check the options of a job that learns its method from a file, or has none. */
sbl_status sbl_api_call_begin(sbl_api_call *entry, const sbl_synth_options *options, unsigned steps,
                              sbl_error *err);
/* For a job whose options name the method. */
sbl_status sbl_api_call_begin_fit(sbl_api_call *entry, const sbl_synth_options *options, sbl_data_kinds kind,
                                  unsigned steps, sbl_error *err);
/* To be called in any case. */
void sbl_api_call_end(const sbl_api_call *entry);

/* The number of threads of this call. OpenMP keeps it for the calling thread alone, so that calls
 * from several threads of a host do not meet. Returns what to give back to sbl_threads_restore. */
int sbl_threads_borrow(unsigned threads);
void sbl_threads_restore(int before);

#endif
