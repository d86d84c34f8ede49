/* SPDX-License-Identifier: Apache-2.0 */
/* verify: recompute what a certificate promises. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "number.h"
#include "option_rows.h"
#include "output.h"
#include "semblance/certificate.h"
#include "semblance/files.h"
#include "semblance/ledger.h"

#define MOST_FILES 64

static const sbl_cli_option options[] = {
    SBL_FILE_ROW("ledger",
                 "also check that this ledger has every release listed and that the "
                 "ledger was not rolled back behind the certificate",
                 NULL),
    SBL_TEXT_ROW("release", "FILE,...",
                 "also check that these are the releases that are listed, to the byte, and "
                 "derive their cost again from what they hold",
                 NULL),
    SBL_FILE_ROW("schema",
                 "also check that this is the schema that was used: the same facts, however "
                 "the file is laid out",
                 NULL),
    SBL_FILE_ROW("model", "also check that this is the model that is listed, to the byte", NULL),
    SBL_CLI_ROW("output", 'o', "FILE,...", SBL_CLI_TEXT,
                "also check that these are synthetic files that are listed, to the byte; of a folder, "
                "that every output that is listed is in it",
                .standard = NULL),
    SBL_FILE_ROW("key",
                 "also check that the certificate was signed by the owner of this public key "
                 "(Ed25519, PEM)",
                 NULL),
    SBL_FILE_ROW("signature", "where the signature stands, for --key", "CERTIFICATE" SBL_ENDING_SIGNATURE),
    SBL_FLAG_ROW("json", 0, "one JSON object, where the certificate holds; exit codes are the same"),
    SBL_OPTION_QUIET,
};

static const sbl_cli_example examples[] = {
    {"semblance verify build/demo/synthetic.csv.certificate.json --output build/demo/synthetic.csv",
     "recompute the guarantee, and check that it is about this table"},
    {"semblance verify build/demo/synthetic.csv.certificate.json --ledger build/demo/patients.csv.ledger",
     "also check that every release of the data set is counted"},
    {"semblance verify out.csv.certificate.json --key public.pem",
     "also check that the owner of this key signed it"},
};

static void verified(const char *path, const char *claim) { sbl_cli_verified("%s: %s", path, claim); }

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
        sbl_cli_say(stdout, "today     %s: %.0f release%s, epsilon %s together at delta %s", path,
                    (double)now.releases, now.releases == 1 ? "" : "s",
                    sbl_cli_rounded_up(epsilon, now.epsilon_spent), now.delta);
    }
    sbl_ledger_close(ledger);
    return status;
}

/* The files of a list with commas between them, in a copy of it. */
typedef struct file_list {
    char *text;
    const char *files[MOST_FILES];
    size_t count;
} file_list;

static sbl_status split_list(file_list *list, const sbl_cli_parsed *parsed, const char *option,
                             sbl_error *err)
{
    *list = (file_list){0};
    if (sbl_cli_text(parsed, option) == NULL) return SBL_OK;
    list->text = strdup(sbl_cli_text(parsed, option));
    char *rest = list->text;
    while (rest != NULL && list->count < MOST_FILES) list->files[list->count++] = strsep(&rest, ",");
    if (rest == NULL && list->text != NULL) return SBL_OK;
    return sbl_cli_misuse(err, parsed->command, "--%s takes at most %d files", option, MOST_FILES);
}

static bool is_folder(const char *path)
{
    struct stat seen;
    return stat(path, &seen) == 0 && S_ISDIR(seen.st_mode);
}

static void print_files(const sbl_certificate_files *files)
{
    for (size_t i = 0; i < files->release_count; i++)
        verified(files->releases[i], "is the release that is listed, and costs what is stated");
    if (files->schema != NULL) verified(files->schema, "says what the schema of the run said");
    if (files->model != NULL) verified(files->model, "is the model that is listed");
    for (size_t i = 0; i < files->output_count; i++)
        verified(files->outputs[i], is_folder(files->outputs[i]) ? "holds every output that is listed"
                                                                 : "is an output that is listed");
}

/* ---- as JSON ---- */

static void add_checked(json_t *list, const char *kind, const char *file)
{
    if (file != NULL) (void)json_array_append_new(list, json_pack("{s:s, s:s}", "kind", kind, "file", file));
}

static json_t *checked_of(const sbl_certificate_files *files)
{
    json_t *list = json_array();
    for (size_t i = 0; i < files->release_count; i++) add_checked(list, "release", files->releases[i]);
    add_checked(list, "schema", files->schema);
    add_checked(list, "model", files->model);
    for (size_t i = 0; i < files->output_count; i++) add_checked(list, "output", files->outputs[i]);
    add_checked(list, "key", files->key);
    add_checked(list, "ledger", files->ledger);
    return list;
}

/* JSON has no infinity: null. */
static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *ledger_now(const char *path, sbl_error *err)
{
    sbl_ledger *ledger = NULL;
    sbl_ledger_summary now = {.struct_size = sizeof now};
    json_t *object = NULL;
    if (path == NULL) return json_null();
    if (sbl_ledger_open(&ledger, path, err) == SBL_OK && sbl_ledger_get_summary(ledger, &now, err) == SBL_OK)
        object = json_pack("{s:I, s:o, s:f}", "releases", (json_int_t)now.releases, "epsilon",
                           number(now.epsilon_spent), "delta", strtod(now.delta, NULL));
    sbl_ledger_close(ledger);
    return object;
}

static sbl_status print_json(const char *path, const sbl_certificate_files *files, const char *statement,
                             sbl_error *err)
{
    sbl_guarantee facts = {.struct_size = sizeof facts};
    char *text = NULL, *json = NULL;
    json_t *certificate = json_load_file(path, 0, NULL), *now = NULL, *all = NULL;
    sbl_status status = SBL_OK;
    text = certificate != NULL ? json_dumps(certificate, JSON_COMPACT) : NULL;
    if (text == NULL) status = sbl_cli_fail(err, SBL_EMEM, "out of memory for %s", path);
    if (status == SBL_OK) status = sbl_certificate_read(&facts, NULL, text, strlen(text), err);
    if (status == SBL_OK && (now = ledger_now(files->ledger, err)) == NULL) status = err->status;
    if (status == SBL_OK)
        all = json_pack("{s:b, s:s, s:b, s:o, s:f, s:f, s:o, s:s, s:s, s:I, s:I, s:O, s:o, s:O, s:s}",
                        "verified", true, "certificate", path, "guaranteed", facts.holds, "epsilon",
                        number(facts.epsilon), "delta", facts.delta, "mu", facts.mu, "epsilon_of_run",
                        number(facts.epsilon_of_run), "method", facts.method, "neighbours",
                        sbl_neighbours_name(facts.neighbours), "releases", (json_int_t)facts.releases,
                        "other_releases", (json_int_t)facts.others, "files",
                        json_object_get(certificate, "files"), "checked", checked_of(files), "ledger", now,
                        "statement", statement);
    json = all != NULL ? json_dumps(all, JSON_INDENT(2)) : NULL;
    if (status == SBL_OK && json == NULL) status = sbl_cli_fail(err, SBL_EMEM, "out of memory for JSON");
    if (status == SBL_OK) (void)puts(json);
    free(json);
    free(text);
    json_decref(all);
    json_decref(now);
    json_decref(certificate);
    return status;
}

static sbl_status verify_with(const sbl_cli_parsed *parsed, const file_list *releases,
                              const file_list *outputs, sbl_error *err)
{
    char *statement = NULL;
    const char *path = parsed->operands[0];
    const char *ledger = sbl_cli_text(parsed, "ledger");
    sbl_certificate_files files;
    sbl_certificate_files_init(&files);
    files.ledger = ledger;
    files.releases = releases->files;
    files.release_count = releases->count;
    files.schema = sbl_cli_text(parsed, "schema");
    files.model = sbl_cli_text(parsed, "model");
    files.outputs = outputs->files;
    files.output_count = outputs->count;
    files.key = sbl_cli_text(parsed, "key");
    files.signature = sbl_cli_text(parsed, "signature");
    sbl_status status = sbl_certificate_verify(&statement, path, &files, err);
    if (status == SBL_OK && sbl_cli_given(parsed, "json") != NULL) {
        status = print_json(path, &files, statement, err);
    } else if (status == SBL_OK && sbl_cli_given(parsed, "quiet") == NULL) {
        (void)fputs(statement, stdout);
        verified(path, "every number follows from the recorded mechanisms");
        if (files.key != NULL) verified(path, "was signed by the owner of the key");
        print_files(&files);
        if (ledger != NULL) status = print_ledger_now(ledger, err);
    }
    sbl_free(statement);
    return status;
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    file_list releases;
    file_list outputs;
    if (sbl_cli_text(parsed, "signature") != NULL && sbl_cli_text(parsed, "key") == NULL)
        return sbl_cli_misuse(err, parsed->command, "option --signature needs --key");
    sbl_status status = split_list(&releases, parsed, "release", err);
    const sbl_status second = split_list(&outputs, parsed, "output", err);
    if (status == SBL_OK) status = second;
    if (status == SBL_OK) status = verify_with(parsed, &releases, &outputs, err);
    free(releases.text);
    free(outputs.text);
    return status;
}

const sbl_cli_command sbl_cmd_verify = {
    .name = "verify",
    .summary = "recompute the guarantee of a certificate from its parts",
    .usage = "CERTIFICATE [--ledger FILE] [options]",
    .description =
        "Prints the guarantee in words when every field is consistent. Anything inconsistent is "
        "one line that names the field, and exit code 3.",
    SBL_CLI_OPERAND("CERTIFICATE", "the certificate of a release (JSON)"),
    SBL_CLI_OPTIONS(options),
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
