/* synth: the whole job. */
#include <stdio.h>

#include "command.h"
#include "output.h"
#include "synth_common.h"

static const sbl_cli_option options[] = {
    SBL_OPTION_SCHEMA,
    SBL_OPTION_EPSILON,
    SBL_OPTION_DELTA,
    SBL_OPTION_OUTPUT("the synthetic table; gzip when it ends in .gz; - for standard output", NULL),
    SBL_OPTION_METHOD,
    SBL_OPTION_NEIGHBOURS,
    SBL_OPTION_ROWS,
    SBL_OPTION_LEDGER,
    SBL_OPTION_CERTIFICATE,
    SBL_OPTION_RELEASE,
    {"model", 0, "FILE", SBL_CLI_TEXT, "also keep the model, for more rows later", NULL, NULL,
     NULL},
    SBL_OPTION_SEED,
    SBL_OPTION_FEATURES,
    SBL_OPTION_BINS,
    SBL_OPTIONS_TRAINING,
    SBL_OPTIONS_RUNNING,
};

static const sbl_cli_operand operands[] = {
    {"INPUT", "the private table: CSV, plain or gzip; - for standard input"},
};

static const char *const usage[] = {"INPUT --schema FILE --epsilon E -o OUTPUT [OPTION...]", NULL};

static const sbl_cli_example examples[] = {
    {"semblance synth people.csv --schema people.json --epsilon 1 -o synthetic.csv",
     "a synthetic table of the same shape, with its certificate"},
    {"semblance synth people.csv --schema people.json --epsilon 1 -o tiny.csv --method marginals",
     "independent columns: for tiny tables, and the floor for all others"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_synth_options synth;
    char *statement = NULL;
    const sbl_cli_value *rows = sbl_cli_given(parsed, "rows");
    sbl_status status = sbl_cli_need(parsed, "schema", err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "epsilon", err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "output", err);
    if (status == SBL_OK) status = sbl_cli_synth_options(&synth, parsed, err);
    if (status == SBL_OK)
        status = sbl_synth_run(&statement, parsed->operands[0], sbl_cli_text(parsed, "schema"),
                               sbl_cli_text(parsed, "output"), rows != NULL ? rows->whole : 0,
                               sbl_cli_text(parsed, "model"), &synth, err);
    sbl_cli_progress_end();
    if (status == SBL_OK && !sbl_cli_is_quiet(parsed)) (void)fputs(statement, stderr);
    sbl_string_free(statement);
    return status;
}

const sbl_cli_command sbl_cmd_synth = {
    .name = "synth",
    .summary = "make a synthetic table from a private one",
    .usage = usage,
    .description =
        "Reads the private table once, releases noisy sums of its features under differential "
        "privacy, trains a generator on them and writes a table of the same shape.\n\nBeside "
        "OUTPUT "
        "it leaves OUTPUT.release (the noisy sums), OUTPUT.certificate.json (the guarantee, for "
        "'semblance verify') and the ledger. The release is on disk before training starts: an "
        "interrupted run costs nothing more, 'semblance train' goes on from it.",
    .operands = operands,
    .operand_count = SBL_CLI_COUNT(operands),
    .options = options,
    .option_count = SBL_CLI_COUNT(options),
    .examples = examples,
    .example_count = SBL_CLI_COUNT(examples),
    .run = run,
};
