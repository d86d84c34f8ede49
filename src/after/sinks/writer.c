/* SPDX-License-Identifier: Apache-2.0 */
/* [9] Writes rows as lines. Threads format parts of a batch, each into its own buffer, and the buffers are written in the order of
 * the rows: encoded if the encoding is not UTF-8, compressed if the name ends in .gz. Categories are quoted only once, when the
 * file is opened. A regular file is pending until it is finished; a pipe or device is written in place. */
#include "after/sinks/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/encoding.h"
#include "base/file.h"
#include "public/rows/cell_format.h"

#define FLUSH_SIZE ((size_t)64 << 10)
#define MOST_PARTS 64
#define PART_ROWS 128 /* fewer rows are not worth another thread */
#define GZIP_WRAPPER (MAX_WBITS + 16)

/* A column that is written: its name, categories and missing value ready for the file. */
typedef struct written_column {
    size_t index; /* in the schema */
    const sbl_column *facts;
    sbl_text *cells; /* categories; the last one is the missing value */
    size_t cell_count;
} written_column;

/* What one thread writes into. */
typedef struct written_part {
    sbl_text line; /* that waits to be written */
    sbl_text made; /* the cell of a made column */
} written_part;

struct sbl_table_writer {
    char *path;
    int descriptor;
    bool close_descriptor; /* a device or pipe that was opened by name */
    bool pending;          /* file is begun: descriptor belongs to it */
    sbl_pending_file file;
    written_column *columns;
    size_t column_count;
    sbl_dialect dialect;
    written_part *parts;
    size_t part_count;
    sbl_text encoded; /* a part's line in another encoding than UTF-8 */
    bool begun;       /* something was written */
    sbl_table_write_options options;
    uint64_t rows;
    bool gzip;
    z_stream stream;
    uint8_t *compressed; /* FLUSH_SIZE bytes */
};

/* What failures call it. */
static const char *shown(const sbl_table_writer *writer)
{
    return strcmp(writer->path, "-") == 0 ? "standard output" : writer->path;
}

static sbl_status fail_memory(const sbl_table_writer *writer, sbl_error *err)
{
    return sbl_no_memory(err, writer->path);
}

static sbl_status deflate_line(sbl_table_writer *writer, const sbl_text *line, int flush, sbl_error *err)
{
    int result;
    writer->stream.next_in = (Bytef *)line->data;
    writer->stream.avail_in = (uInt)line->length;
    do {
        writer->stream.next_out = writer->compressed;
        writer->stream.avail_out = (uInt)FLUSH_SIZE;
        result = deflate(&writer->stream, flush);
        if (result == Z_STREAM_ERROR)
            return sbl_fail(err, SBL_EINTERNAL, "compressing %s failed", writer->path);
        const sbl_status status = sbl_write_all(writer->descriptor, writer->compressed,
                                                FLUSH_SIZE - writer->stream.avail_out, shown(writer), err);
        if (status != SBL_OK) return status;
    } while (flush == Z_FINISH ? result != Z_STREAM_END : writer->stream.avail_out == 0);
    return SBL_OK;
}

static sbl_status flush_line(sbl_table_writer *writer, sbl_text *line, bool last, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const sbl_text *out = line;
    if (line->failed) return fail_memory(writer, err);
    if (!sbl_encoding_is_utf8(writer->dialect.encoding)) {
        writer->encoded.length = 0;
        SBL_CHECK(sbl_encoding_append(&writer->encoded, writer->dialect.encoding, line->data, line->length,
                                      !writer->begun, err));
        out = &writer->encoded;
    }
    writer->begun = true;
    if (writer->gzip)
        status = deflate_line(writer, out, last ? Z_FINISH : Z_NO_FLUSH, err);
    else
        status = sbl_write_all(writer->descriptor, out->data, out->length, shown(writer), err);
    line->length = 0;
    return status;
}

/* Between two batches only the first part holds text. */
static sbl_status flush_last(sbl_table_writer *writer, sbl_error *err)
{
    return flush_line(writer, &writer->parts[0].line, true, err);
}

static bool has_suffix(const char *path, const char *suffix)
{
    const size_t length = strlen(path);
    const size_t tail = strlen(suffix);
    return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

sbl_status sbl_table_check_name(const char *path, sbl_error *err)
{
    static const char *const others[] = {".xlsx",  ".xls",    ".ods", ".feather", ".arrow",    ".json",
                                         ".jsonl", ".ndjson", ".xml", ".html",    ".sas7bdat", ".dta",
                                         ".xpt",   ".sav",    ".rds", ".db",      ".sqlite",   ".orc",
                                         ".avro",  ".zip",    ".bz2", ".xz",      ".zst",      ".7z"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (has_suffix(path, others[i]))
            return sbl_fail(err, SBL_EARG,
                            "%s: a table is written as CSV, plain or gzip (.csv, .csv.gz), or as "
                            "Parquet (.parquet), SPSS (.sav) or Stata (.dta), not as %s",
                            path, others[i]);
    return SBL_OK;
}

static sbl_status open_target(sbl_table_writer *writer, sbl_table_write_options options, sbl_error *err)
{
    struct stat facts;
    if (strcmp(writer->path, "-") == 0) {
        writer->descriptor = STDOUT_FILENO;
        return SBL_OK;
    }
    if (stat(writer->path, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        /* Renaming a table over a device or pipe would destroy it. */
        writer->descriptor = open(writer->path, O_WRONLY | O_CLOEXEC);
        writer->close_descriptor = writer->descriptor >= 0;
        return writer->close_descriptor ? SBL_OK : sbl_fail_errno(err, "write", writer->path, errno);
    }
    SBL_CHECK(sbl_file_check_target(writer->path, options.overwrite, err));
    SBL_CHECK(sbl_file_begin(&writer->file, writer->path,
                             (sbl_file_write_options){.mode = 0644, .overwrite = options.overwrite}, err));
    writer->pending = true;
    writer->descriptor = writer->file.descriptor;
    return SBL_OK;
}

static sbl_status start_gzip(sbl_table_writer *writer, sbl_error *err)
{
    if (!has_suffix(writer->path, ".gz")) return SBL_OK;
    writer->compressed = sbl_alloc_array(FLUSH_SIZE, 1);
    if (writer->compressed == NULL || deflateInit2(&writer->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                                                   GZIP_WRAPPER, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return fail_memory(writer, err);
    writer->gzip = true;
    return SBL_OK;
}

static bool prepare_column(written_column *column, const sbl_column *facts, size_t index, bool alone,
                           const sbl_dialect *dialect)
{
    const size_t categories = facts->categories.count;
    column->index = index;
    column->facts = facts;
    column->cells = sbl_alloc_array(categories + 1, sizeof *column->cells);
    if (column->cells == NULL) return false;
    column->cell_count = categories + 1;
    for (size_t i = 0; i < categories; i++) {
        const char *text = facts->categories.items[i];
        sbl_cell_quote(&column->cells[i], text, strlen(text), alone, dialect);
        if (column->cells[i].failed) return false;
    }
    if (facts->missing_allowed) {
        const char *text = facts->missing_values.items[0];
        sbl_cell_quote(&column->cells[categories], text, strlen(text), alone, dialect);
    }
    return !column->cells[categories].failed;
}

static bool is_written(const sbl_table_writer *writer, const sbl_column *facts)
{
    return facts->kind != SBL_COLUMN_IGNORED ||
           (facts->made != SBL_SYNTHETIC_NOT && writer->options.make != NULL);
}

static void end_line(const sbl_table_writer *writer, sbl_text *line)
{
    if (writer->dialect.crlf)
        sbl_text_append(line, "\r\n", 2);
    else
        sbl_text_append(line, "\n", 1);
}

static sbl_status prepare_columns(sbl_table_writer *writer, const sbl_schema *schema, sbl_error *err)
{
    const char *lead = writer->options.lead;
    size_t count = 0;
    sbl_status status = SBL_OK;
    SBL_ALLOC(writer->parts, 1, writer->path);
    writer->part_count = 1;
    sbl_text *line = &writer->parts[0].line;
    for (size_t i = 0; i < schema->column_count; i++) count += is_written(writer, &schema->columns[i]);
    const bool alone = count == 1 && lead == NULL;
    SBL_ALLOC(writer->columns, count, writer->path);
    if (sbl_encoding_has_mark(schema->dialect.encoding)) sbl_text_append(line, "\xef\xbb\xbf", 3);
    if (lead != NULL && schema->dialect.header) sbl_text_append(line, lead, strlen(lead));
    for (size_t i = 0; i < schema->column_count; i++) {
        const sbl_column *facts = &schema->columns[i];
        if (!is_written(writer, facts)) continue;
        written_column *column = &writer->columns[writer->column_count++];
        if (!prepare_column(column, facts, i, alone, &schema->dialect)) SBL_TRY(fail_memory(writer, err));
        if (!schema->dialect.header) continue;
        if (writer->column_count > 1 || lead != NULL) sbl_text_append(line, &writer->dialect.delimiter, 1);
        sbl_cell_quote(line, facts->name, strlen(facts->name), alone, &schema->dialect);
    }
    if (schema->dialect.header) end_line(writer, line);
done:
    return status;
}

sbl_status sbl_table_create(sbl_table_writer **writer, const char *path, const sbl_schema *schema,
                            sbl_table_write_options options, sbl_error *err)
{
    sbl_table_writer *made = NULL;
    sbl_status status = SBL_OK;
    *writer = NULL;
    SBL_ALLOC(made, 1, path);
    SBL_TRY(sbl_copy_text(&made->path, path, path, err));
    made->dialect = schema->dialect;
    made->options = options;
    SBL_TRY(prepare_columns(made, schema, err));
    SBL_TRY(open_target(made, options, err));
    SBL_TRY(start_gzip(made, err));
done:
    if (status == SBL_OK)
        *writer = made;
    else
        sbl_table_abandon(made);
    return status;
}

static void put_cell(sbl_text *line, const written_column *column, const sbl_batch *batch, size_t row,
                     const sbl_dialect *dialect)
{
    const sbl_batch_column *values = &batch->columns[column->index];
    char text[SBL_CELL_TEXT_SIZE];
    const sbl_column *facts = column->facts;
    const sbl_text *cell = NULL;
    if (values->codes != NULL) {
        const uint32_t codes = sbl_column_missing_code(facts) + (facts->missing_allowed ? 1U : 0U);
        const uint32_t code = values->codes[row];
        cell = &column->cells[code < codes ? code : facts->fallback_code];
    } else if (values->missing != NULL && values->missing[row] != 0) {
        cell = &column->cells[0]; /* a number has no categories: its only text is the missing one */
    }
    if (cell != NULL) {
        sbl_text_append(line, cell->data, cell->length);
        return;
    }
    const size_t length = sbl_cell_format(text, sbl_batch_domain(batch, facts, row), values->values[row]);
    if (sbl_column_is_marked(facts)) { /* marks may be any sign */
        sbl_cell_quote(line, text, length, false, dialect);
        return;
    }
    const bool quoted = memchr(text, dialect->delimiter, length) != NULL; /* a date may hold it */
    if (quoted) sbl_text_append(line, &dialect->quote, 1);
    sbl_text_append(line, text, length);
    if (quoted) sbl_text_append(line, &dialect->quote, 1);
}

static void put_made_cell(const sbl_table_writer *writer, written_part *part, const written_column *column,
                          uint64_t row)
{
    sbl_text *made = &part->made;
    made->length = 0;
    writer->options.make(writer->options.context, made, column->index, row);
    if (made->failed) part->line.failed = true;
    sbl_cell_quote(&part->line, made->data, made->length,
                   writer->column_count == 1 && writer->options.lead == NULL, &writer->dialect);
}

static void put_rows(const sbl_table_writer *writer, written_part *part, const sbl_batch *batch, size_t from,
                     size_t to)
{
    const char *lead = writer->options.lead;
    sbl_text *line = &part->line;
    for (size_t row = from; row < to && !line->failed; row++) {
        if (lead != NULL) sbl_text_printf(line, "%llu", (unsigned long long)*writer->options.lead_value);
        for (size_t i = 0; i < writer->column_count; i++) {
            const written_column *column = &writer->columns[i];
            if (i > 0 || lead != NULL) sbl_text_append(line, &writer->dialect.delimiter, 1);
            if (column->facts->kind == SBL_COLUMN_IGNORED)
                put_made_cell(writer, part, column, writer->rows + row);
            else
                put_cell(line, column, batch, row, &writer->dialect);
        }
        end_line(writer, line);
    }
}

/* The number of parts for a batch with this number of rows. Without memory for more parts, the existing ones do. */
static size_t make_parts(sbl_table_writer *writer, size_t rows)
{
    const size_t threads = (size_t)sbl_thread_limit(), some = rows / PART_ROWS;
    size_t count = threads < some ? threads : some;
    if (count > MOST_PARTS) count = MOST_PARTS;
    if (count > writer->part_count) {
        written_part *parts = sbl_alloc_array(count, sizeof *parts);
        if (parts == NULL) return writer->part_count;
        memcpy(parts, writer->parts, writer->part_count * sizeof *parts);
        sbl_free(writer->parts);
        writer->parts = parts;
        writer->part_count = count;
    }
    return count > 1 ? count : 1;
}

/* Writes the rows from .. to of a batch in the given number of parts. */
static sbl_status write_some(sbl_table_writer *writer, const sbl_batch *batch, size_t from, size_t to,
                             size_t parts, sbl_error *err)
{
    SBL_OMP(omp parallel for schedule(static, 1) num_threads((int)parts) if (parts > 1))
    for (size_t k = 0; k < parts; k++)
        put_rows(writer, &writer->parts[k], batch, from + (to - from) * k / parts,
                 from + (to - from) * (k + 1) / parts);
    for (size_t k = 0; k < parts; k++) {
        sbl_text *line = &writer->parts[k].line;
        if (parts > 1 || line->length >= FLUSH_SIZE || line->failed)
            SBL_CHECK(flush_line(writer, line, false, err));
    }
    return SBL_OK;
}

sbl_status sbl_table_write(sbl_table_writer *writer, const sbl_batch *batch, sbl_error *err)
{
    const size_t parts = make_parts(writer, batch->rows), most = parts * 2 * PART_ROWS;
    for (size_t from = 0, to; from < batch->rows; from = to) {
        to = batch->rows - from < most ? batch->rows : from + most;
        SBL_CHECK(write_some(writer, batch, from, to, parts, err));
    }
    writer->rows += batch->rows;
    return SBL_OK;
}

static void free_writer(sbl_table_writer *writer)
{
    for (size_t i = 0; i < writer->column_count; i++) {
        for (size_t j = 0; j < writer->columns[i].cell_count; j++)
            sbl_text_clear(&writer->columns[i].cells[j]);
        sbl_free(writer->columns[i].cells);
    }
    if (writer->gzip) (void)deflateEnd(&writer->stream);
    if (writer->close_descriptor) (void)close(writer->descriptor);
    for (size_t k = 0; k < writer->part_count; k++) {
        sbl_text_clear(&writer->parts[k].line);
        sbl_text_clear(&writer->parts[k].made);
    }
    sbl_free(writer->parts);
    sbl_text_clear(&writer->encoded);
    sbl_free(writer->compressed);
    sbl_free(writer->columns);
    sbl_free(writer->path);
    sbl_free(writer);
}

sbl_status sbl_table_finish(sbl_table_writer *writer, sbl_error *err)
{
    sbl_status status = flush_last(writer, err);
    if (status == SBL_OK && writer->pending) {
        writer->pending = false;
        status = sbl_file_commit(&writer->file, err);
    }
    sbl_table_abandon(writer);
    return status;
}

sbl_status sbl_table_hand_over(sbl_table_writer *writer, sbl_pending_file *file, sbl_error *err)
{
    sbl_status status = flush_last(writer, err);
    if (status == SBL_OK && !writer->pending)
        status = sbl_fail(err, SBL_EARG,
                          "%s is not a regular file: write each of several tables to a regular file",
                          writer->path);
    if (status == SBL_OK) {
        *file = writer->file;
        writer->pending = false;
    }
    sbl_table_abandon(writer);
    return status;
}

void sbl_table_abandon(sbl_table_writer *writer)
{
    if (writer == NULL) return;
    if (writer->pending) sbl_file_discard(&writer->file);
    free_writer(writer);
}
