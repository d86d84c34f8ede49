/* SPDX-License-Identifier: Apache-2.0 */
/* The model of Gaussians and its file: a whole file with a wrong content is refused, and lack of
 * memory is reported. What a good file gives back: test_gauss_sampler.c; what all models refuse:
 * test_model.c. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "after/model/gauss_model.h"
#include "base/alloc.h"
#include "base/tensors/safetensors.h"
#include "model/model_file.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/ron_release.h"

#define WIDTH 5 /* two numbers, categories of 3 and 2 codes */
#define LATENTS 2
#define ONEHOT 5

static void make_model(sbl_gauss_model *model)
{
    sbl_unit_record record;
    sbl_error err = {0};
    ron_record(&record, 2, true, 2, false, true);
    assert_ok(sbl_gauss_model_init(model, &record, false, WIDTH, LATENTS, &err));
    model->shares[0] = 0.25F;
    model->shares[1] = 0.75F;
    for (size_t i = 0; i < 2 * WIDTH; i++) model->means[i] = 0.01F * (float)i;
    for (size_t i = 0; i < 2 * LATENTS * WIDTH; i++) model->factors[i] = 0.02F * (float)i;
    sbl_unit_record_clear(&record);
}

static sbl_status load(const char *path)
{
    sbl_safetensors file;
    sbl_gauss_model again;
    sbl_error err = {0};
    sbl_status status = sbl_safetensors_load(&file, sbl_file_item(path), &err);
    if (status != SBL_OK) return status;
    status = sbl_gauss_model_read(&again, &file, path, &err);
    if (status != SBL_OK) assert_null(again.means);
    sbl_gauss_model_clear(&again);
    sbl_safetensors_clear(&file);
    return status;
}

static void save_model(void)
{
    sbl_gauss_model model;
    sbl_error err = {0};
    json_t *metadata = json_object();
    make_model(&model);
    assert_ok(sbl_gauss_model_save(&model, sbl_file_item(model_path), metadata, true, &err));
    sbl_gauss_model_clear(&model);
    json_decref(metadata);
}

TEST(cut_or_edited_file_is_refused)
{
    save_model();
    damaged_files_are_refused(load);
}

/* A whole file with these facts and `count` of the model's tensors. */
static sbl_status load_written(const sbl_gauss_model *model, const char *facts, size_t count)
{
    sbl_error err = {0};
    const sbl_tensor tensors[] = {
        {"means", 2, {2, WIDTH}, model->means, SBL_TENSOR_F32},
        {"factors", 2, {2 * LATENTS, WIDTH}, model->factors, SBL_TENSOR_F32},
        {"class_shares", 1, {2, 0}, model->shares, SBL_TENSOR_F32},
        {"offsets", 2, {2, ONEHOT}, model->offsets, SBL_TENSOR_F32},
    };
    json_t *metadata = json_object();
    if (facts) json_object_set_new(metadata, "semblance.gauss", json_string(facts));
    assert_ok(sbl_safetensors_save(sbl_file_item(model_path), tensors, count, metadata, true, &err));
    json_decref(metadata);
    return load(model_path);
}

TEST(whole_file_with_wrong_content_is_refused)
{
    static const char *const sizes[] = {
        "{\"record\":%s,\"projected\":false,\"width\":5,\"latents\":2,\"stretch\":1.0}",
        "{\"record\":%s,\"projected\":false,\"width\":4,\"latents\":2,\"stretch\":1.0}",
        "{\"record\":%s,\"projected\":false,\"width\":5,\"latents\":6,\"stretch\":1.0}",
        "{\"record\":%s,\"projected\":false,\"width\":5,\"latents\":0,\"stretch\":1.0}",
        "{\"record\":%s,\"projected\":false,\"width\":5,\"latents\":2,\"stretch\":0.0}",
        "{\"record\":%s,\"projected\":true,\"width\":6,\"latents\":2,\"stretch\":1.0}",
        "{\"record\":%s,\"projected\":true,\"width\":0,\"latents\":2,\"stretch\":1.0}",
        "{\"record\":%s,\"projected\":false,\"width\":5,\"latents\":2}",
        "{\"record\":{},\"other\":%s}",
    };
    sbl_gauss_model model;
    char facts[2000];
    make_model(&model);
    json_t *record = sbl_unit_record_to_json(&model.record);
    char *text = sbl_json_canonical(record);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        (void)snprintf(facts, sizeof facts, sizes[i], text);
        assert_int_equal(load_written(&model, facts, 4), i == 0 ? SBL_OK : SBL_EINPUT);
    }
    (void)snprintf(facts, sizeof facts, sizes[0], text);
    for (size_t count = 1; count < 4; count++)
        assert_int_equal(load_written(&model, facts, count), SBL_EINPUT);
    assert_int_equal(load_written(&model, NULL, 4), SBL_EINPUT);
    assert_int_equal(load_written(&model, "no facts", 4), SBL_EINPUT);
    sbl_free(text);
    json_decref(record);
    sbl_gauss_model_clear(&model);
}

TEST(lack_of_memory_is_reported)
{
    sbl_gauss_model model;
    sbl_error err = {0};
    json_t *metadata = json_object();
    long n = 1;
    make_model(&model);
    for (;; n++) {
        sbl_test_fail_alloc(n);
        const sbl_status status =
            sbl_gauss_model_save(&model, sbl_file_item(model_path), metadata, true, &err);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
    }
    sbl_test_fail_alloc(0);
    assert_true(n > 1);
    json_decref(metadata);
    sbl_gauss_model_clear(&model);
    assert_true(lack_of_memory_is_an_error(load) > 3);
}

TEST(sizes_beyond_memory_are_refused)
{
    sbl_unit_record record;
    sbl_gauss_model model;
    sbl_error err = {0};
    ron_record(&record, 2, true, 2, false, true);
    assert_int_equal(sbl_gauss_model_init(&model, &record, false, WIDTH, SIZE_MAX, &err), SBL_EMEM);
    assert_null(model.means);
    assert_int_equal(sbl_gauss_model_init(&model, &record, false, SIZE_MAX, 1, &err), SBL_EMEM);
    assert_null(model.means);
    sbl_unit_record_clear(&record);
}

ALL_TESTS(model_file_setup, remove_folder)
