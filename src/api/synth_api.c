/* The schema of a table, discovered into a file (include/semblance/synthesizer.h). */

#include "api/entry.h"
#include "base/status.h"
#include "pipeline/job.h"
#include "schema/schema.h"
#include "semblance/synthesizer.h"

sbl_status sbl_schema_suggest(char **statement, const char *input, const char *output, bool resume,
                              const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_data *data = NULL;
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(input);
    SBL_NEED(output);
    SBL_TRY(sbl_entry_begin_fit(&entry, options, SBL_TABLES, SBL_STEP_SUGGEST, err));
    SBL_TRY(sbl_entry_open_table(&data, input, &entry.options, err));
    const sbl_job job = {.kind = SBL_DATA_TABLE,
                         .data = data,
                         .discovered = sbl_file_item(output),
                         .options = &entry.options};
    SBL_TRY(resume ? sbl_job_resume(statement, &job, err) : sbl_job_run(statement, &job, err));
done:
    sbl_data_free(data);
    sbl_entry_end(&entry);
    return status;
}
