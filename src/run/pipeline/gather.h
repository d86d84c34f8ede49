/* SPDX-License-Identifier: Apache-2.0 */
/* [1] to [4]: one pass over a source into a sum, on several threads. Records are read in batches, a
 * batch is cut into slices, and each thread adds its slices to a sum of its own. */
#ifndef SBL_PIPELINE_GATHER_H
#define SBL_PIPELINE_GATHER_H

#include "base/error.h"
#include "records/accumulate/key_tally.h"
#include "records/accumulate/sum.h"
#include "records/features/features.h"
#include "records/source/source.h"
#include "semblance/options.h"

/* The sum of all records of the source, read from where it stands to its end.
 * In:      charged  what was charged before it is read: for messages
 * Privacy: reads records; the sum must go through the door.
 * Owner:   the caller; sbl_sum_free() */
sbl_status sbl_gather(sbl_sum **sum, sbl_source *source, const sbl_features *features, const char *charged,
                      const sbl_synth_options *options, sbl_error *err);

/* The same for texts, one thread: the tally of all rows of a source that gives texts.
 * Owner: the caller; sbl_key_tally_free() */
sbl_status sbl_gather_texts(sbl_key_tally **tally, sbl_source *source, const sbl_layout *layout,
                            const char *charged, const sbl_synth_options *options, sbl_error *err);

#endif
