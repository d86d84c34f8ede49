/* SPDX-License-Identifier: Apache-2.0 */
/* Audits of one's own releases (include/semblance/audit.h). */
#include "semblance/audit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/file.h"
#include "owner/audit/audit_tests.h"
#include "records/source/data_source.h"
#include "semblance/files.h"

#define USUAL_EPSILON 4.0
#define USUAL_DELTA 1e-5
#define LARGEST_DELTA 1e-3
#define FEWEST_RUNS 100
#define MOST_RUNS 10000000

/* A caller's options as ours, with their defaults, and in range. */
static sbl_status take_options(sbl_audit_options *options, const sbl_audit_options *theirs, sbl_error *err)
{
    *options = (sbl_audit_options){.struct_size = sizeof *options};
    const sbl_status status = sbl_struct_take(options, sizeof *options, theirs, "options", err);
    if (status != SBL_OK) return status;
    if (options->epsilon == 0.0) options->epsilon = USUAL_EPSILON;
    if (options->delta == 0.0) options->delta = USUAL_DELTA;
    if (!(options->epsilon > 0.0 && options->epsilon <= 40.0))
        return sbl_fail(err, SBL_EARG, "epsilon must be above 0 and below 40");
    if (!(options->delta > 0.0 && options->delta <= LARGEST_DELTA))
        return sbl_fail(err, SBL_EARG, "delta must be above 0 and at most %g", LARGEST_DELTA);
    if (options->runs != 0 && (options->runs < FEWEST_RUNS || options->runs > MOST_RUNS))
        return sbl_fail(err, SBL_EARG, "runs must be from %d to %d", FEWEST_RUNS, MOST_RUNS);
    if ((options->data == NULL) != (options->schema == NULL))
        return sbl_fail(err, SBL_EARG, "a table and its schema must be given together");
    if (options->data != NULL && sbl_data_tell(options->data).kind != SBL_DATA_TABLE)
        return sbl_fail(err, SBL_EARG, "an audit of given records needs a table, not images");
    if (options->data != NULL && sbl_data_tell(options->data).tables > 0)
        return sbl_fail(err, SBL_EARG, "an audit of given records needs one table, not linked tables");
    return SBL_OK;
}

/* Everything that can be known to fail before minutes are spent. */
static sbl_status check_files(const sbl_audit_options *options, sbl_error *err)
{
    const sbl_named_file paths[] = {
        {"the input", options->data != NULL ? sbl_data_tell(options->data).path : NULL, false},
        {"the JSON file", options->json_path, true},
        {"the report", options->report_path, true},
    };
    SBL_CHECK(sbl_files_check(paths, sizeof paths / sizeof paths[0], err));
    if (options->json_path != NULL)
        SBL_CHECK(sbl_file_check_target(options->json_path, options->overwrite, err));
    if (options->report_path != NULL)
        SBL_CHECK(sbl_file_check_target(options->report_path, options->overwrite, err));
    return SBL_OK;
}

static bool is_html(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
}

/* text is taken; NULL: out of memory. path NULL: not wanted. */
static sbl_status write_text(const char *path, char *text, const sbl_audit_options *options, sbl_error *err)
{
    const sbl_file_write_options how = {.mode = options->data != NULL ? 0600 : 0644,
                                        .overwrite = options->overwrite};
    const sbl_status status =
        text != NULL ? sbl_file_write(path, text, strlen(text), how, err) : sbl_no_memory(err, "an audit");
    sbl_free(text);
    return status;
}

static sbl_audit_verdict verdict_of(const json_t *document)
{
    const char *word = json_string_value(json_object_get(document, "verdict"));
    sbl_audit_verdict verdict = SBL_AUDIT_HELD;
    while (verdict != SBL_AUDIT_BROKEN && strcmp(sbl_audit_verdicts[verdict], word) != 0) verdict--;
    return verdict;
}

sbl_status sbl_audit_run(sbl_audit_verdict *verdict, char **text, const sbl_audit_options *theirs,
                         sbl_error *err)
{
    sbl_audit_options options;
    json_t *document = NULL;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    if (verdict == NULL) return sbl_fail(err, SBL_EARG, "an output argument is NULL");
    *verdict = SBL_AUDIT_BROKEN;
    SBL_TRY(take_options(&options, theirs, err));
    SBL_TRY(check_files(&options, err));
    if (options.data != NULL) SBL_TRY(sbl_data_use(&used, options.data, err));
    SBL_TRY(sbl_audit_document(&document, &options, err));
    if (options.json_path != NULL)
        SBL_TRY(write_text(options.json_path, sbl_json_pretty(document), &options, err));
    if (options.report_path != NULL)
        SBL_TRY(
            write_text(options.report_path,
                       is_html(options.report_path) ? sbl_audit_html(document) : sbl_audit_markdown(document),
                       &options, err));
    if (text != NULL && (*text = sbl_audit_text(document)) == NULL) SBL_TRY(sbl_no_memory(err, "an audit"));
    *verdict = verdict_of(document);
done:
    sbl_use_end(used);
    json_decref(document);
    return status;
}
