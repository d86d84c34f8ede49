/* SPDX-License-Identifier: Apache-2.0 */
/* sum, merge, release: a run in parts, after 'plan --save'. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "command_run.h"
#include "output.h"
#include "semblance/shards.h"

#define OPTION_PLAN                                                                                  \
    SBL_FILE_ROW("plan", "the plan that 'semblance plan --save' wrote; its key is next to it", NULL, \
                 SBL_OFTEN)
#define OPTION_ENCODER                                                                 \
    SBL_FILE_ROW("encoder", "for images: the file of the encoder that the plan names", \
                 "vgg-s, which is built in")
#define OPTION_THREADS SBL_WHOLE_ROW("threads", 0, "T", "threads to use", "all", &sbl_cli_to_billion)

static const sbl_cli_option sum_options[] = {
    OPTION_PLAN,
    SBL_OPTION_OUTPUT("the part: exact sums, SECRET", NULL),
    SBL_TEXT_ROW("part", "P",
                 "its name, or I/M: number I of M parts; where the schema names a unit it must be "
                 "I/M, and only the rows of persons whose keyed hash is I's are summed",
                 "the name of INPUT; with a unit 1/1", SBL_OFTEN),
    SBL_WHOLE_ROW("attempt", 0, "K", "number of this attempt at the part", "1", &sbl_cli_count),
    SBL_FILE_ROW("mask",
                 "the private key of this site (X25519, PEM), if the plan names sites: the sums "
                 "are unreadable without those of all other sites",
                 NULL),
    SBL_OPTION_IMAGES,
    OPTION_ENCODER,
    OPTION_THREADS,
    SBL_OPTION_OVERWRITE("overwrite the part"),
    SBL_OPTIONS_RUNNING,
};

static const sbl_cli_option merge_options[] = {
    OPTION_PLAN,      SBL_OPTION_OUTPUT("the merged sum: exact, SECRET", NULL),
    OPTION_ENCODER,   SBL_OPTION_OVERWRITE("overwrite the merged sum"),
    SBL_OPTION_QUIET,
};

static const char *const health_courses[] = {"stop", "tell", "off", NULL};

static const sbl_cli_option release_options[] = {
    OPTION_PLAN,
    SBL_OPTION_OUTPUT("the first release of the run; round 2 goes to FILE.2", NULL),
    OPTION_ENCODER,
    SBL_FILE_ROW("ledger", "charge this ledger, which must exist, and respect its budget",
                 "OUTPUT" SBL_ENDING_LEDGER, SBL_OFTEN),
    SBL_WRITES_ROW("certificate", 0, "file for the certificate",
                   "OUTPUT" SBL_ENDING_CERTIFICATE ", without .release", SBL_OFTEN),
    SBL_TEXT_ROW("title", "TEXT",
                 "name of the data set in the certificate; an encoder that was trained on a data set of this "
                 "name is not used",
                 "none"),
    SBL_TEXT_ROW("by", "TEXT", "name of the maker in the certificate", "none"),
    SBL_TEXT_ROW("who", "NAME", "who releases, for the ledger and the policy; not in the certificate",
                 "the user name of the process"),
    SBL_FILE_ROW(
        "policy",
        "keep this policy, which says what a period may cost, who may release and whether a title is "
        "required",
        "none"),
    SBL_CHOICE_ROW("health", "H",
                   "if the first release shows that a column is clearly all wrong: stop, or only tell",
                   "stop", health_courses),
    SBL_OPTION_OVERWRITE("overwrite release and certificate (never a ledger)"),
    SBL_OPTION_QUIET,
    SBL_OPTION_VERBOSE,
};

/* Options of the library that these commands have as their own. */
static sbl_status fill(sbl_synth_options *options, const sbl_cli_parsed *parsed, sbl_error *err)
{
    static const char *const names[] = {"threads", "overwrite", "ledger",  "certificate", "title",
                                        "by",      "health",    "encoder", "who",         "policy"};
    sbl_status status = sbl_cli_synth_options(options, parsed, err);
    for (size_t i = 0; status == SBL_OK && i < SBL_CLI_COUNT(names); i++) {
        const sbl_cli_value *value = sbl_cli_given(parsed, names[i]);
        if (value == NULL) continue;
        if (sbl_options_set(options, names[i], value->text, err) == SBL_OK) continue;
        const sbl_error reason = *err;
        status = sbl_cli_misuse(err, parsed->command, "option --%s", reason.message);
    }
    return status;
}

static sbl_status begin(sbl_shards *parts, sbl_synth_options *options, sbl_shards_step step,
                        const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_shards_init(parts);
    parts->step = step;
    parts->plan = sbl_cli_text(parsed, "plan");
    parts->output = sbl_cli_text(parsed, "output");
    sbl_status status =
        parts->plan != NULL
            ? sbl_cli_need(parsed, "output", err)
            : sbl_cli_misuse(err, parsed->command,
                             "option --plan is missing: sums are sealed with the key next to the plan");
    return status == SBL_OK ? fill(options, parsed, err) : status;
}

static sbl_status run_sum(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_data_options reading = sbl_cli_data_options(parsed);
    sbl_shards parts;
    sbl_synth_options options;
    sbl_data *data = NULL;
    sbl_status status = begin(&parts, &options, SBL_SHARDS_SUM, parsed, err);
    parts.part = sbl_cli_text(parsed, "part");
    parts.attempt = sbl_cli_whole(parsed, "attempt", 0);
    parts.mask = sbl_cli_text(parsed, "mask");
    if (status == SBL_OK && parts.mask != NULL && parts.part != NULL)
        status =
            sbl_cli_misuse(err, parsed->command, "--part cannot be given with --mask: each site is one part");
    if (status == SBL_OK) status = sbl_cli_check_input(parsed, err);
    if (status == SBL_OK) status = sbl_data_open(&data, sbl_cli_input(parsed), &reading, err);
    parts.data = data;
    if (status == SBL_OK) status = sbl_shards_run(NULL, &parts, &options, err);
    sbl_cli_progress_end();
    sbl_data_free(data);
    return status;
}

static sbl_status run_merge(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_shards parts;
    sbl_synth_options options;
    sbl_status status = begin(&parts, &options, SBL_SHARDS_MERGE, parsed, err);
    parts.sums = parsed->operands;
    parts.sum_count = parsed->operand_count;
    return status == SBL_OK ? sbl_shards_run(NULL, &parts, &options, err) : status;
}

static sbl_status run_release(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_shards parts;
    sbl_synth_options options;
    char *statement = NULL;
    sbl_status status = begin(&parts, &options, SBL_SHARDS_RELEASE, parsed, err);
    parts.sums = parsed->operands;
    parts.sum_count = 1;
    parts.brief = sbl_cli_given(parsed, "verbose") == NULL;
    if (status == SBL_OK) status = sbl_shards_run(&statement, &parts, &options, err);
    if (status == SBL_OK) sbl_cli_show_release(parsed, statement);
    sbl_free(statement);
    return status;
}

static const sbl_cli_example sum_examples[] = {
    {"semblance sum build/demo/patients.csv --plan clinic.plan -o clinic.sum",
     "the sums of one file, by a plan that 'semblance plan --save clinic.plan' wrote"},
    {"semblance sum visits.csv --plan visits.plan --part 3/8 -o 3.sum",
     "the sums of an eighth of the persons"},
};

const sbl_cli_command sbl_cmd_sum = {
    .name = "sum",
    .summary = "sum a part of the records by a plan; nothing is charged, nothing is released",
    .usage =
        "INPUT... --plan PLAN -o PART [OPTION...]\n"
        "--images FILE [--labels FILE] --plan PLAN -o PART [OPTION...]",
    .description =
        "Reads the records of INPUT as the plan says and writes their exact sums, for 'semblance "
        "merge' and 'semblance release'. Any number of parts, made anywhere and in any order, give "
        "the bits of one process.\n\nA part is SECRET: it holds exact sums. Its file has mode 0600 "
        "and is sealed with PLAN.key, which is next to the plan and goes wherever records are "
        "summed. No record may be in two parts: a merge refuses a part of one name twice, and "
        "cannot see more. Where the schema names a unit (whose row it is), every part reads "
        "all files that may hold its persons and takes those whose keyed hash is its own, so that "
        "no person is in two.",
    SBL_CLI_OPERAND("INPUT",
                    "a private table: CSV, plain or gzip, - for standard input; or Parquet. Several "
                    "files of the same columns are one part"),
    .optional_operands = 1,
    .joins_operands = true,
    SBL_CLI_OPTIONS(sum_options),
    .reads = SBL_FORM_TABLES | SBL_FORM_IMAGES,
    SBL_CLI_EXAMPLES(sum_examples),
    .run = run_sum,
};

static const sbl_cli_example merge_examples[] = {
    {"semblance merge *.sum --plan clinic.plan -o whole.total", "one sum of all parts"},
};

const sbl_cli_command sbl_cmd_merge = {
    .name = "merge",
    .summary = "merge parts of one plan into one sum",
    .usage = "PART... --plan PLAN -o SUM [OPTION...]",
    .description =
        "Parts of another plan, a part that comes twice, one that was cut, changed or made with "
        "another key, and sums that overflow are refused. Merged sums can be merged again. Masked "
        "parts (sum --mask) are merged in one call: a missing site is named.",
    SBL_CLI_OPERAND("PART", "sums of 'semblance sum' or 'semblance merge'"),
    .repeats_operand = true,
    SBL_CLI_OPTIONS(merge_options),
    SBL_CLI_EXAMPLES(merge_examples),
    .run = run_merge,
};

static const sbl_cli_example release_examples[] = {
    {"semblance release whole.total --plan clinic.plan --ledger build/demo/patients.csv.ledger -o "
     "clinic.release",
     "the only step that charges the ledger and draws noise"},
};

const sbl_cli_command sbl_cmd_release = {
    .name = "release",
    .summary = "charge the ledger for a sum and release it with noise",
    .usage = "SUM --plan PLAN -o RELEASE [OPTION...]",
    .description =
        "Charges the ledger, draws noise, and writes the release and its certificate, as a run in one "
        "process does after each pass over the data. No numbered part (I/M) may be missing. If there is "
        "a next round, 'semblance plan --save PLAN --from RELEASE' plans it as PLAN.2. After the last "
        "round 'semblance train' makes a model.",
    SBL_CLI_OPERAND("SUM", "the sum of all records: a part, or merged parts"),
    SBL_CLI_OPTIONS(release_options),
    SBL_CLI_EXAMPLES(release_examples),
    .run = run_release,
};
