/* SPDX-License-Identifier: Apache-2.0 */
/* The R package's calls into the library. What R sees is decided in R/; here values become those of the library and
 * back. No call leaves R's own way (a jump) while the library works: interrupts and warnings are kept until it returns. */
#ifndef SEMBLANCE_R_H
#define SEMBLANCE_R_H

#include <semblance/data.h>
#include <semblance/synthesizer.h>

#define R_NO_REMAP
#include <Rinternals.h>

/* ---- call.c: failures, warnings, options ---- */

/* list(status, message, hint) of class semblance_failure, which R/call.R turns into a condition. */
SEXP r_failure(sbl_status status, const sbl_error *err);
/* A text of the library as a character vector, and freed. NULL becomes NA. */
SEXP r_text(char *text);
SEXP r_borrowed_text(const char *text);
SEXP r_bytes(uint8_t *bytes, size_t size);
/* The text of a character vector of length 1 in UTF-8; NULL for R's NULL and NA. */
const char *r_string(SEXP value);

/* One call of the library: its options, and the lines that it tells. */
typedef struct r_call {
    sbl_synth_options options;
    sbl_data_options reading; /* of a file */
    char *lines;              /* each with a line end; malloc() */
    size_t length;
    int stopped;
} r_call;

/* pairs: a named character vector; NA is a flag that is set. */
sbl_status r_call_begin(r_call *call, SEXP pairs, sbl_error *err);
/* The lines as attribute "lines" of the value, or of the failure. */
SEXP r_call_end(r_call *call, SEXP value, sbl_status status, const sbl_error *err);
int r_progress(void *context, const char *what, uint64_t step, uint64_t steps, double loss);
void r_notice(void *context, const char *line);

/* ---- handles.c ---- */

SEXP r_synthesizer_wrap(sbl_synthesizer *synth);
sbl_synthesizer *r_synthesizer_of(SEXP pointer); /* an R error if it was not kept */
sbl_schema *r_schema_of(SEXP pointer);           /* NULL for R's NULL */

/* ---- frame.c ---- */

/* The rows of a data.frame, or a file. */
sbl_status r_data_of(sbl_data **data, SEXP frame, r_call *call, sbl_error *err);

/* ---- draw.c ---- */

/* A stream of drawn rows as a list of columns; the stream is released. */
SEXP r_frame_of_stream(struct ArrowArrayStream *stream);

#endif
