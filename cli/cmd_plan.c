/* plan: what would be released, before any data is opened. */
#include <stdio.h>

#include "command.h"
#include "output.h"
#include "synth_common.h"

static const sbl_cli_option options[] = {
    SBL_OPTION_SCHEMA,
    SBL_OPTION_EPSILON,
    SBL_OPTION_DELTA,
    {"n", 0, "N", SBL_CLI_WHOLE, "number of rows of the private table", NULL, &sbl_cli_count, NULL},
    SBL_OPTION_METHOD,
    SBL_OPTION_NEIGHBOURS,
    SBL_OPTION_SEED,
    SBL_OPTION_FEATURES,
    SBL_OPTION_BINS,
    {"json", 0, NULL, SBL_CLI_FLAG, "one JSON object", NULL, NULL, NULL},
};

static const char *const usage[] = {"--schema FILE --epsilon E --n N [OPTION...]", NULL};

static const sbl_cli_example examples[] = {
    {"semblance plan --schema people.json --epsilon 1 --n 30000",
     "is the noise small against the signal?"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_synth_options synth;
    char *text = NULL;
    sbl_status status = sbl_cli_need(parsed, "schema", err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "epsilon", err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "n", err);
    if (status == SBL_OK) status = sbl_cli_synth_options(&synth, parsed, err);
    if (status == SBL_OK)
        status =
            sbl_synth_plan(&text, sbl_cli_text(parsed, "schema"), sbl_cli_given(parsed, "n")->whole,
                           sbl_cli_given(parsed, "json") != NULL, &synth, err);
    if (status == SBL_OK) (void)fputs(text, stdout);
    sbl_string_free(text);
    return status;
}

const sbl_cli_command sbl_cmd_plan = {
    .name = "plan",
    .summary = "show what would be released and at what noise, without any data",
    .usage = usage,
    .description = "Everything a plan says follows from public facts.",
    .options = options,
    .option_count = SBL_CLI_COUNT(options),
    .examples = examples,
    .example_count = SBL_CLI_COUNT(examples),
    .run = run,
};
