/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rows as CSV, table by table, and links the tables as a caller of the library would. */
#include "owner/audit/linked_records.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "records/source/data_handle.h"

struct sbl_package {
    sbl_text texts[SBL_PACKAGE_TABLES];
    sbl_csv_bytes bytes[SBL_PACKAGE_TABLES];
    sbl_data *data;
};

/* Columns that may be empty and columns that may not, with an order and without; and dates that are counted from those of
 * the rows above them. */
static const char schema_text[] =
    "{\"resources\":["
    "{\"name\":\"persons\",\"schema\":{\"primaryKey\":\"id\",\"fields\":[{\"name\":\"id\"},"
    "{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":[\"f\",\"m\"]}},"
    "{\"name\":\"weight\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":200,"
    "\"required\":true}}]}},"
    "{\"name\":\"visits\",\"schema\":{\"primaryKey\":\"visit\",\"foreignKeys\":[{\"fields\":"
    "\"person\",\"reference\":{\"resource\":\"persons\",\"fields\":\"id\"}}],\"fields\":["
    "{\"name\":\"visit\"},{\"name\":\"person\"},{\"name\":\"day\",\"type\":\"date\","
    "\"constraints\":{\"minimum\":\"2024-01-01\",\"maximum\":\"2024-12-31\",\"required\":true}},{\"name\":"
    "\"ward\","
    "\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}}],\"semblance\":{"
    "\"order\":\"day\",\"max_rows_per_unit\":8}}},"
    "{\"name\":\"drugs\",\"schema\":{\"foreignKeys\":[{\"fields\":\"visit\",\"reference\":{"
    "\"resource\":\"visits\",\"fields\":\"visit\"}}],\"fields\":[{\"name\":\"visit\"},"
    "{\"name\":\"given\",\"type\":\"datetime\",\"constraints\":{\"minimum\":\"2024-01-01T00:00:00\","
    "\"maximum\":\"2025-01-31T00:00:00\"}},"
    "{\"name\":\"dose\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":5}}],"
    "\"semblance\":{\"max_rows_per_unit\":12}}},"
    "{\"name\":\"cards\",\"schema\":{\"foreignKeys\":[{\"fields\":\"person\",\"reference\":{"
    "\"resource\":\"persons\",\"fields\":\"id\"}}],\"fields\":[{\"name\":\"person\"},"
    "{\"name\":\"colour\",\"type\":\"string\",\"constraints\":{\"enum\":[\"red\",\"green\","
    "\"blue\"],\"required\":true}}],\"semblance\":{\"max_rows_per_unit\":1000}}}]}";

static const char *const table_names[SBL_PACKAGE_TABLES] = {"persons", "visits", "drugs", "cards"};
static const char *const headers[SBL_PACKAGE_TABLES] = {"id,sex,weight\n", "visit,person,day,ward\n",
                                                        "visit,given,dose\n", "person,colour\n"};
static const char *const cells[SBL_PACKAGE_TABLES][SBL_CELLS_KINDS] = {
    {"f,0", "m,200", "f,100", ",", "\"no, such\",1e999"},
    {"2024-01-01,a", "2024-12-31,c", "2024-06-30,b", ",", "-1e999,\"a \"\"b\"\"\nc\""},
    {"2024-01-01T00:00:00,0", "2025-01-31T00:00:00,5", "2024-07-03T08:00:00,2.5", ",", "9999-99-99,nan"},
    {"red", "blue", "green", "", "\xff\xfe"}};

sbl_status sbl_package_facts(sbl_facts *facts, sbl_error *err)
{
    sbl_schema *schema = NULL;
    const sbl_status status =
        sbl_schema_parse(&schema, schema_text, sizeof schema_text - 1, "the package of the audit", err);
    return status == SBL_OK ? sbl_facts_of_table(facts, schema, err) : status;
}

/* ---- rows ---- */

void sbl_package_rows_add(sbl_package_rows *rows, const sbl_package_row *row)
{
    if (rows->count == rows->capacity) {
        const size_t capacity = rows->capacity != 0 ? 2 * rows->capacity : 256;
        sbl_package_row *items = sbl_resize_array(rows->items, capacity, sizeof *items);
        rows->failed = rows->failed || items == NULL;
        if (items == NULL) return;
        rows->items = items;
        rows->capacity = capacity;
    }
    rows->items[rows->count++] = *row;
}

static int compare_places(const void *a, const void *b)
{
    const double first = ((const sbl_package_row *)a)->place;
    const double second = ((const sbl_package_row *)b)->place;
    return (first > second) - (first < second);
}

void sbl_package_rows_sort(sbl_package_rows *rows)
{
    if (rows->count > 0) qsort(rows->items, rows->count, sizeof *rows->items, compare_places);
}

void sbl_package_rows_clear(sbl_package_rows *rows)
{
    sbl_free(rows->items);
    *rows = (sbl_package_rows){0};
}

/* ---- files ---- */

static void write_row(sbl_text *text, const sbl_package_row *row)
{
    if (row->table == SBL_PACKAGE_PERSONS || row->table == SBL_PACKAGE_VISITS)
        sbl_text_printf(text, "\"%s\",", row->key);
    if (row->table != SBL_PACKAGE_PERSONS) sbl_text_printf(text, "\"%s\",", row->named);
    sbl_text_printf(text, "%s\n", cells[row->table][row->cells]);
}

static sbl_status link_tables(sbl_package *package, sbl_error *err)
{
    sbl_data *tables[SBL_PACKAGE_TABLES] = {NULL};
    sbl_status status = SBL_OK;
    for (size_t t = 0; t < SBL_PACKAGE_TABLES; t++) {
        package->bytes[t] = (sbl_csv_bytes){package->texts[t].data, package->texts[t].length};
        const sbl_table table = {
            .format = &sbl_csv_format, .name = table_names[t], .state = &package->bytes[t]};
        SBL_TRY(sbl_text_check(&package->texts[t], "records", err));
        SBL_TRY(sbl_data_of_table(&tables[t], &table, err));
    }
    SBL_TRY(sbl_data_link(&package->data, tables, table_names, SBL_PACKAGE_TABLES, NULL, err));
done:
    for (size_t t = 0; t < SBL_PACKAGE_TABLES; t++) sbl_data_free(tables[t]);
    return status;
}

sbl_status sbl_package_write(sbl_package **package, const sbl_package_rows *rows, unsigned in, bool lone,
                             sbl_error *err)
{
    sbl_package *made = NULL;
    sbl_status status = SBL_OK;
    *package = NULL;
    SBL_ALLOC(made, 1, "records");
    for (size_t t = 0; t < SBL_PACKAGE_TABLES; t++)
        sbl_text_append(&made->texts[t], headers[t], strlen(headers[t]));
    for (size_t i = 0; i < rows->count; i++) {
        const sbl_package_row *row = &rows->items[i];
        const bool elsewhere = row->table == SBL_PACKAGE_PERSONS && (row->in & ~in) != 0;
        if ((row->in & in) == in && !(lone && elsewhere)) write_row(&made->texts[row->table], row);
    }
    if (rows->failed) SBL_TRY(sbl_no_memory(err, "records"));
    SBL_TRY(link_tables(made, err));
    *package = made;
    made = NULL;
done:
    sbl_package_free(made);
    return status;
}

void sbl_package_free(sbl_package *package)
{
    if (package == NULL) return;
    sbl_data_free(package->data);
    for (size_t t = 0; t < SBL_PACKAGE_TABLES; t++) sbl_text_clear(&package->texts[t]);
    sbl_free(package);
}

sbl_status sbl_package_open(sbl_source **source, const sbl_package *package, const sbl_facts *facts,
                            sbl_error *err)
{
    return sbl_source_open_linked(source, package->data, facts, NULL, NULL, err);
}
