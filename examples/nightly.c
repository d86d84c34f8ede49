/* SPDX-License-Identifier: Apache-2.0 */
/* A nightly batch job that keeps to a budget.
 *
 *     nightly TABLE.csv SCHEMA.json FOLDER EPSILON
 *
 * The first night makes FOLDER/budget.ledger, with a budget of epsilon 3 for the data set. Every night spends EPSILON of
 * it and leaves FOLDER/synthetic.csv with its release and certificate, in place of the last one. The night that the
 * budget does not cover changes nothing, says so, and ends with exit code 4: nobody has to count. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <semblance/certificate.h>
#include <semblance/ledger.h>
#include <semblance/synthesizer.h>

#define PATH 4096

static int fail(sbl_status status, const sbl_error *err)
{
    (void)fprintf(stderr, "nightly: %s\n", err->message);
    return sbl_status_exit_code(status);
}

static sbl_status make_budget_once(const char *path, sbl_error *err)
{
    sbl_ledger_options budget;
    if (access(path, F_OK) == 0) return SBL_OK;
    sbl_ledger_options_init(&budget);
    budget.epsilon = "3";
    budget.delta = "1e-5";
    return sbl_ledger_init(path, &budget, err);
}

static sbl_status tell_rest(const char *path, sbl_error *err)
{
    sbl_ledger *ledger;
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    sbl_status status = sbl_ledger_open(&ledger, path, err);
    if (status != SBL_OK) return status;
    status = sbl_ledger_get_summary(ledger, &summary, err);
    if (status == SBL_OK)
        (void)printf("nightly: %llu releases so far, epsilon %.3f of %s spent\n",
                     (unsigned long long)summary.releases, summary.epsilon_spent, summary.epsilon);
    sbl_ledger_close(ledger);
    return status;
}

static sbl_status make_table(const char *input, const char *facts, const char *output,
                             const sbl_synth_options *options, sbl_error *err)
{
    sbl_synthesizer *synth = NULL;
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    sbl_output files;
    sbl_output_init(&files);
    files.records = output;
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
    char ledger[PATH], output[PATH], certificate[PATH];
    sbl_synth_options options;
    sbl_certificate_files files;
    char *statement = NULL;
    sbl_error err = {0};
    if (argc != 5) {
        (void)fprintf(stderr, "nightly TABLE.csv SCHEMA.json FOLDER EPSILON\n");
        return 2;
    }
    (void)snprintf(ledger, sizeof ledger, "%s/budget.ledger", argv[3]);
    (void)snprintf(output, sizeof output, "%s/synthetic.csv", argv[3]);
    (void)snprintf(certificate, sizeof certificate, "%s/synthetic.csv.certificate.json", argv[3]);
    sbl_synth_options_init(&options);
    sbl_status status = sbl_options_set(&options, "epsilon", argv[4], &err);
    if (status == SBL_OK) status = make_budget_once(ledger, &err);
    if (status != SBL_OK) return fail(status, &err);
    options.delta = 1e-6;
    options.method = "marginals";
    options.ledger_path = ledger;
    options.overwrite = true; /* last night's files; never the ledger */
    status = make_table(argv[1], argv[2], output, &options, &err);
    if (status != SBL_OK) return fail(status, &err);
    /* Before anybody sees the table: does the certificate hold against the ledger? */
    sbl_certificate_files_init(&files);
    files.ledger = ledger;
    status = sbl_certificate_verify(&statement, certificate, &files, &err);
    sbl_free(statement);
    if (status == SBL_OK) status = tell_rest(ledger, &err);
    return status == SBL_OK ? 0 : fail(status, &err);
}
