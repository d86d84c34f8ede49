/* SPDX-License-Identifier: Apache-2.0 */
/* [1] Image sets in: IDX, CIFAR binary, folders of PNG and JPEG files, buffers in memory; read as a stream
 * of 8-bit pixels.
 *
 * The container tells how many images there are, how large they are and which classes exist. It is checked,
 * and refused with a line that names the file. What an image shows and which label it has is a record: a
 * label outside the classes becomes class 0, and a file in a folder that is not an image of the set's size
 * becomes mid-grey. Such records are marked, so that they can be counted.
 *
 * Every set has at most 128 x 128 pixels, grey or RGB, in 0..255: public facts. */
#ifndef SBL_IMAGE_IMAGE_SET_H
#define SBL_IMAGE_IMAGE_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "public/image/image_types.h"

typedef struct sbl_image_reader sbl_image_reader;

/* Open an image set.
 * In:      images   an IDX file, CIFAR file(s) as a comma list, or a folder: of CIFAR files, of PNG
 *                   and JPEG files (no labels), or of one subfolder of such per class. Files may be
 *                   gzip. "-": IDX from standard input
 *          labels   the labels of IDX images; NULL: the set has none
 *          options  may be NULL
 * Out:     reader   NULL on failure
 * Returns: SBL_OK; SBL_EINPUT for what is wrong with the container; SBL_EARG, SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_image_close() */
sbl_status sbl_image_open(sbl_image_reader **reader, const char *images, const char *labels,
                          const sbl_image_options *options, sbl_error *err);

/* The same of images in memory. buffers->pixels, labels and names are borrowed until the reader is closed.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_image_open_buffers(sbl_image_reader **reader, const sbl_image_buffers *buffers,
                                  sbl_error *err);

/* Facts of the container. The count may be 0: an empty IDX or CIFAR file is a set, and so is a
 * folder without files whose size is declared. */
sbl_image_format sbl_image_reader_format(const sbl_image_reader *reader); /* never AUTO */
sbl_image_shape sbl_image_reader_shape(const sbl_image_reader *reader);
size_t sbl_image_reader_count(const sbl_image_reader *reader);
/* 0: the set has no labels. */
size_t sbl_image_reader_classes(const sbl_image_reader *reader);
/* The subfolder's name (of buffers, the name they came with), or NULL where classes have numbers only. index < classes. */
const char *sbl_image_reader_class_name(const sbl_image_reader *reader, size_t index);

/* Read the next images, at most capacity.
 * Out:     pixels  (got, height, width, channels), values 0..255
 *          labels  (got), each below max(classes, 1); 0 for a set without labels. May be NULL
 *          got     capacity until the images run out, then 0. The call that gives the last image
 *                  also checks that the files end there
 * Returns: SBL_OK; SBL_EINPUT for a file that is cut short, corrupt or too long; SBL_EIO, SBL_EMEM.
 *          After a failure the reader can only be closed */
sbl_status sbl_image_read(sbl_image_reader *reader, uint8_t *pixels, uint32_t *labels, size_t *got,
                          size_t capacity, sbl_error *err);
/* The same, and in misfits (capacity) a 1 for each that became mid-grey. Privacy: records. */
sbl_status sbl_image_read_marked(sbl_image_reader *reader, uint8_t *pixels, uint32_t *labels,
                                 uint8_t *misfits, size_t *got, size_t capacity, sbl_error *err);

/* Close and wipe. reader may be NULL. */
void sbl_image_close(sbl_image_reader *reader);

#endif
