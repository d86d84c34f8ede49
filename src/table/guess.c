/* Two readings of a CSV file: its beginning, for encoding and dialect (sniff.c), then all of
 * it, cell by cell into one guess per column. What comes out is a schema with notes
 * and proposals for the owner. NOT PRIVATE throughout: bounds and categories are read off the
 * records. */
#include "table/guess.h"

#include <string.h>

#include "base/byte_source.h"
#include "base/encoding.h"
#include "base/memory.h"
#include "table/guess_column.h"
#include "table/guess_ids.h"
#include "table/guess_marks.h"
#include "table/guess_rules.h"
#include "table/sniff.h"

#define BEGINNING ((size_t)1 << 20)
#define CHUNK ((size_t)256 << 10)
#define MOST_COLUMNS 32768

/* A table at work. */
typedef struct guess {
    sbl_dialect dialect;
    const sbl_dialect_given *given;
    sbl_guess_epsilon epsilon_of;
    sbl_column styles[SBL_GUESS_STYLES]; /* of numbers */
    sbl_guess_column *columns;
    size_t count, room;
    size_t at;   /* column of the cell that comes next */
    bool named;  /* the first record was seen */
    bool failed; /* out of memory, or too many columns */
    uint64_t rows;
} guess;

static void add_column(guess *g, const char *name, size_t length)
{
    char made[32];
    if (g->count == g->room) {
        const size_t room = g->room * 2 + 16;
        sbl_guess_column *columns = sbl_resize_array(g->columns, room, sizeof *columns);
        if (columns == NULL || room > 2 * MOST_COLUMNS) {
            g->failed = true;
            return;
        }
        g->columns = columns;
        g->room = room;
    }
    if (length == 0) {
        sbl_text text = {0};
        sbl_text_printf(&text, "column_%zu", g->count + 1);
        length = text.length < sizeof made ? text.length : 0;
        if (length > 0) memcpy(made, text.data, length);
        sbl_text_clear(&text);
        name = made;
    }
    g->failed = g->failed || !sbl_guess_column_init(&g->columns[g->count], name, length, g->styles);
    g->columns[g->count].unnamed = g->dialect.header && name == made;
    g->count++;
}

static void take_cell(void *context, const char *text, size_t length, bool last)
{
    guess *g = context;
    if (g->failed) return;
    if (!g->named) {
        add_column(g, g->dialect.header ? text : "", g->dialect.header ? length : 0);
        if (g->failed) return;
    }
    if ((g->named || !g->dialect.header) && g->at < g->count)
        sbl_guess_column_take(&g->columns[g->at], text, length);
    g->at++;
    if (!last) return;
    g->rows += g->named || !g->dialect.header ? 1 : 0;
    g->named = true;
    g->at = 0;
}

/* The beginning of the file as it is, to see how it is written. */
static sbl_status look(guess *g, const char *path, sbl_error *err)
{
    sbl_byte_source *source = NULL;
    unsigned char *bytes = sbl_alloc_array(BEGINNING, 1);
    size_t got = 0;
    sbl_status status = SBL_OK;
    g->dialect = SBL_DIALECT_USUAL;
    if (bytes == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a schema");
    SBL_TRY(sbl_byte_source_open(&source, path, err));
    SBL_TRY(sbl_byte_source_read(source, bytes, BEGINNING, &got, err));
    if (got == 0) SBL_FAIL(err, SBL_EINPUT, "%s is empty", path);
    if (got >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PAR1", 4) == 0))
        SBL_FAIL(err, SBL_EINPUT, "%s is a spreadsheet or Parquet file: save it as CSV", path);
    g->dialect.encoding = sbl_sniff_encoding(bytes, got);
    SBL_TRY(sbl_dialect_apply(&g->dialect, g->given, err));
    sbl_byte_source_free(source);
    source = NULL;
    SBL_TRY(sbl_byte_source_open(&source, path, err));
    SBL_TRY(sbl_byte_source_decode(source, g->dialect.encoding, err));
    SBL_TRY(sbl_byte_source_read(source, bytes, BEGINNING, &got, err));
    const size_t mark = got >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (memchr(bytes, '\0', got) != NULL)
        SBL_FAIL(err, SBL_EINPUT, "%s is a binary file, not CSV", path);
    sbl_sniff_dialect(&g->dialect, (const char *)bytes + mark, got - mark,
                      g->given->delimiter != NULL);
    SBL_TRY(sbl_dialect_apply(&g->dialect, g->given, err));
    if (!g->dialect.header) g->dialect.titles = 0;
done:
    sbl_byte_source_free(source);
    sbl_free_wiped(bytes, BEGINNING);
    return status;
}

/* Bytes before the first record: a mark, title lines, comments. */
static size_t before_records(const char *bytes, size_t size, const sbl_dialect *dialect)
{
    size_t at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (unsigned line = 0; at < size; line++) {
        const bool comment = dialect->comment != 0 && bytes[at] == dialect->comment;
        const char *feed = memchr(bytes + at, '\n', size - at);
        if ((line >= dialect->titles && !comment) || feed == NULL) break;
        at = (size_t)(feed - bytes) + 1;
    }
    return at;
}

static sbl_status read_all(guess *g, const char *path, sbl_error *err)
{
    sbl_byte_source *source = NULL;
    char *bytes = sbl_alloc_array(CHUNK, 1);
    sbl_cell_walk walk = {.delimiter = g->dialect.delimiter,
                          .quote = g->dialect.quote,
                          .cell = take_cell,
                          .context = g};
    sbl_status status = SBL_OK;
    size_t got = CHUNK;
    if (bytes == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a schema");
    SBL_TRY(sbl_byte_source_open(&source, path, err));
    SBL_TRY(sbl_byte_source_decode(source, g->dialect.encoding, err));
    for (bool first = true; got == CHUNK; first = false) {
        SBL_TRY(sbl_byte_source_read(source, bytes, CHUNK, &got, err));
        const size_t skip = first ? before_records(bytes, got, &g->dialect) : 0;
        sbl_cell_walk_feed(&walk, bytes + skip, got - skip);
    }
done:
    sbl_cell_walk_end(&walk);
    sbl_byte_source_free(source);
    sbl_free_wiped(bytes, CHUNK);
    if (status == SBL_OK && (g->failed || walk.text.failed))
        status = sbl_fail(err, SBL_EMEM, "out of memory for a schema, or too many columns");
    return status;
}

/* What means "missing" in the whole table: the usual spellings, and those that were seen. */
static sbl_status collect_marks(sbl_strings *marks, const guess *g, sbl_error *err)
{
    bool good = sbl_strings_reserve(marks, SBL_USUAL_MARKS + g->count * SBL_GUESS_MARKS);
    for (size_t i = 0; good && i < SBL_USUAL_MARKS; i++)
        good = sbl_strings_add(marks, sbl_usual_marks[i]);
    for (size_t c = 0; c < g->count; c++) {
        const sbl_guess_column *column = &g->columns[c];
        for (size_t i = 0; sbl_guess_column_is_used(column) && i < column->mark_count; i++)
            if (good && !sbl_strings_contain(marks, column->marks[i].text))
                good = sbl_strings_add(marks, column->marks[i].text);
    }
    return good ? SBL_OK : sbl_fail(err, SBL_EMEM, "out of memory for a schema");
}

/* What is said of the file and not of a column. */
static void note_file(sbl_text *notes, const guess *g)
{
    const unsigned line = g->dialect.titles + 1;
    if (g->dialect.titles > 0)
        sbl_text_printf(
            notes, "the names of the columns stand in line %u: what is above is skipped\n", line);
    if (!g->dialect.header && g->given->header == NULL)
        sbl_text_printf(notes,
                        "line 1 is no header: cells of it are numbers, dates or empty, so that the "
                        "columns are called column_1 to column_%zu; where it is one, set "
                        "dialect.header to true and name the columns as it does\n",
                        g->count);
    for (size_t i = 0; i < g->count; i++)
        if (g->columns[i].unnamed)
            sbl_text_printf(notes, "column %zu has no name in the header: left out\n", i + 1);
}

/* Constraints, of the columns that are drafted. named: of all columns of the table. A table that cannot
 * be read with its schema has none. */
static sbl_status propose_rules(sbl_schema_writer *writer, const guess *g, bool *named,
                                const char *path, sbl_error *err)
{
    sbl_schema *schema = NULL;
    size_t kept = 0;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < g->count; i++)
        if (!g->columns[i].unnamed) named[kept++] = named[i];
    SBL_TRY(sbl_schema_writer_finish(NULL, &schema, writer, path, err));
    status = sbl_guess_rules_propose(writer, path, schema, named, err);
    if (status == SBL_EINPUT) status = SBL_OK;
done:
    sbl_schema_free(schema);
    return status;
}

static sbl_status draft_all(char **text, sbl_text *notes, guess *g, const char *path,
                            sbl_error *err)
{
    sbl_schema_writer *writer = NULL;
    sbl_strings marks = {0};
    bool *named = sbl_alloc_array(g->count, sizeof *named);
    sbl_status status = SBL_OK;
    if (named == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a schema");
    for (size_t i = 0; i < g->count; i++) {
        sbl_guess_column_decide(&g->columns[i], g->rows, g->dialect.delimiter == ',');
        if (g->columns[i].failed) SBL_FAIL(err, SBL_EMEM, "out of memory for a schema");
    }
    SBL_TRY(collect_marks(&marks, g, err));
    SBL_TRY(sbl_schema_writer_new(&writer, (const char *const *)marks.items, marks.count, err));
    sbl_schema_writer_dialect(writer, &g->dialect);
    note_file(notes, g);
    for (size_t i = 0; i < g->count; i++)
        if (!g->columns[i].unnamed)
            SBL_TRY(sbl_guess_column_write(&g->columns[i], writer, &marks, notes, err));
    SBL_TRY(sbl_guess_ids_propose(writer, g->columns, g->count, g->epsilon_of, named, notes, err));
    SBL_TRY(propose_rules(writer, g, named, path, err));
    SBL_TRY(sbl_schema_writer_origin(
        writer,
        json_pack("{s:s, s:s}", "how", "guessed from the table by semblance schema guess",
                  "NOT PRIVATE",
                  "bounds and categories were read off the records; using this schema makes them "
                  "public: replace them by what is known anyway"),
        err));
    SBL_TRY(sbl_schema_writer_finish(text, NULL, writer, path, err));
done:
    sbl_schema_writer_free(writer);
    sbl_strings_clear(&marks);
    sbl_free(named);
    return status;
}

sbl_status sbl_table_guess(char **text, sbl_text *notes, const char *path,
                           const sbl_dialect_given *given, sbl_guess_epsilon epsilon_of,
                           sbl_error *err)
{
    sbl_written written = SBL_WRITTEN_USUALLY;
    guess g = {.given = given, .epsilon_of = epsilon_of};
    sbl_status status = SBL_OK;
    *text = NULL;
    if (strcmp(path, "-") == 0)
        return sbl_fail(err, SBL_EARG, "a table is read twice to guess its schema: give a file");
    /* Signs that contradict each other are refused before a file is opened. */
    if (given->decimal != NULL && given->thousands != NULL)
        SBL_TRY(sbl_written_apply(&written, given, err));
    sbl_guess_styles(g.styles, given);
    SBL_TRY(look(&g, path, err));
    SBL_TRY(read_all(&g, path, err));
    if (g.rows == 0) SBL_FAIL(err, SBL_EINPUT, "%s has no rows to guess from", path);
    SBL_TRY(draft_all(text, notes, &g, path, err));
done:
    for (size_t i = 0; i < g.count; i++) sbl_guess_column_clear(&g.columns[i]);
    sbl_free(g.columns);
    return status;
}
