/* Encoding through libpng; errors by longjmp are met as in png_read.c. */
#include "image/png_write.h"

#include <png.h>

#include "base/memory.h"

typedef struct encoder {
    png_structp png;
    png_infop info;
    sbl_text *out;
    const uint8_t *pixels;
    size_t height;
    size_t width;
    size_t channels;
} encoder;

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
    for (size_t y = 0; y < e->height; y++)
        png_write_row(e->png, e->pixels + y * e->width * e->channels);
    png_write_end(e->png, e->info);
    return true;
}

sbl_status sbl_png_encode(sbl_text *out, const uint8_t *pixels, size_t height, size_t width,
                          size_t channels, sbl_error *err)
{
    encoder e = {
        .out = out, .pixels = pixels, .height = height, .width = width, .channels = channels};
    bool encoded = false;
    e.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, NULL, fail_quietly, ignore_warning,
                                      NULL, alloc_block, free_block);
    if (e.png != NULL) e.info = png_create_info_struct(e.png);
    if (e.info != NULL) encoded = encode(&e);
    png_destroy_write_struct(&e.png, &e.info);
    /* Sizes are checked by the callers: nothing else can fail. */
    return encoded ? SBL_OK : sbl_fail(err, SBL_EMEM, "out of memory while encoding an image");
}
