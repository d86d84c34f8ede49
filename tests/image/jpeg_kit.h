/* SPDX-License-Identifier: Apache-2.0 */
/* JPEG files made by libjpeg-turbo for the tests. */
#ifndef SBL_TESTS_IMAGE_JPEG_KIT_H
#define SBL_TESTS_IMAGE_JPEG_KIT_H

#include <stdbool.h>

#include "image/image_kit.h"

typedef struct kit_jpeg_kind {
    uint32_t height;
    uint32_t width;
    int numbers;      /* of a pixel: 1 grey, 3 RGB, 4 inks */
    bool as_rgb;      /* of 3: stored as RGB, not as YCbCr */
    int sampling;     /* of colours, of 3: every sampling-th pixel in both directions; 0: 1 */
    bool progressive; /* in the usual scans */
    bool separate;    /* of 3: each colour in a scan of its own */
    bool arithmetic;
    bool no_adobe; /* inks as they are; else what they leave, as Adobe's programs store them */
    int quality;   /* 0: 100 */
    int restart;   /* MCUs between restart markers; 0: none */
} kit_jpeg_kind;

/* rows (height, width, numbers) */
kit_bytes kit_jpeg(const kit_jpeg_kind *kind, const uint8_t *rows);

/* Where the frame header (SOFn) begins: 0xff, then its marker. */
size_t kit_jpeg_frame(const kit_bytes *file);

#endif
