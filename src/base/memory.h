/* All heap memory of the library goes through here: sizes are checked, secrets are wiped.
 * This header pulls in no other than <stddef.h>, so that the integer-only files may use it. */
#ifndef SBL_BASE_MEMORY_H
#define SBL_BASE_MEMORY_H

#include <stddef.h>

/* Zeroed memory for count elements of size bytes; NULL when out of memory or when the product
 * overflows. A count of zero gives a valid pointer. */
void *sbl_alloc_array(size_t count, size_t size);

/* Like realloc with a checked product; the old block stays valid on failure. */
void *sbl_resize_array(void *block, size_t count, size_t size);

void sbl_free(void *block);

/* Overwrite size bytes in a way the compiler may not remove. */
void sbl_wipe(void *block, size_t size);

/* Wipe, then free. For records, sums, noise and keys. block may be NULL. */
void sbl_free_wiped(void *block, size_t size);

/* Zeroed memory for `count` elements of what `pointer` points to, or out by the one exit of a
 * function that has `status`, `err` and `done` (base/status.h); `what` completes "out of memory for". */
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

#endif
