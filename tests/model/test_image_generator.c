/* Generators of images: where pixels come from, gradients, files, and what files are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/image_generator.h"
#include "tensors/safetensors.h"
#include "support/fail_alloc.h"
#include "support/temp_folder.h"

static const sbl_image_network network = {.latent = 3, .hidden = 6, .channels = {4, 2}};
static char folder[256];

static sbl_image_generator make(size_t height, size_t width, size_t channels, size_t classes)
{
    static const char *const names[] = {"a", "b", "c"};
    sbl_image_facts facts;
    sbl_image_generator generator;
    sbl_error err = {0};
    assert_int_equal(sbl_image_facts_init(&facts, height, width, channels, classes,
                                          classes == 3 ? names : NULL, &err),
                     SBL_OK);
    assert_int_equal(sbl_image_generator_init(&generator, &facts, &network, &err), SBL_OK);
    sbl_net_randomise(&generator.net, 4);
    sbl_image_facts_clear(&facts);
    return generator;
}

static void networks_are_as_large_as_the_images_or_a_little_larger(void **state)
{
    (void)state;
    const size_t sides[][4] = {{28, 28, 28, 28}, {1, 1, 4, 4}, {9, 30, 12, 32}, {32, 33, 32, 36}};
    for (size_t i = 0; i < 4; i++) {
        sbl_image_generator g = make(sides[i][0], sides[i][1], 3, 0);
        assert_int_equal(g.net.output.height, sides[i][2]);
        assert_int_equal(g.net.output.width, sides[i][3]);
        assert_int_equal(g.net.output.channels, 3);
        assert_int_equal(sbl_image_generator_inputs(&g), 3);
        sbl_image_generator_clear(&g);
    }
    sbl_image_generator g = make(8, 8, 1, 3);
    assert_int_equal(sbl_image_generator_inputs(&g), 6);
    sbl_image_generator_clear(&g);
}

static void pixels_are_the_middle_of_the_output_stretched_and_held(void **state)
{
    (void)state;
    sbl_image_generator g = make(6, 5, 1, 0); /* of 8 x 8: rows 1 .. 6, columns 1 .. 5 */
    float outputs[2 * 64], pixels[2 * 30];
    for (size_t i = 0; i < 128; i++) outputs[i] = (float)(i % 64) / 63;
    sbl_image_generator_pixels(pixels, &g, outputs, 2, false);
    for (size_t r = 0; r < 2; r++)
        for (size_t y = 0; y < 6; y++)
            for (size_t x = 0; x < 5; x++) {
                double s = (double)((y + 1) * 8 + x + 1) / 63;
                double v = 1.04 * s - 0.02, h = v < 0 ? 0 : v > 1 ? 1 : v;
                assert_true(fabs((double)pixels[r * 30 + y * 5 + x] - h) < 1e-6);
            }
    for (size_t i = 0; i < 128; i++) outputs[i] = i < 64 ? 0 : 1;
    sbl_image_generator_pixels(pixels, &g, outputs, 2, false);
    assert_true(pixels[0] == 0 && pixels[59] == 1);
    sbl_image_generator_pixels(pixels, &g, outputs, 2, true);
    assert_true(pixels[0] < 0 && pixels[59] > 1); /* the leak */
    sbl_image_generator_clear(&g);
}

static void backward_is_the_slope_of_the_pixels(void **state)
{
    (void)state;
    sbl_image_generator g = make(6, 5, 1, 0);
    float outputs[64], pixels[2][30], d_pixels[30], d_outputs[64];
    for (size_t i = 0; i < 64; i++) outputs[i] = (float)(i * 37 % 64) / 63;
    for (size_t i = 0; i < 30; i++) d_pixels[i] = (float)i - 11;
    sbl_image_generator_backward(d_outputs, &g, d_pixels, outputs, 1);
    for (size_t i = 0; i < 64; i++) {
        const float kept = outputs[i], step = 1e-3f;
        double slope = 0;
        for (int side = 0; side < 2; side++) {
            outputs[i] = kept + (side ? step : -step);
            sbl_image_generator_pixels(pixels[side], &g, outputs, 1, true);
        }
        outputs[i] = kept;
        for (size_t p = 0; p < 30; p++)
            slope += (double)d_pixels[p] * ((double)pixels[1][p] - (double)pixels[0][p]) /
                     (2 * (double)step);
        assert_true(fabs(slope - (double)d_outputs[i]) < 0.01 + 0.01 * fabs(slope));
    }
    sbl_image_generator_clear(&g);
}

static void files_give_back_the_generator(void **state)
{
    (void)state;
    const size_t classes[] = {3, 0};
    for (size_t i = 0; i < 2; i++) {
        sbl_image_generator g = make(6, 5, i == 0 ? 3 : 1, classes[i]), again;
        sbl_error err = {0};
        json_t *extra = json_pack("{s:s}", "rows", "12"), *metadata = NULL;
        char path[300];
        (void)snprintf(path, sizeof path, "%s/model%zu", folder, i);
        g.net.running[1] = 0.25f;
        g.class_shares[0] = 0.75f;
        assert_int_equal(sbl_image_generator_save(&g, path, extra, false, &err), SBL_OK);
        assert_int_equal(sbl_image_generator_save(&g, path, extra, false, &err), SBL_EIO);
        assert_int_equal(sbl_image_generator_load(&again, &metadata, path, &err), SBL_OK);
        assert_true(sbl_image_generator_is(metadata));
        assert_false(sbl_image_generator_is(extra));
        assert_string_equal(json_string_value(json_object_get(metadata, "rows")), "12");
        assert_int_equal(again.latent, 3);
        assert_int_equal(again.facts.classes, classes[i]);
        if (i == 0) assert_string_equal(again.facts.names[2], "c");
        assert_int_equal(again.net.weight_count, g.net.weight_count);
        assert_memory_equal(again.net.weights, g.net.weights, g.net.weight_count * sizeof(float));
        assert_memory_equal(again.net.running, g.net.running, g.net.running_count * sizeof(float));
        assert_true(again.class_shares[0] == 0.75f);
        json_decref(extra);
        json_decref(metadata);
        sbl_image_generator_clear(&g);
        sbl_image_generator_clear(&again);
    }
}

/* A file whose digest holds but whose metadata says something else. */
static void files_that_do_not_fit_together_are_refused(void **state)
{
    (void)state;
    static const char *const edits[][3] = {
        {"semblance.format", "image generator 1", "image generator 2"},
        {"semblance.latent", "3", "4"},
        {"semblance.images", "\"classes\":3", "\"classes\":2"},
        {"semblance.images", "\"height\":6", "\"height\":9"},
        {"semblance.images", "\"channels\":1", "\"channels\":3"},
        {"semblance.network", "\"dense\"", "\"dance\""},
        {"semblance.network", "\"channels\":6", "\"channels\":7"},
    };
    sbl_image_generator g = make(6, 5, 1, 3), again;
    sbl_error err = {0};
    char good[300], bad[300];
    (void)snprintf(good, sizeof good, "%s/good", folder);
    (void)snprintf(bad, sizeof bad, "%s/bad", folder);
    assert_int_equal(sbl_image_generator_save(&g, good, NULL, false, &err), SBL_OK);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        sbl_safetensors file;
        char text[8192];
        assert_int_equal(sbl_safetensors_load(&file, good, &err), SBL_OK);
        const char *was = json_string_value(json_object_get(file.metadata, edits[i][0]));
        const char *at = strstr(was, edits[i][1]);
        assert_non_null(at);
        (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - was), was, edits[i][2],
                       at + strlen(edits[i][1]));
        json_object_set_new(file.metadata, edits[i][0], json_string(text));
        json_object_del(file.metadata, SBL_SAFETENSORS_DIGEST);
        assert_int_equal(
            sbl_safetensors_save(bad, file.tensors, file.count, file.metadata, true, &err), SBL_OK);
        if (sbl_image_generator_load(&again, NULL, bad, &err) != SBL_EINPUT)
            print_error("%s was taken\n", edits[i][2]);
        assert_int_equal(sbl_image_generator_load(&again, NULL, bad, &err), SBL_EINPUT);
        assert_null(again.net.weights);
        sbl_safetensors_clear(&file);
    }
    sbl_image_generator_clear(&g);
}

static void lack_of_memory_leaves_nothing(void **state)
{
    (void)state;
    sbl_image_generator g = make(6, 5, 1, 3), again;
    char path[300];
    (void)snprintf(path, sizeof path, "%s/memory", folder);
    for (long n = 1;; n++) {
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_image_generator_save(&g, path, NULL, true, NULL);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
    }
    for (long n = 1;; n++) {
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_image_generator_load(&again, NULL, path, NULL);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
        assert_null(again.net.weights);
    }
    sbl_image_generator_clear(&again);
    for (long n = 1;; n++) {
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_image_generator_init(&again, &g.facts, &network, NULL);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
        assert_null(again.net.weights);
    }
    sbl_test_fail_alloc(0);
    sbl_image_generator_clear(&again);
    sbl_image_generator_clear(&g);
}

static int make_folder(void **state)
{
    (void)state;
    temp_folder_make(folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    temp_folder_remove(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_are_as_large_as_the_images_or_a_little_larger),
        cmocka_unit_test(pixels_are_the_middle_of_the_output_stretched_and_held),
        cmocka_unit_test(backward_is_the_slope_of_the_pixels),
        cmocka_unit_test(files_give_back_the_generator),
        cmocka_unit_test(files_that_do_not_fit_together_are_refused),
        cmocka_unit_test(lack_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
