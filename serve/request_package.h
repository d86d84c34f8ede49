/* SPDX-License-Identifier: Apache-2.0 */
/* A Data Package that a request names: linked tables. It names files, and each of them must be one of the folder. */
#ifndef SBL_SERVE_PACKAGE_H
#define SBL_SERVE_PACKAGE_H

#include <jansson.h>

#include "semblance/schema.h"
#include "semblance/status.h"

/* Is it a package, and is every file that it names there, through no link?
 * Returns: SBL_OK; SBL_EINPUT: no package; SBL_EARG: a file outside; SBL_EIO: one that is not there */
sbl_status sbl_serve_package_check(int root, const char *path, sbl_error *err);
/* Its schemas, after that check.   Owner: the caller; sbl_schema_free() */
sbl_status sbl_serve_package_schema(sbl_schema **schema, int root, const char *path, sbl_error *err);
/* The package as it stands in its file, after that check. Schemas that stand in files of their own take their place.
 * Owner: the caller; json_decref() */
sbl_status sbl_serve_package_read(json_t **package, int root, const char *path, sbl_error *err);

#endif
