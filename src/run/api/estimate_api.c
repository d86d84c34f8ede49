/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics with intervals (include/semblance/estimate.h). */
#include "semblance/estimate.h"

#include <string.h>

#include "base/caller_struct.h"
#include "base/error.h"
#include "base/file.h"
#include "run/api/api_call.h"
#include "run/api/synthesizer_handle.h"
#include "run/estimates/estimates.h"
#include "run/pipeline/job.h"
#include "run/pipeline/posterior.h"
#include "semblance/files.h"

static sbl_status take_options(sbl_estimate_options *ours, const sbl_estimate_options *theirs, sbl_error *err)
{
    sbl_estimate_options_init(ours);
    SBL_CHECK(sbl_struct_take(ours, sizeof *ours, theirs, "options", err));
    if (ours->draws == 0) ours->draws = SBL_ESTIMATE_DRAWS;
    if (ours->level == 0.0) ours->level = SBL_ESTIMATE_LEVEL;
    if (ours->draws < SBL_REPLICATES_LEAST || ours->draws > SBL_REPLICATES_MOST)
        return sbl_fail(err, SBL_EARG, "draws must be from %d to %d", SBL_REPLICATES_LEAST,
                        SBL_REPLICATES_MOST);
    if (!(ours->level > 0.0 && ours->level < 1.0))
        return sbl_fail(err, SBL_EARG, "level: use a number above 0 and below 1");
    if (ours->threads > 1024) return sbl_fail(err, SBL_EARG, "threads must be at most 1024");
    if (ours->form != SBL_ESTIMATE_TABLE && ours->form != SBL_ESTIMATE_CSV && ours->form != SBL_ESTIMATE_JSON)
        return sbl_fail(err, SBL_EARG, "the form of estimates must be a table, CSV or JSON");
    return SBL_OK;
}

/* Before anything is drawn: may the file be written? */
static sbl_status check_path(const sbl_estimate_options *options, sbl_error *err)
{
    const sbl_named_file files[] = {{"the release", options->release, false},
                                    {"the output", options->path, true}};
    if (options->path == NULL) return SBL_OK;
    SBL_CHECK(sbl_files_check(files, sizeof files / sizeof files[0], err));
    return sbl_file_check_target(options->path, options->overwrite, err);
}

sbl_status sbl_synthesizer_estimate(sbl_synthesizer *synth, char **text, const sbl_estimate_options *options,
                                    sbl_error *err)
{
    sbl_estimate_options ours;
    int threads = 0;
    char *made = NULL;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(synth);
    SBL_NEED(text);
    SBL_TRY(take_options(&ours, options, err));
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    if (ours.release == NULL && sbl_synthesizer_kept(synth, SBL_KEPT_RELEASE) == NULL)
        SBL_FAIL(err, SBL_EARG,
                 "statistics are estimated from the releases of a run, which a model does not hold: give the "
                 "release file");
    SBL_TRY(check_path(&ours, err));
    threads = sbl_threads_borrow(ours.threads);
    const sbl_store_entry kept = sbl_synthesizer_in(synth, SBL_KEPT_RELEASE);
    SBL_TRY(sbl_estimates_make(&made, ours.release != NULL ? sbl_file_item(ours.release) : kept, &ours, err));
    const sbl_file_write_options as_public = {.mode = 0644, .overwrite = ours.overwrite};
    if (ours.path != NULL) SBL_TRY(sbl_file_write(ours.path, made, strlen(made), as_public, err));
    *text = made;
    made = NULL;
done:
    sbl_free(made);
    sbl_threads_restore(threads);
    sbl_use_end(used);
    return status;
}
