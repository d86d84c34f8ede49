/* SPDX-License-Identifier: Apache-2.0 */
/* getrandom(2) in a loop: interrupted and short reads go on, any other failure wipes what was
 * filled. */
#include "base/os_random.h"

#include <errno.h>
#include <sys/random.h>

#include "base/alloc.h"

sbl_status sbl_os_random(uint8_t *bytes, size_t size, sbl_error *err)
{
    size_t filled = 0;
    while (filled < size) {
        const ssize_t got = getrandom(bytes + filled, size - filled, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            sbl_wipe(bytes, size);
            return sbl_fail(err, SBL_EENTROPY, "getrandom(2) did not supply randomness");
        }
        filled += (size_t)got;
    }
    return SBL_OK;
}
