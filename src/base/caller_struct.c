/* SPDX-License-Identifier: Apache-2.0 */
/* Versioned structs by size: the smaller of the two sizes is copied, and the rest is as it was. What a
 * newer caller set past our end cannot be honoured, so it is refused, not dropped. */
#include "base/caller_struct.h"

#include <stdint.h>
#include <string.h>

/* No struct of ours grows by more: a size beyond it was never set. */
#define MOST_GROWTH 4096

sbl_status sbl_struct_take(void *ours, size_t our_size, const void *theirs, const char *what, sbl_error *err)
{
    const uint8_t *bytes = theirs;
    size_t size;
    if (theirs == NULL) return sbl_fail(err, SBL_EARG, "argument '%s' is NULL", what);
    memcpy(&size, theirs, sizeof size);
    if (size <= sizeof size || size > our_size + MOST_GROWTH)
        return sbl_fail(err, SBL_EARG, "'%s' was not set up: its struct_size is wrong; initialise it first",
                        what);
    for (size_t i = our_size; i < size; i++)
        if (bytes[i] != 0)
            return sbl_fail(err, SBL_EARG, "'%s' has a field that this version of the library does not know",
                            what);
    memcpy(ours, theirs, size < our_size ? size : our_size);
    memcpy(ours, &our_size, sizeof our_size);
    return SBL_OK;
}
