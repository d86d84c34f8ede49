/* SPDX-License-Identifier: Apache-2.0 */
/* Parents of codes in a file of their own: "hierarchy": {"parents": "icd_parents.csv"}. The file is public, a CSV file with
 * the columns code and parent. */
#ifndef SBL_SOURCE_HIERARCHY_LOAD_H
#define SBL_SOURCE_HIERARCHY_LOAD_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"

#define SBL_MOST_PARENTS (1 << 20) /* rows of the file */

/* What names the file. */
typedef struct sbl_schema_place {
    const char *path; /* of the schema or the package */
    bool package;
    bool outside; /* the file need not be in its folder */
} sbl_schema_place;

/* Replaces each file that a field names by the parents of the field's categories, and theirs. Other rows of the file are
 * left out: it may describe more codes than the schema.
 * Returns: SBL_OK; SBL_EIO, SBL_EINPUT: one line that names the file */
sbl_status sbl_hierarchies_load(json_t *fields, const sbl_schema_place *at, sbl_error *err);

#endif
