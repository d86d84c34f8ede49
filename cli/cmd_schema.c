/* SPDX-License-Identifier: Apache-2.0 */
/* schema check: what is wrong with a schema, or what each column becomes. schema inspect: a first one
 * from a table. schema accept: it becomes the owner's. schema discover: discover one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_run.h"
#include "option_args.h"
#include "output.h"
#include "semblance/synthesizer.h"

static const sbl_cli_operand check_operands[] = {
    {"SCHEMA", "the schema (Table Schema JSON)"},
    {"INPUT", "a table to hold against it; what is then said is NOT PRIVATE"},
};

static const sbl_cli_option check_options[] = {
    SBL_FILE_ROW("package",
                 "instead of SCHEMA and INPUT, a Data Package (JSON): all tables that it names are "
                 "checked against it; the output is then NOT PRIVATE",
                 NULL, SBL_OFTEN),
};

static const sbl_cli_example check_examples[] = {
    {"semblance schema check examples/clinic.json", "what does each column become?"},
    {"semblance schema check examples/clinic.json build/demo/patients.csv",
     "also count the cells of the table that do not fit (only for the owner of the data)"},
    {"semblance schema check --package bank/datapackage.json", "the same for all tables of a package"},
};

static sbl_status run_check(const sbl_cli_parsed *parsed, sbl_error *err)
{
    char *text = NULL;
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    const char *package = sbl_cli_text(parsed, "package");
    const sbl_data_options reading = sbl_cli_data_options(parsed);
    sbl_status status = SBL_OK;
    if (package != NULL)
        status = sbl_cli_check_input(parsed, err);
    else if (parsed->operand_count == 0)
        status = sbl_cli_misuse(err, parsed->command, "SCHEMA is missing");
    const char *path = package == NULL && status == SBL_OK ? parsed->operands[0] : package;
    const char *input = parsed->operand_count > 1 ? parsed->operands[1] : package;
    if (status == SBL_OK) status = sbl_schema_from_file(&schema, path, reading.allow_outside, err);
    if (status == SBL_OK) status = sbl_cli_open(&data, input, &reading, err);
    if (status == SBL_OK) status = sbl_schema_check(&text, schema, data, err);
    if (status == SBL_OK) (void)fputs(text, stdout);
    sbl_free(text);
    sbl_schema_free(schema);
    sbl_data_free(data);
    return status;
}

static const sbl_cli_command schema_check = {
    .name = "schema check",
    .summary = "say what is wrong with a schema, or what each column becomes",
    .usage = "SCHEMA [INPUT] [OPTION...]\n--package FILE",
    .description =
        "With INPUT it also counts, per column, cells that do not fit the schema, and, per "
        "constraint, rows that break it; where the schema says whose row it is, persons with more "
        "rows than count, persons whose rows disagree in a column that is the person's, and rows "
        "without an id. Those counts come from the records and are marked NOT PRIVATE; no cell is "
        "shown.",
    SBL_CLI_OPERANDS(check_operands),
    .optional_operands = 2,
    SBL_CLI_OPTIONS(check_options),
    .reads = SBL_FORM_TABLES | SBL_FORM_PACKAGE,
    SBL_CLI_EXAMPLES(check_examples),
    .run = run_check,
};

/* ---- discover ---- */

static const sbl_cli_option discover_options[] = {
    SBL_OPTION_OUTPUT("the schema (Table Schema JSON)", NULL),
    SBL_OPTIONS_RUNNING,
};

static const sbl_cli_operand discover_operands[] = {
    {"INPUT",
     "the private table with a header: CSV or JSON, plain or gzip, or Parquet; a file, for it is "
     "read often, or several of the same columns"},
};

static const char discover_usage[] = "INPUT... --epsilon E -o SCHEMA [OPTION...]";

static const sbl_cli_example discover_examples[] = {
    {"semblance schema discover build/demo/patients.csv --epsilon 0.5 -o discovered.json",
     "types, bounds and frequent categories, paid for; then edit it, and use it with 'semblance "
     "synth --schema discovered.json'"},
};

static const sbl_cli_command schema_resume;

static sbl_status run_discover(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const bool resume = parsed->command == &schema_resume;
    sbl_synth_options synth;
    const sbl_data_options reading = sbl_cli_data_options(parsed);
    sbl_data *data = NULL;
    char *statement = NULL;
    sbl_status status = sbl_cli_need(parsed, "epsilon", err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "output", err);
    if (status == SBL_OK) status = sbl_cli_synth_options(&synth, parsed, err);
    if (status == SBL_OK) status = sbl_data_open(&data, parsed->operands[0], &reading, err);
    if (status == SBL_OK)
        status = sbl_schema_discover(&statement, data, sbl_cli_text(parsed, "output"), resume, &synth, err);
    sbl_cli_progress_end();
    sbl_data_free(data);
    if (status == SBL_OK && !sbl_cli_is_quiet(parsed)) (void)fputs(statement, stderr);
    sbl_free(statement);
    return status;
}

static const sbl_cli_command schema_discover = {
    .name = "schema discover",
    .summary = "discover the schema of a table, under differential privacy",
    .usage = discover_usage,
    .description =
        "The names of the columns come from the header, which is public. What else a schema says "
        "is discovered in up to four releases: types, digits, how dates are written (in one of "
        "the usual formats) and whether values may be missing by votes of the "
        "cells, bounds from noisy histograms, and the categories that are frequent enough to be "
        "named. Digits with leading zeros, as of postcodes, stay text. What is rarer becomes "
        "'other', and one line says which columns became nothing. The schema says what was "
        "discovered, in which releases.\n\nA file with semicolons between its cells needs "
        "--decimal: "
        "such files often write numbers with a comma. Where the first release shows numbers with a "
        "comma and neither --decimal nor --thousands was given, the run stops before it spends the "
        "rest of the budget.\n\nBeside SCHEMA it writes SCHEMA.release, "
        "SCHEMA.release.2, ... and SCHEMA.certificate.json; the ledger of the data, "
        "INPUT.ledger, is charged. Whatever you know yourself is better and costs nothing: edit "
        "the schema before you use it.",
    SBL_CLI_OPERANDS(discover_operands),
    .joins_operands = true,
    SBL_CLI_OPTIONS(discover_options),
    .reads = SBL_FORM_TABLES,
    .steps = SBL_STEP_DISCOVER,
    SBL_CLI_EXAMPLES(discover_examples),
    .run = run_discover,
};

static const sbl_cli_example discover_resume_examples[] = {
    {"semblance schema resume build/demo/patients.csv --epsilon 0.5 -o discovered.json",
     "continue 'semblance schema discover' with the same options where it stopped"},
};

static const sbl_cli_command schema_resume = {
    .name = "schema resume",
    .summary = "continue a 'schema discover' that was stopped",
    .usage = discover_usage,
    .description =
        "Use the same command line as for the run that was stopped, with 'resume' instead of "
        "'discover'. Releases that are on disk are not paid for again.",
    SBL_CLI_OPERANDS(discover_operands),
    .joins_operands = true,
    SBL_CLI_OPTIONS(discover_options),
    .reads = SBL_FORM_TABLES,
    .steps = SBL_STEP_DISCOVER,
    SBL_CLI_EXAMPLES(discover_resume_examples),
    .run = run_discover,
};

/* ---- inspect ---- */

static const sbl_cli_option inspect_options[] = {
    SBL_OPTION_OUTPUT("where the schema goes", "standard output"),
    SBL_OPTION_OVERWRITE("overwrite the file"),
};

static const sbl_cli_example inspect_examples[] = {
    {"semblance schema inspect build/demo/patients.csv -o draft.json",
     "a first schema, for the owner to edit; NOT PRIVATE"},
    {"semblance schema inspect patients.csv visits.csv labs.csv -o datapackage.json",
     "a first package of linked tables, with the keys that were found"},
};

/* One table, or several that are linked. */
static sbl_status open_inputs(sbl_data **data, const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_data_options reading = sbl_cli_data_options(parsed);
    const size_t count = parsed->operand_count;
    sbl_status status = SBL_OK;
    if (count == 1) return sbl_data_open(data, parsed->operands[0], &reading, err);
    sbl_data **tables = calloc(count, sizeof *tables);
    if (tables == NULL) return sbl_cli_misuse(err, parsed->command, "too many files");
    for (size_t i = 0; i < count && status == SBL_OK; i++)
        status = sbl_data_open(&tables[i], parsed->operands[i], &reading, err);
    if (status == SBL_OK) status = sbl_data_link(data, tables, NULL, count, NULL, err);
    for (size_t i = 0; i < count; i++) sbl_data_free(tables[i]);
    free(tables);
    return status;
}

static sbl_status run_inspect(const sbl_cli_parsed *parsed, sbl_error *err)
{
    char *schema = NULL;
    char *notes = NULL;
    sbl_data *data = NULL;
    const char *output = sbl_cli_text(parsed, "output");
    const bool to_file = output != NULL && strcmp(output, "-") != 0;
    sbl_status status = open_inputs(&data, parsed, err);
    if (status == SBL_OK)
        status = sbl_schema_inspect(&schema, &notes, data, to_file ? output : NULL,
                                    sbl_cli_given(parsed, "overwrite") != NULL, err);
    if (status == SBL_OK) {
        if (!to_file) (void)fputs(schema, stdout);
        (void)fputs(parsed->operand_count == 1
                        ? "NOT PRIVATE: this schema was read from the records, and its facts become "
                          "public by use.\nReplace bounds and categories with public knowledge, then: "
                          "semblance schema check SCHEMA INPUT, and semblance schema accept SCHEMA\n"
                        : "NOT PRIVATE: this package was read from the records, and its facts become "
                          "public by use.\nReplace bounds and categories with public knowledge, then: "
                          "semblance schema check --package PACKAGE, and semblance schema accept PACKAGE\n",
                    stderr);
        if (notes != NULL) (void)fputs(notes, stderr);
    }
    sbl_data_free(data);
    sbl_free(schema);
    sbl_free(notes);
    return status;
}

static const sbl_cli_command schema_inspect = {
    .name = "schema inspect",
    .summary = "write a first schema for a table, or a package for several (NOT PRIVATE)",
    .usage = "INPUT... [-o SCHEMA] [OPTION...]",
    .description =
        "Reads the table and writes what its columns seem to be: how the file is written "
        "(encoding, delimiter, header and lines above it), types, date formats, units, decimals, bounds "
        "rounded outwards to plain numbers, categories, and which marks mean missing, column by column. What "
        "options say about the file is taken as given. Columns of names, ids and remarks are ignored. "
        "It also proposes what the owner is to decide: the person (by columns that are constant within "
        "its rows, whatever it is called), the person's columns, the order of a person's rows, ids, "
        "made-up names, constraints, steps, spikes, bounds by category, hierarchies of codes "
        "('semblance schema accept'). What should be looked at goes to standard error.\n\nSeveral files "
        "are the tables of a package, which goes next to them. It finds the column of each table "
        "whose values are keys of another one, the table of persons, how many rows a person has, "
        "short lists that may be public, and rules between the columns of linked tables. It says "
        "why. Where keys do not match, it writes nothing.\n\nNOT "
        "PRIVATE: the schema holds facts about the records, and a "
        "release takes its schema as public. Replace them with public knowledge before you "
        "use it.",
    SBL_CLI_OPERAND("INPUT", "a table without a schema: CSV, plain or gzip; several are linked by keys"),
    .repeats_operand = true,
    SBL_CLI_OPTIONS(inspect_options),
    .reads = SBL_FORM_TABLES,
    SBL_CLI_EXAMPLES(inspect_examples),
    .run = run_inspect,
};

/* ---- accept ---- */

static const sbl_cli_option accept_options[] = {
    SBL_TEXT_ROW("take", "LIST",
                 "the proposals to take, by their numbers or kinds (1,3,spikes), or all, or "
                 "none; the others are dropped",
                 NULL),
    SBL_OPTION_OUTPUT("where the accepted schema goes", "SCHEMA itself"),
    SBL_OPTION_OVERWRITE("overwrite the file"),
};

static const sbl_cli_example accept_examples[] = {
    {"semblance schema accept draft.json --take all",
     "the draft of 'semblance schema inspect' holds public knowledge only, and every proposal is right"},
    {"semblance schema accept draft.json --take unit,1,4",
     "take the unit, and proposals 1 and 4; 'semblance schema check draft.json' lists them"},
};

static sbl_status run_accept(const sbl_cli_parsed *parsed, sbl_error *err)
{
    char *schema = NULL;
    char *words = NULL;
    const char *output = sbl_cli_text(parsed, "output");
    const bool in_place = output == NULL;
    const bool to_screen = !in_place && strcmp(output, "-") == 0;
    const sbl_status status =
        sbl_schema_accept(&schema, &words, parsed->operands[0], sbl_cli_text(parsed, "take"),
                          to_screen  ? NULL
                          : in_place ? parsed->operands[0]
                                     : output,
                          in_place || sbl_cli_given(parsed, "overwrite") != NULL, err);
    if (status == SBL_OK) {
        if (to_screen) (void)fputs(schema, stdout);
        (void)fputs(words, stderr);
    }
    sbl_free(schema);
    sbl_free(words);
    return status;
}

static const sbl_cli_command schema_accept = {
    .name = "schema accept",
    .summary = "confirm that an inspected schema is public, and take or drop its proposals",
    .usage = "SCHEMA [--take LIST] [-o FILE] [OPTION...]",
    .description =
        "A schema that was read from the records says so (semblance.origin), and a run with it warns, for "
        "its "
        "bounds and categories are facts about the records that a release takes as public. Replace "
        "them with public knowledge, then accept it. What 'schema inspect' proposed "
        "(semblance.proposals: whose row it is, what is the person's, what orders rows, ids, "
        "constraints, steps, spikes, bounds by category, hierarchies) becomes a part of the schema, or is "
        "dropped.\n\nReads no "
        "records and costs nothing.",
    SBL_CLI_OPERAND(
        "SCHEMA",
        "a schema or package that 'semblance schema inspect' wrote; it is changed, unless -o is given"),
    SBL_CLI_OPTIONS(accept_options),
    SBL_CLI_EXAMPLES(accept_examples),
    .run = run_accept,
};

static const sbl_cli_command *const children[] = {&schema_check,    &schema_inspect, &schema_accept,
                                                  &schema_discover, &schema_resume,  NULL};

const sbl_cli_command sbl_cmd_schema = {
    .name = "schema",
    .summary = "check, inspect, accept or discover the public description of a table",
    .children = children,
};
