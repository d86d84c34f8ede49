/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding and encoding through libpng. Its errors come back by longjmp: the one function that calls setjmp
 * changes no local variable afterwards, and all that is owned lives in the struct. The memory of the decoder is counted,
 * capped and wiped. */
#include "public/image/png.h"

#include <openssl/evp.h>
#include <png.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"

/* ---- decoding ---- */

/* libpng with zlib needs about 0.5 MiB for the longest rows; a file that asks for more is refused. */
#define MEMORY_LIMIT ((size_t)4 << 20)
#define CHUNK_LIMIT ((size_t)1 << 20)

typedef struct decoder {
    png_structp png;
    png_infop info;
    sbl_canvas *canvas;
    const uint8_t *next;
    size_t left;
    size_t allocated;
    bool out_of_memory; /* of the machine, not of the cap */
    uint8_t *rgba;      /* (rows, width, 4): one row, or all of a file that is interlaced */
    size_t rgba_size;
} decoder;

typedef union sized_block {
    size_t size;
    max_align_t align;
} sized_block;

static png_voidp alloc_counted(png_structp png, png_alloc_size_t size)
{
    decoder *d = png_get_mem_ptr(png);
    if (size > MEMORY_LIMIT - d->allocated) return NULL;
    const size_t bytes = size + sizeof(sized_block);
    sized_block *block = sbl_alloc_array(bytes, 1);
    if (block == NULL) {
        d->out_of_memory = true;
        return NULL;
    }
    block->size = bytes;
    d->allocated += size;
    return block + 1;
}

static void free_counted(png_structp png, png_voidp address)
{
    decoder *d = png_get_mem_ptr(png);
    sized_block *block = (sized_block *)address - 1;
    d->allocated -= block->size - sizeof(sized_block);
    sbl_free_wiped(block, block->size);
}

static PNG_FUNCTION(void, fail_quietly, (png_structp png, png_const_charp message), PNG_NORETURN)
{
    (void)message;
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void read_memory(png_structp png, png_bytep bytes, size_t size)
{
    decoder *d = png_get_io_ptr(png);
    if (size > d->left) png_error(png, "end of file");
    memcpy(bytes, d->next, size);
    d->next += size;
    d->left -= size;
}

static uint8_t over_white(unsigned value, unsigned alpha)
{
    return (uint8_t)((value * alpha + 255 * (255 - alpha) + 127) / 255);
}

/* A row that is whole: over white, in place. */
static void hand_over(const decoder *d, size_t y, uint8_t *rgba)
{
    for (size_t x = 0; x < d->canvas->width; x++) {
        const uint8_t *from = rgba + 4 * x;
        const uint8_t rgb[3] = {over_white(from[0], from[3]), over_white(from[1], from[3]),
                                over_white(from[2], from[3])};
        memcpy(rgba + 3 * x, rgb, 3); /* never past the pixels that are still to be read */
    }
    sbl_canvas_row(d->canvas, y, rgba);
}

/* passes: more than one where the file is interlaced, which needs all of its rows at once. */
static bool read_rows(decoder *d, int passes)
{
    const size_t height = d->canvas->height, line = 4 * d->canvas->width;
    const size_t rows = passes > 1 ? height : 1;
    d->rgba_size = rows * line;
    d->rgba = sbl_alloc_array(rows, line);
    if (d->rgba == NULL) {
        d->out_of_memory = true;
        return false;
    }
    for (int pass = 1; pass < passes; pass++)
        for (size_t y = 0; y < height; y++) png_read_row(d->png, d->rgba + y * line, NULL);
    for (size_t y = 0; y < height; y++) {
        uint8_t *row = d->rgba + y % rows * line;
        png_read_row(d->png, row, NULL);
        hand_over(d, y, row);
    }
    sbl_canvas_finish(d->canvas);
    return true;
}

/* Whatever the file holds becomes 8-bit RGBA. */
static int set_transforms(png_structp png)
{
    png_set_scale_16(png);
    png_set_expand(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
    return png_set_interlace_handling(png);
}

static bool decode_image(decoder *d)
{
    png_set_read_fn(d->png, d, read_memory);
    png_set_user_limits(d->png, (png_uint_32)SBL_PICTURE_SIDE_LIMIT, (png_uint_32)SBL_PICTURE_SIDE_LIMIT);
    png_set_chunk_malloc_max(d->png, CHUNK_LIMIT);
    /* Only IHDR, PLTE, tRNS and IDAT matter: gamma, profiles and texts are not looked at. */
    png_set_keep_unknown_chunks(d->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(d->png, d->info);
    if (!sbl_canvas_begin(d->canvas, png_get_image_height(d->png, d->info),
                          png_get_image_width(d->png, d->info)))
        return false;
    const int passes = set_transforms(d->png);
    png_read_update_info(d->png, d->info);
    if (png_get_rowbytes(d->png, d->info) != 4 * d->canvas->width) return false;
    return read_rows(d, passes);
}

static bool decode_or_return(decoder *d)
{
    if (setjmp(png_jmpbuf(d->png)) != 0) return false;
    return decode_image(d);
}

static bool decode(decoder *d)
{
    d->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, NULL, fail_quietly, ignore_warning, d,
                                      alloc_counted, free_counted);
    if (d->png == NULL) return false;
    d->info = png_create_info_struct(d->png);
    const bool decoded = d->info != NULL && decode_or_return(d);
    png_destroy_read_struct(&d->png, &d->info, NULL);
    return decoded;
}

sbl_status sbl_png_decode(sbl_canvas *canvas, bool *decoded, const uint8_t *bytes, size_t size,
                          sbl_error *err)
{
    decoder d = {.canvas = canvas, .next = bytes, .left = size};
    *decoded = decode(&d);
    sbl_free_wiped(d.rgba, d.rgba_size);
    return d.out_of_memory ? sbl_no_memory(err, "the decoding of images") : SBL_OK;
}

static size_t load_big_endian(const uint8_t *bytes)
{
    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | (size_t)bytes[3];
}

/* PNG specification, table 11.1. */
static bool depth_fits_colour_type(unsigned depth, unsigned colour_type)
{
    switch (colour_type) {
    case PNG_COLOR_TYPE_GRAY:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case PNG_COLOR_TYPE_PALETTE:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case PNG_COLOR_TYPE_RGB:
    case PNG_COLOR_TYPE_GRAY_ALPHA:
    case PNG_COLOR_TYPE_RGB_ALPHA:
        return depth == 8 || depth == 16;
    default:
        return false;
    }
}

sbl_status sbl_png_header_parse(sbl_png_header *header, const uint8_t *bytes, size_t size, const char *name,
                                sbl_error *err)
{
    static const uint8_t start[16] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                                      0,    0,   0,   13,  'I',  'H',  'D',  'R'};
    *header = (sbl_png_header){0};
    if (size < SBL_PNG_HEADER_SIZE || memcmp(bytes, start, sizeof start) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s is neither a PNG nor a JPEG file", name);
    const size_t width = load_big_endian(bytes + 16);
    const size_t height = load_big_endian(bytes + 20);
    /* Then: bit depth, colour type, compression and filter (0), interlace (0, 1), checksum. */
    if (crc32(0, bytes + 12, 17) != load_big_endian(bytes + 29) ||
        !depth_fits_colour_type(bytes[24], bytes[25]) || bytes[26] != 0 || bytes[27] != 0 || bytes[28] > 1)
        return sbl_fail(err, SBL_EINPUT, "%s: the header of the PNG file is damaged", name);
    if (width == 0 || width > SBL_IMAGE_SIDE_LIMIT || height == 0 || height > SBL_IMAGE_SIDE_LIMIT)
        return sbl_fail(err, SBL_EINPUT, "%s: an image has %zu x %zu pixels; sides must be from 1 to %zu",
                        name, height, width, SBL_IMAGE_SIDE_LIMIT);
    *header = (sbl_png_header){height, width, (bytes[25] & PNG_COLOR_MASK_COLOR) != 0};
    return SBL_OK;
}

/* ---- encoding ---- */

typedef struct encoder {
    png_structp png;
    png_infop info;
    sbl_text *out;
    const uint8_t *pixels;
    size_t height;
    size_t width;
    size_t channels;
    size_t line; /* bytes of a line */
} encoder;

static png_voidp alloc_block(png_structp png, png_alloc_size_t size)
{
    (void)png;
    return sbl_alloc_array(size, 1);
}

static void free_block(png_structp png, png_voidp address)
{
    (void)png;
    sbl_free(address);
}

static void append(png_structp png, png_bytep bytes, size_t size)
{
    const encoder *e = png_get_io_ptr(png);
    sbl_text_append(e->out, (const char *)bytes, size);
    if (e->out->failed) png_error(png, "out of memory");
}

static void flush_nothing(png_structp png) { (void)png; }

static bool encode(encoder *e)
{
    if (setjmp(png_jmpbuf(e->png)) != 0) return false;
    png_set_write_fn(e->png, e, append, flush_nothing);
    png_set_IHDR(e->png, e->info, (png_uint_32)e->width, (png_uint_32)e->height, 8,
                 e->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(e->png, e->info);
    for (size_t y = 0; y < e->height; y++) png_write_row(e->png, e->pixels + y * e->line);
    png_write_end(e->png, e->info);
    return true;
}

sbl_status sbl_png_encode(sbl_text *out, const uint8_t *pixels, size_t height, size_t width, size_t channels,
                          size_t line, sbl_error *err)
{
    encoder e = {
        .out = out, .pixels = pixels, .height = height, .width = width, .channels = channels, .line = line};
    bool encoded = false;
    e.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, NULL, fail_quietly, ignore_warning, NULL,
                                      alloc_block, free_block);
    if (e.png != NULL) e.info = png_create_info_struct(e.png);
    if (e.info != NULL) encoded = encode(&e);
    png_destroy_write_struct(&e.png, &e.info);
    /* Sizes are checked by the callers: nothing else can fail. */
    return encoded ? SBL_OK : sbl_no_memory(err, "the encoding of an image");
}

sbl_status sbl_png_base64(char **text, const sbl_text *png, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(*text, (png->length + 2) / 3 * 4 + 1, "a picture");
    (void)EVP_EncodeBlock((unsigned char *)*text, (const unsigned char *)png->data, (int)png->length);
done:
    return status;
}
