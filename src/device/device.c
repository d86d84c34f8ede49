/* Finds a plug-in, asks it for a device, and goes on with the CPU where that is allowed. */
#include "device/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/plugin.h"

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

/* The folder of the program or library that this function is in, with its slash; "": not known. */
static void own_folder(char *folder, size_t size)
{
    static const char here = 0;
    Dl_info info;
    folder[0] = '\0';
    if (dladdr(&here, &info) == 0 || info.dli_fname == NULL) return;
    const char *slash = strrchr(info.dli_fname, '/');
    const size_t length = slash != NULL ? (size_t)(slash - info.dli_fname) + 1 : 0;
    if (length >= size) return;
    memcpy(folder, info.dli_fname, length);
    folder[length] = '\0';
}

static void *try_folder(const char *folder, const char *below)
{
    char whole[4096];
    const int length = snprintf(whole, sizeof whole, "%s%s" PLUGIN, folder, below);
    return length < (int)sizeof whole ? dlopen(whole, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* In the caller's folder alone, where there is one. Else beside the library, or in lib/ beside the bin/ of a
 * program that has the library in it. */
static void *find_plugin(const char *path)
{
    char own[4096];
    if (path != NULL) return try_folder(path, "/");
    own_folder(own, sizeof own);
    void *found = own[0] != '\0' ? try_folder(own, "") : NULL;
    if (found == NULL && own[0] != '\0') found = try_folder(own, "../lib/");
    return found;
}

static sbl_status open_cuda(sbl_device *device, const sbl_device_options *options, unsigned number,
                            sbl_error *err)
{
    const sbl_device_ask ask = {SBL_BACKEND_VERSION, number, options->path, options->cache};
    sbl_device_opening opening;
    device->library = find_plugin(options->path);
    if (device->library == NULL)
        return sbl_fail(err, SBL_EINPUT, "the plug-in " PLUGIN " is not found%s%s",
                        options->path != NULL ? " in " : "",
                        options->path != NULL ? options->path : "");
    void *symbol = dlsym(device->library, SBL_PLUGIN_OPEN);
    if (symbol == NULL || dlsym(device->library, SBL_PLUGIN_CLOSE) == NULL)
        return sbl_fail(err, SBL_EINPUT, PLUGIN " is no plug-in of this library");
    memcpy(&opening, &symbol, sizeof opening);
    return opening(&device->on, &ask, err);
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
    sbl_device_close(device);
    if (!is_auto(options->name)) return status;
    *device = (sbl_device){.on = &sbl_backend_cpu};
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
