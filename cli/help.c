/* SPDX-License-Identifier: Apache-2.0 */
/* Help texts from the option tables, wrapped at 79 columns. --help shows the options that most people need, help
 * --all every option. The options of some methods are in the help of the method. manual.c makes man pages of the
 * same tables; only they list the exit codes. */
#include "help.h"

#include <string.h>

#include "option_rows.h"
#include "output.h"

#define COLUMNS 79
#define WIDEST_LABEL 26
#define FEW_OPTIONS 10 /* a command that has no more shows them all */

const sbl_cli_exit_code sbl_cli_exit_codes[] = {
    {0, "success"},
    {1, "internal error"},
    {2, "wrong usage: an option or argument"},
    {3, "a bad input, schema, certificate or ledger"},
    {4, "refused: the privacy budget does not cover it"},
    {5, "reading or writing failed"},
    {6, "audit: nothing broke, but an attack lacked the power to prove it"},
    {130, "interrupted (SIGINT, SIGTERM): the message says how to go on"},
};
const size_t sbl_cli_exit_code_count = SBL_CLI_COUNT(sbl_cli_exit_codes);

const char sbl_cli_program_summary[] = "synthetic data under differential privacy";
const char sbl_cli_program_description[] =
    "Data goes to standard output, messages to standard error. A failure is one line that names "
    "the "
    "file, field or option and says what to do. Colour is used on a terminal only, and never when "
    "NO_COLOR is set.";

const sbl_cli_option sbl_cli_help_option = SBL_FLAG_ROW("help", 'h', "show this help and stop");

/* The next word; [text in brackets] stays together if it is not too long. */
static size_t word_length(const char *text, size_t most)
{
    size_t length = 0;
    int depth = 0;
    for (; text[length] != '\0' && text[length] != '\n'; length++) {
        if (text[length] == ' ' && depth == 0) break;
        if (text[length] == '[') depth++;
        if (text[length] == ']') depth--;
    }
    return length <= most ? length : strcspn(text, " \n");
}

/* Words of text from column `column` on, continued lines indented by `indent`. */
static void wrap(FILE *out, const char *text, int column, int indent)
{
    bool first = true;
    while (*text != '\0') {
        const size_t length = word_length(text, (size_t)(COLUMNS - indent));
        const bool paragraph = text[length] == '\n';
        if (!first && column + 1 + (int)length > COLUMNS) {
            (void)fprintf(out, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        (void)fprintf(out, "%s%.*s", first ? "" : " ", (int)length, text);
        column += (int)length + (first ? 0 : 1);
        first = false;
        text += length;
        while (*text == ' ' || *text == '\n') text++;
        if (paragraph && *text != '\0') {
            (void)fprintf(out, "\n\n%*s", indent, "");
            column = indent;
            first = true;
        }
    }
    (void)fputc('\n', out);
}

static void heading(FILE *out, const char *title)
{
    (void)fprintf(out, "\n%s%s:%s\n", sbl_cli_style_on(out, SBL_CLI_BOLD), title,
                  sbl_cli_style_on(out, SBL_CLI_PLAIN));
}

/* "  label   text", the text wrapped in its own column. */
static void entry(FILE *out, const char *label, int width, const char *text)
{
    const int text_column = 2 + width + 2;
    if ((int)strlen(label) > width)
        (void)fprintf(out, "  %s\n%*s", label, text_column, "");
    else
        (void)fprintf(out, "  %-*s  ", width, label);
    wrap(out, text, text_column, text_column);
}

static int wider(int width, const char *label)
{
    const int length = (int)strlen(label);
    return length > width && length <= WIDEST_LABEL ? length : width;
}

static const char *option_label(char label[64], const sbl_cli_option *option)
{
    char letter[5] = "    ";
    if (option->letter != 0) (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
    (void)snprintf(label, 64, "%s--%s%s%s", letter, option->name, option->value != NULL ? " " : "",
                   option->value != NULL ? option->value : "");
    return label;
}

static void option_entry(FILE *out, const sbl_cli_option *option, int width)
{
    char label[64], text[512];
    (void)snprintf(text, sizeof text, "%s%s%s%s", option->help, option->standard != NULL ? " [default: " : "",
                   option->standard != NULL ? option->standard : "", option->standard != NULL ? "]" : "");
    entry(out, option_label(label, option), width, text);
}

const char *sbl_cli_usage_line(char line[256], const char *usage)
{
    const size_t length = strcspn(usage, "\n");
    (void)snprintf(line, 256, "%.*s", (int)length, usage);
    return usage[length] == '\n' ? usage + length + 1 : NULL;
}

static void usage(FILE *out, const sbl_cli_command *command, bool first)
{
    char way[256];
    for (const char *line = command->usage; line != NULL; first = false) {
        const int start = fprintf(out, "%s semblance %s ", first ? "Usage:" : "      ", command->name);
        line = sbl_cli_usage_line(way, line);
        wrap(out, way, start, start);
    }
}

/* The library's options of the data, or of the run, under their heading. */
static void library_group(FILE *out, const sbl_cli_command *command, bool of_data, int width)
{
    const size_t count = sbl_cli_option_count(command);
    bool first = true;
    for (size_t i = command->option_count; i < count; i++) {
        const sbl_cli_option option = sbl_cli_option_at(command, i);
        if (sbl_cli_is_of_methods(command, i) || sbl_cli_is_of_data(command, i) != of_data) continue;
        if (first) heading(out, of_data ? SBL_CLI_OF_DATA : SBL_CLI_OF_RUN);
        option_entry(out, &option, width);
        first = false;
    }
}

/* Options that only some methods have are in the help of the method. */
static void library_options(FILE *out, const sbl_cli_command *command, int width)
{
    const size_t count = sbl_cli_option_count(command);
    bool of_methods = false;
    library_group(out, command, true, width);
    library_group(out, command, false, width);
    for (size_t i = command->option_count; i < count; i++)
        of_methods = of_methods || sbl_cli_is_of_methods(command, i);
    if (!of_methods) return;
    (void)fputs("\nEach method has options of its own: semblance help METHOD\n  ", out);
    for (size_t m = 1; sbl_method_at(m) != NULL; m++) /* 0: auto */
        (void)fprintf(out, "%s%s", m == 1 ? "" : ", ", sbl_method_at(m)->name);
    (void)fputc('\n', out);
}

/* Does --help show this option? */
static bool is_common(const sbl_cli_command *command, const sbl_cli_option *option)
{
    return option->often || sbl_cli_option_count(command) <= FEW_OPTIONS;
}

static int width_of_options(const sbl_cli_command *command, bool all)
{
    char label[64];
    int width = wider(0, option_label(label, &sbl_cli_help_option));
    const size_t count = sbl_cli_option_count(command);
    for (size_t i = 0; i < count; i++) {
        const sbl_cli_option option = sbl_cli_option_at(command, i);
        if (all || is_common(command, &option)) width = wider(width, option_label(label, &option));
    }
    return width;
}

static void all_options(FILE *out, const sbl_cli_command *command)
{
    const int width = width_of_options(command, true);
    heading(out, "Options");
    for (size_t i = 0; i < command->option_count; i++) option_entry(out, &command->options[i], width);
    option_entry(out, &sbl_cli_help_option, width);
    library_options(out, command, width);
}

static void common_options(FILE *out, const sbl_cli_command *command)
{
    const int width = width_of_options(command, false);
    const size_t count = sbl_cli_option_count(command);
    heading(out, count > FEW_OPTIONS ? "Common options" : "Options");
    for (size_t i = 0; i < count; i++) {
        const sbl_cli_option option = sbl_cli_option_at(command, i);
        if (is_common(command, &option)) option_entry(out, &option, width);
    }
    option_entry(out, &sbl_cli_help_option, width);
}

static void arguments(FILE *out, const sbl_cli_command *command)
{
    int width = 0;
    for (size_t i = 0; i < command->operand_count; i++) width = wider(width, command->operands[i].name);
    if (width > 0) heading(out, "Arguments");
    for (size_t i = 0; i < command->operand_count; i++)
        entry(out, command->operands[i].name, width, command->operands[i].help);
}

/* "synth, fit, train": the commands that take an option, in the order of the overview. */
static const char *commands_of(char text[64], const sbl_option *option)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; sbl_cli_commands[i] != NULL && length < 64; i++)
        if ((sbl_cli_commands[i]->steps & option->steps) != 0)
            length += (size_t)snprintf(text + length, 64 - length, "%s%s", length > 0 ? ", " : "",
                                       sbl_cli_commands[i]->name);
    return text;
}

static const char *kinds_in_words(sbl_data_kinds kinds)
{
    if (kinds == SBL_TABLES) return "tables";
    return kinds == SBL_IMAGES ? "images" : "tables and images";
}

void sbl_cli_method_help(FILE *out, const sbl_method_facts *method)
{
    char commands[64], label[64], text[512];
    (void)fprintf(out, "%s: %s (%s)\n", method->name, method->summary, kinds_in_words(method->kinds));
    heading(out, "Options that not every method has, and the commands that take them");
    for (size_t i = 0; sbl_option_at(i) != NULL; i++) {
        const sbl_option *option = sbl_option_at(i);
        if (!sbl_cli_method_has(method->name, option)) continue;
        (void)snprintf(label, sizeof label, "--%s %s", option->name,
                       option->value != NULL ? option->value : "");
        (void)snprintf(text, sizeof text, "%s%s%s%s (%s)", option->help,
                       option->standard != NULL ? " [default: " : "",
                       option->standard != NULL ? option->standard : "", option->standard != NULL ? "]" : "",
                       commands_of(commands, option));
        entry(out, label, WIDEST_LABEL - 4, text);
    }
}

static void command_list(FILE *out, const sbl_cli_command *const *list)
{
    int width = 0;
    heading(out, "Commands");
    for (size_t i = 0; list[i] != NULL; i++) width = wider(width, list[i]->name);
    for (size_t i = 0; list[i] != NULL; i++)
        if (!list[i]->hidden) entry(out, list[i]->name, width, list[i]->summary);
}

static void sentence(FILE *out, const char *text)
{
    (void)fprintf(out, "%c%s.\n\n", text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0],
                  text + 1);
}

void sbl_cli_overview(FILE *out)
{
    sentence(out, sbl_cli_program_summary);
    (void)fprintf(out,
                  "Usage: semblance COMMAND [options]\n"
                  "       semblance COMMAND --help\n"
                  "       semblance help COMMAND --all\n"
                  "       semblance --version\n");
    command_list(out, sbl_cli_commands);
    (void)fputc('\n', out);
    wrap(out, sbl_cli_program_description, 0, 0);
}

static void group_help(FILE *out, const sbl_cli_command *group)
{
    sentence(out, group->summary);
    for (size_t i = 0; group->children[i] != NULL; i++) usage(out, group->children[i], i == 0);
    if (group->description != NULL) {
        (void)fputc('\n', out);
        wrap(out, group->description, 0, 0);
    }
    command_list(out, group->children);
    (void)fprintf(out, "\nEach has its own help: semblance %s --help\n", group->children[0]->name);
}

/* The first `count` examples of a command. */
static void examples(FILE *out, const sbl_cli_command *command, size_t count)
{
    if (count > 0) heading(out, count > 1 ? "Examples" : "Example");
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(out, "  %s\n      ", command->examples[i].line);
        wrap(out, command->examples[i].meaning, 6, 6);
    }
}

void sbl_cli_help(FILE *out, const sbl_cli_command *command, bool all)
{
    if (command->children != NULL) {
        group_help(out, command);
        return;
    }
    sentence(out, command->summary);
    usage(out, command, true);
    if (all && command->description != NULL) {
        (void)fputc('\n', out);
        wrap(out, command->description, 0, 0);
    }
    arguments(out, command);
    if (all)
        all_options(out, command);
    else
        common_options(out, command);
    examples(out, command, all || command->example_count == 0 ? command->example_count : 1);
    if (!all) (void)fprintf(out, "\n'semblance help %s --all' shows every option.\n", command->name);
}
