/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a package names. A package may come from elsewhere and is data: what it names is read, and public tables are
 * copied, so that none of it may lead out of the package's folder unasked. The check is made before a file is opened; who can
 * change the folder meanwhile can change the data as well. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* Is one of its parts ".."? */
static bool goes_up(const char *path)
{
    for (const char *at = path; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0')) return true;
    }
    return false;
}

bool sbl_path_is_inside(const char *package, const char *file)
{
    char beside[PATH_MAX], folder[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(package, '/');
    const int length = slash != NULL ? (int)(slash - package) + 1 : 0;
    if (snprintf(beside, sizeof beside, "%.*s.", length, package) >= (int)sizeof beside) return false;
    if (realpath(file, real) == NULL || realpath(beside, folder) == NULL) return true;
    const size_t size = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(real, folder, size) == 0 && real[size] == '/';
}

sbl_status sbl_fail_outside(const char *package, const char *path, sbl_error *err)
{
    return sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_OUTSIDE, NULL,
                         "%s: '%.200s' is outside the folder of the package: move it there, or allow it",
                         package, path);
}

sbl_status sbl_path_of_package(sbl_text *text, const char *package, const char *path, bool outside,
                               sbl_error *err)
{
    const sbl_status status = sbl_path_beside(text, package, path, err);
    if (status != SBL_OK || outside) return status;
    if (path[0] == '/' || goes_up(path) || !sbl_path_is_inside(package, text->data))
        return sbl_fail_outside(package, path, err);
    return SBL_OK;
}
