/* SPDX-License-Identifier: Apache-2.0 */
/* The model file: codes, parameters and state as tensors; sizes follow from the shape. A file is read as
 * anything may be: every size, code and number is checked.
 *
 * U32: codes (bases), code_of (all cells), tables (T, 2), counts (persons), steps (events); F32: share (all
 * cells), person_bias, person_theta, event_bias, event_theta; U16: persons (N, the person's bases), events
 * (M, the event's bases). What is of the second link has the name with ".1", and so on. */
#include "after/histories/history_model.h"

#include <stdio.h>
#include <string.h>

#include "after/counts/bin_codes.h"
#include "base/text.h"

#define WHAT "a model file"
#define FORMAT "semblance.format"
#define FORMAT_NAME "histories 1"
#define SEED "semblance.histories.seed"
#define PERSON_TENSORS 7
#define LINK_TENSORS 5
#define NAME_SIZE SBL_TENSOR_NAME_SIZE

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

/* The name of a tensor of one link. */
static const char *link_name(char name[NAME_SIZE], const char *what, size_t link)
{
    if (link == 0) return what;
    (void)snprintf(name, NAME_SIZE, "%s.%zu", what, link);
    return name;
}

static void add_link(sbl_tensor *tensors, const sbl_history_events *of, size_t l)
{
    const sbl_tensor own[LINK_TENSORS] = {
        {"event_bias", 1, {of->field.bias_size, 0}, of->field.bias, SBL_TENSOR_F32},
        {"event_theta", 1, {of->field.theta_size, 0}, of->field.theta, SBL_TENSOR_F32},
        {"counts", 1, {of->parents, 0}, of->counts, SBL_TENSOR_U32},
        {"events", 2, {of->events, of->width}, of->rows, SBL_TENSOR_U16},
        {"steps", 1, {of->events, 0}, of->steps, SBL_TENSOR_U32}};
    memcpy(tensors, own, sizeof own);
    for (size_t i = 0; i < LINK_TENSORS; i++)
        if (l > 0) (void)link_name(tensors[i].name, own[i].name, l);
}

sbl_status sbl_history_model_save(const sbl_history_model *model, sbl_store_entry to, const json_t *extra,
                                  bool overwrite, sbl_error *err)
{
    const size_t bases = model->base_count, cells = model->cells_at[bases];
    const size_t count = PERSON_TENSORS + LINK_TENSORS * model->link_count;
    json_t *metadata = make_metadata(model, extra);
    sbl_tensor *tensors = NULL;
    sbl_status status = SBL_OK;
    if (metadata == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
    SBL_ALLOC(tensors, count, WHAT);
    const sbl_tensor persons[PERSON_TENSORS] = {
        {"codes", 1, {bases, 0}, model->codes, SBL_TENSOR_U32},
        {"code_of", 1, {cells, 0}, model->code_of, SBL_TENSOR_U32},
        {"share", 1, {cells, 0}, model->share, SBL_TENSOR_F32},
        {"tables", 2, {model->table_count, 2}, model->tables, SBL_TENSOR_U32},
        {"person_bias", 1, {model->field.bias_size, 0}, model->field.bias, SBL_TENSOR_F32},
        {"person_theta", 1, {model->field.theta_size, 0}, model->field.theta, SBL_TENSOR_F32},
        {"persons", 2, {model->persons, model->person_count}, model->person_rows, SBL_TENSOR_U16}};
    memcpy(tensors, persons, sizeof persons);
    for (size_t l = 0; l < model->link_count; l++)
        add_link(tensors + PERSON_TENSORS + LINK_TENSORS * l, &model->links[l], l);
    SBL_TRY(sbl_safetensors_save(to, tensors, count, metadata, overwrite, err));
done:
    sbl_free(tensors);
    json_decref(metadata);
    return status;
}

/* ---- reading ---- */

typedef struct reading {
    sbl_history_model *model;
    const sbl_history_tree *tree;
    const sbl_safetensors *file;
    const char *where;
    sbl_error *err;
} reading;

static sbl_status impossible(const reading *in, const char *name)
{
    return sbl_tensor_impossible(in->where, name, in->err);
}

/* A copy of a tensor of this type and shape; columns 0: of one dimension. */
static sbl_status copy(const reading *in, void *to, const char *name, sbl_tensor_type type, size_t rows,
                       size_t columns)
{
    void *made =
        sbl_pool_array(&in->model->pool, rows, columns == 0 ? 1 : columns, sbl_tensor_value_size(type));
    sbl_tensor tensor = {.rank = columns == 0 ? 1 : 2, .shape = {rows, columns}, .data = made, .type = type};
    if (made == NULL) return sbl_no_memory(in->err, WHAT);
    (void)snprintf(tensor.name, sizeof tensor.name, "%s", name);
    memcpy(to, &made, sizeof made); /* of whatever type the pointer is */
    return sbl_safetensors_read(in->file, &tensor, 1, in->where, in->err);
}

static size_t length_of(const reading *in, const char *name)
{
    return sbl_safetensors_length(in->file, name);
}

static bool cells_fit(const sbl_history_model *model, double *sums)
{
    for (size_t b = 0; b < model->base_count; b++) {
        const size_t at = model->cells_at[b];
        if (!sbl_shares_fit(model->code_of + at, model->share + at, model->cells_at[b + 1] - at,
                            model->codes[b], sums))
            return false;
    }
    return true;
}

static sbl_status read_cells(const reading *in)
{
    sbl_history_model *model = in->model;
    const sbl_history_tree *tree = in->tree;
    sbl_error *err = in->err;
    double *sums = NULL;
    sbl_status status = SBL_OK;
    model->base_count = tree->base_count;
    model->person_count = tree->person_count;
    SBL_POOL(&model->pool, model->cells_at, tree->base_count + 1, 1, WHAT);
    SBL_ALLOC(sums, SBL_PAIRS_MOST_CELLS, WHAT);
    SBL_TRY(copy(in, &model->codes, "codes", SBL_TENSOR_U32, tree->base_count, 0));
    for (size_t b = 0; b < tree->base_count; b++) {
        if (model->codes[b] < 1 || model->codes[b] > tree->columns[b].cells) SBL_TRY(impossible(in, "codes"));
        model->cells_at[b + 1] = model->cells_at[b] + tree->columns[b].cells;
    }
    const size_t cells = model->cells_at[tree->base_count];
    SBL_TRY(copy(in, &model->code_of, "code_of", SBL_TENSOR_U32, cells, 0));
    SBL_TRY(copy(in, &model->share, "share", SBL_TENSOR_F32, cells, 0));
    if (!cells_fit(model, sums)) SBL_TRY(impossible(in, "share"));
done:
    sbl_free(sums);
    return status;
}

/* One table of two sides, which the tree must know. */
static bool is_table(const sbl_history_tree *tree, const uint32_t sides[2], uint32_t *contexts)
{
    if (sides[0] >= sides[1] || sides[1] >= tree->side_count) return false;
    const sbl_tree_table table = sbl_tree_table_of(tree, sides[0], sides[1]);
    const sbl_history_shape *link = &tree->links[table.link];
    if (table.first == SBL_NO_SIDE || table.second == SBL_NO_SIDE) return false;
    for (int way = 0; way < 2; way++) {
        const uint32_t base = way == 0 ? table.first : table.second;
        const uint32_t other = way == 0 ? table.second : table.first;
        if (base >= link->base_count) continue;
        const size_t count = sbl_history_contexts_of(link, base, contexts);
        for (size_t i = 0; i < count; i++)
            if (contexts[i] == other) return true;
    }
    return false;
}

/* link SBL_HISTORY_NONE: of persons. */
static sbl_status read_walk(const reading *in, sbl_history_field *field, size_t link)
{
    const sbl_history_model *model = in->model;
    const bool of_events = link != SBL_HISTORY_NONE;
    char names[2][NAME_SIZE];
    const char *bias = of_events ? link_name(names[0], "event_bias", link) : "person_bias";
    const char *theta = of_events ? link_name(names[1], "event_theta", link) : "person_theta";
    sbl_walk walk = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_walk_init(&walk, &in->tree->links[of_events ? link : 0], model->codes, of_events,
                          (const uint32_t(*)[2])model->tables, model->table_count, in->err));
    field->bias_size = walk.bias_size;
    field->theta_size = walk.table_size;
    SBL_TRY(copy(in, &field->bias, bias, SBL_TENSOR_F32, walk.bias_size, 0));
    SBL_TRY(copy(in, &field->theta, theta, SBL_TENSOR_F32, walk.table_size, 0));
    if (!sbl_all_finite(field->bias, walk.bias_size)) SBL_TRY(impossible(in, bias));
    if (!sbl_all_finite(field->theta, walk.table_size)) SBL_TRY(impossible(in, theta));
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
    SBL_ALLOC(contexts, in->tree->side_count, WHAT);
    model->table_count = length_of(in, "tables");
    SBL_TRY(copy(in, &model->tables, "tables", SBL_TENSOR_U32, model->table_count, 2));
    for (size_t t = 0; t < model->table_count; t++)
        if (!is_table(in->tree, model->tables[t], contexts)) SBL_TRY(impossible(in, "tables"));
    model->link_count = in->tree->link_count;
    SBL_POOL(&model->pool, model->links, model->link_count, 1, WHAT);
    SBL_TRY(read_walk(in, &model->field, SBL_HISTORY_NONE));
    for (size_t l = 0; l < model->link_count; l++) SBL_TRY(read_walk(in, &model->links[l].field, l));
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

/* Times do not go back, nor past the window. */
static bool times_fit(const sbl_history_events *of, const sbl_history_shape *link)
{
    size_t row = 0;
    for (size_t p = 0; p < of->parents; p++)
        for (uint32_t r = 0; r < of->counts[p]; r++, row++)
            if (link->span != 0 &&
                (of->steps[row] >= link->span || (r > 0 && of->steps[row] < of->steps[row - 1])))
                return false;
    return true;
}

static bool counts_fit(const sbl_history_events *of, const sbl_history_shape *link)
{
    uint64_t events = 0;
    for (size_t p = 0; p < of->parents; p++) {
        if (of->counts[p] < link->least || of->counts[p] > link->most) return false;
        events += of->counts[p];
    }
    return events == of->events;
}

/* The events of the state that refer to rows read before. */
static sbl_status read_link(const reading *in, size_t l)
{
    const sbl_history_shape *link = &in->tree->links[l];
    sbl_history_model *model = in->model;
    sbl_history_events *of = &model->links[l];
    char name[NAME_SIZE];
    of->width = link->base_count - link->person_count;
    of->parents = link->parent == SBL_HISTORY_NONE ? model->persons : model->links[link->parent].events;
    of->events = length_of(in, link_name(name, "events", l));
    if (of->events > UINT32_MAX) return impossible(in, link_name(name, "events", l));
    SBL_CHECK(copy(in, &of->counts, link_name(name, "counts", l), SBL_TENSOR_U32, of->parents, 0));
    SBL_CHECK(copy(in, &of->rows, link_name(name, "events", l), SBL_TENSOR_U16, of->events, of->width));
    SBL_CHECK(copy(in, &of->steps, link_name(name, "steps", l), SBL_TENSOR_U32, of->events, 0));
    if (!counts_fit(of, link)) SBL_CHECK(impossible(in, link_name(name, "counts", l)));
    if (!codes_fit(of->rows, of->events, model->codes + in->tree->events_at[l], of->width))
        SBL_CHECK(impossible(in, link_name(name, "events", l)));
    if (!times_fit(of, link)) SBL_CHECK(impossible(in, link_name(name, "steps", l)));
    return SBL_OK;
}

static sbl_status read_state(const reading *in)
{
    sbl_history_model *model = in->model;
    model->persons = length_of(in, "persons");
    if (model->persons < 1 || model->persons > UINT32_MAX) return impossible(in, "persons");
    SBL_CHECK(copy(in, &model->person_rows, "persons", SBL_TENSOR_U16, model->persons, model->person_count));
    if (!codes_fit(model->person_rows, model->persons, model->codes, model->person_count))
        SBL_CHECK(impossible(in, "persons"));
    for (size_t l = 0; l < model->link_count; l++) SBL_CHECK(read_link(in, l));
    return SBL_OK;
}

sbl_status sbl_history_model_read(sbl_history_model *model, const sbl_history_tree *tree,
                                  const sbl_safetensors *file, const char *where, sbl_error *err)
{
    const reading in = {model, tree, file, where, err};
    const char *format, *seed;
    sbl_status status = SBL_OK;
    *model = (sbl_history_model){0};
    SBL_TRY(sbl_json_get_string(&format, file->metadata, FORMAT, where, err));
    if (strcmp(format, FORMAT_NAME) != 0)
        SBL_FAIL(err, SBL_EINPUT,
                 "%s: this version reads only model format '%s': use the version that wrote the file", where,
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
