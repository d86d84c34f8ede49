/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes JPEG with libjpeg-turbo. Errors return by longjmp, as in png.c: the one function that calls
 * setjmp changes no local variable afterwards, and the struct owns everything. Nothing is printed. A file
 * is bounded in its pixels before it is decoded (canvas.h), in its scans (each scan of a progressive file
 * costs a pass over all pixels) and in memory. A file that a viewer would show with grey stripes counts as
 * damaged: only warnings that lose no pixel are ignored. */
#include "records/image/jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "base/alloc.h"

/* Programs that write progressive files use about ten scans. */
#define SCAN_LIMIT 64
/* Coefficients of the largest picture, in three colours of 16 bits: 192 MiB. */
#define MEMORY_LIMIT ((long)256 << 20)

typedef struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    sbl_canvas *canvas; /* NULL: only the header is wanted */
    uint8_t *line;      /* (width, numbers of a pixel), a row as it is decoded */
    size_t line_size;
    bool out_of_memory; /* of the machine */
} decoder;

#define JPEG_TEXT_OF(version) #version
#define JPEG_TEXT(version) JPEG_TEXT_OF(version)

const char *sbl_jpeg_library(void)
{
#ifdef LIBJPEG_TURBO_VERSION
    return "libjpeg-turbo " JPEG_TEXT(LIBJPEG_TURBO_VERSION);
#else
    return "libjpeg " JPEG_TEXT(JPEG_LIB_VERSION);
#endif
}

/* ---- what libjpeg calls ---- */

_Noreturn static void give_up(j_common_ptr jpeg)
{
    decoder *d = jpeg->client_data;
    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY) d->out_of_memory = true;
    longjmp(d->back, 1);
}

static void judge_message(j_common_ptr jpeg, int level)
{
    const int code = jpeg->err->msg_code;
    if (level >= 0) return; /* a trace */
    if (code != JWRN_EXTRANEOUS_DATA && code != JWRN_ADOBE_XFORM && code != JWRN_JFIF_MAJOR) give_up(jpeg);
}

static void say_nothing(j_common_ptr jpeg) { (void)jpeg; }

static void limit_scans(j_common_ptr jpeg)
{
    if (((j_decompress_ptr)jpeg)->input_scan_number > SCAN_LIMIT) give_up(jpeg);
}

static void begin_source(j_decompress_ptr jpeg) { (void)jpeg; }

/* All bytes are there from the beginning: who wants more has a file that was cut short. */
static boolean end_of_file(j_decompress_ptr jpeg) { give_up((j_common_ptr)jpeg); }

static void skip(j_decompress_ptr jpeg, long count)
{
    struct jpeg_source_mgr *source = jpeg->src;
    if (count <= 0) return;
    if ((unsigned long)count > source->bytes_in_buffer) give_up((j_common_ptr)jpeg);
    source->next_input_byte += count;
    source->bytes_in_buffer -= (size_t)count;
}

/* ---- decoding ---- */

/* To be called behind setjmp: it may fail already. */
static void open_decoder(decoder *d)
{
    jpeg_create_decompress(&d->jpeg);
    d->jpeg.mem->max_memory_to_use = MEMORY_LIMIT;
    d->jpeg.src = &d->source;
    d->jpeg.progress = &d->progress;
    d->progress.progress_monitor = limit_scans;
}

/* Inks to RGB: red is what cyan and black leave. Adobe's programs store what is left, not the ink. */
static void mix_inks(uint8_t *line, size_t width, bool stores_rest)
{
    for (size_t x = 0; x < width; x++) {
        const uint8_t *inks = line + 4 * x;
        const unsigned black = stores_rest ? inks[3] : 255U - inks[3];
        uint8_t rgb[3];
        for (size_t c = 0; c < 3; c++) {
            const unsigned ink = stores_rest ? inks[c] : 255U - inks[c];
            rgb[c] = (uint8_t)((ink * black + 127U) / 255U);
        }
        memcpy(line + 3 * x, rgb, 3); /* never past the inks that are still to be read */
    }
}

static bool choose_output(struct jpeg_decompress_struct *jpeg)
{
    switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_YCbCr:
    case JCS_RGB:
        jpeg->out_color_space = JCS_RGB;
        break;
    case JCS_CMYK:
    case JCS_YCCK:
        jpeg->out_color_space = JCS_CMYK;
        break;
    default:
        return false;
    }
    jpeg->dct_method = JDCT_ISLOW;
    jpeg->do_fancy_upsampling = TRUE;
    jpeg->do_block_smoothing = FALSE;
    return true;
}

static bool decode_rows(decoder *d)
{
    struct jpeg_decompress_struct *jpeg = &d->jpeg;
    if (jpeg->data_precision != 8 || !choose_output(jpeg)) return false;
    (void)jpeg_start_decompress(jpeg);
    d->line_size = (size_t)jpeg->output_width * (size_t)jpeg->output_components;
    d->line = sbl_alloc_array(d->line_size, 1);
    if (d->line == NULL) {
        d->out_of_memory = true;
        return false;
    }
    while (jpeg->output_scanline < jpeg->output_height) {
        const size_t y = jpeg->output_scanline;
        (void)jpeg_read_scanlines(jpeg, &d->line, 1);
        if (jpeg->out_color_space == JCS_CMYK)
            mix_inks(d->line, jpeg->output_width, jpeg->saw_Adobe_marker != 0);
        sbl_canvas_row(d->canvas, y, d->line);
    }
    sbl_canvas_finish(d->canvas);
    return true;
}

static bool decode(decoder *d)
{
    if (setjmp(d->back) != 0) return false;
    open_decoder(d);
    (void)jpeg_read_header(&d->jpeg, TRUE);
    if (d->canvas == NULL) return true;
    return sbl_canvas_begin(d->canvas, d->jpeg.image_height, d->jpeg.image_width) && decode_rows(d);
}

static sbl_status decoder_new(decoder **made, const uint8_t *bytes, size_t size, sbl_error *err)
{
    sbl_status status = SBL_OK;
    decoder *d = NULL;
    SBL_ALLOC(d, 1, "the decoding of images");
    d->jpeg.err = jpeg_std_error(&d->errors);
    d->errors.error_exit = give_up;
    d->errors.emit_message = judge_message;
    d->errors.output_message = say_nothing;
    d->jpeg.client_data = d;
    d->source = (struct jpeg_source_mgr){.next_input_byte = bytes,
                                         .bytes_in_buffer = size,
                                         .init_source = begin_source,
                                         .fill_input_buffer = end_of_file,
                                         .skip_input_data = skip,
                                         .resync_to_restart = jpeg_resync_to_restart,
                                         .term_source = begin_source};
done:
    *made = d;
    return status;
}

static void decoder_free(decoder *d)
{
    jpeg_destroy_decompress(&d->jpeg);
    sbl_free_wiped(d->line, d->line_size);
    sbl_free_wiped(d, sizeof *d);
}

sbl_status sbl_jpeg_size(size_t *height, size_t *width, bool *found, const uint8_t *bytes, size_t size,
                         sbl_error *err)
{
    decoder *d;
    sbl_status status = decoder_new(&d, bytes, size, err);
    *found = false;
    if (status != SBL_OK) return status;
    *found = decode(d);
    *height = d->jpeg.image_height;
    *width = d->jpeg.image_width;
    if (d->out_of_memory) status = sbl_no_memory(err, "the decoding of images");
    decoder_free(d);
    return status;
}

sbl_status sbl_jpeg_decode(sbl_canvas *canvas, bool *decoded, const uint8_t *bytes, size_t size,
                           sbl_error *err)
{
    decoder *d;
    sbl_status status = decoder_new(&d, bytes, size, err);
    *decoded = false;
    if (status != SBL_OK) return status;
    d->canvas = canvas;
    *decoded = decode(d);
    if (d->out_of_memory) status = sbl_no_memory(err, "the decoding of images");
    decoder_free(d);
    return status;
}
