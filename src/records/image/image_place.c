/* SPDX-License-Identifier: Apache-2.0 */
/* Opens an image set. A folder that `synth --images` wrote is recognised by the names of its files. */
#include "records/image/image_place.h"

#include <unistd.h>

#include "base/text.h"

/* The files of a folder that `synth --images` wrote: one of these names, and the labels. */
static const char *const image_names[] = {"images-idx3-ubyte.gz", "images-idx4-ubyte.gz"};
static const char label_name[] = "labels-idx1-ubyte.gz";

/* "folder/name" where such a file is, else empty. */
static sbl_status name_within(sbl_text *path, const char *folder, const char *name, sbl_error *err)
{
    sbl_text_printf(path, "%s/%s", folder, name);
    if (path->failed) return sbl_fail(err, SBL_EMEM, "out of memory for a file name");
    if (access(path->data, F_OK) != 0) sbl_text_clear(path);
    return SBL_OK;
}

sbl_status sbl_image_place_open(sbl_image_reader **reader, const sbl_image_place *place, sbl_error *err)
{
    const sbl_image_options options = {.classes = place->classes,
                                       .channels = place->channels,
                                       .height = place->height,
                                       .width = place->width,
                                       .resize = place->resize};
    sbl_status status = SBL_OK;
    sbl_text images = {0}, labels = {0};
    const char *label_path = place->labels;
    if (place->memory != NULL) return sbl_image_open_buffers(reader, place->memory, err);
    for (size_t i = 0; i < 2 && images.data == NULL; i++)
        SBL_TRY(name_within(&images, place->images, image_names[i], err));
    if (images.data != NULL && label_path == NULL) {
        SBL_TRY(name_within(&labels, place->images, label_name, err));
        label_path = labels.data;
    }
    SBL_TRY(
        sbl_image_open(reader, images.data != NULL ? images.data : place->images, label_path, &options, err));
done:
    sbl_text_clear(&images);
    sbl_text_clear(&labels);
    return status;
}
