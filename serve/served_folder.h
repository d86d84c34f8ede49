/* SPDX-License-Identifier: Apache-2.0 */
/* The one folder that the server may look into. A path of a request is relative to it and is taken apart by rule, then
 * opened beneath the folder, without following a single link. The library is handed the absolute path of the same file:
 * a user who can replace a file by a link between our check and the library's open may write in the folder, and so has
 * the data already. The server never changes its working directory: a folder of data must not decide where the loader
 * or a library looks for files. */
#ifndef SBL_SERVE_FOLDER_H
#define SBL_SERVE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "semblance/status.h"

#define SBL_FOLDER_PATH_SIZE 1024 /* of a relative path, with the NUL */
#define SBL_FULL_PATH_SIZE 4096   /* of an absolute one */

/* Is it a relative path that we would use: plain UTF-8 without control characters, no part of it empty, hidden, "." or
 * ".."; and none of the signs by which the library takes a path for a list or a pattern, nor a dash in front? */
bool sbl_serve_folder_path_is_good(const char *path);

/* As open(2), of a path beneath the folder `root`, through no link; -1 and errno. By openat2(2), or by steps where the
 * kernel does not know it. */
int sbl_serve_open_beneath(int root, const char *path, int flags, mode_t mode);
int sbl_serve_open_beneath_by_steps(int root, const char *path, int flags, mode_t mode);

/* The absolute path of a relative one, for the library.   Returns: SBL_OK; SBL_EARG: it is too long */
sbl_status sbl_serve_folder_full(char full[SBL_FULL_PATH_SIZE], int root, const char *path, sbl_error *err);
/* Absolute paths of the folder in a message become relative again, as the page names files.
 * Returns: text */
char *sbl_serve_folder_shorten(char *text, int root);

/* A plain file of the folder, to be read.
 * Out:     fd    the caller's; size  in bytes, may be NULL
 * Returns: SBL_OK; SBL_EARG: no path of ours; SBL_EIO: not there, a link on the way, no plain file */
sbl_status sbl_serve_folder_file(int *fd, uint64_t *size, int root, const char *path, sbl_error *err);
/* Is there such a file? Such a folder? */
bool sbl_serve_folder_has(int root, const char *path);
bool sbl_serve_folder_has_folder(int root, const char *path);
/* A folder that holds files and folders alone, no link: whatever is read in it is of the folder that is served. */
bool sbl_serve_folder_is_plain(int root, const char *path);
/* SBL_EARG: what a path must be. */
sbl_status sbl_serve_folder_refuse_path(sbl_error *err);

/* All of a file, at most `most` bytes, with a NUL behind them.   Owner: the caller; free() */
sbl_status sbl_serve_folder_read(char **text, size_t *length, int root, const char *path, size_t most,
                                 sbl_error *err);
/* A new file of these bytes, mode 0600; one that is there is not touched (SBL_EARG). */
sbl_status sbl_serve_folder_write_new(int root, const char *path, const void *bytes, size_t length,
                                      sbl_error *err);
/* This text under this name. What was there gets a number behind its name, unless it is the same. */
sbl_status sbl_serve_folder_keep(int root, const char *path, const char *text, sbl_error *err);
/* A folder; no failure where it is there already, but `made` says so (may be NULL). */
sbl_status sbl_serve_folder_make(bool *made, int root, const char *path, sbl_error *err);
/* Another name for a file, unless that is taken (SBL_EARG). */
sbl_status sbl_serve_folder_rename_new(int root, const char *from, const char *to, sbl_error *err);

/* Removes a file, or a folder that is empty; does nothing where there is neither. */
void sbl_serve_folder_remove(int root, const char *path);

typedef struct sbl_serve_folder_entry {
    const char *path; /* relative to the folder */
    bool is_folder;
    uint64_t size;
    int64_t changed; /* seconds since 1970 */
} sbl_serve_folder_entry;

/* Each plain file and each folder beneath `root`, in the order of names: nothing hidden, no link, no name that is not
 * good, four folders deep, 20000 entries at most, of PNG and JPEG files the first 100 of a folder. */
typedef void (*sbl_serve_folder_visit)(void *context, const sbl_serve_folder_entry *entry);
void sbl_serve_folder_walk(int root, sbl_serve_folder_visit visit, void *context);
/* The same of one folder beneath it (NULL: the folder itself), and of none inside that. */
void sbl_serve_folder_list(int root, const char *path, sbl_serve_folder_visit visit, void *context);

#endif
