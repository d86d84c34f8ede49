/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate: real against synthetic. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_run.h"
#include "option_args.h"
#include "output.h"
#include "semblance/certificate.h"
#include "semblance/evaluate.h"
#include "semblance/report.h"

#define CHUNK 65536

static const sbl_cli_range thread_count = {1, 1024, false, "a whole number from 1 to 1024"};
static const sbl_cli_range set_count = {1, 100000, false, "a whole number from 1 to 100000"};

static const sbl_cli_option options[] = {
    SBL_FILE_ROW("real", "real rows that were not fitted (a holdout): CSV, or gzip", NULL, SBL_OFTEN),
    SBL_FILE_ROW("synthetic", "the synthetic table", NULL, SBL_OFTEN),
    SBL_OPTION_SCHEMA,
    SBL_FILE_ROW("package",
                 "compare linked tables, not one: the Data Package (JSON) that describes them; "
                 "--real, --synthetic and --train are then packages, or folders with a "
                 "datapackage.json, and --real may be left out: it is this package",
                 NULL, SBL_OFTEN),
    SBL_FILE_ROW("train", "the real rows that were fitted: adds disclosure tests and a better ceiling", NULL,
                 SBL_OFTEN),
    SBL_TEXT_ROW("train-table", "NAME", "if --train is a database: its table; --table is the table of --real",
                 NULL),
    SBL_FLAG_ROW("images", 0,
                 "compare images, not tables: --real, --synthetic and --train are then IDX "
                 "files, CIFAR binary files or folders, also one that 'synth --images' wrote",
                 SBL_OFTEN),
    SBL_FILE_ROW("real-labels", "labels of real IDX images", NULL),
    SBL_FILE_ROW("synthetic-labels", "labels of synthetic IDX images", "those in the folder"),
    SBL_FILE_ROW("train-labels", "labels of training IDX images", NULL),
    SBL_FILE_ROW("encoder",
                 "safetensors file of the encoder whose features measure the Frechet distance of images, or "
                 "vgg-s, which is built in",
                 "a random one, always the same"),
    SBL_TEXT_ROW("models", "LIST",
                 "models that learn from synthetic rows and are tested on real ones, e.g. logistic,xgboost; "
                 "for images: logistic,mlp,cnn; or none",
                 "all that are built in"),
    SBL_WHOLE_ROW("sets", 0, "N", "most sets of columns of each size; a seeded sample if more", "2000",
                  &set_count),
    SBL_WHOLE_ROW("seed", 0, "K", "seed of samples, shuffles and models", "0", &sbl_cli_any_whole),
    SBL_FLAG_ROW("json", 0, "one JSON object on one line", SBL_OFTEN),
    SBL_WRITES_ROW("report", 0, "also write a report in HTML", NULL, SBL_OFTEN),
    SBL_FILE_ROW("certificate", "the certificate to show in the report", NULL),
    SBL_FLAG_ROW("public-only", 0,
                 "only write the report, and read no real data: the certificate in words, and with --images "
                 "some synthetic images, or with --release the columns and pairs of a table with intervals"),
    SBL_FILE_ROW(
        "release",
        "with --public-only: the first release file of the run, for a table or linked tables. The report "
        "then shows them with intervals",
        NULL),
    SBL_OPTION_INTERVALS,
    SBL_OPTION_PICTURES,
    SBL_WHOLE_ROW("threads", 0, "T", "threads to use", "all", &thread_count),
    SBL_OPTION_OVERWRITE("overwrite the report"),
    SBL_OPTION_PROGRESS,
};

static const sbl_cli_example examples[] = {
    {"semblance evaluate --real build/demo/others.csv --synthetic build/demo/synthetic.csv --schema "
     "examples/clinic.json",
     "how good is it? (--train build/demo/patients.csv also tests for disclosure)"},
    {"semblance evaluate --real new.csv --synthetic syn.csv --schema s.json --json", "the same for programs"},
    {"semblance evaluate --images --real t.gz --real-labels l.gz --synthetic out/",
     "how good are the images of 'synth --images ... -o out/'?"},
    {"semblance evaluate --package new/datapackage.json --synthetic out/",
     "how good are the linked tables of 'synth --package ... -o out/'?"},
};

static void show_extra_column(void *context, const char *name)
{
    sbl_cli_say(stderr, "semblance: %s: column '%s' is not in the schema and is left out",
                (const char *)context, name);
}

/* The file that says what is publicly known. */
static const char *schema_of(const sbl_cli_parsed *parsed)
{
    return sbl_cli_text(parsed, sbl_cli_wants_package(parsed) ? "package" : "schema");
}

static void read_options(sbl_evaluate_options *evaluate, const sbl_cli_parsed *parsed)
{
    sbl_evaluate_options_init(evaluate);
    evaluate->models = sbl_cli_text(parsed, "models");
    evaluate->sets = sbl_cli_whole(parsed, "sets", 0);
    evaluate->seed = sbl_cli_whole(parsed, "seed", 0);
    evaluate->threads = (unsigned)sbl_cli_whole(parsed, "threads", 0);
    evaluate->encoder_path = sbl_cli_text(parsed, "encoder");
    evaluate->schema_name = schema_of(parsed);
    evaluate->progress = sbl_cli_progress_begin(parsed);
    evaluate->notice = sbl_cli_speaks_in_lines() ? NULL : show_extra_column;
    /* Only handed back to show_extra_column, which does not write to it. */
    evaluate->context = (void *)(uintptr_t)sbl_cli_text(parsed, "synthetic");
}

/* Options that belong to tables, and to images. */
static sbl_status check_kind(const sbl_cli_parsed *parsed, bool images, sbl_error *err)
{
    static const char *const of_tables[] = {"schema", "sets"};
    static const char *const of_images[] = {"real-labels", "synthetic-labels", "train-labels", "encoder"};
    if (sbl_cli_wants_package(parsed)) return sbl_cli_check_input(parsed, err);
    for (size_t i = 0; images && i < SBL_CLI_COUNT(of_tables); i++)
        if (sbl_cli_given(parsed, of_tables[i]) != NULL)
            return sbl_cli_misuse(err, parsed->command, "--%s is for tables, not for --images", of_tables[i]);
    for (size_t i = 0; !images && i < SBL_CLI_COUNT(of_images); i++)
        if (sbl_cli_given(parsed, of_images[i]) != NULL)
            return sbl_cli_misuse(err, parsed->command, "--%s is for images: add --images, or leave it out",
                                  of_images[i]);
    if (sbl_cli_given(parsed, "train-labels") != NULL && sbl_cli_given(parsed, "train") == NULL)
        return sbl_cli_misuse(err, parsed->command, "--train-labels needs --train");
    return sbl_cli_check_data_options(parsed, err);
}

/* What must be given, and what a public report has no use for. */
static sbl_status check_needs(const sbl_cli_parsed *parsed, bool images, sbl_error *err)
{
    static const char *const of_comparisons[] = {
        "real", "real-labels", "train", "train-labels", "train-table", "models", "sets", "encoder", "json"};
    static const char *const of_releases[] = {"release", "intervals", "pictures"};
    sbl_status status = SBL_OK;
    const bool package = sbl_cli_wants_package(parsed);
    if (sbl_cli_given(parsed, "public-only") == NULL) {
        if (!package) status = sbl_cli_need(parsed, "real", err);
        if (status == SBL_OK) status = sbl_cli_need(parsed, "synthetic", err);
        if (status == SBL_OK && !images && !package) status = sbl_cli_need(parsed, "schema", err);
        if (status == SBL_OK && sbl_cli_given(parsed, "certificate") != NULL)
            status = sbl_cli_need(parsed, "report", err);
        for (size_t i = 0; status == SBL_OK && i < SBL_CLI_COUNT(of_releases); i++)
            if (sbl_cli_given(parsed, of_releases[i]) != NULL)
                return sbl_cli_misuse(err, parsed->command, "--%s needs --public-only", of_releases[i]);
        return status;
    }
    for (size_t i = 0; i < SBL_CLI_COUNT(of_comparisons); i++)
        if (sbl_cli_given(parsed, of_comparisons[i]) != NULL)
            return sbl_cli_misuse(err, parsed->command, "--public-only reads no real data: leave out --%s",
                                  of_comparisons[i]);
    status = sbl_cli_need(parsed, "report", err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "certificate", err);
    return status == SBL_OK && images ? sbl_cli_need(parsed, "synthetic", err) : status;
}

/* A whole file as text; free(). */
static sbl_status read_text(char **text, const char *path, sbl_error *err)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, got = 1;
    bool good = file != NULL;
    while (good && got > 0) {
        char *grown = realloc(*text, size + CHUNK + 1);
        if (grown != NULL) *text = grown;
        got = grown != NULL ? fread(*text + size, 1, CHUNK, file) : 0;
        size += got;
        good = grown != NULL && ferror(file) == 0;
    }
    if (file != NULL) (void)fclose(file);
    if (!good) return sbl_cli_fail(err, SBL_EIO, "cannot read %s: %s", path, strerror(errno));
    (*text)[size] = '\0';
    return SBL_OK;
}

/* Images that a public report shows beside a certificate should be what that lists: by mistake they may be real
 * ones. What was drawn from the model later, or as PNG files, is on no list, so that this is the owner's word. */
static void warn_of_unlisted(const char *certificate, const char *synthetic)
{
    static const char *const endings[] = {"", "/images-idx3-ubyte.gz", "/images-idx4-ubyte.gz"};
    char path[4096];
    const char *const outputs[] = {path};
    sbl_certificate_files files;
    sbl_certificate_files_init(&files);
    files.outputs = outputs;
    files.output_count = 1;
    for (size_t i = 0; i < SBL_CLI_COUNT(endings); i++) {
        char *statement = NULL;
        (void)snprintf(path, sizeof path, "%s%s", synthetic, endings[i]);
        const sbl_status status = sbl_certificate_verify(&statement, certificate, &files, NULL);
        sbl_free(statement);
        if (status == SBL_OK) return;
    }
    sbl_cli_say(stderr,
                "semblance: WARNING: %s does not list %s: make sure that these are the synthetic images "
                "before you publish the report",
                certificate, synthetic);
}

/* What is compared: real, synthetic and fitted records, and the schema of tables. */
typedef struct compared {
    sbl_data *sets[3];
    sbl_schema *schema;
} compared;

static void clear(compared *c)
{
    for (size_t i = 0; i < 3; i++) sbl_data_free(c->sets[i]);
    sbl_schema_free(c->schema);
}

/* For linked tables: real without a name is the package of the schema. */
static sbl_status open_package(sbl_data **data, const sbl_cli_parsed *parsed, const char *option,
                               const sbl_data_options *reading, sbl_error *err)
{
    const char *given = sbl_cli_text(parsed, option);
    if (given == NULL && strcmp(option, "real") == 0) given = sbl_cli_text(parsed, "package");
    return given != NULL ? sbl_cli_open_package(data, given, reading, err) : SBL_OK;
}

static sbl_status open_compared(compared *c, const sbl_cli_parsed *parsed, bool images, sbl_error *err)
{
    static const char *const names[][2] = {
        {"real", "real-labels"}, {"synthetic", "synthetic-labels"}, {"train", "train-labels"}};
    const bool alone = sbl_cli_given(parsed, "public-only") != NULL;
    sbl_status status = SBL_OK;
    for (size_t i = 0; status == SBL_OK && i < 3; i++) {
        sbl_data_options reading = i == 1 ? sbl_cli_written_options(parsed, sbl_cli_text(parsed, "synthetic"))
                                          : sbl_cli_data_options(parsed);
        if (i == 2 && sbl_cli_given(parsed, "train") != NULL && sbl_cli_given(parsed, "train-table") != NULL)
            reading.table = sbl_cli_text(parsed, "train-table");
        reading.labels = sbl_cli_text(parsed, names[i][1]);
        if (sbl_cli_wants_package(parsed) && !alone)
            status = open_package(&c->sets[i], parsed, names[i][0], &reading, err);
        else if (images || !alone)
            status = sbl_cli_open(&c->sets[i], sbl_cli_text(parsed, names[i][0]), &reading, err);
    }
    if (status == SBL_OK && !images && !alone)
        status = sbl_schema_from_file(&c->schema, schema_of(parsed),
                                      sbl_cli_given(parsed, "allow-outside") != NULL, err);
    return status;
}

static sbl_status compare(char **json, const compared *c, const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_evaluate_options evaluate;
    char *text = NULL;
    const bool as_json = sbl_cli_given(parsed, "json") != NULL;
    read_options(&evaluate, parsed);
    const sbl_status status = sbl_evaluate(json, as_json ? NULL : &text, c->sets[0], c->sets[1], c->sets[2],
                                           c->schema, &evaluate, err);
    sbl_cli_progress_end();
    if (status == SBL_OK) (void)fputs(as_json ? *json : text, stdout);
    sbl_free(text);
    return status;
}

static sbl_status compare_and_report(const compared *c, const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_report_options page;
    char *certificate = NULL, *json = NULL;
    const char *path = sbl_cli_text(parsed, "certificate");
    sbl_status status = path != NULL ? read_text(&certificate, path, err) : SBL_OK;
    sbl_report_options_init(&page);
    page.path = sbl_cli_text(parsed, "report");
    page.overwrite = sbl_cli_given(parsed, "overwrite") != NULL;
    page.certificate = certificate;
    /* Linked tables have no pictures of their own. */
    page.synthetic = sbl_cli_wants_package(parsed) ? NULL : c->sets[1];
    page.schema = sbl_cli_wants_package(parsed) ? NULL : c->schema;
    page.release = sbl_cli_text(parsed, "release");
    page.pictures = sbl_cli_text(parsed, "pictures");
    if (status == SBL_OK) status = sbl_cli_report_draws(&page.draws, parsed, err);
    page.check_only = true;
    if (status == SBL_OK) status = sbl_report(NULL, &page, err);
    page.check_only = false;
    if (status == SBL_OK && sbl_cli_given(parsed, "public-only") == NULL)
        status = compare(&json, c, parsed, err);
    page.evaluation = json;
    if (status == SBL_OK && json == NULL && sbl_cli_given(parsed, "images") != NULL)
        warn_of_unlisted(path, sbl_cli_text(parsed, "synthetic"));
    page.progress = sbl_cli_progress_begin(parsed);
    if (status == SBL_OK && page.path != NULL) status = sbl_report(NULL, &page, err);
    sbl_cli_progress_end();
    sbl_free(json);
    free(certificate);
    return status;
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    compared c = {{NULL}, NULL};
    const bool images = sbl_cli_given(parsed, "images") != NULL;
    sbl_status status = check_kind(parsed, images, err);
    if (status == SBL_OK) status = check_needs(parsed, images, err);
    if (status == SBL_OK) status = open_compared(&c, parsed, images, err);
    if (status == SBL_OK) status = compare_and_report(&c, parsed, err);
    clear(&c);
    return status;
}

const sbl_cli_command sbl_cmd_evaluate = {
    .name = "evaluate",
    .summary = "compare a synthetic table or image set with a real one (NOT PRIVATE)",
    .usage =
        "--real TEST --synthetic SYN --schema FILE [--train TRAIN] [OPTION...]\n"
        "--images --real TEST --real-labels FILE --synthetic FOLDER [OPTION...]\n"
        "--package FILE --synthetic FOLDER [--real FOLDER] [--train FOLDER] [OPTION...]\n"
        "--public-only --certificate FILE --report FILE [--release FILE]\n"
        "--public-only --certificate FILE --report FILE --images --synthetic FOLDER",
    .description =
        "Every number is computed from real records, except with --public-only. The numbers are for the "
        "owner "
        "of the data and are never published with the release. No ledger is changed and no budget is "
        "spent.\n\nEach number comes with a floor (the real columns, each shuffled on its own) and a "
        "ceiling (real against real). It measures distances of columns, marginals and associations, and "
        "models that learn from synthetic rows and are tested on real ones. If the schema has a unit, it "
        "also compares persons: numbers of events, gaps, what follows what, sums, and whether the facts "
        "of a person stay the same. With --train it adds smoke tests of disclosure, which prove "
        "nothing. The last line is a verdict.\n\nFor images (--images) it measures the accuracy of models "
        "that "
        "learn from synthetic images and are tested on real ones, a Frechet distance in the features "
        "of a named encoder, and the nearest real images. The floor is images whose pixels are drawn one "
        "by one from the real ones of their class. A report shows grids of images, real ones too.\n\nFor "
        "linked tables (--package) it checks that keys are valid, and compares the "
        "numbers of child rows, each table's columns alone, with their parent's columns and with the "
        "previous row, and sums. A report shows some synthetic persons with their rows in all tables.",
    SBL_CLI_OPTIONS(options),
    .reads = SBL_FORMS_ALL,
    .without = {"labels", "balanced"},
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
