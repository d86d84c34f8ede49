/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the table as a fit would and counts what became of each cell, with the same code that
 * decides it. NOT PRIVATE: for `schema check`, which says so. */
#include "records/formats/diagnose.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

#define ROWS_AT_A_TIME 1024

const char *sbl_cell_fault_name(sbl_cell_fault fault)
{
    static const char *const names[] = {"good",
                                        "missing",
                                        "missing though required",
                                        "unparseable",
                                        "out of range",
                                        "not a multiple of the step",
                                        "unknown category",
                                        "cell not there"};
    return names[fault];
}

static void count_faults(sbl_diagnosis *diagnosis, const sbl_batch *batch)
{
    for (size_t row = 0; row < batch->rows; row++)
        for (size_t i = 0; i < diagnosis->column_count; i++)
            diagnosis->columns[i].cells[sbl_batch_faults(batch, row)[i]]++;
}

sbl_status sbl_table_diagnose(sbl_diagnosis *diagnosis, const sbl_table *table, const sbl_schema *schema,
                              const sbl_table_options *options,
                              void (*see)(void *context, const sbl_batch *batch), sbl_error *err)
{
    sbl_table_options reading = options != NULL ? *options : (sbl_table_options){0};
    uint64_t rows = 0;
    sbl_rows *reader = NULL;
    sbl_batch *batch = NULL;
    sbl_status status = SBL_OK;
    *diagnosis = (sbl_diagnosis){0};
    SBL_ALLOC(diagnosis->columns, schema->column_count, "a diagnosis");
    diagnosis->column_count = schema->column_count;
    reading.diagnosis = diagnosis;
    SBL_TRY(sbl_rows_open(&reader, table, schema, &reading, err));
    SBL_TRY(sbl_batch_new(&batch, schema, ROWS_AT_A_TIME, err));
    SBL_TRY(sbl_batch_keep_faults(batch, err));
    if (reading.with_keys) SBL_TRY(sbl_batch_keep_keys(batch, err));
    do {
        SBL_TRY(sbl_rows_read(reader, batch, err));
        count_faults(diagnosis, batch);
        if (see != NULL) see(reading.context, batch);
        rows += batch->rows;
    } while (batch->rows > 0);
    diagnosis->rows = rows;
done:
    if (status != SBL_OK) sbl_diagnosis_clear(diagnosis);
    sbl_batch_free(batch);
    sbl_rows_close(reader);
    return status;
}

void sbl_diagnosis_clear(sbl_diagnosis *diagnosis)
{
    sbl_free(diagnosis->columns);
    memset(diagnosis, 0, sizeof *diagnosis);
}

static void put_rows(sbl_text *text, uint64_t rows, const char *what)
{
    if (rows > 0) sbl_text_printf(text, "%" PRIu64 " rows %s\n", rows, what);
}

static void put_column(sbl_text *text, const sbl_column_diagnosis *counts, const char *name)
{
    const char *separator = ": ";
    sbl_text_printf(text, "%s", name);
    for (int fault = SBL_CELL_MISSING; fault < SBL_CELL_FAULT_COUNT; fault++) {
        if (counts->cells[fault] == 0) continue;
        sbl_text_printf(text, "%s%" PRIu64 " %s", separator, counts->cells[fault],
                        sbl_cell_fault_name((sbl_cell_fault)fault));
        separator = ", ";
    }
    if (*separator == ':') sbl_text_printf(text, ": all cells good");
    sbl_text_append(text, "\n", 1);
}

void sbl_diagnosis_describe(sbl_text *text, const sbl_diagnosis *diagnosis, const sbl_schema *schema)
{
    sbl_text_printf(text, "NOT PRIVATE: these counts come from the records; do not pass them on\n");
    sbl_text_printf(text, "%" PRIu64 " rows\n", diagnosis->rows);
    put_rows(text, diagnosis->rows_with_few_cells, "have too few cells");
    put_rows(text, diagnosis->rows_with_extra_cells, "have too many cells");
    put_rows(text, diagnosis->rows_too_long, "are too long to be read");
    put_rows(text, diagnosis->rows_with_odd_quotes, "have quotes in places where CSV has none");
    put_rows(text, diagnosis->rows_of_several_lines, "have cells of several lines");
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind != SBL_COLUMN_IGNORED)
            put_column(text, &diagnosis->columns[i], schema->columns[i].name);
}
