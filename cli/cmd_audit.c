/* SPDX-License-Identifier: Apache-2.0 */
/* audit: the attack on one's own releases. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "command_run.h"
#include "output.h"
#include "semblance/audit.h"
#include "semblance/data.h"
#include "semblance/files.h"
#include "semblance/schema.h"

static const sbl_cli_range small_epsilon = {0, 40, true, "above 0 and below 40"};
static const sbl_cli_range small_delta = {0, 1e-3, false, "from 0 to 1e-3"};
static const sbl_cli_range run_count = {100, 1e7, false, "a whole number from 100 to 10000000"};

static const sbl_cli_option options[] = {
    SBL_OPTION_SCHEMA,
    SBL_TEXT_ROW("method", "M", "audit this method only", "every method", SBL_OFTEN),
    SBL_NUMBER_ROW("epsilon", "E", "of each release", "4", &small_epsilon, SBL_OFTEN),
    SBL_NUMBER_ROW("delta", "D", "of each release; 0: only releases with Laplace noise",
                   "1e-5, and 0 where a method can", &small_delta),
    SBL_CHOICE_ROW("neighbours", "RELATION", "replace-one or add-remove only", "both", sbl_cli_relations),
    SBL_WHOLE_ROW("runs", 0, "N", "releases of each of the two data sets of an attack",
                  "10000, or up to 160000 where epsilon is small", &run_count, SBL_OFTEN),
    SBL_WRITES_ROW("json", 0, "also write the numbers as JSON", NULL, SBL_OFTEN),
    SBL_WRITES_ROW("report", 0, "also write a page: NAME.html in HTML, else in Markdown", NULL, SBL_OFTEN),
    SBL_OPTIONS_RUNNING,
    SBL_OPTION_OVERWRITE("overwrite these files"),
};

static const sbl_cli_example examples[] = {
    {"semblance audit build/demo/patients.csv --schema examples/clinic.json --method marginals --runs 4000",
     "attack releases of one method from the demo's table, at no cost in budget"},
    {"semblance audit --report audit.html", "attack every method on generated data"},
    {"semblance audit --method merf --neighbours add-remove --runs 2000",
     "one method, one relation, fewer releases"},
};

static void read_options(sbl_audit_options *audit, const sbl_cli_parsed *parsed,
                         const sbl_synth_options *shared)
{
    const sbl_cli_value *epsilon = sbl_cli_given(parsed, "epsilon");
    const sbl_cli_value *delta = sbl_cli_given(parsed, "delta");
    const sbl_cli_value *relation = sbl_cli_given(parsed, "neighbours");
    sbl_audit_options_init(audit);
    audit->method = sbl_cli_text(parsed, "method");
    audit->epsilon = epsilon != NULL ? epsilon->number : 0.0;
    audit->delta = delta != NULL ? delta->number : 0.0;
    audit->pure = delta != NULL && delta->number == 0.0;
    audit->one_relation = relation != NULL;
    audit->neighbours = relation != NULL && relation->whole == 1 ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
    audit->runs = sbl_cli_whole(parsed, "runs", 0);
    audit->json_path = sbl_cli_text(parsed, "json");
    audit->report_path = sbl_cli_text(parsed, "report");
    audit->overwrite = sbl_cli_given(parsed, "overwrite") != NULL;
    audit->progress = shared->progress;
    audit->context = shared->context;
}

/* No output takes the place of what is read. */
static sbl_status check_files(const sbl_cli_parsed *parsed, const sbl_audit_options *audit, sbl_error *err)
{
    const sbl_named_file files[] = {
        {"the input", parsed->operand_count > 0 ? parsed->operands[0] : NULL, false},
        {"the schema", sbl_cli_text(parsed, "schema"), false},
        {"the JSON file", audit->json_path, true},
        {"the report", audit->report_path, true},
    };
    return sbl_files_check(files, sizeof files / sizeof files[0], err);
}

/* The first rows are read, and read again: no stream. */
static sbl_status open_table(sbl_data **data, sbl_schema **schema, const sbl_cli_parsed *parsed,
                             sbl_error *err)
{
    if (strcmp(parsed->operands[0], "-") == 0)
        return sbl_cli_fail(err, SBL_EARG,
                            "the table is read several times: give a file, not standard input");
    const sbl_data_options reading = sbl_cli_data_options(parsed);
    const sbl_status status = sbl_schema_from_file(schema, sbl_cli_text(parsed, "schema"), false, err);
    return status == SBL_OK ? sbl_data_open(data, parsed->operands[0], &reading, err) : status;
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_synth_options shared; /* for the progress bar and Ctrl-C, as around a model */
    sbl_audit_options audit;
    sbl_data *data = NULL;
    sbl_schema *schema = NULL;
    char *text = NULL;
    sbl_audit_verdict verdict = SBL_AUDIT_BROKEN;
    const bool given = parsed->operand_count > 0;
    sbl_status status = SBL_OK;
    if (given) status = sbl_cli_need(parsed, "schema", err);
    if (status == SBL_OK && !given && sbl_cli_given(parsed, "schema") != NULL)
        status = sbl_cli_misuse(
            err, parsed->command,
            "--schema needs a table: give INPUT, or leave out --schema to audit generated data");
    if (status == SBL_OK) status = sbl_cli_synth_options(&shared, parsed, err);
    if (status != SBL_OK) return status;
    read_options(&audit, parsed, &shared);
    status = check_files(parsed, &audit, err);
    if (status == SBL_OK && given) status = open_table(&data, &schema, parsed, err);
    audit.data = data;
    audit.schema = schema;
    if (status == SBL_OK) status = sbl_audit_run(&verdict, &text, &audit, err);
    sbl_data_free(data);
    sbl_schema_free(schema);
    sbl_cli_progress_end();
    if (status == SBL_OK && !sbl_cli_is_quiet(parsed)) (void)fputs(text, stdout);
    sbl_free(text);
    if (status == SBL_OK && verdict == SBL_AUDIT_BROKEN)
        return sbl_cli_fail(err, SBL_EINTERNAL, "a bound broke: the output of the audit says which");
    if (status == SBL_OK && verdict == SBL_AUDIT_WEAK)
        return sbl_cli_fail(
            err, SBL_EWEAK,
            "no bound broke, but an attack lacked power, as the output of the audit shows: use more --runs");
    return status;
}

const sbl_cli_command sbl_cmd_audit = {
    .name = "audit",
    .summary = "attack the program's own releases: is more given away than was charged",
    .usage =
        "[OPTION...]\n"
        "INPUT --schema FILE [OPTION...]",
    .description =
        "Three tests of every method, round, neighbouring relation and sort of noise. The "
        "largest change of the exact sums between hostile neighbours (extremes, NaN, infinities, "
        "codes and labels that do not exist, vectors that no feature would give) must not exceed "
        "what the ledger was charged for, in integers. A sum less the sum without a record must "
        "be that record's own sum, in every bit. And thousands of releases of two neighbouring "
        "data sets, through the real door with fresh noise, are distinguished as well as "
        "possible: the epsilon that this shows must not exceed the one charged, and must exceed "
        "half of it, so that a release which claimed that half would have been "
        "caught.\n\nWithout INPUT the data is made by the program and nothing is private. With "
        "INPUT the first 1000 rows are used, and all that is printed and written, the exit code "
        "too, is computed from records: NOT PRIVATE, only for the owner of the data. Only "
        "ledgers in memory are charged; the data's own "
        "is never opened.\n\nExit code 0: everything held. 1: a bound broke. 6: no bound broke, "
        "but an attack would not have caught half the claim, so that it proves nothing.",
    SBL_CLI_OPERAND("INPUT",
                    "a table (CSV) to audit on instead of generated data; the output is NOT PRIVATE"),
    .optional_operands = 1,
    SBL_CLI_OPTIONS(options),
    .reads = SBL_FORM_TABLES,
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
