/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is nowhere, for readers that take a path: it can be opened any number of times. */
#ifndef SBL_TESTS_FUZZ_MEMORY_FILE_H
#define SBL_TESTS_FUZZ_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(condition) ((condition) ? (void)0 : abort())

/* Returns its descriptor, for close(); path names it. */
static inline int open_memory_file(char path[64], const uint8_t *data, size_t size)
{
    const int file = memfd_create("fuzz", MFD_CLOEXEC);
    CHECK(file >= 0);
    for (size_t done = 0; done < size;) {
        const ssize_t part = write(file, data + done, size - done);
        CHECK(part > 0);
        done += (size_t)part;
    }
    (void)snprintf(path, 64, "/proc/self/fd/%d", file);
    return file;
}

#endif
