/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the tree of a package (package_inspect.h). */
#ifndef SBL_INSPECT_PACKAGE_LINKS_H
#define SBL_INSPECT_PACKAGE_LINKS_H

#include "owner/inspect/package_inspect.h"

/* Sets `good`: between two files at most one link is. */
void sbl_package_judge_links(sbl_inspected_files *files);

/* Do the names of columns and tables say it? */
bool sbl_link_is_named(const sbl_inspected_files *files, const sbl_key_link *link);

#endif
