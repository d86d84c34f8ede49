/* Arrays that are freed together (memory.h): each block begins with a link to the one before it. In a file
 * of its own, so that tests can make its allocations fail. */
#include <stddef.h>

#include "base/memory.h"
#include "base/size.h"

/* In front of each block; as large as the strictest alignment, so that what follows has it. */
typedef union pool_link {
    void *before;
    max_align_t align;
} pool_link;

void *sbl_pool_array(sbl_pool *pool, size_t rows, size_t columns, size_t size)
{
    size_t bytes;
    if (!sbl_size_mul(&bytes, rows, columns) || !sbl_size_mul(&bytes, bytes, size) ||
        !sbl_size_add(&bytes, bytes, sizeof(pool_link)))
        return NULL;
    pool_link *link = sbl_alloc_array(bytes, 1);
    if (link == NULL) return NULL;
    link->before = pool->last;
    pool->last = link;
    return link + 1;
}

void sbl_pool_clear(sbl_pool *pool)
{
    while (pool->last != NULL) {
        pool_link *link = pool->last;
        pool->last = link->before;
        sbl_free(link);
    }
}
