/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of ReadStat without its header. */
#include "base/readstat/readstat_there.h"

#include <stddef.h>

#include "base/library.h"

#ifndef SBL_READSTAT_NAME
#define SBL_READSTAT_NAME NULL
#endif

const char *sbl_readstat_name(void) { return SBL_READSTAT_NAME; }

const char *sbl_readstat_missing(void)
{
    if (sbl_readstat_name() == NULL) return "built without it";
    return sbl_library_open(sbl_readstat_name()) != NULL ? NULL : "the library cannot be loaded";
}

sbl_status sbl_readstat_absent(const char *name, sbl_error *err)
{
    return sbl_fail(
        err, SBL_EINPUT,
        "%s: this build does not read files of SPSS, Stata and SAS, because ReadStat was not there: save the "
        "table as CSV",
        name);
}
