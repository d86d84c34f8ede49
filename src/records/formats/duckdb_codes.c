/* SPDX-License-Identifier: Apache-2.0 */
/* A column of categories becomes `system.main.semblance_code_7(c7)` in what DuckDB is asked: a function of ours, which
 * is declared as one of its argument alone. DuckDB calls it once for the entries of a dictionary and copies numbers
 * from there on. A chunk of texts without a dictionary is one call. Either way each text is read by the code that
 * reads texts of Arrow arrays, so its code depends on itself alone.
 *
 * Privacy: holds records, and wipes them. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "records/formats/arrow_column.h"
#include "records/formats/duckdb.h"

typedef struct coded_column {
    const sbl_engine *engine; /* NULL: the column is not coded */
    sbl_arrow_column reads;
    sbl_engine_buffer offsets, texts;
    sbl_engine_buffer codes, faults; /* of a call */
    char *buffer;
} coded_column;

struct sbl_engine_codes {
    sbl_binding *typed;
    coded_column *columns; /* (count) */
    bool *coded;           /* (count) */
    size_t count;
};

/* ---- what DuckDB calls ---- */

typedef void *(*extra_info)(void *info);

/* A function that DuckDB calls is handed what it was registered with by a call into the same library, and nothing that
 * leads to that call. So the address of the call is kept here. It is written once: another library of DuckDB in this
 * process has another one, and its texts are copied. */
static _Atomic(extra_info) info_of;

static bool info_is_known(const sbl_engine *engine)
{
    extra_info known = NULL;
    return atomic_compare_exchange_strong(&info_of, &known, engine->scalar_function_get_extra_info) ||
           known == engine->scalar_function_get_extra_info;
}

static bool make_space(coded_column *column, const struct ArrowArray *array, const void *data)
{
    const size_t rows = (size_t)array->length;
    return sbl_engine_copy_texts(array->buffers, &column->offsets, &column->texts, data, array->buffers[0],
                                 rows) &&
           sbl_engine_buffer_grow(&column->codes, rows * sizeof(uint32_t)) &&
           sbl_engine_buffer_grow(&column->faults, rows);
}

/* A null has a null for its code, which DuckDB sees to. */
static void code_texts(void *info, void *input, void *output)
{
    coded_column *column = atomic_load(&info_of)(info);
    const sbl_engine *engine = column->engine;
    void *vector = engine->data_chunk_get_vector(input, 0);
    const void *pointers[3] = {engine->vector_get_validity(vector)};
    const size_t rows = (size_t)engine->data_chunk_get_size(input);
    const struct ArrowArray array = {.length = (int64_t)rows,
                                     .null_count = pointers[0] != NULL ? -1 : 0,
                                     .n_buffers = 3,
                                     .buffers = pointers};
    const struct ArrowArray batch = {.length = (int64_t)rows};
    uint32_t *out = engine->vector_get_data(output);
    if (!make_space(column, &array, engine->vector_get_data(vector))) {
        engine->scalar_function_set_error(info, "out of memory");
        return;
    }
    sbl_batch_column codes = {.codes = (uint32_t *)(void *)column->codes.data};
    uint8_t *faults = (uint8_t *)column->faults.data;
    memset(faults, SBL_CELL_GOOD, rows);
    sbl_arrow_column_read_to(&column->reads, &batch, &array, 0, &(sbl_binding_target){&codes, faults, 1}, 0,
                             rows);
    for (size_t r = 0; r < rows; r++) out[r] = codes.codes[r] | (uint32_t)faults[r] << SBL_READ_SHIFT;
}

/* ---- registering ---- */

static bool add_function(const sbl_engine *engine, void *connection, coded_column *column, const char *name)
{
    void *function = engine->create_scalar_function();
    void *text = engine->create_logical_type(SBL_ENGINE_VARCHAR);
    void *code = engine->create_logical_type(SBL_ENGINE_UINTEGER);
    bool good = function != NULL && text != NULL && code != NULL;
    if (good) {
        engine->scalar_function_set_name(function, name);
        engine->scalar_function_add_parameter(function, text);
        engine->scalar_function_set_return_type(function, code);
        engine->scalar_function_set_extra_info(function, column, NULL);
        engine->scalar_function_set_function(function, code_texts);
        good = engine->register_scalar_function(connection, function) == 0;
    }
    if (text != NULL) engine->destroy_logical_type(&text);
    if (code != NULL) engine->destroy_logical_type(&code);
    if (function != NULL) engine->destroy_scalar_function(&function);
    return good;
}

/* A column with more categories than a code can hold is copied as texts. */
static bool can_be_coded(const sbl_engine_codes *codes, const sbl_engine_column *column, size_t i)
{
    const sbl_column *facts = sbl_binding_column(codes->typed, i);
    return facts != NULL && column->type == SBL_ENGINE_VARCHAR && !sbl_column_is_numeric(facts) &&
           !sbl_binding_is_unit(codes->typed, i) && !sbl_binding_is_key(codes->typed, i) &&
           sbl_column_missing_code(facts) < SBL_READ_CODES;
}

static sbl_status open_column(sbl_engine_codes *codes, sbl_engine_session *session, size_t i, sbl_error *err)
{
    static const sbl_arrow_type texts = {.kind = SBL_ARROW_LARGE_UTF8};
    coded_column *column = &codes->columns[i];
    char name[SBL_ENGINE_CODE_NAME];
    sbl_status status = SBL_OK;
    SBL_ALLOC(column->buffer, SBL_ARROW_BUFFER, "a column");
    SBL_TRY(sbl_arrow_column_open(&column->reads, codes->typed, i, &texts, false, column->buffer, err));
    column->engine = session->open.engine;
    snprintf(name, sizeof name, SBL_ENGINE_CODE "%zu", i);
    /* If the library registers no functions, texts are copied. */
    codes->coded[i] = add_function(column->engine, session->open.connection, column, name);
    if (!codes->coded[i]) goto done;
    session->columns[i].type = SBL_ENGINE_UINTEGER;
    strcpy(session->columns[i].format, "I");
done:
    return status;
}

sbl_status sbl_engine_codes_open(sbl_engine_codes **codes, sbl_engine_session *session, sbl_binding *typed,
                                 const char *name, sbl_error *err)
{
    sbl_engine_codes *made = NULL;
    sbl_status status = SBL_OK;
    *codes = NULL;
    SBL_ALLOC(made, 1, name);
    made->typed = typed;
    typed = NULL;
    SBL_ALLOC(made->columns, session->count, name);
    SBL_ALLOC(made->coded, session->count, name);
    made->count = session->count;
    for (size_t i = 0; info_is_known(session->open.engine) && i < made->count; i++)
        if (can_be_coded(made, &session->columns[i], i)) SBL_TRY(open_column(made, session, i, err));
    *codes = made;
    made = NULL;
done:
    sbl_binding_close(typed);
    sbl_engine_codes_close(made);
    return status;
}

const bool *sbl_engine_codes_columns(const sbl_engine_codes *codes) { return codes->coded; }

void sbl_engine_codes_close(sbl_engine_codes *codes)
{
    if (codes == NULL) return;
    for (size_t i = 0; i < codes->count; i++) {
        coded_column *column = &codes->columns[i];
        sbl_arrow_column_close(&column->reads);
        sbl_engine_buffer_clear(&column->offsets);
        sbl_engine_buffer_clear(&column->texts);
        sbl_engine_buffer_clear(&column->codes);
        sbl_engine_buffer_clear(&column->faults);
        sbl_free_wiped(column->buffer, SBL_ARROW_BUFFER);
    }
    sbl_free(codes->columns);
    sbl_free(codes->coded);
    sbl_binding_close(codes->typed);
    sbl_free(codes);
}
