/* sbl_files_check() of semblance/files.h: would one file of a command overwrite another that it
 * reads or writes? Files that exist are compared by device and inode; for those that do not exist
 * yet, the real path of the folder and the last part of the name decide. */
#include "semblance/files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

/* NULL where there is none: standard output is the caller's. Standard input may be a file. */
static const char *path_of(const sbl_named_file *file)
{
    if (file->path == NULL || strcmp(file->path, "-") != 0) return file->path;
    return file->written ? NULL : "/dev/stdin";
}

/* Length of the folder part of path, slash included; 0 when path has no slash. */
static size_t folder_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/') length--;
    return length;
}

/* The true path of the first so many bytes of path; of none: of the folder that we are in. */
static bool resolve(char real[PATH_MAX], const char *path, size_t length)
{
    char part[PATH_MAX];
    if (length >= sizeof part) return false;
    (void)snprintf(part, sizeof part, "%.*s", (int)length, path);
    return realpath(length != 0 ? part : ".", real) != NULL;
}

/* Two spellings of a file that is not there yet agree in the true path of its folder and in the last
 * part of the name. Where there is no such folder, that is reported elsewhere. */
static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    if (stat(a, &one) == 0 && stat(b, &other) == 0)
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    const size_t length_a = folder_length(a, strlen(a));
    const size_t length_b = folder_length(b, strlen(b));
    return resolve(folder_a, a, length_a) && resolve(folder_b, b, length_b) &&
           strcmp(folder_a, folder_b) == 0 && strcmp(a + length_a, b + length_b) == 0;
}

/* Would the file be made somewhere below the folder? Of its folders the last that is there counts. */
static bool is_inside(const char *path, const char *folder)
{
    struct stat seen;
    char within[PATH_MAX], real[PATH_MAX];
    size_t length = folder_length(path, strlen(path));
    if (stat(folder, &seen) != 0 || !S_ISDIR(seen.st_mode) ||
        !resolve(within, folder, strlen(folder)))
        return false;
    bool found = resolve(real, path, length);
    while (!found && errno == ENOENT && length > 0) {
        length = folder_length(path, length - 1);
        found = resolve(real, path, length);
    }
    const size_t deep = strlen(within);
    return found && strncmp(real, within, deep) == 0 && (real[deep] == '\0' || real[deep] == '/');
}

/* Is it one of a list of files? That is what has a comma and is no file by itself. */
static bool is_listed(const char *written, const char *read)
{
    struct stat seen;
    char item[PATH_MAX];
    if (stat(read, &seen) == 0 || strchr(read, ',') == NULL) return false;
    for (const char *at = read; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        if (length < sizeof item) {
            (void)snprintf(item, sizeof item, "%.*s", (int)length, at);
            if (same_file(written, item)) return true;
        }
        at += length + (at[length] == ',' ? 1 : 0);
    }
    return false;
}

static sbl_status check_one(const sbl_named_file *files, size_t count, size_t which, sbl_error *err)
{
    const char *path = files[which].path;
    if (sbl_file_is_ledger(path))
        return sbl_fail(err, SBL_EARG, "%s would replace the ledger %s: choose another name",
                        files[which].name, path);
    for (size_t i = 0; i < count; i++) {
        const sbl_named_file *other = &files[i];
        const char *taken = path_of(other);
        if (i == which || taken == NULL) continue;
        if (same_file(path, taken) || (!other->written && is_listed(path, taken)))
            return sbl_fail(err, SBL_EARG, "%s and %s are the same file, %s: choose another name",
                            files[which].name, other->name, path);
        if (!other->written && is_inside(path, taken))
            return sbl_fail(err, SBL_EARG,
                            "%s, %s, would go into a folder that is read, %s: choose another place",
                            files[which].name, path, other->name);
    }
    return SBL_OK;
}

sbl_status sbl_files_check(const sbl_named_file *files, size_t count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (count > 0) SBL_NEED(files);
    for (size_t i = 0; i < count; i++)
        if (files[i].written && path_of(&files[i]) != NULL)
            SBL_TRY(check_one(files, count, i, err));
done:
    return status;
}
