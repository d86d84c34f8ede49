/* SPDX-License-Identifier: Apache-2.0 */
#include "image/image_kit.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "support/cmocka_all.h"
#include "support/temp_folder.h"

char kit_folder[256];

int kit_setup(void **state)
{
    (void)state;
    temp_folder_make(kit_folder);
    return 0;
}

int kit_teardown(void **state)
{
    (void)state;
    temp_folder_remove(kit_folder);
    return 0;
}

void kit_add(kit_bytes *bytes, const void *data, size_t size)
{
    bytes->data = realloc(bytes->data, bytes->size + size + 1);
    assert_non_null(bytes->data);
    if (size > 0) memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void kit_add_zeros(kit_bytes *bytes, size_t size)
{
    FREED(free) void *zeros = calloc(size, 1);
    kit_add(bytes, zeros, size);
}

void kit_add_u32(kit_bytes *bytes, uint32_t value)
{
    const uint8_t big[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                            (uint8_t)value};
    kit_add(bytes, big, 4);
}

void kit_gzip(kit_bytes *out, const kit_bytes *in)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    const size_t room = deflateBound(&stream, in->size);
    FREED(free) uint8_t *buffer = malloc(room);
    stream.next_in = in->data;
    stream.avail_in = (uInt)in->size;
    stream.next_out = buffer;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    kit_add(out, buffer, room - stream.avail_out);
    (void)deflateEnd(&stream);
}

void kit_free(kit_bytes *bytes)
{
    free(bytes->data);
    *bytes = (kit_bytes){0};
}

const char *kit_file(const char *name, kit_bytes *bytes)
{
    const char *path = in_folder(kit_folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (bytes->size > 0) assert_int_equal(fwrite(bytes->data, 1, bytes->size, file), bytes->size);
    assert_int_equal(fclose(file), 0);
    kit_free(bytes);
    return path;
}

const char *kit_subfolder(const char *name)
{
    static char paths[16][512];
    static size_t next;
    char *path = paths[next++ % 16];
    (void)snprintf(path, sizeof paths[0], "%s/%s", kit_folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
    return path;
}

uint8_t kit_value(size_t i) { return (uint8_t)(i * 37 + i / 11); }

kit_bytes kit_idx(size_t dimensions, const uint32_t *sizes, size_t size)
{
    const uint8_t magic[4] = {0, 0, 8, (uint8_t)dimensions};
    kit_bytes bytes = {0};
    kit_add(&bytes, magic, 4);
    for (size_t i = 0; i < dimensions; i++) kit_add_u32(&bytes, sizes[i]);
    for (size_t i = 0; i < size; i++) {
        const uint8_t value = kit_value(i);
        kit_add(&bytes, &value, 1);
    }
    return bytes;
}

const char *kit_images(const char *name, uint32_t count)
{
    kit_bytes bytes = kit_idx(3, (const uint32_t[]){count, 3, 2}, (size_t)count * 6);
    return kit_file(name, &bytes);
}

const char *kit_labels(const char *name, uint32_t count, uint8_t modulus)
{
    kit_bytes bytes = kit_idx(1, &count, count);
    for (uint32_t i = 0; i < count; i++) bytes.data[8 + i] = (uint8_t)(i % modulus);
    return kit_file(name, &bytes);
}

static void append_png(png_structp png, png_bytep data, size_t size)
{
    kit_add(png_get_io_ptr(png), data, size);
}

static void flush_png(png_structp png) { (void)png; }

static void describe_png(png_structp png, png_infop info, const kit_png_kind *kind)
{
    png_set_IHDR(png, info, kind->width, kind->height, kind->depth, kind->colour_type,
                 kind->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (kind->palette != NULL) {
        png_color palette[256];
        for (int i = 0; i < kind->entries; i++)
            palette[i] =
                (png_color){kind->palette[3 * i], kind->palette[3 * i + 1], kind->palette[3 * i + 2]};
        png_set_PLTE(png, info, palette, kind->entries);
    }
    if (kind->alphas != NULL) png_set_tRNS(png, info, kind->alphas, kind->alpha_count, NULL);
    if (kind->colour_type == PNG_COLOR_TYPE_GRAY && kind->transparent_grey >= 0) {
        const png_color_16 grey = {.gray = (png_uint_16)kind->transparent_grey};
        png_set_tRNS(png, info, NULL, 0, &grey);
    }
}

kit_bytes kit_png(const kit_png_kind *kind, const uint8_t *rows)
{
    kit_bytes bytes = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, &bytes, append_png, flush_png);
    describe_png(png, info, kind);
    png_write_info(png, info);
    const size_t row_size = png_get_rowbytes(png, info);
    png_bytep pointers[128];
    for (uint32_t y = 0; y < kind->height; y++) pointers[y] = (png_bytep)(uintptr_t)(rows + y * row_size);
    png_write_image(png, pointers);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return bytes;
}

kit_bytes kit_png_2x2(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    const kit_png_kind kind = {.height = 2, .width = 2, .depth = 8, .transparent_grey = -1};
    return kit_png(&kind, (const uint8_t[]){a, b, c, d});
}

kit_bytes kit_png_header(uint32_t height, uint32_t width, uint8_t depth, uint8_t colour_type)
{
    kit_bytes bytes = {0};
    const uint8_t rest[5] = {depth, colour_type, 0, 0, 0};
    kit_add(&bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    kit_add_u32(&bytes, width);
    kit_add_u32(&bytes, height);
    kit_add(&bytes, rest, 5);
    kit_add_u32(&bytes, (uint32_t)crc32(0, bytes.data + 12, 17));
    return bytes;
}

kit_set kit_read(const char *images, const char *labels, const sbl_image_options *options, size_t batch)
{
    sbl_image_reader *reader;
    sbl_error err = {0};
    kit_set set = {0};
    size_t got = 1;
    assert_ok_or_say(sbl_image_open(&reader, images, labels, options, &err));
    set.shape = sbl_image_reader_shape(reader);
    set.count = sbl_image_reader_count(reader);
    set.classes = sbl_image_reader_classes(reader);
    const size_t size = sbl_image_size(set.shape);
    set.pixels = malloc(set.count * size);
    set.labels = malloc(set.count * sizeof *set.labels);
    for (size_t at = 0; got > 0; at += got) {
        /* Buffers as large as what they hold: a byte too many is seen by the sanitizer. */
        const size_t room = batch < set.count - at ? batch : set.count - at;
        FREED(free) uint8_t *pixels = malloc(room * size);
        FREED(free) uint32_t *numbers = malloc(room * sizeof *numbers);
        assert_ok_or_say(sbl_image_read(reader, pixels, numbers, &got, batch, &err));
        assert_int_equal(got, room);
        memcpy(set.pixels + at * size, pixels, got * size);
        memcpy(set.labels + at, numbers, got * sizeof *numbers);
    }
    sbl_image_close(reader);
    return set;
}

void kit_set_free(kit_set *set)
{
    free(set->pixels);
    free(set->labels);
    *set = (kit_set){0};
}

void kit_refused(const char *images, const char *labels, const sbl_image_options *options,
                 sbl_status expected, const char *text, const char *name)
{
    sbl_image_reader *reader = (sbl_image_reader *)1;
    sbl_error err = {0};
    size_t got = 1;
    sbl_status status = sbl_image_open(&reader, images, labels, options, &err);
    assert_int_equal(status == SBL_OK, reader != NULL);
    if (status == SBL_OK) {
        FREED(free) uint8_t *pixels = malloc(sbl_image_size(sbl_image_reader_shape(reader)));
        uint32_t label;
        while (status == SBL_OK && got > 0) status = sbl_image_read(reader, pixels, &label, &got, 1, &err);
        assert_int_equal(got, 0);
    }
    sbl_image_close(reader);
    if (status != expected || strstr(err.message, text) == NULL || strstr(err.message, name) == NULL ||
        strpbrk(err.message, "\r\n") != NULL)
        fail_msg("status %d, '%s'; expected %d, '%s' with '%s' in it", (int)status, err.message,
                 (int)expected, text, name);
}
