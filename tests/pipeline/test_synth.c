/* SPDX-License-Identifier: Apache-2.0 */
/* The main job through the public API, with a fixed key: what it writes, what it refuses, and that
 * two neighbouring tables differ by what was charged and by nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "semblance/data.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/option_kit.h"
#include "support/run_kit.h"

#define ROWS 60
#define CELL 32

static const char labelled[] = JSON({"fields":[{"name":"age","type":"integer","constraints":{"minimum":0,
    "maximum":100,"required":true}},
    {"name":"pay","type":"number","constraints":{"minimum":0,"maximum":9999},"semblance":{"decimals":2,
    "transform":"log"}},{"name":"town","type":"string","constraints":{"enum":["Ayr","Bath, old","Cork"]}},
    {"name":"since","type":"date","constraints":{"minimum":"2020-01-01","maximum":"2024-12-31",
    "required":true}},{"name":"sick","type":"string","constraints":{"enum":["no","yes"],"required":true}}],
    "missingValues":[""],"semblance":{"label":"sick","task":"classification"}});

/* A table as text: cell (row, column). */
typedef struct table {
    char cells[ROWS][5][CELL];
} table;

static void fill(table *t)
{
    static const char *const towns[] = {"Ayr", "\"Bath, old\"", "Cork", ""};
    for (int r = 0; r < ROWS; r++) {
        (void)snprintf(t->cells[r][0], CELL, "%d", (r * 7) % 100);
        (void)snprintf(t->cells[r][1], CELL, "%d.%02d", r * 31 % 900, r);
        (void)snprintf(t->cells[r][2], CELL, "%s", towns[r % 4]);
        (void)snprintf(t->cells[r][3], CELL, "202%d-%02d-%02d", r % 5, 1 + r % 12, 1 + r % 28);
        (void)snprintf(t->cells[r][4], CELL, "%s", r % 3 == 0 ? "yes" : "no");
    }
}

/* row `raw`, when not NULL, replaces the last row's text. */
static void write_table(const char *name, const table *t, const char *raw)
{
    FILE *file = create(name);
    (void)fputs("age,pay,town,since,sick\n", file);
    for (int r = 0; r < ROWS; r++) {
        if (r == ROWS - 1 && raw != NULL)
            (void)fprintf(file, "%s\n", raw);
        else
            (void)fprintf(file, "%s,%s,%s,%s,%s\n", t->cells[r][0], t->cells[r][1], t->cells[r][2],
                          t->cells[r][3], t->cells[r][4]);
    }
    (void)fclose(file);
}

AROUND(fresh)
{
    static table t;
    temp_folder_make(folder);
    fill(&t);
    write_file("schema.json", labelled);
    write_table("data.csv", &t, NULL);
    sbl_test_key_set(1);
}

static void start_afresh(void)
{
    (void)remove_folder(NULL);
    (void)fresh(NULL);
}

/* A small network: the tests are about files, not about quality. */
static sbl_synth_options small(const char *method)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = method;
    options.epsilon = 1;
    options.threads = 2;
    if (strcmp(method, "marginals") == 0) return options; /* has no network */
    give(&options, "features", "64");
    give(&options, "steps", "15");
    give(&options, "batch", "40");
    give(&options, "hidden", "12");
    give(&options, "latent", "4");
    options.threads = 2;
    return options;
}

TEST(both_methods_write_table_release_certificate_and_ledger)
{
    static const char *const methods[] = {"merf", "marginals"};
    for (int m = 0; m < 2; m++) {
        for (int relation = 0; relation < 2; relation++) {
            sbl_error err = {0};
            sbl_synth_options options = small(methods[m]);
            start_afresh();
            options.neighbours = relation == 0 ? SBL_REPLACE_ONE : SBL_ADD_REMOVE;
            must(try_run("data.csv", "out.csv", &options, &err), &err);
            /* Under add-remove the number of rows is an estimate. */
            if (relation == 0) assert_int_equal(lines_of("out.csv"), ROWS + 1);
            expect_certified("data.csv", "out.csv", "GUARANTEE: NONE");
            assert_false(exists("out.csv.model.tmp"));
        }
    }
}

TEST(unlabelled_and_regression_tables_work)
{
    static const char *const endings[] = {"\"semblance\":{}}",
                                          "\"semblance\":{\"label\":\"age\",\"task\":\"regression\"}}"};
    for (int e = 0; e < 2; e++) {
        char schema[2048];
        sbl_error err = {0};
        start_afresh();
        (void)snprintf(schema, sizeof schema, "%s", labelled);
        (void)strcpy(strstr(schema, "\"semblance\":{\"label\""), endings[e]);
        write_file("schema.json", schema);
        for (int m = 0; m < 2; m++) {
            const sbl_synth_options options = small(m == 0 ? "merf" : "marginals");
            must(try_run("data.csv", m == 0 ? "a.csv" : "b.csv", &options, &err), &err);
        }
        assert_int_equal(lines_of("a.csv"), ROWS + 1);
        assert_int_equal(lines_of("b.csv"), ROWS + 1);
    }
}

/* ---- replay ---- */

static void compare(const char *method, const char *what)
{
    const sbl_synth_options options = small(method);
    run_with(99, "data.csv", "out0.csv", &options);
    run_with(99, "other.csv", "out1.csv", &options);
    (void)compare_runs((const char *[]){"data.csv", "other.csv"}, (const char *[]){"out0.csv", "out1.csv"}, 1,
                       what);
}

TEST(neighbouring_tables_differ_only_by_what_was_charged)
{
    static const char *const rows[] = {
        "50,100.00,Cork,2022-06-15,no",
        "50,100.00,Cork,2022-06-15,yes",
        "0,0,Ayr,2020-01-01,no",
        "100,9999,,2024-12-31,yes",
        ",,,,",
        "nan,inf,nowhere,yesterday,perhaps",
        "1e308,-1e308,Cork,9999-99-99,yes",
        "7",
        "",
        "1,2,3,4,5,6,7,8,9",
        "\xff\xfe,\x80,\xc0,\xc1,\xf5",
        "\"closed\n\"\"late\n\"ly,1,Cork,2022-01-01,no\"",
        "4.9e-324,0.000000001,\"Bath, old\",2021-02-30,no",
    };
    static const char *const methods[] = {"merf", "marginals"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int m = 0; m < 2; m++) {
            static table t;
            start_afresh();
            fill(&t);
            write_table("other.csv", &t, rows[i]);
            compare(methods[m], rows[i]);
        }
    }
    /* First row instead of last, and a cell longer than any limit. */
    static table t;
    char *huge = malloc(2000001);
    memset(huge, '9', 2000000);
    huge[2000000] = '\0';
    start_afresh();
    fill(&t);
    write_table("other.csv", &t, huge);
    compare("merf", "a huge field");
    /* The same of lines that look like rows: they are one cell, and one record. */
    for (size_t i = 0; i + 20 < 2000000; i += 20) memcpy(huge + i, "99,9999,Cork,,yes,9\n", 20);
    huge[0] = '"';
    (void)strcpy(huge + 1999990, "\",no");
    start_afresh();
    fill(&t);
    write_table("other.csv", &t, huge);
    compare("merf", "a huge field of lines");
    free(huge);
    start_afresh();
    fill(&t);
    (void)strcpy(t.cells[0][0], "no age");
    (void)strcpy(t.cells[0][4], "no");
    write_table("other.csv", &t, NULL);
    compare("merf", "the first row");
}

/* ---- train, sample ---- */

TEST(train_from_the_release_gives_the_model_of_the_fit)
{
    static const char *const methods[] = {"merf", "marginals"};
    for (int m = 0; m < 2; m++) {
        sbl_error err = {0};
        sbl_synth_options options = small(methods[m]);
        start_afresh();
        expect_model_of_release(&options);
        /* The same seed gives the same rows, another seed others; a class on its own. */
        options.overwrite = true;
        must(table_sample(at("first"), at("s1.csv"), 50, NULL, &options, &err), &err);
        must(table_sample(at("first"), at("s2.csv"), 50, NULL, &options, &err), &err);
        options.seed = 5;
        must(table_sample(at("first"), at("s3.csv"), 5000, NULL, &options, &err), &err);
        must(table_sample(at("first"), at("s4.csv"), 30, "sick=yes", &options, &err), &err);
        expect_same_text("s1.csv", "s2.csv");
        char *a = text_of("s1.csv"), *b = text_of("s3.csv"), *c = text_of("s4.csv");
        assert_memory_not_equal(a, b, strlen(a));
        assert_null(strstr(c, ",no\n"));
        assert_int_equal(lines_of("s4.csv"), 31);
        free(a), free(b), free(c);
        /* Another column, which the model cannot fix: rows are drawn until enough hold. */
        must(table_sample(at("first"), at("s6.csv"), 20, "town=Ayr", &options, &err), &err);
        a = text_of("s6.csv");
        assert_null(strstr(a, "Bath"));
        assert_int_equal(lines_of("s6.csv"), 21);
        free(a);
        static const char *const bad[] = {"sick=maybe", "town=York", "sick", "=", "sickness=yes"};
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(table_sample(at("first"), at("s5.csv"), 3, bad[i], &options, &err), SBL_EARG);
    }
}

static int stop_at_once(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)context;
    (void)loss;
    return strcmp(what, "training") == 0 && step > 2 && steps > 0;
}

TEST(stopping_during_training_keeps_the_release_and_costs_nothing_more)
{
    sbl_error err = {0};
    sbl_synth_options options = small("merf");
    options.progress = stop_at_once;
    assert_int_equal(try_run("data.csv", "out.csv", &options, &err), SBL_ESTOPPED);
    assert_non_null(strstr(err.message, "out.csv.release), and going on"));
    assert_int_equal(err.hint, SBL_HINT_TRAIN);
    assert_true(!exists("out.csv") && exists("out.csv.release"));
    options.progress = NULL;
    must(train_files(at("out.csv.release"), at("m"), &options, &err), &err);
}

/* Where a file goes when the training is over: its place is taken. */
static int take_place(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)loss;
    if (strcmp(what, "training") == 0 && step == steps) write_file(context, "mine");
    return 0;
}

TEST(failures_after_the_charge_keep_what_was_paid_for_and_say_where)
{
    sbl_error err = {0};
    char name[] = "out.csv";
    sbl_synth_options options = small("merf");
    options.progress = take_place;
    options.context = name;
    assert_int_equal(try_run("data.csv", "out.csv", &options, &err), SBL_EIO);
    assert_string_equal(err.file, at("out.csv.release"));
    assert_int_equal(err.hint, SBL_HINT_RESUME);
    options.progress = NULL;
    must(train_files(at("out.csv.release"), at("m"), &options, &err), &err);
}

TEST(refusals_come_before_any_charge)
{
    sbl_error err = {0};
    sbl_synth_options options = small("merf");
    options.epsilon = 0;
    assert_int_equal(try_run("data.csv", "out.csv", &options, &err), SBL_EARG);
    options = small("merf");
    options.delta = 1;
    assert_int_equal(try_run("data.csv", "out.csv", &options, &err), SBL_EARG);
    options = small("gan");
    assert_int_equal(try_run("data.csv", "out.csv", &options, &err), SBL_EARG);
    options = small("merf");
    give(&options, "features", "3");
    assert_int_equal(try_run("data.csv", "out.csv", &options, &err), SBL_EARG);
    for (int i = 0; i < 10; i++) {
        options = small("merf");
        if (i == 0) give(&options, "batch", "1");
        if (i == 1) give(&options, "batch", "1000001");
        if (i == 2) give(&options, "steps", "200000000");
        if (i == 3) give(&options, "learning-rate", "2");
        if (i == 4) give(&options, "latent", "100000000");
        if (i == 5) give(&options, "hidden", "65537");
        if (i == 6) give(&options, "hidden", "1,1,1,1,1,1,1,1,1");
        if (i == 7) give(&options, "learning-rate", "-1");
        if (i == 8) give(&options, "hidden", "12,0");
        if (i == 9) give(&options, "hidden", "65536,65536,65536");
        if (try_run("data.csv", "out.csv", &options, &err) != SBL_EARG)
            fail_msg("case %d is not refused: %s", i, err.message);
    }
    options = small("merf");
    assert_int_equal(try_run("missing.csv", "out.csv", &options, &err), SBL_EIO);
    write_file("empty.csv", "");
    assert_int_equal(try_run("empty.csv", "out.csv", &options, &err), SBL_EINPUT);
    write_file("header.csv", "age,pay,town,since,sick\n");
    assert_int_equal(try_run("header.csv", "out.csv", &options, &err), SBL_EINPUT);
    write_file("columns.csv", "age,pay,town,since\n1,2,Ayr,2020-01-01\n");
    assert_int_equal(try_run("columns.csv", "out.csv", &options, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "sick"));
    write_file("out.csv", "mine");
    assert_int_equal(try_run("data.csv", "out.csv", &options, &err), SBL_EIO);
    assert_true(!exists("data.csv.ledger") && !exists("out.csv.release"));
}

TEST(empty_table_is_released_like_any_other_where_n_is_private)
{
    sbl_error err = {0};
    static const char *const methods[] = {"merf", "marginals"};
    write_file("header.csv", "age,pay,town,since,sick\n");
    for (int m = 0; m < 2; m++) {
        sbl_synth_options options = small(methods[m]);
        options.neighbours = SBL_ADD_REMOVE;
        must(try_run("header.csv", methods[m], &options, &err), &err);
    }
}

TEST(damaged_models_and_releases_are_refused)
{
    sbl_error err = {0};
    size_t size;
    const sbl_synth_options options = small("merf");
    must(table_fit(NULL, at("data.csv"), at("schema.json"), at("m"), &options, &err), &err);
    for (int which = 0; which < 2; which++) {
        char *bytes = slurp(at(which == 0 ? "m" : "m.release"), &size);
        for (int damage = 0; damage < 3; damage++) {
            FILE *file = create("broken");
            if (damage == 1) bytes[size - 40] ^= 1;
            const size_t keep = damage == 0 ? size / 2 : damage == 1 ? size : 0;
            assert_int_equal(fwrite(bytes, 1, keep, file), keep);
            (void)fclose(file);
            const sbl_status status = which == 0
                                          ? table_sample(at("broken"), at("x.csv"), 3, NULL, &options, &err)
                                          : train_files(at("broken"), at("x.model"), &options, &err);
            assert_int_equal(status, SBL_EINPUT);
            assert_non_null(strstr(err.message, at("broken")));
        }
        free(bytes);
    }
}

TEST(plan_speaks_without_data)
{
    sbl_error err = {0};
    char *text = NULL;
    sbl_synth_options options = small("merf");
    must(table_plan(&text, at("schema.json"), 30, false, &options, &err), &err);
    assert_non_null(strstr(text, "rff"));
    assert_non_null(strstr(text, "WARNING")); /* 30 rows at epsilon 1 */
    sbl_free(text);
    must(table_plan(&text, at("schema.json"), 30, true, &options, &err), &err);
    assert_non_null(strstr(text, "\"at this epsilon 30 rows are few: "));
    assert_null(strstr(text, "WARNING"));
    sbl_free(text);
    must(table_plan(&text, at("schema.json"), 3000000, true, &options, &err), &err);
    assert_non_null(strstr(text, "\"noise_deviation\""));
    assert_non_null(strstr(text, "\"warnings\": []"));
    sbl_free(text);
    sbl_schema *own = NULL;
    sbl_data *data = NULL;
    must(sbl_schema_from_file(&own, at("schema.json"), false, &err), &err);
    must(sbl_data_open(&data, at("data.csv"), NULL, &err), &err);
    must(sbl_schema_check(&text, own, NULL, &err), &err);
    assert_null(strstr(text, "NOT PRIVATE"));
    sbl_free(text);
    must(sbl_schema_check(&text, own, data, &err), &err);
    assert_non_null(strstr(text, "NOT PRIVATE"));
    sbl_free(text);
    sbl_schema_free(own);
    sbl_data_free(data);
}

EACH_TEST(fresh, remove_folder)
