/* ledger init, limit, show, verify, repair: the account book of a data set; total is in
 * cmd_ledger_total.c. */
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

static const sbl_cli_option init_options[] = {
    SBL_NUMBER_ROW("epsilon", "E",
                   "what all releases together may cost. With inf nothing is refused and nothing guaranteed",
                   "no limit: costs are added up and stated", &sbl_cli_positive_or_inf),
    DELTA_OPTION,
    MU_OPTION,
    PURE_OPTION,
    NEIGHBOURS_OPTION,
    PERSONS_OPTION,
    SBL_OPTION_QUIET,
};

static const sbl_cli_example init_examples[] = {
    {"semblance ledger init mine.ledger --epsilon 3 --delta 1e-6",
     "a budget for all that will ever be released of this data"},
};

static sbl_status run_init(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_cli_value *neighbours = sbl_cli_given(parsed, "neighbours");
    sbl_ledger_options options;
    sbl_status status = read_budget(&options, parsed, err);
    if (status != SBL_OK) return status;
    if (neighbours != NULL && neighbours->whole == 1) options.neighbours = SBL_ADD_REMOVE;
    options.rows_per_unit = sbl_cli_whole(parsed, "rows-per-person", options.rows_per_unit);
    status = sbl_ledger_init(parsed->operands[0], &options, err);
    if (status == SBL_OK && sbl_cli_given(parsed, "quiet") == NULL)
        sbl_cli_say(stderr, "%s: a new ledger, %s%s, delta %s, %s neighbours", parsed->operands[0],
                    options.epsilon != NULL ? "epsilon " : "no limit",
                    options.epsilon != NULL ? options.epsilon : "", options.pure ? "0" : options.delta,
                    sbl_neighbours_name(options.neighbours));
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
    static const char *const of_new[] = {"neighbours", "rows-per-person"};
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
        "Before the first release of INPUT, INPUT.ledger is made with it; --neighbours and "
        "--rows-per-person are then as of semblance ledger init. "
        "One below what is spent already ends all releases of the data set.",
    SBL_CLI_OPERANDS(file_operand),
    SBL_CLI_OPTIONS(limit_options),
    SBL_CLI_EXAMPLES(limit_examples),
    .run = run_limit,
};

/* ---- show ---- */

static const sbl_cli_option show_options[] = {
    SBL_FLAG_ROW("json", 0, "one JSON object with all digits"),
};

static const sbl_cli_example show_examples[] = {
    {"semblance ledger show build/demo/patients.csv.ledger", "what was released, what it cost, what is left"},
};

static void show_budget(const sbl_ledger_summary *s)
{
    char text[SBL_CLI_NUMBER_SIZE];
    (void)printf("ledger   %s, made %s\n", s->id, s->created);
    if (s->test_key) (void)printf("NONE     made by a test build: guarantees nothing\n");
    if (strcmp(s->epsilon, "none") == 0)
        (void)printf("budget   no limit; totals are at delta %s", s->delta);
    else
        (void)printf("budget   epsilon %s, delta %s", s->epsilon, s->delta);
    if (s->mu_limit > 0) (void)printf(", mu %s", sbl_cli_rounded_down(text, s->mu_limit));
    (void)printf(", %s neighbours\n", sbl_neighbours_name(s->neighbours));
}

static void show_balance(const sbl_ledger_summary *s)
{
    char epsilon[SBL_CLI_NUMBER_SIZE], mu[SBL_CLI_NUMBER_SIZE], pure[SBL_CLI_NUMBER_SIZE];
    (void)printf("spent    epsilon %s by %.0f release%s: mu %s, pure epsilon %s\n",
                 sbl_cli_rounded_up(epsilon, s->epsilon_spent), (double)s->releases,
                 s->releases == 1 ? "" : "s", sbl_cli_rounded_up(mu, s->mu_spent),
                 sbl_cli_rounded_up(pure, s->pure_spent));
    if (isinf(s->mu_left) && isinf(s->pure_left))
        (void)printf("left     no limit\n");
    else
        (void)printf("left     mu %s, or pure epsilon %s%s\n", sbl_cli_rounded_down(mu, s->mu_left),
                     sbl_cli_rounded_down(pure, s->pure_left), if_nothing_is_left(s));
    (void)printf("head     %s\n", s->head);
    if (s->torn)
        (void)printf(
            "torn     the last line is not whole: nothing is left until 'semblance ledger "
            "repair'\n");
    if (s->exhausted) (void)printf("ended    a repair gave up the rest of the budget\n");
}

static void show_release(const sbl_ledger_record *r, bool first)
{
    char cost[SBL_CLI_NUMBER_SIZE], total[SBL_CLI_NUMBER_SIZE];
    const bool gaussian = r->mu > 0;
    if (first)
        (void)printf("\n%4s  %-24s  %-9s  %-17s  %s\n", "seq", "release", "state", "cost", "epsilon so far");
    (void)sbl_cli_rounded_up(cost, gaussian ? r->mu : r->pure_epsilon);
    sbl_cli_say(stdout, "%4.0f  %-24s  %-9s  %-3s %-13s  %s", (double)r->seq, r->name, r->state,
                gaussian ? "mu" : "eps", cost, sbl_cli_rounded_up(total, r->epsilon_total));
}

static sbl_status show_releases(const sbl_ledger *ledger, size_t count, sbl_error *err)
{
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        sbl_ledger_record record = {.struct_size = sizeof record};
        const sbl_status status = sbl_ledger_get_record(ledger, &record, i, err);
        if (status != SBL_OK) return status;
        if (record.name[0] == '\0') continue;
        show_release(&record, first);
        first = false;
    }
    return SBL_OK;
}

static sbl_status show_json(const char *path, sbl_error *err)
{
    char *json = NULL;
    const sbl_status status = sbl_ledger_describe(&json, path, err);
    if (status == SBL_OK) (void)fputs(json, stdout);
    sbl_free(json);
    return status;
}

static sbl_status run_show(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_ledger *ledger = NULL;
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    if (sbl_cli_given(parsed, "json") != NULL) return show_json(parsed->operands[0], err);
    sbl_status status = sbl_ledger_open(&ledger, parsed->operands[0], err);
    if (status == SBL_OK) status = sbl_ledger_get_summary(ledger, &summary, err);
    if (status == SBL_OK) {
        show_budget(&summary);
        show_balance(&summary);
        status = show_releases(ledger, summary.line_count, err);
    }
    sbl_ledger_close(ledger);
    return status;
}

static const sbl_cli_command show = {
    .name = "ledger show",
    .summary = "show the budget, every release and what is left",
    .usage = "FILE [--json]",
    .description = "The whole ledger is verified first; a ledger that was changed is refused.",
    SBL_CLI_OPERANDS(file_operand),
    SBL_CLI_OPTIONS(show_options),
    SBL_CLI_EXAMPLES(show_examples),
    .run = run_show,
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
    &init, &limit, &show, &verify, &repair, &sbl_cmd_ledger_total, NULL};

const sbl_cli_command sbl_cmd_ledger = {
    .name = "ledger",
    .summary = "make, show, limit, check and add up the account books of data sets",
    .description =
        "A ledger says what every release of a data set cost and refuses what would "
        "exceed the budget. It is charged before any noise is drawn, nothing is ever "
        "refunded, and each line carries the hash of all lines before it.",
    .children = children,
};
