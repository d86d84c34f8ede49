/* SPDX-License-Identifier: Apache-2.0 */
/* completion: a script that teaches a shell the program's commands and options.
 *
 * Bash: one function that knows the command from the first word or two, the words that the option
 * before the cursor takes, and the options of the command. Whatever it has no words for is left to
 * the shell, which offers files. Zsh: _arguments with one specification an option, so that the menu
 * shows what help says. */
#include <string.h>

#include "command.h"
#include "help.h"
#include "option_rows.h"
#include "output.h"

/* ---- bash ---- */

static void each_command(FILE *out, void (*write)(FILE *out, const sbl_cli_command *command))
{
    for (size_t i = 0; sbl_cli_commands[i] != NULL; i++) {
        const sbl_cli_command *const *child = sbl_cli_commands[i]->children;
        if (sbl_cli_commands[i]->hidden) continue;
        if (child == NULL) write(out, sbl_cli_commands[i]);
        for (; child != NULL && *child != NULL; child++) write(out, *child);
    }
}

static void names(FILE *out, const sbl_cli_command *const *list)
{
    const char *space = "";
    for (; *list != NULL; list++) {
        if ((*list)->hidden) continue;
        (void)fprintf(out, "%s%s", space, sbl_cli_last_word((*list)->name));
        space = " ";
    }
}

static void groups(FILE *out)
{
    for (size_t i = 0; sbl_cli_commands[i] != NULL; i++) {
        if (sbl_cli_commands[i]->children == NULL) continue;
        (void)fprintf(out, "    %s)\n        children='", sbl_cli_commands[i]->name);
        names(out, sbl_cli_commands[i]->children);
        (void)fputs("'\n        ;;\n", out);
    }
}

/* "synth --method", "synth -f": what stands before the word to be completed. */
static void pattern(FILE *out, const sbl_cli_command *command, const sbl_cli_option *option)
{
    (void)fprintf(out, "    '%s --%s'", command->name, option->name);
    if (option->letter != 0) (void)fprintf(out, " | '%s -%c'", command->name, option->letter);
    (void)fputs(")\n", out);
}

static void values_of(FILE *out, const sbl_cli_command *command)
{
    const size_t all = sbl_cli_option_count(command);
    for (size_t i = 0; i < all; i++) {
        const sbl_cli_option option = sbl_cli_option_at(command, i);
        if (option.kind == SBL_CLI_FLAG) continue;
        pattern(out, command, &option);
        (void)fputs("        takes=", out);
        if (option.choices != NULL) {
            (void)fputs("words values='", out);
            for (size_t c = 0; option.choices[c] != NULL; c++)
                (void)fprintf(out, "%s%s", c == 0 ? "" : " ", option.choices[c]);
            (void)fputs("'\n", out);
        } else {
            const bool number = option.kind == SBL_CLI_NUMBER || option.kind == SBL_CLI_WHOLE;
            (void)fputs(number ? "number\n" : "text\n", out);
        }
        (void)fputs("        ;;\n", out);
    }
}

static void options_of(FILE *out, const sbl_cli_command *command)
{
    (void)fprintf(out, "    '%s')\n        options='", command->name);
    const size_t all = sbl_cli_option_count(command);
    for (size_t i = 0; i < all; i++) (void)fprintf(out, "--%s ", sbl_cli_option_at(command, i).name);
    (void)fprintf(out, "--%s'\n        ;;\n", sbl_cli_help_option.name);
}

static void complete_bash(FILE *out)
{
    (void)fputs(
        "# Completion of semblance for bash. Written by 'semblance completion "
        "bash'.\n_semblance() {\n    local current=${COMP_WORDS[COMP_CWORD]} "
        "before=${COMP_WORDS[COMP_CWORD - 1]}\n    local command=${COMP_WORDS[1]} children='' "
        "options='' takes='' values=''\n    COMPREPLY=()\n    # --option=value comes as three "
        "words\n    if [ \"$current\" = = ]; then\n        current=\n    elif [ \"$before\" = = "
        "]; then\n        before=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n    if [ \"$COMP_CWORD\" "
        "-eq 1 ]; then\n        COMPREPLY=($(compgen -W '",
        out);
    names(out, sbl_cli_commands);
    (void)fputs(
        " --help --version' -- \"$current\"))\n        return\n    fi\n"
        "    case $command in\n",
        out);
    groups(out);
    (void)fputs(
        "    esac\n    if [ -n \"$children\" ]; then\n        if [ \"$COMP_CWORD\" -eq 2 ]; "
        "then\n            COMPREPLY=($(compgen -W \"$children --help\" -- "
        "\"$current\"))\n            return\n        fi\n        command=\"$command "
        "${COMP_WORDS[2]}\"\n    fi\n    case \"$command $before\" in\n",
        out);
    each_command(out, values_of);
    (void)fputs(
        "    esac\n    if [ -n \"$takes\" ]; then\n        if [ $takes = words ]; "
        "then\n            COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n        "
        "fi\n        if [ $takes != text ]; then compopt +o default 2>/dev/null; fi\n        "
        "return\n    fi\n    case \"$command\" in\n",
        out);
    each_command(out, options_of);
    (void)fputs(
        "    esac\n    case $current in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- "
        "\"$current\")) ;;\n    esac\n}\ncomplete -o default -F _semblance semblance\n",
        out);
}

/* ---- zsh ---- */

/* Inside '...' of the shell and the [...] and :...: of a specification. */
static void quoted(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            (void)fputs("'\\''", out);
        else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\')
            (void)fprintf(out, "\\%c", *text);
        else
            (void)fputc(*text, out);
    }
}

/* The value: its words, nothing to offer for a number, files for a text. */
static void value(FILE *out, const sbl_cli_option *option)
{
    (void)fputc(':', out);
    quoted(out, option->value != NULL ? option->value : "value");
    (void)fputc(':', out);
    if (option->choices == NULL) {
        if (option->kind != SBL_CLI_NUMBER && option->kind != SBL_CLI_WHOLE) (void)fputs("_files", out);
        return;
    }
    for (size_t c = 0; option->choices[c] != NULL; c++) {
        (void)fputs(c == 0 ? "(" : " ", out);
        quoted(out, option->choices[c]);
    }
    (void)fputc(')', out);
}

static void specification(FILE *out, const sbl_cli_option *option, const char *name)
{
    const bool flag = option->kind == SBL_CLI_FLAG;
    (void)fprintf(out, "            '%s%s%s[", option->kind == SBL_CLI_LINES ? "*" : "", name,
                  flag || name[1] != '-' ? "" : "=");
    quoted(out, option->help);
    (void)fputc(']', out);
    if (!flag) value(out, option);
    (void)fputs("' \\\n", out);
}

static void option_lines(FILE *out, const sbl_cli_option *option)
{
    char name[64];
    (void)snprintf(name, sizeof name, "--%s", option->name);
    specification(out, option, name);
    if (option->letter == 0) return;
    (void)snprintf(name, sizeof name, "-%c", option->letter);
    specification(out, option, name);
}

static void command_case(FILE *out, const sbl_cli_command *command)
{
    (void)fprintf(out, "    '%s')\n        _arguments \\\n", command->name);
    const size_t all = sbl_cli_option_count(command);
    for (size_t i = 0; i < all; i++) {
        const sbl_cli_option option = sbl_cli_option_at(command, i);
        option_lines(out, &option);
    }
    option_lines(out, &sbl_cli_help_option);
    (void)fputs("            '*:file:_files'\n        ;;\n", out);
}

static void describe(FILE *out, const sbl_cli_command *const *list)
{
    (void)fputs("    local -a commands=(\n", out);
    for (; *list != NULL; list++) {
        if ((*list)->hidden) continue;
        (void)fprintf(out, "        '%s:", sbl_cli_last_word((*list)->name));
        quoted(out, (*list)->summary);
        (void)fputs("'\n", out);
    }
    (void)fputs("    )\n    _describe command commands\n", out);
}

static void group_function(FILE *out, const sbl_cli_command *group)
{
    (void)fprintf(out, "_semblance_%s() {\n", group->name);
    describe(out, group->children);
    (void)fputs("}\n", out);
}

static void complete_zsh(FILE *out)
{
    (void)fputs(
        "#compdef semblance\n# Completion of semblance for zsh. Written by 'semblance completion "
        "zsh'.\n_semblance_commands() {\n",
        out);
    describe(out, sbl_cli_commands);
    (void)fputs("}\n", out);
    for (size_t i = 0; sbl_cli_commands[i] != NULL; i++)
        if (sbl_cli_commands[i]->children != NULL) group_function(out, sbl_cli_commands[i]);
    (void)fputs(
        "_semblance() {\n    if ((CURRENT == 2)); then\n        _semblance_commands\n        "
        "return\n    fi\n    local command=${words[2]}\n    if "
        "(($+functions[_semblance_$command])) && [[ $command != commands ]]; then\n        if "
        "((CURRENT == 3)); then\n            _semblance_$command\n            return\n        "
        "fi\n        command=\"$command ${words[3]}\"\n        shift words\n        "
        "((CURRENT--))\n    fi\n    shift words\n    ((CURRENT--))\n    case $command in\n",
        out);
    each_command(out, command_case);
    (void)fputs("    esac\n}\n_semblance \"$@\"\n", out);
}

/* ---- the command ---- */

static const sbl_cli_example examples[] = {
    {"source <(semblance completion bash)", "in this bash, from now on"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *shell = parsed->operands[0];
    if (strcmp(shell, "bash") == 0)
        complete_bash(stdout);
    else if (strcmp(shell, "zsh") == 0)
        complete_zsh(stdout);
    else
        return sbl_cli_misuse(err, parsed->command, "SHELL must be bash or zsh");
    return SBL_OK;
}

const sbl_cli_command sbl_cmd_completion = {
    .name = "completion",
    .summary = "print a script that completes commands and options in a shell",
    .usage = "bash|zsh",
    .description = "An installed package has put it where the shell finds it.",
    SBL_CLI_OPERAND("SHELL", "bash or zsh"),
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
