/* SPDX-License-Identifier: Apache-2.0 */
/* register: the books below some folders; certificate annex: a page of one certificate for an impact assessment. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "option_rows.h"
#include "output.h"
#include "semblance/register.h"

/* The file that was named; NULL: standard output. */
static const char *output_of(const sbl_cli_parsed *parsed)
{
    const char *output = sbl_cli_text(parsed, "output");
    return output != NULL && strcmp(output, "-") != 0 ? output : NULL;
}

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = name != NULL ? strlen(name) : 0, end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

/* ---- register ---- */

static const sbl_cli_option register_options[] = {
    SBL_FLAG_ROW("csv", 0, "CSV, one line for each release", SBL_OFTEN),
    SBL_FLAG_ROW("json", 0, "one JSON object with all digits", SBL_OFTEN),
    SBL_WRITES_ROW("output", 'o', "file for the register; its ending .html, .csv or .json says the form",
                   "standard output, as a table", SBL_OFTEN),
    SBL_OPTION_OVERWRITE("overwrite the file"),
};

static const sbl_cli_example register_examples[] = {
    {"semblance register build/demo", "what was released of the data below this folder, and what is left"},
    {"semblance register build/demo -o register.html", "the same as a page for printing"},
};

static sbl_status form_of(sbl_register_form *form, const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *output = sbl_cli_text(parsed, "output");
    const bool csv = sbl_cli_given(parsed, "csv") != NULL, json = sbl_cli_given(parsed, "json") != NULL;
    if (csv && json) return sbl_cli_misuse(err, parsed->command, "give --csv or --json, not both");
    *form = csv || (!json && ends_in(output, ".csv"))             ? SBL_REGISTER_CSV
            : json || ends_in(output, ".json")                    ? SBL_REGISTER_JSON
            : ends_in(output, ".html") || ends_in(output, ".htm") ? SBL_REGISTER_HTML
                                                                  : SBL_REGISTER_TABLE;
    return SBL_OK;
}

static sbl_status run_register(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_register_options options;
    size_t problems = 0;
    char *text = NULL;
    sbl_register_options_init(&options);
    options.path = output_of(parsed);
    options.overwrite = sbl_cli_given(parsed, "overwrite") != NULL;
    sbl_status status = form_of(&options.form, parsed, err);
    if (status == SBL_OK)
        status = sbl_register(&text, &problems, parsed->operands, parsed->operand_count, &options, err);
    if (status == SBL_OK && options.path == NULL) {
        (void)fputs(text, stdout);
        status = sbl_cli_flush(err); /* before the line that says how many problems there are */
    }
    sbl_free(text);
    if (status == SBL_OK && problems > 0)
        status = sbl_cli_fail(err, SBL_EINPUT, "the register names %zu problem%s", problems,
                              problems == 1 ? "" : "s");
    return status;
}

const sbl_cli_command sbl_cmd_register = {
    .name = "register",
    .summary = "list every ledger and certificate below some folders",
    .usage = "FOLDER... [--csv | --json] [-o FILE]",
    .description =
        "For each data set: its title, what is left of its budget, and each release with its date, author, "
        "method, cost "
        "and outputs, and whether these still have the bytes that the certificate lists. It also names "
        "copies of a data "
        "set that have a ledger of their own, ledgers with two successors, and books that cannot be read. "
        "Then the exit "
        "code is 3, after the register is written.\n\nThe register is NOT PRIVATE: it names files, and "
        "copies are found "
        "by comparing the data.",
    SBL_CLI_OPERAND("FOLDER", "the folders, one or more; links are not followed"),
    .repeats_operand = true,
    SBL_CLI_OPTIONS(register_options),
    SBL_CLI_EXAMPLES(register_examples),
    .run = run_register,
};

/* ---- certificate annex ---- */

static const sbl_cli_option annex_options[] = {
    SBL_WRITES_ROW("output", 'o', "file for the annex: HTML if it ends in .html, else Markdown",
                   "standard output, in Markdown", SBL_OFTEN),
    SBL_OPTION_OVERWRITE("overwrite the file"),
};

static const sbl_cli_example annex_examples[] = {
    {"semblance certificate annex build/demo/synthetic.csv.certificate.json -o annex.html",
     "one page for the assessment"},
};

static sbl_status run_annex(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *output = output_of(parsed);
    const bool html = ends_in(output, ".html") || ends_in(output, ".htm");
    char *text = NULL;
    const sbl_status status = sbl_certificate_annex(&text, parsed->operands[0], html, output,
                                                    sbl_cli_given(parsed, "overwrite") != NULL, err);
    if (status == SBL_OK && output == NULL) (void)fputs(text, stdout);
    sbl_free(text);
    return status;
}

static const sbl_cli_command annex = {
    .name = "certificate annex",
    .summary = "one page of a certificate for a data-protection impact assessment",
    .usage = "CERTIFICATE [-o FILE]",
    .description =
        "The certificate is checked first, as 'semblance verify' does. The page may be published. It says "
        "what the "
        "certificate says; the legal basis and the proportionality of the processing are for you to add.",
    SBL_CLI_OPERAND("CERTIFICATE", "the certificate of a release (JSON)"),
    SBL_CLI_OPTIONS(annex_options),
    SBL_CLI_EXAMPLES(annex_examples),
    .run = run_annex,
};

static const sbl_cli_command *const children[] = {&annex, NULL};

const sbl_cli_command sbl_cmd_certificate = {
    .name = "certificate",
    .summary = "papers that are made from a certificate",
    .description = "See 'semblance verify' to check a certificate, and 'semblance sign' to sign it.",
    .children = children,
};
