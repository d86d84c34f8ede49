/* SPDX-License-Identifier: Apache-2.0 */
/* Image sets, wherever they are, into memory of our own, as many as there is room for. NOT PRIVATE where they are real.
 */
#ifndef SBL_EVALUATE_IMAGE_LOAD_H
#define SBL_EVALUATE_IMAGE_LOAD_H

#include "base/progress.h"
#include "owner/evaluate/image_data.h"
#include "records/image/image_place.h"

typedef struct sbl_image_loaded {
    sbl_image_data data;      /* borrows what follows */
    size_t there_are;         /* images in the files */
    sbl_image_reader *reader; /* read to its end: still tells the names of classes */
    uint8_t *pixels;
    uint32_t *labels;
} sbl_image_loaded;

/* What is kept in memory, at most. */
typedef struct sbl_image_room {
    size_t images;
    size_t bytes; /* of pixels */
} sbl_image_room;

/* Loads a set. If it has more images than there is room for, the seed draws that number while reading;
 * their order stays.
 * In:      progress  asked while reading; may be NULL
 * Returns: SBL_OK; SBL_EINPUT: no images, and as sbl_image_open(); SBL_EIO, SBL_EMEM, SBL_ESTOPPED
 * Owner:   the caller, sbl_image_unload() */
sbl_status sbl_image_load(sbl_image_loaded *set, const sbl_image_place *place, sbl_image_room room,
                          uint64_t seed, const sbl_progress_span *progress, sbl_error *err);
/* Wipe and free. */
void sbl_image_unload(sbl_image_loaded *set);

/* Cut a set in two at random: afterwards its first images are half of them (rounded down), drawn by
 * the seed, and the others follow. */
void sbl_image_halve(sbl_image_data *first, sbl_image_data *second, sbl_image_loaded *set, uint64_t seed);

#endif
