/* fit: a model from a private table. */
#include <stdio.h>

#include "command.h"
#include "job_file.h"
#include "output.h"
#include "run.h"

static const sbl_cli_option options[] = {
    SBL_OPTION_SCHEMA_OR_DISCOVER,
    SBL_OPTION_MODEL("the model (safetensors)"),
    SBL_OPTIONS_IMAGES,
    SBL_OPTIONS_RUNNING,
    SBL_OPTION_VERBOSE,
    SBL_OPTIONS_JOB,
};

static const sbl_cli_operand operands[] = {
    {"INPUT", "the private table: CSV, plain or gzip; - for standard input"},
};

static const char *const usage[] = {
    "INPUT [--schema FILE] --epsilon E --model FILE [OPTION...]",
    "--images FILE [--labels FILE] --epsilon E --model FILE [OPTION...]", NULL};

static const sbl_cli_example examples[] = {
    {"semblance fit people.csv --schema people.json --epsilon 1 --model people.safetensors",
     "then draw rows with 'semblance sample', as often as you like"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_synth_options synth;
    sbl_synthesizer *made = NULL;
    sbl_output output;
    sbl_status status = sbl_cli_check_input(parsed, err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "epsilon", err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "model", err);
    if (status == SBL_OK) status = sbl_cli_synth_options(&synth, parsed, err);
    if (status == SBL_OK) status = sbl_cli_save_job(parsed, err);
    sbl_output_init(&output);
    output.model = sbl_cli_text(parsed, "model");
    if (status == SBL_OK) status = sbl_cli_fit_files(&made, parsed, false, &output, &synth, err);
    sbl_cli_progress_end();
    if (status == SBL_OK) sbl_cli_say_discovered(parsed, &synth);
    if (status == SBL_OK) sbl_cli_show_success(parsed, sbl_synthesizer_text(made, SBL_TEXT_STATEMENT));
    sbl_synthesizer_free(made);
    return status;
}

const sbl_cli_command sbl_cmd_fit = {
    .name = "fit",
    .summary = "make a model from a private table or image set",
    .usage = usage,
    .description = "Like synth, but keeps the model instead of writing rows.",
    SBL_CLI_OPERANDS(operands),
    .optional_operands = 1,
    SBL_CLI_OPTIONS(options),
    .steps = SBL_STEP_FIT,
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
