/* SPDX-License-Identifier: Apache-2.0 */
/* Gives DuckDB's data chunks as Arrow batches. Numbers, dates and null bitmaps are lent as they are stored
 * in its vectors. Texts, truths and short decimals are copied into buffers of this stream, which serve for
 * all chunks.
 *
 * Privacy: holds records. Its own buffers are wiped; DuckDB's are not. */
#include <string.h>

#include "base/alloc.h"
#include "base/arrow_owned.h"
#include "base/size.h"
#include "records/formats/arrow_table.h"
#include "records/formats/duckdb.h"

typedef struct engine_column {
    struct ArrowArray array;
    const void *pointers[3];
    sbl_engine_buffer values; /* offsets of texts, truths, decimals */
    sbl_engine_buffer texts;
    char **entries; /* of an enum: its texts, made by DuckDB */
    size_t entry_count;
    int entry_size; /* bytes of a code of it */
} engine_column;

typedef struct engine_stream {
    sbl_engine_session session;
    void *statement, *pending, *chunk;
    sbl_engine_result result;
    engine_column *columns; /* (session.count) */
    struct ArrowArray **children;
    const void *no_nulls[1];
    bool *wanted; /* (session.count) */
    sbl_engine_codes *codes;
} engine_stream;

/* ---- columns ---- */

/* Texts one after the other, and where each ends. text_of gives the text of a row that is there. */
typedef sbl_engine_text (*text_reader)(const engine_column *column, const void *data, size_t row,
                                       char own[40]);

static bool copy_texts(engine_column *column, text_reader text_of, const void *data, const uint64_t *validity,
                       size_t rows)
{
    char own[40];
    size_t total = 0;
    if (!sbl_engine_buffer_grow(&column->values, (rows + 1) * sizeof(int64_t))) return false;
    int64_t *ends = (int64_t *)(void *)column->values.data;
    ends[0] = 0;
    for (size_t r = 0; r < rows; r++) {
        if (sbl_engine_is_there(validity, r)) total += text_of(column, data, r, own).length;
        ends[r + 1] = (int64_t)total;
    }
    if (!sbl_engine_buffer_grow(&column->texts, total + SBL_CELL_PADDING)) return false;
    for (size_t r = 0; r < rows; r++) {
        if (ends[r + 1] == ends[r]) continue;
        const sbl_engine_text text = text_of(column, data, r, own);
        memcpy(column->texts.data + ends[r], text.data, text.length);
    }
    sbl_wipe(own, sizeof own);
    column->pointers[1] = ends;
    column->pointers[2] = column->texts.data;
    return true;
}

/* 16 bytes, the upper eight with their first bit turned, as 8-4-4-4-12 hex digits. */
static sbl_engine_text uuid_text(const engine_column *column, const void *data, size_t row, char own[40])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t half[2];
    size_t length = 0;
    (void)column;
    memcpy(half, (const char *)data + row * sizeof half, sizeof half);
    half[1] ^= UINT64_C(1) << 63;
    for (size_t i = 0; i < 32; i++) {
        if (i == 8 || i == 12 || i == 16 || i == 20) own[length++] = '-';
        own[length++] = digits[half[i < 16] >> (60 - 4 * (i % 16)) & 15];
    }
    return (sbl_engine_text){.length = (uint32_t)length, .data = own};
}

static sbl_engine_text enum_text(const engine_column *column, const void *data, size_t row,
                                 /* NOLINTNEXTLINE(readability-non-const-parameter): as of uuid_text */
                                 char own[40])
{
    uint32_t code = 0; /* little-endian, as all machines are that this is built for */
    (void)own;
    memcpy(&code, (const char *)data + row * (size_t)column->entry_size, (size_t)column->entry_size);
    if (code >= column->entry_count) return (sbl_engine_text){0};
    return (sbl_engine_text){.length = (uint32_t)strlen(column->entries[code]),
                             .data = column->entries[code]};
}

/* A byte each there, a bit each here. */
static bool pack_truths(engine_column *column, const void *data, size_t rows)
{
    const uint8_t *truths = data;
    if (!sbl_engine_buffer_grow(&column->values, rows / 8 + 1)) return false;
    uint8_t *bits = (uint8_t *)column->values.data;
    memset(bits, 0, rows / 8 + 1);
    for (size_t r = 0; r < rows; r++) bits[r / 8] |= (uint8_t)((truths[r] != 0) << r % 8);
    column->pointers[1] = bits;
    return true;
}

static bool widen_decimals(engine_column *column, const void *data, size_t rows)
{
    const int16_t *narrow = data;
    if (!sbl_engine_buffer_grow(&column->values, rows * sizeof(int32_t))) return false;
    int32_t *wide = (int32_t *)(void *)column->values.data;
    for (size_t r = 0; r < rows; r++) wide[r] = narrow[r];
    column->pointers[1] = wide;
    return true;
}

static bool take_vector(engine_column *column, const sbl_engine_column *facts, const void *data,
                        const uint64_t *validity, size_t rows)
{
    column->pointers[0] = validity;
    column->array.length = (int64_t)rows;
    column->array.null_count = validity != NULL ? -1 : 0;
    switch (facts->type) {
    case SBL_ENGINE_VARCHAR:
        return sbl_engine_copy_texts(column->pointers, &column->values, &column->texts, data, validity, rows);
    case SBL_ENGINE_UUID:
        return copy_texts(column, uuid_text, data, validity, rows);
    case SBL_ENGINE_ENUM:
        return copy_texts(column, enum_text, data, validity, rows);
    case SBL_ENGINE_BOOLEAN:
        return pack_truths(column, data, rows);
    case SBL_ENGINE_DECIMAL:
        if (facts->width <= 4) return widen_decimals(column, data, rows);
        break;
    default:
        break;
    }
    column->pointers[1] = data;
    return true;
}

/* ---- the stream ---- */

static void close_stream(engine_stream *from)
{
    const sbl_engine *engine = from->session.open.engine;
    if (from->chunk != NULL) engine->destroy_data_chunk(&from->chunk);
    engine->destroy_result(&from->result);
    if (from->pending != NULL) engine->destroy_pending(&from->pending);
    if (from->statement != NULL) engine->destroy_prepare(&from->statement);
    for (size_t i = 0; from->columns != NULL && i < from->session.count; i++) {
        engine_column *column = &from->columns[i];
        sbl_engine_buffer_clear(&column->values);
        sbl_engine_buffer_clear(&column->texts);
        for (size_t e = 0; column->entries != NULL && e < column->entry_count; e++)
            engine->free(column->entries[e]);
        sbl_free(column->entries);
    }
    sbl_free(from->columns);
    sbl_free(from->children);
    sbl_free(from->wanted);
    sbl_engine_session_close(&from->session);
    sbl_engine_codes_close(from->codes);
    sbl_free(from);
}

static void release_stream(struct ArrowArrayStream *stream)
{
    close_stream(stream->private_data);
    stream->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const engine_stream *from = stream->private_data;
    const sbl_engine_session *session = &from->session;
    sbl_error err = {0};
    if (sbl_arrow_schema_make(out, "+s", "", 0, session->count, &err) != SBL_OK) return 1;
    for (size_t i = 0; i < session->count; i++) {
        const sbl_engine_column *column = &session->columns[i];
        /* A column that is not read needs no type. */
        const char *format = column->format[0] != '\0' ? column->format : "n";
        if (sbl_arrow_schema_make(out->children[i], format, column->name, 2, 0, &err) == SBL_OK) continue;
        out->release(out);
        return 1;
    }
    return 0;
}

static void end_loan(struct ArrowArray *array) { array->release = NULL; }

static bool take_chunk(engine_stream *from, struct ArrowArray *out)
{
    const sbl_engine *engine = from->session.open.engine;
    const size_t rows = (size_t)engine->data_chunk_get_size(from->chunk);
    for (size_t i = 0; i < from->session.count; i++) {
        const sbl_engine_column *facts = &from->session.columns[i];
        engine_column *column = &from->columns[i];
        const int64_t buffers = facts->format[0] == 'U' ? 3 : facts->format[0] == 'n' ? 0 : 2;
        void *vector = engine->data_chunk_get_vector(from->chunk, i);
        column->array = (struct ArrowArray){
            .length = (int64_t)rows, .n_buffers = buffers, .buffers = column->pointers, .release = end_loan};
        if (from->wanted[i] && !take_vector(column, facts, engine->vector_get_data(vector),
                                            engine->vector_get_validity(vector), rows))
            return false;
        from->children[i] = &column->array;
    }
    *out = (struct ArrowArray){.length = (int64_t)rows,
                               .n_buffers = 1,
                               .n_children = (int64_t)from->session.count,
                               .buffers = from->no_nulls,
                               .children = from->children,
                               .release = end_loan};
    return true;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    engine_stream *from = stream->private_data;
    const sbl_engine *engine = from->session.open.engine;
    *out = (struct ArrowArray){0};
    if (from->chunk != NULL) engine->destroy_data_chunk(&from->chunk);
    from->chunk = engine->fetch_chunk(from->result);
    if (from->chunk == NULL) return engine->result_error(&from->result) != NULL;
    return take_chunk(from, out) ? 0 : 1;
}

static const char *no_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

/* ---- opening ---- */

/* Columns by their places: names need no quotes, and may be anything. */
static void write_query(sbl_text *sql, const sbl_engine_session *session, const bool *coded,
                        const bool *wanted)
{
    for (size_t i = 0; i < session->count; i++) {
        sbl_text_printf(sql, i > 0 ? ", " : "SELECT ");
        if (!wanted[i])
            sbl_text_printf(sql, "NULL");
        else if (coded != NULL && coded[i]) /* by its full name: a database may have functions of its own */
            sbl_text_printf(sql, "system.main." SBL_ENGINE_CODE "%zu(c%zu)", i, i);
        else
            sbl_text_printf(sql, "c%zu", i);
    }
    sbl_text_printf(sql, " FROM %s AS t(", session->from.data);
    for (size_t i = 0; i < session->count; i++) sbl_text_printf(sql, "%sc%zu", i > 0 ? ", " : "", i);
    sbl_text_printf(sql, ")");
}

static sbl_status start(engine_stream *from, const char *name, sbl_error *err)
{
    const sbl_engine_session *session = &from->session;
    const sbl_engine *engine = session->open.engine;
    sbl_text sql = {0};
    sbl_status status = SBL_OK;
    write_query(&sql, session, from->codes != NULL ? sbl_engine_codes_columns(from->codes) : NULL,
                from->wanted);
    SBL_TRY(sbl_text_check(&sql, name, err));
    if (engine->prepare(session->open.connection, sql.data, &from->statement) != 0 ||
        engine->pending_prepared_streaming(from->statement, &from->pending) != 0 ||
        engine->execute_pending(from->pending, &from->result) != 0)
        SBL_FAIL(err, SBL_EINPUT, "DuckDB cannot read %s", name);
done:
    sbl_text_clear(&sql);
    return status;
}

/* The texts of an enum, of which cells are numbers. */
static sbl_status read_entries(engine_column *column, const sbl_engine *engine, void *type, sbl_error *err)
{
    const size_t count = engine->enum_dictionary_size(type);
    sbl_status status = SBL_OK;
    SBL_ALLOC(column->entries, count + 1, "the values of a column");
    column->entry_size = count <= UINT8_MAX ? 1 : count <= UINT16_MAX ? 2 : 4;
    for (; column->entry_count < count; column->entry_count++) {
        char *entry = engine->enum_dictionary_value(type, column->entry_count);
        if (entry == NULL) SBL_TRY(sbl_no_memory(err, "the values of a column"));
        column->entries[column->entry_count] = entry;
    }
done:
    return status;
}

static sbl_status read_enums(engine_stream *from, sbl_error *err)
{
    const sbl_engine *engine = from->session.open.engine;
    sbl_status status = SBL_OK;
    for (size_t i = 0; status == SBL_OK && i < from->session.count; i++) {
        if (!from->wanted[i] || from->session.columns[i].type != SBL_ENGINE_ENUM) continue;
        void *type = engine->column_logical_type(&from->result, i);
        status = type != NULL ? read_entries(&from->columns[i], engine, type, err)
                              : sbl_no_memory(err, "the values of a column");
        if (type != NULL) engine->destroy_logical_type(&type);
    }
    return status;
}

sbl_status sbl_engine_stream_open(struct ArrowArrayStream *stream, sbl_engine_session *session,
                                  sbl_engine_codes *codes, const bool *wanted, const char *name,
                                  sbl_error *err)
{
    engine_stream *from = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(from, 1, name);
    from->session = *session;
    from->codes = codes;
    *session = (sbl_engine_session){0};
    codes = NULL;
    SBL_ALLOC(from->columns, from->session.count, name);
    SBL_ALLOC(from->children, from->session.count, name);
    SBL_ALLOC(from->wanted, from->session.count, name);
    memcpy(from->wanted, wanted, from->session.count * sizeof *wanted);
    SBL_TRY(start(from, name, err));
    SBL_TRY(read_enums(from, err));
    *stream = (struct ArrowArrayStream){get_schema, get_next, no_error, release_stream, from};
    from = NULL;
done:
    if (from != NULL) close_stream(from);
    sbl_engine_session_close(session);
    sbl_engine_codes_close(codes);
    return status;
}
