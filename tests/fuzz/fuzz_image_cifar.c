/* SPDX-License-Identifier: Apache-2.0 */
/* CIFAR: byte 0 says gzip or plain and which classes, byte 1 how many records of 3073 bytes, byte 2
 * how many bytes more; the rest is repeated to that length, or is the gzip file itself. */
#include <sys/stat.h>

#include "fuzz/fuzz_image.h"

static char folder[64];

static void remove_folder(void)
{
    char path[96];
    (void)snprintf(path, sizeof path, "%s/a.bin", folder);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/a.bin.gz", folder);
    (void)unlink(path);
    (void)rmdir(folder);
}

static void make_folder(void)
{
    struct stat facts;
    if (folder[0] != '\0') return;
    (void)snprintf(folder, sizeof folder, "%s/sbl-fuzz-XXXXXX",
                   stat("/dev/shm", &facts) == 0 ? "/dev/shm" : "/tmp");
    CHECK(mkdtemp(folder) != NULL && atexit(remove_folder) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[96];
    if (size < 4) return 0;
    make_folder();
    const bool gzip = data[0] & 1;
    const sbl_image_options options = {.classes = data[0] & 2 ? 100 : data[0] >> 2};
    const size_t length = gzip ? size - 3 : (size_t)(data[1] % 4) * 3073 + data[2] % 8;
    (void)snprintf(path, sizeof path, "%s/a.bin%s", folder, gzip ? ".gz" : "");
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    for (size_t i = 0; i < length; i++) CHECK(putc(data[3 + i % (size - 3)], file) != EOF);
    CHECK(fclose(file) == 0);
    check_set(path, NULL, &options);
    return 0;
}
