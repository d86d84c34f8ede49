/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the draft of a package (package_inspect.h). */
#ifndef SBL_INSPECT_PACKAGE_DRAFT_H
#define SBL_INSPECT_PACKAGE_DRAFT_H

#include "owner/inspect/package_inspect.h"

typedef struct sbl_package_plan {
    const char *output;             /* where the package will be; NULL: nowhere */
    uint64_t rows[SBL_MOST_TABLES]; /* of each file: rows of a person that count */
} sbl_package_plan;

/* {"name": ..., "path": ...} of a file. */
sbl_status sbl_package_resource(json_t **resource, const sbl_inspected_file *file, const char *output,
                                sbl_error *err);

/* Proposals before all others: short lists that may be public (package_lookups.c). resources: the drafts of the tables. */
sbl_status sbl_package_propose_lookups(json_t *proposals, const json_t *resources,
                                       const sbl_inspected_files *files, const sbl_package_plan *plan,
                                       sbl_error *err);

#endif
