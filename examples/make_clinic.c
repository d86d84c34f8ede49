/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up patients of a clinic, as CSV on standard output: mixed columns, missing values, a label.
 *
 *     make_clinic ROWS [SEED]
 *
 * They stand in for data that may not be shown. examples/clinic.json is what is publicly known of
 * such a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A small generator for made-up records. The noise of a release never comes from anything like it.
 */
static unsigned long long state = 20260101;
static double uniform(void)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) / 9007199254740992.0;
}

/* Near enough to a normal deviate. */
static double bell(void) { return 2 * (uniform() + uniform() + uniform() + uniform() - 2); }

static const char *pick(const char *const *names, const double *shares, int count)
{
    double left = uniform();
    int i = 0;
    while (i + 1 < count && left >= shares[i]) left -= shares[i++];
    return names[i];
}

static double between(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static void print_patient(void)
{
    static const char *const wards[] = {"emergency", "surgery", "maternity", "cardiology", "oncology"};
    static const double shares[] = {0.38, 0.22, 0.12, 0.16, 0.12};
    static const double typical_age[] = {44, 52, 30, 66, 61};
    static const char *const smoking[] = {"never", "former", "current"};
    static const double smokes[] = {0.55, 0.27, 0.18};
    int ward = 0;
    double left = uniform();
    while (ward < 4 && left >= shares[ward]) left -= shares[ward++];
    const double age = between(typical_age[ward] + 9 * bell(), 0, 105);
    const int female = ward == 2 || uniform() < 0.5;
    const char *smoker = pick(smoking, smokes, 3);
    const double bmi = between(26 + 2.5 * bell() + 0.02 * age, 12, 60);
    const double pressure = between(105 + 0.45 * age + 6 * bell() + (bmi - 27), 70, 220);
    const double days = between(floor(1 - log(1 - uniform()) * (ward == 0 ? 1.5 : 4.5)), 0, 60);
    const double cost = between(days * (450 + 500 * uniform()) + (ward == 1 ? 4200 : 300), 0, 100000);
    const double risk = -4.6 + 0.028 * age + 0.09 * days + (smoker[0] == 'c' ? 0.7 : 0) +
                        (ward >= 3 ? 0.8 : 0) + 0.012 * (pressure - 130);
    const int again = uniform() < 1 / (1 + exp(-risk));
    const int day = 1 + (int)(uniform() * 28);
    const int month = 1 + (int)(uniform() * 12);
    (void)printf("2025-%02d-%02d,%s,%.0f,%s,", month, day, wards[ward], age, female ? "female" : "male");
    if (uniform() < 0.93) (void)printf("%.1f", bmi);
    (void)printf(",%.0f,", pressure);
    if (uniform() < 0.9) (void)printf("%s", smoker);
    (void)printf(",%.0f,%.2f,%s\n", days, cost, again ? "yes" : "no");
}

int main(int argc, char **argv)
{
    const long rows = argc > 1 ? strtol(argv[1], NULL, 10) : 5000;
    if (argc > 2) state += strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15ULL;
    (void)printf("admitted,ward,age,sex,bmi,blood_pressure,smoking,days,cost,readmitted\n");
    for (long i = 0; i < rows; i++) print_patient();
    return 0;
}
