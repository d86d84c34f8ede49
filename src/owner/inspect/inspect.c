/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the beginning of a text file for encoding and dialect (sniff.c), then the whole table, cell by cell, into
 * one summary per column. The result is a schema with notes and proposals for the owner. NOT PRIVATE
 * throughout: bounds and categories are read from the records. */
#include "owner/inspect/inspect.h"

#include <string.h>

#include "base/alloc.h"
#include "owner/inspect/inspect_column.h"

#define MOST_COLUMNS 32768

/* A table at work. */
typedef struct inspection {
    sbl_dialect dialect;
    const sbl_data_options *given;
    sbl_inspect_epsilon epsilon_of;
    bool linked; /* it is one of several tables: keys say whose row it is, and rules are found later */
    const char *parent_key; /* of a linked table: the column that names its parent's row; NULL: none */
    const char *key;        /* and the one that names its own rows */
    sbl_column styles[SBL_INSPECT_STYLES]; /* of numbers */
    sbl_inspect_column *columns;
    size_t count;
    uint64_t rows;
} inspection;

/* A column without a name is called by its number. */
static sbl_status add_columns(inspection *g, const sbl_strings *names, sbl_error *err)
{
    sbl_text made = {0};
    sbl_status status = SBL_OK;
    SBL_ALLOC(g->columns, names->count, "a schema");
    for (; g->count < names->count; g->count++) {
        sbl_inspect_column *column = &g->columns[g->count];
        const char *name = names->items[g->count];
        sbl_text_clear(&made);
        sbl_text_printf(&made, "column_%zu", g->count + 1);
        SBL_TRY(sbl_text_check(&made, "a schema", err));
        const char *given = name[0] != '\0' ? name : made.data;
        if (!sbl_inspect_column_init(column, given, strlen(given), g->styles))
            SBL_TRY(sbl_no_memory(err, "a schema"));
        column->unnamed = g->dialect.header && name[0] == '\0';
    }
done:
    sbl_text_clear(&made);
    return status;
}

/* All cells of the table, each to its column. */
static sbl_status read_all(inspection *g, const sbl_table *table, sbl_error *err)
{
    char own[SBL_CELL_OWN_TEXT];
    sbl_cell_reader row = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_cell_reader_open(&row, table, &g->dialect, err));
    if (row.names.count > MOST_COLUMNS)
        SBL_FAIL(err, SBL_EMEM, "%s has too many columns to inspect: remove some", table->name);
    SBL_TRY(add_columns(g, &row.names, err));
    for (bool more = true;;) {
        SBL_TRY(sbl_cell_reader_next(&row, &more, err));
        if (!more) break;
        for (size_t i = 0; i < g->count; i++) {
            size_t length;
            const char *text = sbl_cell_text(&length, own, &row.cells[i]);
            if (text != NULL) sbl_inspect_column_take(&g->columns[i], text, length);
        }
        g->rows++;
    }
done:
    sbl_wipe(own, sizeof own);
    sbl_cell_reader_close(&row);
    return status;
}

/* What is said of the file and not of a column. */
static void note_file(sbl_text *notes, const inspection *g)
{
    const unsigned line = g->dialect.titles + 1;
    if (g->dialect.titles > 0)
        sbl_text_printf(notes, "the column names are in line %u: the lines above are skipped\n", line);
    if (!g->dialect.header && g->given->header == NULL)
        sbl_text_printf(notes,
                        "line 1 is not a header: cells of it are numbers, dates or empty, so that the "
                        "columns are called column_1 to column_%zu; where it is one, set "
                        "dialect.header to true and name the columns as it does\n",
                        g->count);
    for (size_t i = 0; i < g->count; i++)
        if (g->columns[i].unnamed)
            sbl_text_printf(notes, "column %zu has no name in the header: left out\n", i + 1);
}

/* Which columns of the draft may order rows, as far as the look of their values goes. */
static sbl_status find_orders(bool *orders, const inspection *g, sbl_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->count; i++) {
        const sbl_inspect_column *column = &g->columns[i];
        sbl_inspect_shape shape = {0};
        if (column->unnamed) continue;
        if (column->kind == SBL_INSPECT_NUMBERS) SBL_CHECK(sbl_inspect_shape_of(&shape, column, err));
        orders[kept++] = column->kind == SBL_INSPECT_MOMENTS ||
                         (column->kind == SBL_INSPECT_NUMBERS && shape.spike_count == 0);
    }
    return SBL_OK;
}

/* What is a person's, of a table whose column `unit` says whose row it is. */
static sbl_status propose_persons(sbl_schema_writer *writer, sbl_text *notes, const inspection *g,
                                  const bool *named, sbl_schema *schema, size_t unit, const sbl_table *table,
                                  sbl_error *err)
{
    bool *orders = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(orders, schema->column_count, "a schema");
    SBL_TRY(find_orders(orders, g, err));
    schema->unit = unit;
    schema->rows_per_unit = 1;
    schema->columns[unit].kind = SBL_COLUMN_IGNORED;
    SBL_TRY(sbl_inspect_persons_propose(writer, notes, table, schema, named, orders, g->rows, err));
done:
    sbl_free(orders);
    return status;
}

/* Observes the drafted columns, row by row. named: for all columns of the table. A table that cannot be read with
 * its schema is not observed. */
static sbl_status propose_rest(sbl_schema_writer *writer, sbl_text *notes, const inspection *g, bool *named,
                               size_t unit, const sbl_table *table, sbl_error *err)
{
    sbl_schema *schema = NULL;
    size_t kept = 0;
    size_t own = SBL_NO_COLUMN;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < g->count; i++) {
        if (g->columns[i].unnamed) continue;
        if (i == unit) own = kept;
        named[kept++] = named[i];
    }
    SBL_TRY(sbl_schema_writer_finish(NULL, &schema, writer, table->name, err));
    if (own != SBL_NO_COLUMN) status = propose_persons(writer, notes, g, named, schema, own, table, err);
    if (status == SBL_OK) status = sbl_inspect_by_propose(writer, table, schema, named, err);
    if (status == SBL_OK && !g->linked) status = sbl_inspect_rules_propose(writer, table, schema, named, err);
    if (status == SBL_EINPUT) status = SBL_OK;
done:
    sbl_schema_free(schema);
    return status;
}

/* The column of that name; count: none, or the name is NULL. */
static size_t find_named(const inspection *g, const char *name)
{
    size_t column = 0;
    while (column < g->count && (name == NULL || strcmp(g->columns[column].name, name) != 0)) column++;
    return column;
}

/* Titles, labels and user-missing values that the file has apart from rows. */
static sbl_status describe_all(sbl_schema_writer *writer, const sbl_table *table, sbl_error *err)
{
    json_t *columns = NULL;
    sbl_status status = SBL_OK;
    if (table->format->describe == NULL) return SBL_OK;
    SBL_TRY(table->format->describe(&columns, table, err));
    for (size_t i = 0; i < json_array_size(columns); i++)
        SBL_TRY(sbl_schema_writer_describe(writer, json_array_get(columns, i), err));
done:
    json_decref(columns);
    return status;
}

static sbl_status draft_all(char **text, sbl_text *notes, inspection *g, const sbl_table *table,
                            sbl_error *err)
{
    sbl_schema_writer *writer = NULL;
    bool *named = NULL;
    size_t unit;
    sbl_status status = SBL_OK;
    SBL_ALLOC(named, g->count, "a schema");
    for (size_t i = 0; i < g->count; i++) {
        sbl_inspect_column_decide(&g->columns[i], g->rows, g->dialect.delimiter == ',');
        if (g->columns[i].failed) SBL_TRY(sbl_no_memory(err, "a schema"));
    }
    SBL_TRY(sbl_schema_writer_new(&writer, NULL, 0, err));
    sbl_schema_writer_dialect(writer, &g->dialect);
    note_file(notes, g);
    for (size_t i = 0; i < g->count; i++)
        if (!g->columns[i].unnamed) SBL_TRY(sbl_inspect_column_write(&g->columns[i], writer, notes, err));
    SBL_TRY(describe_all(writer, table, err));
    const sbl_inspect_place place = {table, &g->dialect, g->rows, g->epsilon_of, g->given->person};
    SBL_TRY(sbl_inspect_ids_propose(writer, g->columns, g->count, &place, named, &unit, notes, err));
    if (g->linked) unit = find_named(g, g->parent_key);
    const size_t key = find_named(g, g->key);
    if (g->linked && key < g->count) named[key] = true;
    SBL_TRY(sbl_inspect_names_propose(writer, g->columns, g->count, named, err));
    SBL_TRY(sbl_inspect_hierarchy_propose(writer, g->columns, g->count, named, err));
    SBL_TRY(propose_rest(writer, notes, g, named, unit, table, err));
    SBL_TRY(sbl_schema_writer_set(
        writer, "origin",
        json_pack("{s:s, s:s, s:s*}", "how", "inspected: read from the table by semblance schema inspect",
                  "NOT PRIVATE",
                  "bounds and categories were read from the records; using this schema makes them "
                  "public: replace them with public knowledge",
                  "person", unit < g->count ? g->columns[unit].name : NULL),
        err));
    SBL_TRY(sbl_schema_writer_finish(text, NULL, writer, table->name, err));
done:
    sbl_schema_writer_free(writer);
    sbl_free(named);
    return status;
}

static sbl_status inspect(char **text, sbl_text *notes, const sbl_table *table, inspection *g, sbl_error *err)
{
    const sbl_data_options *given = g->given;
    sbl_written written = SBL_WRITTEN_USUALLY;
    sbl_status status = SBL_OK;
    *text = NULL;
    if (!table->can_rewind)
        return sbl_fail(err, SBL_EARG, "inspecting reads the table twice: give a file, not a stream");
    /* Signs that contradict each other are refused before a file is opened. */
    if (given->decimal != NULL && given->thousands != NULL) SBL_TRY(sbl_written_apply(&written, given, err));
    sbl_inspect_styles(g->styles, given);
    g->dialect = SBL_DIALECT_USUAL;
    if (table->format->sniff != NULL) SBL_TRY(table->format->sniff(&g->dialect, table, given, err));
    SBL_TRY(read_all(g, table, err));
    if (g->rows == 0) SBL_FAIL(err, SBL_EINPUT, "%s has no rows to inspect", table->name);
    SBL_TRY(draft_all(text, notes, g, table, err));
done:
    for (size_t i = 0; i < g->count; i++) sbl_inspect_column_clear(&g->columns[i]);
    sbl_free(g->columns);
    return status;
}

sbl_status sbl_table_inspect(char **text, sbl_text *notes, const sbl_table *table,
                             const sbl_data_options *given, sbl_inspect_epsilon epsilon_of, sbl_error *err)
{
    inspection g = {.given = given, .epsilon_of = epsilon_of};
    return inspect(text, notes, table, &g, err);
}

sbl_status sbl_table_inspect_linked(char **text, sbl_text *notes, const sbl_table *table,
                                    const sbl_data_options *given, const char *parent_key, const char *key,
                                    sbl_error *err)
{
    inspection g = {.given = given, .linked = true, .parent_key = parent_key, .key = key};
    return inspect(text, notes, table, &g, err);
}
