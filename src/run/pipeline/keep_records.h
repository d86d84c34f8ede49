/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the encoded records of a run are kept between its rounds (records/source/kept_source.h). */
#ifndef SBL_PIPELINE_KEEP_RECORDS_H
#define SBL_PIPELINE_KEEP_RECORDS_H

#include <stddef.h>

#include "run/pipeline/rounds.h"

/* How many bytes of them may be kept; 0: the method has one round, or no such option, or that many records do not fit.
 * records: their public or declared number; 0: unknown, so they are kept until there is no more room */
size_t sbl_keep_most(const sbl_rounds *rounds, double records, const sbl_synth_options *options);

#endif
