/* Inside the image writers: what each kind of output offers to image_writer.c. */
#ifndef SBL_IMAGE_IMAGE_OUTPUT_H
#define SBL_IMAGE_IMAGE_OUTPUT_H

#include <stdint.h>

#include "base/status.h"
#include "image/image_types.h"

/* A folder of PNG files that appears whole. class_names may be NULL. */
typedef struct sbl_png_output sbl_png_output;

sbl_status sbl_png_output_open(sbl_png_output **output, const char *path,
                               const sbl_image_write_options *options, sbl_error *err);
/* label: below classes; not looked at without classes. */
sbl_status sbl_png_output_write(sbl_png_output *output, const uint8_t *pixels, uint32_t label,
                                sbl_error *err);
sbl_status sbl_png_output_finish(sbl_png_output *output, sbl_error *err);
void sbl_png_output_free(sbl_png_output *output);

#endif
