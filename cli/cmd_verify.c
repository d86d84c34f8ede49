/* verify: recompute what a certificate promises. */
#include <stdio.h>

#include "command.h"
#include "number.h"
#include "output.h"
#include "semblance/certificate.h"
#include "semblance/ledger.h"

enum { LEDGER, QUIET };

static const sbl_cli_option options[] = {
    [LEDGER] = {.name = "ledger",
                .value = "FILE",
                .kind = SBL_CLI_TEXT,
                .help = "also check that every release listed stands in this ledger and that the "
                        "ledger was not rolled back behind the certificate"},
    [QUIET] = {.name = "quiet",
               .letter = 'q',
               .kind = SBL_CLI_FLAG,
               .help = "print nothing when all is well"},
};

static const sbl_cli_operand operands[] = {
    {"CERTIFICATE", "the certificate of a release (JSON)"},
};

static const char *const usage[] = {"CERTIFICATE [--ledger FILE] [--quiet]", NULL};

static const sbl_cli_example examples[] = {
    {"semblance verify release.certificate.json", "does the guarantee follow from its parts?"},
    {"semblance verify release.certificate.json --ledger data.ledger",
     "and is every release of the data set counted?"},
};

static void verified(const char *path, const char *claim)
{
    (void)printf("%sverified%s  %s: %s\n", sbl_cli_style_on(stdout, SBL_CLI_GREEN),
                 sbl_cli_style_on(stdout, SBL_CLI_PLAIN), path, claim);
}

/* A certificate speaks of the ledger as it was when it was written; releases since then cost too.
 */
static sbl_status print_ledger_now(const char *path, sbl_error *err)
{
    sbl_ledger *ledger = NULL;
    sbl_ledger_summary now = {.struct_size = sizeof now};
    char epsilon[SBL_CLI_NUMBER_SIZE];
    sbl_status status = sbl_ledger_open(&ledger, path, err);
    if (status == SBL_OK) status = sbl_ledger_get_summary(ledger, &now, err);
    if (status == SBL_OK) {
        verified(path, "holds this release and was not rolled back");
        (void)printf("today     %s: %.0f release%s, epsilon %s together at delta %s\n", path,
                     (double)now.releases, now.releases == 1 ? "" : "s",
                     sbl_cli_rounded_up(epsilon, now.epsilon_spent), now.delta);
    }
    sbl_ledger_close(ledger);
    return status;
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    char *statement = NULL;
    const char *path = parsed->operands[0];
    const char *ledger = parsed->values[LEDGER].text;
    sbl_status status = sbl_certificate_verify(&statement, path, ledger, err);
    if (status == SBL_OK && !parsed->values[QUIET].given) {
        (void)fputs(statement, stdout);
        verified(path, "every number follows from the recorded mechanisms");
        if (ledger != NULL) status = print_ledger_now(ledger, err);
    }
    sbl_string_free(statement);
    return status;
}

const sbl_cli_command sbl_cmd_verify = {
    .name = "verify",
    .summary = "recompute the guarantee of a certificate from its parts",
    .usage = usage,
    .description =
        "Prints the guarantee in words when every field is consistent. Anything inconsistent is "
        "one line that names the field, and exit code 3.",
    .operands = operands,
    .operand_count = SBL_CLI_COUNT(operands),
    .options = options,
    .option_count = SBL_CLI_COUNT(options),
    .examples = examples,
    .example_count = SBL_CLI_COUNT(examples),
    .run = run,
};
