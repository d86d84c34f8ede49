/* SPDX-License-Identifier: Apache-2.0 */
/* version: what this program is and how it was built. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "semblance/evaluate.h"
#include "semblance/memory.h"
#include "semblance/version.h"

/* What a build that guarantees nothing adds to its version. */
#ifndef SBL_CLI_NOTICE
#define SBL_CLI_NOTICE ""
#endif

static const sbl_cli_option options[] = {
    SBL_FLAG_ROW("build", 0, "also say how it was built"),
};

/* What a library says of itself, in the same columns; frees the text. */
static void print_library(char *text)
{
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char *tab = memchr(line, '\t', (size_t)(end - line));
        (void)printf("%-11.*s %.*s\n", (int)(tab - line), line, (int)(end - tab - 1), tab + 1);
    }
    sbl_free(text);
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    (void)printf("semblance %s" SBL_CLI_NOTICE "\n", sbl_version());
    if (sbl_cli_given(parsed, "build") == NULL) return SBL_OK;
    (void)printf("build       %s\n", SBL_CLI_BUILD_TYPE);
    (void)printf("system      %s\n", SBL_CLI_SYSTEM);
    (void)printf("sanitizers  %s\n", SBL_CLI_SANITIZE[0] != '\0' ? SBL_CLI_SANITIZE : "none");
    (void)printf("noise keys  %s\n", SBL_CLI_NOISE_KEYS);
    char *text = NULL;
    sbl_status status = sbl_build_describe(&text, NULL, err);
    if (status != SBL_OK) return status;
    print_library(text);
    status = sbl_evaluate_describe_build(&text, err);
    if (status == SBL_OK) print_library(text);
    return status;
}

static const sbl_cli_example examples[] = {
    {"semblance version --build", "the version, the compiler and the libraries"},
};

const sbl_cli_command sbl_cmd_version = {
    .name = "version",
    .summary = "show the version of the program and how it was built",
    .usage = "[--build]",
    SBL_CLI_OPTIONS(options),
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
