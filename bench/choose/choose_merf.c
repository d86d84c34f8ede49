/* SPDX-License-Identifier: Apache-2.0 */
/* One run of method merf with other constants, scored on held-out rows.
 *
 *   choose_merf FIT.csv HELDOUT.csv SCHEMA.json STEM [options]
 *
 * Release, training and sampling are those of the program, with its noise and its accounting: a
 * method of this file's own is merf with other parameters in its plan, and nothing else differs. Writes STEM.csv and what belongs to it, and prints one JSON object. Its scores
 * compare real with synthetic rows and are NOT PRIVATE. --real scores FIT itself, for comparison.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compute/threads.h"
#include "base/json.h"
#include "choose_score.h"
#include "door/release/release.h"
#include "public/plan/parameters.h"
#include "records/features/rff.h"
#include "run/methods/method.h"
#include "semblance/synthesizer.h"

typedef struct number_list {
    double values[SBL_MOST_SCALES];
    size_t count; /* 0: the default */
} number_list;

/* What replaces the defaults of a plan. */
static struct {
    number_list scales, deviations;
    double joint_share; /* negative: the default */
} constants = {.joint_share = -1};

static const sbl_method *merf;

static json_t *reals(const number_list *list)
{
    json_t *values = json_array();
    for (size_t i = 0; i < list->count; i++) (void)json_array_append_new(values, json_real(list->values[i]));
    return values;
}

/* merf's plan, and then the constants. */
static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *rounds, size_t count, sbl_error *err)
{
    const sbl_status status = merf->plan(next, facts, options, rounds, count, err);
    if (status != SBL_OK || next->count == 0) return status;
    json_t *parameters = next->items[0].parameters;
    int failed = 0;
    if (constants.scales.count != 0)
        failed |= json_object_set_new(parameters, "scales", reals(&constants.scales));
    if (constants.deviations.count != 0)
        failed |= json_object_set_new(parameters, "code_deviations", reals(&constants.deviations));
    if (constants.joint_share >= 0)
        failed |= json_object_set_new(parameters, "joint_share", json_real(constants.joint_share));
    return failed == 0 ? SBL_OK : sbl_fail(err, SBL_EMEM, "out of memory for a plan");
}

static void stop(const char *message)
{
    fprintf(stderr, "choose_merf: %s\n", message);
    exit(2);
}

static void check(sbl_status status, const sbl_error *err)
{
    if (status == SBL_OK) return;
    fprintf(stderr, "choose_merf: %s\n", err->message);
    exit(1);
}

static double seconds_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double number(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0)) stop("an option needs a number from 0 up");
    return value;
}

static number_list list(const char *text)
{
    number_list made = {0};
    char *copy = strdup(text), *rest = NULL;
    if (copy == NULL) stop("out of memory");
    for (char *item = strtok_r(copy, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest)) {
        if (made.count == SBL_MOST_SCALES) stop("a list is too long");
        made.values[made.count++] = number(item);
    }
    free(copy);
    if (made.count == 0) stop("a list is empty");
    return made;
}

typedef struct arguments {
    const char *fit, *heldout, *schema, *stem;
    sbl_synth_options synth;
    score_request score;
    uint64_t rows; /* to draw; 0: as many as were fitted */
    bool real;
} arguments;

static void set(sbl_synth_options *synth, const char *name, const char *text)
{
    sbl_error err = {0};
    check(sbl_options_set(synth, name, text, &err), &err);
}

enum { EPSILON, DELTA, SEED, STEPS, ROWS, FEATURES, SCALES, DEVIATIONS, JOINT, HIDDEN, MODELS };
enum { LIMIT = MODELS + 1, SETS, REAL };
static const struct option known[] = {{"epsilon", required_argument, NULL, EPSILON},
                                      {"delta", required_argument, NULL, DELTA},
                                      {"seed", required_argument, NULL, SEED},
                                      {"steps", required_argument, NULL, STEPS},
                                      {"rows", required_argument, NULL, ROWS},
                                      {"features", required_argument, NULL, FEATURES},
                                      {"scales", required_argument, NULL, SCALES},
                                      {"deviations", required_argument, NULL, DEVIATIONS},
                                      {"joint-share", required_argument, NULL, JOINT},
                                      {"hidden", required_argument, NULL, HIDDEN},
                                      {"models", required_argument, NULL, MODELS},
                                      {"row-limit", required_argument, NULL, LIMIT},
                                      {"sets", required_argument, NULL, SETS},
                                      {"real", no_argument, NULL, REAL},
                                      {NULL, 0, NULL, 0}};

static void set_option(arguments *args, int option, const char *text)
{
    switch (option) {
    case EPSILON:
        args->synth.epsilon = number(text);
        break;
    case DELTA:
        args->synth.delta = number(text);
        break;
    case SEED:
        args->synth.seed = (uint64_t)number(text);
        break;
    case STEPS:
        set(&args->synth, "steps", text);
        break;
    case ROWS:
        args->rows = (uint64_t)number(text);
        break;
    case FEATURES:
        set(&args->synth, "features", text);
        break;
    case SCALES:
        constants.scales = list(text);
        break;
    case DEVIATIONS:
        constants.deviations = list(text);
        break;
    case JOINT:
        constants.joint_share = number(text);
        break;
    case HIDDEN:
        set(&args->synth, "hidden", text);
        break;
    case MODELS:
        args->score.models = text;
        break;
    case LIMIT:
        args->score.row_limit = (size_t)number(text);
        break;
    case SETS:
        args->score.sets = (size_t)number(text);
        break;
    case REAL:
        args->real = true;
        break;
    default:
        stop("choose_merf FIT.csv HELDOUT.csv SCHEMA.json STEM [options]");
    }
}

static arguments read_arguments(int argc, char **argv)
{
    arguments args = {.score = {.models = "logistic,xgboost", .sets = 400}};
    int option;
    sbl_synth_options_init(&args.synth);
    args.synth.method = "choose";
    args.synth.epsilon = 1;
    args.synth.delta = 1e-5;
    args.synth.threads = 1;
    args.synth.overwrite = true;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) set_option(&args, option, optarg);
    if (argc - optind != 4) set_option(&args, -1, NULL);
    args.fit = argv[optind];
    args.heldout = argv[optind + 1];
    args.schema = argv[optind + 2];
    args.stem = argv[optind + 3];
    return args;
}

/* The parameters that the release was made with, as the release says it. */
static json_t *plan_of_release(const char *stem)
{
    char path[4096];
    sbl_error err = {0};
    sbl_release *release = NULL;
    json_t *plan_text = NULL;
    (void)snprintf(path, sizeof path, "%s.csv.release", stem);
    check(sbl_release_load(&release, sbl_file_item(path), &err), &err);
    check(sbl_json_parse(&plan_text, release->plan, strlen(release->plan), path, &err), &err);
    json_t *first = json_array_get(json_object_get(plan_text, "features"), 0);
    json_t *parameters = json_incref(json_object_get(first, "parameters"));
    json_decref(plan_text);
    sbl_release_free(release);
    return parameters;
}

static sbl_status run_table(const char *input, const char *facts, const char *output, uint64_t rows,
                            const sbl_synth_options *options, sbl_error *err)
{
    const sbl_output files = {.struct_size = sizeof files, .records = output, .rows = rows, .schema = facts};
    sbl_synthesizer *synth = NULL;
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    sbl_status status = sbl_schema_from_file(&schema, facts, false, err);
    if (status == SBL_OK) status = sbl_data_open(&data, input, NULL, err);
    if (status == SBL_OK) status = sbl_synthesizer_new(&synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_write_to(synth, &files, err);
    if (status == SBL_OK) status = sbl_synthesizer_fit(synth, data, schema, options, err);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    sbl_schema_free(schema);
    return status;
}

int main(int argc, char **argv)
{
    arguments args = read_arguments(argc, argv);
    sbl_error err = {0};
    char output[4096];
    json_t *chosen = NULL, *scores = NULL;
    const double start = seconds_now();
    check(sbl_method_find(&merf, "merf", SBL_DATA_TABLE, NULL, &err), &err);
    sbl_method choose = *merf;
    choose.name = "choose";
    choose.plan = plan;
    const sbl_method *const more[] = {&choose, NULL};
    args.synth.more_methods = more;
    sbl_thread_set(1);
    (void)snprintf(output, sizeof output, "%s.csv", args.stem);
    if (!args.real) {
        check(run_table(args.fit, args.schema, output, args.rows, &args.synth, &err), &err);
        chosen = plan_of_release(args.stem);
    }
    const double made = seconds_now();
    args.score.table_path = args.real ? args.fit : output;
    args.score.heldout_path = args.heldout;
    args.score.schema_path = args.schema;
    check(score_table(&scores, &args.score, &err), &err);
    json_t *line = json_pack("{s:s, s:o*, s:o, s:{s:f, s:f}}", "notice",
                             "NOT PRIVATE: computed from real records", "plan", chosen, "scores", scores,
                             "seconds", "synth", made - start, "score", seconds_now() - made);
    if (line == NULL) stop("out of memory");
    check(json_dumpf(line, stdout, JSON_COMPACT) == 0 && putchar('\n') != EOF
              ? SBL_OK
              : sbl_fail(&err, SBL_EIO, "the scores could not be written"),
          &err);
    json_decref(line);
    return 0;
}
