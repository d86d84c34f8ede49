/* SPDX-License-Identifier: Apache-2.0 */
/* synth: the whole job; fit: the job without records; resume: what is left of either. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "command_run.h"
#include "file_check.h"
#include "job_arguments.h"
#include "output.h"

static const sbl_cli_option options[] = {
    SBL_OPTION_SCHEMA_OR_DISCOVER,
    SBL_OPTION_PACKAGE,
    SBL_OPTION_OUTPUT("the synthetic table: CSV, gzip when it ends in .gz, or Parquet when it ends "
                      "in .parquet; - for standard output; a folder for images and for linked tables",
                      NULL),
    SBL_OPTION_IMAGES,
    SBL_OPTIONS_IMAGE_OUTPUT,
    SBL_OPTION_ROWS("number of rows or images to write", "as many as were fitted"),
    SBL_OPTION_PERSONS,
    SBL_OPTION_REPLICATES,
    SBL_OPTION_MODEL("also keep the model, for more rows later"),
    SBL_OPTIONS_REPORT,
    SBL_OPTIONS_RUNNING,
    SBL_OPTION_VERBOSE,
    SBL_OPTIONS_JOB,
};

static const sbl_cli_option fit_options[] = {
    SBL_OPTION_SCHEMA_OR_DISCOVER,
    SBL_OPTION_PACKAGE,
    SBL_OPTION_MODEL("the model (safetensors)"),
    SBL_OPTION_IMAGES,
    SBL_OPTIONS_RUNNING,
    SBL_OPTION_VERBOSE,
    SBL_OPTIONS_JOB,
};

static const sbl_cli_operand operands[] = {
    {"INPUT",
     "the private table: CSV, plain or gzip, - for standard input; JSON (.json, .ndjson, .jsonl); "
     "Parquet: a file, a folder, a pattern; SPSS, Stata or SAS; or a database, with --table. Several files "
     "of the same "
     "columns, each with its header, are one table"},
};

static const char usage[] =
    "INPUT... [--schema FILE] --epsilon E -o OUTPUT [OPTION...]\n"
    "--package FILE --epsilon E -o FOLDER [OPTION...]\n"
    "--images FILE [--labels FILE] --epsilon E -o FOLDER [OPTION...]";

static const sbl_cli_example examples[] = {
    {"semblance synth build/demo/patients.csv --schema examples/clinic.json --epsilon 1 -o mine.csv",
     "a synthetic table with the same columns, and its certificate"},
    {"semblance synth people.csv --schema people.json --epsilon 1 -o tiny.csv --method marginals",
     "independent columns: for tiny tables, and as a floor to compare other methods with"},
    {"semblance synth --job job.json --epsilon 2 -o more.csv",
     "the options of a job file (--save-job writes one), except those that are typed"},
    {"semblance synth --images train-images.gz --labels train-labels.gz --epsilon 1 -o out/",
     "synthetic images with labels, as an IDX pair in the folder out"},
    {"semblance synth --package bank/datapackage.json --epsilon 1 -o out/",
     "linked tables with keys that hold, and their package, in the folder out"},
    {"semblance synth build/demo/patients.csv --schema examples/clinic.json --epsilon 1 --replicates 20 -o "
     "out/",
     "20 tables for valid confidence intervals: 01.csv to 20.csv in the folder out"},
};

/* The job itself, from its beginning or from the releases that are on disk. */
static sbl_status do_job(sbl_synthesizer **made, const sbl_cli_parsed *parsed, bool resume,
                         const sbl_synth_options *synth, sbl_error *err)
{
    sbl_output output;
    sbl_output_init(&output);
    output.records = sbl_cli_text(parsed, "output");
    output.model = sbl_cli_text(parsed, "model");
    output.rows = sbl_cli_whole(parsed, "rows", 0);
    output.persons = sbl_cli_whole(parsed, "persons", 0);
    output.replicates = sbl_cli_whole(parsed, "replicates", 0);
    output.duckdb = sbl_cli_text(parsed, "duckdb");
    output.format = sbl_cli_image_format(parsed);
    output.preview = sbl_cli_text(parsed, "preview");
    return sbl_cli_fit_files(made, parsed, resume, &output, synth, err);
}

/* The names that files get by default, so that what the report needs is the handle's, too. */
static void name_files(sbl_synth_options *synth, sbl_cli_run_files *files, const sbl_cli_parsed *parsed)
{
    const char *output = sbl_cli_text(parsed, "output");
    if (sbl_cli_text(parsed, "report") == NULL || output == NULL || strcmp(output, "-") == 0) return;
    sbl_cli_name_run_files(files, parsed);
    synth->release_path = files->release;
    synth->certificate_path = files->certificate;
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const bool fit = parsed->command == &sbl_cmd_fit, resume = parsed->command == &sbl_cmd_resume;
    sbl_synth_options synth;
    sbl_cli_run_files files;
    sbl_synthesizer *made = NULL;
    const sbl_synthesizer_item statement =
        sbl_cli_given(parsed, "verbose") != NULL ? SBL_TEXT_STATEMENT : SBL_TEXT_STATEMENT_SHORT;
    sbl_status status = sbl_cli_check_input(parsed, err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "epsilon", err);
    if (status == SBL_OK && (!resume || sbl_cli_text(parsed, "model") == NULL))
        status = sbl_cli_need(parsed, fit ? "model" : "output", err);
    if (status == SBL_OK) status = sbl_cli_synth_options(&synth, parsed, err);
    if (status == SBL_OK) status = sbl_cli_save_job(parsed, err);
    if (status == SBL_OK) name_files(&synth, &files, parsed);
    if (status == SBL_OK) status = sbl_cli_report_check(parsed, &synth, err);
    if (status == SBL_OK) status = do_job(&made, parsed, resume, &synth, err);
    sbl_cli_progress_end();
    if (status == SBL_OK) sbl_cli_say_discovered(parsed, &synth);
    if (status == SBL_OK) sbl_cli_show_success(parsed, sbl_synthesizer_text(made, statement));
    if (status == SBL_OK) status = sbl_cli_report_write(parsed, &synth, made, err);
    sbl_synthesizer_free(made);
    return status;
}

static const sbl_cli_example resume_examples[] = {
    {"semblance resume build/demo/patients.csv --schema examples/clinic.json --epsilon 1 -o mine.csv",
     "continue 'semblance synth' with the same options where it stopped"},
};

const sbl_cli_command sbl_cmd_resume = {
    .name = "resume",
    .summary = "continue a run that was stopped between two releases or in training",
    .usage = usage,
    .description =
        "Use the same command line as for the run that was stopped, with 'resume' instead of "
        "'synth'. "
        "The releases that it made (OUTPUT.release, OUTPUT.release.2, ...) are on disk and in "
        "the ledger: they are checked, and not paid for again; the rounds that are left are. "
        "Training continues from its last checkpoint (OUTPUT.release.training). The data must be "
        "the same. A run of 'fit' is resumed in the same way.",
    SBL_CLI_OPERANDS(operands),
    .optional_operands = 1,
    .joins_operands = true,
    SBL_CLI_OPTIONS(options),
    .steps = SBL_STEP_FIT | SBL_STEP_SAMPLE,
    .reads = SBL_FORMS_ALL,
    SBL_CLI_EXAMPLES(resume_examples),
    .run = run,
};

const sbl_cli_command sbl_cmd_synth = {
    .name = "synth",
    .summary = "make a synthetic table, linked tables or an image set from private ones",
    .usage = usage,
    .description =
        "Releases noisy sums of the private records' features under differential privacy, in one "
        "or more rounds that each read the data, fits a model to them and writes synthetic "
        "records of the same shape.\n\nBeside OUTPUT it writes OUTPUT.release, OUTPUT.release.2, "
        "... (the noisy sums of each round) and OUTPUT.certificate.json (the guarantee, for "
        "'semblance verify'); beside the data its ledger, INPUT.ledger, which adds up what all "
        "releases of it cost. Each release is on disk before the next round starts: a run that "
        "was stopped pays nothing again for what is there, 'semblance resume' continues from it; "
        "after the last one so does 'semblance train'.\n\nWithout --schema the first releases "
        "discover one (see 'semblance schema discover'), with --discover-share of the budget; it "
        "is written to OUTPUT.schema.json, and the certificate covers all releases "
        "together.\n\nFor images (--images) it makes an image set of the same size and classes in "
        "the folder OUTPUT: images-idx3-ubyte.gz (grey; images-idx4-ubyte.gz for RGB) and, if "
        "there are labels, labels-idx1-ubyte.gz, always gzip; or with --format png files "
        "CLASS/000123.png, without labels 000123.png. The other files are next to the folder: "
        "FOLDER.release, FOLDER.certificate.json.\n\nFor linked tables (--package) it makes "
        "NAME.csv "
        "for each table and datapackage.json in the folder OUTPUT, all of them or none; look-up "
        "tables that the package declares public are copied. One row of the root table with all "
        "its child rows is one person, the unit of the guarantee. The ledger is next to the "
        "package.",
    SBL_CLI_OPERANDS(operands),
    .optional_operands = 1,
    .joins_operands = true,
    SBL_CLI_OPTIONS(options),
    .steps = SBL_STEP_FIT | SBL_STEP_SAMPLE,
    .reads = SBL_FORMS_ALL,
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};

static const sbl_cli_example fit_examples[] = {
    {"semblance fit build/demo/patients.csv --schema examples/clinic.json --epsilon 1 -m mine.safetensors",
     "then draw rows with 'semblance sample', as often as you like"},
};

const sbl_cli_command sbl_cmd_fit = {
    .name = "fit",
    .summary = "make a model from a private table or image set",
    .usage =
        "INPUT... [--schema FILE] --epsilon E --model FILE [OPTION...]\n"
        "--package FILE --epsilon E --model FILE [OPTION...]\n"
        "--images FILE [--labels FILE] --epsilon E --model FILE [OPTION...]",
    .description = "Like synth, but keeps the model instead of writing rows.",
    SBL_CLI_OPERANDS(operands),
    .optional_operands = 1,
    .joins_operands = true,
    SBL_CLI_OPTIONS(fit_options),
    .steps = SBL_STEP_FIT,
    .reads = SBL_FORMS_ALL,
    SBL_CLI_EXAMPLES(fit_examples),
    .run = run,
};
