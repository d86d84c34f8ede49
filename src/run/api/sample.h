/* SPDX-License-Identifier: Apache-2.0 */
/* What the ways of drawing from a synthesizer share (sample_api.c, sample_tables.c). */
#ifndef SBL_API_SAMPLE_H
#define SBL_API_SAMPLE_H

#include "run/api/synthesizer_handle.h"
#include "run/pipeline/row_stream.h"

/* The handle's model, to be drawn from as the options say.   Returns: SBL_OK; SBL_EARG, SBL_EINPUT, SBL_EMEM */
sbl_status sbl_sample_open(sbl_row_stream **draws, const sbl_synthesizer *synth,
                           const sbl_sample_options *options, const sbl_taker *taker, sbl_error *err);
/* All records to the taker.   Returns: SBL_OK; SBL_ESTOPPED, and what the taker gives */
sbl_status sbl_sample_all(sbl_row_stream *draws, const sbl_sample_options *options, sbl_error *err);

/* What a stream's functions return. */
int sbl_arrow_errno(sbl_status status);

/* Linked tables into options->streams. */
sbl_status sbl_sample_tables(const sbl_synthesizer *synth, const sbl_sample_options *options, sbl_error *err);

#endif
