/* SPDX-License-Identifier: Apache-2.0 */
/* What readers and writers of image sets have in common: limits, shapes, formats, options. */
#ifndef SBL_IMAGE_IMAGE_TYPES_H
#define SBL_IMAGE_IMAGE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SBL_IMAGE_SIDE_LIMIT ((size_t)128)
#define SBL_IMAGE_COUNT_LIMIT ((size_t)1 << 26)
#define SBL_IMAGE_CLASS_LIMIT ((size_t)1000)

typedef struct sbl_image_shape {
    size_t height;
    size_t width;
    size_t channels; /* 1: grey, 3: RGB */
} sbl_image_shape;

/* Bytes (and pixels' values) of one image: height * width * channels. */
static inline size_t sbl_image_size(sbl_image_shape shape)
{
    return shape.height * shape.width * shape.channels;
}

/* Is this a shape that sets may have? */
static inline bool sbl_image_shape_valid(sbl_image_shape shape)
{
    return shape.height >= 1 && shape.height <= SBL_IMAGE_SIDE_LIMIT && shape.width >= 1 &&
           shape.width <= SBL_IMAGE_SIDE_LIMIT && (shape.channels == 1 || shape.channels == 3);
}

typedef enum sbl_image_format {
    SBL_IMAGE_AUTO = 0, /* by the name: a folder; ".bin" or ".bin.gz" is CIFAR; all else is IDX */
    SBL_IMAGE_IDX,
    SBL_IMAGE_CIFAR,
    SBL_IMAGE_PNG,   /* a folder of PNG files; of readers, of PNG and JPEG files */
    SBL_IMAGE_MEMORY /* buffers (sbl_image_open_buffers): of readers only, never by a name */
} sbl_image_format;

/* For a reader. Zero-initialised: all defaults. Everything here is public by declaration. */
typedef struct sbl_image_options {
    sbl_image_format format;
    size_t classes;  /* 0: IDX and CIFAR 10, a folder has its subfolders; a folder with another
                        number of subfolders is refused. CIFAR: 100 and 20 declare CIFAR-100 with
                        its fine and its coarse labels, any other number CIFAR-10 */
    size_t channels; /* folders only. 0: RGB, whatever the files hold; 1: grey; 3: RGB */
    size_t height;   /* with width; 0: IDX and CIFAR files state it, a folder has the size of its first
                      file. A file that states another size is refused; in a folder, each file that is
                      not an image of this size is mid-grey */
    size_t width;
    bool resize; /* with height and width, of a folder: images of any size are brought to this one
                    (canvas.h) */
} sbl_image_options;

/* A set that is in memory already; borrowed. */
typedef struct sbl_image_buffers {
    sbl_image_shape shape; /* valid: the caller checked it when it took the buffers */
    size_t count;
    size_t classes;           /* 0: no labels */
    char *const *class_names; /* (classes); NULL: numbers only */
    const uint8_t *pixels;    /* (count, height, width, channels) */
    const uint32_t *labels;   /* (count); NULL without classes. A label out of range is class 0 */
} sbl_image_buffers;

/* For a writer. */
typedef struct sbl_image_write_options {
    sbl_image_format format; /* AUTO: ".bin" or ".bin.gz" is CIFAR, all else is IDX */
    sbl_image_shape shape;
    size_t count;                   /* how many images will be written; IDX says so first */
    size_t classes;                 /* 0: no labels */
    const char *const *class_names; /* PNG: the subfolders; NULL: numbers, zero-padded */
    bool overwrite;                 /* files only; of folders, only an empty one is replaced */
} sbl_image_write_options;

#endif
