/* synth: the whole job. */
#include <stdio.h>

#include "command.h"
#include "image_options.h"
#include "output.h"
#include "report_options.h"
#include "synth_common.h"

static const sbl_cli_option options[] = {
    SBL_OPTION_SCHEMA,
    SBL_OPTION_EPSILON,
    SBL_OPTION_DELTA,
    SBL_OPTION_OUTPUT("the synthetic table; gzip when it ends in .gz; - for standard output; a "
                      "folder for images",
                      NULL),
    SBL_OPTIONS_IMAGES,
    SBL_OPTIONS_IMAGE_OUTPUT,
    SBL_OPTION_METHOD,
    SBL_OPTION_NEIGHBOURS,
    SBL_OPTION_ROWS,
    SBL_OPTION_LEDGER,
    SBL_OPTION_CERTIFICATE,
    SBL_OPTION_RELEASE,
    {"model", 0, "FILE", SBL_CLI_TEXT, "also keep the model, for more rows later", NULL, NULL,
     NULL},
    SBL_OPTIONS_REPORT,
    SBL_OPTION_SEED,
    SBL_OPTION_FEATURES,
    SBL_OPTION_BINS,
    SBL_OPTION_PURE,
    SBL_OPTIONS_RON_GAUSS,
    SBL_OPTIONS_TRAINING,
    SBL_OPTIONS_RUNNING,
};

static const sbl_cli_operand operands[] = {
    {"INPUT", "the private table: CSV, plain or gzip; - for standard input"},
};

static const char *const usage[] = {
    "INPUT --schema FILE --epsilon E -o OUTPUT [OPTION...]",
    "--images FILE [--labels FILE] --epsilon E -o FOLDER [OPTION...]", NULL};

static const sbl_cli_example examples[] = {
    {"semblance synth people.csv --schema people.json --epsilon 1 -o synthetic.csv",
     "a synthetic table of the same shape, with its certificate"},
    {"semblance synth people.csv --schema people.json --epsilon 1 -o tiny.csv --method marginals",
     "independent columns: for tiny tables, and the floor for all others"},
    {"semblance synth --images train-images.gz --labels train-labels.gz --epsilon 1 -o out/",
     "synthetic images with labels, as an IDX pair in the folder out"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_synth_options synth;
    char *statement = NULL;
    const sbl_cli_value *rows = sbl_cli_given(parsed, "rows");
    sbl_status status = sbl_cli_check_input(parsed, err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "epsilon", err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "output", err);
    if (status == SBL_OK) status = sbl_cli_synth_options(&synth, parsed, err);
    if (status == SBL_OK) status = sbl_cli_report_check(parsed, &synth, err);
    if (status == SBL_OK && sbl_cli_wants_images(parsed)) {
        const sbl_image_input input = sbl_cli_image_input(parsed);
        const sbl_image_output output =
            sbl_cli_image_output(parsed, sbl_cli_text(parsed, "output"));
        status = sbl_images_run(&statement, &input, &output, rows != NULL ? rows->whole : 0,
                                sbl_cli_text(parsed, "model"), &synth, err);
    } else if (status == SBL_OK) {
        status = sbl_synth_run(&statement, parsed->operands[0], sbl_cli_text(parsed, "schema"),
                               sbl_cli_text(parsed, "output"), rows != NULL ? rows->whole : 0,
                               sbl_cli_text(parsed, "model"), &synth, err);
    }
    sbl_cli_progress_end();
    if (status == SBL_OK && !sbl_cli_is_quiet(parsed)) (void)fputs(statement, stderr);
    if (status == SBL_OK) status = sbl_cli_report_write(parsed, &synth, err);
    sbl_string_free(statement);
    return status;
}

const sbl_cli_command sbl_cmd_synth = {
    .name = "synth",
    .summary = "make a synthetic table or image set from a private one",
    .usage = usage,
    .description =
        "Reads the private records once, releases noisy sums of their features under differential "
        "privacy, trains a generator on them and writes synthetic records of the same "
        "shape.\n\nBeside OUTPUT it leaves OUTPUT.release (the noisy sums), "
        "OUTPUT.certificate.json (the guarantee, for 'semblance verify') and the ledger. The "
        "release is on disk before training starts: an interrupted run costs nothing more, "
        "'semblance train' goes on from it.\n\nOf images (--images) it makes an image set of the "
        "same size and classes in the folder OUTPUT: "
        "images-idx3-ubyte.gz (grey; images-idx4-ubyte.gz for RGB) and, if there are labels, "
        "labels-idx1-ubyte.gz, always gzip; or with --format png files CLASS/000123.png, without "
        "labels 000123.png. The other files stand beside the folder: FOLDER.release, "
        "FOLDER.certificate.json.",
    .operands = operands,
    .operand_count = SBL_CLI_COUNT(operands),
    .optional_operands = 1,
    .options = options,
    .option_count = SBL_CLI_COUNT(options),
    .examples = examples,
    .example_count = SBL_CLI_COUNT(examples),
    .run = run,
};
