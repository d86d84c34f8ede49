/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for SPSS and Stata: kept as numbers and texts, then written by ReadStat. */
#include "after/sinks/statistics_table.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "after/sinks/drawn_form.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/readstat/readstat_library.h"
#include "public/rows/decimal.h"
#include "public/schema/file_facts.h"

#define SPSS_EPOCH 141428.0 /* days from 1582-10-14 to 1970-01-01 */
#define STATA_EPOCH 3653.0  /* days from 1960-01-01 */
#define DAY 86400.0
#define MOST_TEXT ((size_t)2045) /* bytes of a text in Stata */
#define FLUSH_SIZE ((size_t)64 << 10)

/* A column of the file. */
typedef struct kept_column {
    size_t index; /* in the schema */
    const sbl_column *facts;
    bool is_text;         /* made cells */
    size_t width;         /* bytes of the longest */
    bool labelled;        /* categories with codes */
    sbl_file_code *codes; /* (categories), of this format; NULL: not labelled */
    double *values;       /* (categories) that are numbers; NULL: none */
    readstat_variable_t *variable;
} kept_column;

struct sbl_statistics_table {
    sbl_readstat library;
    bool stata;
    char *path;
    sbl_table_write_options options;
    kept_column *columns;
    size_t count;
    bool keeping; /* `rows` is begun */
    sbl_pending_file rows;
    sbl_text buffer;
    uint64_t written;
    sbl_text made;     /* the cell of a made column */
    sbl_error *failed; /* while the file is written: where to say why */
    int descriptor;
};

void sbl_statistics_table_free(sbl_statistics_table *table)
{
    if (table == NULL) return;
    if (table->keeping) sbl_file_discard(&table->rows);
    for (size_t i = 0; table->columns != NULL && i < table->count; i++) {
        sbl_free(table->columns[i].codes);
        sbl_free(table->columns[i].values);
    }
    sbl_free(table->columns);
    sbl_text_clear(&table->buffer);
    sbl_text_clear(&table->made);
    sbl_free(table->path);
    sbl_free(table);
}

/* ---- columns ---- */

/* A tag has no place in SPSS: a number above all others, which counts as missing there. */
static void replace_tags(sbl_file_code *codes, size_t count)
{
    double last = 0;
    for (size_t i = 0; i < count; i++)
        if (codes[i].tag == '\0' && codes[i].number > last) last = codes[i].number;
    for (size_t i = 0; i < count; i++)
        if (codes[i].tag != '\0') codes[i].number = last = floor(last) + 1;
}

static bool are_whole(const sbl_file_code *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (codes[i].tag == '\0' &&
            (fabs(codes[i].number) > 2e9 || codes[i].number != floor(codes[i].number)))
            return false;
    return true;
}

static sbl_status choose_codes(kept_column *column, bool stata, const char *path, sbl_error *err)
{
    const sbl_column *facts = column->facts;
    const size_t count = facts->categories.count;
    const bool declared = facts->file != NULL && facts->file->codes != NULL;
    const bool boolean = facts->type == SBL_TYPE_BOOLEAN;
    sbl_status status = SBL_OK;
    SBL_ALLOC(column->codes, count, path);
    for (size_t i = 0; i < count; i++)
        column->codes[i] =
            declared ? facts->file->codes[i] : (sbl_file_code){(double)(boolean ? i : i + 1), '\0'};
    if (stata && !are_whole(column->codes, count)) /* labels belong to whole numbers there */
        for (size_t i = 0; i < count; i++) column->codes[i] = (sbl_file_code){(double)(i + 1), '\0'};
    if (!stata) replace_tags(column->codes, count);
    column->labelled = true;
done:
    return status;
}

static sbl_status add_column(sbl_statistics_table *table, const sbl_schema *schema, size_t index,
                             sbl_error *err)
{
    kept_column *column = &table->columns[table->count++];
    const sbl_column *facts = &schema->columns[index];
    const sbl_drawn_form form = sbl_drawn_form_of(facts);
    sbl_status status = SBL_OK;
    *column = (kept_column){.index = index, .facts = facts, .width = 1};
    column->is_text = facts->kind == SBL_COLUMN_IGNORED;
    if (facts->kind != SBL_COLUMN_CATEGORY) goto done;
    if (form == SBL_DRAWN_TEXT || form == SBL_DRAWN_BOOL ||
        (facts->file != NULL && facts->file->codes != NULL)) {
        SBL_TRY(choose_codes(column, table->stata, table->path, err));
    } else {
        SBL_ALLOC(column->values, facts->categories.count, table->path);
        for (size_t i = 0; i < facts->categories.count; i++)
            (void)sbl_decimal_parse(&column->values[i], facts->categories.items[i],
                                    strlen(facts->categories.items[i]));
    }
done:
    return status;
}

static sbl_status make_table(sbl_statistics_table **table, const char *path, const sbl_schema *schema,
                             sbl_table_write_options options, sbl_error *err)
{
    sbl_statistics_table *made = NULL;
    sbl_status status = SBL_OK;
    *table = NULL;
    SBL_ALLOC(made, 1, path);
    made->options = options;
    made->stata = sbl_path_statistics(path) == SBL_STATISTICS_STATA;
    SBL_TRY(sbl_copy_text(&made->path, path, path, err));
    status = sbl_readstat_open(&made->library, path, err);
    if (status != SBL_OK)
        SBL_FAIL(err, SBL_EARG,
                 "%s: writing it needs the library ReadStat, on Debian the package "
                 "libreadstat1; without it write CSV",
                 path);
    SBL_ALLOC(made->columns, schema != NULL ? schema->column_count : 0, path);
    for (size_t i = 0; schema != NULL && i < schema->column_count; i++)
        if (sbl_column_is_drawn(&schema->columns[i])) SBL_TRY(add_column(made, schema, i, err));
    *table = made;
    made = NULL;
done:
    sbl_statistics_table_free(made);
    return status;
}

/* ---- the head of the file ---- */

static const char *format_of(const kept_column *column, bool stata)
{
    switch (column->facts->kind) {
    case SBL_COLUMN_DATE:
        return stata ? "%td" : "SDATE10";
    case SBL_COLUMN_DATETIME:
        return stata ? "%tc" : "DATETIME20";
    default:
        return column->facts->type == SBL_TYPE_TIME && !stata && column->facts->kind == SBL_COLUMN_NUMBER
                   ? "TIME8"
                   : NULL;
    }
}

static void add_labels(sbl_statistics_table *table, kept_column *column, readstat_writer_t *writer,
                       size_t number)
{
    const sbl_readstat *library = &table->library;
    char name[32];
    (void)snprintf(name, sizeof name, "labels%zu", number);
    readstat_label_set_t *set =
        library->add_label_set(writer, table->stata ? READSTAT_TYPE_INT32 : READSTAT_TYPE_DOUBLE, name);
    for (size_t i = 0; i < column->facts->categories.count; i++) {
        const sbl_file_code *code = &column->codes[i];
        const char *text = column->facts->categories.items[i];
        if (table->stata && code->tag != '\0')
            library->label_tagged_value(set, code->tag, text);
        else if (table->stata)
            library->label_int32_value(set, (int32_t)code->number, text);
        else
            library->label_double_value(set, code->number, text);
    }
    library->variable_set_label_set(column->variable, set);
}

/* SPSS has at most three values that count as missing, or a range and a value. */
static void add_missing(const sbl_statistics_table *table, const kept_column *column)
{
    const sbl_readstat *library = &table->library;
    const struct sbl_file_facts *file = column->facts->file;
    size_t room = SBL_USER_MISSING_MOST;
    for (size_t i = 0; file != NULL && i < file->missing_count && room > 0; i++) {
        const sbl_file_range *range = &file->missing[i];
        if (range->low == range->high) {
            (void)library->variable_add_missing_double_value(column->variable, range->low);
            room--;
        } else if (room >= 2) {
            (void)library->variable_add_missing_double_range(column->variable, range->low, range->high);
            room -= 2;
        }
    }
    for (size_t i = 0; column->labelled && i < column->facts->categories.count && room > 0; i++)
        if (column->codes[i].tag != '\0') {
            (void)library->variable_add_missing_double_value(column->variable, column->codes[i].number);
            room--;
        }
}

static readstat_type_t type_of(const sbl_statistics_table *table, const kept_column *column)
{
    if (column->is_text) return READSTAT_TYPE_STRING;
    return column->labelled && table->stata ? READSTAT_TYPE_INT32 : READSTAT_TYPE_DOUBLE;
}

static ssize_t put_bytes(const void *bytes, size_t size, void *context)
{
    sbl_statistics_table *table = context;
    if (table->descriptor < 0) return (ssize_t)size; /* only tried */
    return sbl_write_all(table->descriptor, bytes, size, table->path, table->failed) == SBL_OK ? (ssize_t)size
                                                                                               : -1;
}

/* Columns, labels and the beginning of the file. */
static readstat_error_t begin(sbl_statistics_table *table, readstat_writer_t *writer)
{
    const sbl_readstat *library = &table->library;
    (void)library->set_data_writer(writer, put_bytes);
    (void)library->writer_set_file_timestamp(writer, 0); /* the same rows are the same bytes */
    if (table->stata) (void)library->writer_set_file_format_version(writer, 118);
    for (size_t i = 0; i < table->count; i++) {
        kept_column *column = &table->columns[i];
        const char *format = format_of(column, table->stata);
        column->variable = library->add_variable(writer, column->facts->name, type_of(table, column),
                                                 column->is_text ? column->width : 0);
        if (column->facts->file != NULL && column->facts->file->title != NULL)
            library->variable_set_label(column->variable, column->facts->file->title);
        if (format != NULL) library->variable_set_format(column->variable, format);
        if (column->labelled) add_labels(table, column, writer, i);
        if (!table->stata && !column->is_text) add_missing(table, column);
    }
    return table->stata ? library->begin_writing_dta(writer, table, (long)table->written)
                        : library->begin_writing_sav(writer, table, (long)table->written);
}

static sbl_status fail_name(const sbl_statistics_table *table, size_t column, sbl_error *err)
{
    return sbl_fail(err, SBL_EARG,
                    "%s: %s does not take '%.100s' as the name of a column: rename it, or write CSV",
                    table->path, table->stata ? "Stata" : "SPSS", table->columns[column].facts->name);
}

/* Would the head be refused? Nothing is written. */
static sbl_status try_head(sbl_statistics_table *table, sbl_error *err)
{
    const sbl_readstat *library = &table->library;
    readstat_writer_t *writer = library->writer_init();
    sbl_status status = SBL_OK;
    if (writer == NULL) return sbl_no_memory(err, table->path);
    table->descriptor = -1;
    const readstat_error_t begun = begin(table, writer);
    for (size_t i = 0; i < table->count && status == SBL_OK; i++) {
        const sbl_column *facts = table->columns[i].facts;
        if (library->validate_variable(writer, table->columns[i].variable) != READSTAT_OK)
            status = fail_name(table, i, err);
        else if (facts->made_as != NULL && strlen(facts->made_as) > MOST_TEXT)
            status = sbl_fail(err, SBL_EARG, "%s: the text of column '%.100s' is too long: write CSV",
                              table->path, facts->name);
    }
    if (status == SBL_OK && begun != READSTAT_OK)
        status = sbl_fail(err, SBL_EARG, "%s: %s does not take a table of these columns: write CSV",
                          table->path, table->stata ? "Stata" : "SPSS");
    library->writer_free(writer);
    return status;
}

sbl_status sbl_statistics_table_check(const char *path, const sbl_schema *schema, sbl_error *err)
{
    const sbl_statistics_kind kind = sbl_path_statistics(path);
    sbl_statistics_table *table = NULL;
    if (kind == SBL_STATISTICS_SAS || kind == SBL_STATISTICS_XPORT || sbl_path_ends_in(path, ".zsav"))
        return sbl_fail(err, SBL_EARG, "%s: such files are only read: write SPSS (.sav), Stata (.dta) or CSV",
                        path);
    sbl_status status = make_table(&table, path, schema, (sbl_table_write_options){0}, err);
    if (status == SBL_OK && schema != NULL) status = try_head(table, err);
    sbl_statistics_table_free(table);
    return status;
}

/* ---- rows that are kept ---- */

sbl_status sbl_statistics_table_new(sbl_statistics_table **table, const char *path, const sbl_schema *schema,
                                    sbl_table_write_options options, sbl_error *err)
{
    sbl_statistics_table *made = NULL;
    sbl_status status = SBL_OK;
    *table = NULL;
    SBL_TRY(sbl_statistics_table_check(path, schema, err));
    SBL_TRY(make_table(&made, path, schema, options, err));
    SBL_TRY(sbl_file_check_target(path, options.overwrite, err));
    SBL_TRY(
        sbl_file_begin(&made->rows, path, (sbl_file_write_options){.mode = 0600, .overwrite = true}, err));
    made->keeping = true;
    *table = made;
    made = NULL;
done:
    sbl_statistics_table_free(made);
    return status;
}

/* Days, seconds and numbers in the units of the file. */
static double in_units(const kept_column *column, bool stata, double value)
{
    if (column->facts->kind == SBL_COLUMN_DATE)
        return stata ? value + STATA_EPOCH : (value + SPSS_EPOCH) * DAY;
    if (column->facts->kind == SBL_COLUMN_DATETIME)
        return stata ? (value + STATA_EPOCH * DAY) * 1000 : value + SPSS_EPOCH * DAY;
    return value;
}

static void keep_value(sbl_statistics_table *table, const kept_column *column, const sbl_batch *batch,
                       size_t row)
{
    const sbl_batch_column *values = &batch->columns[column->index];
    double value = (double)NAN;
    if (values->codes != NULL) {
        const size_t count = column->facts->categories.count;
        const uint32_t code = values->codes[row];
        if (code < count) value = column->values != NULL ? column->values[code] : (double)code;
    } else if (values->missing == NULL || values->missing[row] == 0) {
        value = in_units(column, table->stata, values->values[row]);
    }
    sbl_text_append(&table->buffer, (const char *)&value, sizeof value);
}

static void keep_text(sbl_statistics_table *table, kept_column *column)
{
    table->made.length = 0;
    table->options.make(table->options.context, &table->made, column->index, table->written);
    const size_t length = table->made.length;
    if (length > column->width) column->width = length;
    sbl_text_append(&table->buffer, (const char *)&length, sizeof length);
    sbl_text_append(&table->buffer, table->made.data, length);
    if (table->made.failed) table->buffer.failed = true;
}

static sbl_status flush(sbl_statistics_table *table, sbl_error *err)
{
    SBL_CHECK(sbl_text_check(&table->buffer, table->path, err));
    SBL_CHECK(
        sbl_write_all(table->rows.descriptor, table->buffer.data, table->buffer.length, table->path, err));
    table->buffer.length = 0;
    return SBL_OK;
}

sbl_status sbl_statistics_table_write(sbl_statistics_table *table, const sbl_batch *batch, sbl_error *err)
{
    for (size_t row = 0; row < batch->rows; row++, table->written++) {
        for (size_t i = 0; i < table->count; i++) {
            if (table->columns[i].is_text)
                keep_text(table, &table->columns[i]);
            else
                keep_value(table, &table->columns[i], batch, row);
        }
        if (table->buffer.length >= FLUSH_SIZE || table->buffer.failed) SBL_CHECK(flush(table, err));
    }
    return SBL_OK;
}

/* ---- from one file into the other ---- */

/* The kept rows, read again from their beginning. */
typedef struct kept_reader {
    int descriptor;
    char *bytes; /* (FLUSH_SIZE) */
    size_t place, length;
    off_t offset;
} kept_reader;

static bool take(kept_reader *reader, void *to, size_t size)
{
    char *out = to;
    while (size > 0) {
        if (reader->place == reader->length) {
            const ssize_t got = pread(reader->descriptor, reader->bytes, FLUSH_SIZE, reader->offset);
            if (got <= 0) return false;
            reader->offset += got;
            reader->place = 0;
            reader->length = (size_t)got;
        }
        const size_t left = reader->length - reader->place;
        const size_t part = left < size ? left : size;
        memcpy(out, reader->bytes + reader->place, part);
        reader->place += part;
        out += part;
        size -= part;
    }
    return true;
}

static readstat_error_t put_number(const sbl_statistics_table *table, const kept_column *column,
                                   readstat_writer_t *writer, double value)
{
    const sbl_readstat *library = &table->library;
    if (isnan(value)) return library->insert_missing_value(writer, column->variable);
    if (!column->labelled) return library->insert_double_value(writer, column->variable, value);
    const sbl_file_code *code = &column->codes[(size_t)value];
    if (!table->stata) return library->insert_double_value(writer, column->variable, code->number);
    return code->tag != '\0' ? library->insert_tagged_missing_value(writer, column->variable, code->tag)
                             : library->insert_int32_value(writer, column->variable, (int32_t)code->number);
}

static readstat_error_t put_cell(sbl_statistics_table *table, const kept_column *column,
                                 readstat_writer_t *writer, kept_reader *rows)
{
    double value;
    size_t length;
    if (!column->is_text)
        return take(rows, &value, sizeof value) ? put_number(table, column, writer, value)
                                                : READSTAT_ERROR_READ;
    if (!take(rows, &length, sizeof length)) return READSTAT_ERROR_READ;
    char *text = sbl_alloc_array(length + 1, 1);
    readstat_error_t error = text != NULL ? READSTAT_OK : READSTAT_ERROR_MALLOC;
    if (error == READSTAT_OK && !take(rows, text, length)) error = READSTAT_ERROR_READ;
    if (error == READSTAT_OK) error = table->library.insert_string_value(writer, column->variable, text);
    sbl_free(text);
    return error;
}

static readstat_error_t put_rows(sbl_statistics_table *table, readstat_writer_t *writer, kept_reader *rows)
{
    readstat_error_t error = begin(table, writer);
    for (uint64_t row = 0; row < table->written && error == READSTAT_OK; row++) {
        error = table->library.begin_row(writer);
        for (size_t i = 0; i < table->count && error == READSTAT_OK; i++)
            error = put_cell(table, &table->columns[i], writer, rows);
        if (error == READSTAT_OK) error = table->library.end_row(writer);
    }
    return error == READSTAT_OK ? table->library.end_writing(writer) : error;
}

static sbl_status write_file(sbl_statistics_table *table, int descriptor, sbl_error *err)
{
    sbl_error own = {.status = SBL_OK};
    kept_reader rows = {.descriptor = open(table->rows.temporary.data, O_RDONLY | O_CLOEXEC)};
    readstat_writer_t *writer = NULL;
    sbl_status status = SBL_OK;
    if (rows.descriptor < 0) SBL_FAIL(err, SBL_EIO, "%s could not be written", table->path);
    SBL_ALLOC(rows.bytes, FLUSH_SIZE, table->path);
    writer = table->library.writer_init();
    if (writer == NULL) SBL_TRY(sbl_no_memory(err, table->path));
    table->descriptor = descriptor;
    table->failed = &own;
    const readstat_error_t error = put_rows(table, writer, &rows);
    if (error == READSTAT_OK) goto done;
    if (own.status != SBL_OK)
        status = sbl_fail(err, own.status, "%s", own.message);
    else
        status = sbl_fail(err, SBL_EIO, "%s could not be written", table->path);
done:
    if (writer != NULL) table->library.writer_free(writer);
    if (rows.descriptor >= 0) (void)close(rows.descriptor);
    sbl_free(rows.bytes);
    return status;
}

sbl_status sbl_statistics_table_finish(sbl_statistics_table *table, sbl_error *err)
{
    const sbl_file_write_options options = {.mode = 0644, .overwrite = table->options.overwrite};
    sbl_pending_file made;
    SBL_CHECK(flush(table, err));
    SBL_CHECK(sbl_file_begin(&made, table->path, options, err));
    const sbl_status status = write_file(table, made.descriptor, err);
    if (status == SBL_OK) return sbl_file_commit(&made, err);
    sbl_file_discard(&made);
    return status;
}
