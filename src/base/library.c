/* SPDX-License-Identifier: Apache-2.0 */
/* Finds libraries without the help of the working directory: dlopen() gets an absolute path, or a name without a slash,
 * for which the loader searches its own folders. */
#include "base/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *sbl_library_open_path(const char *path)
{
    char whole[PATH_MAX];
    if (strchr(path, '/') == NULL) return sbl_library_open(path);
    return realpath(path, whole) != NULL ? dlopen(whole, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* The folder of the program or library that contains this function, with its slash; "": unknown. The loader has no name
 * for a program, and the name that it was called by need not say where it is: then the system is asked. */
static void own_folder(char folder[PATH_MAX])
{
    static const char here = 0;
    Dl_info info;
    folder[0] = '\0';
#ifdef __GLIBC__
    void *found = NULL;
    if (dladdr1(&here, &info, &found, RTLD_DL_LINKMAP) == 0) return;
    const char *loaded = found != NULL ? ((const struct link_map *)found)->l_name : "";
#else
    if (dladdr(&here, &info) == 0) return;
    const char *loaded = info.dli_fname != NULL ? info.dli_fname : "";
#endif
    const char *name = loaded[0] == '/' ? loaded : "/proc/self/exe";
    if (realpath(name, folder) == NULL) folder[0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash != NULL) slash[1] = '\0';
}

static void *try_folder(bool *there, const char *folder, const char *below, const char *name)
{
    char whole[PATH_MAX];
    const int length = snprintf(whole, sizeof whole, "%s%s%s", folder, below, name);
    if (length >= (int)sizeof whole || access(whole, F_OK) != 0) return NULL;
    *there = true;
    return dlopen(whole, RTLD_NOW | RTLD_LOCAL);
}

void *sbl_library_open_beside(bool *there, const char *name)
{
    char own[PATH_MAX];
    bool seen = false;
    own_folder(own);
    void *found = own[0] == '/' ? try_folder(&seen, own, "", name) : NULL;
    if (found == NULL && own[0] == '/') found = try_folder(&seen, own, SBL_PROGRAM_TO_LIBRARIES, name);
    if (there != NULL) *there = seen;
    return found;
}

void *sbl_library_open(const char *name)
{
    void *found = sbl_library_open_beside(NULL, name);
    return found != NULL ? found : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

bool sbl_library_loaded(const char *name) { return dlopen(name, RTLD_NOW | RTLD_NOLOAD) != NULL; }

const char *sbl_library_why(void) { return "it is not installed here"; }

const char *sbl_library_find(void *pointers, void *library, const sbl_library_call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, calls[i].name);
        if (address == NULL) return calls[i].name;
        /* POSIX promises that a function's address fits a void pointer; C has no cast for it. */
        memcpy((char *)pointers + calls[i].offset, &address, sizeof address);
    }
    return NULL;
}
