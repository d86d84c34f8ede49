/* Bash: one function that knows the command from the first word or two, the words that the option
 * before the cursor takes, and the options of the command. Whatever it has no words for is left to
 * the shell, which offers files. */
#include "completion.h"
#include "help.h"
#include "library_options.h"

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
    for (size_t i = 0; i < all; i++)
        (void)fprintf(out, "--%s ", sbl_cli_option_at(command, i).name);
    (void)fprintf(out, "--%s'\n        ;;\n", sbl_cli_help_option.name);
}

void sbl_cli_complete_bash(FILE *out)
{
    (void)fputs(
        "# Completion of semblance for bash. Written by 'semblance completion bash'.\n"
        "_semblance() {\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "    local command=${COMP_WORDS[1]} children='' options='' takes='' values=''\n"
        "    COMPREPLY=()\n"
        "    # --option=value comes as three words\n"
        "    if [ \"$current\" = = ]; then\n"
        "        current=\n"
        "    elif [ \"$before\" = = ]; then\n"
        "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
        "    fi\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W '",
        out);
    names(out, sbl_cli_commands);
    (void)fputs(
        " --help --version' -- \"$current\"))\n        return\n    fi\n"
        "    case $command in\n",
        out);
    groups(out);
    (void)fputs(
        "    esac\n"
        "    if [ -n \"$children\" ]; then\n"
        "        if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
        "            COMPREPLY=($(compgen -W \"$children --help\" -- \"$current\"))\n"
        "            return\n"
        "        fi\n"
        "        command=\"$command ${COMP_WORDS[2]}\"\n"
        "    fi\n"
        "    case \"$command $before\" in\n",
        out);
    each_command(out, values_of);
    (void)fputs(
        "    esac\n"
        "    if [ -n \"$takes\" ]; then\n"
        "        if [ $takes = words ]; then\n"
        "            COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
        "        fi\n"
        "        if [ $takes != text ]; then compopt +o default 2>/dev/null; fi\n"
        "        return\n"
        "    fi\n"
        "    case \"$command\" in\n",
        out);
    each_command(out, options_of);
    (void)fputs(
        "    esac\n"
        "    case $current in\n"
        "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
        "    esac\n"
        "}\n"
        "complete -o default -F _semblance semblance\n",
        out);
}
