/* SPDX-License-Identifier: Apache-2.0 */
/* Lists every file that a command line names or implies (release, certificate, schema beside the
 * output) and lets the library compare them all. */
#include "file_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_rows.h"
#include "output.h"
#include "semblance/files.h"

static void name_file(char path[PATH_MAX], const char *given, const char *stem, const char *ending)
{
    size_t length = strlen(stem);
    while (length > 1 && stem[length - 1] == '/') length--;
    /* A name that is too long to be one is cut, and refused when the file is opened. */
    if (given != NULL)
        (void)snprintf(path, PATH_MAX, "%s", given);
    else
        (void)snprintf(path, PATH_MAX, "%.*s%s", (int)length, stem, ending);
}

/* NULL where it was not given. */
static const char *output_of(const sbl_cli_parsed *parsed)
{
    const char *output = sbl_cli_text(parsed, "output");
    return output != NULL ? output : sbl_cli_text(parsed, "model"); /* of a fit that is resumed */
}

void sbl_cli_name_run_files(sbl_cli_run_files *files, const sbl_cli_parsed *parsed)
{
    const char *output = output_of(parsed);
    name_file(files->release, sbl_cli_text(parsed, "release"), output, SBL_ENDING_RELEASE);
    name_file(files->certificate, sbl_cli_text(parsed, "certificate"), output, SBL_ENDING_CERTIFICATE);
    name_file(files->schema, sbl_cli_text(parsed, "schema"), output, SBL_ENDING_SCHEMA);
}

/* ---- the check ---- */

#define DERIVED 3
#define MOST_DERIVED (DERIVED + 1) /* and the ledger */

/* The files of a command line. */
typedef struct file_list {
    sbl_named_file *files;
    char (*names)[40]; /* as the user knows them: "--output" */
    size_t count;
    sbl_cli_run_files run;
    char ledger[PATH_MAX];
} file_list;

static bool names_file(const sbl_cli_option *option)
{
    return option->kind == SBL_CLI_WRITES ||
           (option->kind == SBL_CLI_TEXT && strcmp(option->value, "FILE") == 0);
}

static void list_typed(file_list *list, const sbl_cli_parsed *parsed)
{
    const size_t options = sbl_cli_option_count(parsed->command);
    for (size_t i = 0; i < parsed->operand_count; i++)
        list->files[list->count++] =
            (sbl_named_file){sbl_cli_operand_name(parsed->command, i), parsed->operands[i], false};
    for (size_t i = 0; i < options; i++) {
        const sbl_cli_option option = sbl_cli_option_at(parsed->command, i);
        if (!parsed->values[i].given || !names_file(&option)) continue;
        char *name = list->names[list->count];
        (void)snprintf(name, sizeof list->names[0], "--%s", option.name);
        list->files[list->count++] =
            (sbl_named_file){name, parsed->values[i].text, option.kind == SBL_CLI_WRITES};
    }
}

/* What a run writes beside its output, unless it was given another name. */
static void list_derived(file_list *list, const sbl_cli_parsed *parsed)
{
    const sbl_named_file derived[DERIVED] = {{"release", list->run.release, true},
                                             {"certificate", list->run.certificate, true},
                                             {"schema", list->run.schema, true}};
    if ((parsed->command->steps & (SBL_STEP_FIT | SBL_STEP_DISCOVER)) == 0 || output_of(parsed) == NULL)
        return;
    sbl_cli_name_run_files(&list->run, parsed);
    /* No schema is discovered of linked tables. */
    const size_t count = sbl_cli_text(parsed, "package") != NULL ? DERIVED - 1 : DERIVED;
    for (size_t i = 0; i < count; i++)
        if (sbl_cli_text(parsed, derived[i].name) == NULL) {
            char *name = list->names[list->count];
            (void)snprintf(name, sizeof list->names[0], "the %s", derived[i].name);
            list->files[list->count++] = (sbl_named_file){name, derived[i].path, true};
        }
}

/* The ledger that a run would make beside its input. The library knows more of its names, but not of all that the program
 * writes: a report comes after the charge. */
static void list_ledger(file_list *list, const sbl_cli_parsed *parsed)
{
    const char *package = sbl_cli_text(parsed, "package");
    const char *images = package != NULL ? package : sbl_cli_text(parsed, "images");
    const bool table = images == NULL && parsed->operand_count > 0 &&
                       strcmp(sbl_cli_operand_name(parsed->command, 0), "INPUT") == 0;
    const char *input = table ? parsed->operands[0] : images;
    if ((parsed->command->steps & (SBL_STEP_FIT | SBL_STEP_DISCOVER)) == 0 || input == NULL ||
        sbl_cli_text(parsed, "ledger") != NULL)
        return;
    name_file(list->ledger, NULL, input, SBL_ENDING_LEDGER);
    list->files[list->count++] = (sbl_named_file){"the ledger", list->ledger, false};
}

sbl_status sbl_cli_check_files(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const size_t most = sbl_cli_option_count(parsed->command) + parsed->operand_count + MOST_DERIVED;
    file_list *list = calloc(1, sizeof *list);
    sbl_status status = SBL_EMEM;
    if (list != NULL) {
        list->files = calloc(most, sizeof *list->files);
        list->names = calloc(most, sizeof *list->names);
    }
    if (list == NULL || list->files == NULL || list->names == NULL) {
        status = sbl_cli_fail(err, SBL_EMEM, "out of memory for the command line");
        goto done;
    }
    list_typed(list, parsed);
    list_derived(list, parsed);
    list_ledger(list, parsed);
    status = sbl_files_check(list->files, list->count, err);
done:
    if (list != NULL) {
        free(list->files);
        free(list->names);
    }
    free(list);
    return status;
}
