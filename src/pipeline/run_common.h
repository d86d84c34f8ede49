/* What every run shares. */
#ifndef SBL_PIPELINE_RUN_COMMON_H
#define SBL_PIPELINE_RUN_COMMON_H

#include "base/status.h"
#include "base/text.h"
#include "pipeline/publish.h"
#include "semblance/options.h"

/* A failure after the charge: what was paid for is kept, and the message says where it is; the hint
 * (SBL_HINT_TRAIN, SBL_HINT_RESUME) how to go on from it. Returns the status; SBL_OK is left alone.
 * err may be NULL. */
sbl_status sbl_run_keeps_release(sbl_status status, const char *release_path, sbl_hint hint,
                                 sbl_error *err);

/* Of data that has a name, "-" included: say that its ledger is not its own, where that is so. */
void sbl_run_report_ledger(const sbl_publish *publish, const char *input,
                           const sbl_synth_options *options);

/* Where training keeps its place: as the options say, else beside the release. name: is filled; the item
 * borrows it. */
sbl_status sbl_checkpoint_name(sbl_item *checkpoint, sbl_text *name,
                               const sbl_synth_options *options, sbl_item release, sbl_error *err);

#endif
