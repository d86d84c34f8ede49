/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files of a table. DuckDB gets full names, so that it can be locked to them, in an order that
 * depends on no file system and no locale. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "records/formats/duckdb.h"

#define MOST_FILES 100000
#define MOST_DEPTH 32 /* folders in folders: hive partitions have a few */

static bool is_folder(const char *path)
{
    struct stat seen;
    return stat(path, &seen) == 0 && S_ISDIR(seen.st_mode);
}

bool sbl_path_is_pattern(const char *path) { return strpbrk(path, "*?[") != NULL && access(path, F_OK) != 0; }

bool sbl_path_is_parquet(const char *path)
{
    if (strcmp(path, "-") == 0) return false;
    return sbl_path_is_parquet_file(path) || is_folder(path) || sbl_path_is_pattern(path);
}

/* ---- a list ---- */

static sbl_status add_file(sbl_strings *files, const char *path, sbl_error *err)
{
    char full[PATH_MAX];
    if (files->count == MOST_FILES)
        return sbl_fail(err, SBL_EINPUT, "a table can be in at most %d files", MOST_FILES);
    if (realpath(path, full) == NULL) (void)snprintf(full, sizeof full, "%s", path);
    return sbl_strings_add(files, full) ? SBL_OK : sbl_no_memory(err, "a list of files");
}

/* All files of Parquet in a folder and in its folders. */
static sbl_status add_folder(sbl_strings *files, const char *path, int depth, const char *name,
                             sbl_error *err)
{
    DIR *folder = opendir(path);
    sbl_status status = SBL_OK;
    if (folder == NULL || depth > MOST_DEPTH) {
        status = sbl_fail(err, SBL_EIO, "cannot read a folder of %s", name);
        goto done;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char inside[PATH_MAX];
        if (entry->d_name[0] == '.' || entry->d_name[0] == '_') continue;
        if (snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) >= (int)sizeof inside)
            SBL_FAIL(err, SBL_EIO, "%s: a name in this folder is too long", name);
        if (is_folder(inside))
            SBL_TRY(add_folder(files, inside, depth + 1, name, err));
        else if (sbl_path_is_parquet_file(inside))
            SBL_TRY(add_file(files, inside, err));
    }
done:
    if (folder != NULL) (void)closedir(folder);
    return status;
}

static sbl_status add_pattern(sbl_strings *files, const char *pattern, const char *name, sbl_error *err)
{
    glob_t found = {0};
    sbl_status status = SBL_OK;
    const int result = glob(pattern, GLOB_NOSORT, NULL, &found);
    if (result == GLOB_NOSPACE) SBL_TRY(sbl_no_memory(err, "a list of files"));
    for (size_t i = 0; result == 0 && i < found.gl_pathc; i++)
        SBL_TRY(is_folder(found.gl_pathv[i]) ? add_folder(files, found.gl_pathv[i], 0, name, err)
                                             : add_file(files, found.gl_pathv[i], err));
done:
    globfree(&found);
    return status;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* ---- looks at them ---- */

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* That it can be read, and begins and ends as Parquet does. */
static sbl_status look_at(uint64_t *seen, const char *path, const char *name, bool alone, sbl_error *err)
{
    char first[4] = {0}, last[4] = {0};
    struct stat facts = {0};
    sbl_status status = SBL_OK;
    const char *which = alone ? "" : "a file of ";
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &facts) != 0)
        SBL_FAIL(err, SBL_EIO, "cannot open %s%s: %s", which, name, sbl_errno_words(errno));
    if (!S_ISREG(facts.st_mode) || pread(file, first, 4, 0) != 4 ||
        pread(file, last, 4, facts.st_size - 4) != 4 || memcmp(first, "PAR1", 4) != 0 ||
        memcmp(last, "PAR1", 4) != 0)
        SBL_FAIL(err, SBL_EINPUT, "%s%s is not a Parquet file, or is truncated", which, name);
    *seen = mix(*seen, path, strlen(path));
    *seen = mix(*seen, &facts.st_size, sizeof facts.st_size);
    *seen = mix(*seen, &facts.st_mtim, sizeof facts.st_mtim);
    *seen = mix(*seen, &facts.st_ino, sizeof facts.st_ino);
done:
    if (file >= 0) (void)close(file);
    return status;
}

sbl_status sbl_engine_list_files(sbl_strings *files, uint64_t *seen, const char *path, const char *name,
                                 sbl_error *err)
{
    const bool folder = is_folder(path);
    const bool pattern = sbl_path_is_pattern(path);
    *seen = UINT64_C(0xcbf29ce484222325);
    if (!sbl_strings_reserve(files, MOST_FILES)) return sbl_no_memory(err, "a list of files");
    SBL_CHECK(folder    ? add_folder(files, path, 0, name, err)
              : pattern ? add_pattern(files, path, name, err)
                        : add_file(files, path, err));
    if (files->count == 0)
        return sbl_fail(err, SBL_EIO, folder ? "%s holds no Parquet files" : "no file is called %s", name);
    qsort(files->items, files->count, sizeof *files->items, by_bytes);
    for (size_t i = 0; i < files->count; i++)
        SBL_CHECK(look_at(seen, files->items[i], name, !folder && !pattern, err));
    return SBL_OK;
}
