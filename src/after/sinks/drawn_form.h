/* SPDX-License-Identifier: Apache-2.0 */
/* What a column of a schema becomes where rows are drawn with types: Arrow and Parquet. */
#ifndef SBL_SINKS_DRAWN_FORM_H
#define SBL_SINKS_DRAWN_FORM_H

#include "public/schema/schema_type.h"

typedef enum sbl_drawn_form {
    SBL_DRAWN_INT64,
    SBL_DRAWN_DOUBLE,
    SBL_DRAWN_DATE,
    SBL_DRAWN_MOMENT,
    SBL_DRAWN_BOOL,
    SBL_DRAWN_TEXT
} sbl_drawn_form;

sbl_drawn_form sbl_drawn_form_of(const sbl_column *column);

/* The format of Arrow that a drawn column has: "l", "g", "tdD", "tss:", "tss:UTC", "b" or "u". */
const char *sbl_arrow_drawn_format(const sbl_column *column);

/* Is the column in what is drawn? */
bool sbl_column_is_drawn(const sbl_column *column);

#endif
