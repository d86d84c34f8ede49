/* SPDX-License-Identifier: Apache-2.0 */
/* sign: put one's name under a certificate. */
#include <stdio.h>

#include "command.h"
#include "option_rows.h"
#include "output.h"
#include "semblance/certificate.h"
#include "semblance/files.h"

static const sbl_cli_option options[] = {
    SBL_FILE_ROW("key", "the private key: Ed25519 in PEM, without a passphrase; required", NULL),
    SBL_WRITES_ROW("output", 'o', "where the signature goes", "CERTIFICATE" SBL_ENDING_SIGNATURE),
    SBL_OPTION_OVERWRITE("overwrite the signature"),
    SBL_OPTION_QUIET,
};

static const sbl_cli_example examples[] = {
    {"semblance sign build/demo/synthetic.csv.certificate.json --key private.pem",
     "'openssl genpkey -algorithm ed25519 -out private.pem' makes the key, once; keep it secret"},
    {"openssl pkey -in private.pem -pubout -out public.pem", "its public half, for people who verify"},
    {"semblance verify build/demo/synthetic.csv.certificate.json --key public.pem", "check the signature"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *path = parsed->operands[0], *output = sbl_cli_text(parsed, "output");
    sbl_status status = sbl_cli_need(parsed, "key", err);
    if (status == SBL_OK)
        status = sbl_certificate_sign(path, sbl_cli_text(parsed, "key"), output,
                                      sbl_cli_given(parsed, "overwrite") != NULL, err);
    if (status == SBL_OK && sbl_cli_given(parsed, "quiet") == NULL)
        sbl_cli_say(stderr, "signed: %s%s", output != NULL ? output : path,
                    output != NULL ? "" : SBL_ENDING_SIGNATURE);
    return status;
}

const sbl_cli_command sbl_cmd_sign = {
    .name = "sign",
    .summary = "sign a certificate with an Ed25519 key",
    .usage = "CERTIFICATE --key FILE [options]",
    .description =
        "Checks the certificate as 'semblance verify' does without files, and signs its bytes. "
        "The signature is a file of 64 bytes beside it, which 'semblance verify --key' and "
        "openssl check: openssl pkeyutl -verify -pubin -inkey public.pem -rawin -in CERTIFICATE "
        "-sigfile CERTIFICATE.sig.",
    SBL_CLI_OPERAND("CERTIFICATE", "the certificate of a release (JSON)"),
    SBL_CLI_OPTIONS(options),
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
