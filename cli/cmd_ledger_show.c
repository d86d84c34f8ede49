/* SPDX-License-Identifier: Apache-2.0 */
/* ledger show: the budget of a data set, every release with its date, author, title and outputs, and what is left. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "number.h"
#include "output.h"
#include "semblance/ledger.h"
#include "semblance/register.h"

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

/* The sum for a person who is in the data of every period. */
static void show_periods(const sbl_ledger_summary *s)
{
    char epsilon[SBL_CLI_NUMBER_SIZE];
    if (s->earlier_periods != 0) {
        (void)printf("periods  epsilon %s over %.0f periods, for a person in each\n",
                     sbl_cli_rounded_up(epsilon, s->epsilon_all), (double)s->earlier_periods + 1);
        (void)printf("after    ledger %s\n", s->predecessor);
    }
    if (s->successor[0] != '\0') (void)printf("closed   by its successor, ledger %s\n", s->successor);
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
                     sbl_cli_rounded_down(pure, s->pure_left),
                     s->mu_left == 0.0 && s->pure_left == 0.0 ? "; nothing more can be released" : "");
    if (isfinite(s->epsilon_left) && s->epsilon_left > 0.0)
        (void)printf("left     epsilon %s at delta %s, for one more release\n",
                     sbl_cli_rounded_down(epsilon, s->epsilon_left), s->delta);
    show_periods(s);
    (void)printf("head     %s\n", s->head);
    if (s->torn)
        (void)printf(
            "torn     the last line is not whole: nothing is left until 'semblance ledger "
            "repair'\n");
    if (s->exhausted) (void)printf("ended    a repair gave up the rest of the budget\n");
}

/* What was made of release number seq: the rest of its line among "SEQ NAME, NAME". */
static void find_outputs(const char **outputs, int *length, const char *lines, uint64_t seq)
{
    char wanted[32];
    const int digits = snprintf(wanted, sizeof wanted, "%llu ", (unsigned long long)seq);
    *outputs = "";
    *length = 0;
    for (const char *line = lines; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1)
        if (strncmp(line, wanted, (size_t)digits) == 0) {
            *outputs = line + digits;
            *length = (int)strcspn(*outputs, "\n");
        }
}

static void show_release(const sbl_ledger_record *r, const char *lines, bool first)
{
    const char *outputs;
    int length;
    find_outputs(&outputs, &length, lines, r->seq);
    char cost[SBL_CLI_NUMBER_SIZE], total[SBL_CLI_NUMBER_SIZE];
    const bool gaussian = r->mu > 0;
    if (first)
        (void)printf("\n%4s  %-24s  %-9s  %-17s  %s\n", "seq", "release", "state", "cost", "epsilon so far");
    (void)sbl_cli_rounded_up(cost, gaussian ? r->mu : r->pure_epsilon);
    sbl_cli_say(stdout, "%4.0f  %-24s  %-9s  %-3s %-13s  %s", (double)r->seq, r->name, r->state,
                gaussian ? "mu" : "eps", cost, sbl_cli_rounded_up(total, r->epsilon_total));
    sbl_cli_say(stdout, "      %s%s%s%s%s%s%.*s", r->time, r->who[0] != '\0' ? " by " : "", r->who,
                r->title[0] != '\0' ? ", " : "", r->title, length > 0 ? " -> " : "", length, outputs);
}

static sbl_status show_releases(const sbl_ledger *ledger, const char *lines, size_t count, sbl_error *err)
{
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        sbl_ledger_record record = {.struct_size = sizeof record};
        const sbl_status status = sbl_ledger_get_record(ledger, &record, i, err);
        if (status != SBL_OK) return status;
        if (record.name[0] == '\0') continue;
        show_release(&record, lines, first);
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
    char *lines = NULL;
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    if (sbl_cli_given(parsed, "json") != NULL) return show_json(parsed->operands[0], err);
    sbl_status status = sbl_ledger_open(&ledger, parsed->operands[0], err);
    if (status == SBL_OK) status = sbl_ledger_get_summary(ledger, &summary, err);
    if (status == SBL_OK) {
        show_budget(&summary);
        show_balance(&summary);
        /* Where the folder cannot be read, outputs are not named. */
        if (sbl_register_outputs(&lines, parsed->operands[0], NULL) != SBL_OK) lines = NULL;
        status = show_releases(ledger, lines, summary.line_count, err);
        sbl_free(lines);
    }
    sbl_ledger_close(ledger);
    return status;
}

const sbl_cli_command sbl_cmd_ledger_show = {
    .name = "ledger show",
    .summary = "show the budget, every release and what is left",
    .usage = "FILE [--json]",
    .description =
        "The whole ledger is verified first; a ledger that was changed is refused. Outputs are those that "
        "certificates in its folder and below list; one that was changed, or is not there any more, says so.",
    SBL_CLI_OPERAND("FILE", "the ledger"),
    SBL_CLI_OPTIONS(show_options),
    SBL_CLI_EXAMPLES(show_examples),
    .run = run_show,
};
