/* SPDX-License-Identifier: Apache-2.0 */
/* Image files made by hand for the tests, and sets read whole. */
#ifndef SBL_TESTS_IMAGE_IMAGE_KIT_H
#define SBL_TESTS_IMAGE_IMAGE_KIT_H

#include "after/sinks/image_writer.h"
#include "records/image/image_set.h"

/* A temporary folder for the group: use as setup and teardown. */
extern char kit_folder[256];
int kit_setup(void **state);
int kit_teardown(void **state);

/* Bytes that grow. Start from {0}; kit_free(). */
typedef struct kit_bytes {
    uint8_t *data;
    size_t size;
} kit_bytes;

void kit_add(kit_bytes *bytes, const void *data, size_t size);
void kit_add_zeros(kit_bytes *bytes, size_t size);
void kit_add_u32(kit_bytes *bytes, uint32_t value); /* big-endian */
void kit_gzip(kit_bytes *out, const kit_bytes *in); /* appends one member */
void kit_free(kit_bytes *bytes);

/* Write to kit_folder/name and give the path; good until eight calls later. Frees bytes. */
const char *kit_file(const char *name, kit_bytes *bytes);
/* Make kit_folder/name and give the path; good until sixteen calls later. */
const char *kit_subfolder(const char *name);

/* Value number i of made-up pixels. */
uint8_t kit_value(size_t i);

/* IDX: a header with these dimensions, and size bytes of kit_value. */
kit_bytes kit_idx(size_t dimensions, const uint32_t *sizes, size_t size);
/* count grey images of 3 x 2, and count labels i % modulus. */
const char *kit_images(const char *name, uint32_t count);
const char *kit_labels(const char *name, uint32_t count, uint8_t modulus);

/* A PNG file by libpng: rows are packed as the depth says (16 bits: big-endian), (height, bytes per
 * row). palette: 3 * entries values or NULL; alphas: tRNS of a palette or NULL. */
typedef struct kit_png_kind {
    uint32_t height;
    uint32_t width;
    int depth;
    int colour_type;
    int interlaced;
    const uint8_t *palette;
    int entries;
    const uint8_t *alphas;
    int alpha_count;
    int transparent_grey; /* -1: none; else the grey value that is transparent */
} kit_png_kind;

kit_bytes kit_png(const kit_png_kind *kind, const uint8_t *rows);
/* A grey image of 2 x 2 with these values. */
kit_bytes kit_png_2x2(uint8_t a, uint8_t b, uint8_t c, uint8_t d);
/* Signature and IHDR with a good checksum. */
kit_bytes kit_png_header(uint32_t height, uint32_t width, uint8_t depth, uint8_t colour_type);

/* A set read whole, batch by batch; fails the test where it cannot be read. */
typedef struct kit_set {
    sbl_image_shape shape;
    size_t count;
    size_t classes;
    uint8_t *pixels;
    uint32_t *labels;
} kit_set;

kit_set kit_read(const char *images, const char *labels, const sbl_image_options *options, size_t batch);
void kit_set_free(kit_set *set);

/* Opening the set or reading it fails with this status, in one line that holds both texts. */
void kit_refused(const char *images, const char *labels, const sbl_image_options *options, sbl_status status,
                 const char *text, const char *name);

#endif
