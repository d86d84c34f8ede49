/* SPDX-License-Identifier: Apache-2.0 */
/* A policy: what an institution allows, in a file (docs/FORMATS.md, "Policy"), enforced before anything is charged. */
#ifndef SBL_PIPELINE_POLICY_H
#define SBL_PIPELINE_POLICY_H

#include "base/error.h"
#include "door/ledger/ledger_book.h"

/* Read the file, refuse a run that it does not allow, and give the limits that the ledger checks at each charge.
 * In:      title, who  of the run; NULL: not said
 * Returns: SBL_OK; SBL_EINPUT for a file that is not a policy, naming the field that is wrong; SBL_EARG for a run without a
 *          title, or by a person, that it does not allow; SBL_EIO, SBL_EMEM */
sbl_status sbl_policy_enforce(sbl_ledger_policy *limits, const char *path, const char *title, const char *who,
                              sbl_error *err);

#endif
