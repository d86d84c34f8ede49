/* SPDX-License-Identifier: Apache-2.0 */
/* What a plug-in for a device shows: a shared library with these two functions, found and opened by
 * src/base/device. It is built with the same backend.h and includes nothing else of the library. */
#ifndef SBL_BACKEND_PLUGIN_H
#define SBL_BACKEND_PLUGIN_H

#include "base/backend/backend.h"

typedef struct sbl_device_ask {
    unsigned version;  /* SBL_BACKEND_VERSION of who asks */
    unsigned number;   /* of the device, from 0 */
    const char *path;  /* a folder to look for the vendor's libraries in first; NULL: none */
    const char *cache; /* a folder that compiled kernels are kept in; NULL: none are */
    bool tf32;         /* products may round their factors to TF32, where that is faster */
} sbl_device_ask;

/* Names of the two symbols. */
#define SBL_PLUGIN_OPEN "sbl_plugin_open"
#define SBL_PLUGIN_CLOSE "sbl_plugin_close"

/* Returns: SBL_OK; SBL_EIO: the machine has no driver for such devices; SBL_EINPUT: it has, and there is no
 * such device, or the driver is too old; SBL_EMEM; each with the reason in a line. Owner: the caller, by the close of the same plug-in. */
typedef sbl_status (*sbl_device_opening)(const sbl_backend **made, const sbl_device_ask *ask, sbl_error *err);
typedef void (*sbl_device_closing)(const sbl_backend *made);

#endif
