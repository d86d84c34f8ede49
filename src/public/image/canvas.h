/* SPDX-License-Identifier: Apache-2.0 */
/* The image of a set that a decoder fills, row by row, whatever size the picture in the file has.
 *
 * A picture is taken as it is where it has the set's size. Where resizing was declared it is taken
 * whatever its size: the largest rectangle of the set's proportions is cut out of its middle and
 * scaled, each pixel being the mean of the area that it covers. That is a function of the one file
 * and of public numbers, in integers, and so the same everywhere. */
#ifndef SBL_IMAGE_CANVAS_H
#define SBL_IMAGE_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "public/image/image_types.h"

/* For pictures that are resized: a larger one is not read as an image. */
#define SBL_PICTURE_SIDE_LIMIT ((size_t)16384)
#define SBL_PICTURE_PIXEL_LIMIT ((size_t)1 << 25)

typedef struct sbl_canvas {
    uint8_t *pixels; /* (shape), the caller's */
    sbl_image_shape shape;
    bool resize;
    size_t height, width; /* of the picture; 0 before it began */
    /* What is cut out of it. */
    size_t top, left, rows, columns;
    uint64_t *sums; /* (shape), of what pixels cover; NULL unless resize */
    size_t line;    /* (shape.width, shape.channels): numbers of a row of sums */
} sbl_canvas;

/* Owner: the caller, sbl_canvas_close() in any case.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_canvas_open(sbl_canvas *canvas, uint8_t *pixels, sbl_image_shape shape, bool resize,
                           sbl_error *err);

/* A picture of this size follows, before anything of it is decoded. false: it has no place here. */
bool sbl_canvas_begin(sbl_canvas *canvas, size_t height, size_t width);
/* Its row y, in any order but once: rgb (width, 3). */
void sbl_canvas_row(sbl_canvas *canvas, size_t y, const uint8_t *rgb);
/* All rows were there: pixels are whole. */
void sbl_canvas_finish(sbl_canvas *canvas);
/* There is no picture: pixels are mid-grey, 128. */
void sbl_canvas_blank(sbl_canvas *canvas);
/* Wipe. */
void sbl_canvas_close(sbl_canvas *canvas);

#endif
