/* sample: rows of a model, at no cost. */
#include <stdio.h>

#include "command.h"
#include "image_options.h"
#include "output.h"
#include "synth_common.h"

static const sbl_cli_option options[] = {
    SBL_OPTION_OUTPUT("the table; gzip when it ends in .gz; a folder for images",
                      "- (standard output)"),
    SBL_OPTION_ROWS,
    {"where", 0, "LABEL=VALUE", SBL_CLI_TEXT, "draw this class only", NULL, NULL, NULL},
    SBL_OPTIONS_IMAGE_OUTPUT,
    SBL_OPTION_SEED,
    SBL_OPTIONS_RUNNING,
};

static const sbl_cli_operand operands[] = {
    {"MODEL", "a model made by fit, train or synth --model"},
};

static const char *const usage[] = {"MODEL [-n N] [--where LABEL=VALUE] [--seed K] [-o OUTPUT]",
                                    NULL};

static const sbl_cli_example examples[] = {
    {"semblance sample people.safetensors -n 1000 -o more.csv", "a thousand rows"},
    {"semblance sample people.safetensors -n 5 --where 'income=>50K'", "five rows of one class"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_synth_options synth;
    const char *output = sbl_cli_text(parsed, "output");
    const sbl_cli_value *rows = sbl_cli_given(parsed, "rows");
    const uint64_t count = rows != NULL ? rows->whole : 0;
    const char *where = sbl_cli_text(parsed, "where");
    bool images = false;
    sbl_status status = sbl_cli_synth_options(&synth, parsed, err);
    if (status == SBL_OK) status = sbl_images_is_model(&images, parsed->operands[0], err);
    if (status == SBL_OK && images) status = sbl_cli_need(parsed, "output", err);
    if (status == SBL_OK && images) {
        const sbl_image_output to = sbl_cli_image_output(parsed, output);
        status = sbl_images_sample(parsed->operands[0], &to, count, where, &synth, err);
    } else if (status == SBL_OK) {
        status = sbl_synth_sample(parsed->operands[0], output != NULL ? output : "-", count, where,
                                  &synth, err);
    }
    sbl_cli_progress_end();
    return status;
}

const sbl_cli_command sbl_cmd_sample = {
    .name = "sample",
    .summary = "draw any number of rows from a model, at no cost",
    .usage = usage,
    .description = "The same model, seed and number give the same rows, on every machine.",
    .operands = operands,
    .operand_count = SBL_CLI_COUNT(operands),
    .options = options,
    .option_count = SBL_CLI_COUNT(options),
    .examples = examples,
    .example_count = SBL_CLI_COUNT(examples),
    .run = run,
};
