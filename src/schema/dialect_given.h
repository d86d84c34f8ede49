/* How a table is written, as somebody says beside its schema, or without one: the options of a run
 * that reads a table. What is said takes the place of what the schema says, and so stands in the
 * plan, the certificate and the model as if the schema had said it. */
#ifndef SBL_SCHEMA_DIALECT_GIVEN_H
#define SBL_SCHEMA_DIALECT_GIVEN_H

#include "schema/schema.h"

/* Texts; NULL: nothing was said. A sign is itself, "tab", "space", or "none". */
typedef struct sbl_dialect_given {
    const char *delimiter; /* , ; tab | : ~ ^ */
    const char *quote;     /* " or ' */
    const char *comment;   /* # % ; ! or none */
    const char *header;    /* "yes" or "no" */
    const char *encoding;  /* as sbl_encoding_name() takes it */
    const char *decimal;   /* . or , in every column of numbers */
    const char *thousands; /* . , ' _ space or none, likewise */
} sbl_dialect_given;

/* How a table without described columns is written. */
typedef struct sbl_written {
    sbl_dialect dialect;
    char decimal_char; /* of numbers: '.' or ',' */
    char group_char;   /* between thousands; 0: none */
} sbl_written;

#define SBL_WRITTEN_USUALLY ((sbl_written){SBL_DIALECT_USUAL, '.', 0})

/* Put what was given in its place.
 * Returns: SBL_OK; SBL_EARG naming the option: a sign that cannot be one, or one sign for two things */
sbl_status sbl_dialect_apply(sbl_dialect *dialect, const sbl_dialect_given *given, sbl_error *err);
sbl_status sbl_written_apply(sbl_written *written, const sbl_dialect_given *given, sbl_error *err);
/* The same for a schema: its dialect, and the marks of its columns of numbers. */
sbl_status sbl_schema_apply_dialect(sbl_schema *schema, const sbl_dialect_given *given,
                                    sbl_error *err);

#endif
