/* The model of Gaussians and its file: cut or edited files are refused, whole ones with a wrong
 * content too, and lack of memory is reported. What a good file gives back: test_gauss_sampler.c.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "model/gauss_model.h"
#include "model/safetensors.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/ron_release.h"
#include "support/temp_folder.h"

#define WIDTH 5 /* two numbers, categories of 3 and 2 codes */
#define LATENTS 2
#define ONEHOT 5

static char folder[256];
static char path[300];

static int setup(void **state)
{
    (void)state;
    temp_folder_make(folder);
    (void)snprintf(path, sizeof path, "%s/m.safetensors", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_folder_remove(folder);
    return 0;
}

static void make_model(sbl_gauss_model *model)
{
    sbl_unit_record record;
    sbl_error err = {0};
    ron_record(&record, 2, true, 2, false, true);
    assert_int_equal(sbl_gauss_model_init(model, &record, false, WIDTH, LATENTS, &err), SBL_OK);
    model->shares[0] = 0.25F;
    model->shares[1] = 0.75F;
    for (size_t i = 0; i < 2 * WIDTH; i++) model->means[i] = 0.01F * (float)i;
    for (size_t i = 0; i < 2 * LATENTS * WIDTH; i++) model->factors[i] = 0.02F * (float)i;
    sbl_unit_record_clear(&record);
}

static void cut_or_edited_file_is_refused(void **state)
{
    (void)state;
    sbl_gauss_model model, again;
    sbl_error err = {0};
    uint8_t *bytes;
    size_t size;
    make_model(&model);
    assert_int_equal(sbl_gauss_model_save(&model, path, NULL, true, &err), SBL_OK);
    sbl_gauss_model_clear(&model);
    assert_int_equal(sbl_file_read(&bytes, &size, path, 1 << 20, &err), SBL_OK);
    const sbl_file_write_options over = {.mode = 0644, .overwrite = true};
    for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 61) {
        assert_int_equal(sbl_file_write(path, bytes, cut, over, &err), SBL_OK);
        assert_int_equal(sbl_gauss_model_load(&again, NULL, path, &err), SBL_EINPUT);
        assert_null(again.means);
    }
    for (size_t at = 8; at < size; at += 37) {
        bytes[at] ^= 1;
        assert_int_equal(sbl_file_write(path, bytes, size, over, &err), SBL_OK);
        assert_int_equal(sbl_gauss_model_load(&again, NULL, path, &err), SBL_EINPUT);
        bytes[at] ^= 1;
    }
    sbl_free(bytes);
    assert_int_equal(sbl_gauss_model_load(&again, NULL, "/nonexistent/m", &err), SBL_EIO);
}

/* A whole file with this format, these facts and `count` of the model's tensors. */
static sbl_status load_written(const sbl_gauss_model *model, const char *format, const char *facts,
                               size_t count)
{
    sbl_gauss_model again;
    sbl_error err = {0};
    const sbl_tensor tensors[] = {
        {"means", 2, {2, WIDTH}, model->means},
        {"factors", 2, {2 * LATENTS, WIDTH}, model->factors},
        {"class_shares", 1, {2, 0}, model->shares},
        {"offsets", 2, {2, ONEHOT}, model->offsets},
    };
    json_t *metadata = json_object();
    if (format) json_object_set_new(metadata, "semblance.format", json_string(format));
    if (facts) json_object_set_new(metadata, "semblance.gauss", json_string(facts));
    assert_int_equal(sbl_safetensors_save(path, tensors, count, metadata, true, &err), SBL_OK);
    json_decref(metadata);
    const sbl_status status = sbl_gauss_model_load(&again, NULL, path, &err);
    if (status != SBL_OK) assert_null(again.means);
    sbl_gauss_model_clear(&again);
    return status;
}

static void whole_file_with_wrong_content_is_refused(void **state)
{
    (void)state;
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
        assert_int_equal(load_written(&model, SBL_GAUSS_FORMAT, facts, 4),
                         i == 0 ? SBL_OK : SBL_EINPUT);
    }
    (void)snprintf(facts, sizeof facts, sizes[0], text);
    for (size_t count = 1; count < 4; count++)
        assert_int_equal(load_written(&model, SBL_GAUSS_FORMAT, facts, count), SBL_EINPUT);
    assert_int_equal(load_written(&model, "gauss 2", facts, 4), SBL_EINPUT);
    assert_int_equal(load_written(&model, NULL, facts, 4), SBL_EINPUT);
    assert_int_equal(load_written(&model, SBL_GAUSS_FORMAT, NULL, 4), SBL_EINPUT);
    assert_int_equal(load_written(&model, SBL_GAUSS_FORMAT, "no facts", 4), SBL_EINPUT);
    sbl_free(text);
    json_decref(record);
    sbl_gauss_model_clear(&model);
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    sbl_gauss_model model, again;
    sbl_error err = {0};
    long n = 1;
    make_model(&model);
    for (;; n++) {
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_gauss_model_save(&model, path, NULL, true, &err);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
    }
    assert_true(n > 1);
    for (n = 1;; n++) {
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_gauss_model_load(&again, NULL, path, &err);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
        assert_null(again.means);
    }
    assert_true(n > 4);
    sbl_test_fail_alloc(0);
    assert_memory_equal(again.means, model.means, 2 * WIDTH * sizeof(float));
    sbl_gauss_model_clear(&again);
    sbl_gauss_model_clear(&model);
}

static void sizes_beyond_memory_are_refused(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_or_edited_file_is_refused),
        cmocka_unit_test(whole_file_with_wrong_content_is_refused),
        cmocka_unit_test(lack_of_memory_is_reported),
        cmocka_unit_test(sizes_beyond_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
