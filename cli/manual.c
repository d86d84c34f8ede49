/* SPDX-License-Identifier: Apache-2.0 */
/* Man pages in the man(7) macros, from the tables that --help prints. */
#include <ctype.h>
#include <string.h>

#include "help.h"
#include "option_rows.h"
#include "semblance/version.h"

/* Text with what roff would interpret escaped. Call at the start of a line. */
static void escaped(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'') (void)fputs("\\&", out);
    for (; *text != '\0'; text++) {
        if (*text == '\\')
            (void)fputs("\\e", out);
        else if (*text == '-')
            (void)fputs("\\-", out);
        else if (*text == '\'')
            (void)fputs("\\(aq", out);
        else
            (void)fputc(*text, out);
    }
}

static void line(FILE *out, const char *text)
{
    escaped(out, text);
    (void)fputc('\n', out);
}

/* Paragraphs are separated by an empty line in the tables, by .PP in roff. */
static void paragraphs(FILE *out, const char *text)
{
    while (*text != '\0') {
        char piece[1024];
        const char *end = strstr(text, "\n\n");
        const size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
        (void)snprintf(piece, sizeof piece, "%.*s", (int)length, text);
        line(out, piece);
        text += length;
        if (*text == '\0') return;
        (void)fputs(".PP\n", out);
        text += 2;
    }
}

/* "semblance-ledger" */
static void page_name(FILE *out, const sbl_cli_command *command, bool upper)
{
    char name[64];
    (void)snprintf(name, sizeof name, "semblance%s%s", command != NULL ? "-" : "",
                   command != NULL ? command->name : "");
    for (char *c = name; upper && *c != '\0'; c++) *c = (char)toupper((unsigned char)*c);
    escaped(out, name);
}

static void head(FILE *out, const sbl_cli_command *command)
{
    (void)fputs(".TH ", out);
    page_name(out, command, true);
    (void)fprintf(out, " 1 \"\" \"semblance %s\" \"User Commands\"\n.SH NAME\n", SBL_VERSION_STRING);
    page_name(out, command, false);
    (void)fputs(" \\- ", out);
    line(out, command != NULL ? command->summary : sbl_cli_program_summary);
}

static void synopsis(FILE *out, const sbl_cli_command *command)
{
    char way[256];
    for (const char *rest = command->usage; rest != NULL;) {
        rest = sbl_cli_usage_line(way, rest);
        (void)fputs(".HP\n.B semblance ", out);
        line(out, command->name);
        line(out, way);
    }
}

static void option(FILE *out, const sbl_cli_option *entry)
{
    (void)fputs(".TP\n", out);
    if (entry->letter != 0) (void)fprintf(out, "\\fB\\-%c\\fR, ", entry->letter);
    (void)fputs("\\fB\\-\\-", out);
    escaped(out, entry->name);
    (void)fputs("\\fR", out);
    if (entry->value != NULL) {
        (void)fputs(" \\fI", out);
        escaped(out, entry->value);
        (void)fputs("\\fR", out);
    }
    (void)fputc('\n', out);
    line(out, entry->help);
    if (entry->standard == NULL) return;
    (void)fputs("[default: ", out);
    escaped(out, entry->standard);
    (void)fputs("]\n", out);
}

static void labelled(FILE *out, const char *font, const char *label, const char *text)
{
    (void)fprintf(out, ".TP\n.%s ", font);
    line(out, label);
    line(out, text);
}

static void arguments(FILE *out, const sbl_cli_command *command)
{
    for (size_t i = 0; i < command->operand_count; i++)
        labelled(out, "I", command->operands[i].name, command->operands[i].help);
    for (size_t i = 0; i < command->option_count; i++) option(out, &command->options[i]);
}

static void library_group(FILE *out, const sbl_cli_command *command, bool of_data)
{
    const size_t count = sbl_cli_option_count(command);
    bool first = true;
    for (size_t i = command->option_count; i < count; i++) {
        const sbl_cli_option entry = sbl_cli_option_at(command, i);
        if (sbl_cli_is_of_methods(command, i) || sbl_cli_is_of_data(command, i) != of_data) continue;
        if (first) (void)fprintf(out, ".SS %s\n", of_data ? SBL_CLI_OF_DATA : SBL_CLI_OF_RUN);
        option(out, &entry);
        first = false;
    }
}

static void library_section(FILE *out, const sbl_cli_command *command)
{
    library_group(out, command, true);
    library_group(out, command, false);
    if (command->steps == 0) return;
    (void)fputs(".PP\nThe options of the methods are in\n.BR semblance (1).\n", out);
}

/* In semblance(1): each method and its options. */
static void methods_section(FILE *out)
{
    (void)fputs(".SH METHODS\n", out);
    for (size_t m = 0; sbl_method_at(m) != NULL; m++) {
        const sbl_method_facts *method = sbl_method_at(m);
        (void)fprintf(out, ".SS %s\n", method->name);
        line(out, method->summary);
        for (size_t i = 0; sbl_option_at(i) != NULL; i++) {
            const sbl_cli_option entry = sbl_cli_as_option(sbl_option_at(i));
            if (sbl_cli_method_has(method->name, sbl_option_at(i))) option(out, &entry);
        }
    }
}

static void example_list(FILE *out, const sbl_cli_command *command)
{
    for (size_t i = 0; i < command->example_count; i++)
        labelled(out, "B", command->examples[i].line, command->examples[i].meaning);
}

static void exit_status(FILE *out)
{
    (void)fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sbl_cli_exit_code_count; i++) {
        (void)fprintf(out, ".TP\n.B %d\n", sbl_cli_exit_codes[i].code);
        line(out, sbl_cli_exit_codes[i].meaning);
    }
}

static void program_page(FILE *out)
{
    (void)fputs(".SH SYNOPSIS\n.B semblance\n.I COMMAND\n[options]\n.SH DESCRIPTION\n", out);
    paragraphs(out, sbl_cli_program_description);
    (void)fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; sbl_cli_commands[i] != NULL; i++)
        if (!sbl_cli_commands[i]->hidden)
            labelled(out, "B", sbl_cli_commands[i]->name, sbl_cli_commands[i]->summary);
    methods_section(out);
    exit_status(out);
    (void)fputs(".SH ENVIRONMENT\n", out);
    labelled(out, "B", "NO_COLOR", "when set to anything, no colour is used");
    (void)fputs(".SH SEE ALSO\n", out);
    const char *comma = "";
    for (size_t i = 0; sbl_cli_commands[i] != NULL; i++) {
        if (sbl_cli_commands[i]->hidden) continue;
        (void)fprintf(out, "%s.BR semblance\\-%s (1)", comma, sbl_cli_commands[i]->name);
        comma = ",\n";
    }
    (void)fputc('\n', out);
}

static void children_sections(FILE *out, const sbl_cli_command *group)
{
    (void)fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; group->children[i] != NULL; i++) {
        (void)fputs(".SS semblance ", out);
        line(out, group->children[i]->name);
        line(out, group->children[i]->summary);
        if (group->children[i]->description != NULL) {
            (void)fputs(".PP\n", out);
            paragraphs(out, group->children[i]->description);
        }
        arguments(out, group->children[i]);
        option(out, &sbl_cli_help_option);
    }
    (void)fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; group->children[i] != NULL; i++) example_list(out, group->children[i]);
}

static void command_page(FILE *out, const sbl_cli_command *command)
{
    (void)fputs(".SH SYNOPSIS\n", out);
    if (command->children == NULL) synopsis(out, command);
    for (size_t i = 0; command->children != NULL && command->children[i] != NULL; i++)
        synopsis(out, command->children[i]);
    (void)fputs(".SH DESCRIPTION\n", out);
    paragraphs(out, command->description != NULL ? command->description : command->summary);
    if (command->children != NULL) {
        children_sections(out, command);
    } else {
        (void)fputs(".SH OPTIONS\n", out);
        arguments(out, command);
        option(out, &sbl_cli_help_option);
        library_section(out, command);
        if (command->example_count > 0) (void)fputs(".SH EXAMPLES\n", out);
        example_list(out, command);
    }
    exit_status(out);
    (void)fputs(".SH SEE ALSO\n.BR semblance (1)\n", out);
}

void sbl_cli_manual(FILE *out, const sbl_cli_command *command)
{
    const char *space = command != NULL ? strchr(command->name, ' ') : NULL;
    if (space != NULL) {
        (void)fprintf(out, ".so man1/semblance-%.*s.1\n", (int)(space - command->name), command->name);
        return;
    }
    head(out, command);
    if (command == NULL)
        program_page(out);
    else
        command_page(out, command);
}

void sbl_cli_manual_list(FILE *out)
{
    (void)fputs("semblance\n", out);
    for (size_t i = 0; sbl_cli_commands[i] != NULL; i++) {
        const sbl_cli_command *command = sbl_cli_commands[i];
        if (command->hidden) continue;
        (void)fprintf(out, "semblance-%s\n", command->name);
        for (size_t c = 0; command->children != NULL && command->children[c] != NULL; c++)
            (void)fprintf(out, "semblance-%s-%s\n", command->name,
                          sbl_cli_last_word(command->children[c]->name));
    }
}
