/* SPDX-License-Identifier: Apache-2.0 */
/* Several files as one table: their rows follow each other in the order of the list. Each file has its own
 * header, and all have the same columns, in any order. */
#ifndef SBL_SOURCE_FILE_LIST_H
#define SBL_SOURCE_FILE_LIST_H

#include "base/error.h"
#include "records/rows/table.h"
#include "records/source/data_handle.h"

extern const sbl_format sbl_list_format;

/* The state of a table of that format. options: of each file, which open_one opens.
 * Out:     places  where the files are, a,b,c: that of a pattern is its folder; sbl_free()
 * Returns: SBL_OK; SBL_EARG: one is a stream, or is there twice; SBL_EMEM */
sbl_status sbl_file_list_new(void **state, char **places, const char *path, const sbl_data_options *options,
                             sbl_data_opener open_one, sbl_error *err);

#endif
