/* The ROC curves of one model: trained on real and on synthetic rows. */
#ifndef SBL_REPORT_ROC_H
#define SBL_REPORT_ROC_H

#include <jansson.h>

#include "base/text.h"

/* A <figure> for one entry of utility.models, nothing when it has no curves. */
void sbl_roc_write(sbl_text *out, const json_t *model);

#endif
