/* The JSON header of a release file: everything except the values. */
#ifndef SBL_RELEASE_RELEASE_HEADER_H
#define SBL_RELEASE_RELEASE_HEADER_H

#include <stddef.h>

#include "base/error.h"
#include "door/release/release.h"

/* Canonical JSON text, owned by the caller (sbl_free). */
sbl_status sbl_release_header_write(char **text, const sbl_release *release, sbl_error *err);

/* Read and check every field; values is left NULL, value_count is set. *release is all zero before;
 * what it owns after a failure is freed by the caller. */
sbl_status sbl_release_header_read(sbl_release *release, const char *text, size_t length, const char *where,
                                   sbl_error *err);

#endif
