/* SPDX-License-Identifier: Apache-2.0 */
/* A made-up bank as linked tables, CSV files in a folder: accounts, their clients, the clients' cards, the accounts'
 * standing orders and loans, and the districts, which are public.
 *
 *     make_bank FOLDER ACCOUNTS [SEED]
 *
 * They stand in for data that may not be shown. examples/bank.json is what is publicly known of such tables; it
 * names the files as they are named here, and belongs beside them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A small generator for made-up records. The noise of a release never comes from anything like it.
 */
static unsigned long long state = 20260202;
static double uniform(void)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) / 9007199254740992.0;
}

static int below(int count) { return (int)(uniform() * count); }

static double between(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

enum { ACCOUNTS, CLIENTS, CARDS, ORDERS, LOANS, TABLES };
static const char *const tables[TABLES][2] = {
    {"accounts", "account,district,statements,opened"},
    {"clients", "client,account,role,sex,born"},
    {"cards", "card,client,kind,issued"},
    {"orders", "order,account,purpose,amount"},
    {"loans", "loan,account,granted,amount,months,repaid"},
};
static FILE *files[TABLES];
static long rows[TABLES]; /* so far: keys count up */

static FILE *open_file(const char *folder, const char *name, const char *header)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s.csv", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    (void)fprintf(file, "%s\n", header);
    return file;
}

/* Districts are public: their names, and how wealthy each is. */
#define DISTRICTS 12
static double wealth(int district) { return 0.6 + 0.1 * (district * 7 % DISTRICTS); }

static void print_districts(const char *folder)
{
    static const char *const regions[] = {"north", "south", "coast"};
    FILE *file = open_file(folder, "districts", "district,region,salary");
    for (int d = 0; d < DISTRICTS; d++)
        (void)fprintf(file, "D%02d,%s,%.0f\n", d + 1, regions[d % 3], 30000 * wealth(d));
    (void)fclose(file);
}

/* Amounts around a typical one, of which a few are large. */
static double amount(double typical) { return typical * exp(1.2 * (uniform() + uniform() - 1)); }

static void print_cards(int year, int born)
{
    const int count = year - born < 20 ? uniform() < 0.5 : below(3);
    for (int i = 0; i < count; i++) {
        const char *kind = year - born < 20 ? "junior" : uniform() < 0.2 ? "gold" : "classic";
        const int later = year + below(2026 - year);
        (void)fprintf(files[CARDS], "K%ld,%ld,%s,%d-%02d-%02d\n", 1000 + ++rows[CARDS], rows[CLIENTS], kind,
                      later, 1 + below(12), 1 + below(28));
    }
}

static void print_clients(int year)
{
    const int count = uniform() < 0.25 ? 2 : 1;
    const int owner = below(2);
    for (int i = 0; i < count; i++) {
        /* Who shares an account is mostly a couple of about one age. */
        static int born;
        const int couple = i > 0 && uniform() < 0.8;
        const int sex = couple ? !owner : i > 0 ? below(2) : owner;
        born = couple ? born + below(7) - 3 : year - 16 - (int)(55 * uniform() * uniform());
        born = (int)between(born, 1910, 2009);
        (void)fprintf(files[CLIENTS], "%ld,%ld,%s,%s,%d\n", ++rows[CLIENTS], rows[ACCOUNTS],
                      i == 0 ? "owner" : "user", sex ? "female" : "male", born);
        print_cards(year, born);
    }
}

static void print_orders(double rich)
{
    static const char *const purposes[] = {"household", "insurance", "leasing", "loan"};
    static const double typical[] = {900, 240, 420, 610};
    const int count = uniform() < 0.2 ? 0 : 1 + (int)(4 * uniform() * uniform());
    int purpose = below(4);
    for (int i = 0; i < count; i++) {
        (void)fprintf(files[ORDERS], "%ld,%ld,%s,%.2f\n", ++rows[ORDERS], rows[ACCOUNTS], purposes[purpose],
                      between(amount(rich * typical[purpose]), 0, 20000));
        purpose = uniform() < 0.6 ? 0 : below(4);
    }
}

static void print_loan(double rich, int year)
{
    if (uniform() > 0.22) return;
    const int months = 12 * (1 + below(5));
    const double whole = floor(between(amount(rich * 700) * months, 1000, 500000));
    const int granted = year + below(2026 - year);
    (void)fprintf(files[LOANS], "%ld,%ld,%d-%02d-%02d,%.0f,%d,%.0f\n", ++rows[LOANS], rows[ACCOUNTS], granted,
                  1 + below(12), 1 + below(28), whole, months, floor(whole * uniform()));
}

static void print_account(void)
{
    static const char *const statements[] = {"monthly", "weekly", "on request"};
    const int district = (int)(DISTRICTS * sqrt(uniform()));
    const int year = 2015 + below(11);
    const double often = uniform();
    (void)fprintf(files[ACCOUNTS], "%ld,D%02d,%s,%d-%02d-%02d\n", ++rows[ACCOUNTS], district + 1,
                  statements[often < 0.7 + 0.02 * district ? 0
                             : often < 0.96                ? 1
                                                           : 2],
                  year, 1 + below(12), 1 + below(28));
    print_clients(year);
    print_orders(wealth(district));
    print_loan(wealth(district), year);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        (void)fprintf(stderr, "usage: make_bank FOLDER ACCOUNTS [SEED]\n");
        return 2;
    }
    const long accounts = strtol(argv[2], NULL, 10);
    if (argc > 3) state += strtoull(argv[3], NULL, 10) * 0x9e3779b97f4a7c15ULL;
    for (int t = 0; t < TABLES; t++) files[t] = open_file(argv[1], tables[t][0], tables[t][1]);
    print_districts(argv[1]);
    for (long i = 0; i < accounts; i++) print_account();
    for (int t = 0; t < TABLES; t++)
        if (fclose(files[t]) != 0) return 1;
    return 0;
}
