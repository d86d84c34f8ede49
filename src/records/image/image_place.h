/* SPDX-License-Identifier: Apache-2.0 */
/* The place of an image set: files, a folder that `synth --images` wrote, or memory. */
#ifndef SBL_IMAGE_IMAGE_PLACE_H
#define SBL_IMAGE_IMAGE_PLACE_H

#include "records/image/image_set.h"

typedef struct sbl_image_place {
    const char *images; /* what sbl_image_open() takes, or a folder that `synth --images` wrote */
    const char *labels; /* of IDX images; NULL: none, or those beside the images in such a folder */
    size_t classes;     /* 0: what the files say */
    size_t channels;    /* of a folder of PNG or JPEG files; 0: 3 */
    size_t height;      /* with width; 0: what the files say */
    size_t width;
    bool resize; /* of such a folder: images of any size are brought to this one */
    /* NULL: the set is in files. Else it is here (borrowed), `images` is what messages call it, and the rest is not
     * looked at. */
    const sbl_image_buffers *memory;
} sbl_image_place;

/* Open it, to be read as it is. Owner: the caller, sbl_image_close() */
sbl_status sbl_image_place_open(sbl_image_reader **reader, const sbl_image_place *place, sbl_error *err);

#endif
