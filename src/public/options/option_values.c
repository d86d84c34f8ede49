/* SPDX-License-Identifier: Apache-2.0 */
/* The options that every method knows, each a field of sbl_synth_options, one row each
 * (include/semblance/options.h). */
#include "public/options/option_values.h"

#include <math.h>

#include "base/caller_struct.h"
#include "public/account/budget.h"
#include "public/options/option_defaults.h"
#include "public/options/option_row.h"
#include "semblance/files.h"

#define TRAIN_AND_SAMPLE (SBL_STEPS_TRAIN | SBL_STEP_SAMPLE)
#define WRITE (TRAIN_AND_SAMPLE | SBL_STEP_DISCOVER)
#define RELEASE (SBL_STEP_FIT | SBL_STEP_DISCOVER)
#define PLAN_RELEASE (SBL_STEP_PLAN | RELEASE)

#define MOST_EXACT 9007199254740992.0 /* 2^53 */

const sbl_option_range sbl_range_positive = {0.0, INFINITY, true, "a finite number above 0"};
const sbl_option_range sbl_range_fraction = {0.0, 1.0, true, "a number above 0 and below 1"};
const sbl_option_range sbl_range_count = {1, MOST_EXACT, false, "a whole number, 1 or more"};

static const sbl_option_range any_whole = {0, 0x1p64, false, "a whole number, 0 or more"};
static const sbl_option_range threads = {1, 1024, false, "a whole number from 1 to 1024"};
static const sbl_option_range line = {1, 200, false, "a text of 1 to 200 bytes without control characters"};

static const char *const relations[] = {"replace-one", "add-remove", NULL};
static const char *const health_courses[] = {"stop", "tell", "off", NULL};

#define FIELD(field) \
    .offset = offsetof(sbl_synth_options, field), .size = sizeof(((const sbl_synth_options *)0)->field)

/* Of every method. */
#define ROW(field, ...) &(const sbl_option)SBL_SETTING(__VA_ARGS__, .common = true, FIELD(field))

const sbl_option sbl_option_pure =
    SBL_SETTING("pure", SBL_OPTION_FLAG, NULL, SBL_TABLES, SBL_STEPS_PLAN,
                "delta 0: discrete Laplace noise instead of Gaussian", FIELD(pure));
const sbl_option sbl_option_expect_rows =
    SBL_SETTING("expect-rows", SBL_OPTION_WHOLE, "N", SBL_TABLES, PLAN_RELEASE,
                "approximate number of rows, for rules that need a public number", .range = &sbl_range_count,
                SBL_STANDARD_WORDS(
                    "pairs: the number of rows if it is public; else " SBL_SHOW(SBL_DEFAULT_EXPECTED_ROWS)),
                FIELD(expected_rows));
const sbl_option sbl_option_checkpoint =
    SBL_SETTING("checkpoint", SBL_OPTION_TEXT, "FILE", SBL_BOTH_KINDS, SBL_STEPS_TRAIN,
                "file in which training saves its state: a run that was killed continues from it with "
                "'resume' or 'train', to the same result; removed at the end",
                SBL_STANDARD_WORDS("RELEASE" SBL_ENDING_CHECKPOINT), FIELD(checkpoint));

const sbl_option *const sbl_common_options[] = {
    ROW(epsilon, "epsilon", SBL_OPTION_NUMBER, "E", SBL_BOTH_KINDS, PLAN_RELEASE,
        "the privacy budget of all releases of this run; required", .range = &sbl_range_positive,
        .needed = PLAN_RELEASE, .often = true),
    ROW(delta, "delta", SBL_OPTION_NUMBER, "D", SBL_BOTH_KINDS, PLAN_RELEASE,
        "delta of the guarantee: above 0, at most 1e-3, and below 1/n if the number of rows n is public; "
        "if n is public and exceeds 10000, the default is 1/(10 n), cut to two digits",
        .range = &sbl_range_fraction, SBL_STANDARD(SBL_SHOW(SBL_DEFAULT_DELTA)), .often = true),
    ROW(neighbours, "neighbours", SBL_OPTION_CHOICE, "RELATION", SBL_BOTH_KINDS, PLAN_RELEASE,
        "replace-one (the number of rows is public) or add-remove (it is private)", .choices = relations,
        SBL_STANDARD("replace-one")),
    ROW(ledger_path, "ledger", SBL_OPTION_TEXT, "FILE", SBL_BOTH_KINDS, RELEASE,
        "charge this ledger, which must exist, and respect its budget",
        SBL_STANDARD_WORDS("INPUT" SBL_ENDING_LEDGER
                           ", which is made without a limit if it does not exist; for a stream "
                           "RELEASE" SBL_ENDING_LEDGER),
        .often = true),
    ROW(certificate_path, "certificate", SBL_OPTION_TEXT, "FILE", SBL_BOTH_KINDS,
        SBL_STEPS_TRAIN | SBL_STEP_DISCOVER, "file for the certificate",
        SBL_STANDARD_WORDS("OUTPUT" SBL_ENDING_CERTIFICATE)),
    ROW(title, "title", SBL_OPTION_TEXT, "TEXT", SBL_BOTH_KINDS, PLAN_RELEASE,
        "name of the data set in the certificate; an encoder that was trained on a data set of this name "
        "is not used",
        .range = &line, SBL_STANDARD_WORDS("none")),
    ROW(by, "by", SBL_OPTION_TEXT, "TEXT", SBL_BOTH_KINDS, RELEASE, "name of the maker in the certificate",
        .range = &line, SBL_STANDARD_WORDS("none")),
    ROW(who, "who", SBL_OPTION_TEXT, "NAME", SBL_BOTH_KINDS, RELEASE,
        "who releases, for the ledger and the policy; not in the certificate", .range = &line,
        SBL_STANDARD_WORDS("the user name of the process")),
    ROW(policy_path, "policy", SBL_OPTION_TEXT, "FILE", SBL_BOTH_KINDS, RELEASE,
        "keep this policy, which says what a period may cost, who may release and whether a title is "
        "required",
        SBL_STANDARD_WORDS("none")),
    ROW(release_path, "release", SBL_OPTION_TEXT, "FILE", SBL_BOTH_KINDS, RELEASE,
        "file for the noisy sums; later rounds go to FILE.2, FILE.3",
        SBL_STANDARD_WORDS("OUTPUT" SBL_ENDING_RELEASE)),
    ROW(overwrite, "overwrite", SBL_OPTION_FLAG, NULL, SBL_BOTH_KINDS, WRITE,
        "overwrite files (never a ledger, and nothing that is read)", .often = true),
    ROW(seed, "seed", SBL_OPTION_WHOLE, "K", SBL_BOTH_KINDS, TRAIN_AND_SAMPLE | SBL_STEP_PLAN,
        "seed of the public randomness (features, weights, sampling); the noise has none",
        .range = &any_whole, SBL_STANDARD("0")),
    ROW(threads, "threads", SBL_OPTION_WHOLE, "T", SBL_BOTH_KINDS, WRITE, "threads to use", .range = &threads,
        SBL_STANDARD_WORDS("all")),
    ROW(no_estimate, "no-estimate", SBL_OPTION_FLAG, NULL, SBL_BOTH_KINDS, SBL_STEP_PLAN,
        "do not rehearse the run to estimate its time, memory and device"),
    ROW(health, "health", SBL_OPTION_CHOICE, "H", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
        "a small paid count finds cells that do not fit the schema, and files of a folder that are not "
        "images of the set's size; if a column or the files are clearly all wrong: stop after the first "
        "release, or only tell; off: do not count",
        .choices = health_courses, SBL_STANDARD("stop")),
    ROW(discover_share, "discover-share", SBL_OPTION_NUMBER, "P", SBL_TABLES, SBL_STEP_FIT,
        "without a schema: the share of the budget that discovers one", .range = &sbl_range_fraction,
        SBL_STANDARD_TABLES(SBL_SHOW(SBL_DEFAULT_DISCOVER_SHARE))),
    &sbl_option_pure,
    &sbl_option_expect_rows,
    &sbl_option_checkpoint,
    NULL,
};

double sbl_delta_of_options(const sbl_synth_options *options, uint64_t n)
{
    if (options->pure) return 0.0;
    if (options->delta != 0.0) return options->delta;
    return sbl_delta_usual(options->neighbours == SBL_REPLACE_ONE ? n : 0);
}

sbl_status sbl_synth_options_take(sbl_synth_options *options, const sbl_synth_options *theirs, sbl_error *err)
{
    *options = (sbl_synth_options){.struct_size = sizeof *options};
    return sbl_struct_take(options, sizeof *options, theirs, "options", err);
}
