/* SPDX-License-Identifier: Apache-2.0 */
/* Names of folders, as they are typed, and the making of one level. */
#include "after/sinks/output_folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

size_t sbl_folder_length(const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    return length;
}

bool sbl_folder_has_name(const char *folder)
{
    const size_t length = sbl_folder_length(folder);
    size_t first = length;
    while (first > 0 && folder[first - 1] != '/') first--;
    const char *last = folder + first;
    if (length == first || strcmp(folder, "-") == 0) return false;
    return !(length - first <= 2 && last[0] == '.' && (length - first == 1 || last[1] == '.'));
}

sbl_status sbl_folder_make(bool *made, const char *path, sbl_error *err)
{
    *made = mkdir(path, 0777) == 0;
    return *made || errno == EEXIST ? SBL_OK : sbl_fail_errno(err, "make the folder", path, errno);
}
