/* Pixels as the bytes of a PNG file. */
#ifndef SBL_IMAGE_PNG_WRITE_H
#define SBL_IMAGE_PNG_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

/* Append the file to out. pixels: (height, width, channels); channels 1 or 3; sides from 1 on. */
sbl_status sbl_png_encode(sbl_text *out, const uint8_t *pixels, size_t height, size_t width,
                          size_t channels, sbl_error *err);

#endif
