/* [1] Image sets in: IDX, CIFAR binary, folders of PNG files; read as a stream of 8-bit pixels.
 *
 * Whatever says how many images there are, how large they are and which classes exist is the
 * container: it is checked and refused with a line that names the file. What one image shows and
 * which label it has is a record: a label outside the classes becomes class 0, a PNG whose pixel
 * data cannot be decoded becomes mid-grey, and nobody is told.
 *
 * Every set is at most 128 x 128, grey or RGB, and its pixels are bounded by 0..255: public facts.
 */
#ifndef SBL_IMAGE_IMAGE_SET_H
#define SBL_IMAGE_IMAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

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
bool sbl_image_shape_valid(sbl_image_shape shape);

typedef enum sbl_image_format {
    SBL_IMAGE_AUTO = 0, /* by the name: a folder; ".bin" or ".bin.gz" is CIFAR; all else is IDX */
    SBL_IMAGE_IDX,
    SBL_IMAGE_CIFAR,
    SBL_IMAGE_PNG /* a folder of PNG files */
} sbl_image_format;

/* Zero-initialised: all defaults. Everything here is public by declaration. */
typedef struct sbl_image_options {
    sbl_image_format format;
    size_t classes;  /* 0: IDX and CIFAR 10, a folder has its subfolders; a folder with another
                        number of subfolders is refused. CIFAR: 100 and 20 declare CIFAR-100 with
                        its fine and its coarse labels, any other number CIFAR-10 */
    size_t channels; /* PNG only. 0: RGB, whatever the files hold; 1: grey; 3: RGB */
} sbl_image_options;

typedef struct sbl_image_reader sbl_image_reader;

/* Open an image set.
 * In:      images   an IDX file, CIFAR file(s) as a comma list, or a folder: of CIFAR files, of PNG
 *                   files (no labels), or of one subfolder of PNG files per class. Files may be
 *                   gzip. "-": IDX from standard input
 *          labels   the labels of IDX images; NULL: the set has none
 *          options  may be NULL
 * Out:     reader   NULL on failure
 * Returns: SBL_OK; SBL_EINPUT for what is wrong with the container; SBL_EARG, SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_image_close() */
sbl_status sbl_image_open(sbl_image_reader **reader, const char *images, const char *labels,
                          const sbl_image_options *options, sbl_error *err);

/* Facts of the container. The count may be 0: an empty IDX or CIFAR file is a set. A folder of PNG
 * files holds one at least, whose size is that of all. */
sbl_image_format sbl_image_reader_format(const sbl_image_reader *reader); /* never AUTO */
sbl_image_shape sbl_image_reader_shape(const sbl_image_reader *reader);
size_t sbl_image_reader_count(const sbl_image_reader *reader);
/* 0: the set has no labels. */
size_t sbl_image_reader_classes(const sbl_image_reader *reader);
/* The subfolder's name, or NULL where classes have numbers only. index < classes. */
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

/* Close and wipe. reader may be NULL. */
void sbl_image_close(sbl_image_reader *reader);

#endif
