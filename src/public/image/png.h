/* SPDX-License-Identifier: Apache-2.0 */
/* One PNG file in memory: as pixels of a set's shape, and made of pixels. */
#ifndef SBL_IMAGE_PNG_H
#define SBL_IMAGE_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "public/image/canvas.h"

/* Signature and IHDR chunk: what belongs to the container. */
#define SBL_PNG_HEADER_SIZE ((size_t)33)

typedef struct sbl_png_header {
    size_t height; /* 1 .. SBL_IMAGE_SIDE_LIMIT */
    size_t width;
    bool colour; /* RGB or palette */
} sbl_png_header;

/* Parse the first bytes of a file; name is for messages. SBL_EINPUT: not a PNG file, a damaged
 * header, or a size that images may not have. */
sbl_status sbl_png_header_parse(sbl_png_header *header, const uint8_t *bytes, size_t size, const char *name,
                                sbl_error *err);

/* Decode onto a canvas, to 8 bits: 16-bit values are scaled, palettes looked up, transparent pixels
 * laid over white.
 * Out:     decoded  false: no PNG file, damaged, or a size that the canvas has no place for
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_png_decode(sbl_canvas *canvas, bool *decoded, const uint8_t *bytes, size_t size,
                          sbl_error *err);

/* Append the file to out. pixels: (height, width, channels), lines of `line` bytes; channels 1 or 3; sides from 1 on. */
sbl_status sbl_png_encode(sbl_text *out, const uint8_t *pixels, size_t height, size_t width, size_t channels,
                          size_t line, sbl_error *err);

/* The bytes of a file as text. Owner: the caller, sbl_free() */
sbl_status sbl_png_base64(char **text, const sbl_text *png, sbl_error *err);

#endif
