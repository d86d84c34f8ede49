/* Checks before a run that a report can be written after it, then writes the public one and, with
 * --evaluate, the NOT PRIVATE comparison over it. */
#include "report_options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file_check.h"
#include "image_options.h"
#include "output.h"
#include "semblance/evaluate.h"
#include "semblance/report.h"
#include "synth_common.h"

static const char *input_of(const sbl_cli_parsed *parsed)
{
    return sbl_cli_wants_images(parsed) ? sbl_cli_text(parsed, "images") : parsed->operands[0];
}

static sbl_status check_evaluate(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *test = sbl_cli_text(parsed, "evaluate");
    const char *labels = sbl_cli_text(parsed, "evaluate-labels");
    if (labels != NULL && (test == NULL || !sbl_cli_wants_images(parsed)))
        return sbl_cli_misuse(err, parsed->command,
                              "--evaluate-labels goes with --images and --evaluate");
    if (test == NULL) return SBL_OK;
    if (sbl_cli_text(parsed, "report") == NULL)
        return sbl_cli_misuse(err, parsed->command, "--evaluate needs --report to write to");
    if ((labels == NULL) != (sbl_cli_text(parsed, "labels") == NULL))
        return sbl_cli_misuse(err, parsed->command,
                              "give both --labels and --evaluate-labels, or neither");
    if (strcmp(sbl_cli_text(parsed, "output"), "-") == 0)
        return sbl_cli_misuse(err, parsed->command, "--evaluate needs the table in a file, not -");
    /* Seen before a budget is spent on a run whose last step could not be done. */
    if (access(test, R_OK) != 0)
        return sbl_cli_fail(err, SBL_EIO, "cannot read %s, which --evaluate names", test);
    if (labels != NULL && access(labels, R_OK) != 0)
        return sbl_cli_fail(err, SBL_EIO, "cannot read %s, which --evaluate-labels names", labels);
    return SBL_OK;
}

sbl_status sbl_cli_report_check(const sbl_cli_parsed *parsed, const sbl_synth_options *synth,
                                sbl_error *err)
{
    const char *report = sbl_cli_text(parsed, "report");
    const sbl_status status = check_evaluate(parsed, err);
    return status == SBL_OK && report != NULL
               ? sbl_report_check_target(report, NULL, 0, synth->overwrite, err)
               : status;
}

static sbl_status compare_images(const sbl_cli_parsed *parsed, const sbl_image_input *fitted,
                                 const sbl_evaluate_options *options, sbl_error *err)
{
    sbl_image_input real = *fitted, synthetic = *fitted;
    real.images = sbl_cli_text(parsed, "evaluate");
    real.labels = sbl_cli_text(parsed, "evaluate-labels");
    synthetic.images = sbl_cli_text(parsed, "output");
    synthetic.labels = NULL; /* they are in the folder */
    return sbl_evaluate_image_sets(NULL, NULL, &real, &synthetic,
                                   strcmp(fitted->images, "-") == 0 ? NULL : fitted, options, err);
}

/* Everything again with what the evaluation says. The private records are what was fitted. */
static sbl_status compare(const sbl_cli_parsed *parsed, const sbl_synth_options *synth,
                          const sbl_cli_run_files *files, sbl_error *err)
{
    sbl_evaluate_options options;
    const char *input = input_of(parsed);
    sbl_evaluate_options_init(&options);
    options.seed = synth->seed;
    options.threads = synth->threads;
    options.report_path = sbl_cli_text(parsed, "report");
    options.certificate_path = files->certificate;
    options.overwrite = true; /* the public report that was just written */
    if (sbl_cli_wants_images(parsed)) {
        const sbl_image_input fitted = sbl_cli_image_input(parsed);
        return compare_images(parsed, &fitted, &options, err);
    }
    options.train_path = strcmp(input, "-") == 0 ? NULL : input;
    options.reading = synth;
    return sbl_evaluate_tables(NULL, NULL, sbl_cli_text(parsed, "evaluate"),
                               sbl_cli_text(parsed, "output"), files->schema, &options, err);
}

sbl_status sbl_cli_report_write(const sbl_cli_parsed *parsed, const sbl_synth_options *synth,
                                sbl_error *err)
{
    sbl_cli_run_files files;
    const char *report = sbl_cli_text(parsed, "report");
    const char *output = sbl_cli_text(parsed, "output");
    if (report == NULL) return SBL_OK;
    sbl_cli_name_run_files(&files, parsed);
    sbl_status status =
        sbl_cli_wants_images(parsed)
            ? sbl_report_image_certificate(report, files.certificate, files.release, output, NULL,
                                           synth->overwrite, err)
        : output == NULL || strcmp(output, "-") == 0
            ? sbl_report_certificate(report, files.certificate, NULL, synth->overwrite, err)
            : sbl_report_table_certificate(report, files.certificate, output, files.schema, synth,
                                           NULL, synth->overwrite, err);
    if (status != SBL_OK || sbl_cli_text(parsed, "evaluate") == NULL) return status;
    status = compare(parsed, synth, &files, err);
    if (status == SBL_OK && !sbl_cli_is_quiet(parsed))
        sbl_cli_say(stderr, "semblance: %s is NOT PRIVATE: it compares real and synthetic %s",
                    report, sbl_cli_wants_images(parsed) ? "images" : "rows");
    return status;
}
