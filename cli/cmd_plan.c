/* plan: what would be released, before any record is read. */
#include <stdio.h>

#include "command.h"
#include "output.h"
#include "run.h"

static const sbl_cli_option options[] = {
    SBL_OPTION_SCHEMA,
    SBL_OPTION_PACKAGE,
    SBL_OPTION_ROWS(
        "number of private rows or images; for images under add-remove it must be given",
        "images: as many as the files hold"),
    SBL_WHOLE_ROW("persons", 0, "N", "number of private persons of linked tables (--package)", NULL,
                  &sbl_cli_count),
    SBL_OPTIONS_WRITTEN,
    SBL_OPTIONS_IMAGES,
    SBL_FLAG_ROW("json", 0, "one JSON object"),
};

static const sbl_cli_example examples[] = {
    {"semblance plan --schema people.json --epsilon 1 -n 30000",
     "is the noise small against the signal?"},
    {"semblance plan --images train-images.gz --labels train-labels.gz --epsilon 1",
     "the same for images; their number and size are taken from the files"},
    {"semblance plan --package bank/datapackage.json --epsilon 1 --persons 4500",
     "the same for linked tables"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_synth_options synth;
    char *text = NULL;
    const bool json = sbl_cli_given(parsed, "json") != NULL;
    const bool package = sbl_cli_wants_package(parsed);
    const bool table = !sbl_cli_wants_images(parsed) && !package;
    const bool persons = sbl_cli_given(parsed, "persons") != NULL;
    const uint64_t count = sbl_cli_whole(parsed, package ? "persons" : "rows", 0);
    sbl_status status = sbl_cli_check_input(parsed, err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "epsilon", err);
    if (status == SBL_OK && persons != package)
        status = sbl_cli_misuse(err, parsed->command,
                                package ? "option --persons is missing: the rows of the root table"
                                        : "--persons goes with --package: give --rows");
    if (status == SBL_OK && table) status = sbl_cli_need(parsed, "schema", err);
    if (status == SBL_OK && table) status = sbl_cli_need(parsed, "rows", err);
    if (status == SBL_OK) status = sbl_cli_synth_options(&synth, parsed, err);
    if (status == SBL_OK) status = sbl_cli_plan(&text, parsed, count, json, &synth, err);
    if (status == SBL_OK) (void)fputs(text, stdout);
    sbl_free(text);
    return status;
}

const sbl_cli_command sbl_cmd_plan = {
    .name = "plan",
    .summary = "show what would be released and at what noise, before any record is read",
    .usage =
        "--schema FILE --epsilon E -n N [OPTION...]\n"
        "--package FILE --epsilon E --persons N [OPTION...]\n"
        "--images FILE [--labels FILE] --epsilon E [OPTION...]",
    .description =
        "Everything a plan says follows from public facts. Of a table nothing is opened but its "
        "schema, of linked ones their package and its look-up tables, which are public. Of a run "
        "of several releases the first is shown, and the part of the budget "
        "that it may spend: what the others hold depends on it.\n\nOf images (--images) the "
        "files are opened for the size and the classes of the images and, where --rows is not "
        "given, for their number: IDX headers; the sizes of CIFAR files, for which those in gzip "
        "are decompressed; names of files and subfolders and, without --size, the header of the "
        "first PNG file. No pixel and no label is used.",
    SBL_CLI_OPTIONS(options),
    .steps = SBL_STEP_PLAN,
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
