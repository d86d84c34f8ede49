/* SPDX-License-Identifier: Apache-2.0 */
/* combine: one estimate and interval for each statistic of an analysis of replicates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "number.h"
#include "option_rows.h"
#include "output.h"
#include "results_csv.h"
#include "semblance/combine.h"

enum { LEVEL, RATIO, CSV, JSON };

static const sbl_cli_option options[] = {
    [LEVEL] = SBL_NUMBER_ROW("level", "L", "confidence level of the intervals", "0.95", &sbl_cli_fraction,
                             SBL_OFTEN),
    [RATIO] = SBL_NUMBER_ROW("row-ratio", "R", "rows of one replicate divided by rows of the real table", "1",
                             &sbl_cli_positive),
    [CSV] = SBL_FLAG_ROW("csv", 0, "CSV with all digits", SBL_OFTEN),
    [JSON] = SBL_FLAG_ROW("json", 0, "a JSON array with all digits", SBL_OFTEN),
};

static const sbl_cli_example examples[] = {
    {"semblance combine results.csv",
     "results.csv: replicate,name,estimate,std.error, a row for each replicate"},
    {"semblance combine results.csv --csv > intervals.csv", "the same as a table"},
};

/* All digits; a word if the number is not finite. */
static const char *exact(char text[SBL_CLI_NUMBER_SIZE], double number, const char *infinite)
{
    return isinf(number) ? infinite : sbl_cli_exact(text, number);
}

/* A name in JSON or in CSV. */
static void print_quoted(const char *name, const char *escaped, char escape)
{
    (void)putchar('"');
    for (const unsigned char *p = (const unsigned char *)name; *p != '\0'; p++) {
        if (escape == '\\' && *p < 0x20) {
            (void)printf("\\u%04x", *p);
            continue;
        }
        if (strchr(escaped, *p) != NULL) (void)putchar(escape);
        (void)putchar(*p);
    }
    (void)putchar('"');
}

static void print_json(const char *name, const sbl_combined *c, size_t replicates, bool first)
{
    char text[6][SBL_CLI_NUMBER_SIZE];
    (void)printf("%s{\"name\": ", first ? "[" : ",\n ");
    print_quoted(name, "\"\\", '\\');
    (void)printf(
        ", \"estimate\": %s, \"low\": %s, \"high\": %s, \"standard_error\": %s, "
        "\"degrees_of_freedom\": %s, \"privacy_share\": %s, \"replicates\": %zu}",
        sbl_cli_exact(text[0], c->estimate), sbl_cli_exact(text[1], c->low), sbl_cli_exact(text[2], c->high),
        sbl_cli_exact(text[3], c->standard_error), exact(text[4], c->degrees_of_freedom, "null"),
        sbl_cli_exact(text[5], c->privacy_share), replicates);
}

static void print_csv(const char *name, const sbl_combined *c, size_t replicates, bool first)
{
    char text[6][SBL_CLI_NUMBER_SIZE];
    if (first)
        (void)puts("name,estimate,low,high,standard_error,degrees_of_freedom,privacy_share,replicates");
    print_quoted(name, "\"", '"');
    (void)printf(",%s,%s,%s,%s,%s,%s,%zu\n", sbl_cli_exact(text[0], c->estimate),
                 sbl_cli_exact(text[1], c->low), sbl_cli_exact(text[2], c->high),
                 sbl_cli_exact(text[3], c->standard_error), exact(text[4], c->degrees_of_freedom, "inf"),
                 sbl_cli_exact(text[5], c->privacy_share), replicates);
}

static void print_text(const char *name, const sbl_combined *c, size_t replicates, bool first)
{
    char plain[64], degrees[16];
    if (first)
        (void)printf("%-24s %11s %11s %11s %9s %7s %8s\n", "name", "estimate", "low", "high", "std.err", "df",
                     "privacy");
    (void)snprintf(plain, sizeof plain, "%.60s", name);
    (void)snprintf(degrees, sizeof degrees, isinf(c->degrees_of_freedom) ? "inf" : "%.1f",
                   c->degrees_of_freedom);
    sbl_cli_say(stdout, "%-24s %11.5g %11.5g %11.5g %9.3g %7s %7.0f%%", plain, c->estimate, c->low, c->high,
                c->standard_error, degrees, 100.0 * c->privacy_share);
    (void)replicates;
}

static sbl_status combine_all(const sbl_results *results, const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_combine_options how;
    sbl_combine_options_init(&how);
    how.level = parsed->values[LEVEL].number;
    how.row_ratio = parsed->values[RATIO].number;
    const bool json = parsed->values[JSON].given, csv = parsed->values[CSV].given;
    for (int shown = 0; shown < 2; shown++) /* nothing is printed if any is refused */
        for (size_t i = 0; i < results->count; i++) {
            const sbl_results_group *group = &results->groups[i];
            sbl_combined combined = {.struct_size = sizeof combined};
            sbl_error reason;
            const sbl_status status =
                sbl_combine(&combined, group->estimates, group->variances, group->count, &how, &reason);
            if (status != SBL_OK)
                return sbl_cli_fail(err, SBL_EINPUT, "%s: '%.80s': %s", parsed->operands[0], group->name,
                                    reason.message);
            if (shown == 1)
                (json  ? print_json
                 : csv ? print_csv
                       : print_text)(group->name, &combined, group->count, i == 0);
        }
    if (json) (void)puts("]");
    return SBL_OK;
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_results results;
    if (parsed->values[CSV].given && parsed->values[JSON].given)
        return sbl_cli_misuse(err, parsed->command, "give --csv or --json, not both");
    sbl_status status = sbl_results_read(&results, parsed->operands[0], err);
    if (status != SBL_OK) return status;
    status = combine_all(&results, parsed, err);
    sbl_results_free(&results);
    return status;
}

const sbl_cli_command sbl_cmd_combine = {
    .name = "combine",
    .summary = "turn the results of an analysis of replicates into intervals",
    .usage = "RESULTS [--level L] [--csv | --json]",
    .description =
        "Run the same analysis on each replicate, as if it were the real table, and write "
        "its results to one CSV file: columns estimate, variance or std.error, name (or "
        "term) and, to check the file, replicate. The intervals are for the population: they cover "
        "sampling, privacy noise and the uncertainty of the model. No data is read and "
        "no privacy is spent.\n\n"
        "The last number is the share of the interval's width that the usual interval of the "
        "real table would not have. Tables that were drawn from one model are not replicates.",
    SBL_CLI_OPERAND("RESULTS", "the results (CSV)"),
    SBL_CLI_OPTIONS(options),
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
