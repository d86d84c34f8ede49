/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over stored inputs, without a fuzzer: every file named, and every file in the
 * folders named. No input at all is a failure, so that a lost corpus does not pass for a clean one.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t inputs;

static void fail(const char *path)
{
    perror(path);
    exit(1);
}

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail(path);
    const long size = ftell(file);
    if (size < 0) fail(path);
    rewind(file);
    /* Exactly as large as the input: a read past its end is a read past the allocation. */
    uint8_t *data = malloc(size != 0 ? (size_t)size : 1);
    if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) fail(path);
    (void)fclose(file);
    (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    inputs++;
}

static void run_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    if (folder == NULL) fail(path);
    while ((entry = readdir(folder)) != NULL) {
        char file[4096];
        if (entry->d_name[0] == '.') continue;
        if (snprintf(file, sizeof file, "%s/%s", path, entry->d_name) >= (int)sizeof file) fail(path);
        run_file(file);
    }
    (void)closedir(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct stat facts;
        if (stat(argv[i], &facts) != 0) fail(argv[i]);
        if (S_ISDIR(facts.st_mode))
            run_folder(argv[i]);
        else
            run_file(argv[i]);
    }
    printf("%zu inputs\n", inputs);
    return inputs == 0;
}
