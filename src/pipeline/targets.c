#include "pipeline/targets.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

static bool counts(const sbl_named_path *entry)
{
    return entry->path != NULL && strcmp(entry->path, "-") != 0;
}

/* The folder's true path and the last part of the name: two spellings of a file that is not there
 * yet agree in both. False when there is no such folder, which is reported elsewhere. */
static bool resolve(char folder[PATH_MAX], const char **name, const char *path)
{
    char part[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    *name = path + length;
    if (length >= sizeof part) return false;
    (void)snprintf(part, sizeof part, "%.*s", (int)length, path);
    return realpath(length != 0 ? part : ".", folder) != NULL;
}

static bool same_file(const char *a, const char *b)
{
    struct stat one;
    struct stat other;
    char folder_a[PATH_MAX];
    char folder_b[PATH_MAX];
    const char *name_a;
    const char *name_b;
    if (stat(a, &one) == 0 && stat(b, &other) == 0)
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    return resolve(folder_a, &name_a, a) && resolve(folder_b, &name_b, b) &&
           strcmp(folder_a, folder_b) == 0 && strcmp(name_a, name_b) == 0;
}

sbl_status sbl_check_targets(const sbl_named_path *paths, size_t count, sbl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!paths[i].written || !counts(&paths[i])) continue;
        if (sbl_file_is_ledger(paths[i].path))
            return sbl_fail(err, SBL_EARG, "%s would replace the ledger %s: choose another name",
                            paths[i].name, paths[i].path);
        for (size_t j = 0; j < count; j++)
            if (j != i && counts(&paths[j]) && same_file(paths[i].path, paths[j].path))
                return sbl_fail(err, SBL_EARG,
                                "%s and %s are the same file, %s: choose another name",
                                paths[i].name, paths[j].name, paths[i].path);
    }
    return SBL_OK;
}
