/* SPDX-License-Identifier: Apache-2.0 */
/* help: the help of a command. manual: its man page, for the build and for packagers. */
#include <string.h>

#include "command.h"
#include "help.h"
#include "output.h"

static const sbl_cli_operand operands[] = {
    {"COMMAND", "the command or method to explain; without one: the overview"},
    {"SUBCOMMAND", "of a command that has some, e.g. ledger init"},
};

static const sbl_cli_option options[] = {
    SBL_FLAG_ROW("all", 0, "of a command: every option and example, not only the common ones"),
};

static const sbl_cli_example examples[] = {
    {"semblance help synth --all", "every option of synth"},
    {"semblance help pairs", "the options that only some methods have, for the method pairs"},
};

static const sbl_cli_option manual_options[] = {
    SBL_FLAG_ROW("list", 0, "print the names of all pages"),
};

static sbl_status find(const sbl_cli_command **command, const sbl_cli_parsed *parsed, sbl_error *err)
{
    const int count = (int)parsed->operand_count;
    int used = 0;
    *command = NULL;
    if (count == 0) return SBL_OK;
    const sbl_status status = sbl_cli_find(command, &used, count, parsed->operands, err);
    if (status == SBL_OK && used < count)
        return sbl_cli_misuse(err, *command, "'%s' has no command '%s'", (*command)->name,
                              parsed->operands[used]);
    return status;
}

static sbl_status run_help(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_cli_command *command = NULL;
    for (size_t m = 0; parsed->operand_count == 1 && sbl_method_at(m) != NULL; m++) {
        if (strcmp(parsed->operands[0], sbl_method_at(m)->name) != 0) continue;
        sbl_cli_method_help(stdout, sbl_method_at(m));
        return SBL_OK;
    }
    const sbl_status status = find(&command, parsed, err);
    if (status != SBL_OK) return status;
    if (command == NULL)
        sbl_cli_overview(stdout);
    else
        sbl_cli_help(stdout, command, sbl_cli_given(parsed, "all") != NULL);
    return SBL_OK;
}

static sbl_status run_manual(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_cli_command *command = NULL;
    const sbl_status status = find(&command, parsed, err);
    if (status != SBL_OK) return status;
    if (sbl_cli_given(parsed, "list") != NULL)
        sbl_cli_manual_list(stdout);
    else
        sbl_cli_manual(stdout, command);
    return SBL_OK;
}

const sbl_cli_command sbl_cmd_help = {
    .name = "help",
    .summary = "show the overview, the help of a command, or the options of a method",
    .usage =
        "[COMMAND [SUBCOMMAND]] [--all]\n"
        "METHOD",
    .operands = operands,
    .operand_count = 2,
    .optional_operands = 2,
    SBL_CLI_OPTIONS(options),
    SBL_CLI_EXAMPLES(examples),
    .run = run_help,
};

const sbl_cli_command sbl_cmd_manual = {
    .name = "manual",
    .summary = "print the man page of a command in the man(7) macros",
    .usage =
        "[COMMAND [SUBCOMMAND]]\n"
        "--list",
    .operands = operands,
    .operand_count = 2,
    .optional_operands = 2,
    SBL_CLI_OPTIONS(manual_options),
    .hidden = true,
    .run = run_manual,
};
