/* SPDX-License-Identifier: Apache-2.0 */
/* calloc, realloc and free with a checked product of sizes, and explicit_bzero for wiping. A size
 * of zero allocates one byte, so that NULL always means out of memory. */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/size.h"

void *sbl_alloc_array(size_t count, size_t size)
{
    size_t bytes;
    if (!sbl_size_mul(&bytes, count, size)) return NULL;
    return calloc(bytes != 0 ? bytes : 1, 1);
}

void *sbl_resize_array(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (!sbl_size_mul(&bytes, count, size)) return NULL;
    return realloc(block, bytes != 0 ? bytes : 1);
}

void sbl_free(void *block) { free(block); }

void sbl_wipe(void *block, size_t size)
{
    if (size != 0) explicit_bzero(block, size);
}

void sbl_free_wiped(void *block, size_t size)
{
    if (block == NULL) return;
    sbl_wipe(block, size);
    free(block);
}

/* mmap, mlock and MADV_DONTDUMP. Failures of the last two are ignored on purpose (alloc.h). */

void *sbl_locked_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!sbl_size_mul(&bytes, count, size) || bytes == 0) return NULL;
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return NULL;
    (void)madvise(block, bytes, MADV_DONTDUMP);
    (void)mlock(block, bytes);
    return block;
}

void sbl_locked_free(void *block, size_t count, size_t size)
{
    if (block == NULL) return;
    sbl_wipe(block, count * size);
    (void)munmap(block, count * size);
}
