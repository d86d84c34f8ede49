/* completion: a script that teaches a shell the program's commands and options. */
#include <string.h>

#include "command.h"
#include "completion.h"
#include "output.h"

static const sbl_cli_operand operands[] = {{"SHELL", "bash or zsh"}};
static const char *const usage[] = {"bash|zsh", NULL};
static const sbl_cli_example examples[] = {
    {"source <(semblance completion bash)", "in this bash, from now on"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *shell = parsed->operands[0];
    if (strcmp(shell, "bash") == 0)
        sbl_cli_complete_bash(stdout);
    else if (strcmp(shell, "zsh") == 0)
        sbl_cli_complete_zsh(stdout);
    else
        return sbl_cli_misuse(err, parsed->command, "SHELL must be bash or zsh");
    return SBL_OK;
}

const sbl_cli_command sbl_cmd_completion = {
    .name = "completion",
    .summary = "print a script that completes commands and options in a shell",
    .usage = usage,
    .description = "An installed package has put it where the shell finds it.",
    SBL_CLI_OPERANDS(operands),
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
