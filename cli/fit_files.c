/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a run: its options as the library's struct, and the report after it:
 * the public one and, with --evaluate, the NOT PRIVATE comparison over it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_run.h"
#include "file_check.h"
#include "output.h"
#include "semblance/evaluate.h"
#include "semblance/report.h"
#include "semblance/shards.h"

bool sbl_cli_wants_images(const sbl_cli_parsed *parsed) { return sbl_cli_given(parsed, "images") != NULL; }

bool sbl_cli_wants_package(const sbl_cli_parsed *parsed) { return sbl_cli_given(parsed, "package") != NULL; }

sbl_status sbl_cli_open(sbl_data **data, const char *path, const sbl_data_options *options, sbl_error *err)
{
    return path != NULL ? sbl_data_open(data, path, options, err) : SBL_OK;
}

sbl_status sbl_cli_open_package(sbl_data **data, const char *path, const sbl_data_options *options,
                                sbl_error *err)
{
    static const char file[] = "/datapackage.json";
    struct stat found;
    if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode)) return sbl_cli_open(data, path, options, err);
    char *inside = malloc(strlen(path) + sizeof file);
    if (inside == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a path");
    (void)sprintf(inside, "%s%s", path, file);
    const sbl_status status = sbl_cli_open(data, inside, options, err);
    free(inside);
    return status;
}

static unsigned forms_of(const sbl_cli_parsed *parsed)
{
    if (sbl_cli_wants_package(parsed)) return SBL_FORM_PACKAGE;
    return sbl_cli_wants_images(parsed) ? SBL_FORM_IMAGES : SBL_FORM_TABLES;
}

/* Those of these forms that were given, each in its field: it was checked when it was read. */
static sbl_data_options options_of(const sbl_cli_parsed *parsed, unsigned forms)
{
    sbl_data_options options = {.struct_size = sizeof options,
                                .images = sbl_cli_wants_images(parsed),
                                .package = sbl_cli_wants_package(parsed)};
    const sbl_option *option;
    for (size_t i = 0; (option = sbl_option_at(i)) != NULL; i++) {
        const sbl_cli_value *value =
            (option->forms & forms) != 0 ? sbl_cli_given(parsed, option->name) : NULL;
        if (value != NULL && sbl_data_options_set(&options, option->name, value->text, NULL) != SBL_OK) break;
    }
    return options;
}

sbl_data_options sbl_cli_data_options(const sbl_cli_parsed *parsed)
{
    return options_of(parsed, SBL_FORMS_ALL);
}

sbl_status sbl_cli_check_data_options(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const unsigned forms = forms_of(parsed);
    const sbl_option *option;
    for (size_t i = 0; (option = sbl_option_at(i)) != NULL; i++) {
        if (option->forms == 0 || (option->forms & forms) != 0 || sbl_cli_given(parsed, option->name) == NULL)
            continue;
        if ((option->forms & SBL_FORM_TABLES) != 0)
            return sbl_cli_misuse(err, parsed->command, "--%s is for one table, not for --%s", option->name,
                                  forms == SBL_FORM_IMAGES ? "images" : "package");
        return sbl_cli_misuse(err, parsed->command, "--%s needs --%s", option->name,
                              option->forms == SBL_FORM_IMAGES ? "images" : "package");
    }
    if (sbl_cli_given(parsed, "resize") == NULL || sbl_cli_given(parsed, "size") != NULL) return SBL_OK;
    return sbl_cli_misuse(err, parsed->command, "--resize needs --size, e.g. 64x64");
}

sbl_images_format sbl_cli_image_format(const sbl_cli_parsed *parsed)
{
    const sbl_cli_value *format = sbl_cli_given(parsed, "format");
    return format != NULL && format->whole == 1 ? SBL_IMAGES_PNG : SBL_IMAGES_IDX;
}

/* What says how one table is read or drawn says nothing of several. */
static sbl_status check_package(const sbl_cli_parsed *parsed, sbl_error *err)
{
    if (parsed->operand_count > 0)
        return sbl_cli_misuse(err, parsed->command, "give a table or --package, not both");
    if (sbl_cli_wants_images(parsed))
        return sbl_cli_misuse(err, parsed->command, "give --images or --package, not both");
    if (sbl_cli_given(parsed, "schema") != NULL)
        return sbl_cli_misuse(err, parsed->command,
                              "--schema is for one table: the schemas of linked tables are in the --package");
    if (sbl_cli_given(parsed, "discover-share") != NULL)
        return sbl_cli_misuse(err, parsed->command, "--discover-share is for tables without a --schema");
    if (sbl_cli_given(parsed, "rows") != NULL)
        return sbl_cli_misuse(err, parsed->command,
                              "--rows is for one table: for linked tables give --persons");
    if (sbl_cli_given(parsed, "evaluate") != NULL)
        return sbl_cli_misuse(err, parsed->command,
                              "--evaluate is for one table or --images: compare linked tables with "
                              "'semblance evaluate --package'");
    return SBL_OK;
}

sbl_status sbl_cli_check_input(const sbl_cli_parsed *parsed, sbl_error *err)
{
    static const char *const of_images[] = {"format", "preview"};
    const bool images = sbl_cli_wants_images(parsed), package = sbl_cli_wants_package(parsed);
    const sbl_status status = package ? check_package(parsed, err) : SBL_OK;
    if (status != SBL_OK) return status;
    if (images && parsed->operand_count > 0)
        return sbl_cli_misuse(err, parsed->command, "give a table or --images, not both");
    if (images && sbl_cli_given(parsed, "schema") != NULL)
        return sbl_cli_misuse(err, parsed->command, "--schema is for tables, not for --images");
    for (size_t i = 0; !images && i < SBL_CLI_COUNT(of_images); i++)
        if (sbl_cli_given(parsed, of_images[i]) != NULL)
            return sbl_cli_misuse(err, parsed->command, "--%s is for images: add --images, or leave it out",
                                  of_images[i]);
    if (!images && !package && parsed->operand_count < parsed->command->operand_count)
        return sbl_cli_misuse(err, parsed->command, "%s is missing",
                              parsed->command->operands[parsed->operand_count].name);
    if (sbl_cli_given(parsed, "schema") != NULL && sbl_cli_given(parsed, "discover-share") != NULL)
        return sbl_cli_misuse(err, parsed->command, "--discover-share is for tables without a --schema");
    return sbl_cli_check_data_options(parsed, err);
}

/* Of Parquet there is nothing to say of signs. */
sbl_data_options sbl_cli_written_options(const sbl_cli_parsed *parsed, const char *path)
{
    static const char *const parquet[] = {".parquet", ".pq", ".parq"};
    const unsigned forms = forms_of(parsed);
    sbl_data_options options = options_of(parsed, forms == SBL_FORM_TABLES ? SBL_FORM_CSV : forms);
    const sbl_data_options by_type = {.struct_size = sizeof by_type,
                                      .duckdb = sbl_cli_text(parsed, "duckdb")};
    const char *ending = path != NULL ? strrchr(path, '.') : NULL;
    for (size_t i = 0; ending != NULL && i < SBL_CLI_COUNT(parquet); i++)
        if (strcmp(ending, parquet[i]) == 0 && !options.images && !options.package) return by_type;
    options.resize = false;
    return options;
}

/* ---- runs into files ---- */

const char *sbl_cli_input(const sbl_cli_parsed *parsed)
{
    if (sbl_cli_wants_package(parsed)) return sbl_cli_text(parsed, "package");
    return sbl_cli_wants_images(parsed) ? sbl_cli_text(parsed, "images") : parsed->operands[0];
}

/* The file that says what is publicly known; NULL: none does. */
static const char *schema_of(const sbl_cli_parsed *parsed)
{
    const char *package = sbl_cli_text(parsed, "package");
    return package != NULL ? package : sbl_cli_text(parsed, "schema");
}

static sbl_status read_schema(sbl_schema **schema, const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *path = schema_of(parsed);
    const bool outside = sbl_cli_given(parsed, "allow-outside") != NULL;
    return path != NULL ? sbl_schema_from_file(schema, path, outside, err) : SBL_OK;
}

sbl_status sbl_cli_fit_files(sbl_synthesizer **synth, const sbl_cli_parsed *parsed, bool resume,
                             sbl_output *output, const sbl_synth_options *options, sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    const sbl_data_options reading = sbl_cli_data_options(parsed);
    sbl_status status = read_schema(&schema, parsed, err);
    if (status == SBL_OK) status = sbl_data_open(&data, sbl_cli_input(parsed), &reading, err);
    output->schema = schema_of(parsed);
    if (status == SBL_OK) status = sbl_synthesizer_new(synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_write_to(*synth, output, err);
    if (status == SBL_OK)
        status = resume ? sbl_synthesizer_resume(*synth, data, schema, options, err)
                        : sbl_synthesizer_fit(*synth, data, schema, options, err);
    sbl_data_free(data);
    sbl_schema_free(schema);
    return status;
}

sbl_status sbl_cli_plan(char **text, const sbl_cli_parsed *parsed, uint64_t n, bool json,
                        const sbl_synth_options *options, sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    const sbl_data_options reading = sbl_cli_written_options(parsed, NULL);
    const char *path = sbl_cli_wants_images(parsed) ? sbl_cli_input(parsed) : "-";
    sbl_status status = read_schema(&schema, parsed, err);
    if (status == SBL_OK && !sbl_cli_wants_package(parsed))
        status = sbl_data_open(&data, path, &reading, err);
    if (status == SBL_OK) status = sbl_synthesizer_plan(text, schema, data, n, json, options, err);
    sbl_data_free(data);
    sbl_schema_free(schema);
    return status;
}

sbl_status sbl_cli_save_plan(const sbl_cli_parsed *parsed, const sbl_synth_options *options, sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    sbl_shards parts;
    const sbl_data_options reading = sbl_cli_written_options(parsed, NULL);
    sbl_shards_init(&parts);
    parts.step = SBL_SHARDS_PLAN;
    parts.output = sbl_cli_text(parsed, "save");
    parts.rows = sbl_cli_whole(parsed, "rows", 0);
    parts.sites = sbl_cli_text(parsed, "sites");
    parts.persons_at_one_site = sbl_cli_given(parsed, "persons-at-one-site") != NULL;
    sbl_status status = read_schema(&schema, parsed, err);
    if (status == SBL_OK)
        status =
            sbl_data_open(&data, sbl_cli_wants_images(parsed) ? sbl_cli_input(parsed) : "-", &reading, err);
    parts.schema = schema;
    parts.data = data;
    if (status == SBL_OK) status = sbl_shards_run(NULL, &parts, options, err);
    sbl_data_free(data);
    sbl_schema_free(schema);
    return status;
}

/* ---- the report ---- */

static sbl_status check_evaluate(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *test = sbl_cli_text(parsed, "evaluate");
    const char *labels = sbl_cli_text(parsed, "evaluate-labels");
    if (labels != NULL && (test == NULL || !sbl_cli_wants_images(parsed)))
        return sbl_cli_misuse(err, parsed->command, "--evaluate-labels needs --images and --evaluate");
    if (test == NULL) return SBL_OK;
    if (sbl_cli_text(parsed, "report") == NULL)
        return sbl_cli_misuse(err, parsed->command,
                              "--evaluate needs --report FILE, where the comparison goes");
    if ((labels == NULL) != (sbl_cli_text(parsed, "labels") == NULL))
        return sbl_cli_misuse(err, parsed->command, "give both --labels and --evaluate-labels, or neither");
    if (strcmp(sbl_cli_text(parsed, "output"), "-") == 0)
        return sbl_cli_misuse(err, parsed->command,
                              "--evaluate reads the synthetic table again: write it to a file, not to -");
    /* Seen before a budget is spent on a run whose last step could not be done. */
    if (access(test, R_OK) != 0)
        return sbl_cli_fail(err, SBL_EIO, "cannot read %s, which --evaluate names", test);
    if (labels != NULL && access(labels, R_OK) != 0)
        return sbl_cli_fail(err, SBL_EIO, "cannot read %s, which --evaluate-labels names", labels);
    return SBL_OK;
}

sbl_status sbl_cli_report_draws(uint64_t *draws, const sbl_cli_parsed *parsed, sbl_error *err)
{
    *draws = sbl_cli_whole(parsed, "intervals", 6);
    if (*draws == 1)
        return sbl_cli_misuse(
            err, parsed->command,
            "--intervals 1: one draw says nothing of the error; use 2 or more, or 0 for none");
    if (*draws == 0) *draws = 1; /* as the library has it */
    return SBL_OK;
}

sbl_status sbl_cli_report_check(const sbl_cli_parsed *parsed, const sbl_synth_options *synth, sbl_error *err)
{
    sbl_report_options page = {
        .struct_size = sizeof page, .path = sbl_cli_text(parsed, "report"), .overwrite = synth->overwrite};
    page.pictures = sbl_cli_text(parsed, "pictures");
    if (page.pictures != NULL && page.path == NULL)
        return sbl_cli_misuse(err, parsed->command, "--pictures needs --report FILE");
    if (page.path != NULL && sbl_cli_given(parsed, "replicates") != NULL)
        return sbl_cli_misuse(
            err, parsed->command,
            "give --report or --replicates, not both: evaluate --public-only makes a report later");
    sbl_status status = sbl_cli_report_draws(&page.draws, parsed, err);
    if (status == SBL_OK) status = check_evaluate(parsed, err);
    page.check_only = true;
    return status == SBL_OK ? sbl_report(NULL, &page, err) : status;
}

/* The held-out, the synthetic and the fitted records. */
static sbl_status open_sets(sbl_data *sets[3], const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_data_options fitted = sbl_cli_data_options(parsed);
    sbl_data_options real = fitted,
                     synthetic = sbl_cli_written_options(parsed, sbl_cli_text(parsed, "output"));
    const char *input = sbl_cli_input(parsed);
    real.labels = sbl_cli_text(parsed, "evaluate-labels");
    synthetic.labels = NULL; /* they are in the folder */
    sbl_status status = sbl_cli_open(&sets[0], sbl_cli_text(parsed, "evaluate"), &real, err);
    if (status == SBL_OK) status = sbl_cli_open(&sets[1], sbl_cli_text(parsed, "output"), &synthetic, err);
    if (status == SBL_OK && strcmp(input, "-") != 0) status = sbl_cli_open(&sets[2], input, &fitted, err);
    return status;
}

/* Everything again with what the evaluation says. The private records are what was fitted. */
static sbl_status compare(const sbl_cli_parsed *parsed, const sbl_synth_options *synth,
                          const char *schema_name, sbl_report_options *page, sbl_error *err)
{
    sbl_evaluate_options options;
    sbl_data *sets[3] = {NULL, NULL, NULL};
    char *json = NULL;
    sbl_evaluate_options_init(&options);
    options.seed = synth->seed;
    options.threads = synth->threads;
    options.schema_name = schema_name;
    sbl_status status = open_sets(sets, parsed, err);
    if (status == SBL_OK)
        status = sbl_evaluate(&json, NULL, sets[0], sets[1], sets[2], page->schema, &options, err);
    page->evaluation = json;
    page->certificate = sbl_synthesizer_text(page->synth, SBL_TEXT_CERTIFICATE);
    page->synth = NULL;
    page->synthetic = sets[1];
    page->overwrite = true; /* the public report that was just written */
    if (status == SBL_OK) status = sbl_report(NULL, page, err);
    sbl_free(json);
    for (size_t i = 0; i < 3; i++) sbl_data_free(sets[i]);
    return status;
}

/* What is shown in the public report: the images, the linked tables, or the table where it is in a file. */
static sbl_status open_shown(sbl_data **shown, sbl_schema **schema, const sbl_cli_parsed *parsed,
                             const char *schema_path, sbl_error *err)
{
    const sbl_data_options images = {.struct_size = sizeof images, .images = true};
    const sbl_data_options table = sbl_cli_written_options(parsed, sbl_cli_text(parsed, "output"));
    const char *output = sbl_cli_text(parsed, "output");
    if (table.images) return sbl_cli_open(shown, output, &images, err);
    if (output == NULL || strcmp(output, "-") == 0) return SBL_OK;
    const sbl_status status = table.package ? sbl_cli_open_package(shown, output, &table, err)
                                            : sbl_data_open(shown, output, &table, err);
    if (table.package) schema_path = sbl_cli_text(parsed, "package");
    return status == SBL_OK ? sbl_schema_from_file(schema, schema_path, false, err) : status;
}

sbl_status sbl_cli_report_write(const sbl_cli_parsed *parsed, const sbl_synth_options *synth,
                                sbl_synthesizer *made, sbl_error *err)
{
    sbl_cli_run_files files;
    sbl_data *shown = NULL;
    sbl_schema *schema = NULL;
    sbl_report_options page;
    sbl_report_options_init(&page);
    page.path = sbl_cli_text(parsed, "report");
    if (page.path == NULL) return SBL_OK;
    sbl_cli_name_run_files(&files, parsed);
    sbl_status status = open_shown(&shown, &schema, parsed, files.schema, err);
    page.synth = made;
    page.synthetic = shown;
    page.schema = schema;
    page.overwrite = synth->overwrite;
    page.pictures = sbl_cli_text(parsed, "pictures");
    if (status == SBL_OK) status = sbl_cli_report_draws(&page.draws, parsed, err);
    page.progress = sbl_cli_progress_begin(parsed);
    if (status == SBL_OK) status = sbl_report(NULL, &page, err);
    sbl_cli_progress_end();
    page.pictures = NULL;
    page.progress = NULL;
    sbl_data_free(shown);
    if (status == SBL_OK && sbl_cli_text(parsed, "evaluate") != NULL) {
        status = compare(parsed, synth, files.schema, &page, err);
        if (status == SBL_OK && !sbl_cli_is_quiet(parsed))
            sbl_cli_say(stderr, "semblance: %s is NOT PRIVATE: it compares real and synthetic %s", page.path,
                        sbl_cli_wants_images(parsed) ? "images" : "rows");
    }
    sbl_schema_free(schema);
    return status;
}
