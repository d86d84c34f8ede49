/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces jpeg.c if libjpeg-turbo was not found: no file is a JPEG image. Folders with JPEG file names are
 * refused (folder_read.c). */
#include "records/image/jpeg.h"

const char *sbl_jpeg_library(void) { return NULL; }

sbl_status sbl_jpeg_size(size_t *height, size_t *width, bool *found, const uint8_t *bytes, size_t size,
                         sbl_error *err)
{
    (void)bytes, (void)size, (void)err;
    *height = *width = 0;
    *found = false;
    return SBL_OK;
}

sbl_status sbl_jpeg_decode(sbl_canvas *canvas, bool *decoded, const uint8_t *bytes, size_t size,
                           sbl_error *err)
{
    (void)canvas, (void)bytes, (void)size, (void)err;
    *decoded = false;
    return SBL_OK;
}
