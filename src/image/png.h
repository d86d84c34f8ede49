/* One PNG file in memory: as pixels of a set's shape, and made of pixels. */
#ifndef SBL_IMAGE_PNG_H
#define SBL_IMAGE_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "image/image_types.h"

/* Signature and IHDR chunk: what belongs to the container. */
#define SBL_PNG_HEADER_SIZE ((size_t)33)

typedef struct sbl_png_header {
    size_t height; /* 1 .. SBL_IMAGE_SIDE_LIMIT */
    size_t width;
    bool colour; /* RGB or palette */
} sbl_png_header;

/* Parse the first bytes of a file; name is for messages. SBL_EINPUT: not a PNG file, a damaged
 * header, or a size that images may not have. */
sbl_status sbl_png_header_parse(sbl_png_header *header, const uint8_t *bytes, size_t size,
                                const char *name, sbl_error *err);

/* Decode to 8 bits: 16-bit values are scaled, palettes looked up, transparent pixels laid over
 * white, colour made grey as (299 R + 587 G + 114 B) / 1000 where the set is grey. What is no PNG
 * file at all, cannot be decoded, or is not of this height and width, becomes mid-grey (128).
 * Out:     pixels  (height, width, channels)
 *          fits    false: they are mid-grey
 * Returns: SBL_OK; SBL_EMEM */
sbl_status sbl_png_decode(uint8_t *pixels, bool *fits, sbl_image_shape shape, const uint8_t *bytes,
                          size_t size, sbl_error *err);

/* Append the file to out. pixels: (height, width, channels), lines of `line` bytes; channels 1 or 3; sides from 1 on. */
sbl_status sbl_png_encode(sbl_text *out, const uint8_t *pixels, size_t height, size_t width,
                          size_t channels, size_t line, sbl_error *err);

/* The bytes of a file as text. Owner: the caller, sbl_free() */
sbl_status sbl_png_base64(char **text, const sbl_text *png, sbl_error *err);

#endif
