/* SPDX-License-Identifier: Apache-2.0 */
/* Generators of tables and images: their networks, how they start, and their files, which come back
 * as they went and are refused when they are not what was written. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "after/model/generator.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/random/model_rng.h"
#include "base/tensors/safetensors.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/temp_folder.h"

FREES(sbl_free);

/* extra (may be NULL) receives all metadata. */
static sbl_status load(sbl_generator *generator, json_t **extra, const char *path, sbl_error *err)
{
    sbl_safetensors file;
    *generator = (sbl_generator){0};
    if (extra) *extra = NULL;
    sbl_status status = sbl_safetensors_load(&file, sbl_file_item(path), err);
    if (status != SBL_OK) return status;
    status = sbl_generator_from_tensors(generator, &file, path, err);
    if (status == SBL_OK && extra) *extra = json_incref(file.metadata);
    sbl_safetensors_clear(&file);
    return status;
}

static char folder[256], path[300];

static sbl_generator make_table(size_t classes)
{
    static const size_t cardinalities[] = {4, 3};
    const sbl_network network = {.latent = 3, .signs = classes == 1 ? 2 : 0, .hidden = {6, 5}, .count = 2};
    sbl_facts facts = {.kind = SBL_DATA_TABLE, .classes = classes};
    sbl_generator generator;
    assert_ok(sbl_record_shape_init(&facts.shape, 2, cardinalities, 2, classes, NULL));
    assert_ok(sbl_generator_init(&generator, &facts, &network, NULL));
    sbl_record_shape_clear(&facts.shape);
    sbl_generator_randomise(&generator, 1);
    return generator;
}

static sbl_generator make_images(size_t height, size_t width, size_t channels, size_t classes)
{
    static const char *const names[] = {"a", "b", "c"};
    const sbl_network network = {.latent = 3, .hidden = {6, 4, 2}, .count = 3};
    sbl_image_facts images;
    sbl_facts facts;
    sbl_generator generator;
    assert_ok(
        sbl_image_facts_init(&images, height, width, channels, classes, classes == 3 ? names : NULL, NULL));
    assert_ok(sbl_facts_of_images(&facts, &images, false, NULL));
    assert_ok(sbl_generator_init(&generator, &facts, &network, NULL));
    sbl_generator_randomise(&generator, 4);
    sbl_image_facts_clear(&images);
    sbl_facts_clear(&facts);
    return generator;
}

TEST(networks_are_as_large_as_the_images_or_a_little_larger)
{
    const size_t sides[][4] = {{28, 28, 28, 28}, {1, 1, 4, 4}, {9, 30, 12, 32}, {32, 33, 32, 36}};
    for (size_t i = 0; i < 4; i++) {
        sbl_generator g = make_images(sides[i][0], sides[i][1], 3, 0);
        assert_int_equal(g.net.output.height, sides[i][2]);
        assert_int_equal(g.net.output.width, sides[i][3]);
        assert_int_equal(g.net.output.channels, 3);
        assert_int_equal(sbl_generator_inputs(&g), 3);
        sbl_generator_clear(&g);
    }
    sbl_generator g = make_images(8, 8, 1, 3);
    assert_int_equal(sbl_generator_inputs(&g), 6);
    sbl_generator_clear(&g);
}

static sbl_generator make_dense(size_t height, size_t width, size_t channels)
{
    const sbl_network network = {.latent = 3, .hidden = {6, 5}, .count = 2, .dense = true};
    sbl_image_facts images;
    sbl_facts facts;
    sbl_generator generator;
    assert_ok(sbl_image_facts_init(&images, height, width, channels, 4, NULL, NULL));
    assert_ok(sbl_facts_of_images(&facts, &images, false, NULL));
    assert_ok(sbl_generator_init(&generator, &facts, &network, NULL));
    sbl_image_facts_clear(&images);
    sbl_facts_clear(&facts);
    return generator;
}

TEST(dense_networks_have_no_convolution_and_the_size_of_the_images)
{
    sbl_generator g = make_dense(9, 30, 3);
    size_t layers[SBL_LAYER_KINDS] = {0};
    for (size_t l = 0; l < g.net.layer_count; l++) layers[g.net.layers[l].ask.kind]++;
    assert_true(g.net.output.height == 9 && g.net.output.width == 30 && g.net.output.channels == 3);
    assert_int_equal(sbl_generator_inputs(&g), 3 + 4);
    assert_int_equal(layers[SBL_LAYER_DENSE], 3);
    assert_int_equal(layers[SBL_LAYER_BATCH_NORM], 2);
    assert_int_equal(layers[SBL_LAYER_CONV] + layers[SBL_LAYER_BILINEAR], 0);
    /* 7 x 6 and 6 x 5 without biases, gamma and beta of 6 and 5, 5 x 810 and its biases. */
    assert_int_equal(g.net.weight_count, 42 + 30 + 22 + 6 * 810);
    sbl_generator_clear(&g);
}

TEST(a_table_s_network_takes_the_class_and_gives_numbers_and_logits)
{
    const size_t classes[] = {3, 1};
    for (size_t i = 0; i < 2; i++) {
        CLEARED(sbl_generator_clear) sbl_generator g = make_table(classes[i]);
        float input[6] = {7, 7, 7, 7, 7, 7};
        assert_int_equal(sbl_generator_inputs(&g), classes[i] > 1 ? 6 : 3);
        assert_int_equal(sbl_volume_size(g.net.output), 2 + 7);
        sbl_generator_set_class(&g, input, classes[i] - 1);
        assert_true(input[2] == 7);
        if (classes[i] > 1) assert_true(input[3] == 0 && input[4] == 0 && input[5] == 1);
    }
}

/* With the latents' way to the logits cut off, the outputs are what they start at. */
TEST(a_table_starts_at_the_probabilities_that_it_is_told)
{
    const size_t classes[] = {3, 1};
    for (size_t i = 0; i < 2; i++) {
        CLEARED(sbl_generator_clear) sbl_generator g = make_table(classes[i]);
        const sbl_net_layer *dense = &g.net.layers[g.net.layer_count - (classes[i] > 1 ? 2 : 1)];
        CLEARED(sbl_net_workspace_clear) sbl_net_workspace work;
        float expected[3 * 7], input[3 * 6] = {0};
        const float before = g.net.weights[dense->weight + 2 * 5];
        for (size_t j = 0; j < 21; j++) expected[j] = 0.1f + 0.03f * (float)j;
        sbl_generator_start_at(&g, expected);
        assert_true(fabsf(g.net.weights[dense->weight + 2 * 5] - 0.1f * before) < 1e-8f);
        memset(g.net.weights + dense->weight, 0, dense->weight_count * sizeof(float));
        assert_ok(sbl_net_workspace_init(&work, &g.net, 3, SBL_NET_SAMPLE, NULL));
        for (size_t c = 0; c < classes[i]; c++)
            sbl_generator_set_class(&g, input + c * sbl_generator_inputs(&g), c);
        const float *out = sbl_net_forward(&g.net, &work, input, classes[i], false);
        for (size_t c = 0; c < classes[i]; c++) {
            assert_true(out[c * 9] == 0 && out[c * 9 + 1] == 0);
            for (size_t j = 0; j < 7; j++)
                assert_true(fabsf(expf(out[c * 9 + 2 + j]) - expected[c * 7 + j]) < 1e-6f);
        }
    }
}

TEST(impossible_networks_are_refused)
{
    sbl_generator table = make_table(3), images = make_images(6, 5, 1, 3), made;
    for (int i = 0; i < 7; i++) {
        sbl_network network = {.latent = 3, .hidden = {6, 4, 2}, .count = 3};
        if (i == 6) network.signs = 4;
        if (i == 0) network.latent = 0;
        if (i == 1) network.latent = 65537;
        if (i == 2) network.hidden[1] = 0;
        if (i == 3) network.hidden[0] = 65537;
        if (i == 4) network.count = 0;
        if (i == 5) network.count = SBL_NETWORK_MOST_HIDDEN + 1;
        assert_int_equal(sbl_generator_init(&made, &table.facts, &network, NULL), SBL_EARG);
        assert_int_equal(sbl_generator_init(&made, &images.facts, &network, NULL), SBL_EARG);
        assert_null(made.net.weights);
    }
    const sbl_network wide = {.latent = 3, .hidden = {65536, 65536}, .count = 2}; /* 2^32 weights */
    const sbl_network two = {.latent = 3, .hidden = {6, 4}, .count = 2};
    const sbl_network many = {.latent = 3, .hidden = {6, 4, 1025}, .count = 3};
    const sbl_network deep = {.latent = 4097, .hidden = {6, 4, 2}, .count = 3};
    assert_int_equal(sbl_generator_init(&made, &table.facts, &wide, NULL), SBL_EARG);
    assert_int_equal(sbl_generator_init(&made, &images.facts, &two, NULL), SBL_EARG);
    assert_int_equal(sbl_generator_init(&made, &images.facts, &many, NULL), SBL_EARG);
    assert_int_equal(sbl_generator_init(&made, &images.facts, &deep, NULL), SBL_EARG);
    const sbl_network none = {.latent = 3, .dense = true};
    const sbl_network empty = {.latent = 3, .hidden = {6, 0}, .count = 2, .dense = true};
    assert_int_equal(sbl_generator_init(&made, &images.facts, &none, NULL), SBL_EARG);
    assert_int_equal(sbl_generator_init(&made, &images.facts, &empty, NULL), SBL_EARG);
    sbl_generator_clear(&table);
    sbl_generator_clear(&images);
}

/* The last of them, and those that are normal are the same as without. */
TEST(so_many_latents_are_signs)
{
    sbl_generator plain = make_table(3), signs = make_table(1);
    size_t above = 0;
    for (uint64_t row = 0; row < 64; row++) {
        sbl_model_rng one, other;
        float normal[3], mixed[3];
        sbl_model_rng_init(&one, 5, SBL_RNG_SAMPLE_ROW, row);
        sbl_model_rng_init(&other, 5, SBL_RNG_SAMPLE_ROW, row);
        sbl_model_rng_latents(&one, normal, plain.latent, plain.signs);
        sbl_model_rng_latents(&other, mixed, signs.latent, signs.signs);
        assert_true(mixed[0] == normal[0]);
        for (size_t i = 1; i < 3; i++) {
            assert_true(fabsf(normal[i]) != 1.0f);
            assert_true(mixed[i] == (normal[i] > 0 ? 1.0f : -1.0f));
            above += mixed[i] > 0;
        }
    }
    assert_true(above > 32 && above < 96); /* of 128, by a fixed seed */
    sbl_generator_clear(&plain);
    sbl_generator_clear(&signs);
}

static sbl_generator make_kind(size_t i)
{
    return i < 2 ? make_table(i == 0 ? 3 : 1) : make_images(6, 5, i == 2 ? 3 : 1, i == 2 ? 3 : 0);
}

static void same(const sbl_generator *a, const sbl_generator *b)
{
    assert_int_equal(a->facts.kind, b->facts.kind);
    assert_int_equal(a->facts.classes, b->facts.classes);
    assert_int_equal(a->facts.shape.numeric, b->facts.shape.numeric);
    assert_int_equal(a->facts.shape.onehot, b->facts.shape.onehot);
    assert_int_equal(a->facts.images.classes, b->facts.images.classes);
    assert_int_equal(a->latent, b->latent);
    assert_int_equal(a->signs, b->signs);
    assert_int_equal(a->net.weight_count, b->net.weight_count);
    assert_memory_equal(a->net.weights, b->net.weights, a->net.weight_count * sizeof(float));
    assert_memory_equal(a->net.running, b->net.running, a->net.running_count * sizeof(float));
    assert_memory_equal(a->class_shares, b->class_shares, a->facts.classes * sizeof(float));
}

TEST(files_give_back_the_generator_and_its_metadata)
{
    for (size_t i = 0; i < 4; i++) {
        sbl_generator g = make_kind(i), again;
        json_t *extra = json_pack("{s:s}", "rows", "12"), *metadata = NULL;
        g.net.running[1] = 0.25f;
        g.class_shares[0] = 0.75f;
        assert_ok(sbl_generator_save(&g, sbl_file_item(path), extra, true, NULL));
        assert_int_equal(sbl_generator_save(&g, sbl_file_item(path), extra, false, NULL), SBL_EIO);
        assert_ok(load(&again, &metadata, path, NULL));
        assert_string_equal(json_string_value(json_object_get(metadata, "rows")), "12");
        same(&g, &again);
        if (i == 2) assert_string_equal(again.facts.images.names[2], "c");
        json_decref(extra);
        json_decref(metadata);
        sbl_generator_clear(&g);
        sbl_generator_clear(&again);
    }
}

TEST(tensors_in_memory_give_it_back_without_a_file)
{
    sbl_generator g = make_table(3), again;
    sbl_safetensors file = {.metadata = json_pack("{s:s}", "rows", "12")};
    assert_ok(sbl_generator_to_tensors(&file, &g, NULL));
    assert_string_equal(json_string_value(json_object_get(file.metadata, "rows")), "12");
    assert_ok(sbl_generator_from_tensors(&again, &file, "memory", NULL));
    same(&g, &again);
    sbl_safetensors_clear(&file);
    sbl_generator_clear(&g);
    sbl_generator_clear(&again);
}

TEST(a_missing_file_is_an_input_or_output_error)
{
    sbl_generator back;
    assert_int_equal(load(&back, NULL, "/nonexistent/m", NULL), SBL_EIO);
}

/* A file whose digest holds but whose metadata says something else. */
static void edited(const char *name, const char *was, const char *is)
{
    const bool images = strcmp(name, "images") == 0;
    sbl_generator g = images ? make_images(6, 5, 1, 3) : make_table(3), again;
    const char *key = strncmp(was, "\"dense\"", 7) == 0 || strncmp(was, "\"input\"", 7) == 0
                          ? "semblance.network"
                      : strncmp(was, "gen", 3) == 0 ? "semblance.format"
                                                    : "semblance.records";
    sbl_safetensors file;
    sbl_error err = {0};
    char text[8192];
    assert_ok(sbl_generator_save(&g, sbl_file_item(path), NULL, true, &err));
    assert_ok(sbl_safetensors_load(&file, sbl_file_item(path), &err));
    const char *whole = json_string_value(json_object_get(file.metadata, key));
    const char *at = strstr(whole, was);
    assert_non_null(at);
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, is, at + strlen(was));
    json_object_set_new(file.metadata, key, json_string(text));
    json_object_del(file.metadata, SBL_SAFETENSORS_DIGEST);
    assert_ok(sbl_safetensors_save(sbl_file_item(path), file.tensors, file.count, file.metadata, true, &err));
    if (load(&again, NULL, path, &err) != SBL_EINPUT) fail_msg("%s was taken", is);
    assert_non_null(strstr(err.message, path));
    assert_null(again.net.weights);
    sbl_safetensors_clear(&file);
    sbl_generator_clear(&g);
}

TEST(files_that_do_not_fit_together_are_refused)
{
    static const char *const edits[][3] = {
        {"table", "generator 2", "generator 1"},
        {"table", "\"kind\":\"table\"", "\"kind\":\"fable\""},
        {"table", "\"kind\":\"table\"", "\"kind\":\"images\""},
        {"table", "\"latent\":3", "\"latent\":4"},
        {"table", "\"latent\":3", "\"latent\":0"},
        {"table", "\"latent\":3", "\"latent\":3,\"signs\":4"},
        {"table", "\"latent\":3", "\"latent\":3,\"signs\":\"two\""},
        {"table", "\"numeric\":2", "\"numeric\":3"},
        {"table", "\"classes\":3", "\"classes\":2"},
        {"table", "\"cardinalities\":[4,3]", "\"cardinalities\":[4,0]"},
        {"table", "\"cardinalities\":[4,3]", "\"cardinalities\":[4,4]"},
        {"table", "\"cardinalities\":[4,3]", "\"cardinals\":[4,3]"},
        {"images", "\"kind\":\"images\"", "\"kind\":\"table\""},
        {"images", "\"classes\":3", "\"classes\":2"},
        {"images", "\"height\":6", "\"height\":9"},
        {"images", "\"channels\":1", "\"channels\":3"},
        {"images", "\"input\":[1,1,6]", "\"input\":[1,1,7]"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) edited(edits[i][0], edits[i][1], edits[i][2]);
}

/* What another version of the program could write: well formed, but not ours to read. */
TEST(a_file_that_lacks_something_is_refused_by_name)
{
    static const char *const names[] = {"semblance.format", "semblance.records", "semblance.network"};
    sbl_generator g = make_table(3), again;
    sbl_error err = {0};
    for (size_t i = 0; i < 4; i++) {
        CLEARED(sbl_safetensors_clear) sbl_safetensors file = {0};
        assert_ok(sbl_generator_to_tensors(&file, &g, NULL));
        if (i < 3)
            json_object_del(file.metadata, names[i]);
        else
            file.tensors[2].name[0] = 'x';
        assert_int_equal(sbl_generator_from_tensors(&again, &file, "m", &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, i < 3 ? names[i] : "net.1.beta"));
    }
    sbl_generator_clear(&g);
}

TEST(lack_of_memory_leaves_nothing)
{
    for (size_t i = 0; i < 4; i += 2) {
        const sbl_network network = {.latent = 3, .hidden = {6, 4, 2}, .count = 3};
        sbl_generator g = make_kind(i), again;
        for (long n = 0; sbl_test_fail_next(&n);)
            sbl_test_no_memory(sbl_generator_save(&g, sbl_file_item(path), NULL, true, NULL));
        for (long n = 0; sbl_test_fail_next(&n);)
            if (sbl_test_no_memory(load(&again, NULL, path, NULL))) assert_null(again.net.weights);
        sbl_generator_clear(&again);
        for (long n = 0; sbl_test_fail_next(&n);)
            if (sbl_test_no_memory(sbl_generator_init(&again, &g.facts, &network, NULL)))
                assert_null(again.net.weights);
        sbl_generator_clear(&again);
        sbl_generator_clear(&g);
    }
}

TEST(every_cut_and_every_flipped_byte_is_refused)
{
    FREED(sbl_free) uint8_t *bytes;
    size_t size;
    sbl_safetensors file;
    sbl_generator g = make_table(3);
    assert_ok(sbl_generator_save(&g, sbl_file_item(path), NULL, true, NULL));
    sbl_generator_clear(&g);
    assert_ok(sbl_file_read(&bytes, &size, path, 1 << 20, NULL));
    assert_ok(sbl_safetensors_decode(&file, bytes, size, "m", NULL));
    sbl_safetensors_clear(&file);
    for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 37) {
        assert_int_equal(sbl_safetensors_decode(&file, bytes, cut, "m", NULL), SBL_EINPUT);
        assert_null(file.data);
    }
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x04;
        assert_int_not_equal(sbl_safetensors_decode(&file, bytes, size, "m", NULL), SBL_OK);
        bytes[i] ^= 0x04;
    }
}

/* Files that carry a right digest over a wrong header. */
TEST(headers_that_lie_are_refused)
{
    static const char *entries[] = {
        "{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,4]}",
        "{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}",
        "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,8]}",
        "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}",
        "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}",
        "{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}",
        "{\"dtype\":\"F32\",\"shape\":[4611686018427387905,4],\"data_offsets\":[0,4]}",
        "{\"dtype\":\"F32\",\"shape\":[1,1,1],\"data_offsets\":[0,4]}",
        "{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}",
        "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}",
        "{\"shape\":[1],\"data_offsets\":[0,4]}",
        "7",
    };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        char digest[SBL_SHA256_TEXT_SIZE];
        uint8_t bytes[4096] = {0}, data[4] = {0};
        sbl_safetensors file;
        json_auto_t *header =
            json_pack("{s:{}, s:o}", "__metadata__", "t", json_loads(entries[i], JSON_DECODE_ANY, NULL));
        assert_ok(sbl_safetensors_digest(digest, header, data, 4, NULL));
        json_object_set_new(json_object_get(header, "__metadata__"), SBL_SAFETENSORS_DIGEST,
                            json_string(digest));
        FREED(sbl_free) char *text = sbl_json_canonical(header);
        size_t length = strlen(text);
        bytes[0] = (uint8_t)length, bytes[1] = (uint8_t)(length >> 8);
        memcpy(bytes + 8, text, length);
        assert_int_equal(sbl_safetensors_decode(&file, bytes, 8 + length + 4, "m", NULL), SBL_EINPUT);
    }
}

AROUND(make_folder)
{
    temp_folder_make(folder);
    (void)snprintf(path, sizeof path, "%s/m.safetensors", folder);
}

AROUND(remove_folder) { temp_folder_remove(folder); }

/* A model of pairs has such tensors where the noise left no pair worth keeping. */
TEST(tensor_without_elements_needs_no_data)
{
    float one = 1;
    CLEARED(sbl_safetensors_clear) sbl_safetensors file;
    sbl_error err = {0};
    json_auto_t *metadata = json_object();
    const sbl_tensor tensors[] = {{"none", 2, {0, 3}, NULL, SBL_TENSOR_U32},
                                  {"one", 1, {1, 0}, &one, SBL_TENSOR_F32}};
    const char *place = in_folder(folder, "t.safetensors");
    assert_ok(sbl_safetensors_save(sbl_file_item(place), tensors, 2, metadata, false, &err));
    assert_ok(sbl_safetensors_load(&file, sbl_file_item(place), &err));
    assert_non_null(sbl_safetensors_find(&file, "none", SBL_TENSOR_U32, 0, 3));
    assert_non_null(sbl_safetensors_find(&file, "one", SBL_TENSOR_F32, 1, 0));
}

ALL_TESTS(make_folder, remove_folder)
