/* What every run shares. */
#ifndef SBL_PIPELINE_RUN_COMMON_H
#define SBL_PIPELINE_RUN_COMMON_H

#include "base/status.h"

/* A failure after the charge: what was paid for is kept, and the message says where it is; the hint
 * (SBL_HINT_TRAIN, SBL_HINT_RESUME) how to go on from it. Returns the status; SBL_OK is left alone.
 * err may be NULL. */
sbl_status sbl_run_keeps_release(sbl_status status, const char *release_path, sbl_hint hint,
                                 sbl_error *err);

#endif
