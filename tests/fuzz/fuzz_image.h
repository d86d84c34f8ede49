/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets of the image readers share: files in memory, and what must hold of any set.
 */
#ifndef SBL_TESTS_FUZZ_FUZZ_IMAGE_H
#define SBL_TESTS_FUZZ_FUZZ_IMAGE_H

#include <string.h>

#include "fuzz/memory_file.h"
#include "records/image/image_file.h"
#include "records/image/image_set.h"

#define MOST_IMAGES ((size_t)64)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void check_line(const sbl_error *err)
{
    CHECK(err->message[0] != '\0' && strpbrk(err->message, "\r\n") == NULL);
}

/* Read the set in batches and fold it into a number. */
static inline sbl_status fold_set(uint64_t *digest, sbl_image_reader *reader, size_t batch, sbl_error *err)
{
    const sbl_image_shape shape = sbl_image_reader_shape(reader);
    const size_t classes = sbl_image_reader_classes(reader);
    const size_t size = sbl_image_size(shape);
    size_t got = 1;
    size_t total = 0;
    sbl_status status = SBL_OK;
    CHECK(sbl_image_shape_valid(shape));
    /* Exactly as large as a batch: a byte too many is a byte past the allocation. */
    uint8_t *pixels = malloc(batch * size);
    uint32_t *labels = malloc(batch * sizeof *labels);
    CHECK(pixels != NULL && labels != NULL);
    *digest = 0;
    while (status == SBL_OK && got > 0 && total < MOST_IMAGES) {
        status = sbl_image_read(reader, pixels, labels, &got, batch, err);
        CHECK(status == SBL_OK || got == 0);
        for (size_t i = 0; i < got; i++) {
            CHECK(labels[i] < (classes != 0 ? classes : 1));
            for (size_t at = 0; at < size; at++)
                *digest = (*digest ^ pixels[i * size + at]) * UINT64_C(0x100000001b3);
            *digest = (*digest ^ labels[i]) * UINT64_C(0x100000001b3);
        }
        total += got;
    }
    CHECK(got > 0 || status != SBL_OK || total == sbl_image_reader_count(reader));
    free(pixels);
    free(labels);
    return status;
}

/* Any bytes are refused with one line, or are a set that does not depend on the batches. */
static inline void check_set(const char *images, const char *labels, const sbl_image_options *options)
{
    static const size_t batches[] = {1, 7, MOST_IMAGES};
    uint64_t first = 0;
    sbl_status first_status = SBL_OK;
    for (size_t i = 0; i < 3; i++) {
        sbl_image_reader *reader;
        sbl_error err = {0};
        uint64_t digest = 0;
        sbl_status status = sbl_image_open(&reader, images, labels, options, &err);
        CHECK((status == SBL_OK) == (reader != NULL));
        /* More images than are looked at: where the batches end differs, so only one is used. */
        const bool many = reader != NULL && sbl_image_reader_count(reader) > MOST_IMAGES;
        if (status == SBL_OK) status = fold_set(&digest, reader, batches[i], &err);
        sbl_image_close(reader);
        if (status != SBL_OK) check_line(&err);
        /* Names may make it a set in colour, which is not read as grey. */
        const bool grey = status == SBL_EARG && options->channels == 1;
        CHECK(status == SBL_OK || status == SBL_EINPUT || status == SBL_EIO || grey);
        if (many) return;
        if (i == 0) {
            first = digest;
            first_status = status;
        }
        CHECK(status == first_status);
        CHECK(status != SBL_OK || digest == first);
    }
}

/* Pixels always come out, the same twice. */
static inline void decode_twice(sbl_image_shape shape, bool resize, const uint8_t *bytes, size_t size)
{
    const size_t count = sbl_image_size(shape);
    uint8_t *first = malloc(count);
    uint8_t *second = malloc(count);
    bool fits;
    bool fits_again;
    CHECK(first != NULL && second != NULL);
    memset(first, 1, count);
    memset(second, 2, count);
    CHECK(sbl_image_file_decode(first, &fits, shape, resize, bytes, size, NULL) == SBL_OK);
    CHECK(sbl_image_file_decode(second, &fits_again, shape, resize, bytes, size, NULL) == SBL_OK);
    CHECK(memcmp(first, second, count) == 0 && fits == fits_again);
    free(first);
    free(second);
}

#endif
