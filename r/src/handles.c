/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of the library as external pointers. R's NULL pointer: it was saved with saveRDS() and not kept. */
#include "semblance.h"

#include <semblance/schema.h>

static void drop_synthesizer(SEXP pointer)
{
    sbl_synthesizer_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

static void drop_schema(SEXP pointer)
{
    sbl_schema_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

SEXP r_synthesizer_wrap(sbl_synthesizer *synth)
{
    SEXP made = PROTECT(R_MakeExternalPtr(synth, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(made, drop_synthesizer, TRUE);
    UNPROTECT(1);
    return made;
}

sbl_synthesizer *r_synthesizer_of(SEXP pointer)
{
    sbl_synthesizer *synth = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
    if (synth == NULL)
        Rf_error(
            "this fit was saved without its model: save it with write_model() and load it with read_model()");
    return synth;
}

sbl_schema *r_schema_of(SEXP pointer)
{
    return TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
}

SEXP semblance_schema_new(SEXP json)
{
    sbl_schema *schema = NULL;
    sbl_error err = {.status = SBL_OK};
    const char *text = r_string(json);
    const sbl_status status = sbl_schema_from_json(&schema, text, LENGTH(STRING_ELT(json, 0)), NULL, &err);
    if (status != SBL_OK) return r_failure(status, &err);
    SEXP made = PROTECT(R_MakeExternalPtr(schema, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(made, drop_schema, TRUE);
    UNPROTECT(1);
    return made;
}

SEXP semblance_schema_open(SEXP path)
{
    sbl_schema *schema = NULL;
    sbl_error err = {.status = SBL_OK};
    const sbl_status status = sbl_schema_from_file(&schema, r_string(path), false, &err);
    if (status != SBL_OK) return r_failure(status, &err);
    SEXP made = PROTECT(R_MakeExternalPtr(schema, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(made, drop_schema, TRUE);
    UNPROTECT(1);
    return made;
}

SEXP semblance_schema_json(SEXP pointer)
{
    char *json = NULL;
    sbl_error err = {.status = SBL_OK};
    const sbl_status status = sbl_schema_as_json(&json, r_schema_of(pointer), &err);
    return status == SBL_OK ? r_text(json) : r_failure(status, &err);
}

/* list(name =, categories = list()) of the columns that are drawn. */
SEXP semblance_schema_columns(SEXP pointer)
{
    const sbl_schema *schema = r_schema_of(pointer);
    sbl_schema_column column = {.struct_size = sizeof column};
    sbl_error err;
    R_xlen_t count = 0;
    while (sbl_schema_get_column(schema, &column, (size_t)count, &err) == SBL_OK) count++;
    SEXP made = PROTECT(Rf_allocVector(VECSXP, count));
    SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
    for (R_xlen_t i = 0; i < count; i++) {
        if (sbl_schema_get_column(schema, &column, (size_t)i, &err) != SBL_OK) break;
        SET_STRING_ELT(names, i, Rf_mkCharCE(column.name, CE_UTF8));
        SEXP texts = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)column.category_count));
        for (size_t c = 0; c < column.category_count; c++)
            SET_STRING_ELT(texts, (R_xlen_t)c, Rf_mkCharCE(column.categories[c], CE_UTF8));
        SET_VECTOR_ELT(made, i, texts);
        UNPROTECT(1);
    }
    Rf_setAttrib(made, R_NamesSymbol, names);
    UNPROTECT(2);
    return made;
}
