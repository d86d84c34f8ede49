/* SPDX-License-Identifier: Apache-2.0 */
/* Drawn rows as columns of R. The library draws int64, double, date32, timestamp[s], bool and utf8 (synthesizer.h). */
#include "semblance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The batches of a stream, while they become vectors. */
typedef struct r_batches {
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema;
    struct ArrowArray *items;
    size_t count, room;
    R_xlen_t rows;
} r_batches;

static int read_all(r_batches *batches)
{
    if (batches->stream->get_schema(batches->stream, &batches->schema) != 0) return 0;
    for (;;) {
        if (batches->count == batches->room) {
            struct ArrowArray *more = realloc(batches->items, (2 * batches->room + 8) * sizeof *more);
            if (more == NULL) return 0;
            batches->items = more;
            batches->room = 2 * batches->room + 8;
        }
        struct ArrowArray *next = &batches->items[batches->count];
        memset(next, 0, sizeof *next);
        if (batches->stream->get_next(batches->stream, next) != 0) return 0;
        if (next->release == NULL) return 1;
        batches->rows += (R_xlen_t)next->length;
        batches->count++;
    }
}

static void free_batches(void *context)
{
    r_batches *batches = context;
    for (size_t i = 0; i < batches->count; i++) batches->items[i].release(&batches->items[i]);
    free(batches->items);
    if (batches->schema.release != NULL) batches->schema.release(&batches->schema);
    if (batches->stream->release != NULL) batches->stream->release(batches->stream);
}

static int is_missing(const struct ArrowArray *array, int64_t row)
{
    const uint8_t *valid = array->buffers[0];
    return valid != NULL && (valid[row / 8] >> (row % 8) & 1) == 0;
}

static double number_at(const struct ArrowArray *array, char form, int64_t row)
{
    if (is_missing(array, row)) return NA_REAL;
    if (form == 'g') return ((const double *)array->buffers[1])[row];
    if (form == 'd') return ((const int32_t *)array->buffers[1])[row];
    return (double)((const int64_t *)array->buffers[1])[row];
}

static SEXP text_at(const struct ArrowArray *array, int64_t row)
{
    const int32_t *ends = array->buffers[1];
    const char *bytes = array->buffers[2];
    if (is_missing(array, row)) return NA_STRING;
    return Rf_mkCharLenCE(bytes + ends[row], ends[row + 1] - ends[row], CE_UTF8);
}

/* g: double; l: int64; d: date32; s: timestamp; b: bool; u: utf8. */
static char form_of(const char *format)
{
    if (format[0] == 't') return format[1] == 'd' ? 'd' : 's';
    return format[0];
}

static SEXP fill_column(const r_batches *batches, R_xlen_t column)
{
    const char form = form_of(batches->schema.children[column]->format);
    const SEXPTYPE type = form == 'u' ? STRSXP : form == 'b' ? LGLSXP : REALSXP;
    SEXP made = PROTECT(Rf_allocVector(type, batches->rows));
    R_xlen_t row = 0;
    for (size_t b = 0; b < batches->count; b++) {
        const struct ArrowArray *array = batches->items[b].children[column];
        for (int64_t i = array->offset; i < array->offset + batches->items[b].length; i++, row++) {
            if (form == 'u')
                SET_STRING_ELT(made, row, text_at(array, i));
            else if (form == 'b')
                LOGICAL(made)
            [row] = is_missing(array, i) ? NA_LOGICAL
                                         : ((const uint8_t *)array->buffers[1])[i / 8] >> (i % 8) & 1;
            else REAL(made)[row] = number_at(array, form, i);
        }
    }
    SEXP shown = PROTECT(Rf_ScalarString(Rf_mkCharLen(&form, 1)));
    Rf_setAttrib(made, Rf_install("form"), shown);
    UNPROTECT(2);
    return made;
}

static SEXP fill(void *context)
{
    const r_batches *batches = context;
    const R_xlen_t count = (R_xlen_t)batches->schema.n_children;
    SEXP made = PROTECT(Rf_allocVector(VECSXP, count));
    SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
    for (R_xlen_t i = 0; i < count; i++) {
        SET_STRING_ELT(names, i, Rf_mkCharCE(batches->schema.children[i]->name, CE_UTF8));
        SET_VECTOR_ELT(made, i, fill_column(batches, i));
    }
    Rf_setAttrib(made, R_NamesSymbol, names);
    UNPROTECT(2);
    return made;
}

static void clean(void *context, Rboolean jump)
{
    (void)jump;
    free_batches(context);
}

SEXP r_frame_of_stream(struct ArrowArrayStream *stream)
{
    r_batches batches = {.stream = stream};
    if (!read_all(&batches)) {
        sbl_error err = {.status = SBL_EMEM};
        const char *why = stream->get_last_error(stream);
        if (why != NULL) strncpy(err.message, why, sizeof err.message - 1);
        free_batches(&batches);
        return r_failure(SBL_EMEM, &err);
    }
    SEXP token = PROTECT(R_MakeUnwindCont());
    SEXP made = R_UnwindProtect(fill, &batches, clean, &batches, token);
    UNPROTECT(1);
    return made;
}
