/* Inside the image writers: a file that appears whole or not at all, gzip when its name says so. */
#ifndef SBL_IMAGE_IMAGE_SINK_H
#define SBL_IMAGE_IMAGE_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct sbl_image_sink sbl_image_sink;

/* Owner: the caller; sbl_image_sink_free() */
sbl_status sbl_image_sink_open(sbl_image_sink **sink, const char *path, bool overwrite,
                               sbl_error *err);
sbl_status sbl_image_sink_write(sbl_image_sink *sink, const void *bytes, size_t size,
                                sbl_error *err);
#define SBL_IMAGE_SINKS 2 /* that may be finished together: a pair */

/* Write what is left and let the files appear, all or none. Called at most once for each. */
sbl_status sbl_image_sinks_finish(sbl_image_sink *const *sinks, size_t count, sbl_error *err);
/* Free; what was not finished never was. sink may be NULL. */
void sbl_image_sink_free(sbl_image_sink *sink);

#endif
