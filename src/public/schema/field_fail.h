/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the schema reader: what is wrong with the file, in one line that says where. */
#ifndef SBL_SCHEMA_FIELD_FAIL_H
#define SBL_SCHEMA_FIELD_FAIL_H

#include "base/error.h"

/* Where a message points to. */
typedef struct sbl_field_place {
    const char *where; /* the file */
    const char *name;  /* the column */
    sbl_error *err;
} sbl_field_place;

/* "FILE: ..." and "FILE: column 'NAME' ...": SBL_EINPUT, one line whatever the file holds. */
sbl_status sbl_fail_schema(sbl_error *err, const char *where, const char *format, ...) SBL_PRINTF(3, 4);
sbl_status sbl_fail_column(const sbl_field_place *at, const char *format, ...) SBL_PRINTF(2, 3);
sbl_status sbl_fail_column_memory(const sbl_field_place *at);

#endif
