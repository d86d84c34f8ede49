/* The model file: codes, parameters and state as tensors; sizes follow from the shape. A file is read as
 * anything may be: every size, code and number is checked.
 *
 * U32: codes (bases), code_of (all cells), tables (T, 2), counts (persons), steps (events); F32: share (all
 * cells), person_bias, person_theta, event_bias, event_theta; U16: persons (N, the person's bases), events
 * (M, the event's bases). */
#include "histories/history_model.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define WHAT "a model file"
#define FORMAT "semblance.format"
#define FORMAT_NAME "histories 1"
#define SEED "semblance.histories.seed"
#define TENSORS 12
#define SUM_TOLERANCE 1e-3 /* of shares stored as float32 */

void sbl_history_model_clear(sbl_history_model *model)
{
    sbl_pool_clear(&model->pool);
    *model = (sbl_history_model){0};
}

static json_t *make_metadata(const sbl_history_model *model, const json_t *extra)
{
    json_t *metadata = extra != NULL ? json_deep_copy(extra) : json_object();
    metadata = sbl_json_put(metadata, FORMAT, json_string(FORMAT_NAME));
    return sbl_json_put(metadata, SEED, json_sprintf("%llu", (unsigned long long)model->seed));
}

sbl_status sbl_history_model_save(const sbl_history_model *model, sbl_item to, const json_t *extra,
                                  bool overwrite, sbl_error *err)
{
    const size_t bases = model->base_count, cells = model->cells_at[bases];
    json_t *metadata = make_metadata(model, extra);
    sbl_status status = SBL_OK;
    if (metadata == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
    const sbl_tensor tensors[TENSORS] = {
        {"codes", 1, {bases, 0}, model->codes, SBL_TENSOR_U32},
        {"code_of", 1, {cells, 0}, model->code_of, SBL_TENSOR_U32},
        {"share", 1, {cells, 0}, model->share, SBL_TENSOR_F32},
        {"tables", 2, {model->table_count, 2}, model->tables, SBL_TENSOR_U32},
        {"person_bias", 1, {model->bias_size[0], 0}, model->bias[0], SBL_TENSOR_F32},
        {"person_theta", 1, {model->theta_size[0], 0}, model->theta[0], SBL_TENSOR_F32},
        {"event_bias", 1, {model->bias_size[1], 0}, model->bias[1], SBL_TENSOR_F32},
        {"event_theta", 1, {model->theta_size[1], 0}, model->theta[1], SBL_TENSOR_F32},
        {"persons", 2, {model->persons, model->person_count}, model->person_rows, SBL_TENSOR_U16},
        {"counts", 1, {model->persons, 0}, model->counts, SBL_TENSOR_U32},
        {"events",
         2,
         {model->events, bases - model->person_count},
         model->event_rows,
         SBL_TENSOR_U16},
        {"steps", 1, {model->events, 0}, model->steps, SBL_TENSOR_U32}};
    SBL_TRY(sbl_safetensors_save(to, tensors, TENSORS, metadata, overwrite, err));
done:
    json_decref(metadata);
    return status;
}

/* ---- reading ---- */

typedef struct reading {
    sbl_history_model *model;
    const sbl_history_shape *shape;
    const sbl_safetensors *file;
    const char *where;
    sbl_error *err;
} reading;

static sbl_status impossible(const reading *in, const char *name)
{
    return sbl_fail(in->err, SBL_EINPUT, "%s: tensor '%s' of the model is impossible", in->where,
                    name);
}

/* A copy of a tensor of this type and shape; columns 0: of one dimension. */
static sbl_status copy(const reading *in, void *to, const char *name, sbl_tensor_type type,
                       size_t rows, size_t columns)
{
    const sbl_tensor *tensor = sbl_safetensors_find(in->file, name, type, rows, columns);
    void *made = sbl_pool_array(&in->model->pool, rows, columns == 0 ? 1 : columns,
                                type == SBL_TENSOR_U16 ? sizeof(uint16_t) : sizeof(uint32_t));
    if (tensor == NULL)
        return sbl_fail(in->err, SBL_EINPUT, "%s: tensor '%s' is missing or of another shape",
                        in->where, name);
    if (made == NULL) return sbl_no_memory(in->err, WHAT);
    memcpy(made, tensor->data,
           rows * (columns == 0 ? 1 : columns) *
               (type == SBL_TENSOR_U16 ? sizeof(uint16_t) : sizeof(uint32_t)));
    memcpy(to, &made, sizeof made); /* of whatever type the pointer is */
    return SBL_OK;
}

static size_t length_of(const reading *in, const char *name)
{
    for (size_t i = 0; i < in->file->count; i++)
        if (strcmp(in->file->tensors[i].name, name) == 0) return in->file->tensors[i].shape[0];
    return 0;
}

/* Shares of each code's cells: not below 0, sum 1. */
static bool cells_fit(const sbl_history_model *model, double *sums)
{
    for (size_t b = 0; b < model->base_count; b++) {
        memset(sums, 0, model->codes[b] * sizeof *sums);
        for (size_t c = model->cells_at[b]; c < model->cells_at[b + 1]; c++) {
            if (model->code_of[c] >= model->codes[b] || !(model->share[c] >= 0.0f)) return false;
            sums[model->code_of[c]] += (double)model->share[c];
        }
        for (uint32_t v = 0; v < model->codes[b]; v++)
            if (!(fabs(sums[v] - 1.0) <= SUM_TOLERANCE)) return false;
    }
    return true;
}

static sbl_status read_cells(const reading *in)
{
    sbl_history_model *model = in->model;
    const sbl_history_shape *shape = in->shape;
    sbl_error *err = in->err;
    double *sums = NULL;
    sbl_status status = SBL_OK;
    model->base_count = shape->base_count;
    model->person_count = shape->person_count;
    SBL_POOL(&model->pool, model->cells_at, shape->base_count + 1, 1, WHAT);
    SBL_ALLOC(sums, SBL_PAIRS_MOST_CELLS, WHAT);
    SBL_TRY(copy(in, &model->codes, "codes", SBL_TENSOR_U32, shape->base_count, 0));
    for (size_t b = 0; b < shape->base_count; b++) {
        if (model->codes[b] < 1 || model->codes[b] > shape->columns[b].cells)
            SBL_TRY(impossible(in, "codes"));
        model->cells_at[b + 1] = model->cells_at[b] + shape->columns[b].cells;
    }
    const size_t cells = model->cells_at[shape->base_count];
    SBL_TRY(copy(in, &model->code_of, "code_of", SBL_TENSOR_U32, cells, 0));
    SBL_TRY(copy(in, &model->share, "share", SBL_TENSOR_F32, cells, 0));
    if (!cells_fit(model, sums)) SBL_TRY(impossible(in, "share"));
done:
    sbl_free(sums);
    return status;
}

/* One table of two sides, which the shape must know. */
static bool is_table(const sbl_history_shape *shape, const uint32_t table[2], uint32_t *contexts)
{
    if (table[0] >= table[1] || table[1] >= shape->side_count) return false;
    for (int way = 0; way < 2; way++) {
        const uint32_t base = table[way], other = table[1 - way];
        if (base >= shape->base_count) continue;
        const size_t count = sbl_history_contexts_of(shape, base, contexts);
        for (size_t i = 0; i < count; i++)
            if (contexts[i] == other) return true;
    }
    return false;
}

static bool all_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

static sbl_status read_walk(const reading *in, bool of_events)
{
    sbl_history_model *model = in->model;
    const size_t which = of_events ? 1 : 0;
    const char *bias = of_events ? "event_bias" : "person_bias";
    const char *theta = of_events ? "event_theta" : "person_theta";
    sbl_walk walk = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_walk_init(&walk, in->shape, model->codes, of_events,
                          (const uint32_t(*)[2])model->tables, model->table_count, in->err));
    model->bias_size[which] = walk.bias_size;
    model->theta_size[which] = walk.table_size;
    SBL_TRY(copy(in, &model->bias[which], bias, SBL_TENSOR_F32, walk.bias_size, 0));
    SBL_TRY(copy(in, &model->theta[which], theta, SBL_TENSOR_F32, walk.table_size, 0));
    if (!all_finite(model->bias[which], walk.bias_size)) SBL_TRY(impossible(in, bias));
    if (!all_finite(model->theta[which], walk.table_size)) SBL_TRY(impossible(in, theta));
done:
    sbl_walk_clear(&walk);
    return status;
}

static sbl_status read_tables(const reading *in)
{
    sbl_history_model *model = in->model;
    sbl_error *err = in->err;
    uint32_t *contexts = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(contexts, in->shape->side_count, WHAT);
    model->table_count = length_of(in, "tables");
    SBL_TRY(copy(in, &model->tables, "tables", SBL_TENSOR_U32, model->table_count, 2));
    for (size_t t = 0; t < model->table_count; t++)
        if (!is_table(in->shape, model->tables[t], contexts)) SBL_TRY(impossible(in, "tables"));
    SBL_TRY(read_walk(in, false));
    SBL_TRY(read_walk(in, true));
done:
    sbl_free(contexts);
    return status;
}

static bool codes_fit(const uint16_t *rows, size_t count, const uint32_t *codes, size_t width)
{
    for (size_t r = 0; r < count; r++)
        for (size_t j = 0; j < width; j++)
            if (rows[r * width + j] >= codes[j]) return false;
    return true;
}

/* Times of a person do not go back, nor past the window. */
static bool times_fit(const reading *in)
{
    const sbl_history_model *model = in->model;
    size_t row = 0;
    for (size_t p = 0; p < model->persons; p++)
        for (uint32_t r = 0; r < model->counts[p]; r++, row++)
            if (in->shape->span != 0 && (model->steps[row] >= in->shape->span ||
                                         (r > 0 && model->steps[row] < model->steps[row - 1])))
                return false;
    return true;
}

static sbl_status read_state(const reading *in)
{
    sbl_history_model *model = in->model;
    const size_t width = model->base_count - model->person_count;
    size_t events = 0;
    sbl_status status = SBL_OK;
    model->persons = length_of(in, "persons");
    model->events = length_of(in, "events");
    if (model->persons < 1 || model->persons > UINT32_MAX || model->events > UINT32_MAX)
        return impossible(in, "persons");
    SBL_TRY(copy(in, &model->person_rows, "persons", SBL_TENSOR_U16, model->persons,
                 model->person_count));
    SBL_TRY(copy(in, &model->counts, "counts", SBL_TENSOR_U32, model->persons, 0));
    SBL_TRY(copy(in, &model->event_rows, "events", SBL_TENSOR_U16, model->events, width));
    SBL_TRY(copy(in, &model->steps, "steps", SBL_TENSOR_U32, model->events, 0));
    for (size_t p = 0; p < model->persons; p++) {
        if (model->counts[p] < 1 || model->counts[p] > in->shape->most)
            SBL_TRY(impossible(in, "counts"));
        events += model->counts[p];
    }
    if (events != model->events) SBL_TRY(impossible(in, "counts"));
    if (!codes_fit(model->person_rows, model->persons, model->codes, model->person_count) ||
        !codes_fit(model->event_rows, model->events, model->codes + model->person_count, width))
        SBL_TRY(impossible(in, "events"));
    if (!times_fit(in)) SBL_TRY(impossible(in, "steps"));
done:
    return status;
}

sbl_status sbl_history_model_read(sbl_history_model *model, const sbl_history_shape *shape,
                                  const sbl_safetensors *file, const char *where, sbl_error *err)
{
    const reading in = {model, shape, file, where, err};
    const char *format, *seed;
    sbl_status status = SBL_OK;
    *model = (sbl_history_model){0};
    SBL_TRY(sbl_json_get_string(&format, file->metadata, FORMAT, where, err));
    if (strcmp(format, FORMAT_NAME) != 0)
        SBL_FAIL(err, SBL_EINPUT, "%s: this version reads model format '%s' only", where,
                 FORMAT_NAME);
    SBL_TRY(sbl_json_get_string(&seed, file->metadata, SEED, where, err));
    if (!sbl_text_to_u64(&model->seed, seed))
        SBL_FAIL(err, SBL_EINPUT, "%s: '%s' is not a number", where, SEED);
    SBL_TRY(read_cells(&in));
    SBL_TRY(read_tables(&in));
    SBL_TRY(read_state(&in));
done:
    if (status != SBL_OK) sbl_history_model_clear(model);
    return status;
}
