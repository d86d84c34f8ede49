/* SPDX-License-Identifier: Apache-2.0 */
/* A finding, such as one made on synthetic data, held against the answers of a release. Post-processing. */
#ifndef SBL_ANSWERS_FINDING_H
#define SBL_ANSWERS_FINDING_H

#include "base/error.h"
#include "base/json.h"

/* The verdict on a finding (semblance/ask.h says how it is written); json_decref().
 * Returns: SBL_OK; SBL_EINPUT names the member that is wrong; SBL_EMEM */
sbl_status sbl_finding_check(json_t **verdict, const json_t *answers, const json_t *finding, sbl_error *err);

#endif
