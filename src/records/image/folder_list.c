/* SPDX-License-Identifier: Apache-2.0 */
/* Lists a folder with readdir and fstatat, sorted by strcmp: the order must not depend on the file system. */
#include "public/image/image_container.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "public/image/image_types.h"

#define FOLDER "a list of files"

static sbl_status add_entry(sbl_folder_list *list, const char *path, int folder, const char *name,
                            sbl_error *err)
{
    struct stat facts;
    const size_t size = strlen(name) + 1;
    sbl_status status = SBL_OK;
    if (sbl_text_has_control(name))
        return sbl_fail(err, SBL_EINPUT, "%s: a name in this folder holds a control character", path);
    if (fstatat(folder, name, &facts, 0) != 0)
        return sbl_fail(err, SBL_EIO, "cannot inspect %s/%s: %s", path, name, sbl_errno_words(errno));
    if (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode))
        return sbl_fail(err, SBL_EINPUT, "%s/%s is neither a file nor a folder", path, name);
    if (list->count == SBL_IMAGE_COUNT_LIMIT)
        return sbl_fail(err, SBL_EINPUT, "%s holds more than %zu files", path, SBL_IMAGE_COUNT_LIMIT);
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity != 0 ? 2 * list->capacity : 64;
        SBL_RESIZE(list->entries, capacity, FOLDER);
        list->capacity = capacity;
    }
    sbl_folder_entry *entry = &list->entries[list->count];
    SBL_ALLOC(entry->name, size, FOLDER);
    memcpy(entry->name, name, size);
    entry->is_folder = S_ISDIR(facts.st_mode);
    list->count++;
done:
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const sbl_folder_entry *)a)->name, ((const sbl_folder_entry *)b)->name);
}

sbl_status sbl_folder_list_read(sbl_folder_list *list, const char *path, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const struct dirent *entry;
    *list = (sbl_folder_list){0};
    DIR *folder = opendir(path);
    if (folder == NULL) return sbl_fail_errno(err, "open folder", path, errno);
    while (errno = 0, (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.') SBL_TRY(add_entry(list, path, dirfd(folder), entry->d_name, err));
    if (errno != 0) {
        status = sbl_fail_errno(err, "list folder", path, errno);
        goto done;
    }
    if (list->count > 1) qsort(list->entries, list->count, sizeof *list->entries, by_name);
done:
    (void)closedir(folder);
    if (status != SBL_OK) sbl_folder_list_clear(list);
    return status;
}

void sbl_folder_list_clear(sbl_folder_list *list)
{
    for (size_t i = 0; i < list->count; i++) sbl_free(list->entries[i].name);
    sbl_free(list->entries);
    *list = (sbl_folder_list){0};
}
