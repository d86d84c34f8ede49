/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that a sink writes: what they may be called, and making them. */
#ifndef SBL_SINKS_OUTPUT_FOLDER_H
#define SBL_SINKS_OUTPUT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Of the name without the slashes at its end. */
size_t sbl_folder_length(const char *folder);
/* Can it be made, and the files beside it be called after it? Not so -, /, . and .. */
bool sbl_folder_has_name(const char *folder);
/* made: it was not there.   Returns: SBL_OK, SBL_EIO; also SBL_OK where something of the name is there */
sbl_status sbl_folder_make(bool *made, const char *path, sbl_error *err);

#endif
