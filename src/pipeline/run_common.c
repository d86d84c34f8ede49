#include "pipeline/run_common.h"

#include <stddef.h>

/* The reason may be long, the way on must be read: it is the reason that is cut. */
sbl_status sbl_run_keeps_release(sbl_status status, const char *release_path, sbl_hint hint,
                                 sbl_error *err)
{
    if (status == SBL_OK || err == NULL) return status;
    const sbl_error reason = *err;
    return sbl_fail_hint(err, status, hint, release_path,
                         "%.200s; the release %s is kept, from which one goes on at no cost",
                         reason.message, release_path);
}

void sbl_checkpoint_path(sbl_text *path, const sbl_synth_options *options, const char *release_path)
{
    if (options->checkpoint != NULL)
        sbl_text_printf(path, "%s", options->checkpoint);
    else
        sbl_text_printf(path, "%s.training", release_path);
}
