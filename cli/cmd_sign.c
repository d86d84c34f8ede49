/* sign: put one's name under a certificate. */
#include <stdio.h>

#include "command.h"
#include "output.h"
#include "rows.h"
#include "semblance/certificate.h"
#include "semblance/files.h"

enum { KEY, OUTPUT, OVERWRITE, QUIET };

static const sbl_cli_option options[] = {
    [KEY] = SBL_FILE_ROW("key", "the private key: Ed25519 in PEM, without a passphrase; required",
                         NULL),
    [OUTPUT] = SBL_WRITES_ROW("output", 'o', "where the signature goes",
                              "CERTIFICATE" SBL_ENDING_SIGNATURE),
    [OVERWRITE] = SBL_OPTION_OVERWRITE("overwrite the signature"),
    [QUIET] = SBL_OPTION_QUIET,
};

static const sbl_cli_operand operands[] = {
    {"CERTIFICATE", "the certificate of a release (JSON)"},
};

static const char *const usage[] = {"CERTIFICATE --key FILE [options]", NULL};

static const sbl_cli_example examples[] = {
    {"openssl genpkey -algorithm ed25519 -out private.pem", "a key, once; keep it to yourself"},
    {"openssl pkey -in private.pem -pubout -out public.pem",
     "its public half, for whoever verifies"},
    {"semblance sign out.csv.certificate.json --key private.pem",
     "makes out.csv.certificate.json.sig"},
    {"semblance verify out.csv.certificate.json --key public.pem", "what the reader does"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_cli_value *values = parsed->values;
    const char *path = parsed->operands[0];
    sbl_status status = sbl_cli_need(parsed, "key", err);
    if (status == SBL_OK)
        status = sbl_certificate_sign(path, values[KEY].text, values[OUTPUT].text,
                                      values[OVERWRITE].given, err);
    if (status != SBL_OK || values[QUIET].given) return status;
    if (values[OUTPUT].given)
        sbl_cli_say(stderr, "signed: %s", values[OUTPUT].text);
    else
        sbl_cli_say(stderr, "signed: %s" SBL_ENDING_SIGNATURE, path);
    return SBL_OK;
}

const sbl_cli_command sbl_cmd_sign = {
    .name = "sign",
    .summary = "sign a certificate with an Ed25519 key",
    .usage = usage,
    .description =
        "Checks the certificate as 'semblance verify' does without files, and signs its bytes. "
        "The signature is a file of 64 bytes beside it, which 'semblance verify --key' and "
        "openssl check: openssl pkeyutl -verify -pubin -inkey public.pem -rawin -in CERTIFICATE "
        "-sigfile CERTIFICATE.sig.",
    SBL_CLI_OPERANDS(operands),
    SBL_CLI_OPTIONS(options),
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
