/* SPDX-License-Identifier: Apache-2.0 */
/* One JPEG file in memory, decoded by libjpeg-turbo. Without that library at build time, no file is a JPEG
 * image. */
#ifndef SBL_IMAGE_JPEG_H
#define SBL_IMAGE_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "public/image/canvas.h"

/* The decoder that was built in, with its version; NULL: none. */
const char *sbl_jpeg_library(void);

/* Do the bytes begin as a JPEG file does? */
static inline bool sbl_jpeg_begins(const uint8_t *bytes, size_t size)
{
    return size >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff;
}

/* What the header says.   Out: *found, false: it is damaged.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_jpeg_size(size_t *height, size_t *width, bool *found, const uint8_t *bytes, size_t size,
                         sbl_error *err);

/* Decode onto a canvas: grey, YCbCr, RGB and, as printers' inks, CMYK and YCCK, baseline or
 * progressive, 8 bits; pixels as they are stored (EXIF is not looked at). By the slow integer
 * transform with interpolated colour, so that a version of the decoder gives the same bits on every
 * processor.
 * Out:     decoded  false: no JPEG file, cut short, damaged, of a kind that is not decoded, or a
 *                   size that the canvas has no place for
 * Returns: SBL_OK, SBL_EMEM
 * Privacy: the decoder's own memory is freed, not wiped. */
sbl_status sbl_jpeg_decode(sbl_canvas *canvas, bool *decoded, const uint8_t *bytes, size_t size,
                           sbl_error *err);

#endif
