/* SPDX-License-Identifier: Apache-2.0 */
/* Several files of one table as a format of tables (records/rows/table.h). Every file is a handle of its
 * own, of any format. Before the first row, the columns of all files are compared, because the names in
 * headers are public. Names in records (JSON) are not looked at: the names of the schema are looked for. No
 * file may change between two readings. */
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/text.h"
#include "records/source/data_handle.h"
#include "records/source/file_list.h"
#include "records/source/source.h"

typedef struct file_list {
    sbl_data **files;      /* (count) */
    sbl_file_stamp *looks; /* (count): at the first reading */
    size_t count;
    bool seen; /* there was a first reading */
} file_list;

/* ---- the list ---- */

bool sbl_path_is_list(const char *path)
{
    struct stat seen;
    return strchr(path, ',') != NULL && stat(path, &seen) != 0;
}

static void drop_list(void *state)
{
    file_list *list = state;
    if (list == NULL) return;
    for (size_t i = 0; i < list->count; i++) sbl_data_free(list->files[i]);
    sbl_free(list->files);
    sbl_free(list->looks);
    sbl_free(list);
}

/* Is it one of those before it, by whatever name? */
static sbl_status check_file(const file_list *list, const char *path, sbl_error *err)
{
    struct stat seen, other;
    if (sbl_path_is_stream(path))
        return sbl_fail(err, SBL_EARG, "%s is a stream: a list can name only files", path);
    if (stat(path, &seen) != 0) return SBL_OK; /* a pattern, or there is none: opening it tells */
    for (size_t i = 0; i < list->count; i++)
        if (stat(list->files[i]->path, &other) == 0 && seen.st_dev == other.st_dev &&
            seen.st_ino == other.st_ino)
            return sbl_fail(err, SBL_EARG, "%s is in the list of files twice: remove one", path);
    return SBL_OK;
}

static sbl_status add_file(file_list *list, sbl_text *places, const char *path,
                           const sbl_data_options *options, sbl_data_opener open_one, sbl_error *err)
{
    sbl_data_options own = *options;
    if (path[0] == '\0') return sbl_fail(err, SBL_EARG, "a name in the list of files is empty");
    SBL_CHECK(check_file(list, path, err));
    own.name = NULL;
    SBL_CHECK(open_one(&list->files[list->count], path, &own, err));
    sbl_text_printf(places, "%s%s", list->count > 0 ? "," : "", list->files[list->count]->path);
    list->count++;
    return SBL_OK;
}

static size_t count_files(const char *path)
{
    size_t count = 1;
    for (; *path != '\0'; path++) count += *path == ',';
    return count;
}

sbl_status sbl_file_list_new(void **state, char **places, const char *path, const sbl_data_options *options,
                             sbl_data_opener open_one, sbl_error *err)
{
    file_list *made = NULL;
    sbl_text joined = {0};
    char *names = NULL;
    sbl_status status = SBL_OK;
    *state = NULL;
    *places = NULL;
    SBL_TRY(sbl_copy_text(&names, path, "a list of files", err));
    SBL_ALLOC(made, 1, "a list of files");
    SBL_ALLOC(made->files, count_files(path), "a list of files");
    SBL_ALLOC(made->looks, count_files(path), "a list of files");
    for (char *at = names; at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) *comma = '\0';
        SBL_TRY(add_file(made, &joined, at, options, open_one, err));
        at = comma != NULL ? comma + 1 : NULL;
    }
    SBL_TRY(sbl_text_check(&joined, "a list of files", err));
    *places = joined.data;
    joined = (sbl_text){0};
    *state = made;
    made = NULL;
done:
    sbl_text_clear(&joined);
    sbl_free(names);
    drop_list(made);
    return status;
}

/* Are all files what they were at the first reading? */
static sbl_status look_again(file_list *list, sbl_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->seen && !sbl_file_stamp_equal(&list->looks[i], list->files[i]->path))
            return sbl_source_has_changed(list->files[i]->name, err);
        if (!list->seen) list->looks[i] = sbl_file_stamp_read(list->files[i]->path);
    }
    list->seen = true;
    return SBL_OK;
}

/* ---- a reading ---- */

typedef struct list_reading {
    file_list *list;
    size_t at;    /* the file at hand */
    size_t first; /* with a header: others have its columns; list->count: there is none */
    /* Rows. */
    const sbl_schema *schema;
    sbl_table_options options;
    sbl_rows *rows; /* NULL: not opened yet, or all are over */
    /* Cells. */
    sbl_dialect dialect;
    sbl_strings names;     /* of the first file */
    sbl_cell_reader cells; /* of the file at hand */
    size_t *columns;       /* (names.count): where its columns are */
} list_reading;

static void close_list(void *reading)
{
    list_reading *r = reading;
    if (r == NULL) return;
    sbl_rows_close(r->rows);
    sbl_cell_reader_close(&r->cells);
    sbl_strings_clear(&r->names);
    sbl_free(r->columns);
    sbl_free(r);
}

static size_t find_name(const sbl_strings *names, const char *name)
{
    size_t i = 0;
    while (i < names->count && strcmp(names->items[i], name) != 0) i++;
    return i;
}

/* A column that a file lacks. Its name is reported only if the schema has it: the header line may be a
 * record. */
static sbl_status fail_missing(const list_reading *r, size_t column, sbl_error *err)
{
    const char *file = r->list->files[r->at]->name, *first = r->list->files[r->first]->name;
    const char *name = r->names.items[column];
    for (size_t i = 0; r->schema != NULL && i < r->schema->column_count; i++)
        if (strcmp(r->schema->columns[i].name, name) == 0)
            return sbl_fail(err, SBL_EINPUT, "%s has no column '%.100s', which %s has", file, name, first);
    return sbl_fail(err, SBL_EINPUT, "%s does not have the columns of %s: column %zu is missing", file, first,
                    column + 1);
}

/* The cells of file number `at`, which has the columns of the first one. */
static sbl_status open_file(list_reading *r, sbl_error *err)
{
    const sbl_data *file = r->list->files[r->at];
    sbl_cell_reader_close(&r->cells);
    const sbl_status status = sbl_cell_reader_open(&r->cells, &file->table, &r->dialect, err);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < r->names.count; i++) {
        r->columns[i] = find_name(&r->cells.names, r->names.items[i]);
        if (r->columns[i] == r->cells.names.count) return fail_missing(r, i, err);
    }
    return r->cells.names.count == r->names.count ? SBL_OK
                                                  : sbl_fail(err, SBL_EINPUT, "%s has more columns than %s",
                                                             file->name, r->list->files[r->first]->name);
}

static bool has_header(const list_reading *r, size_t file)
{
    return !r->list->files[file]->table.format->names_in_records;
}

/* What to compare headers with. A reading of cells takes the columns of all files from it. */
static sbl_status find_first(list_reading *r, sbl_error *err)
{
    for (size_t i = 0; i < r->list->count && r->schema == NULL; i++)
        if (!has_header(r, i))
            return sbl_fail(err, SBL_EARG, "%s has no header: a list of files without headers needs a schema",
                            r->list->files[i]->name);
    while (r->first < r->list->count && !has_header(r, r->first)) r->first++;
    return SBL_OK;
}

static sbl_status read_names(list_reading *r, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_cell_reader_open(&r->cells, &r->list->files[r->first]->table, &r->dialect, err));
    r->names = r->cells.names;
    r->cells.names = (sbl_strings){0};
    sbl_cell_reader_close(&r->cells);
    SBL_ALLOC(r->columns, r->names.count, "a list of files");
done:
    return status;
}

/* Ends with the first file open. */
static sbl_status compare_headers(list_reading *r, sbl_error *err)
{
    if (r->first == r->list->count) return SBL_OK;
    SBL_CHECK(read_names(r, err));
    for (r->at = r->list->count; r->at-- > 0;)
        if (has_header(r, r->at)) SBL_CHECK(open_file(r, err));
    return SBL_OK;
}

static sbl_status begin(list_reading **reading, const sbl_table *table, const sbl_dialect *dialect,
                        const sbl_schema *schema, sbl_error *err)
{
    list_reading *made = NULL;
    sbl_status status = SBL_OK;
    *reading = NULL;
    SBL_ALLOC(made, 1, table->name);
    made->list = table->state;
    made->dialect = *dialect;
    made->schema = schema;
    SBL_TRY(look_again(made->list, err));
    SBL_TRY(find_first(made, err));
    if (schema == NULL || (dialect->header && dialect->titles == 0)) SBL_TRY(compare_headers(made, err));
    made->at = 0;
    *reading = made;
    made = NULL;
done:
    close_list(made);
    return status;
}

/* ---- cells ---- */

static sbl_status copy_names(sbl_strings *names, const sbl_strings *from, sbl_error *err)
{
    if (!sbl_strings_reserve(names, from->count)) return sbl_no_memory(err, "a list of files");
    for (size_t i = 0; i < from->count; i++)
        if (!sbl_strings_add(names, from->items[i])) return sbl_no_memory(err, "a list of files");
    return SBL_OK;
}

static sbl_status open_cells(void **reading, const sbl_table *table, const sbl_dialect *dialect,
                             sbl_strings *names, sbl_error *err)
{
    list_reading *made = NULL;
    sbl_status status = SBL_OK;
    *reading = NULL;
    SBL_TRY(begin(&made, table, dialect, NULL, err));
    SBL_TRY(copy_names(names, &made->names, err));
    *reading = made;
    made = NULL;
done:
    close_list(made);
    return status;
}

static sbl_status next_cells(void *reading, sbl_cell *cells, bool *more, sbl_error *err)
{
    list_reading *r = reading;
    for (;;) {
        SBL_CHECK(sbl_cell_reader_next(&r->cells, more, err));
        if (*more || r->at + 1 == r->list->count) break;
        r->at++;
        SBL_CHECK(open_file(r, err));
    }
    if (!*more) return look_again(r->list, err);
    for (size_t i = 0; i < r->names.count; i++) cells[i] = r->cells.cells[r->columns[i]];
    return SBL_OK;
}

/* ---- rows ---- */

static sbl_status open_rows(void **reading, const sbl_table *table, const sbl_schema *schema,
                            const sbl_table_options *options, sbl_error *err)
{
    list_reading *made = NULL;
    sbl_status status = SBL_OK;
    *reading = NULL;
    SBL_TRY(begin(&made, table, &schema->dialect, schema, err));
    sbl_cell_reader_close(&made->cells);
    made->options = *options;
    SBL_TRY(sbl_rows_open(&made->rows, &made->list->files[0]->table, schema, &made->options, err));
    made->options.extra_column = NULL; /* told once */
    *reading = made;
    made = NULL;
done:
    close_list(made);
    return status;
}

static sbl_status read_rows(void *reading, sbl_batch *batch, sbl_error *err)
{
    list_reading *r = reading;
    sbl_status status = SBL_OK;
    for (;;) {
        SBL_TRY(sbl_rows_read(r->rows, batch, err));
        if (batch->rows > 0 || r->at + 1 == r->list->count) break;
        sbl_rows_close(r->rows);
        r->rows = NULL;
        r->at++;
        SBL_TRY(sbl_rows_open(&r->rows, &r->list->files[r->at]->table, r->schema, &r->options, err));
    }
    if (batch->rows == 0) SBL_TRY(look_again(r->list, err));
done:
    if (status != SBL_OK) batch->rows = 0;
    return status;
}

/* ---- their number ---- */

static sbl_status count_rows(uint64_t *rows, const sbl_table *table, const sbl_dialect *dialect,
                             const sbl_schema *schema, sbl_error *err)
{
    list_reading *reading = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(begin(&reading, table, dialect, schema, err));
    for (size_t i = 0; i < reading->list->count; i++) {
        const sbl_table *file = &reading->list->files[i]->table;
        uint64_t own = 0;
        SBL_TRY(schema != NULL ? sbl_rows_count(&own, file, schema, err)
                               : sbl_cell_reader_count(&own, file, dialect, err));
        *rows += own;
    }
    SBL_TRY(look_again(reading->list, err));
done:
    close_list(reading);
    return status;
}

/* As the first file is. */
static sbl_status sniff(sbl_dialect *dialect, const sbl_table *table, const sbl_data_options *given,
                        sbl_error *err)
{
    const file_list *list = table->state;
    const sbl_table *first = &list->files[0]->table;
    return first->format->sniff != NULL ? first->format->sniff(dialect, first, given, err) : SBL_OK;
}

const sbl_format sbl_list_format = {.open = open_cells,
                                    .next = next_cells,
                                    .close = close_list,
                                    .count = count_rows,
                                    .open_rows = open_rows,
                                    .read_rows = read_rows,
                                    .close_rows = close_list,
                                    .sniff = sniff,
                                    .drop = drop_list,
                                    .is_text = true};
