/* SPDX-License-Identifier: Apache-2.0 */
/* Folders: the input is a list of entries: a byte for the kind (and whether inside the last
 * subfolder), a byte for the length of the name, the name. Files hold a small image, its beginning,
 * or nothing. */
#include <ftw.h>
#include <sys/stat.h>

#include "fuzz/fuzz_image.h"

static const uint8_t grey_1x1[] = {
    137, 80, 78,  71, 13,  10,  26,  10,  0,   0,  0, 13, 73, 72, 68, 82, 0,  0,   0,   1,   0,  0,   0,
    1,   8,  0,   0,  0,   0,   58,  126, 155, 85, 0, 0,  0,  10, 73, 68, 65, 84,  120, 156, 99, 104, 0,
    0,   0,  130, 0,  129, 119, 205, 114, 182, 0,  0, 0,  0,  73, 69, 78, 68, 174, 66,  96,  130};

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    (void)facts;
    (void)type;
    (void)where;
    return remove(path);
}

static void make_entry(const char *folder, unsigned kind, const char *name)
{
    char path[700];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    if (kind % 4 == 0) {
        (void)mkdir(path, 0700);
    } else if (kind % 4 == 3 && kind & 8) {
        if (symlink("elsewhere", path) != 0) return; /* the name was taken: nothing to do */
    } else {
        FILE *file = fopen(path, "wb");
        if (file == NULL) return;
        (void)fwrite(grey_1x1, 1, kind % 4 == 1 ? sizeof grey_1x1 : kind & 8 ? 0 : 40, file);
        (void)fclose(file);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stat facts;
    char folder[64];
    char last[400] = "";
    (void)snprintf(folder, sizeof folder, "%s/sbl-fuzz-XXXXXX",
                   stat("/dev/shm", &facts) == 0 ? "/dev/shm" : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    for (size_t at = 0, made = 0; at + 2 <= size && made < 32; made++) {
        char name[260];
        const unsigned kind = data[at];
        const size_t length = data[at + 1] < size - at - 2 ? data[at + 1] : size - at - 2;
        memcpy(name, data + at + 2, length);
        name[length] = '\0';
        at += 2 + length;
        for (size_t i = 0; i < length; i++)
            if (name[i] == '/' || name[i] == '\0') name[i] = '_';
        if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        make_entry(kind & 4 && last[0] != '\0' ? last : folder, kind, name);
        if (kind % 8 == 0) (void)snprintf(last, sizeof last, "%s/%s", folder, name);
    }
    const size_t side = size % 3 == 0 ? 1 : 0; /* declared, or that of the first file */
    const sbl_image_options options = {.channels = size % 2 == 0 ? 3 : 1, .height = side, .width = side};
    check_set(folder, NULL, &options);
    CHECK(nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0);
    return 0;
}
