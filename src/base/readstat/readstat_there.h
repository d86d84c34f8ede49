/* SPDX-License-Identifier: Apache-2.0 */
/* Was the library built to read files of SPSS, Stata and SAS? */
#ifndef SBL_BASE_READSTAT_THERE_H
#define SBL_BASE_READSTAT_THERE_H

#include "base/error.h"

/* The file name of the library that reads them; NULL: built without. */
const char *sbl_readstat_name(void);
/* NULL: it is there; else why not, in words. */
const char *sbl_readstat_missing(void);
/* What a build without it says of such a file.   Returns: SBL_EINPUT */
sbl_status sbl_readstat_absent(const char *name, sbl_error *err);

#endif
