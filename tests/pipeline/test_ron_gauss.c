/* ron-gauss through the public API, with a fixed key: every geometry, space, noise and relation;
 * what two neighbouring tables may differ by in each of its releases; what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "ledger/ledger.h"
#include "release/release.h"
#include "semblance/certificate.h"
#include "semblance/synth.h"
#include "support/cmocka_all.h"
#include "support/key_test.h"
#include "support/replay_kit.h"
#include "support/sum_kit.h"
#include "support/temp_folder.h"
#include "support/verify_with.h"

#define ROWS 90
#define R2 ((sbl_u128)1 << 28) /* the squared norm bound, grid units */

static char folder[256];

/* %s: the end of the schema, which says what the label is. */
static const char fields[] =
    "{\"fields\":["
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100,"
    "\"required\":true}},"
    "{\"name\":\"pay\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":9999}},"
    "{\"name\":\"town\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Ayr\",\"Bath\",\"Cork\"]}}"
    ","
    "{\"name\":\"sick\",\"type\":\"string\",\"constraints\":{\"enum\":[\"no\",\"yes\"],"
    "\"required\":true}}],\"missingValues\":[\"\"],\"semblance\":%s}";
static const char *const labels[] = {"{\"label\":\"sick\",\"task\":\"classification\"}",
                                     "{\"label\":\"age\",\"task\":\"regression\"}", "{}"};

static void write_schema(int label)
{
    FILE *file = fopen(in_folder(folder, "schema.json"), "w");
    char text[2048];
    (void)snprintf(text, sizeof text, "%.*s%s}", (int)(strstr(fields, "%s") - fields), fields,
                   labels[label]);
    (void)fputs(text, file);
    (void)fclose(file);
}

/* last: the text of the last row, or NULL. */
static void write_table(const char *name, const char *last)
{
    static const char *const towns[] = {"Ayr", "Bath", "Cork", ""};
    FILE *file = fopen(in_folder(folder, name), "w");
    (void)fputs("age,pay,town,sick\n", file);
    for (int r = 0; r < ROWS; r++) {
        if (r == ROWS - 1 && last != NULL)
            (void)fprintf(file, "%s\n", last);
        else
            (void)fprintf(file, "%d,%d.5,%s,%s\n", r * 7 % 100, r * 31 % 900, towns[r % 4],
                          r % 3 == 0 ? "yes" : "no");
    }
    (void)fclose(file);
}

static int fresh(void **unused)
{
    (void)unused;
    temp_folder_make(folder);
    write_schema(0);
    write_table("data.csv", NULL);
    sbl_test_key_set(1);
    return 0;
}

static int drop(void **unused)
{
    (void)unused;
    temp_folder_remove(folder);
    return 0;
}

static sbl_synth_options usual(void)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = "ron-gauss";
    options.epsilon = 2;
    options.threads = 2;
    return options;
}

static sbl_status run(const char *input, const char *output, const sbl_synth_options *options,
                      sbl_error *err)
{
    char paths[3][300];
    (void)snprintf(paths[0], sizeof paths[0], "%s/%s", folder, input);
    (void)snprintf(paths[1], sizeof paths[1], "%s/schema.json", folder);
    (void)snprintf(paths[2], sizeof paths[2], "%s/%s", folder, output);
    return sbl_synth_run(NULL, strcmp(input, "-") == 0 ? input : paths[0], paths[1], paths[2], 0,
                         NULL, options, err);
}

static void must(sbl_status status, const sbl_error *err)
{
    if (status != SBL_OK) print_error("%s\n", err->message);
    assert_int_equal(status, SBL_OK);
}

static char *first_line(const char *name)
{
    char *text = slurp(in_folder(folder, name), NULL);
    assert_non_null(text);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void every_variant_writes_a_table_and_stays_within_its_budget(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 48; kind++) {
        sbl_error err = {0};
        char *statement = NULL;
        sbl_ledger_view view;
        sbl_synth_options options = usual();
        const bool twice = kind & 1, projected = kind & 2;
        (void)drop(NULL);
        (void)fresh(NULL);
        write_schema(kind / 16);
        options.geometry = twice ? "normalise" : "clip";
        options.space = projected ? "projected" : "original";
        options.pure = kind & 4;
        options.neighbours = kind & 8 ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
        options.split = kind & 2 ? "paper" : NULL;
        if (projected) options.dimensions = 2;
        must(run("data.csv", "out.csv", &options, &err), &err);
        must(verify_with(&statement, in_folder(folder, "out.csv.certificate.json"),
                         in_folder(folder, "data.csv.ledger"), &err),
             &err);
        assert_non_null(strstr(statement, twice ? "ALL releases (2)" : "ALL releases (1)"));
        sbl_string_free(statement);
        must(sbl_ledger_read(&view, sbl_file_item(in_folder(folder, "data.csv.ledger")), &err),
             &err);
        assert_int_equal(view.totals.releases, twice ? 2 : 1);
        assert_true(options.pure ? view.totals.charge.mu2 == 0 : view.totals.charge.eps0 == 0);
        /* and uses it: not less than 99.99 % */
        if (options.pure)
            assert_true(sbl_fixed96_to_double_up(view.totals.charge.eps0) > 2 * 0.9999);
        sbl_ledger_view_clear(&view);
        char *header = first_line("out.csv");
        static const char *const expected[] = {"p1,p2,sick", "p1,p2,age", "p1,p2"};
        assert_string_equal(header, projected ? expected[kind / 16] : "age,pay,town,sick");
        free(header);
    }
}

/* ---- replay ---- */

/* Rows that neighbours differ in: labels kept and changed, extremes, what is no record at all. */
static const char *const rows[] = {
    "50,100.00,Cork,no",
    "50,100.00,Cork,yes",
    "0,0,Ayr,no",
    "100,9999,,yes",
    ",,,",
    "nan,inf,nowhere,x",
    "1e308,-1,Cork,",
    "7",
    "",
    "1,2,3,4,5,6",
    "100,9999,Bath,no",
};

/* The first release of two runs under the same key: public bytes agree; values move, by no more than
 * what was charged for it. */
static void compare_releases(const char *what)
{
    replayed runs[2];
    for (int i = 0; i < 2; i++) {
        char path[300], ledger[300];
        (void)snprintf(path, sizeof path, "%s/out%d.csv.release", folder, i);
        (void)snprintf(ledger, sizeof ledger, "%s/%s.csv.ledger", folder,
                       i == 0 ? "data" : "other");
        replayed_load(&runs[i], path, ledger);
    }
    assert_true(replayed_compare(&runs[0], &runs[1], what) > 0);
    replayed_clear(&runs[0]);
    replayed_clear(&runs[1]);
}

static void neighbours_differ_only_by_what_was_charged(void **unused)
{
    (void)unused;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        /* What cannot be read is the same whatever the label is: with one of them only. */
        for (int kind = 0; kind < (row < 4 ? 12 : 4); kind++) {
            sbl_error err = {0};
            sbl_synth_options options = usual();
            (void)drop(NULL);
            (void)fresh(NULL);
            write_schema(kind / 4);
            write_table("other.csv", rows[row]);
            options.geometry = kind & 1 ? "normalise" : "clip";
            options.pure = kind & 2;
            for (int i = 0; i < 2; i++) {
                sbl_test_key_set(99);
                must(run(i == 0 ? "data.csv" : "other.csv", i == 0 ? "out0.csv" : "out1.csv",
                         &options, &err),
                     &err);
            }
            /* The second release of normalise stands on the noisy first: see below. */
            compare_releases(rows[row]);
        }
    }
}

/* Around one centre, whatever it is: two tables' second moments differ by sqrt 2 R^2 in Frobenius
 * norm at most, and by no more than the upper triangle's L1 bound. */
static void second_pass_keeps_its_sensitivity_around_any_centre(void **unused)
{
    (void)unused;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        for (int label = 0; label < 3; label++) {
            sbl_error err = {0};
            planned second;
            sbl_release *release = NULL;
            sbl_sum *sums[2] = {NULL, NULL};
            sbl_synth_options options = usual();
            char path[300];
            (void)drop(NULL);
            (void)fresh(NULL);
            write_schema(label);
            write_table("other.csv", rows[row]);
            options.geometry = "normalise";
            must(run("data.csv", "out.csv", &options, &err), &err);
            must(sbl_release_load(&release, sbl_file_item(in_folder(folder, "out.csv.release.2")),
                                  &err),
                 &err);
            planned_make(&second, release->plan);
            for (int i = 0; i < 2; i++) {
                (void)snprintf(path, sizeof path, "%s/%s", folder,
                               i == 0 ? "data.csv" : "other.csv");
                sums[i] = sum_of_table(&second, path, 2);
            }
            sbl_u128 squared = 0, absolute = 0;
            for (size_t b = 1; b < 3; b++) {
                const int64_t *one = sbl_sum_values(sums[0], b),
                              *other = sbl_sum_values(sums[1], b);
                for (size_t i = 0; i < sbl_block_values(&second.features.layout, b); i++) {
                    const int64_t step = one[i] - other[i];
                    const sbl_u128 length = (sbl_u128)(step < 0 ? -step : step);
                    squared += length * length * b; /* products stand in the matrix twice */
                    absolute += length;
                }
            }
            const double p = (double)second.features.layout.blocks[0].width;
            assert_true(squared > 0 && squared <= 2 * R2 * R2);
            assert_true((double)absolute <=
                        (label == 0 ? p + 1 : sqrt(p * (p + 3) / 2)) * (double)R2);
            sbl_sum_free(sums[0]);
            sbl_sum_free(sums[1]);
            planned_clear(&second);
            sbl_release_free(release);
        }
    }
}

/* ---- the rest ---- */

static void train_from_the_release_gives_the_model_of_the_fit(void **unused)
{
    (void)unused;
    for (int twice = 0; twice < 2; twice++) {
        sbl_error err = {0};
        char data[300], schema[300], first[300], second[300], release[320], certificate[330];
        size_t sizes[2];
        sbl_synth_options options = usual();
        (void)drop(NULL);
        (void)fresh(NULL);
        options.geometry = twice ? "normalise" : "clip";
        (void)snprintf(data, sizeof data, "%s/data.csv", folder);
        (void)snprintf(schema, sizeof schema, "%s/schema.json", folder);
        (void)snprintf(first, sizeof first, "%s/first.safetensors", folder);
        (void)snprintf(second, sizeof second, "%s/second.safetensors", folder);
        (void)snprintf(release, sizeof release, "%s.release", first);
        (void)snprintf(certificate, sizeof certificate, "%s.certificate.json", first);
        must(sbl_synth_fit(NULL, data, schema, first, &options, &err), &err);
        options.certificate_path = certificate;
        must(sbl_synth_train(release, second, &options, &err), &err);
        /* But for the certificate: that of the run names the hash of its model. */
        must(sbl_synth_sample(first, in_folder(folder, "a.csv"), 0, NULL, &options, &err), &err);
        must(sbl_synth_sample(second, in_folder(folder, "b.csv"), 0, NULL, &options, &err), &err);
        char *a = slurp(in_folder(folder, "a.csv"), &sizes[0]);
        char *b = slurp(in_folder(folder, "b.csv"), &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(a, b, sizes[0]);
        free(a);
        free(b);
        must(sbl_synth_sample(first, in_folder(folder, "yes.csv"), 40, "sick=yes", &options, &err),
             &err);
        a = slurp(in_folder(folder, "yes.csv"), NULL);
        assert_null(strstr(a, ",no\n"));
        free(a);
        if (!twice) continue;
        /* The means alone are no model; and a release that was edited is none of the certificate's. */
        options.overwrite = true;
        char later[330];
        (void)snprintf(later, sizeof later, "%s.2", release);
        FILE *file = fopen(later, "r+b");
        assert_non_null(file);
        (void)fseek(file, -40, SEEK_END);
        (void)fputc(7, file);
        (void)fclose(file);
        assert_int_equal(sbl_synth_train(release, second, &options, &err), SBL_EINPUT);
        assert_int_equal(unlink(later), 0);
        options.certificate_path = NULL;
        assert_int_equal(sbl_synth_train(release, second, &options, &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "stopped after 1 of its releases"));
    }
}

static void threads_do_not_change_the_rows(void **unused)
{
    (void)unused;
    char *tables[2];
    for (unsigned threads = 1; threads <= 2; threads++) {
        sbl_error err = {0};
        sbl_synth_options options = usual();
        const char *name = threads == 1 ? "one.csv" : "two.csv";
        options.threads = threads;
        options.dimensions = 3;
        sbl_test_key_set(5);
        must(run("data.csv", name, &options, &err), &err);
        tables[threads - 1] = slurp(in_folder(folder, name), NULL);
    }
    assert_string_equal(tables[0], tables[1]);
    free(tables[0]);
    free(tables[1]);
}

static void refusals_come_before_any_charge(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    struct stat facts;
    for (int bad = 0; bad < 6; bad++) {
        sbl_synth_options options = usual();
        if (bad == 0) options.geometry = "round";
        if (bad == 1) options.space = "outer";
        if (bad == 2) options.split = "even";
        if (bad == 3) options.dimensions = 1000;
        if (bad == 4) options.geometry = "normalise"; /* twice, and from standard input */
        if (bad == 5) options.epsilon = 0;
        assert_int_equal(run(bad == 4 ? "-" : "data.csv", "out.csv", &options, &err), SBL_EARG);
        if (bad == 4) assert_non_null(strstr(err.message, "reads the data 2 times"));
        assert_int_not_equal(stat(in_folder(folder, "data.csv.ledger"), &facts), 0);
    }
}

/* A pipe can be read once: nothing may be charged for the first reading. */
static void normalise_refuses_a_pipe_before_any_charge(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    struct stat facts;
    sbl_synth_options options = usual();
    options.geometry = "normalise";
    assert_int_equal(mkfifo(in_folder(folder, "pipe"), 0600), 0);
    assert_int_equal(run("pipe", "out.csv", &options, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "reads the data 2 times"));
    assert_int_not_equal(stat(in_folder(folder, "data.csv.ledger"), &facts), 0);
}

/* Even where files may be replaced: the first release is written before the second reading. */
static void first_release_does_not_replace_the_table(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    sbl_synth_options options = usual();
    options.geometry = "normalise";
    options.overwrite = true;
    write_table("out.csv.release.2", NULL);
    assert_int_equal(run("out.csv.release.2", "out.csv", &options, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "are the same file"));
    char *header = first_line("out.csv.release.2");
    assert_string_equal(header, "age,pay,town,sick");
    free(header);
}

/* What happens at the nth report of reading (two for a small table): the table gets another row, or
 * the run is stopped. */
typedef struct disturbance {
    int reports, at;
    bool stop;
} disturbance;

static int disturb(void *context, const char *stage, uint64_t step, uint64_t steps, double loss)
{
    disturbance *d = context;
    (void)step, (void)steps, (void)loss;
    if (strcmp(stage, "reading") != 0 || ++d->reports != d->at) return 0;
    if (d->stop) return 1;
    FILE *file = fopen(in_folder(folder, "data.csv"), "a");
    (void)fputs("1,2,Ayr,no\n", file);
    (void)fclose(file);
    return 0;
}

static void second_reading_of_another_table_gives_no_second_release(void **unused)
{
    (void)unused;
    for (int variant = 0; variant < 4; variant++) {
        sbl_error err = {0};
        sbl_ledger_view view;
        disturbance d = {.at = 1 + 2 * (variant % 2), .stop = variant >= 2};
        sbl_synth_options options = usual();
        struct stat facts;
        (void)drop(NULL);
        (void)fresh(NULL);
        options.delta = 1e-5; /* given, so that nothing is read to count the rows */
        options.geometry = "normalise";
        options.progress = disturb;
        options.context = &d;
        assert_int_equal(run("data.csv", "out.csv", &options, &err),
                         d.stop ? SBL_ESTOPPED : SBL_EINPUT);
        if (d.stop && d.at == 1) {
            assert_non_null(strstr(err.message, "nothing was charged"));
            assert_int_not_equal(stat(in_folder(folder, "data.csv.ledger"), &facts), 0);
            continue;
        }
        assert_non_null(strstr(err.message, d.stop ? "what was released before was charged"
                                                   : "changed after it was read first"));
        assert_int_equal(err.hint, SBL_HINT_RESUME);
        must(sbl_ledger_read(&view, sbl_file_item(in_folder(folder, "data.csv.ledger")), &err),
             &err);
        assert_int_equal(view.totals.releases, 1);
        sbl_ledger_view_clear(&view);
    }
}

static void plan_states_the_error_of_the_covariance(void **unused)
{
    (void)unused;
    for (int json = 0; json < 2; json++) {
        sbl_error err = {0};
        char *text = NULL;
        sbl_synth_options options = usual();
        must(sbl_synth_plan(&text, in_folder(folder, "schema.json"), 1000, json, &options, &err),
             &err);
        assert_non_null(strstr(text, json ? "\"covariance_error\"" : "expected error of a class"));
        sbl_string_free(text);
    }
}

/* Also where the first release's share would pass, but not the whole budget. */
static void plan_refuses_what_a_fit_refuses_in_the_same_words(void **unused)
{
    (void)unused;
    size_t refused = 0;
    for (int pure = 0; pure < 2; pure++)
        for (double epsilon = 1; epsilon < 1e12; epsilon *= 1.5) {
            sbl_error foreseen = {0}, fitted = {0};
            char *text = NULL;
            sbl_synth_options options = usual();
            options.geometry = "normalise";
            options.pure = pure == 1;
            options.epsilon = epsilon;
            const sbl_status status = sbl_synth_plan(&text, in_folder(folder, "schema.json"), 1000,
                                                     false, &options, &foreseen);
            sbl_string_free(text);
            /* A ledger that is not there is found missing once the numbers are accepted. */
            options.ledger_path = "/nonexistent/ledger";
            assert_int_not_equal(run("data.csv", "out.csv", &options, &fitted), SBL_OK);
            if (status == SBL_OK)
                assert_non_null(strstr(fitted.message, "/nonexistent/ledger"));
            else
                assert_string_equal(foreseen.message, fitted.message);
            refused += status != SBL_OK;
        }
    assert_true(refused > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_variant_writes_a_table_and_stays_within_its_budget,
                                        fresh, drop),
        cmocka_unit_test_setup_teardown(neighbours_differ_only_by_what_was_charged, fresh, drop),
        cmocka_unit_test_setup_teardown(second_pass_keeps_its_sensitivity_around_any_centre, fresh,
                                        drop),
        cmocka_unit_test_setup_teardown(train_from_the_release_gives_the_model_of_the_fit, fresh,
                                        drop),
        cmocka_unit_test_setup_teardown(threads_do_not_change_the_rows, fresh, drop),
        cmocka_unit_test_setup_teardown(refusals_come_before_any_charge, fresh, drop),
        cmocka_unit_test_setup_teardown(normalise_refuses_a_pipe_before_any_charge, fresh, drop),
        cmocka_unit_test_setup_teardown(first_release_does_not_replace_the_table, fresh, drop),
        cmocka_unit_test_setup_teardown(second_reading_of_another_table_gives_no_second_release,
                                        fresh, drop),
        cmocka_unit_test_setup_teardown(plan_states_the_error_of_the_covariance, fresh, drop),
        cmocka_unit_test_setup_teardown(plan_refuses_what_a_fit_refuses_in_the_same_words, fresh,
                                        drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
