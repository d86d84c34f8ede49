/* SPDX-License-Identifier: Apache-2.0 */
/* All heap memory of the library goes through here: sizes are checked, secrets are wiped. sbl_free() is
 * public. No number is floating here, so that the integer-only files may use it. */
#ifndef SBL_BASE_ALLOC_H
#define SBL_BASE_ALLOC_H

#include <stddef.h>

#include "semblance/memory.h"

/* Zeroed memory for count elements of size bytes; NULL when out of memory or when the product
 * overflows. A count of zero gives a valid pointer. */
void *sbl_alloc_array(size_t count, size_t size);

/* Like realloc with a checked product; the old block stays valid on failure. */
void *sbl_resize_array(void *block, size_t count, size_t size);

/* As sbl_alloc_array, from the beginning of a line of the cache on: threads that share an array out by whole
 * lines never write to one line, and a wide vector lies in one. Freed by sbl_lines_free alone; NULL may be.
 * Under AddressSanitizer as the heap has it: an array then ends where its block does. */
#if defined(__SANITIZE_ADDRESS__)
#define SBL_LINE 16 /* bytes */
#else
#define SBL_LINE 64
#endif
void *sbl_lines_array(size_t count, size_t size);
void sbl_lines_free(void *array);

/* Overwrite size bytes in a way the compiler may not remove. */
void sbl_wipe(void *block, size_t size);

/* Wipe, then free. For records, sums, noise and keys. block may be NULL. */
void sbl_free_wiped(void *block, size_t size);

/* Zeroed memory for `count` elements of what `pointer` points to, or out by the one exit of a
 * function that has `status`, `err` and `done` (base/error.h); `what` completes "out of memory for". */
#define SBL_ALLOC(pointer, count, what)                          \
    do {                                                         \
        (pointer) = sbl_alloc_array((count), sizeof *(pointer)); \
        if ((pointer) == NULL) {                                 \
            status = sbl_no_memory(err, (what));                 \
            goto done;                                           \
        }                                                        \
    } while (0)

/* The same of a block that grows or shrinks; on failure it stays as it was. */
#define SBL_RESIZE(pointer, count, what)                                             \
    do {                                                                             \
        void *sbl_resized = sbl_resize_array((pointer), (count), sizeof *(pointer)); \
        if (sbl_resized == NULL) {                                                   \
            status = sbl_no_memory(err, (what));                                     \
            goto done;                                                               \
        }                                                                            \
        (pointer) = sbl_resized;                                                     \
    } while (0)

/* Pages of one's own for what must not reach a disk: locked in memory as far as the system's limit
 * allows (ulimit -l), kept out of core dumps, wiped when freed. That a lock failed is not reported:
 * how much is needed may be a secret, and the pages are no less private to the process. */

/* Zeroed memory for count elements of size bytes; NULL when out of memory. */
void *sbl_locked_alloc(size_t count, size_t size);
/* The same count and size as it was made with. block may be NULL. */
void sbl_locked_free(void *block, size_t count, size_t size);

/* Arrays that are freed together. Zero-initialise. */
typedef struct sbl_pool {
    void *last; /* a list of the blocks, the last first */
} sbl_pool;

/* rows x columns elements of size bytes, zeroed, from the beginning of a line on; NULL when out of memory or when the product
 * overflows. */
void *sbl_pool_array(sbl_pool *pool, size_t rows, size_t columns, size_t size);
void sbl_pool_clear(sbl_pool *pool);

/* As SBL_ALLOC, of rows x columns elements that the pool frees. */
#define SBL_POOL(pool, pointer, rows, columns, what)                              \
    do {                                                                          \
        (pointer) = sbl_pool_array((pool), (rows), (columns), sizeof *(pointer)); \
        if ((pointer) == NULL) {                                                  \
            status = sbl_no_memory(err, (what));                                  \
            goto done;                                                            \
        }                                                                         \
    } while (0)

#endif
