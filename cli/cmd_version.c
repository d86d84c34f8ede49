/* version: what this program is and how it was built. */
#include <stdio.h>

#include "command.h"
#include "semblance/version.h"

enum { BUILD };

static const sbl_cli_option options[] = {
    [BUILD] = {.name = "build", .kind = SBL_CLI_FLAG, .help = "also say how it was built"},
};

static const char *const usage[] = {"[--build]", NULL};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    (void)err;
    (void)printf("semblance %s\n", sbl_version());
    if (!parsed->values[BUILD].given) return SBL_OK;
    (void)printf("build       %s\n", SBL_CLI_BUILD_TYPE);
    (void)printf("compiler    %s\n", SBL_CLI_COMPILER);
    (void)printf("system      %s\n", SBL_CLI_SYSTEM);
    (void)printf("sanitizers  %s\n", SBL_CLI_SANITIZE[0] != '\0' ? SBL_CLI_SANITIZE : "none");
    (void)printf("noise keys  %s\n", SBL_CLI_NOISE_KEYS);
    return SBL_OK;
}

const sbl_cli_command sbl_cmd_version = {
    .name = "version",
    .summary = "show the version of the program and how it was built",
    .usage = usage,
    SBL_CLI_OPTIONS(options),
    .run = run,
};
