/* SPDX-License-Identifier: Apache-2.0 */
/* ledger init, limit, succeed, verify, repair: the account book of a data set; show and total are in
 * cmd_ledger_show.c and cmd_ledger_total.c. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "number.h"
#include "option_rows.h"
#include "output.h"
#include "semblance/files.h"
#include "semblance/ledger.h"

static const sbl_cli_operand file_operand[] = {{"FILE", "the ledger"}};

/* ---- what init and limit share ---- */

/* The options of a budget, beside its epsilon. */
#define DELTA_OPTION                                                                              \
    SBL_NUMBER_ROW("delta", "D", "the delta that goes with it, above 0 and at most 1e-3", "1e-5", \
                   &sbl_cli_fraction)
#define MU_OPTION                                                                                 \
    SBL_NUMBER_ROW("mu", "M", "a further limit: on mu of all Gaussian releases together", "none", \
                   &sbl_cli_positive)
#define PURE_OPTION SBL_FLAG_ROW("pure", 0, "delta is 0: only releases with Laplace noise fit")

static sbl_status read_budget(sbl_ledger_options *options, const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *delta = sbl_cli_text(parsed, "delta");
    const sbl_cli_value *mu = sbl_cli_given(parsed, "mu");
    sbl_ledger_options_init(options);
    options->epsilon = sbl_cli_text(parsed, "epsilon");
    options->pure = sbl_cli_given(parsed, "pure") != NULL;
    if (options->pure && (delta != NULL || mu != NULL))
        return sbl_cli_misuse(err, parsed->command, "option --pure means delta 0: leave out --%s",
                              delta != NULL ? "delta" : "mu");
    if (delta != NULL) options->delta = delta;
    if (mu != NULL) options->mu = mu->number;
    return SBL_OK;
}

/* ---- init ---- */

static const sbl_cli_range rows_of_person = {1, 1024, false, "a whole number from 1 to 1024"};

#define NEIGHBOURS_OPTION                                                                                 \
    SBL_CHOICE_ROW("neighbours", "RELATION",                                                              \
                   "replace-one (the number of rows is public) or add-remove (it is private); holds for " \
                   "every release",                                                                       \
                   "replace-one", sbl_cli_relations)
#define PERSONS_OPTION                                                                        \
    SBL_WHOLE_ROW("rows-per-person", 0, "K",                                                  \
                  "for tables whose schema has a unit: at most this many rows of one person " \
                  "count, as the schema says",                                                \
                  "the unit is one row", &rows_of_person)

#define USUAL_ROWS 50 /* as in a schema that names a unit and no number of rows */

static const char *const units[] = {"row", "person", NULL};
#define UNIT_OPTION                                                                                       \
    SBL_CHOICE_ROW("unit", "UNIT",                                                                        \
                   "what every release protects: row, or person, for tables whose schema has a unit and " \
                   "for linked tables",                                                                   \
                   "row, or person with --rows-per-person", units)

static const sbl_cli_option init_options[] = {
    SBL_NUMBER_ROW("epsilon", "E",
                   "what all releases together may cost. With inf nothing is refused and nothing guaranteed",
                   "no limit: costs are added up and stated", &sbl_cli_positive_or_inf),
    DELTA_OPTION,
    MU_OPTION,
    PURE_OPTION,
    NEIGHBOURS_OPTION,
    UNIT_OPTION,
    PERSONS_OPTION,
    SBL_OPTION_QUIET,
};

static const sbl_cli_example init_examples[] = {
    {"semblance ledger init mine.ledger --epsilon 3 --delta 1e-6",
     "a budget for all that will ever be released of this data"},
};

/* How many rows of a person count; 0: a row is protected. */
static sbl_status read_unit(uint64_t *rows, const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_cli_value *unit = sbl_cli_given(parsed, "unit");
    const sbl_cli_value *given = sbl_cli_given(parsed, "rows-per-person");
    const bool is_row = unit != NULL && unit->whole == 0;
    *rows = given != NULL ? given->whole : unit != NULL && !is_row ? USUAL_ROWS : 0;
    if (is_row && given != NULL)
        return sbl_cli_misuse(err, parsed->command,
                              "--rows-per-person is for --unit person: leave one of them out");
    return SBL_OK;
}

static sbl_status run_init(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_cli_value *neighbours = sbl_cli_given(parsed, "neighbours");
    sbl_ledger_options options;
    sbl_status status = read_budget(&options, parsed, err);
    if (status != SBL_OK) return status;
    if (neighbours != NULL && neighbours->whole == 1) options.neighbours = SBL_ADD_REMOVE;
    status = read_unit(&options.rows_per_unit, parsed, err);
    if (status == SBL_OK) status = sbl_ledger_init(parsed->operands[0], &options, err);
    if (status == SBL_OK && sbl_cli_given(parsed, "quiet") == NULL)
        sbl_cli_say(stderr, "%s: a new ledger, %s%s, delta %s, %s neighbours%s", parsed->operands[0],
                    options.epsilon != NULL ? "epsilon " : "no limit",
                    options.epsilon != NULL ? options.epsilon : "", options.pure ? "0" : options.delta,
                    sbl_neighbours_name(options.neighbours),
                    options.rows_per_unit != 0 ? ", of persons" : "");
    return status;
}

static const sbl_cli_command init = {
    .name = "ledger init",
    .summary = "make the ledger of a data set, with its budget",
    .usage = "FILE [--epsilon E] [--delta D | --pure] [options]",
    .description =
        "An existing file is refused and left as it is. One data set has one ledger: "
        "the budget holds for all of its releases together.",
    SBL_CLI_OPERANDS(file_operand),
    SBL_CLI_OPTIONS(init_options),
    SBL_CLI_EXAMPLES(init_examples),
    .run = run_init,
};

/* ---- limit ---- */

static const sbl_cli_option limit_options[] = {
    SBL_NUMBER_ROW("epsilon", "E", "what all releases together may cost from now on; required", NULL,
                   &sbl_cli_positive),
    DELTA_OPTION,
    MU_OPTION,
    PURE_OPTION,
    NEIGHBOURS_OPTION,
    UNIT_OPTION,
    PERSONS_OPTION,
    SBL_OPTION_QUIET,
};

static const sbl_cli_example limit_examples[] = {
    {"semblance ledger limit build/demo/patients.csv.ledger --epsilon 3",
     "no more than 3, permanently; also before the first release"},
};

/* What to add where no release fits the budget any more. */
static const char *if_nothing_is_left(const sbl_ledger_summary *s)
{
    return s->mu_left == 0.0 && s->pure_left == 0.0 ? "; nothing more can be released" : "";
}

static sbl_status say_limit(const char *path, const sbl_ledger_options *options, sbl_error *err)
{
    sbl_ledger *ledger = NULL;
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    sbl_status status = sbl_ledger_open(&ledger, path, err);
    if (status == SBL_OK) status = sbl_ledger_get_summary(ledger, &summary, err);
    if (status == SBL_OK)
        sbl_cli_say(stderr, "%s: the budget is epsilon %s, delta %s from now on%s", path, options->epsilon,
                    options->pure ? "0" : options->delta, if_nothing_is_left(&summary));
    sbl_ledger_close(ledger);
    return status;
}

/* INPUT of INPUT.ledger, which is there; false: it is not, or has another name. */
static bool has_data(char input[PATH_MAX], const char *path)
{
    const size_t length = strlen(path), ending = strlen(SBL_ENDING_LEDGER);
    struct stat seen;
    input[0] = '\0';
    if (length <= ending || length >= PATH_MAX || strcmp(path + length - ending, SBL_ENDING_LEDGER) != 0)
        return false;
    (void)snprintf(input, PATH_MAX, "%.*s", (int)(length - ending), path);
    return stat(input, &seen) == 0;
}

/* Before the first release of a data set that is there: its ledger is made with this limit. */
static sbl_status make_with_limit(const sbl_cli_parsed *parsed, sbl_error *err)
{
    char input[PATH_MAX];
    if (has_data(input, parsed->operands[0])) return run_init(parsed, err);
    return sbl_cli_fail(err, SBL_EIO,
                        "%s does not exist, and neither does the data set it would belong to (INPUT%s); use "
                        "'semblance ledger init' to make a ledger with any name",
                        parsed->operands[0], SBL_ENDING_LEDGER);
}

static sbl_status run_limit(const sbl_cli_parsed *parsed, sbl_error *err)
{
    static const char *const of_new[] = {"neighbours", "unit", "rows-per-person"};
    struct stat seen;
    sbl_ledger_options options;
    sbl_status status = sbl_cli_need(parsed, "epsilon", err);
    if (status == SBL_OK && lstat(parsed->operands[0], &seen) != 0 && errno == ENOENT)
        return make_with_limit(parsed, err);
    for (size_t i = 0; status == SBL_OK && i < SBL_CLI_COUNT(of_new); i++)
        if (sbl_cli_given(parsed, of_new[i]) != NULL)
            status =
                sbl_cli_misuse(err, parsed->command, "--%s is for a new ledger, and %s exists: leave it out",
                               of_new[i], parsed->operands[0]);
    if (status == SBL_OK) status = read_budget(&options, parsed, err);
    if (status == SBL_OK) status = sbl_ledger_limit(parsed->operands[0], &options, err);
    if (status == SBL_OK && sbl_cli_given(parsed, "quiet") == NULL)
        status = say_limit(parsed->operands[0], &options, err);
    return status;
}

static const sbl_cli_command limit = {
    .name = "ledger limit",
    .summary = "lower the budget of a ledger, permanently",
    .usage = "FILE --epsilon E [--delta D | --pure] [options]",
    .description =
        "A limit can be set where there was none, and lowered; it is never raised or taken back. "
        "Before the first release of INPUT, INPUT.ledger is made with it; --neighbours, --unit and "
        "--rows-per-person are then as of semblance ledger init. "
        "One below what is spent already ends all releases of the data set.",
    SBL_CLI_OPERANDS(file_operand),
    SBL_CLI_OPTIONS(limit_options),
    SBL_CLI_EXAMPLES(limit_examples),
    .run = run_limit,
};

/* ---- succeed ---- */

static const sbl_cli_operand succeed_operands[] = {{"OLD", "the ledger that is closed"},
                                                   {"NEW", "the ledger of the next period, which is made"}};

static const sbl_cli_option succeed_options[] = {
    SBL_TEXT_ROW("reason", "TEXT", "why the period ends, for the register; required", NULL, SBL_OFTEN),
    SBL_NUMBER_ROW("epsilon", "E", "what all releases of the next period together may cost",
                   "the budget that is in force in OLD", &sbl_cli_positive),
    DELTA_OPTION,
    MU_OPTION,
    PURE_OPTION,
    SBL_WHOLE_ROW("rows-per-person", 0, "K",
                  "if a person is protected: at most this many rows of one count in the next period",
                  "as in OLD", &rows_of_person),
    SBL_OPTION_QUIET,
};

static const sbl_cli_example succeed_examples[] = {
    {"semblance ledger succeed 2026.csv.ledger 2027.csv.ledger --reason 'data of 2027'",
     "close the year, and begin the next with the same budget"},
};

/* What both ledgers say now. */
static sbl_status say_succession(const char *old, const char *next, sbl_error *err)
{
    sbl_ledger *ledger = NULL;
    char epsilon[SBL_CLI_NUMBER_SIZE];
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    sbl_status status = sbl_ledger_open(&ledger, next, err);
    if (status == SBL_OK) status = sbl_ledger_get_summary(ledger, &summary, err);
    if (status == SBL_OK)
        sbl_cli_say(stderr,
                    "%s: closed; %s succeeds it and carries epsilon %s at delta %s of earlier periods", old,
                    next, sbl_cli_rounded_up(epsilon, summary.epsilon_all), summary.delta);
    sbl_ledger_close(ledger);
    return status;
}

static sbl_status run_succeed(const sbl_cli_parsed *parsed, sbl_error *err)
{
    static const char *const of_budget[] = {"delta", "mu", "pure", "rows-per-person"};
    const char *old = parsed->operands[0], *next = parsed->operands[1];
    const bool has_budget = sbl_cli_given(parsed, "epsilon") != NULL;
    sbl_ledger_options options;
    sbl_status status = sbl_cli_need(parsed, "reason", err);
    for (size_t i = 0; status == SBL_OK && !has_budget && i < SBL_CLI_COUNT(of_budget); i++)
        if (sbl_cli_given(parsed, of_budget[i]) != NULL)
            status = sbl_cli_misuse(err, parsed->command,
                                    "--%s needs --epsilon: a budget is given as a whole", of_budget[i]);
    if (status == SBL_OK && has_budget) status = read_budget(&options, parsed, err);
    if (has_budget && status == SBL_OK) options.rows_per_unit = sbl_cli_whole(parsed, "rows-per-person", 0);
    if (status == SBL_OK)
        status = sbl_ledger_next_period(old, next, has_budget ? &options : NULL,
                                        sbl_cli_text(parsed, "reason"), err);
    if (status == SBL_OK && sbl_cli_given(parsed, "quiet") == NULL) status = say_succession(old, next, err);
    return status;
}

static const sbl_cli_command succeed = {
    .name = "ledger succeed",
    .summary = "close a ledger and begin that of the next period",
    .usage = "OLD NEW --reason TEXT [--epsilon E] [options]",
    .description =
        "For data that are collected anew, each year for example. NEW has a budget of its own for its "
        "period and carries what all earlier periods cost: its certificates, 'semblance ledger show' and "
        "'semblance register' state the sum for a person who is in the data of every period. Nothing can be "
        "charged to OLD any more, and it has one successor only.\n\nIf the call is interrupted, repeat it: "
        "it is "
        "completed.",
    SBL_CLI_OPERANDS(succeed_operands),
    SBL_CLI_OPTIONS(succeed_options),
    SBL_CLI_EXAMPLES(succeed_examples),
    .run = run_succeed,
};

/* ---- verify ---- */

static const sbl_cli_option verify_options[] = {SBL_OPTION_QUIET};

static const sbl_cli_example verify_examples[] = {
    {"semblance ledger verify build/demo/patients.csv.ledger", "is every line as it was written?"},
};

static sbl_status run_verify(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *path = parsed->operands[0];
    sbl_ledger *ledger = NULL;
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    sbl_status status = sbl_ledger_open(&ledger, path, err);
    if (status == SBL_OK) status = sbl_ledger_get_summary(ledger, &summary, err);
    if (status == SBL_OK && summary.torn)
        status =
            sbl_cli_fail(err, SBL_EINPUT,
                         "ledger %s: line %.0f is torn, so that all of its budget counts as spent until a "
                         "repair records its cost",
                         path, (double)summary.line_count + 2);
    if (status == SBL_OK && sbl_cli_given(parsed, "quiet") == NULL)
        sbl_cli_verified("%s: %.0f line%s, head %s", path, (double)summary.line_count + 1,
                         summary.line_count == 0 ? "" : "s", summary.head);
    sbl_ledger_close(ledger);
    return status;
}

static const sbl_cli_command verify = {
    .name = "ledger verify",
    .summary = "check every line, hash and running total",
    .usage = "FILE [--quiet]",
    .description =
        "A torn last line, which a crash can leave, is a fault too: see semblance ledger "
        "repair.\n\nA ledger that was cut back to an earlier state is whole in itself: only a "
        "certificate that holds a later head shows it (semblance verify --ledger).",
    SBL_CLI_OPERANDS(file_operand),
    SBL_CLI_OPTIONS(verify_options),
    SBL_CLI_EXAMPLES(verify_examples),
    .run = run_verify,
};

/* ---- repair ---- */

static const sbl_cli_option repair_options[] = {
    SBL_NUMBER_ROW("mu", "M", "the release that was being charged had Gaussian noise and cost at most this",
                   NULL, &sbl_cli_positive),
    SBL_NUMBER_ROW("epsilon", "E", "it had Laplace noise and cost at most this (pure) epsilon", NULL,
                   &sbl_cli_positive),
    SBL_OPTION_QUIET,
};

static const sbl_cli_example repair_examples[] = {
    {"semblance ledger repair build/demo/patients.csv.ledger", "after a crash or a full disk"},
};

static sbl_status run_repair(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_cli_value *mu = sbl_cli_given(parsed, "mu");
    const sbl_cli_value *epsilon = sbl_cli_given(parsed, "epsilon");
    if (mu != NULL && epsilon != NULL)
        return sbl_cli_misuse(err, parsed->command, "give --mu or --epsilon, not both");
    const sbl_status status = sbl_ledger_repair(parsed->operands[0], mu != NULL ? mu->number : 0.0,
                                                epsilon != NULL ? epsilon->number : 0.0, err);
    if (status == SBL_OK && sbl_cli_given(parsed, "quiet") == NULL)
        sbl_cli_say(stderr, "%s: repaired; 'semblance ledger show' says what it cost", parsed->operands[0]);
    return status;
}

static const sbl_cli_command repair = {
    .name = "ledger repair",
    .summary = "record what a torn last line cost",
    .usage = "FILE [--mu M | --epsilon E] [--quiet]",
    .description =
        "A crash or a full disk can leave a last line that is not whole. What it charged is then "
        "taken from the line itself where it can be read. Else all that the budget still allows "
        "counts as spent, which ends the ledger, unless you state the most that the release can "
        "have cost: the options of the run that failed say it (semblance account). Less than what "
        "can be read of the line is refused. A ledger "
        "without a limit cannot be repaired without such a statement.",
    SBL_CLI_OPERANDS(file_operand),
    SBL_CLI_OPTIONS(repair_options),
    SBL_CLI_EXAMPLES(repair_examples),
    .run = run_repair,
};

static const sbl_cli_command *const children[] = {
    &init, &limit, &sbl_cmd_ledger_show, &verify, &repair, &sbl_cmd_ledger_total, &succeed, NULL};

const sbl_cli_command sbl_cmd_ledger = {
    .name = "ledger",
    .summary = "make, show, limit, check, add up and succeed the account books of data sets",
    .description =
        "A ledger says what every release of a data set cost and refuses what would "
        "exceed the budget. It is charged before any noise is drawn, nothing is ever "
        "refunded, and each line carries the hash of all lines before it.",
    .children = children,
};
