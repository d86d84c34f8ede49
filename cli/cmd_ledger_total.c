/* SPDX-License-Identifier: Apache-2.0 */
/* ledger total: what several ledgers cost the same people together. */
#include <math.h>
#include <stdio.h>

#include "command.h"
#include "number.h"
#include "option_rows.h"
#include "output.h"
#include "semblance/ledger.h"

static const sbl_cli_option options[] = {
    SBL_WHOLE_ROW("rows-per-person", 0, "G",
                  "the most rows of one person in the data of any ledger of rows; needed beside a ledger "
                  "of persons",
                  "the total is for one row", &sbl_cli_to_billion),
    SBL_NUMBER_ROW("delta", "D", "the delta at which the total is stated", "the smallest of the ledgers'",
                   &sbl_cli_fraction),
    SBL_FLAG_ROW("json", 0, "one JSON object with all digits"),
};

static const sbl_cli_example examples[] = {
    {"semblance ledger total build/demo/patients.csv.ledger mine.ledger",
     "the total cost for people who are in both data sets"},
};

/* All digits; of no number a text. */
static const char *member(char text[SBL_CLI_NUMBER_SIZE], double number)
{
    return isinf(number) ? "\"inf\"" : sbl_cli_exact(text, number);
}

static void print_json(const sbl_ledger_sum *sum)
{
    char epsilon[SBL_CLI_NUMBER_SIZE], delta[SBL_CLI_NUMBER_SIZE];
    char mu[SBL_CLI_NUMBER_SIZE], pure[SBL_CLI_NUMBER_SIZE];
    (void)printf(
        "{\"epsilon\": %s, \"delta\": %s, \"mu\": %s, \"pure_epsilon\": %s, "
        "\"releases\": %.0f, \"rows_per_person\": %.0f, \"neighbours\": \"%s\"}\n",
        member(epsilon, sum->epsilon), member(delta, sum->delta), member(mu, sum->mu),
        member(pure, sum->pure_epsilon), (double)sum->releases, (double)sum->rows,
        sbl_neighbours_name(sum->neighbours));
}

static void print_text(const sbl_ledger_sum *sum)
{
    char number[SBL_CLI_NUMBER_SIZE];
    (void)printf("epsilon   %s%s\n", sbl_cli_rounded_up(number, sum->epsilon),
                 isinf(sum->epsilon) ? ": so much is spent that no epsilon can be proved at this delta" : "");
    (void)printf("delta     %s\n", sbl_cli_rounded_up(number, sum->delta));
    (void)printf("mu        %s\n", sbl_cli_rounded_up(number, sum->mu));
    (void)printf("pure      %s\n", sbl_cli_rounded_up(number, sum->pure_epsilon));
    (void)printf("releases  %.0f\n", (double)sum->releases);
    if (sum->rows == 0)
        (void)printf("for       one row, %s neighbours\n", sbl_neighbours_name(sum->neighbours));
    else
        (void)printf(
            "for       one person with at most %.0f row%s in data of ledgers of rows, %s "
            "neighbours\n",
            (double)sum->rows, sum->rows == 1 ? "" : "s", sbl_neighbours_name(sum->neighbours));
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_ledger_sum sum = {.struct_size = sizeof sum};
    const uint64_t rows = sbl_cli_whole(parsed, "rows-per-person", 0);
    const sbl_cli_value *given = sbl_cli_given(parsed, "delta");
    const double delta = given != NULL ? given->number : 0.0;
    const sbl_status status =
        sbl_ledger_add_up(&sum, parsed->operands, parsed->operand_count, rows, delta, err);
    if (status != SBL_OK) return status;
    if (sbl_cli_given(parsed, "json") != NULL)
        print_json(&sum);
    else
        print_text(&sum);
    return SBL_OK;
}

const sbl_cli_command sbl_cmd_ledger_total = {
    .name = "ledger total",
    .summary = "add up what several ledgers cost the same people",
    .usage = "LEDGER... [--rows-per-person G] [--delta D] [--json]",
    .description =
        "If the same people are in the data of several ledgers, the releases cost them the "
        "sum. A ledger of rows costs a person with G rows G times its mu; a ledger of "
        "persons costs them its mu as it is. Squares of mu and pure epsilons are added, as "
        "within a ledger. Ledgers of both relations are added up under replace-one, "
        "those of add-remove with twice their mu.",
    SBL_CLI_OPERAND("LEDGER", "the ledgers, one or more"),
    .repeats_operand = true,
    SBL_CLI_OPTIONS(options),
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
