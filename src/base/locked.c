/* mmap, mlock and MADV_DONTDUMP. Failures of the last two are ignored on purpose (locked.h). */
#include "base/locked.h"

#include <sys/mman.h>

#include "base/memory.h"
#include "base/size.h"

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
