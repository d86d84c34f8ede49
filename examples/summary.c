/* A private histogram and private means, start to finish, with the public API.
 *
 *     summary FOLDER
 *
 * makes up 5,000 patients of a clinic, releases how many were seen per ward and their mean age,
 * stay and cost under (1, 1e-5)-differential privacy, and leaves in FOLDER the release, its
 * certificate and the ledger. The made-up records stand in for data that may not be shown. */
#include <stdio.h>
#include <stdlib.h>

#include <semblance/summary.h>

#define PATIENTS 5000
#define WARDS 5

static const char *const ward_names[WARDS] = {"emergency", "surgery", "maternity", "cardiology",
                                              "oncology"};
static const sbl_summary_column columns[] = {{"age", 0, 110}, {"days", 0, 60}, {"cost", 0, 50000}};
#define COLUMNS (sizeof columns / sizeof columns[0])

/* A small generator for made-up records. The noise of a release never comes from anything like it.
 */
static unsigned long long state = 20260101;
static double uniform(void)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) / 9007199254740992.0;
}

static void make_up_patients(uint32_t *wards, double *values)
{
    static const double share[WARDS] = {0.38, 0.22, 0.15, 0.15, 0.10};
    static const double typical_age[WARDS] = {45, 52, 30, 66, 61};
    for (size_t i = 0; i < PATIENTS; i++) {
        double left = uniform();
        uint32_t ward = 0;
        while (ward + 1 < WARDS && left >= share[ward]) left -= share[ward++];
        const double days = 1 + 20 * uniform() * uniform();
        wards[i] = ward;
        values[i * COLUMNS] = typical_age[ward] + 40 * (uniform() + uniform() - 1);
        values[i * COLUMNS + 1] = days;
        values[i * COLUMNS + 2] = days * (600 + 900 * uniform());
    }
}

static void print_summary(const sbl_summary *summary)
{
    (void)printf("patients per ward (noise of standard deviation %.1f on each count)\n",
                 sbl_summary_count_deviation(summary));
    for (size_t ward = 0; ward < WARDS; ward++) {
        const double count = sbl_summary_count(summary, ward);
        (void)printf("  %-11s %7.0f  ", ward_names[ward], count);
        for (double bar = 0; bar < count; bar += 60) (void)putchar('#');
        (void)putchar('\n');
    }
    (void)printf("means\n");
    for (size_t j = 0; j < COLUMNS; j++)
        (void)printf("  %-11s %9.1f  (noise +- %.1f)\n", columns[j].name,
                     sbl_summary_mean(summary, j), sbl_summary_mean_deviation(summary, j));
    (void)printf("\n%s", sbl_summary_statement(summary));
}

int main(int argc, char **argv)
{
    static uint32_t wards[PATIENTS];
    static double values[PATIENTS * COLUMNS];
    char release[4096];
    char certificate[4096];
    const sbl_summary_records records = {wards, values, PATIENTS};
    sbl_summary_options options;
    sbl_summary *summary = NULL;
    sbl_error err;
    if (argc != 2) {
        (void)fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    (void)snprintf(release, sizeof release, "%s/clinic.release", argv[1]);
    (void)snprintf(certificate, sizeof certificate, "%s/clinic.certificate.json", argv[1]);
    make_up_patients(wards, values);

    sbl_summary_options_init(&options);
    options.epsilon = 1;
    options.release_path = release;
    options.certificate_path = certificate;
    const sbl_status status =
        sbl_summary_release(&summary, WARDS, columns, COLUMNS, &records, &options, &err);
    if (status != SBL_OK) {
        (void)fprintf(stderr, "summary: %s\n", err.message);
        return sbl_status_exit_code(status);
    }
    print_summary(summary);
    sbl_summary_free(summary);
    return 0;
}
