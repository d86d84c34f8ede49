/* SPDX-License-Identifier: Apache-2.0 */
/* Binds one column of a table to its column of the schema, and turns its cells into values of a batch.
 *
 * A cell that cannot be read is missing if its column may be empty; otherwise it becomes the column's
 * public constant. If `fault` is not NULL, it reports what happened. */
#ifndef SBL_ROWS_CELL_DECODE_H
#define SBL_ROWS_CELL_DECODE_H

#include "public/rows/category_lookup.h"
#include "public/rows/row_batch.h"

typedef struct sbl_field {
    const sbl_column *column; /* NULL: read past */
    size_t index;             /* of the column in the schema */
    sbl_lookup lookup;        /* categories and missing values, or missing values alone */
    uint32_t missing_code;    /* what lookup gives for a missing value */
    bool is_unit;             /* read past but for whose row it is */
    bool is_key;              /* read past but for the row's own key */
    bool plain_numbers;       /* a number column without a missing value that is a number */
} sbl_field;

/* Read as this column of the schema. false: out of memory */
bool sbl_field_point(sbl_field *field, const sbl_schema *schema, size_t column, bool is_unit);
void sbl_fields_free(sbl_field *fields, size_t count); /* NULL is fine */

/* Store what a text is in row: text is followed by SBL_LOOKUP_PADDING readable bytes. */
void sbl_field_store_text(const sbl_field *field, sbl_batch_column *column, size_t row, const char *text,
                          size_t length, uint8_t *fault);
/* Store a number that was read already: clamp, and round where the column holds whole numbers. */
void sbl_field_store_number(const sbl_field *field, sbl_batch_column *column, size_t row, double value,
                            uint8_t *fault);
/* Store a cell that tells nothing, for this reason. */
void sbl_field_store_fault(const sbl_field *field, sbl_batch_column *column, size_t row,
                           sbl_cell_fault reason, uint8_t *fault);
static inline void sbl_field_store_missing(const sbl_field *field, sbl_batch_column *column, size_t row,
                                           uint8_t *fault)
{
    sbl_field_store_fault(field, column, row,
                          field->column->missing_allowed ? SBL_CELL_MISSING : SBL_CELL_MISSING_REQUIRED,
                          fault);
}

/* A cell without blanks around it as the number that its column holds: a number, days or seconds. */
bool sbl_value_read(double *value, const sbl_column *column, const char *text, size_t length);
/* A number as the column writes it: decimal sign, marks between thousands, currency and percent signs;
 * the whole of text. */
bool sbl_number_read(double *value, const sbl_column *column, const char *text, size_t size);
/* The same as text: the plain number that it means, if it is one at all; *length of it, at most
 * SBL_CELL_TEXT_SIZE. */
bool sbl_number_plain(char *plain, size_t *length, const sbl_column *column, const char *text, size_t size);
/* Where a number begins and ends among currency signs, percent signs and blanks. */
void sbl_number_strip(const char **from, const char **to, const sbl_column *column);

#endif
