/* Arrays of floats whose size is a product, for those who need many at once. */
#ifndef SBL_BASE_FLOATS_H
#define SBL_BASE_FLOATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/size.h"

/* a x b zeros, freed by sbl_free. Without memory, or where the product overflows: NULL, and *failed
 * is set; it is never cleared, so that one look after the last array tells of all. */
static inline float *sbl_floats(size_t a, size_t b, bool *failed)
{
    size_t count;
    float *array = sbl_size_mul(&count, a, b) ? sbl_alloc_array(count, sizeof *array) : NULL;
    if (array == NULL) *failed = true;
    return array;
}

#endif
