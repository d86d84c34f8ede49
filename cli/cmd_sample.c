/* SPDX-License-Identifier: Apache-2.0 */
/* sample: rows of a model, at no cost. */
#include <stdio.h>

#include "command.h"
#include "command_run.h"
#include "output.h"
#include "semblance/files.h"

static const sbl_cli_option options[] = {
    SBL_OPTION_OUTPUT("the table: CSV, gzip when it ends in .gz, or Parquet when it ends in "
                      ".parquet; for images and for linked tables a "
                      "folder, which must "
                      "be given",
                      "- (standard output); images and linked tables: none"),
    SBL_OPTION_ROWS("number of rows or images to write", "as many as were fitted"),
    SBL_OPTION_PERSONS,
    SBL_OPTION_REPLICATES,
    SBL_CLI_ROW(
        "where", 0, "CONDITION", SBL_CLI_LINES,
        "draw only rows that satisfy this condition: COLUMN=VALUE (no VALUE: missing), or one such as "
        "'age > 80' or 'ward in (surgery, oncology)'; if given several times, all must hold; for "
        "images label=CLASS",
        SBL_OFTEN),
    SBL_OPTIONS_IMAGE_OUTPUT,
    SBL_OPTIONS_RUNNING,
};

static const sbl_cli_example examples[] = {
    {"semblance sample build/demo/clinic.safetensors -n 1000 -o more.csv", "a thousand rows"},
    {"semblance sample people.safetensors -n 5 --where 'income=>50K'", "five rows of one class"},
    {"semblance sample people.safetensors --where sex=Female --where age=40 -o women.csv",
     "women of 40, as many as the model was fitted to"},
    {"semblance sample people.safetensors -n 50 --where 'age > 80' --where 'sex in (Female, "
     "Other)'",
     "a range and a set"},
    {"semblance sample visits.safetensors --persons 20 --where 'sex = f and ward = skin'",
     "twenty women with all their visits, some of them to the ward skin"},
    {"semblance sample digits.safetensors -n 100 --where label=7 -o sevens/",
     "a hundred images of class 7, as an IDX pair in the folder sevens"},
    {"semblance sample build/demo/synthetic.csv.release --replicates 20 -o replicates/",
     "20 tables of an earlier run, for confidence intervals"},
};

/* What is drawn may not replace the model that it is drawn from. */
static sbl_status check_paths(const sbl_cli_parsed *parsed, const char *output, sbl_error *err)
{
    const sbl_named_file paths[] = {{"the model", parsed->operands[0], false},
                                    {"the output", output, true},
                                    {"the preview", sbl_cli_text(parsed, "preview"), true}};
    return sbl_files_check(paths, SBL_CLI_COUNT(paths), err);
}

static sbl_status load_model(sbl_synthesizer *made, const char *model, const char *output, sbl_error *err)
{
    sbl_synthesizer_facts facts = {.struct_size = sizeof facts};
    sbl_status status = sbl_synthesizer_load(made, NULL, 0, model, err);
    if (status == SBL_OK) status = sbl_synthesizer_get_facts(made, &facts, err);
    if (status == SBL_OK && facts.images && output == NULL)
        status = sbl_cli_fail(err, SBL_EARG,
                              "%s is a model of images, which are written to a folder: name it with --output",
                              model);
    return status;
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_synth_options synth;
    const char *output = sbl_cli_text(parsed, "output");
    sbl_synthesizer *made = NULL;
    sbl_sample_options sample;
    sbl_status status = sbl_cli_synth_options(&synth, parsed, err);
    sbl_sample_options_init(&sample);
    sample.rows = sbl_cli_whole(parsed, "rows", 0);
    sample.persons = sbl_cli_whole(parsed, "persons", 0);
    sample.replicates = sbl_cli_whole(parsed, "replicates", 0);
    sample.release = sample.replicates != 0 ? parsed->operands[0] : NULL;
    sample.where = sbl_cli_text(parsed, "where");
    sample.path = output != NULL ? output : "-";
    sample.duckdb = sbl_cli_text(parsed, "duckdb");
    sample.format = sbl_cli_image_format(parsed);
    sample.preview = sbl_cli_text(parsed, "preview");
    if (status == SBL_OK) {
        sample.seed = synth.seed;
        sample.threads = synth.threads;
        sample.overwrite = synth.overwrite;
        sample.progress = synth.progress;
        sample.context = synth.context;
        status = check_paths(parsed, output, err);
    }
    if (status == SBL_OK) status = sbl_synthesizer_new(&made, err);
    if (status == SBL_OK && sample.replicates == 0)
        status = load_model(made, parsed->operands[0], output, err);
    if (status == SBL_OK) status = sbl_synthesizer_sample(made, &sample, err);
    sbl_cli_progress_end();
    sbl_synthesizer_free(made);
    return status;
}

const sbl_cli_command sbl_cmd_sample = {
    .name = "sample",
    .summary = "draw any number of rows or images from a model, at no cost",
    .usage =
        "MODEL [-n N | --persons N] [--where CONDITION] [--seed K] [-o OUTPUT]\n"
        "RELEASE --replicates M [-n N | --persons N] [--seed K] -o FOLDER|FILE.csv",
    .description =
        "The same model, seed and number give the same rows, on every machine.\n\nIf the model cannot draw "
        "by "
        "a condition of --where directly, it draws up to 1000 rows for each row that is wanted, and keeps "
        "those "
        "that satisfy it. A model of histories draws persons with all their rows; each --where must hold "
        "for some row of the person. The class of an image is the name of its subfolder or, for IDX and "
        "CIFAR, its number from 0.\n\nA model of "
        "images writes a folder, as 'semblance synth --images' does: IDX files, always gzip, or "
        "PNG files. The same model, seed and number give the same images for any number of "
        "threads; between processors of different instruction sets (AVX-512, AVX2, others) a few "
        "pixels in a million may differ by 1 of 255.\n\nA model of linked tables writes a folder, "
        "as "
        "'semblance synth --package' does, but for the public look-up tables: NAME.csv for each "
        "table and datapackage.json.",
    SBL_CLI_OPERAND("MODEL",
                    "a model made by fit, train or synth --model; with --replicates the release of "
                    "a run, RELEASE: RELEASE.2, ... are found beside it"),
    SBL_CLI_OPTIONS(options),
    .steps = SBL_STEP_SAMPLE,
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
