/* SPDX-License-Identifier: Apache-2.0 */
/* train: a model from a release, at no cost. */
#include <stdio.h>

#include "command.h"
#include "command_run.h"
#include "output.h"

static const sbl_cli_option options[] = {
    SBL_OPTION_MODEL("the model (safetensors)"),
    SBL_FILE_ROW("certificate", "keep this certificate of the release in the model", NULL),
    SBL_OPTIONS_RUNNING,
};

static const sbl_cli_example examples[] = {
    {"semblance train build/demo/synthetic.csv.release --model again.safetensors",
     "the model of an earlier run, at no cost in budget"},
    {"semblance train out.release --model better.safetensors --steps 10000",
     "the generator of images in out/, trained longer"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_synth_options synth;
    sbl_synthesizer *made = NULL;
    sbl_output output;
    sbl_status status = sbl_cli_need(parsed, "model", err);
    if (status == SBL_OK) status = sbl_cli_synth_options(&synth, parsed, err);
    sbl_output_init(&output);
    output.model = sbl_cli_text(parsed, "model");
    synth.release_path = parsed->operands[0];
    if (status == SBL_OK) status = sbl_synthesizer_new(&made, err);
    if (status == SBL_OK) status = sbl_synthesizer_write_to(made, &output, err);
    if (status == SBL_OK) status = sbl_synthesizer_train(made, &synth, err);
    sbl_cli_progress_end();
    sbl_synthesizer_free(made);
    return status;
}

const sbl_cli_command sbl_cmd_train = {
    .name = "train",
    .summary = "make a model from a release, again or differently, at no cost",
    .usage = "RELEASE --model FILE [OPTION...]",
    .description = "Post-processing: only the releases of the run are read, no budget is spent.",
    SBL_CLI_OPERAND("RELEASE",
                    "the noisy sums of an earlier fit or synth; RELEASE.2, ... are found beside it"),
    SBL_CLI_OPTIONS(options),
    .steps = SBL_STEP_TRAIN,
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
