/* SPDX-License-Identifier: Apache-2.0 */
/* What a call needs and what comes of it. */
#include "semblance.h"

#include <semblance/status.h>
#include <stdlib.h>
#include <string.h>

#include <R_ext/Utils.h>

SEXP r_borrowed_text(const char *text)
{
    return Rf_ScalarString(text != NULL ? Rf_mkCharCE(text, CE_UTF8) : NA_STRING);
}

SEXP r_text(char *text)
{
    SEXP made = PROTECT(r_borrowed_text(text));
    sbl_free(text);
    UNPROTECT(1);
    return made;
}

SEXP r_bytes(uint8_t *bytes, size_t size)
{
    SEXP made = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)size));
    if (size > 0) memcpy(RAW(made), bytes, size);
    sbl_free(bytes);
    UNPROTECT(1);
    return made;
}

const char *r_string(SEXP value)
{
    if (TYPEOF(value) != STRSXP || XLENGTH(value) != 1 || STRING_ELT(value, 0) == NA_STRING) return NULL;
    return Rf_translateCharUTF8(STRING_ELT(value, 0));
}

SEXP r_failure(sbl_status status, const sbl_error *err)
{
    const char *names[] = {"status", "message", "hint", ""};
    SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(made, 0, Rf_ScalarInteger((int)status));
    SET_VECTOR_ELT(made, 1,
                   r_borrowed_text(err->message[0] != '\0' ? err->message : sbl_status_text(status)));
    SET_VECTOR_ELT(made, 2, Rf_ScalarInteger((int)err->hint));
    Rf_setAttrib(made, R_ClassSymbol, Rf_mkString("semblance_failure"));
    UNPROTECT(1);
    return made;
}

/* ---- what is told meanwhile ---- */

static void ask_for_interrupt(void *unused)
{
    (void)unused;
    R_CheckUserInterrupt();
}

int r_progress(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    r_call *call = context;
    (void)what, (void)step, (void)steps, (void)loss;
    if (!R_ToplevelExec(ask_for_interrupt, NULL)) call->stopped = 1;
    return call->stopped;
}

void r_notice(void *context, const char *line)
{
    r_call *call = context;
    const size_t length = strlen(line);
    char *more = realloc(call->lines, call->length + length + 2);
    if (more == NULL) return;
    call->lines = more;
    memcpy(more + call->length, line, length);
    more[call->length + length] = '\n';
    call->length += length + 1;
    more[call->length] = '\0';
}

static void advice(void *context, sbl_advice_kind kind, const char *line)
{
    if (kind != SBL_ADVICE_ESTIMATE) r_notice(context, line);
}

/* ---- options ---- */

static sbl_status set_option(r_call *call, const char *name, const char *text, sbl_error *err)
{
    for (size_t i = 0; sbl_option_at(i) != NULL; i++)
        if (strcmp(sbl_option_at(i)->name, name) == 0 && sbl_option_at(i)->forms != 0)
            return sbl_data_options_set(&call->reading, name, text, err);
    return sbl_options_set(&call->options, name, text, err);
}

sbl_status r_call_begin(r_call *call, SEXP pairs, sbl_error *err)
{
    SEXP names = Rf_getAttrib(pairs, R_NamesSymbol);
    memset(call, 0, sizeof *call);
    memset(err, 0, sizeof *err);
    sbl_synth_options_init(&call->options);
    sbl_data_options_init(&call->reading);
    call->options.progress = r_progress;
    call->options.notice = r_notice;
    call->options.advice = advice;
    call->options.context = call;
    call->reading.progress = r_progress;
    call->reading.context = call;
    for (R_xlen_t i = 0; i < XLENGTH(pairs); i++) {
        const char *name = Rf_translateCharUTF8(STRING_ELT(names, i));
        const char *text =
            STRING_ELT(pairs, i) == NA_STRING ? NULL : Rf_translateCharUTF8(STRING_ELT(pairs, i));
        const sbl_status status = set_option(call, name, text, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

SEXP r_call_end(r_call *call, SEXP value, sbl_status status, const sbl_error *err)
{
    SEXP made = PROTECT(value);
    made = PROTECT(status == SBL_OK ? value : r_failure(status, err));
    if (call->lines != NULL && made != R_NilValue) {
        SEXP lines = PROTECT(r_borrowed_text(call->lines));
        Rf_setAttrib(made, Rf_install("lines"), lines);
        UNPROTECT(1);
    }
    free(call->lines);
    call->lines = NULL;
    UNPROTECT(2);
    return made;
}
