/* SPDX-License-Identifier: Apache-2.0 */
/* Where the cost of a handle's fits is recorded: in memory, or in the ledger next to the release of a
 * fit into files. A fit that would be charged to another ledger than the earlier ones is refused,
 * because the two would never be added up. */
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"
#include "run/api/synthesizer_handle.h"
#include "run/pipeline/job.h"

int64_t sbl_account_length(const sbl_charged_place *place)
{
    struct stat seen;
    sbl_text path = {0};
    int64_t length = -1;
    if (place->chosen || place->release_path == NULL) return length;
    sbl_text_printf(&path, "%s" SBL_ENDING_LEDGER, place->release_path);
    if (!path.failed && stat(path.data, &seen) == 0) length = (int64_t)seen.st_size;
    sbl_text_clear(&path);
    return length;
}

/* Did earlier fits leave their cost where this one is not charged? */
static bool is_elsewhere(const sbl_synthesizer *synth, const sbl_charged_place *place)
{
    if (place->release_path == NULL) return synth->account != NULL;
    return sbl_store_entry_exists(sbl_synthesizer_in(synth, SBL_KEPT_LEDGER)) ||
           (synth->account != NULL && strcmp(synth->account, place->release_path) != 0);
}

sbl_status sbl_handle_ledger_begin(const sbl_synthesizer *synth, const sbl_charged_place *place,
                                   sbl_error *err)
{
    if (!place->chosen && is_elsewhere(synth, place))
        return sbl_fail_hint(
            err, SBL_EARG, SBL_HINT_LEDGER_SHARE, NULL,
            "earlier fits of this handle were charged to another ledger, and the costs would never be added: "
            "name the same ledger for all fits, or use a new handle for other data");
    return SBL_OK;
}

sbl_status sbl_account_end(sbl_synthesizer *synth, const sbl_charged_place *place, sbl_error *err)
{
    sbl_text account = {0};
    if (synth->account != NULL || sbl_account_length(place) == place->before) return SBL_OK;
    sbl_text_printf(&account, "%s", place->release_path);
    if (account.failed) {
        sbl_text_clear(&account);
        return sbl_fail(err, SBL_EMEM, "out of memory for a file name");
    }
    synth->account = account.data;
    return SBL_OK;
}
