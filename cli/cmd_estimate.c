/* SPDX-License-Identifier: Apache-2.0 */
/* estimate: statistics with intervals from the releases of a run, at no cost. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "command_run.h"
#include "option_rows.h"
#include "output.h"
#include "semblance/estimate.h"

static const sbl_cli_range draw_count = {2, 1000, false, "a whole number from 2 to 1000"};

static const sbl_cli_option options[] = {
    SBL_FLAG_ROW("count", 0, "the number of rows", SBL_OFTEN),
    SBL_CLI_ROW("share", 0, "COLUMN[=VALUE]", SBL_CLI_LINES,
                "the share of rows with this category, or of each category; may be given several times",
                SBL_OFTEN),
    SBL_TEXT_ROW("mean", "COLUMNS", "means of these columns of numbers, such as cost,age", NULL, SBL_OFTEN),
    SBL_CLI_ROW("quantile", 0, "COLUMN=P", SBL_CLI_LINES,
                "a quantile: cost=0.5 is the median; may be given several times", SBL_OFTEN),
    SBL_CLI_ROW("correlation", 0, "COLUMN,COLUMN", SBL_CLI_LINES,
                "the correlation of two columns of numbers; may be given several times", SBL_OFTEN),
    SBL_TEXT_ROW("by", "COLUMNS", "everything for each category of these columns, such as ward,sex", NULL,
                 SBL_OFTEN),
    SBL_TEXT_ROW("difference", "VALUE",
                 "with one column in --by: also the difference of each other group from this one", NULL,
                 SBL_OFTEN),
    SBL_CLI_ROW("where", 0, "CONDITION", SBL_CLI_LINES,
                "only rows that satisfy this condition, such as 'age > 60' or ward=surgery; if given several "
                "times, all must hold",
                SBL_OFTEN),
    SBL_TEXT_ROW("table", "NAME", "for linked tables: the table that the question is about", NULL),
    SBL_NUMBER_ROW("level", "L", "confidence level of the intervals", "0.95", &sbl_cli_fraction),
    SBL_WHOLE_ROW("draws", 0, "M", "models to draw: more take longer and give steadier intervals", "40",
                  &draw_count),
    SBL_FLAG_ROW("csv", 0, "CSV with all digits", SBL_OFTEN),
    SBL_FLAG_ROW("json", 0, "JSON with all digits", SBL_OFTEN),
    SBL_OPTION_OUTPUT("write the estimates to this file: JSON if it ends in .json, otherwise CSV",
                      "- (standard output)"),
    SBL_OPTIONS_RUNNING,
};

static const sbl_cli_example examples[] = {
    {"semblance estimate build/demo/synthetic.csv.release --mean age --by sex",
     "the mean age of each sex, with its interval"},
    {"semblance estimate people.release --mean cost --by ward --difference surgery --where 'age > 60'",
     "also how much each ward costs more than surgery, of people above 60"},
    {"semblance estimate people.release --count --share smoker=yes --quantile cost=0.5 -o answers.csv",
     "several statistics as CSV"},
    {"semblance estimate bank.release --table accounts --correlation balance,age", "of linked tables"},
};

static sbl_estimate_form form_of(const sbl_cli_parsed *parsed)
{
    const char *output = sbl_cli_text(parsed, "output");
    const size_t length = output != NULL ? strlen(output) : 0;
    if (sbl_cli_given(parsed, "json") != NULL) return SBL_ESTIMATE_JSON;
    if (sbl_cli_given(parsed, "csv") != NULL) return SBL_ESTIMATE_CSV;
    if (output == NULL) return SBL_ESTIMATE_TABLE;
    return length > 5 && strcmp(output + length - 5, ".json") == 0 ? SBL_ESTIMATE_JSON : SBL_ESTIMATE_CSV;
}

static void take_questions(sbl_estimate_options *ask, const sbl_cli_parsed *parsed)
{
    const sbl_cli_value *level = sbl_cli_given(parsed, "level");
    ask->release = parsed->operands[0];
    ask->table = sbl_cli_text(parsed, "table");
    ask->count = sbl_cli_given(parsed, "count") != NULL;
    ask->mean = sbl_cli_text(parsed, "mean");
    ask->share = sbl_cli_text(parsed, "share");
    ask->quantile = sbl_cli_text(parsed, "quantile");
    ask->correlation = sbl_cli_text(parsed, "correlation");
    ask->by = sbl_cli_text(parsed, "by");
    ask->difference = sbl_cli_text(parsed, "difference");
    ask->where = sbl_cli_text(parsed, "where");
    ask->draws = sbl_cli_whole(parsed, "draws", 0);
    ask->level = level != NULL ? level->number : 0.0;
    ask->form = form_of(parsed);
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *output = sbl_cli_text(parsed, "output");
    const bool to_file = output != NULL && strcmp(output, "-") != 0;
    sbl_synth_options synth;
    sbl_estimate_options ask;
    sbl_synthesizer *made = NULL;
    char *text = NULL;
    if (sbl_cli_given(parsed, "csv") != NULL && sbl_cli_given(parsed, "json") != NULL)
        return sbl_cli_misuse(err, parsed->command, "give --csv or --json, not both");
    sbl_status status = sbl_cli_synth_options(&synth, parsed, err);
    sbl_estimate_options_init(&ask);
    take_questions(&ask, parsed);
    ask.path = to_file ? output : NULL;
    if (status == SBL_OK) {
        ask.seed = synth.seed;
        ask.threads = synth.threads;
        ask.overwrite = synth.overwrite;
        ask.progress = synth.progress;
        ask.context = synth.context;
        status = sbl_synthesizer_new(&made, err);
    }
    if (status == SBL_OK) status = sbl_synthesizer_estimate(made, &text, &ask, err);
    sbl_cli_progress_end();
    if (status == SBL_OK && !to_file) (void)fputs(text, stdout);
    sbl_free(text);
    sbl_synthesizer_free(made);
    return status;
}

const sbl_cli_command sbl_cmd_estimate = {
    .name = "estimate",
    .summary = "counts, shares, means and others with intervals, at no cost",
    .usage =
        "RELEASE [--count] [--share C[=V]] [--mean C,..] [--quantile C=P]\n"
        "RELEASE --mean C [--by C,..] [--difference V] [--where CONDITION]",
    .description =
        "Draws models from the posterior given the releases of a run, and a table from each. The "
        "statistics of these tables become one estimate and one interval. The intervals are for the "
        "population "
        "that the real rows are a sample of: they cover sampling, privacy noise and the uncertainty of "
        "the model. No data is read and no privacy is spent.\n\nGroups are the categories of the schema, and "
        "a missing "
        "value is a group if the schema allows it. Rows with a missing value are left out of a statistic of "
        "that "
        "column. A count is what a table of this size holds on average. Methods pairs, forest, histories and "
        "marginals.",
    SBL_CLI_OPERAND("RELEASE", "the release of a run; RELEASE.2, ... are found next to it"),
    SBL_CLI_OPTIONS(options),
    .steps = SBL_STEP_SAMPLE,
    .without = {"duckdb"},
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
