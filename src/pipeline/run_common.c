/* Messages after a charge, the remark on a ledger that is not the data's own, and the name of
 * the checkpoint: what job.c and retrain.c share. */
#include "pipeline/run_common.h"

#include "semblance/files.h"

#include <stddef.h>
#include <string.h>

/* A long reason is cut, so that the end of the message, which says how to continue, is always shown. */
sbl_status sbl_run_keeps_release(sbl_status status, const char *release_path, sbl_hint hint,
                                 sbl_error *err)
{
    if (status == SBL_OK || err == NULL) return status;
    const sbl_error reason = *err;
    return sbl_fail_hint(
        err, status, hint, release_path,
        "%.200s; what was released is kept (%s), and going on from there costs nothing",
        reason.message, release_path);
}

void sbl_run_report_ledger(const sbl_publish *publish, const char *input,
                           const sbl_synth_options *options)
{
    sbl_text line = {0};
    if (options->advice == NULL || input == NULL || !sbl_publish_fell_back(publish)) return;
    sbl_text_printf(&line,
                    "%s has no place for a ledger beside it: what other runs on the same data cost "
                    "is not in %s",
                    strcmp(input, "-") == 0 ? "standard input" : input,
                    sbl_publish_ledger(publish));
    if (!line.failed) options->advice(options->context, SBL_ADVICE_LEDGER, line.data);
    sbl_text_clear(&line);
}

sbl_status sbl_checkpoint_name(sbl_item *checkpoint, sbl_text *name,
                               const sbl_synth_options *options, sbl_item release, sbl_error *err)
{
    const sbl_item given = sbl_file_item(options->checkpoint);
    if (given.store != NULL)
        sbl_text_printf(name, "%s", given.name);
    else
        sbl_text_printf(name, "%s" SBL_ENDING_CHECKPOINT, release.name);
    *checkpoint = (sbl_item){given.store != NULL ? given.store : release.store, name->data};
    return sbl_text_check(name, "a file name", err);
}
