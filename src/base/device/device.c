/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a plug-in, asks it for a device, and falls back to the CPU where that is allowed. */
#include "base/device/device.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/backend/plugin.h"
#include "base/library.h"

#define PLUGIN "libsemblance-cuda.so"
#define MOST_DEVICES 64

/* "cuda" or "cuda:N". */
static bool read_cuda(unsigned *number, const char *name)
{
    char *end;
    *number = 0;
    if (strcmp(name, "cuda") == 0) return true;
    if (strncmp(name, "cuda:", 5) != 0 || name[5] < '0' || name[5] > '9') return false;
    const unsigned long found = strtoul(name + 5, &end, 10);
    *number = (unsigned)found;
    return *end == '\0' && found < MOST_DEVICES;
}

static bool is_auto(const char *name) { return name == NULL || strcmp(name, "auto") == 0; }

sbl_status sbl_device_check(const char *name, sbl_error *err)
{
    unsigned number;
    if (is_auto(name) || strcmp(name, "cpu") == 0 || read_cuda(&number, name)) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "device must be %s", SBL_DEVICE_WORDS);
}

/* ---- the plug-in ---- */

/* *there: a file of the plug-in's name is, whether it can be loaded or not. */
static void *find_plugin(bool *there, const char *folder)
{
    char whole[PATH_MAX + sizeof PLUGIN];
    if (folder == NULL) return sbl_library_open_beside(there, PLUGIN);
    (void)snprintf(whole, sizeof whole, "%s/" PLUGIN, folder);
    *there = access(whole, F_OK) == 0;
    return *there ? sbl_library_open_path(whole) : NULL;
}

static sbl_status open_cuda(sbl_device *device, const sbl_device_options *options, unsigned number,
                            sbl_error *err)
{
    /* A relative folder is the caller's: it is made absolute here, and the plug-in searches no other. */
    char folder[PATH_MAX];
    const char *path = options->path;
    if (path != NULL && realpath(path, folder) != NULL) path = folder;
    const sbl_device_ask ask = {.version = SBL_BACKEND_VERSION,
                                .number = number,
                                .path = path,
                                .cache = options->cache,
                                .tf32 = options->tf32};
    sbl_device_opening opening;
    bool there;
    device->library = find_plugin(&there, path);
    device->absent = !there;
    if (device->library == NULL)
        return sbl_fail(err, SBL_EINPUT, "the plug-in " PLUGIN " %s%s%s",
                        there ? "cannot be loaded" : "is not found", options->path != NULL ? " in " : "",
                        options->path != NULL ? options->path : "");
    void *symbol = dlsym(device->library, SBL_PLUGIN_OPEN);
    if (symbol == NULL || dlsym(device->library, SBL_PLUGIN_CLOSE) == NULL)
        return sbl_fail(err, SBL_EINPUT, PLUGIN " is not a plug-in of this library");
    memcpy(&opening, &symbol, sizeof opening);
    const sbl_status status = opening(&device->on, &ask, err);
    device->absent = status == SBL_EIO;
    return device->absent ? SBL_EINPUT : status;
}

sbl_status sbl_device_open(sbl_device *device, const sbl_device_options *options, sbl_error *err)
{
    sbl_error own = {0};
    unsigned number = 0;
    *device = (sbl_device){.on = &sbl_backend_cpu};
    sbl_status status = sbl_device_check(options->name, err);
    if (status != SBL_OK) return status;
    if (options->name != NULL && strcmp(options->name, "cpu") == 0) return SBL_OK;
    if (!is_auto(options->name)) (void)read_cuda(&number, options->name);
    device->on = NULL;
    status = open_cuda(device, options, number, is_auto(options->name) ? &own : err);
    if (status == SBL_OK) return SBL_OK;
    const bool absent = device->absent;
    sbl_device_close(device);
    if (!is_auto(options->name)) {
        if (err != NULL && err->hint == SBL_HINT_NONE) err->hint = SBL_HINT_DEVICE;
        return status;
    }
    *device = (sbl_device){.on = &sbl_backend_cpu, .absent = absent};
    (void)snprintf(device->why, sizeof device->why, "%.255s", own.message);
    return SBL_OK;
}

void sbl_device_close(sbl_device *device)
{
    sbl_device_closing closing;
    if (device->library != NULL && device->on != NULL) {
        void *symbol = dlsym(device->library, SBL_PLUGIN_CLOSE);
        memcpy(&closing, &symbol, sizeof closing);
        closing(device->on);
    }
    if (device->library != NULL) (void)dlclose(device->library);
    *device = (sbl_device){.on = &sbl_backend_cpu};
}
