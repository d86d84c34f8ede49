/* Zsh: _arguments with one specification an option, so that the menu shows what help says. */
#include "completion.h"
#include "help.h"
#include "library_options.h"

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
        if (option->kind != SBL_CLI_NUMBER && option->kind != SBL_CLI_WHOLE)
            (void)fputs("_files", out);
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

void sbl_cli_complete_zsh(FILE *out)
{
    (void)fputs(
        "#compdef semblance\n"
        "# Completion of semblance for zsh. Written by 'semblance completion zsh'.\n"
        "_semblance_commands() {\n",
        out);
    describe(out, sbl_cli_commands);
    (void)fputs("}\n", out);
    for (size_t i = 0; sbl_cli_commands[i] != NULL; i++)
        if (sbl_cli_commands[i]->children != NULL) group_function(out, sbl_cli_commands[i]);
    (void)fputs(
        "_semblance() {\n"
        "    if ((CURRENT == 2)); then\n"
        "        _semblance_commands\n"
        "        return\n"
        "    fi\n"
        "    local command=${words[2]}\n"
        "    if (($+functions[_semblance_$command])) && [[ $command != commands ]]; then\n"
        "        if ((CURRENT == 3)); then\n"
        "            _semblance_$command\n"
        "            return\n"
        "        fi\n"
        "        command=\"$command ${words[3]}\"\n"
        "        shift words\n"
        "        ((CURRENT--))\n"
        "    fi\n"
        "    shift words\n"
        "    ((CURRENT--))\n"
        "    case $command in\n",
        out);
    for (size_t i = 0; sbl_cli_commands[i] != NULL; i++) {
        const sbl_cli_command *const *child = sbl_cli_commands[i]->children;
        if (sbl_cli_commands[i]->hidden) continue;
        if (child == NULL) command_case(out, sbl_cli_commands[i]);
        for (; child != NULL && *child != NULL; child++) command_case(out, *child);
    }
    (void)fputs("    esac\n}\n_semblance \"$@\"\n", out);
}
