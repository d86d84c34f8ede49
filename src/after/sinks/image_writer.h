/* SPDX-License-Identifier: Apache-2.0 */
/* [9] Image sets out: an IDX pair, a CIFAR file, a folder of PNG files, a preview grid. Whatever is
 * written appears whole or not at all. */
#ifndef SBL_SINKS_IMAGE_WRITER_H
#define SBL_SINKS_IMAGE_WRITER_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "public/image/image_types.h"

typedef struct sbl_image_writer sbl_image_writer;

/* Begin an image set. A name that ends in ".gz" is compressed.
 * In:      images   the file of images, or the folder
 *          labels   IDX: the file of labels, NULL exactly when classes is 0; else NULL
 * Returns: SBL_OK; SBL_EARG for what the format cannot hold; SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_image_writer_free() */
sbl_status sbl_image_writer_open(sbl_image_writer **writer, const char *images, const char *labels,
                                 const sbl_image_write_options *options, sbl_error *err);

/* Write images. In: pixels (count, height, width, channels); labels (count), NULL without classes
 */
sbl_status sbl_image_write(sbl_image_writer *writer, const uint8_t *pixels, const uint32_t *labels,
                           size_t count, sbl_error *err);

/* All images are written: let the set appear. SBL_EARG when there were fewer than announced. */
sbl_status sbl_image_writer_finish(sbl_image_writer *writer, sbl_error *err);

/* Free; what was not finished never was. writer may be NULL. */
void sbl_image_writer_free(sbl_image_writer *writer);

/* A picture of the first images of every class: one row per class, columns images each. */
typedef struct sbl_image_grid sbl_image_grid;

/* rows: classes, or as many as wanted for a set without labels. Owner: sbl_image_grid_free() */
sbl_status sbl_image_grid_new(sbl_image_grid **grid, sbl_image_shape shape, size_t rows, size_t columns,
                              sbl_error *err);

/* The columns, at most those wanted, of a picture that is not too large to be made. */
size_t sbl_image_grid_columns(sbl_image_shape shape, size_t rows, size_t wanted);

/* Take what still has a place. labels NULL: places are filled row by row. pixels NULL: they stay white. */
void sbl_image_grid_add(sbl_image_grid *grid, const uint8_t *pixels, const uint32_t *labels, size_t count);
/* Has every place its image? Then nothing more need be added. */
bool sbl_image_grid_full(const sbl_image_grid *grid);

/* The rows up to the last one that has an image. */
size_t sbl_image_grid_rows(const sbl_image_grid *grid);

/* Append it to png as the bytes of a PNG file. */
sbl_status sbl_image_grid_encode(const sbl_image_grid *grid, sbl_text *png, sbl_error *err);
/* Its first rows and columns alone, height by width pixels. */
sbl_status sbl_image_grid_encode_part(const sbl_image_grid *grid, size_t rows, size_t columns, sbl_text *png,
                                      size_t *height, size_t *width, sbl_error *err);
/* Write it as a PNG file. Places without an image stay white. */
sbl_status sbl_image_grid_write(const sbl_image_grid *grid, const char *path, bool overwrite, sbl_error *err);
/* Wipe and free; grid may be NULL. */
void sbl_image_grid_free(sbl_image_grid *grid);

#endif
