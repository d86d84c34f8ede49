/* schema check: what is wrong with a schema, or what each column becomes. */
#include <stdio.h>

#include "command.h"
#include "output.h"
#include "semblance/synth.h"

static const sbl_cli_operand check_operands[] = {
    {"SCHEMA", "the schema (Table Schema JSON)"},
    {"INPUT", "a table to hold against it; what is then said is NOT PRIVATE"},
};

static const char *const check_usage[] = {"SCHEMA [INPUT]", NULL};

static const sbl_cli_example check_examples[] = {
    {"semblance schema check people.json", "what does each column become?"},
    {"semblance schema check people.json people.csv",
     "and what in the table does the schema not foresee? (for the owner's eyes only)"},
};

static sbl_status run_check(const sbl_cli_parsed *parsed, sbl_error *err)
{
    char *text = NULL;
    const char *input = parsed->operand_count > 1 ? parsed->operands[1] : NULL;
    const sbl_status status = sbl_schema_check(&text, parsed->operands[0], input, err);
    if (status == SBL_OK) (void)fputs(text, stdout);
    sbl_string_free(text);
    return status;
}

static const sbl_cli_command schema_check = {
    .name = "schema check",
    .summary = "say what is wrong with a schema, or what each column becomes",
    .usage = check_usage,
    .description =
        "With INPUT it also counts, per column, cells that the schema does not foresee. "
        "Those counts come from the records and are marked NOT PRIVATE; no cell is shown.",
    .operands = check_operands,
    .operand_count = SBL_CLI_COUNT(check_operands),
    .optional_operands = 1,
    .examples = check_examples,
    .example_count = SBL_CLI_COUNT(check_examples),
    .run = run_check,
};

static const sbl_cli_command *const children[] = {&schema_check, NULL};
static const char *const usage[] = {"check SCHEMA [INPUT]", NULL};

const sbl_cli_command sbl_cmd_schema = {
    .name = "schema",
    .summary = "check the public description of a table",
    .usage = usage,
    .children = children,
};
