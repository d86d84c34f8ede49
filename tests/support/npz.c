/* SPDX-License-Identifier: Apache-2.0 */
/* Just enough of zip (central directory, stored and deflated) and of .npy (version 1) to read
 * reference values that numpy wrote. */
#include "support/npz.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support/cmocka_all.h"
#include "support/temp_folder.h"

static size_t number_at(const uint8_t *bytes, size_t size)
{
    size_t value = 0;
    for (size_t i = size; i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

/* A member's bytes by its entry of the central directory. */
static uint8_t *unpack(const uint8_t *file, const uint8_t *entry, size_t *size)
{
    const size_t method = number_at(entry + 10, 2), packed = number_at(entry + 20, 4);
    const uint8_t *local = file + number_at(entry + 42, 4);
    const uint8_t *data = local + 30 + number_at(local + 26, 2) + number_at(local + 28, 2);
    *size = number_at(entry + 24, 4);
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    if (method == 0) {
        memcpy(bytes, data, *size);
        return bytes;
    }
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)data,
                       .avail_in = (uInt)packed,
                       .next_out = bytes,
                       .avail_out = (uInt)*size};
    assert_int_equal(method, 8);
    assert_int_equal(inflateInit2(&stream, -15), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    (void)inflateEnd(&stream);
    return bytes;
}

/* The .npy: magic, version 1, length of a header that names the type, numbers. */
static double *numbers_of(const uint8_t *bytes, size_t size, size_t *count)
{
    char header[256] = "";
    const size_t length = number_at(bytes + 8, 2);
    assert_true(size > 10 + length && length < sizeof header);
    assert_memory_equal(bytes, "\x93NUMPY\x01", 7);
    memcpy(header, bytes + 10, length);
    assert_non_null(strstr(header, "'fortran_order': False"));
    const bool small = strstr(header, "'|u1'") != NULL;
    assert_true(small || strstr(header, "'<f4'") != NULL);
    const uint8_t *data = bytes + 10 + length;
    *count = (size - 10 - length) / (small ? 1 : 4);
    double *values = malloc(*count * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < *count; i++) {
        float value;
        memcpy(&value, data + (small ? 0 : 4 * i), sizeof value);
        values[i] = small ? (double)data[i] : (double)value;
    }
    return values;
}

double *npz_read(const char *path, const char *name, size_t *count)
{
    size_t size, member;
    double *values = NULL;
    uint8_t *file = (uint8_t *)slurp(path, &size);
    char wanted[64];
    assert_non_null(file);
    (void)snprintf(wanted, sizeof wanted, "%s.npy", name);
    /* The end record is the last thing in a file without a comment. */
    assert_true(size > 22 && memcmp(file + size - 22, "PK\x05\x06", 4) == 0);
    const uint8_t *entry = file + number_at(file + size - 6, 4);
    for (size_t i = 0; i < number_at(file + size - 12, 2) && values == NULL; i++) {
        const size_t length = number_at(entry + 28, 2);
        if (length == strlen(wanted) && memcmp(entry + 46, wanted, length) == 0) {
            uint8_t *bytes = unpack(file, entry, &member);
            values = numbers_of(bytes, member, count);
            free(bytes);
        }
        entry += 46 + length + number_at(entry + 30, 2) + number_at(entry + 32, 2);
    }
    free(file);
    return values;
}
