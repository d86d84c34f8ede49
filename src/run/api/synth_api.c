/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of a table, discovered into a file (include/semblance/synthesizer.h). */

#include "base/error.h"
#include "public/schema/schema_type.h"
#include "records/source/data_source.h"
#include "run/api/api_call.h"
#include "run/pipeline/job.h"
#include "semblance/synthesizer.h"

sbl_status sbl_schema_discover(char **statement, sbl_data *input, const char *output, bool resume,
                               const sbl_synth_options *options, sbl_error *err)
{
    sbl_api_call entry = {0};
    sbl_mark *used = NULL;
    sbl_statement made = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(input);
    SBL_NEED(output);
    SBL_TRY(sbl_data_use(&used, input, err));
    SBL_TRY(sbl_api_call_begin_fit(&entry, options, SBL_TABLES, SBL_STEP_DISCOVER, err));
    const sbl_job job = {.kind = SBL_DATA_TABLE,
                         .data = input,
                         .discovered = sbl_file_item(output),
                         .options = &entry.options};
    SBL_TRY(resume ? sbl_job_resume(&made, &job, err) : sbl_job_run(&made, &job, err));
    if (statement != NULL) {
        *statement = made.whole;
        made.whole = NULL;
    }
done:
    sbl_statement_clear(&made);
    sbl_api_call_end(&entry);
    sbl_use_end(used);
    return status;
}
