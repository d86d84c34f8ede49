/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: read with a limit, written so that a reader sees all of a file or none of it. */
#ifndef SBL_BASE_FILE_H
#define SBL_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"

/* Read a regular file of at most limit bytes; a terminating NUL follows the data.
 * Out:   bytes  owned by the caller, sbl_free() */
sbl_status sbl_file_read(uint8_t **bytes, size_t *size, const char *path, size_t limit, sbl_error *err);

/* What the first line of every ledger begins with. A file that begins so is never replaced, by no
 * writer and whatever overwrite says: what it records cannot be recorded again. */
#define SBL_LEDGER_MAGIC "semblance-ledger "
bool sbl_file_is_ledger(const char *path);

/* Does the name end so, with something before it? */
bool sbl_path_ends_in(const char *path, const char *ending);
/* Does the name say that it is one file of Parquet: .parquet, .pq, .parq? */
bool sbl_path_is_parquet_file(const char *path);

/* The format of a file of a statistics program, by its name. */
typedef enum sbl_statistics_kind {
    SBL_STATISTICS_NONE,
    SBL_STATISTICS_SPSS,  /* .sav, .zsav */
    SBL_STATISTICS_STATA, /* .dta */
    SBL_STATISTICS_SAS,   /* .sas7bdat */
    SBL_STATISTICS_XPORT  /* .xpt */
} sbl_statistics_kind;
sbl_statistics_kind sbl_path_statistics(const char *path);

/* SHA-256 of a regular file of any size, as hex text. */
sbl_status sbl_file_sha256(char text[SBL_SHA256_TEXT_SIZE], const char *path, sbl_error *err);

typedef struct sbl_file_write_options {
    unsigned mode;  /* permission bits, e.g. 0600 for secrets, 0644 for public files */
    bool overwrite; /* false: an existing file is refused and left as it is */
    bool *appeared; /* may be NULL; set to whether the file has its name, which it keeps where only
                     * the folder could not be synced */
} sbl_file_write_options;

/* Write to a temporary file in the same folder, sync it, rename it into place, sync the folder.
 * On failure nothing is left behind and an existing file is untouched, but for a failure of the
 * last step: the file is there then, and a power loss may take it away. */
sbl_status sbl_file_write(const char *path, const void *bytes, size_t size, sbl_file_write_options options,
                          sbl_error *err);

/* The same for a file that is written piece by piece: begin, sbl_write_all to its descriptor, then
 * commit (it appears) or discard (it never was). Both end the file and may not be called twice. */
typedef struct sbl_pending_file {
    int descriptor;
    bool overwrite;
    bool *appeared; /* as in the options */
    sbl_text temporary;
    sbl_text path;
    sbl_text aside; /* name of what it replaces, while files that belong together appear */
} sbl_pending_file;

sbl_status sbl_file_begin(sbl_pending_file *file, const char *path, sbl_file_write_options options,
                          sbl_error *err);
sbl_status sbl_file_commit(sbl_pending_file *file, sbl_error *err);
/* Files that belong together. All are on disk before the first appears, and they appear in this order. If
 * one cannot appear, those before it are removed and the files they replaced come back. At no time, even
 * if the process is killed, does a new file exist next to one that is still to be replaced, or a later
 * file of the list without the earlier ones. */
sbl_status sbl_file_commit_all(sbl_pending_file *const *files, size_t count, sbl_error *err);
void sbl_file_discard(sbl_pending_file *file);

/* Would sbl_file_write(path) be refused for a reason that can be seen beforehand: a file that is
 * there already, a ledger, a folder that is missing or read-only? Asked before a budget is charged
 * for it. */
sbl_status sbl_file_check_target(const char *path, bool overwrite, sbl_error *err);

/* Append a path that a file names: relative to that file, unless it begins with a slash. */
sbl_status sbl_path_beside(sbl_text *text, const char *file, const char *path, sbl_error *err);

/* The same of a package, whose files are in its folder: absolute paths, "..", and symbolic links out of the folder are
 * refused, unless outside allows them.   Returns: SBL_OK; SBL_EINPUT, SBL_EMEM */
sbl_status sbl_path_of_package(sbl_text *text, const char *package, const char *path, bool outside,
                               sbl_error *err);
/* Is the file, with symbolic links followed, in the folder of the package? True where the file does not exist. */
bool sbl_path_is_inside(const char *package, const char *file);
sbl_status sbl_fail_outside(const char *package, const char *path, sbl_error *err);

/* Write all of bytes to a descriptor, retrying on EINTR and short writes. path is for the message.
 */
sbl_status sbl_write_all(int descriptor, const void *bytes, size_t size, const char *path, sbl_error *err);

/* fsync the folder that holds path, so that a new or renamed entry survives a power loss. */
sbl_status sbl_sync_folder_of(const char *path, sbl_error *err);

/* The untranslated words for an errno value; never NULL. */
const char *sbl_errno_words(int errno_value);

/* SBL_EIO with "path: reason" for an errno value. doing is a verb phrase: "open", "write to". */
sbl_status sbl_fail_errno(sbl_error *err, const char *doing, const char *path, int errno_value);

#endif
