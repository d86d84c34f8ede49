/* SPDX-License-Identifier: Apache-2.0 */
/* Tells PNG from JPEG by the first bytes. That looks at one record and decides about that record alone. */
#include "records/image/image_file.h"

#include "public/image/canvas.h"
#include "public/image/png.h"
#include "records/image/jpeg.h"

static sbl_status jpeg_size(size_t *height, size_t *width, const uint8_t *bytes, size_t size,
                            const char *name, sbl_error *err)
{
    bool found;
    const sbl_status status = sbl_jpeg_size(height, width, &found, bytes, size, err);
    if (status != SBL_OK) return status;
    if (!found && sbl_jpeg_library() == NULL)
        return sbl_fail(
            err, SBL_EINPUT,
            "%s is a JPEG image, which this build cannot read without libjpeg-turbo: convert it to PNG",
            name);
    if (!found) return sbl_fail(err, SBL_EINPUT, "%s: the header of the JPEG file is damaged", name);
    if (!sbl_image_shape_valid((sbl_image_shape){*height, *width, 1}))
        return sbl_fail(err, SBL_EINPUT, "%s: an image has %zu x %zu pixels; sides must be from 1 to %zu",
                        name, *height, *width, SBL_IMAGE_SIDE_LIMIT);
    return SBL_OK;
}

sbl_status sbl_image_file_size(size_t *height, size_t *width, const uint8_t *bytes, size_t size,
                               const char *name, sbl_error *err)
{
    sbl_png_header header;
    if (sbl_jpeg_begins(bytes, size)) return jpeg_size(height, width, bytes, size, name, err);
    const sbl_status status = sbl_png_header_parse(&header, bytes, size, name, err);
    *height = header.height;
    *width = header.width;
    return status;
}

sbl_status sbl_image_file_decode(uint8_t *pixels, bool *fits, sbl_image_shape shape, bool resize,
                                 const uint8_t *bytes, size_t size, sbl_error *err)
{
    sbl_status status;
    sbl_canvas canvas;
    *fits = false;
    SBL_TRY(sbl_canvas_open(&canvas, pixels, shape, resize, err));
    SBL_TRY(sbl_jpeg_begins(bytes, size) ? sbl_jpeg_decode(&canvas, fits, bytes, size, err)
                                         : sbl_png_decode(&canvas, fits, bytes, size, err));
    if (!*fits) sbl_canvas_blank(&canvas);
done:
    sbl_canvas_close(&canvas);
    return status;
}
