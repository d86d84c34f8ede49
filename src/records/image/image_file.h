/* SPDX-License-Identifier: Apache-2.0 */
/* One file of a folder of images, in memory: PNG or JPEG by its first bytes, whatever its name ends in. */
#ifndef SBL_IMAGE_IMAGE_FILE_H
#define SBL_IMAGE_IMAGE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "public/image/image_types.h"

/* The size of its image, for sets without a declared size; name is for messages. SBL_EINPUT: neither
 * PNG nor JPEG, a damaged header, or a size that images may not have. */
sbl_status sbl_image_file_size(size_t *height, size_t *width, const uint8_t *bytes, size_t size,
                               const char *name, sbl_error *err);

/* Its pixels, in 8 bits, colour made grey as (299 R + 587 G + 114 B) / 1000 where the set is grey. A file
 * that is not an image, cannot be decoded or has another height or width becomes mid-grey (128); with
 * resize, any size is scaled to this one (canvas.h).
 * Out:     pixels  (height, width, channels)
 *          fits    false: they are mid-grey
 * Returns: SBL_OK; SBL_EMEM */
sbl_status sbl_image_file_decode(uint8_t *pixels, bool *fits, sbl_image_shape shape, bool resize,
                                 const uint8_t *bytes, size_t size, sbl_error *err);

#endif
