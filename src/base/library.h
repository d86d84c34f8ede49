/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are opened at run time. A library is opened by the path that a caller gives, beside our own library or
 * program, or by a name in the folders of the system. The working directory is never searched. */
#ifndef SBL_BASE_LIBRARY_H
#define SBL_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* The library that a caller names: a path, which has a slash and is made absolute first, or else a name for
 * sbl_library_open(). NULL: there is none, or it cannot be loaded. */
void *sbl_library_open_path(const char *path);

/* The library of this file name beside our own library, or where libraries are installed as seen from a program that
 * contains ours. NULL: as above.
 * Out:     there  such a file exists, whether it can be loaded or not; may be NULL */
void *sbl_library_open_beside(bool *there, const char *name);

/* The library of this file name beside our own, or else in the folders that the loader searches. */
void *sbl_library_open(const char *name);

/* Is the library of this name loaded already? */
bool sbl_library_loaded(const char *name);

/* Why a library that was not found is not to be had, for messages: "it is not installed here". */
const char *sbl_library_why(void);

/* A function, and the place of its pointer in a struct. */
typedef struct sbl_library_call {
    const char *name;
    size_t offset;
} sbl_library_call;

/* Fill the struct with the addresses of functions.   Returns: NULL; the name of the first function that is not there */
const char *sbl_library_find(void *pointers, void *library, const sbl_library_call *calls, size_t count);

#endif
