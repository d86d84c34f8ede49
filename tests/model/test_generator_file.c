/* The model file: back as it went, and refused when it is not what was written. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "model/generator_file.h"
#include "tensors/safetensors.h"

static char folder[] = "/tmp/sbl-model-XXXXXX";
static char path[64];
static sbl_generator generator;

static int make(void **state)
{
    (void)state;
    static const size_t cardinalities[] = {4, 3};
    sbl_record_shape shape;
    sbl_mlp_shape network = {.latent = 3, .depth = 2, .hidden = {6, 5}};
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/m.safetensors", folder);
    if (sbl_record_shape_init(&shape, 2, cardinalities, 2, 3, NULL) != SBL_OK) return 1;
    if (sbl_generator_init(&generator, &shape, &network, NULL) != SBL_OK) return 1;
    sbl_record_shape_clear(&shape);
    sbl_mlp_randomise(&generator.mlp, 1);
    generator.class_shares[1] = 0.25f;
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    sbl_generator_clear(&generator);
    unlink(path);
    return rmdir(folder);
}

static void save(const json_t *extra)
{
    sbl_error err = {0};
    assert_int_equal(sbl_generator_save(&generator, path, extra, true, &err), SBL_OK);
}

static void a_generator_comes_back_bit_for_bit_with_its_metadata(void **state)
{
    (void)state;
    sbl_generator back;
    json_t *extra = json_pack("{s:s}", "schema", "{\"a\":1}"), *metadata;
    sbl_error err = {0};
    save(extra);
    assert_int_equal(sbl_generator_load(&back, &metadata, path, &err), SBL_OK);
    assert_memory_equal(back.mlp.weights, generator.mlp.weights,
                        generator.mlp.weight_count * sizeof(float));
    assert_memory_equal(back.mlp.running, generator.mlp.running,
                        generator.mlp.running_count * sizeof(float));
    assert_memory_equal(back.class_shares, generator.class_shares, 3 * sizeof(float));
    assert_int_equal(back.shape.cardinalities[1], 3);
    assert_string_equal(json_string_value(json_object_get(metadata, "schema")), "{\"a\":1}");
    json_decref(extra);
    json_decref(metadata);
    sbl_generator_clear(&back);
}

static void an_existing_file_is_kept_unless_told_otherwise(void **state)
{
    (void)state;
    save(NULL);
    assert_int_not_equal(sbl_generator_save(&generator, path, NULL, false, NULL), SBL_OK);
}

static void every_cut_and_every_flipped_byte_is_refused(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t size;
    sbl_safetensors file;
    save(NULL);
    assert_int_equal(sbl_file_read(&bytes, &size, path, 1 << 20, NULL), SBL_OK);
    assert_int_equal(sbl_safetensors_decode(&file, bytes, size, "m", NULL), SBL_OK);
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
    sbl_free(bytes);
}

/* What another version of the program could write: well formed, but not ours to read. */
static void refused(const char *format, const char *shape, bool tensor, const char *word)
{
    float one = 1;
    sbl_tensor only = {.name = "class_shares", .rank = 1, .shape = {1}, .data = &one};
    json_t *metadata = json_object();
    sbl_generator back;
    sbl_error err = {0};
    if (format) json_object_set_new(metadata, "semblance.format", json_string(format));
    if (shape) json_object_set_new(metadata, "semblance.shape", json_string(shape));
    assert_int_equal(sbl_safetensors_save(path, &only, tensor, metadata, true, &err), SBL_OK);
    assert_int_equal(sbl_generator_load(&back, NULL, path, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, word));
    assert_non_null(strstr(err.message, path));
    json_decref(metadata);
}

static void other_versions_and_shapes_are_refused_by_name(void **state)
{
    (void)state;
    const char *good =
        "{\"cardinalities\":[],\"classes\":1,\"hidden\":[4],\"latent\":2,\"numeric\":1}";
    refused(NULL, good, true, "semblance.format");
    refused("generator 2", good, true, "format");
    refused("generator 1", NULL, true, "semblance.shape");
    refused("generator 1", "{}", true, "numeric");
    refused("generator 1",
            "{\"cardinalities\":[0],\"classes\":1,\"hidden\":[4],\"latent\":2,\"numeric\":1}", true,
            "shape");
    refused("generator 1",
            "{\"cardinalities\":[],\"classes\":1,\"hidden\":[],\"latent\":2,\"numeric\":1}", true,
            "shape");
    refused("generator 1",
            "{\"cardinalities\":[],\"classes\":1,\"hidden\":[1,1,1,1,1,1,1,1,1],\"latent\":2,"
            "\"numeric\":1}",
            true, "hidden");
    refused("generator 1", good, true, "hidden.0.weight");
    refused("generator 1", good, false, "hidden.0.weight");
}

static void a_missing_file_is_an_input_or_output_error(void **state)
{
    (void)state;
    sbl_generator back;
    assert_int_not_equal(sbl_generator_load(&back, NULL, "/nonexistent/m", NULL), SBL_OK);
}

/* Files that carry a right digest over a wrong header. */
static void headers_that_lie_are_refused(void **state)
{
    (void)state;
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
        json_t *header = json_pack("{s:{}, s:o}", "__metadata__", "t",
                                   json_loads(entries[i], JSON_DECODE_ANY, NULL));
        assert_int_equal(sbl_safetensors_digest(digest, header, data, 4, NULL), SBL_OK);
        json_object_set_new(json_object_get(header, "__metadata__"), SBL_SAFETENSORS_DIGEST,
                            json_string(digest));
        char *text = sbl_json_canonical(header);
        size_t length = strlen(text);
        bytes[0] = (uint8_t)length, bytes[1] = (uint8_t)(length >> 8);
        memcpy(bytes + 8, text, length);
        assert_int_equal(sbl_safetensors_decode(&file, bytes, 8 + length + 4, "m", NULL),
                         SBL_EINPUT);
        sbl_free(text);
        json_decref(header);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_generator_comes_back_bit_for_bit_with_its_metadata),
        cmocka_unit_test(an_existing_file_is_kept_unless_told_otherwise),
        cmocka_unit_test(every_cut_and_every_flipped_byte_is_refused),
        cmocka_unit_test(other_versions_and_shapes_are_refused_by_name),
        cmocka_unit_test(a_missing_file_is_an_input_or_output_error),
        cmocka_unit_test(headers_that_lie_are_refused),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
