/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding with libjpeg-turbo, whose errors end the program: these files can be made. */
#include "image/jpeg_kit.h"

#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

static const jpeg_scan_info one_by_one[] = {
    {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};

static void describe(struct jpeg_compress_struct *jpeg, const kit_jpeg_kind *kind)
{
    jpeg->image_height = kind->height;
    jpeg->image_width = kind->width;
    jpeg->input_components = kind->numbers;
    jpeg->in_color_space = kind->numbers == 1 ? JCS_GRAYSCALE : kind->numbers == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(jpeg);
    if (kind->as_rgb) jpeg_set_colorspace(jpeg, JCS_RGB);
    if (kind->numbers == 4) jpeg->write_Adobe_marker = !kind->no_adobe;
    jpeg_set_quality(jpeg, kind->quality != 0 ? kind->quality : 100, TRUE);
    jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor =
        kind->sampling != 0 ? kind->sampling : 1;
    jpeg->restart_interval = (unsigned)kind->restart;
    if (kind->progressive) jpeg_simple_progression(jpeg);
    if (kind->separate) {
        jpeg->scan_info = one_by_one;
        jpeg->num_scans = 3;
    }
    jpeg->arith_code = kind->arithmetic;
}

kit_bytes kit_jpeg(const kit_jpeg_kind *kind, const uint8_t *rows)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    kit_bytes file = {0};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    describe(&jpeg, kind);
    jpeg_start_compress(&jpeg, TRUE);
    const size_t line = (size_t)kind->width * (size_t)kind->numbers;
    while (jpeg.next_scanline < jpeg.image_height) {
        /* libjpeg does not write to what it reads. */
        JSAMPROW row = (JSAMPROW)(uintptr_t)(rows + jpeg.next_scanline * line);
        (void)jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    kit_add(&file, bytes, size);
    free(bytes);
    return file;
}

size_t kit_jpeg_frame(const kit_bytes *file)
{
    size_t at = 2;
    for (;;) {
        const uint8_t marker = file->data[at + 1];
        if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) return at;
        at += 2 + ((size_t)file->data[at + 2] << 8 | file->data[at + 3]);
    }
}
