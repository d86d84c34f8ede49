/* SPDX-License-Identifier: Apache-2.0 */
/* plan: what would be released, before any record is read. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "command_run.h"
#include "output.h"
#include "semblance/shards.h"

static const sbl_cli_option options[] = {
    SBL_OPTION_SCHEMA,
    SBL_OPTION_PACKAGE,
    SBL_OPTION_ROWS("number of private rows or images; for images under add-remove it must be given",
                    "images: as many as the files hold"),
    SBL_WHOLE_ROW("persons", 0, "N", "number of private persons of linked tables (--package)", NULL,
                  &sbl_cli_count, SBL_OFTEN),
    SBL_OPTION_IMAGES,
    SBL_OPTIONS_QUESTIONS(false),
    SBL_FLAG_ROW("json", 0, "one JSON object", SBL_OFTEN),
    SBL_WRITES_ROW("save", 0,
                   "also write the plan of a table or image set to this file, and its secret key "
                   "to FILE.key, for "
                   "'semblance sum'",
                   NULL, SBL_OFTEN),
    SBL_TEXT_ROW("sites", "FILES",
                 "with --save: public keys of sites (X25519, PEM; a,b,c), whose sums are masked "
                 "against each other; a site has the name of its file",
                 "none: sums are not masked"),
    SBL_FLAG_ROW("persons-at-one-site", 0,
                 "with --sites and a schema that names a unit: you declare that all rows of a person are "
                 "at one site, and the certificate says so"),
    SBL_FILE_ROW("from",
                 "with --save: plan the next round, after this release, the first of the run; the "
                 "others are next to it. The plan goes to FILE.2, FILE.3, ...",
                 NULL),
    SBL_WHOLE_ROW("round", 0, "K", "with --from: the number that the round must have", "any", &sbl_cli_count),
    SBL_FILE_ROW("after",
                 "with --from: the plan of the round before, where plans have other names; the new "
                 "one goes to the file of --save itself",
                 "FILE of --save, FILE.2, ..."),
    SBL_OPTION_OVERWRITE("overwrite the plan that --save names, and its key"),
};

static const sbl_cli_example examples[] = {
    {"semblance plan --schema examples/clinic.json --epsilon 1 -n 8000",
     "is the noise small compared with the counts?"},
    {"semblance plan --images train-images.gz --labels train-labels.gz --epsilon 1",
     "the same for images; their number and size are taken from the files"},
    {"semblance plan --package bank/datapackage.json --epsilon 1 --persons 4500",
     "the same for linked tables"},
    {"semblance plan --schema examples/clinic.json --epsilon 1 -n 8000 --save clinic.plan",
     "save the plan, so that 'semblance sum' can sum the records in parts"},
    {"semblance plan --save clinic.plan --round 2 --from clinic.release",
     "the next round of such a run, into clinic.plan.2"},
};

/* The plan of a later round takes all else from the one before. It may take a fit, which has an encoder and threads. */
static sbl_status check_after(const sbl_cli_parsed *parsed, sbl_error *err)
{
    static const char *const known[] = {"save", "after", "from", "round", "overwrite", "encoder", "threads"};
    sbl_status status = sbl_cli_need(parsed, "from", err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "save", err);
    for (size_t i = 0; status == SBL_OK && i < sbl_cli_option_count(parsed->command); i++) {
        const sbl_cli_option option = sbl_cli_option_at(parsed->command, i);
        bool is_known = !parsed->values[i].given;
        for (size_t k = 0; k < SBL_CLI_COUNT(known); k++)
            is_known = is_known || strcmp(option.name, known[k]) == 0;
        if (!is_known)
            status =
                sbl_cli_misuse(err, parsed->command,
                               "--%s cannot be given with --from: the previous plan sets it", option.name);
    }
    return status;
}

static sbl_status plan_after(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_shards parts;
    sbl_synth_options synth;
    char *text = NULL;
    sbl_status status = check_after(parsed, err);
    sbl_shards_init(&parts);
    parts.step = SBL_SHARDS_PLAN;
    parts.plan = sbl_cli_text(parsed, "after");
    parts.release = sbl_cli_text(parsed, "from");
    parts.round = sbl_cli_whole(parsed, "round", 0);
    parts.output = sbl_cli_text(parsed, "save");
    if (status == SBL_OK) status = sbl_cli_synth_options(&synth, parsed, err);
    if (status == SBL_OK) synth.overwrite = sbl_cli_given(parsed, "overwrite") != NULL;
    if (status == SBL_OK) status = sbl_shards_run(&text, &parts, &synth, err);
    if (status == SBL_OK && text != NULL) (void)fputs(text, stdout);
    sbl_free(text);
    return status;
}

/* What only --save has a use for. */
static sbl_status check_save(const sbl_cli_parsed *parsed, sbl_error *err)
{
    static const char *const with[] = {"sites", "persons-at-one-site", "overwrite"};
    const bool save = sbl_cli_given(parsed, "save") != NULL;
    for (size_t i = 0; !save && i < SBL_CLI_COUNT(with); i++)
        if (sbl_cli_given(parsed, with[i]) != NULL)
            return sbl_cli_misuse(err, parsed->command, "--%s needs --save", with[i]);
    if (save && sbl_cli_wants_package(parsed))
        return sbl_cli_misuse(err, parsed->command, "--save is for one table or --images, not for --package");
    return save ? sbl_cli_need(parsed, "rows", err) : SBL_OK;
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    static const char *const later[] = {"after", "from", "round"};
    sbl_synth_options synth;
    char *text = NULL, *questions = NULL;
    for (size_t i = 0; i < SBL_CLI_COUNT(later); i++)
        if (sbl_cli_given(parsed, later[i]) != NULL) return plan_after(parsed, err);
    const bool json = sbl_cli_given(parsed, "json") != NULL;
    const bool package = sbl_cli_wants_package(parsed);
    const bool table = !sbl_cli_wants_images(parsed) && !package;
    const bool persons = sbl_cli_given(parsed, "persons") != NULL;
    const uint64_t count = sbl_cli_whole(parsed, package ? "persons" : "rows", 0);
    sbl_status status = sbl_cli_check_input(parsed, err);
    if (status == SBL_OK) status = check_save(parsed, err);
    if (status == SBL_OK) status = sbl_cli_need(parsed, "epsilon", err);
    if (status == SBL_OK && persons != package)
        status =
            sbl_cli_misuse(err, parsed->command,
                           package ? "option --persons is missing: give the number of rows of the root table"
                                   : "--persons is for --package: give --rows");
    if (status == SBL_OK && table) status = sbl_cli_need(parsed, "schema", err);
    if (status == SBL_OK && table) status = sbl_cli_need(parsed, "rows", err);
    if (status == SBL_OK) status = sbl_cli_synth_options(&synth, parsed, err);
    if (status == SBL_OK && sbl_cli_has_questions(parsed)) {
        if (synth.method != NULL)
            status = sbl_cli_misuse(err, parsed->command,
                                    "--method makes synthetic data: leave it out of a plan of questions");
        else
            status = sbl_cli_ask(&synth, &questions, parsed, err);
    }
    if (status == SBL_OK) status = sbl_cli_plan(&text, parsed, count, json, &synth, err);
    if (status == SBL_OK) synth.overwrite = sbl_cli_given(parsed, "overwrite") != NULL;
    if (status == SBL_OK && sbl_cli_given(parsed, "save") != NULL)
        status = sbl_cli_save_plan(parsed, &synth, err);
    if (status == SBL_OK) (void)fputs(text, stdout);
    sbl_free(text);
    sbl_free(questions);
    return status;
}

const sbl_cli_command sbl_cmd_plan = {
    .name = "plan",
    .summary = "show what would be released and at what noise, before any record is read",
    .usage =
        "--schema FILE --epsilon E -n N [OPTION...]\n"
        "--package FILE --epsilon E --persons N [OPTION...]\n"
        "--images FILE [--labels FILE] --epsilon E [OPTION...]\n"
        "--save FILE --from RELEASE [--round K] [--after PLAN]",
    .description =
        "Everything a plan says follows from public facts. For a table, only its schema is "
        "opened; for linked tables, their package and its public look-up tables. For a run of "
        "several releases the first is shown, with the part of the budget that it may spend: "
        "the others depend on it. For pairs and forest it also estimates how far noise alone "
        "moves columns and pairs of columns, as parts of the rows (total variation). For merf, mepf and hp "
        "it says how far the released mean embeddings will "
        "be from the true ones, on average and at most (with probability 95 %), and what random "
        "features add.\n\nWith questions (--count, --sum, --mean, --regress) it is the plan of 'semblance "
        "ask': how wide "
        "the intervals of the answers will be.\n\nFor images (--images) the "
        "files are opened for the size and the classes of the images and, where --rows is not "
        "given, for their number: IDX headers; the sizes of CIFAR files, for which those in gzip "
        "are decompressed; names of files and subfolders and, without --size, the header of the "
        "first file. No pixel and no label is used.\n\nWith --save the plan is "
        "kept, for a run in parts: 'semblance sum' wherever records are, 'semblance merge', "
        "'semblance release', and for each further round a plan again, with --from, until none is "
        "left, which is said; then 'semblance train'. --rows is the number of all records.",
    SBL_CLI_OPTIONS(options),
    .steps = SBL_STEP_PLAN,
    .reads = SBL_FORMS_ALL,
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
