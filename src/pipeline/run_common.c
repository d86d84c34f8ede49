#include "pipeline/run_common.h"

#include <sys/stat.h>

sbl_status sbl_run_check_options(const sbl_synth_options *options, sbl_error *err)
{
    if (options->struct_size != sizeof *options)
        return sbl_fail(err, SBL_EARG, "options were not set up by sbl_synth_options_init");
    if (!(options->delta > 0.0 && options->delta < 1.0))
        return sbl_fail(err, SBL_EARG, "delta must lie between 0 and 1");
    if (options->hidden_count > SBL_MAX_HIDDEN)
        return sbl_fail(err, SBL_EARG, "hidden takes 1 to %d layer sizes", SBL_MAX_HIDDEN);
    return SBL_OK;
}

sbl_status sbl_run_check_passing_model(const char *path, bool overwrite, sbl_error *err)
{
    struct stat facts;
    if (overwrite || lstat(path, &facts) != 0) return SBL_OK;
    return sbl_fail(err, SBL_EIO,
                    "%s is in the way: there a run without --model keeps its model until all is "
                    "written; move it, or use --model or --force",
                    path);
}

/* The reason may be long, the way on must be read: it is the reason that is cut. */
static sbl_status fail_and_go_on(sbl_status status, const char *kept, const char *command,
                                 const char *path, const char *output, sbl_error *err)
{
    if (status == SBL_OK || err == NULL) return status;
    const sbl_error reason = *err;
    return sbl_fail(err, status,
                    "%.200s; the %s is kept: 'semblance %s %s -o %s' goes on at no cost",
                    reason.message, kept, command, path, output);
}

sbl_status sbl_run_keeps_release(sbl_status status, const char *release_path, sbl_error *err)
{
    return fail_and_go_on(status, "release", "train", release_path, "MODEL", err);
}

sbl_status sbl_run_keeps_model(sbl_status status, const char *model_path, sbl_error *err)
{
    return fail_and_go_on(status, "model", "sample", model_path, "OUTPUT", err);
}
