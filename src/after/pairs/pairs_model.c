/* SPDX-License-Identifier: Apache-2.0 */
/* The pairwise model: its memory, and its file, written and read. */
#include "after/pairs/pairs_model.h"

#include <string.h>

#include "after/counts/bin_codes.h"
#include "after/pairs/trees_file.h"
#include "base/alloc.h"
#include "base/tensors/safetensors.h"
#include "base/text.h"

sbl_status sbl_pairs_model_init(sbl_pairs_model *model, const uint32_t *cells, const uint32_t *codes,
                                const uint32_t *groups, size_t count, size_t row_count, sbl_error *err)
{
    size_t total = 0;
    sbl_status status = SBL_OK;
    *model = (sbl_pairs_model){.row_count = row_count};
    SBL_TRY(sbl_potts_init(&model->potts, codes, groups, count, err));
    for (size_t j = 0; j < count; j++) total += cells[j];
    SBL_POOL(&model->pool, model->cells_at, count + 1, 1, "a model of pairs");
    SBL_POOL(&model->pool, model->code_of, total, 1, "a model of pairs");
    SBL_POOL(&model->pool, model->share, total, 1, "a model of pairs");
    SBL_POOL(&model->pool, model->rows, row_count, sbl_potts_row(&model->potts), "a model of pairs");
    for (size_t j = 0; j < count; j++) model->cells_at[j + 1] = model->cells_at[j] + cells[j];
done:
    if (status != SBL_OK) sbl_pairs_model_clear(model);
    return status;
}

void sbl_pairs_model_clear(sbl_pairs_model *model)
{
    sbl_potts_clear(&model->potts);
    sbl_pool_clear(&model->pool);
    *model = (sbl_pairs_model){0};
}

/* The model file: maps, parameters and state as tensors, everything else follows from their sizes.
 *
 * U32: cells (K), codes (K), groups (K), code_of (all cells), blocks (B, 3: first, second,
 * grouped); F32: share (all cells), bias (all codes), theta (all entries); U16: group_of (all
 * codes), rows (N, K). A file is read as anything may be: every size, code and number is checked.
 */

#define FORMAT "semblance.format"
#define FORMAT_NAME "pairs 1"
#define TREES_NAME "pairs 2" /* with trees (trees_file.h) */
#define TABLE_ROWS "semblance.pairs.rows"
#define SEED "semblance.pairs.seed"
#define TENSORS 10
#define CODE_OF 3 /* their places in the list */
#define SHARE 5
#define MOST_COLUMNS 100000

/* ---- writing ---- */

typedef struct parts {
    uint32_t *sizes;    /* cells, codes, groups: K each */
    uint32_t *blocks;   /* (B, 3) */
    uint16_t *group_of; /* all codes */
    uint16_t *rows;     /* (N, K) */
    sbl_pool pool;      /* of all these */
} parts;

static sbl_status gather_parts(parts *p, const sbl_pairs_model *model, sbl_error *err)
{
    const sbl_potts *potts = &model->potts;
    const size_t count = potts->count;
    sbl_status status = SBL_OK;
    SBL_POOL(&p->pool, p->sizes, count, 3, "a model file");
    SBL_POOL(&p->pool, p->blocks, potts->block_count, 3, "a model file");
    SBL_POOL(&p->pool, p->group_of, potts->bias_count, 1, "a model file");
    SBL_POOL(&p->pool, p->rows, model->row_count, count, "a model file");
    for (size_t j = 0; j < count; j++) {
        const sbl_potts_column *column = &potts->columns[j];
        p->sizes[j] = (uint32_t)(model->cells_at[j + 1] - model->cells_at[j]);
        p->sizes[count + j] = column->codes;
        p->sizes[2 * count + j] = column->groups;
        memcpy(p->group_of + column->bias_at, column->group_of, column->codes * sizeof *p->group_of);
    }
    for (size_t b = 0; b < potts->block_count; b++) {
        p->blocks[3 * b] = potts->blocks[b].first;
        p->blocks[3 * b + 1] = potts->blocks[b].second;
        p->blocks[3 * b + 2] = potts->blocks[b].grouped;
    }
    for (size_t r = 0; r < model->row_count; r++)
        memcpy(p->rows + r * count, model->rows + r * 2 * count, count * sizeof *p->rows);
done:
    return status;
}

static json_t *make_metadata(const sbl_pairs_model *model, const json_t *extra)
{
    json_t *metadata = extra ? json_deep_copy(extra) : json_object();
    metadata = sbl_json_put(metadata, FORMAT,
                            json_string(model->potts.trees.tree_count > 0 ? TREES_NAME : FORMAT_NAME));
    metadata =
        sbl_json_put(metadata, TABLE_ROWS, json_sprintf("%llu", (unsigned long long)model->table_rows));
    return sbl_json_put(metadata, SEED, json_sprintf("%llu", (unsigned long long)model->seed));
}

/* Both directions go by this list; of `p` only the writer has something. */
static void list_tensors(sbl_tensor tensors[TENSORS], const sbl_pairs_model *model, const parts *p)
{
    const sbl_potts *potts = &model->potts;
    const size_t count = potts->count, cells = model->cells_at[count];
    uint32_t *codes = p->sizes == NULL ? NULL : p->sizes + count;
    uint32_t *groups = p->sizes == NULL ? NULL : p->sizes + 2 * count;
    const sbl_tensor all[TENSORS] = {{"cells", 1, {count, 0}, p->sizes, SBL_TENSOR_U32},
                                     {"codes", 1, {count, 0}, codes, SBL_TENSOR_U32},
                                     {"groups", 1, {count, 0}, groups, SBL_TENSOR_U32},
                                     [CODE_OF] = {"code_of", 1, {cells, 0}, model->code_of, SBL_TENSOR_U32},
                                     {"blocks", 2, {potts->block_count, 3}, p->blocks, SBL_TENSOR_U32},
                                     [SHARE] = {"share", 1, {cells, 0}, model->share, SBL_TENSOR_F32},
                                     {"bias", 1, {potts->bias_count, 0}, potts->bias, SBL_TENSOR_F32},
                                     {"theta", 1, {potts->theta_count, 0}, potts->theta, SBL_TENSOR_F32},
                                     {"group_of", 1, {potts->bias_count, 0}, p->group_of, SBL_TENSOR_U16},
                                     {"rows", 2, {model->row_count, count}, p->rows, SBL_TENSOR_U16}};
    memcpy(tensors, all, sizeof all);
}

sbl_status sbl_pairs_model_save(const sbl_pairs_model *model, sbl_store_entry to, const json_t *extra,
                                bool overwrite, sbl_error *err)
{
    const bool trees = model->potts.trees.tree_count > 0;
    parts p = {0};
    sbl_tensor tensors[TENSORS + SBL_TREES_TENSORS];
    json_t *metadata = make_metadata(model, extra);
    sbl_status status = SBL_OK;
    if (metadata == NULL) SBL_TRY(sbl_no_memory(err, "a model file"));
    SBL_TRY(gather_parts(&p, model, err));
    list_tensors(tensors, model, &p);
    if (trees) SBL_TRY(sbl_trees_pack(tensors + TENSORS, &p.pool, &model->potts, err));
    SBL_TRY(sbl_safetensors_save(to, tensors, TENSORS + (trees ? SBL_TREES_TENSORS : 0), metadata, overwrite,
                                 err));
done:
    sbl_pool_clear(&p.pool);
    json_decref(metadata);
    return status;
}

/* ---- reading ---- */

static sbl_status find(const void **data, const sbl_safetensors *file, const char *name, sbl_tensor_type type,
                       size_t rows, size_t columns, const char *path, sbl_error *err)
{
    const sbl_tensor *tensor = sbl_safetensors_find(file, name, type, rows, columns);
    *data = tensor ? tensor->data : NULL;
    if (tensor) return SBL_OK;
    return sbl_fail(err, SBL_EINPUT, "%s: tensor '%s' is missing or has the wrong shape", path, name);
}

static bool sizes_fit(const uint32_t *cells, const uint32_t *codes, const uint32_t *groups, size_t count)
{
    for (size_t j = 0; j < count; j++)
        if (groups[j] < 1 || codes[j] < groups[j] || cells[j] < codes[j] || cells[j] > SBL_PAIRS_MOST_CELLS)
            return false;
    return true;
}

static sbl_status read_sizes(sbl_pairs_model *model, const sbl_safetensors *file, const char *path,
                             sbl_error *err)
{
    const size_t count = sbl_safetensors_length(file, "cells"), rows = sbl_safetensors_length(file, "rows");
    const void *cells, *codes, *groups;
    if (count < 1 || count > MOST_COLUMNS) return sbl_tensor_impossible(path, "cells", err);
    if (rows < 1 || rows > UINT32_MAX) return sbl_tensor_impossible(path, "rows", err);
    SBL_CHECK(find(&cells, file, "cells", SBL_TENSOR_U32, count, 0, path, err));
    SBL_CHECK(find(&codes, file, "codes", SBL_TENSOR_U32, count, 0, path, err));
    SBL_CHECK(find(&groups, file, "groups", SBL_TENSOR_U32, count, 0, path, err));
    if (!sizes_fit(cells, codes, groups, count)) return sbl_tensor_impossible(path, "codes", err);
    return sbl_pairs_model_init(model, cells, codes, groups, count, rows, err);
}

static bool cells_fit(const sbl_pairs_model *model, double *sums)
{
    for (size_t j = 0; j < model->potts.count; j++) {
        const size_t at = model->cells_at[j];
        if (!sbl_shares_fit(model->code_of + at, model->share + at, model->cells_at[j + 1] - at,
                            model->potts.columns[j].codes, sums))
            return false;
    }
    return true;
}

/* The tensors that lie in the file as in the model, of sizes that are known by now. */
static sbl_status read_numbers(sbl_pairs_model *model, const sbl_safetensors *file, const char *path,
                               sbl_error *err)
{
    const sbl_potts *potts = &model->potts;
    const parts none = {0};
    sbl_tensor tensors[TENSORS];
    sbl_status status = SBL_OK;
    double *sums;
    SBL_ALLOC(sums, SBL_PAIRS_MOST_CELLS, "a model file");
    list_tensors(tensors, model, &none);
    SBL_TRY(sbl_safetensors_read(file, tensors + CODE_OF, 1, path, err));
    SBL_TRY(sbl_safetensors_read(file, tensors + SHARE, 3, path, err));
    if (!cells_fit(model, sums)) SBL_TRY(sbl_tensor_impossible(path, "share", err));
    if (!sbl_all_finite(potts->theta, potts->theta_count)) SBL_TRY(sbl_tensor_impossible(path, "theta", err));
    if (!sbl_all_finite(potts->bias, potts->bias_count)) SBL_TRY(sbl_tensor_impossible(path, "bias", err));
done:
    sbl_free(sums);
    return status;
}

static sbl_status read_blocks(sbl_potts *potts, const sbl_safetensors *file, const char *path, sbl_error *err)
{
    const size_t blocks = sbl_safetensors_length(file, "blocks"),
                 entries = sbl_safetensors_length(file, "theta");
    const void *data;
    SBL_CHECK(find(&data, file, "blocks", SBL_TENSOR_U32, blocks, 3, path, err));
    const uint32_t *block = data;
    for (size_t b = 0; b < blocks; b++, block += 3) {
        const bool known = block[0] < block[1] && block[1] < potts->count && block[2] <= 1;
        if (!known || (size_t)sbl_potts_size(potts, block[0], block[2] == 1) *
                              sbl_potts_size(potts, block[1], block[2] == 1) >
                          entries - potts->theta_count)
            return sbl_tensor_impossible(path, "blocks", err);
        SBL_CHECK(sbl_potts_add(potts, block[0], block[1], block[2] == 1, err));
    }
    return SBL_OK;
}

static sbl_status read_groups(sbl_potts *potts, const sbl_safetensors *file, const char *path, sbl_error *err)
{
    const void *data;
    const sbl_status status = find(&data, file, "group_of", SBL_TENSOR_U16, potts->bias_count, 0, path, err);
    if (status != SBL_OK) return status;
    const uint16_t *group_of = data;
    for (size_t j = 0; j < potts->count; j++)
        for (uint32_t v = 0; v < potts->columns[j].codes; v++) {
            const uint16_t group = group_of[potts->columns[j].bias_at + v];
            if (group >= potts->columns[j].groups) return sbl_tensor_impossible(path, "group_of", err);
            potts->columns[j].group_of[v] = group;
        }
    return SBL_OK;
}

static sbl_status read_rows(sbl_pairs_model *model, const sbl_safetensors *file, const char *path,
                            sbl_error *err)
{
    const size_t count = model->potts.count;
    const void *data;
    const sbl_status status = find(&data, file, "rows", SBL_TENSOR_U16, model->row_count, count, path, err);
    if (status != SBL_OK) return status;
    const uint16_t *codes = data;
    for (size_t r = 0; r < model->row_count; r++)
        for (size_t j = 0; j < count; j++) {
            const uint16_t code = codes[r * count + j];
            if (code >= model->potts.columns[j].codes) return sbl_tensor_impossible(path, "rows", err);
            model->rows[r * 2 * count + j] = code;
        }
    sbl_potts_set_groups(&model->potts, model->rows, model->row_count);
    return SBL_OK;
}

static sbl_status read_number(uint64_t *value, const json_t *metadata, const char *name, const char *path,
                              sbl_error *err)
{
    const char *text;
    SBL_CHECK(sbl_json_get_string(&text, metadata, name, path, err));
    return sbl_text_to_u64(value, text) ? SBL_OK
                                        : sbl_fail(err, SBL_EINPUT, "%s: '%s' is not a number", path, name);
}

static sbl_status read_model(sbl_pairs_model *model, const sbl_safetensors *file, const char *path,
                             sbl_error *err)
{
    const char *format;
    SBL_CHECK(sbl_json_get_string(&format, file->metadata, FORMAT, path, err));
    const bool trees = strcmp(format, TREES_NAME) == 0;
    if (!trees && strcmp(format, FORMAT_NAME) != 0)
        return sbl_fail(err, SBL_EINPUT,
                        "%s: this version reads only the model formats '%s' and '%s': use the version that "
                        "wrote the file",
                        path, FORMAT_NAME, TREES_NAME);
    SBL_CHECK(read_sizes(model, file, path, err));
    SBL_CHECK(read_number(&model->table_rows, file->metadata, TABLE_ROWS, path, err));
    SBL_CHECK(read_number(&model->seed, file->metadata, SEED, path, err));
    SBL_CHECK(read_groups(&model->potts, file, path, err));
    SBL_CHECK(read_blocks(&model->potts, file, path, err));
    SBL_CHECK(read_numbers(model, file, path, err));
    if (trees) SBL_CHECK(sbl_trees_unpack(&model->potts, file, path, err));
    return read_rows(model, file, path, err);
}

sbl_status sbl_pairs_model_read(sbl_pairs_model *model, const sbl_safetensors *file, const char *where,
                                sbl_error *err)
{
    *model = (sbl_pairs_model){0};
    const sbl_status status = read_model(model, file, where, err);
    if (status != SBL_OK) sbl_pairs_model_clear(model);
    return status;
}
