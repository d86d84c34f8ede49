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

#endif
