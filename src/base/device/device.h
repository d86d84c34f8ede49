/* SPDX-License-Identifier: Apache-2.0 */
/* Which device trains: a name from an option to a backend. Devices beside the CPU are plug-ins, shared
 * libraries that are looked for beside this one, or where the caller says (docs/ENGINE.md).
 *
 * Only what comes after a release may have one: the folders of the private pass cannot include this one
 * (tools/check_layers.py). */
#ifndef SBL_DEVICE_DEVICE_H
#define SBL_DEVICE_DEVICE_H

#include "base/backend/backend.h"

#define SBL_DEVICE_WORDS "auto, cpu, cuda or cuda:N"

/* All may be NULL. */
typedef struct sbl_device_options {
    /* auto (as NULL): a device that can be had and serves, else the CPU; or cpu, cuda, cuda:N */
    const char *name;
    /* A folder: of the plug-in, and of CUDA's libraries where they lie there. NULL: beside the library */
    const char *path;
    /* A folder that compiled kernels are kept in. NULL: they are compiled anew */
    const char *cache;
    bool tf32; /* products may round their factors to TF32 (docs/ENGINE.md) */
} sbl_device_options;

typedef struct sbl_device {
    const sbl_backend *on; /* the CPU, or a plug-in's */
    void *library;         /* of the plug-in; NULL: none */
    char why[256];         /* auto: why it is the CPU, in a line; else "" */
    /* That line says no more than that this machine has no plug-in, or no driver: who asked for nothing need
     * not hear of it. */
    bool absent;
} sbl_device;

/* Is the name one of SBL_DEVICE_WORDS?   Returns: SBL_OK, SBL_EARG */
sbl_status sbl_device_check(const char *name, sbl_error *err);
/* auto never fails: it gives the CPU, and says why.
 * Returns: SBL_OK; SBL_EARG: no such name; SBL_EINPUT: no plug-in, no driver, no such device, with its
 * reason in a line; SBL_EMEM */
sbl_status sbl_device_open(sbl_device *device, const sbl_device_options *options, sbl_error *err);
void sbl_device_close(sbl_device *device);

#endif
