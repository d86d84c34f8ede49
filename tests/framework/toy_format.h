/* SPDX-License-Identifier: Apache-2.0 */
/* A format of tables that lives outside src: a text of records "age=31;town=Ayr", one to a line, all with the same keys in
 * the same order. A value is a whole number where it looks like one, and a text otherwise; "?" is missing. */
#ifndef SBL_TESTS_FRAMEWORK_TOY_FORMAT_H
#define SBL_TESTS_FRAMEWORK_TOY_FORMAT_H

#include "records/source/data_handle.h"

/* A handle of such a file. */
sbl_status toy_open(sbl_data **data, const char *path, sbl_error *err);

#endif
