/* SPDX-License-Identifier: Apache-2.0 */
/* A table without a schema as a source: every cell becomes its answer to a public probe, or the texts of
 * some columns are given as they are. */
#include <string.h>

#include "base/alloc.h"
#include "records/rows/probe_cell.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"

#define BATCH_ROWS 8192
#define TEXT_ROWS 2048 /* they are longer */
#define NOT_READ SIZE_MAX

typedef struct probe_source {
    const sbl_probe *probes; /* of all columns */
    size_t *places;          /* (columns): the place of a column in a record, or NOT_READ */
    size_t columns;
    size_t width;          /* of a record */
    const sbl_table *from; /* borrowed */
    sbl_cell_reader cells;
    size_t rows;          /* of a batch */
    uint32_t *codes;      /* (rows, width): answers, or */
    sbl_text_cell *texts; /* (rows, width) */
    double none;          /* numbers that a record has: it has none, and this is where they are */
} probe_source;

static void take_text(sbl_text_cell *to, const char *text, size_t length)
{
    size_t size;
    const char *key = sbl_key_of_cell(&size, text, length, SBL_TEXT_LONGEST);
    to->length = key != NULL ? (uint8_t)size : 0;
    if (key != NULL) memcpy(to->text, key, size);
}

static void answer(const probe_source *state, size_t row, char own[SBL_CELL_OWN_TEXT])
{
    for (size_t c = 0; c < state->columns; c++) {
        size_t length;
        if (state->places[c] == NOT_READ) continue;
        const char *text = sbl_cell_text(&length, own, &state->cells.cells[c]);
        const size_t place = row * state->width + state->places[c];
        if (state->texts != NULL)
            take_text(&state->texts[place], text, length);
        else
            state->codes[place] = sbl_probe_cell(&state->probes[c], text, length);
    }
}

static sbl_status read_answers(sbl_source *source, sbl_error *err)
{
    probe_source *state = source->state;
    char own[SBL_CELL_OWN_TEXT];
    size_t rows = 0;
    sbl_status status = SBL_OK;
    for (bool more = true; rows < state->rows; rows++) {
        SBL_TRY(sbl_cell_reader_next(&state->cells, &more, err));
        if (!more) break;
        answer(state, rows, own);
    }
    source->batch = (sbl_records){.rows = rows, .texts = state->texts, .codes = state->codes};
    if (state->codes != NULL) source->batch.numeric = &state->none;
done:
    sbl_wipe(own, sizeof own);
    return status;
}

/* The columns must be those that the probes are for. */
static bool has_columns(const sbl_strings *names, const sbl_schema *schema)
{
    bool same = names->count == schema->column_count;
    for (size_t c = 0; same && c < names->count; c++)
        same = strcmp(names->items[c], schema->columns[c].name) == 0;
    return same;
}

static sbl_status rewind_answers(sbl_source *source, sbl_error *err)
{
    return sbl_fail(err, SBL_EARG, "the answers of %s can be read only once", source->name);
}

static sbl_status count_answers(uint64_t *records, sbl_source *source, sbl_error *err)
{
    const probe_source *state = source->state;
    return sbl_cell_reader_count(records, state->from, &source->facts->schema->dialect, err);
}

static void close_answers(sbl_source *source)
{
    probe_source *state = source->state;
    if (state == NULL) return;
    sbl_cell_reader_close(&state->cells);
    sbl_free_wiped(state->codes, state->width * state->rows * sizeof *state->codes);
    sbl_free_wiped(state->texts, state->width * state->rows * sizeof *state->texts);
    sbl_free(state->places);
    sbl_free(state);
}

sbl_status sbl_source_open_probes(sbl_source **source, const sbl_data *data, const sbl_probe *probes,
                                  const sbl_facts *facts, sbl_error *err)
{
    static const sbl_source_kind kind = {
        .read = read_answers, .rewind = rewind_answers, .close = close_answers, .count = count_answers};
    probe_source *state = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_source_new(source, &kind, sizeof *state, data->name, facts, err));
    state = (*source)->state;
    state->probes = probes;
    state->from = &data->table;
    state->columns = facts->schema->column_count;
    SBL_ALLOC(state->places, state->columns, data->name);
    bool texts = false;
    for (size_t c = 0; c < state->columns; c++) {
        texts = texts || probes[c].kind == SBL_PROBE_TEXT;
        state->places[c] = probes[c].kind != SBL_PROBE_NONE ? state->width++ : NOT_READ;
    }
    state->rows = texts ? TEXT_ROWS : BATCH_ROWS;
    if (texts)
        SBL_ALLOC(state->texts, state->width * state->rows, "a batch of rows");
    else
        SBL_ALLOC(state->codes, state->width * state->rows, "a batch of rows");
    SBL_TRY(sbl_cell_reader_open(&state->cells, &data->table, &facts->schema->dialect, err));
    if (!has_columns(&state->cells.names, facts->schema)) SBL_TRY(sbl_source_has_changed(data->name, err));
done:
    return sbl_source_opened(source, status);
}

sbl_status sbl_source_read_names(sbl_strings *names, sbl_dialect *dialect, const sbl_data *data,
                                 sbl_error *err)
{
    sbl_cell_reader cells;
    *names = (sbl_strings){0};
    if (data->table.format->names_in_records && data->table.columns == NULL)
        return sbl_fail_hint(
            err, SBL_EARG, SBL_HINT_COLUMNS, NULL,
            "%s has no header, and names read from its records would be private: name its columns",
            data->name);
    sbl_status status = sbl_cell_reader_open(&cells, &data->table, dialect, err);
    if (status != SBL_OK) return status;
    status = sbl_names_check(&cells.names, &data->table, err);
    if (status == SBL_OK) {
        if (cells.format->ends_crlf != NULL) dialect->crlf = cells.format->ends_crlf(cells.reading);
        *names = cells.names;
        cells.names = (sbl_strings){0};
    }
    sbl_cell_reader_close(&cells);
    return status;
}
