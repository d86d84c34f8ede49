/* SPDX-License-Identifier: Apache-2.0 */
/* account: exact privacy arithmetic without any data.
 *
 * Legend: G rows per person, K equal Gaussian releases of noise sigma (over the sensitivity of one
 * row), P pure parts of epsilon0 each.
 *     mu of a row = sqrt(K) / sigma,   mu of a person = G * mu of a row
 * (Dong, Roth, Su 2022). What may be spent is rounded down, what was spent and sigma are rounded
 * up. */
#include <math.h>
#include <stdio.h>

#include "command.h"
#include "number.h"
#include "option_rows.h"
#include "output.h"
#include "semblance/account.h"

enum { EPSILON, DELTA, SIGMA, MU, RELEASES, PURE, PARTS, ROWS, NEIGHBOURS, JSON };

static const sbl_cli_range part_count = {1, 1000, false, "a whole number from 1 to 1000"};

static const sbl_cli_option options[] = {
    [EPSILON] = SBL_NUMBER_ROW("epsilon", "E",
                               "the epsilon to reach: gives mu and sigma; with --sigma or --mu: gives delta",
                               NULL, &sbl_cli_positive),
    [DELTA] = SBL_NUMBER_ROW("delta", "D", "the delta, above 0 and below 1", "1e-5", &sbl_cli_fraction),
    [SIGMA] = SBL_NUMBER_ROW("sigma", "S", "noise of each release over its sensitivity: gives mu and epsilon",
                             NULL, &sbl_cli_positive),
    [MU] = SBL_NUMBER_ROW("mu", "M", "mu of all releases together, for one row: gives sigma and epsilon",
                          NULL, &sbl_cli_positive),
    [RELEASES] = SBL_WHOLE_ROW("releases", 0, "K", "number of equal releases, each with noise sigma", "1",
                               &sbl_cli_to_billion),
    [PURE] = SBL_NUMBER_ROW("pure", "E0",
                            "beside them, releases that are E0-private with delta 0, e.g. by Laplace noise",
                            NULL, &sbl_cli_positive),
    [PARTS] = SBL_WHOLE_ROW("parts", 0, "P", "number of such releases", "1", &part_count),
    [ROWS] =
        SBL_WHOLE_ROW("rows-per-person", 0, "G", "rows that one person may own", "1", &sbl_cli_to_billion),
    [NEIGHBOURS] = SBL_CHOICE_ROW("neighbours", "RELATION",
                                  "replace-one (the number of rows is public) or add-remove (it is private)",
                                  "replace-one", sbl_cli_relations),
    [JSON] = SBL_FLAG_ROW("json", 0, "one JSON object with all digits"),
};

static const sbl_cli_example examples[] = {
    {"semblance account --epsilon 1 --delta 1e-5", "the noise that one release needs"},
    {"semblance account --epsilon 1 --releases 10 --json", "the noise that each of ten needs"},
    {"semblance account --sigma 5 --delta 1e-6", "what one release with this noise costs"},
    {"semblance account --sigma 5 --epsilon 1", "the same as delta at epsilon 1"},
};

typedef struct account {
    double epsilon, delta;
    double mu_row, mu; /* of a row; of a person */
    double sigma;
    double pure_row, pure; /* epsilon of each pure part */
    unsigned parts;
    uint64_t releases, rows;
    sbl_neighbours neighbours;
} account;

/* sqrt(releases) / x, not below the true value: sigma from mu and mu from sigma alike. */
static double per_root(const account *a, double x)
{
    return sbl_cli_divide_up(sbl_cli_sqrt_up((double)a->releases), x);
}

/* delta at epsilon, rounded up: the function is accurate to about 1e-14 relative. */
static double delta_up(const account *a, double mu, double epsilon)
{
    const double delta = sbl_mixed_delta(mu, a->pure, a->parts, epsilon);
    return fmin(nextafter(delta * (1.0 + 1e-13), 1.0), 1.0);
}

/* The largest mu for a person at (epsilon, delta), rounded down. Beside pure parts by bisection:
 * delta grows with mu, and without them mu could only be larger. */
static sbl_status calibrate(account *a, const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_status status = sbl_gdp_mu(&a->mu, a->epsilon, a->delta, err);
    if (status != SBL_OK || a->parts == 0) return status;
    double low = 0.0, high = a->mu;
    for (int step = 0; step < 100; step++) {
        const double middle = low + (high - low) / 2.0;
        if (delta_up(a, middle, a->epsilon) <= a->delta)
            low = middle;
        else
            high = middle;
    }
    a->mu = low * (1.0 - 1e-12);
    if (a->mu == 0.0)
        return sbl_cli_misuse(err, parsed->command,
                              "option --pure: the pure releases alone cost more than --epsilon; use a larger "
                              "--epsilon, a smaller --pure or fewer --parts");
    return SBL_OK;
}

static sbl_status from_epsilon(account *a, const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_status status = calibrate(a, parsed, err);
    if (status != SBL_OK) return status;
    a->mu_row = a->rows == 1 ? a->mu : sbl_cli_divide_down(a->mu, (double)a->rows);
    a->sigma = per_root(a, a->mu_row);
    return SBL_OK;
}

static sbl_status spent(double *epsilon, const account *a, double factor, sbl_error *err)
{
    return sbl_mixed_epsilon(epsilon, a->mu * factor, a->pure * factor, a->parts, a->delta, err);
}

static sbl_status from_noise(account *a, const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *name = parsed->values[SIGMA].given ? "sigma" : "mu";
    if (parsed->values[SIGMA].given) {
        a->sigma = parsed->values[SIGMA].number;
        a->mu_row = per_root(a, a->sigma);
    } else {
        a->mu_row = parsed->values[MU].number;
        a->sigma = per_root(a, a->mu_row);
    }
    a->mu = sbl_gdp_group(a->mu_row, a->rows);
    /* Beyond these the result is not a finite number, or mu is lost to underflow. */
    if (!(a->mu >= 1e-100 && a->mu <= 1e100 && a->sigma >= 1e-100 && a->sigma <= 1e100))
        return sbl_cli_misuse(err, parsed->command,
                              "option --%s is out of range: use a number from 1e-90 to 1e90", name);
    if (parsed->values[EPSILON].given) {
        a->delta = delta_up(a, a->mu, a->epsilon);
        return SBL_OK;
    }
    return spent(&a->epsilon, a, 1.0, err);
}

static sbl_status check_combination(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_cli_value *values = parsed->values;
    const bool noise = values[SIGMA].given || values[MU].given;
    if (values[SIGMA].given && values[MU].given)
        return sbl_cli_misuse(err, parsed->command, "give --sigma or --mu, not both");
    if (!noise && !values[EPSILON].given)
        return sbl_cli_misuse(err, parsed->command, "give --epsilon, --sigma or --mu");
    if (noise && values[EPSILON].given && values[DELTA].given)
        return sbl_cli_misuse(err, parsed->command,
                              "--delta follows from --epsilon and --%s: leave one of the three out",
                              values[SIGMA].given ? "sigma" : "mu");
    if (values[PARTS].given && !values[PURE].given)
        return sbl_cli_misuse(err, parsed->command, "option --parts needs --pure");
    return SBL_OK;
}

static uint64_t whole_or(const sbl_cli_value *value, uint64_t standard)
{
    return value->given ? value->whole : standard;
}

static account read_account(const sbl_cli_parsed *parsed)
{
    const sbl_cli_value *values = parsed->values;
    account a = {
        .epsilon = values[EPSILON].number,
        .delta = values[DELTA].given ? values[DELTA].number : 1e-5,
        .releases = whole_or(&values[RELEASES], 1),
        .rows = whole_or(&values[ROWS], 1),
        .parts = values[PURE].given ? (unsigned)whole_or(&values[PARTS], 1) : 0,
        .pure_row = values[PURE].number,
        .neighbours = values[NEIGHBOURS].whole == 1 ? SBL_ADD_REMOVE : SBL_REPLACE_ONE,
    };
    a.pure = a.rows == 1 ? a.pure_row : nextafter(a.pure_row * (double)a.rows, INFINITY);
    return a;
}

static void json_member(const char *name, double number)
{
    char text[SBL_CLI_NUMBER_SIZE];
    (void)printf("\"%s\": %s, ", name, sbl_cli_exact(text, number));
}

static void print_json(const account *a, double epsilon_replace)
{
    (void)putchar('{');
    json_member("mu", a->mu);
    json_member("mu_per_row", a->mu_row);
    json_member("sigma", a->sigma);
    json_member("epsilon", a->epsilon);
    json_member("delta", a->delta);
    json_member("releases", (double)a->releases);
    json_member("rows_per_person", (double)a->rows);
    if (a->parts > 0) {
        json_member("pure_epsilon", a->pure_row);
        json_member("pure_parts", (double)a->parts);
    }
    if (a->neighbours == SBL_ADD_REMOVE) {
        json_member("mu_replace_one", sbl_gdp_group(a->mu, 2));
        json_member("epsilon_replace_one", epsilon_replace);
    }
    (void)printf("\"neighbours\": \"%s\"}\n", sbl_neighbours_name(a->neighbours));
}

static void print_line(const char *name, const char *number, const char *words)
{
    (void)printf(words[0] != '\0' ? "%-8s  %-14s  %s\n" : "%-8s  %s\n", name, number, words);
}

/* mu_is_spent: it follows from the noise; else it is what may be spent. */
static void print_text(const account *a, bool mu_is_spent, double epsilon_replace)
{
    char text[SBL_CLI_NUMBER_SIZE], words[80];
    print_line("epsilon", sbl_cli_rounded_up(text, a->epsilon), "");
    print_line("delta", sbl_cli_rounded_up(text, a->delta), "");
    print_line("mu", mu_is_spent ? sbl_cli_rounded_up(text, a->mu) : sbl_cli_rounded_down(text, a->mu), "");
    (void)snprintf(words, sizeof words, "noise over sensitivity, %s%.0f release%s",
                   a->releases > 1 ? "each of " : "", (double)a->releases, a->releases > 1 ? "s" : "");
    print_line("sigma", sbl_cli_rounded_up(text, a->sigma), words);
    if (a->parts > 0) {
        (void)snprintf(words, sizeof words, "epsilon, each of %u pure part%s", a->parts,
                       a->parts > 1 ? "s" : "");
        print_line("pure", sbl_cli_rounded_up(text, a->pure_row), words);
    }
    (void)snprintf(words, sizeof words, "person with %.0f rows", (double)a->rows);
    (void)printf("for       one %s, %s neighbours (n is %s)\n", a->rows > 1 ? words : "row",
                 sbl_neighbours_name(a->neighbours), a->neighbours == SBL_REPLACE_ONE ? "public" : "private");
    if (a->neighbours == SBL_REPLACE_ONE) return;
    char mu[SBL_CLI_NUMBER_SIZE];
    (void)printf("as        replace-one: mu at most %s, epsilon %s\n",
                 sbl_cli_rounded_up(mu, sbl_gdp_group(a->mu, 2)), sbl_cli_rounded_up(text, epsilon_replace));
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    double epsilon_replace = 0.0;
    sbl_status status = check_combination(parsed, err);
    if (status != SBL_OK) return status;
    account a = read_account(parsed);
    const bool noise = parsed->values[SIGMA].given || parsed->values[MU].given;
    status = noise ? from_noise(&a, parsed, err) : from_epsilon(&a, parsed, err);
    if (status == SBL_OK && a.neighbours == SBL_ADD_REMOVE) status = spent(&epsilon_replace, &a, 2.0, err);
    if (status != SBL_OK) return status;
    if (parsed->values[JSON].given)
        print_json(&a, epsilon_replace);
    else
        print_text(&a, noise, epsilon_replace);
    return SBL_OK;
}

const sbl_cli_command sbl_cmd_account = {
    .name = "account",
    .summary = "turn epsilon and delta into noise, or noise into epsilon, exactly",
    .usage =
        "--epsilon E [--delta D] [--releases K] [--json]\n"
        "--sigma S [--delta D | --epsilon E] [--releases K] [--json]\n"
        "--mu M [--delta D | --epsilon E] [--releases K] [--json]",
    .description =
        "Releases with Gaussian noise compose exactly: the squares of their mu, sensitivity over "
        "noise, add up. No data is read. Noise is rounded up and mu down, so that a printed "
        "number never promises more than was computed.",
    SBL_CLI_OPTIONS(options),
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
