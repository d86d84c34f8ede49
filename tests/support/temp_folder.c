/* SPDX-License-Identifier: Apache-2.0 */
/* mkdtemp in SBL_TEST_FOLDER, /dev/shm or /tmp, removal by nftw, and small helpers for paths and
 * files. */
#include "support/one_folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void temp_folder_make(char place[256])
{
    struct stat facts;
    const char *parent = stat("/dev/shm", &facts) == 0 && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    const char *given = getenv("SBL_TEST_FOLDER"); /* of who may stop the test and then cleans up */
    if (given != NULL) parent = given;
    (void)snprintf(place, 256, "%s/sbl-test-XXXXXX", parent);
    if (mkdtemp(place) == NULL) {
        perror("mkdtemp");
        exit(99);
    }
}

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    (void)facts;
    (void)type;
    (void)where;
    return remove(path);
}

void temp_folder_remove(const char *place) { (void)nftw(place, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

const char *in_folder(const char *place, const char *name)
{
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s/%s", place, name);
    return path;
}

char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *bytes = NULL;
    size_t length = 0;
    for (;;) {
        bytes = realloc(bytes, length + 65537);
        const size_t got = fread(bytes + length, 1, 65536, file);
        length += got;
        if (got == 0) break;
    }
    bytes[length] = '\0';
    if (size != NULL) *size = length;
    (void)fclose(file);
    return bytes;
}

char folder[256];

int make_folder(void **state)
{
    (void)state;
    temp_folder_make(folder);
    return 0;
}

int remove_folder(void **state)
{
    (void)state;
    temp_folder_remove(folder);
    return 0;
}

int enter_folder(void **state) { return make_folder(state) != 0 || chdir(folder) != 0; }

int leave_folder(void **state)
{
    const int away = chdir("/");
    return remove_folder(state) != 0 || away != 0;
}
