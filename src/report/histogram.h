/* One column as a picture: the shares of its values in the real and in the synthetic table. */
#ifndef SBL_REPORT_HISTOGRAM_H
#define SBL_REPORT_HISTOGRAM_H

#include <jansson.h>

#include "base/text.h"

/* A <figure> for one entry of an evaluation's "columns". */
void sbl_histogram_write(sbl_text *out, const json_t *column);

#endif
