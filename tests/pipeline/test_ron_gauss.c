/* SPDX-License-Identifier: Apache-2.0 */
/* ron-gauss through the public API, with a fixed key: every geometry, space, noise and relation;
 * what two neighbouring tables may differ by in each of its releases; what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "door/ledger/ledger_book.h"
#include "door/release/release.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/option_kit.h"
#include "support/run_kit.h"
#include "support/sum_kit.h"

#define ROWS 90
#define R2 ((sbl_u128)1 << 28) /* the squared norm bound, grid units */

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
    char text[2048];
    (void)snprintf(text, sizeof text, "%.*s%s}", (int)(strstr(fields, "%s") - fields), fields, labels[label]);
    write_file("schema.json", text);
}

/* last: the text of the last row, or NULL. */
static void write_table(const char *name, const char *last)
{
    static const char *const towns[] = {"Ayr", "Bath", "Cork", ""};
    FILE *file = create(name);
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

static void start_afresh(void)
{
    (void)remove_folder(NULL);
    (void)fresh(NULL);
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

static char *first_line(const char *name)
{
    char *text = text_of(name);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

TEST(every_variant_writes_a_table_and_stays_within_its_budget)
{
    for (int kind = 0; kind < 48; kind++) {
        sbl_error err = {0};
        sbl_synth_options options = usual();
        const bool twice = kind & 1, projected = kind & 2;
        start_afresh();
        write_schema(kind / 16);
        give(&options, "geometry", twice ? "normalise" : "clip");
        give(&options, "space", projected ? "projected" : "original");
        options.pure = kind & 4;
        options.neighbours = kind & 8 ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
        give(&options, "split", kind & 2 ? "paper" : NULL);
        if (projected) give(&options, "dimensions", "2");
        must(try_run("data.csv", "out.csv", &options, &err), &err);
        expect_certified("data.csv", "out.csv", twice ? "ALL releases (2)" : "ALL releases (1)");
        const sbl_totals totals = totals_of("data.csv");
        assert_int_equal(totals.releases, twice ? 2 : 1);
        assert_true(options.pure ? totals.charge.mu2 == 0 : totals.charge.eps0 == 0);
        /* and uses it: not less than 99.99 % */
        if (options.pure) assert_true(sbl_fixed96_to_double_up(totals.charge.eps0) > 2 * 0.9999);
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

TEST(neighbours_differ_only_by_what_was_charged)
{
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        /* What cannot be read is the same whatever the label is: with one of them only. */
        for (int kind = 0; kind < (row < 4 ? 12 : 4); kind++) {
            sbl_synth_options options = usual();
            start_afresh();
            write_schema(kind / 4);
            write_table("other.csv", rows[row]);
            give(&options, "geometry", kind & 1 ? "normalise" : "clip");
            options.pure = kind & 2;
            run_with(99, "data.csv", "out0.csv", &options);
            run_with(99, "other.csv", "out1.csv", &options);
            /* The second release of normalise stands on the noisy first: see below. */
            replayed runs[2];
            load_run(&runs[0], "data.csv", "out0.csv", 1);
            load_run(&runs[1], "other.csv", "out1.csv", 1);
            assert_true(replayed_compare(&runs[0], &runs[1], rows[row]) > 0);
            replayed_clear(&runs[0]);
            replayed_clear(&runs[1]);
        }
    }
}

/* Around one centre, whatever it is: two tables' second moments differ by sqrt 2 R^2 in Frobenius
 * norm at most, and by no more than the upper triangle's L1 bound. */
TEST(second_pass_keeps_its_sensitivity_around_any_centre)
{
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        for (int label = 0; label < 3; label++) {
            sbl_error err = {0};
            planned second;
            sbl_release *release = NULL;
            sbl_sum *sums[2] = {NULL, NULL};
            sbl_synth_options options = usual();
            start_afresh();
            write_schema(label);
            write_table("other.csv", rows[row]);
            give(&options, "geometry", "normalise");
            must(try_run("data.csv", "out.csv", &options, &err), &err);
            must(sbl_release_load(&release, sbl_file_item(at("out.csv.release.2")), &err), &err);
            planned_make(&second, release->plan);
            sums[0] = sum_of_table(&second, at("data.csv"), 2);
            sums[1] = sum_of_table(&second, at("other.csv"), 2);
            sbl_u128 squared = 0, absolute = 0;
            for (size_t b = 1; b < 3; b++) {
                const int64_t *one = sbl_sum_values(sums[0], b), *other = sbl_sum_values(sums[1], b);
                for (size_t i = 0; i < sbl_block_values(&second.features.layout, b); i++) {
                    const int64_t step = one[i] - other[i];
                    const sbl_u128 length = (sbl_u128)(step < 0 ? -step : step);
                    squared += length * length * b; /* products stand in the matrix twice */
                    absolute += length;
                }
            }
            const double p = (double)second.features.layout.blocks[0].width;
            assert_true(squared > 0 && squared <= 2 * R2 * R2);
            assert_true((double)absolute <= (label == 0 ? p + 1 : sqrt(p * (p + 3) / 2)) * (double)R2);
            sbl_sum_free(sums[0]);
            sbl_sum_free(sums[1]);
            planned_clear(&second);
            sbl_release_free(release);
        }
    }
}

/* ---- the rest ---- */

TEST(train_from_the_release_gives_the_model_of_the_fit)
{
    for (int twice = 0; twice < 2; twice++) {
        sbl_error err = {0};
        sbl_synth_options options = usual();
        start_afresh();
        give(&options, "geometry", twice ? "normalise" : "clip");
        expect_model_of_release(&options);
        must(table_sample(at("first"), at("yes.csv"), 40, "sick=yes", &options, &err), &err);
        char *text = text_of("yes.csv");
        assert_null(strstr(text, ",no\n"));
        free(text);
        if (!twice) continue;
        /* The means alone are no model; and a release that was edited is none of the certificate's. */
        options.overwrite = true;
        FILE *file = fopen(at("first.release.2"), "r+b");
        assert_non_null(file);
        (void)fseek(file, -40, SEEK_END);
        (void)fputc(7, file);
        (void)fclose(file);
        assert_int_equal(train_files(at("first.release"), at("second"), &options, &err), SBL_EINPUT);
        assert_int_equal(unlink(at("first.release.2")), 0);
        options.certificate_path = NULL;
        assert_int_equal(train_files(at("first.release"), at("second"), &options, &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "stopped after 1 of its releases"));
    }
}

TEST(threads_do_not_change_the_rows)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        sbl_synth_options options = usual();
        options.threads = threads;
        give(&options, "dimensions", "3");
        run_with(5, "data.csv", threads == 1 ? "one.csv" : "two.csv", &options);
    }
    expect_same_text("one.csv", "two.csv");
}

TEST(refusals_come_before_any_charge)
{
    sbl_error err = {0};
    for (int bad = 0; bad < 6; bad++) {
        sbl_synth_options options = usual();
        if (bad == 0) give(&options, "geometry", "round");
        if (bad == 1) give(&options, "space", "outer");
        if (bad == 2) give(&options, "split", "even");
        if (bad == 3) give(&options, "dimensions", "1000");
        if (bad == 4) give(&options, "geometry", "normalise"); /* twice, and from standard input */
        if (bad == 5) options.epsilon = 0;
        assert_int_equal(try_run(bad == 4 ? "-" : "data.csv", "out.csv", &options, &err), SBL_EARG);
        if (bad == 4) assert_non_null(strstr(err.message, "reads the data 2 times"));
        assert_false(exists("data.csv.ledger"));
    }
}

/* A pipe can be read once: nothing may be charged for the first reading. */
TEST(normalise_refuses_a_pipe_before_any_charge)
{
    sbl_error err = {0};
    sbl_synth_options options = usual();
    give(&options, "geometry", "normalise");
    assert_int_equal(mkfifo(at("pipe"), 0600), 0);
    assert_int_equal(try_run("pipe", "out.csv", &options, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "reads the data 2 times"));
    assert_false(exists("data.csv.ledger"));
}

/* Even where files may be replaced: the first release is written before the second reading. */
TEST(first_release_does_not_replace_the_table)
{
    sbl_error err = {0};
    sbl_synth_options options = usual();
    give(&options, "geometry", "normalise");
    options.overwrite = true;
    write_table("out.csv.release.2", NULL);
    assert_int_equal(try_run("out.csv.release.2", "out.csv", &options, &err), SBL_EARG);
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
    FILE *file = fopen(at("data.csv"), "a");
    (void)fputs("1,2,Ayr,no\n", file);
    (void)fclose(file);
    return 0;
}

TEST(second_reading_of_another_table_gives_no_second_release)
{
    for (int variant = 0; variant < 4; variant++) {
        sbl_error err = {0};
        disturbance d = {.at = 1 + 2 * (variant % 2), .stop = variant >= 2};
        sbl_synth_options options = usual();
        start_afresh();
        options.delta = 1e-5; /* given, so that nothing is read to count the rows */
        give(&options, "geometry", "normalise");
        options.progress = disturb;
        options.context = &d;
        assert_int_equal(try_run("data.csv", "out.csv", &options, &err), d.stop ? SBL_ESTOPPED : SBL_EINPUT);
        if (d.stop && d.at == 1) {
            assert_non_null(strstr(err.message, "nothing was charged"));
            assert_false(exists("data.csv.ledger"));
            continue;
        }
        assert_non_null(strstr(err.message, d.stop ? "what was released before was charged"
                                                   : "changed after the first reading"));
        assert_int_equal(err.hint, SBL_HINT_RESUME);
        assert_int_equal(totals_of("data.csv").releases, 1);
    }
}

TEST(plan_states_the_error_of_the_covariance)
{
    for (int json = 0; json < 2; json++) {
        sbl_error err = {0};
        char *text = NULL;
        sbl_synth_options options = usual();
        must(table_plan(&text, at("schema.json"), 1000, json, &options, &err), &err);
        assert_non_null(strstr(text, json ? "\"covariance_error\"" : "expected error of a class"));
        sbl_free(text);
    }
}

/* Also where the first release's share would pass, but not the whole budget. */
TEST(plan_refuses_what_a_fit_refuses_in_the_same_words)
{
    size_t refused = 0;
    for (int pure = 0; pure < 2; pure++)
        for (double epsilon = 1; epsilon < 1e12; epsilon *= 1.5) {
            sbl_error foreseen = {0}, fitted = {0};
            char *text = NULL;
            sbl_synth_options options = usual();
            give(&options, "geometry", "normalise");
            options.pure = pure == 1;
            options.epsilon = epsilon;
            const sbl_status status = table_plan(&text, at("schema.json"), 1000, false, &options, &foreseen);
            sbl_free(text);
            /* A ledger that is not there is found missing once the numbers are accepted. */
            options.ledger_path = "/nonexistent/ledger";
            assert_int_not_equal(try_run("data.csv", "out.csv", &options, &fitted), SBL_OK);
            if (status == SBL_OK)
                assert_non_null(strstr(fitted.message, "/nonexistent/ledger"));
            else
                assert_string_equal(foreseen.message, fitted.message);
            refused += status != SBL_OK;
        }
    assert_true(refused > 2);
}

EACH_TEST(fresh, remove_folder)
