/* SPDX-License-Identifier: Apache-2.0 */
/* The model file: what is saved is what is loaded, and nothing else is. */
#include <math.h>
#include <string.h>

#include "../model/model_file.h"
#include "after/pairs/pairs_sampler.h"
#include "base/tensors/safetensors.h"
#include "support/cmocka_all.h"
#include "toy_table.h"

/* From a file; metadata may be NULL, else json_decref. */
static sbl_status load_model(sbl_pairs_model *model, json_t **metadata, const char *path, sbl_error *err)
{
    sbl_safetensors file;
    *model = (sbl_pairs_model){0};
    sbl_status status = sbl_safetensors_load(&file, sbl_file_item(path), err);
    if (status != SBL_OK) return status;
    status = sbl_pairs_model_read(model, &file, path, err);
    if (status == SBL_OK && metadata) *metadata = json_incref(file.metadata);
    sbl_safetensors_clear(&file);
    return status;
}

static toy_table table;
static sbl_pairs_model model;

static int make_model(void **state)
{
    sbl_error err = {0};
    toy_table_make(&table, 1200);
    const sbl_pairs_setting setting = toy_setting(&table, 3);
    if (toy_fit(&table, &setting, &model, &err) != SBL_OK) return -1;
    return model_file_setup(state);
}

static int free_model(void **state)
{
    sbl_pairs_model_clear(&model);
    toy_table_free(&table);
    return remove_folder(state);
}

static sbl_status load(const char *path)
{
    sbl_pairs_model other;
    sbl_error err = {0};
    const sbl_status status = load_model(&other, NULL, path, &err);
    if (status != SBL_OK) {
        assert_null(other.rows);
        assert_null(other.potts.columns);
        assert_null(strchr(err.message, '\n'));
    }
    sbl_pairs_model_clear(&other);
    return status;
}

TEST(what_is_saved_is_loaded)
{
    sbl_pairs_model other;
    sbl_error err = {0};
    json_t *extra = json_pack("{s:s}", "note", "kept"), *read = NULL;
    const size_t cells = model.cells_at[TOY_COLUMNS];
    assert_ok(sbl_pairs_model_save(&model, sbl_file_item(model_path), extra, true, &err));
    assert_ok(load_model(&other, &read, model_path, &err));
    assert_string_equal(json_string_value(json_object_get(read, "note")), "kept");
    assert_int_equal(other.row_count, model.row_count);
    assert_int_equal(other.table_rows, 1200);
    assert_int_equal(other.seed, model.seed);
    assert_memory_equal(other.rows, model.rows, model.row_count * 2 * TOY_COLUMNS * 2);
    assert_memory_equal(other.code_of, model.code_of, cells * sizeof *model.code_of);
    assert_memory_equal(other.share, model.share, cells * sizeof *model.share);
    assert_int_equal(other.potts.block_count, model.potts.block_count);
    assert_int_equal(other.potts.theta_count, model.potts.theta_count);
    assert_memory_equal(other.potts.theta, model.potts.theta, model.potts.theta_count * 4);
    assert_memory_equal(other.potts.bias, model.potts.bias, model.potts.bias_count * 4);
    for (size_t b = 0; b < model.potts.block_count; b++)
        assert_int_equal(other.potts.blocks[b].at, model.potts.blocks[b].at);
    sbl_pairs_model_clear(&other);
    json_decref(extra);
    json_decref(read);
}

TEST(damage_is_found)
{
    sbl_error err = {0};
    assert_ok(sbl_pairs_model_save(&model, sbl_file_item(model_path), NULL, true, &err));
    damaged_files_are_refused(load);
}

TEST(each_lack_of_memory_is_an_error)
{
    sbl_error err = {0};
    assert_ok(sbl_pairs_model_save(&model, sbl_file_item(model_path), NULL, true, &err));
    assert_true(lack_of_memory_is_an_error(load) > 10);
}

/* A whole file, one value of one tensor changed before it was written. */
TEST(impossible_models_are_refused)
{
    sbl_error err = {0};
    struct {
        void *where;
        size_t size;
        const void *value;
    } faults[] = {{&model.code_of[3], sizeof(uint32_t), &(uint32_t){9999}},
                  {&model.share[3], sizeof(float), &(float){2}},
                  {&model.share[3], sizeof(float), &(float){NAN}},
                  {&model.potts.theta[5], sizeof(float), &(float){INFINITY}},
                  {&model.potts.bias[2], sizeof(float), &(float){NAN}},
                  {&model.rows[2 * TOY_COLUMNS], sizeof(uint16_t), &(uint16_t){60000}},
                  {&model.potts.columns[1].group_of[0], sizeof(uint16_t), &(uint16_t){60000}},
                  {&model.potts.blocks[0].second, sizeof(uint32_t), &(uint32_t){6}},
                  {&model.potts.blocks[0].first, sizeof(uint32_t), &(uint32_t){5}},
                  {&model.potts.columns[1].groups, sizeof(uint32_t), &(uint32_t){0}},
                  {&model.potts.columns[1].codes, sizeof(uint32_t), &(uint32_t){1}}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        uint8_t before[8];
        memcpy(before, faults[i].where, faults[i].size);
        memcpy(faults[i].where, faults[i].value, faults[i].size);
        assert_ok(sbl_pairs_model_save(&model, sbl_file_item(model_path), NULL, true, &err));
        memcpy(faults[i].where, before, faults[i].size);
        assert_int_equal(load(model_path), SBL_EINPUT);
    }
    assert_ok(sbl_pairs_model_save(&model, sbl_file_item(model_path), NULL, true, &err));
    assert_ok(load(model_path));
    assert_int_equal(sbl_pairs_model_save(&model, sbl_file_item(model_path), NULL, false, &err), SBL_EIO);
}

ALL_TESTS(make_model, free_model)
