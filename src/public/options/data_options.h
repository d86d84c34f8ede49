/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a file before it is read: the rows of these options, and which form of data each applies to. */
#ifndef SBL_OPTIONS_DATA_OPTIONS_H
#define SBL_OPTIONS_DATA_OPTIONS_H

#include "base/error.h"
#include "public/options/option_values.h"
#include "semblance/options.h"

/* Are all options that were given in range, and ones that apply to data of this form? An option that would do nothing
 * is refused, not ignored.   Returns: SBL_OK, SBL_EARG */
sbl_status sbl_data_options_check(const sbl_data_options *options, sbl_data_form form, sbl_error *err);

#endif
