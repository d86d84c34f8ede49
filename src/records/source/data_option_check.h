/* Options that do not apply to some records: an option that would have no effect is refused, not ignored.
 * what: "images", "JSON, which is written in one way", ...   Returns: SBL_OK, SBL_EARG */
#ifndef SBL_SOURCE_DATA_OPTION_CHECK_H
#define SBL_SOURCE_DATA_OPTION_CHECK_H

#include "base/error.h"
#include "semblance/data.h"

/* How a text is written is not to be said of what has types, nor of linked tables by their package. */
sbl_status sbl_data_refuse_writing(const sbl_data_options *options, const char *what, sbl_error *err);
/* What is asked of a database is not to be said of anything else. */
sbl_status sbl_data_refuse_asking(const sbl_data_options *options, const char *what, sbl_error *err);
/* Of images and linked tables: neither how a table is written, nor what one is asked, nor its columns. */
sbl_status sbl_data_refuse_table(const sbl_data_options *options, const char *what, sbl_error *err);

#endif
