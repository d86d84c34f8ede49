/* Pages of one's own for what must not reach a disk: locked in memory as far as the system's limit
 * allows (ulimit -l), kept out of core dumps, wiped when freed. That a lock failed is not reported:
 * how much is needed may be a secret, and the pages are no less private to the process. */
#ifndef SBL_BASE_LOCKED_H
#define SBL_BASE_LOCKED_H

#include <stddef.h>

/* Zeroed room for count elements of size bytes; NULL when out of memory. */
void *sbl_locked_alloc(size_t count, size_t size);
/* The same count and size as it was made with. block may be NULL. */
void sbl_locked_free(void *block, size_t count, size_t size);

#endif
