/* SPDX-License-Identifier: Apache-2.0 */
#include "support/run_kit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "door/ledger/ledger_book.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/verify_with.h"

void must(sbl_status status, const sbl_error *err)
{
    if (status != SBL_OK) fail_msg("%s", err->message);
}

const char *at(const char *name) { return in_folder(folder, name); }

const char *beside(const char *name, const char *end)
{
    char both[128];
    (void)snprintf(both, sizeof both, "%s%s", name, end);
    return at(both);
}

const char *release_of(const char *output, size_t round)
{
    char end[32] = ".release";
    if (round > 1) (void)snprintf(end, sizeof end, ".release.%zu", round);
    return beside(output, end);
}

FILE *create(const char *name)
{
    FILE *file = fopen(at(name), "w");
    assert_non_null(file);
    return file;
}

void write_file(const char *name, const char *text)
{
    FILE *file = create(name);
    (void)fputs(text, file);
    (void)fclose(file);
}

char *text_of(const char *name)
{
    char *text = slurp(at(name), NULL);
    assert_non_null(text);
    return text;
}

size_t lines_of(const char *name)
{
    size_t lines = 0;
    char *text = text_of(name);
    for (const char *c = text; *c != '\0'; c++) lines += *c == '\n';
    free(text);
    return lines;
}

bool exists(const char *name)
{
    struct stat seen;
    return stat(at(name), &seen) == 0;
}

void expect_same_text(const char *a, const char *b)
{
    char *texts[] = {text_of(a), text_of(b)};
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

sbl_status try_run(const char *input, const char *output, const sbl_synth_options *options, sbl_error *err)
{
    return table_run(NULL, strcmp(input, "-") == 0 ? input : at(input), at("schema.json"), at(output), 0,
                     NULL, options, err);
}

void run_with(uint64_t key, const char *input, const char *output, const sbl_synth_options *options)
{
    sbl_error err = {0};
    sbl_test_key_set(key);
    must(try_run(input, output, options, &err), &err);
}

void load_run(replayed *run, const char *input, const char *output, size_t round)
{
    replayed_load(run, release_of(output, round), beside(input, ".ledger"));
}

double compare_runs(const char *inputs[2], const char *outputs[2], size_t round, const char *what)
{
    replayed runs[2];
    for (int i = 0; i < 2; i++) load_run(&runs[i], inputs[i], outputs[i], round);
    const double part = replayed_compare(&runs[0], &runs[1], what);
    replayed_ledgers_agree(beside(inputs[0], ".ledger"), beside(inputs[1], ".ledger"), what);
    replayed_clear(&runs[0]);
    replayed_clear(&runs[1]);
    return part;
}

sbl_totals totals_of(const char *input)
{
    sbl_ledger_view view;
    sbl_error err = {0};
    must(sbl_ledger_read(&view, sbl_file_item(beside(input, ".ledger")), &err), &err);
    const sbl_totals totals = view.totals;
    sbl_ledger_view_clear(&view);
    return totals;
}

void expect_certified(const char *input, const char *output, const char *words)
{
    sbl_error err = {0};
    char *statement = NULL;
    must(verify_with(&statement, beside(output, ".certificate.json"), beside(input, ".ledger"), &err), &err);
    assert_non_null(strstr(statement, words));
    sbl_free(statement);
}

void expect_model_of_release(sbl_synth_options *options)
{
    static char certificate[340];
    sbl_error err = {0};
    (void)snprintf(certificate, sizeof certificate, "%s", beside("first", ".certificate.json"));
    must(table_fit(NULL, at("data.csv"), at("schema.json"), at("first"), options, &err), &err);
    options->certificate_path = certificate;
    must(train_files(release_of("first", 1), at("second"), options, &err), &err);
    /* But for the certificate: that of the run names the hash of its model. */
    must(table_sample(at("first"), at("a.csv"), 0, NULL, options, &err), &err);
    must(table_sample(at("second"), at("b.csv"), 0, NULL, options, &err), &err);
    expect_same_text("a.csv", "b.csv");
}
