/* A CSV table without a schema as a source: every cell becomes its answer to a public probe. */
#include <string.h>

#include "base/memory.h"
#include "source/source.h"
#include "table/probe_cell.h"
#include "table/raw.h"

#define BATCH_ROWS 8192
#define NOT_READ SIZE_MAX

typedef struct probe_source {
    const sbl_probe *probes; /* of all columns */
    size_t *places;          /* (columns): where a column's code stands in a record, or NOT_READ */
    size_t columns;
    size_t width; /* codes of a record */
    sbl_table_reader *reader;
    uint32_t *codes;
    double none; /* numbers that a record has: it has none, and this is where they are */
} probe_source;

static void take_cell(void *context, size_t row, size_t column, const char *text, size_t length)
{
    probe_source *state = context;
    if (column >= state->columns || state->places[column] == NOT_READ) return;
    state->codes[row * state->width + state->places[column]] =
        sbl_probe_cell(&state->probes[column], text, length);
}

static sbl_status read_answers(sbl_source *source, sbl_error *err)
{
    probe_source *state = source->state;
    size_t rows;
    const sbl_status status =
        sbl_table_read_raw(state->reader, &rows, BATCH_ROWS, take_cell, state, err);
    if (status != SBL_OK) return status;
    source->batch = (sbl_records){.numeric = &state->none, .codes = state->codes, .rows = rows};
    return SBL_OK;
}

/* The header must be the one that the probes are for. */
static sbl_status open_reader(sbl_source *source, sbl_error *err)
{
    probe_source *state = source->state;
    const sbl_schema *schema = source->facts->schema;
    sbl_strings names = {0};
    sbl_dialect dialect = schema->dialect;
    dialect.surely = true; /* the names were looked at when the schema was made of them */
    const sbl_status status =
        sbl_table_open_raw(&state->reader, &names, source->name, &dialect, err);
    if (status != SBL_OK) return status;
    bool same = names.count == schema->column_count;
    for (size_t c = 0; same && c < names.count; c++)
        same = strcmp(names.items[c], schema->columns[c].name) == 0;
    sbl_strings_clear(&names);
    return same ? SBL_OK
                : sbl_fail(err, SBL_EINPUT, "%s changed after it was read first", source->name);
}

static sbl_status rewind_answers(sbl_source *source, sbl_error *err)
{
    return sbl_fail(err, SBL_EARG, "the answers of %s are read once", source->name);
}

static void close_answers(sbl_source *source)
{
    probe_source *state = source->state;
    if (state == NULL) return;
    sbl_table_close(state->reader);
    sbl_free_wiped(state->codes, state->width * BATCH_ROWS * sizeof *state->codes);
    sbl_free(state->places);
    sbl_free(state);
}

sbl_status sbl_source_open_probes(sbl_source **source, const char *path, const sbl_probe *probes,
                                  const sbl_facts *facts, sbl_error *err)
{
    static const sbl_source_kind kind = {read_answers, rewind_answers, close_answers};
    sbl_status status = sbl_source_new(source, &kind, path, facts, err);
    if (status != SBL_OK) return status;
    probe_source *state = (*source)->state = sbl_alloc_array(1, sizeof *state);
    if (state == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for %.80s", path);
    state->probes = probes;
    state->columns = facts->schema->column_count;
    state->places = sbl_alloc_array(state->columns, sizeof *state->places);
    if (state->places == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for %.80s", path);
    for (size_t c = 0; c < state->columns; c++)
        state->places[c] = probes[c].kind != SBL_PROBE_NONE ? state->width++ : NOT_READ;
    state->codes = sbl_alloc_array(state->width, BATCH_ROWS * sizeof *state->codes);
    if (state->codes == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a batch of rows");
    SBL_TRY(open_reader(*source, err));
done:
    if (status != SBL_OK) {
        sbl_source_close(*source);
        *source = NULL;
    }
    return status;
}

sbl_status sbl_source_read_names(sbl_strings *names, const char *path, const sbl_dialect *dialect,
                                 sbl_error *err)
{
    sbl_table_reader *reader = NULL;
    *names = (sbl_strings){0};
    const sbl_status status = sbl_table_open_raw(&reader, names, path, dialect, err);
    sbl_table_close(reader);
    return status;
}

/* ---- texts ---- */

#define TEXT_ROWS 2048

struct sbl_text_source {
    sbl_table_reader *reader;
    size_t *places; /* (columns of the header) */
    size_t columns;
    size_t width;
    sbl_text_cell *cells;
};

static void take_text(void *context, size_t row, size_t column, const char *text, size_t length)
{
    sbl_text_source *source = context;
    if (column >= source->columns || source->places[column] == NOT_READ) return;
    sbl_text_cell *cell = &source->cells[row * source->width + source->places[column]];
    size_t size;
    const char *key = sbl_key_of_cell(&size, text, length, SBL_TEXT_LONGEST);
    cell->length = key != NULL ? (uint8_t)size : 0;
    if (key != NULL) memcpy(cell->text, key, size);
}

void sbl_text_source_close(sbl_text_source *source)
{
    if (source == NULL) return;
    sbl_table_close(source->reader);
    sbl_free_wiped(source->cells, source->width * TEXT_ROWS * sizeof *source->cells);
    sbl_free(source->places);
    sbl_free(source);
}

sbl_status sbl_text_source_open(sbl_text_source **source, const char *path,
                                const sbl_dialect *dialect, const size_t *columns, size_t count,
                                sbl_error *err)
{
    sbl_strings names = {0};
    sbl_status status = SBL_OK;
    sbl_text_source *made = sbl_alloc_array(1, sizeof *made);
    *source = NULL;
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", path);
    made->width = count;
    made->cells = sbl_alloc_array(count, TEXT_ROWS * sizeof *made->cells);
    SBL_TRY(sbl_table_open_raw(&made->reader, &names, path, dialect, err));
    made->columns = names.count;
    made->places = sbl_alloc_array(names.count, sizeof *made->places);
    if (made->cells == NULL || made->places == NULL)
        SBL_FAIL(err, SBL_EMEM, "out of memory for a batch of rows");
    for (size_t c = 0; c < names.count; c++) made->places[c] = NOT_READ;
    for (size_t i = 0; i < count; i++) {
        if (columns[i] >= names.count)
            SBL_FAIL(err, SBL_EINPUT, "%s changed after it was read first", path);
        made->places[columns[i]] = i;
    }
    *source = made;
    made = NULL;
done:
    sbl_strings_clear(&names);
    sbl_text_source_close(made);
    return status;
}

sbl_status sbl_text_source_read(sbl_text_source *source, const sbl_text_cell **cells, size_t *rows,
                                sbl_error *err)
{
    *cells = source->cells;
    return sbl_table_read_raw(source->reader, rows, TEXT_ROWS, take_text, source, err);
}
