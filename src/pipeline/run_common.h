/* What runs over tables and over images share. */
#ifndef SBL_PIPELINE_RUN_COMMON_H
#define SBL_PIPELINE_RUN_COMMON_H

#include "base/status.h"
#include "semblance/synth.h"

/* What every run asks of its options. */
sbl_status sbl_run_check_options(const sbl_synth_options *options, sbl_error *err);

/* Is the place free where a run to which no model was named keeps it until the end? A file there
 * has a name that nobody chose: the message says what it is for. */
sbl_status sbl_run_check_passing_model(const char *path, bool overwrite, sbl_error *err);

/* A failure after the charge: what was paid for is kept, and the message says where and how to go
 * on from it at no cost. Both return the status; SBL_OK is left alone. err may be NULL. */
sbl_status sbl_run_keeps_release(sbl_status status, const char *release_path, sbl_error *err);
sbl_status sbl_run_keeps_model(sbl_status status, const char *model_path, sbl_error *err);

#endif
