/* SPDX-License-Identifier: Apache-2.0 */
/* Opens ReadStat by the name that it had when this library was built. */
#include "base/readstat/readstat_library.h"

#include <stddef.h>

#include "base/library.h"

static const sbl_library_call calls[] = {
#define CALL(name) {"readstat_" #name, offsetof(sbl_readstat, name)},
    SBL_READSTAT_CALLS(CALL)
#undef CALL
};

sbl_status sbl_readstat_open(sbl_readstat *library, const char *name, sbl_error *err)
{
    void *opened = sbl_library_open(SBL_READSTAT_NAME);
    if (opened == NULL)
        return sbl_fail(
            err, SBL_EINPUT,
            "%s: files of SPSS, Stata and SAS need the library ReadStat (%s): install it, on Debian with "
            "the package libreadstat1",
            name, SBL_READSTAT_NAME);
    const char *absent = sbl_library_find(library, opened, calls, sizeof calls / sizeof calls[0]);
    return absent == NULL
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "%s: the library %s has no function %s: install version 1.1.8",
                          name, SBL_READSTAT_NAME, absent);
}
