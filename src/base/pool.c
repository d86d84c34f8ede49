/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays on lines of the cache, and arrays that are freed together (alloc.h): each block of a pool begins with a
 * link to the one before it. In a file of its own, so that tests can make its allocations fail. */
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/size.h"

/* In front of the array stands where its block begins: what malloc gives is aligned to 16 bytes, so that
 * there is room for it. */
void *sbl_lines_array(size_t count, size_t size)
{
    size_t bytes;
    if (!sbl_size_mul(&bytes, count, size) || !sbl_size_add(&bytes, bytes, SBL_LINE)) return NULL;
    char *block = sbl_alloc_array(bytes, 1);
    if (block == NULL) return NULL;
    void **array = (void **)(block + (SBL_LINE - (uintptr_t)block % SBL_LINE));
    array[-1] = block;
    return array;
}

void sbl_lines_free(void *array)
{
    if (array != NULL) sbl_free(((void **)array)[-1]);
}

/* In front of each array of a pool; a line, so that what follows begins one. */
typedef union pool_link {
    void *before;
    char line[SBL_LINE];
} pool_link;

void *sbl_pool_array(sbl_pool *pool, size_t rows, size_t columns, size_t size)
{
    size_t bytes;
    if (!sbl_size_mul(&bytes, rows, columns) || !sbl_size_mul(&bytes, bytes, size) ||
        !sbl_size_add(&bytes, bytes, sizeof(pool_link)))
        return NULL;
    pool_link *link = sbl_lines_array(bytes, 1);
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
        sbl_lines_free(link);
    }
}
