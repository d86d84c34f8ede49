/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as two formats (table.h): an array of objects, and one object per line. Neither has a header. The
 * names of the schema, or declared names, are looked for in each record. Listing all names that occur reads
 * the records and is NOT PRIVATE. */
#include "base/alloc.h"
#include "records/formats/json_reader.h"

static void close_reading(void *state)
{
    sbl_json_records *records = state;
    if (records == NULL) return;
    sbl_json_records_close(records);
    sbl_free(records);
}

static sbl_status open_records(sbl_json_records *records, const sbl_table *table, bool is_array,
                               sbl_strings *names, bool gathers, sbl_error *err)
{
    const sbl_csv_bytes *memory = table->state;
    sbl_byte_source *source = NULL;
    const sbl_status status =
        memory != NULL ? sbl_byte_source_open_memory(&source, memory->bytes, memory->size, table->name, err)
                       : sbl_byte_source_open(&source, table->path, err);
    return status == SBL_OK ? sbl_json_records_open(records, source, is_array, names, gathers, 0, err)
                            : status;
}

/* All names of all records, in the order in which they appear. NOT PRIVATE */
static sbl_status gather_names(sbl_strings *names, const sbl_table *table, bool is_array, sbl_error *err)
{
    sbl_json_records records = {0};
    bool more = true;
    sbl_status status = SBL_OK;
    if (!table->can_rewind)
        SBL_FAIL(err, SBL_EARG, "%s must be a file, because it is read twice if no schema names its columns",
                 table->name);
    SBL_TRY(open_records(&records, table, is_array, names, true, err));
    while (more) SBL_TRY(sbl_json_records_next(&records, NULL, &more, err));
done:
    sbl_json_records_close(&records);
    return status;
}

static sbl_status open_cells(void **state, const sbl_table *table, bool is_array, sbl_strings *names,
                             sbl_error *err)
{
    sbl_json_records *records = NULL;
    sbl_status status = SBL_OK;
    *state = NULL;
    if (names->count == 0) SBL_TRY(gather_names(names, table, is_array, err));
    SBL_ALLOC(records, 1, table->name);
    SBL_TRY(open_records(records, table, is_array, names, false, err));
    *state = records;
    records = NULL;
done:
    close_reading(records);
    return status;
}

static sbl_status open_array(void **state, const sbl_table *table, const sbl_dialect *dialect,
                             sbl_strings *names, sbl_error *err)
{
    (void)dialect;
    return open_cells(state, table, true, names, err);
}

static sbl_status open_lines(void **state, const sbl_table *table, const sbl_dialect *dialect,
                             sbl_strings *names, sbl_error *err)
{
    (void)dialect;
    return open_cells(state, table, false, names, err);
}

static sbl_status count_records(uint64_t *rows, const sbl_table *table, bool is_array, sbl_error *err)
{
    sbl_json_records records = {0};
    sbl_strings none = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(open_records(&records, table, is_array, &none, false, err));
    SBL_TRY(sbl_json_count(rows, &records, table->listener, err));
done:
    sbl_json_records_close(&records);
    return status;
}

static sbl_status count_array(uint64_t *rows, const sbl_table *table, const sbl_dialect *dialect,
                              const sbl_schema *schema, sbl_error *err)
{
    (void)dialect;
    (void)schema;
    return count_records(rows, table, true, err);
}

static sbl_status count_lines(uint64_t *rows, const sbl_table *table, const sbl_dialect *dialect,
                              const sbl_schema *schema, sbl_error *err)
{
    (void)dialect;
    (void)schema;
    return count_records(rows, table, false, err);
}

static sbl_status next_cells(void *state, sbl_cell *cells, bool *more, sbl_error *err)
{
    return sbl_json_records_next(state, cells, more, err);
}

const sbl_format sbl_json_format = {.open = open_array,
                                    .next = next_cells,
                                    .close = close_reading,
                                    .count = count_array,
                                    .names_in_records = true,
                                    .is_text = true};
const sbl_format sbl_json_lines_format = {.open = open_lines,
                                          .next = next_cells,
                                          .close = close_reading,
                                          .count = count_lines,
                                          .names_in_records = true,
                                          .is_text = true};
