/* Rows of a table in a plain file, and the one statement that copies them into Parquet. */
#include "after/sinks/parquet_table.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "after/sinks/drawn_form.h"
#include "base/alloc.h"
#include "base/duckdb/duckdb_connection.h"
#include "base/file.h"
#include "base/text.h"
#include "public/rows/decimal.h"

/* DuckDB refuses longer lines by default: its own limit, and room for a cell without categories. */
#define USUAL_LINE ((size_t)2000000)
#define CELL_ROOM ((size_t)1024)

struct sbl_parquet_table {
    sbl_engine engine;
    char *path;
    bool overwrite;
    sbl_schema *plain; /* of the file on the way */
    sbl_text missing;  /* what a missing value is there: no cell's text */
};

/* ---- before anything is written ---- */

static sbl_status check_names(const sbl_schema *schema, const char *path, sbl_error *err)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        const sbl_column *column = &schema->columns[i];
        if (!sbl_column_is_drawn(column)) continue;
        for (size_t j = 0; j < i; j++)
            if (sbl_column_is_drawn(&schema->columns[j]) &&
                strcasecmp(schema->columns[j].name, column->name) == 0)
                return sbl_fail(
                    err, SBL_EARG,
                    "%s: in Parquet the columns '%.100s' and '%.100s' would have the same name: write CSV",
                    path, schema->columns[j].name, column->name);
    }
    return SBL_OK;
}

static sbl_status check(sbl_engine *engine, const char *path, const char *library, const sbl_schema *schema,
                        sbl_error *err)
{
    struct stat seen;
    if (stat(path, &seen) == 0 && !S_ISREG(seen.st_mode))
        return sbl_fail(err, SBL_EARG, "%s is not a regular file: write Parquet to a regular file", path);
    SBL_CHECK(sbl_engine_load(engine, library, path, err));
    if (schema != NULL) SBL_CHECK(check_names(schema, path, err));
    return SBL_OK;
}

sbl_status sbl_parquet_table_check(const char *path, const char *engine, const sbl_schema *schema,
                                   sbl_error *err)
{
    sbl_engine loaded = {0};
    return check(&loaded, path, engine, schema, err);
}

/* ---- the plain way ---- */

static sbl_status replace_text(char **text, const char *by, sbl_error *err)
{
    char *copy = NULL;
    const sbl_status status = sbl_copy_text(&copy, by, "a schema", err);
    if (status != SBL_OK) return status;
    sbl_free(*text);
    *text = copy;
    return SBL_OK;
}

/* A category that is a number or a truth value as DuckDB reads one, however the schema writes it. */
static sbl_status make_category_plain(char **category, size_t number, char form, sbl_error *err)
{
    char text[SBL_DOUBLE_TEXT_SIZE];
    double value = 0.0;
    if (form == 'b') return replace_text(category, number == 0 ? "false" : "true", err);
    if (form == 'u') return SBL_OK;
    (void)sbl_decimal_parse(&value, *category, strlen(*category)); /* the form says that it is one */
    if (form == 'l')
        (void)snprintf(text, sizeof text, "%" PRId64, (int64_t)value);
    else
        (void)sbl_double_to_text(text, value);
    return replace_text(category, text, err);
}

static sbl_status make_column_plain(sbl_column *column, const char *missing, sbl_error *err)
{
    const char form = *sbl_arrow_drawn_format(column);
    column->decimal_char = '.';
    column->group_char = 0;
    column->bare = true;
    sbl_free(column->prefix);
    sbl_free(column->suffix);
    column->prefix = column->suffix = NULL;
    sbl_free(column->format);
    column->format = NULL; /* ISO 8601 */
    if (column->kind == SBL_COLUMN_CATEGORY)
        for (size_t i = 0; i < column->categories.count; i++)
            SBL_CHECK(make_category_plain(&column->categories.items[i], i, form, err));
    if (column->missing_allowed) SBL_CHECK(replace_text(&column->missing_values.items[0], missing, err));
    return SBL_OK;
}

/* Does some cell have this text of control characters? What is made up holds none (public/schema/role.h). */
static bool is_some_cell(const sbl_schema *schema, const char *text)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (sbl_strings_contain(&schema->columns[i].categories, text)) return true;
    return false;
}

static sbl_status make_plain(sbl_parquet_table *table, const sbl_schema *schema, sbl_error *err)
{
    do {
        sbl_text_append(&table->missing, "\x01", 1);
        SBL_CHECK(sbl_text_check(&table->missing, "a schema", err));
    } while (is_some_cell(schema, table->missing.data));
    SBL_CHECK(sbl_schema_copy(&table->plain, schema, err));
    table->plain->dialect = SBL_DIALECT_USUAL;
    table->plain->dialect.header = false;
    for (size_t i = 0; i < table->plain->column_count; i++)
        SBL_CHECK(make_column_plain(&table->plain->columns[i], table->missing.data, err));
    return SBL_OK;
}

sbl_status sbl_parquet_table_new(sbl_parquet_table **table, const char *path, const char *engine,
                                 const sbl_schema *schema, bool overwrite, sbl_error *err)
{
    sbl_parquet_table *made = NULL;
    sbl_status status = SBL_OK;
    *table = NULL;
    SBL_ALLOC(made, 1, path);
    made->overwrite = overwrite;
    SBL_TRY(check(&made->engine, path, engine, schema, err));
    SBL_TRY(sbl_copy_text(&made->path, path, path, err));
    SBL_TRY(make_plain(made, schema, err));
    *table = made;
    made = NULL;
done:
    sbl_parquet_table_free(made);
    return status;
}

void sbl_parquet_table_free(sbl_parquet_table *table)
{
    if (table == NULL) return;
    sbl_schema_free(table->plain);
    sbl_text_clear(&table->missing);
    sbl_free(table->path);
    sbl_free(table);
}

const sbl_schema *sbl_parquet_table_schema(const sbl_parquet_table *table) { return table->plain; }

/* ---- from one file into the other ---- */

static const char *type_of(const sbl_column *column)
{
    const char *format = sbl_arrow_drawn_format(column);
    switch (*format) {
    case 'l':
        return "BIGINT";
    case 'g':
        return "DOUBLE";
    case 'b':
        return "BOOLEAN";
    case 't':
        if (format[1] == 'd') return "DATE";
        return column->utc ? "TIMESTAMPTZ" : "TIMESTAMP";
    default:
        return "VARCHAR";
    }
}

/* More than the longest line has bytes: every quote may be doubled. */
static size_t longest_line(const sbl_schema *schema)
{
    size_t all = USUAL_LINE;
    for (size_t i = 0; i < schema->column_count; i++) {
        const sbl_column *column = &schema->columns[i];
        size_t most = column->made_as != NULL ? strlen(column->made_as) : 0;
        for (size_t j = 0; j < column->categories.count; j++) {
            const size_t length = strlen(column->categories.items[j]);
            if (length > most) most = length;
        }
        all += 2 * most + CELL_ROOM; /* schemas are files of limited size */
    }
    return all;
}

/* May DuckDB begin anywhere in the file and know at the next line break that a row ends? Only then does it let go of what
 * it has read; a cell with a line break must be read from the beginning, and all of the file stays in memory. */
static bool lines_are_rows(const sbl_schema *schema)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        const sbl_strings *cells = &schema->columns[i].categories;
        for (size_t j = 0; j < cells->count; j++)
            if (strpbrk(cells->items[j], "\r\n") != NULL) return false;
    }
    return true;
}

/* COPY (SELECT c0 AS "age", ... FROM read_csv(...)) TO ...: all is said, so that nothing is guessed from rows. */
static sbl_status write_statement(sbl_text *sql, const sbl_parquet_table *table, const char *from,
                                  const char *to, sbl_error *err)
{
    const sbl_schema *schema = table->plain;
    const char *between = "";
    sbl_text_printf(sql, "COPY (SELECT ");
    for (size_t i = 0; i < schema->column_count; i++) {
        if (!sbl_column_is_drawn(&schema->columns[i])) continue;
        sbl_text_printf(sql, "%sc%zu AS ", between, i);
        sbl_sql_quote(sql, schema->columns[i].name, '"');
        between = ", ";
    }
    sbl_text_printf(sql, " FROM read_csv(");
    sbl_engine_append_file(sql, from);
    sbl_text_printf(sql, ", columns = {");
    between = "";
    for (size_t i = 0; i < schema->column_count; i++) {
        if (!sbl_column_is_drawn(&schema->columns[i])) continue;
        sbl_text_printf(sql, "%s'c%zu': '%s'", between, i, type_of(&schema->columns[i]));
        between = ", ";
    }
    sbl_text_printf(sql, "}, nullstr = ");
    sbl_sql_quote(sql, table->missing.data, '\'');
    sbl_text_printf(sql,
                    ", auto_detect = false, header = false, delim = ',', quote = '\"', escape = "
                    "'\"', new_line = '\\n', compression = 'none', hive_partitioning = false, "
                    "parallel = %s, max_line_size = %zu)) TO ",
                    lines_are_rows(schema) ? "true" : "false", longest_line(schema));
    sbl_sql_quote(sql, to, '\'');
    sbl_text_printf(sql, " (FORMAT parquet, USE_TMP_FILE false)");
    return sbl_text_check(sql, "a statement", err);
}

static sbl_status copy_rows(const sbl_parquet_table *table, const char *from, const char *to, sbl_error *err)
{
    const char *const paths[] = {from, to};
    char full[2][PATH_MAX];
    const char *const files[] = {full[0], full[1]};
    sbl_text sql = {0};
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < 2; i++)
        if (realpath(paths[i], full[i]) == NULL)
            return sbl_fail(err, SBL_EIO, "%s: the file was removed, or its name is too long", paths[i]);
    SBL_TRY(write_statement(&sql, table, files[0], files[1], err));
    SBL_TRY(sbl_engine_run_alone(&table->engine, files, 2, sql.data, table->path, err));
done:
    sbl_text_clear(&sql);
    return status;
}

sbl_status sbl_parquet_table_finish(sbl_parquet_table *table, sbl_table_writer *writer, sbl_error *err)
{
    const sbl_file_write_options options = {.mode = 0644, .overwrite = table->overwrite};
    sbl_pending_file rows, made;
    sbl_status status = sbl_table_hand_over(writer, &rows, err);
    if (status != SBL_OK) return status;
    status = sbl_file_begin(&made, table->path, options, err);
    if (status != SBL_OK) goto done;
    status = copy_rows(table, rows.temporary.data, made.temporary.data, err);
    if (status == SBL_OK)
        status = sbl_file_commit(&made, err);
    else
        sbl_file_discard(&made);
done:
    sbl_file_discard(&rows);
    return status;
}
