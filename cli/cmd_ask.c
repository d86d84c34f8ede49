/* SPDX-License-Identifier: Apache-2.0 */
/* ask: paid answers from the private rows, and what a release of such answers says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_run.h"
#include "file_check.h"
#include "output.h"
#include "semblance/ask.h"

#define MOST_BYTES ((size_t)256 << 20) /* of a file that is read whole */

static const char *const health_courses[] = {"stop", "tell", "off", NULL};

static const sbl_cli_option options[] = {
    SBL_OPTION_SCHEMA,
    SBL_OPTIONS_QUESTIONS(true),
    SBL_OPTION_OUTPUT("the answers: JSON if it ends in .json, otherwise CSV; - for CSV on standard output",
                      NULL),
    SBL_FILE_ROW(
        "check",
        "a finding (JSON): ask its question and say whether it holds, does not hold, or cannot be told at "
        "this epsilon",
        NULL, SBL_OFTEN),
    SBL_FILE_ROW(
        "from",
        "instead of INPUT: show the answers of this release again, which costs nothing; with --check hold "
        "a finding against them",
        NULL),
    SBL_TEXT_ROW("maker", "TEXT", "name of the maker in the certificate", "none"),
    SBL_CHOICE_ROW(
        "health", "H",
        "a small paid count finds cells that do not fit the schema; if a column is clearly all wrong: "
        "stop after the release, or only tell; off: do not count",
        "stop", health_courses),
    SBL_OPTIONS_RUNNING,
    SBL_OPTION_VERBOSE,
};

static const sbl_cli_operand operands[] = {
    {"INPUT",
     "the private table: CSV, plain or gzip, - for standard input; JSON; Parquet; or a database, with "
     "--table. "
     "Several files of the same columns, each with its header, are one table"},
};

static const sbl_cli_example examples[] = {
    {"semblance ask build/demo/patients.csv --schema examples/clinic.json --epsilon 0.2 --count sex -o "
     "sex.csv",
     "how many rows each category has, with its interval"},
    {"semblance ask people.csv --schema people.json --epsilon 0.5 --mean cost --by ward -o cost.json",
     "means by group"},
    {"semblance ask people.csv --schema people.json --epsilon 1 --regress 'cost ~ age + sex' -o cost.csv",
     "a linear regression"},
    {"semblance plan --schema people.json --epsilon 0.5 -n 8000 --mean cost --by ward",
     "how wide the intervals will be, before anything is spent"},
};

/* ---- files ---- */

static sbl_status read_whole(char **bytes, size_t *size, const char *path, sbl_error *err)
{
    FILE *file = fopen(path, "rb");
    size_t room = 4096;
    *size = 0;
    *bytes = NULL;
    if (file == NULL) return sbl_cli_fail(err, SBL_EIO, "cannot read %s", path);
    for (size_t got = 1; got > 0;) {
        char *more = *size + 1 >= room || *bytes == NULL ? realloc(*bytes, room *= 2) : *bytes;
        if (more == NULL) break;
        *bytes = more;
        got = fread(*bytes + *size, 1, room - *size - 1, file);
        *size += got;
        if (*size > MOST_BYTES) break;
    }
    const bool good = ferror(file) == 0 && feof(file) != 0 && *bytes != NULL && *size <= MOST_BYTES;
    (void)fclose(file);
    if (good) {
        (*bytes)[*size] = '\0';
        return SBL_OK;
    }
    free(*bytes);
    *bytes = NULL;
    return sbl_cli_fail(err, SBL_EIO, "cannot read %s", path);
}

/* ---- questions ---- */

bool sbl_cli_has_questions(const sbl_cli_parsed *parsed)
{
    static const char *const names[] = {"count", "sum",    "mean",      "regress",
                                        "by",    "weight", "questions", "check"};
    for (size_t i = 0; i < SBL_CLI_COUNT(names); i++)
        if (sbl_cli_given(parsed, names[i]) != NULL) return true;
    return false;
}

sbl_status sbl_cli_ask(sbl_synth_options *synth, char **text, const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *questions = sbl_cli_text(parsed, "questions"), *check = sbl_cli_text(parsed, "check");
    char *json = NULL, *finding = NULL;
    size_t size;
    sbl_questions asked;
    sbl_questions_init(&asked);
    asked.count = sbl_cli_text(parsed, "count");
    asked.sum = sbl_cli_text(parsed, "sum");
    asked.mean = sbl_cli_text(parsed, "mean");
    asked.by = sbl_cli_text(parsed, "by");
    asked.regress = sbl_cli_text(parsed, "regress");
    asked.weight = sbl_cli_text(parsed, "weight");
    sbl_status status = questions != NULL ? read_whole(&json, &size, questions, err) : SBL_OK;
    if (status == SBL_OK && check != NULL) status = read_whole(&finding, &size, check, err);
    asked.json = json;
    asked.finding = finding;
    synth->by = sbl_cli_text(parsed, "maker"); /* --by is of the questions here */
    if (status == SBL_OK) status = sbl_options_ask(synth, text, &asked, err);
    free(json);
    free(finding);
    return status;
}

/* ---- answers ---- */

static sbl_status show_check(const sbl_cli_parsed *parsed, const uint8_t *bytes, size_t size, sbl_error *err)
{
    const char *check = sbl_cli_text(parsed, "check");
    char *finding = NULL, *text = NULL;
    size_t length;
    if (check == NULL) return SBL_OK;
    sbl_status status = read_whole(&finding, &length, check, err);
    if (status == SBL_OK) status = sbl_answers_check(&text, bytes, size, finding, err);
    if (status == SBL_OK) (void)fputs(text, stdout);
    sbl_free(text);
    free(finding);
    return status;
}

/* The table for people, unless the answers themselves go to standard output, or only the verdict is wanted. */
static sbl_status show_answers(const sbl_cli_parsed *parsed, const uint8_t *bytes, size_t size,
                               sbl_error *err)
{
    const char *output = sbl_cli_text(parsed, "output");
    const bool csv = output != NULL && strcmp(output, "-") == 0;
    char *text = NULL;
    if (!csv && (sbl_cli_is_quiet(parsed) || sbl_cli_given(parsed, "check") != NULL)) return SBL_OK;
    const sbl_status status =
        sbl_answers_text(&text, bytes, size, csv ? SBL_ANSWERS_CSV : SBL_ANSWERS_TABLE, err);
    if (status == SBL_OK) (void)fputs(text, stdout);
    sbl_free(text);
    return status;
}

/* Answers that were paid for already. */
static sbl_status run_from(const sbl_cli_parsed *parsed, sbl_error *err)
{
    static const char *const not_with[] = {"epsilon", "schema", "count",  "sum",       "mean", "by",
                                           "regress", "weight", "ledger", "questions", "delta"};
    const char *output = sbl_cli_text(parsed, "output");
    char *bytes = NULL;
    size_t size;
    for (size_t i = 0; i < SBL_CLI_COUNT(not_with); i++)
        if (sbl_cli_given(parsed, not_with[i]) != NULL)
            return sbl_cli_misuse(err, parsed->command,
                                  "--%s cannot be given with --from: the release was made", not_with[i]);
    if (parsed->operand_count > 0)
        return sbl_cli_misuse(err, parsed->command, "give INPUT or --from, not both");
    sbl_status status = read_whole(&bytes, &size, sbl_cli_text(parsed, "from"), err);
    const uint8_t *release = (const uint8_t *)bytes;
    if (status == SBL_OK) status = show_answers(parsed, release, size, err);
    if (status == SBL_OK && output != NULL && strcmp(output, "-") != 0)
        status = sbl_answers_write(release, size, output, sbl_cli_given(parsed, "overwrite") != NULL, err);
    if (status == SBL_OK) status = show_check(parsed, release, size, err);
    free(bytes);
    return status;
}

static sbl_status run_paid(const sbl_cli_parsed *parsed, sbl_synth_options *synth, sbl_error *err)
{
    sbl_cli_run_files files;
    sbl_output output;
    sbl_synthesizer *made = NULL;
    uint8_t *bytes = NULL;
    size_t size;
    const sbl_synthesizer_item statement =
        sbl_cli_given(parsed, "verbose") != NULL ? SBL_TEXT_STATEMENT : SBL_TEXT_STATEMENT_SHORT;
    sbl_output_init(&output);
    output.records = sbl_cli_text(parsed, "output");
    if (strcmp(output.records, "-") != 0) {
        sbl_cli_name_run_files(&files, parsed);
        synth->release_path = files.release;
        synth->certificate_path = files.certificate;
    }
    sbl_status status = sbl_cli_fit_files(&made, parsed, false, &output, synth, err);
    sbl_cli_progress_end();
    if (status == SBL_OK) sbl_cli_show_release(parsed, sbl_synthesizer_text(made, statement));
    if (status == SBL_OK) status = sbl_synthesizer_release(made, &bytes, &size, 0, err);
    if (status == SBL_OK) status = show_answers(parsed, bytes, size, err);
    if (status == SBL_OK) status = show_check(parsed, bytes, size, err);
    sbl_free(bytes);
    sbl_synthesizer_free(made);
    return status;
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_synth_options synth;
    char *questions = NULL;
    if (sbl_cli_given(parsed, "from") != NULL) return run_from(parsed, err);
    sbl_status status = sbl_cli_check_input(parsed, err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "epsilon", err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "schema", err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "output", err);
    if (status == SBL_OK) status = sbl_cli_synth_options(&synth, parsed, err);
    if (status == SBL_OK) synth.health = sbl_cli_text(parsed, "health");
    if (status == SBL_OK) status = sbl_cli_ask(&synth, &questions, parsed, err);
    if (status == SBL_OK) status = run_paid(parsed, &synth, err);
    sbl_free(questions);
    return status;
}

const sbl_cli_command sbl_cmd_ask = {
    .name = "ask",
    .summary = "buy answers from a private table: counts, sums and means by group, regressions",
    .usage =
        "INPUT... --schema FILE --epsilon E -o OUTPUT [--count A,B] [--mean X --by A] [OPTION...]\n"
        "--from RELEASE [-o OUTPUT] [--check FILE]",
    .description =
        "Answers declared questions from the private rows, with an interval for each answer. The questions "
        "are one "
        "release: it is charged to the ledger of the data like synthetic data, and the certificate lists the "
        "questions. Groups are the categories that the schema declares, never values that were found in the "
        "data; a "
        "missing category is a group of its own. A missing number is left out of its sum.\n\nEach answer has "
        "two "
        "95 % intervals: one for the value of this table (noise alone), one for the population that its rows "
        "were "
        "drawn from (noise and sampling; not where the schema names a person's id). Where the noise is too "
        "large "
        "for an estimate, that is empty and the interval is as wide as the bounds.\n\n--check takes a "
        "finding, such "
        "as {\"question\": {\"mean\": \"cost\", \"by\": [\"ward\"]}, \"group\": {\"ward\": \"A\"}, "
        "\"claim\": "
        "{\"greater\": 500}}, asks its question and prints the verdict. 'semblance plan' takes the same "
        "questions "
        "and says how wide the intervals will be, before anything is spent.",
    SBL_CLI_OPERANDS(operands),
    .optional_operands = 1,
    .joins_operands = true,
    SBL_CLI_OPTIONS(options),
    .steps = SBL_STEP_DISCOVER,
    .reads = SBL_FORM_TABLES,
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
