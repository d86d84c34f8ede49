/* The main job through the public API, with a fixed key: what it writes, what it refuses, and that
 * two neighbouring tables differ by what was charged and by nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ledger/ledger.h"
#include "release/release.h"
#include "semblance/certificate.h"
#include "semblance/synth.h"
#include "support/key_test.h"
#include "support/replay_kit.h"
#include "support/temp_folder.h"
#include "support/verify_with.h"

#define ROWS 60
#define CELL 32

static char folder[256];

static const char labelled[] =
    "{\"fields\":["
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100,"
    "\"required\":true}},"
    "{\"name\":\"pay\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":9999},"
    "\"semblance\":{\"decimals\":2,\"transform\":\"log\"}},"
    "{\"name\":\"town\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Ayr\",\"Bath, "
    "old\",\"Cork\"]}},"
    "{\"name\":\"since\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2020-01-01\",\"maximum\":"
    "\"2024-12-31\",\"required\":true}},"
    "{\"name\":\"sick\",\"type\":\"string\",\"constraints\":{\"enum\":[\"no\",\"yes\"],"
    "\"required\":true}}],"
    "\"missingValues\":[\"\"],\"semblance\":{\"label\":\"sick\",\"task\":\"classification\"}}";

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

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(folder, name), "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

/* row `raw`, when not NULL, replaces the last row's text. */
static void write_table(const char *name, const table *t, const char *raw)
{
    FILE *file = fopen(in_folder(folder, name), "w");
    assert_non_null(file);
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

static int fresh(void **unused)
{
    (void)unused;
    static table t;
    temp_folder_make(folder);
    fill(&t);
    write_file("schema.json", labelled);
    write_table("data.csv", &t, NULL);
    sbl_test_key_set(1);
    return 0;
}

static int drop(void **unused)
{
    (void)unused;
    temp_folder_remove(folder);
    return 0;
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
    options.features = 64;
    options.steps = 15;
    options.batch = 40;
    options.hidden[0] = 12;
    options.hidden_count = 1;
    options.latent = 4;
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
    return sbl_synth_run(NULL, paths[0], paths[1], paths[2], 0, NULL, options, err);
}

static void must(sbl_status status, const sbl_error *err)
{
    if (status != SBL_OK) print_error("%s\n", err->message);
    assert_int_equal(status, SBL_OK);
}

static size_t lines_of(const char *name)
{
    size_t lines = 0;
    char *text = slurp(in_folder(folder, name), NULL);
    assert_non_null(text);
    for (const char *c = text; *c != '\0'; c++) lines += *c == '\n';
    free(text);
    return lines;
}

static void both_methods_write_table_release_certificate_and_ledger(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"merf", "marginals"};
    for (int m = 0; m < 2; m++) {
        for (int relation = 0; relation < 2; relation++) {
            sbl_error err = {0};
            char *statement = NULL;
            sbl_synth_options options = small(methods[m]);
            (void)drop(NULL);
            (void)fresh(NULL);
            options.neighbours = relation == 0 ? SBL_REPLACE_ONE : SBL_ADD_REMOVE;
            must(run("data.csv", "out.csv", &options, &err), &err);
            /* Under add-remove the number of rows is an estimate. */
            if (relation == 0) assert_int_equal(lines_of("out.csv"), ROWS + 1);
            must(verify_with(&statement, in_folder(folder, "out.csv.certificate.json"),
                             in_folder(folder, "data.csv.ledger"), &err),
                 &err);
            assert_non_null(strstr(statement, "GUARANTEE: NONE"));
            sbl_string_free(statement);
            struct stat facts;
            assert_int_not_equal(stat(in_folder(folder, "out.csv.model.tmp"), &facts), 0);
        }
    }
}

static void unlabelled_and_regression_tables_work(void **unused)
{
    (void)unused;
    static const char *const endings[] = {
        "\"semblance\":{}}", "\"semblance\":{\"label\":\"age\",\"task\":\"regression\"}}"};
    for (int e = 0; e < 2; e++) {
        char schema[2048];
        sbl_error err = {0};
        (void)drop(NULL);
        (void)fresh(NULL);
        (void)snprintf(schema, sizeof schema, "%s", labelled);
        (void)strcpy(strstr(schema, "\"semblance\":{\"label\""), endings[e]);
        write_file("schema.json", schema);
        for (int m = 0; m < 2; m++) {
            const sbl_synth_options options = small(m == 0 ? "merf" : "marginals");
            must(run("data.csv", m == 0 ? "a.csv" : "b.csv", &options, &err), &err);
        }
        assert_int_equal(lines_of("a.csv"), ROWS + 1);
        assert_int_equal(lines_of("b.csv"), ROWS + 1);
    }
}

/* ---- replay ---- */

/* Two runs under the same key: public bytes agree, values differ by what was charged at most. */
static void compare_runs(const char *method, sbl_neighbours neighbours, const char *what)
{
    sbl_error err = {0};
    replayed runs[2];
    char ledgers[2][300];
    sbl_synth_options options = small(method);
    options.neighbours = neighbours;
    for (int i = 0; i < 2; i++) {
        const char *input = i == 0 ? "data.csv" : "other.csv";
        char out[32], path[300];
        (void)snprintf(out, sizeof out, "out%d.csv", i);
        sbl_test_key_set(99);
        must(run(input, out, &options, &err), &err);
        (void)snprintf(path, sizeof path, "%s/%s.release", folder, out);
        (void)snprintf(ledgers[i], sizeof ledgers[i], "%s/%s.ledger", folder, input);
        replayed_load(&runs[i], path, ledgers[i]);
    }
    (void)replayed_compare(&runs[0], &runs[1], what);
    replayed_ledgers_agree(ledgers[0], ledgers[1], what);
    replayed_clear(&runs[0]);
    replayed_clear(&runs[1]);
}

static void neighbouring_tables_differ_only_by_what_was_charged(void **unused)
{
    (void)unused;
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
            (void)drop(NULL);
            (void)fresh(NULL);
            fill(&t);
            write_table("other.csv", &t, rows[i]);
            compare_runs(methods[m], SBL_REPLACE_ONE, rows[i]);
        }
    }
    /* First row instead of last, and a cell longer than any limit. */
    static table t;
    char *huge = malloc(2000001);
    memset(huge, '9', 2000000);
    huge[2000000] = '\0';
    (void)drop(NULL);
    (void)fresh(NULL);
    fill(&t);
    write_table("other.csv", &t, huge);
    compare_runs("merf", SBL_REPLACE_ONE, "a huge field");
    /* The same of lines that look like rows: they are one cell, and one record. */
    for (size_t i = 0; i + 20 < 2000000; i += 20) memcpy(huge + i, "99,9999,Cork,,yes,9\n", 20);
    huge[0] = '"';
    (void)strcpy(huge + 1999990, "\",no");
    (void)drop(NULL);
    (void)fresh(NULL);
    fill(&t);
    write_table("other.csv", &t, huge);
    compare_runs("merf", SBL_REPLACE_ONE, "a huge field of lines");
    free(huge);
    (void)drop(NULL);
    (void)fresh(NULL);
    fill(&t);
    (void)strcpy(t.cells[0][0], "no age");
    (void)strcpy(t.cells[0][4], "no");
    write_table("other.csv", &t, NULL);
    compare_runs("merf", SBL_REPLACE_ONE, "the first row");
}

/* ---- train, sample ---- */

static void train_from_the_release_gives_the_model_of_the_fit(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"merf", "marginals"};
    for (int m = 0; m < 2; m++) {
        sbl_error err = {0};
        char data[300], schema[300], first[300], second[300], release[320], certificate[330];
        size_t sizes[2];
        sbl_synth_options options = small(methods[m]);
        (void)drop(NULL);
        (void)fresh(NULL);
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
        /* The same seed gives the same rows, another seed others; a class on its own. */
        options.overwrite = true;
        must(sbl_synth_sample(first, in_folder(folder, "s1.csv"), 50, NULL, &options, &err), &err);
        must(sbl_synth_sample(first, in_folder(folder, "s2.csv"), 50, NULL, &options, &err), &err);
        options.seed = 5;
        must(sbl_synth_sample(first, in_folder(folder, "s3.csv"), 5000, NULL, &options, &err),
             &err);
        must(sbl_synth_sample(first, in_folder(folder, "s4.csv"), 30, "sick=yes", &options, &err),
             &err);
        a = slurp(in_folder(folder, "s1.csv"), NULL);
        b = slurp(in_folder(folder, "s2.csv"), NULL);
        char *c = slurp(in_folder(folder, "s3.csv"), NULL);
        char *d = slurp(in_folder(folder, "s4.csv"), NULL);
        assert_string_equal(a, b);
        assert_memory_not_equal(a, c, strlen(a));
        assert_null(strstr(d, ",no\n"));
        assert_int_equal(lines_of("s4.csv"), 31);
        free(a), free(b), free(c), free(d);
        /* Another column, which the model cannot fix: rows are drawn until enough hold. */
        must(sbl_synth_sample(first, in_folder(folder, "s6.csv"), 20, "town=Ayr", &options, &err),
             &err);
        a = slurp(in_folder(folder, "s6.csv"), NULL);
        assert_null(strstr(a, "Bath"));
        assert_int_equal(lines_of("s6.csv"), 21);
        free(a);
        static const char *const bad[] = {"sick=maybe", "town=York", "sick", "=", "sickness=yes"};
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(
                sbl_synth_sample(first, in_folder(folder, "s5.csv"), 3, bad[i], &options, &err),
                SBL_EARG);
    }
}

static int stop_at_once(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)context;
    (void)loss;
    return strcmp(what, "training") == 0 && step > 2 && steps > 0;
}

static void stopping_during_training_keeps_the_release_and_costs_nothing_more(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    struct stat facts;
    sbl_synth_options options = small("merf");
    options.progress = stop_at_once;
    assert_int_equal(run("data.csv", "out.csv", &options, &err), SBL_ESTOPPED);
    assert_non_null(strstr(err.message, "out.csv.release), and going on"));
    assert_int_equal(err.hint, SBL_HINT_TRAIN);
    assert_int_not_equal(stat(in_folder(folder, "out.csv"), &facts), 0);
    assert_int_equal(stat(in_folder(folder, "out.csv.release"), &facts), 0);
    options.progress = NULL;
    char release[300], model[300];
    (void)snprintf(release, sizeof release, "%s/out.csv.release", folder);
    (void)snprintf(model, sizeof model, "%s/m.safetensors", folder);
    must(sbl_synth_train(release, model, &options, &err), &err);
}

/* Where a file goes when the training is over: its place is taken. */
static int take_place(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)loss;
    if (strcmp(what, "training") == 0 && step == steps) write_file(context, "mine");
    return 0;
}

static void failures_after_the_charge_keep_what_was_paid_for_and_say_where(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    char name[] = "out.csv", path[300];
    sbl_synth_options options = small("merf");
    options.progress = take_place;
    options.context = name;
    assert_int_equal(run("data.csv", "out.csv", &options, &err), SBL_EIO);
    (void)snprintf(path, sizeof path, "%s/out.csv.release", folder);
    assert_string_equal(err.file, path);
    assert_int_equal(err.hint, SBL_HINT_TRAIN);
    options.progress = NULL;
    must(sbl_synth_train(path, in_folder(folder, "m"), &options, &err), &err);
}

static void refusals_come_before_any_charge(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    struct stat facts;
    sbl_synth_options options = small("merf");
    options.epsilon = 0;
    assert_int_equal(run("data.csv", "out.csv", &options, &err), SBL_EARG);
    options = small("merf");
    options.delta = 1;
    assert_int_equal(run("data.csv", "out.csv", &options, &err), SBL_EARG);
    options = small("gan");
    assert_int_equal(run("data.csv", "out.csv", &options, &err), SBL_EARG);
    options = small("merf");
    options.features = 3;
    assert_int_equal(run("data.csv", "out.csv", &options, &err), SBL_EARG);
    for (int i = 0; i < 10; i++) {
        options = small("merf");
        if (i == 0) options.batch = 1;
        if (i == 1) options.batch = 1000001;
        if (i == 2) options.steps = 200000000;
        if (i == 3) options.learning_rate = 2;
        if (i == 4) options.latent = 100000000;
        if (i == 5) options.hidden[0] = 65537;
        if (i == 6) options.hidden_count = SBL_MAX_HIDDEN + 1;
        if (i == 7) options.learning_rate = -1;
        if (i == 8) options.hidden_count = 2, options.hidden[1] = 0;
        if (i == 9)
            options.hidden_count = 3,
            options.hidden[0] = options.hidden[1] = options.hidden[2] = 65536;
        if (run("data.csv", "out.csv", &options, &err) != SBL_EARG)
            fail_msg("case %d is not refused: %s", i, err.message);
    }
    options = small("merf");
    assert_int_equal(run("missing.csv", "out.csv", &options, &err), SBL_EIO);
    write_file("empty.csv", "");
    assert_int_equal(run("empty.csv", "out.csv", &options, &err), SBL_EINPUT);
    write_file("header.csv", "age,pay,town,since,sick\n");
    assert_int_equal(run("header.csv", "out.csv", &options, &err), SBL_EINPUT);
    write_file("columns.csv", "age,pay,town,since\n1,2,Ayr,2020-01-01\n");
    assert_int_equal(run("columns.csv", "out.csv", &options, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "sick"));
    write_file("out.csv", "mine");
    assert_int_equal(run("data.csv", "out.csv", &options, &err), SBL_EIO);
    assert_int_not_equal(stat(in_folder(folder, "data.csv.ledger"), &facts), 0);
    assert_int_not_equal(stat(in_folder(folder, "out.csv.release"), &facts), 0);
}

static void empty_table_is_released_like_any_other_where_n_is_private(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    static const char *const methods[] = {"merf", "marginals"};
    write_file("header.csv", "age,pay,town,since,sick\n");
    for (int m = 0; m < 2; m++) {
        sbl_synth_options options = small(methods[m]);
        options.neighbours = SBL_ADD_REMOVE;
        must(run("header.csv", methods[m], &options, &err), &err);
    }
}

static void damaged_models_and_releases_are_refused(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    char data[300], schema[300], model[300], release[320], broken[300];
    size_t size;
    const sbl_synth_options options = small("merf");
    (void)snprintf(data, sizeof data, "%s/data.csv", folder);
    (void)snprintf(schema, sizeof schema, "%s/schema.json", folder);
    (void)snprintf(model, sizeof model, "%s/m.safetensors", folder);
    (void)snprintf(release, sizeof release, "%s.release", model);
    (void)snprintf(broken, sizeof broken, "%s/broken", folder);
    must(sbl_synth_fit(NULL, data, schema, model, &options, &err), &err);
    for (int which = 0; which < 2; which++) {
        char *bytes = slurp(which == 0 ? model : release, &size);
        for (int damage = 0; damage < 3; damage++) {
            FILE *file = fopen(broken, "wb");
            if (damage == 1) bytes[size - 40] ^= 1;
            const size_t keep = damage == 0 ? size / 2 : damage == 1 ? size : 0;
            assert_int_equal(fwrite(bytes, 1, keep, file), keep);
            (void)fclose(file);
            const sbl_status status =
                which == 0
                    ? sbl_synth_sample(broken, in_folder(folder, "x.csv"), 3, NULL, &options, &err)
                    : sbl_synth_train(broken, in_folder(folder, "x.model"), &options, &err);
            assert_int_equal(status, SBL_EINPUT);
            assert_non_null(strstr(err.message, broken));
        }
        free(bytes);
    }
}

static void plan_speaks_without_data(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    char *text = NULL;
    sbl_synth_options options = small("merf");
    must(sbl_synth_plan(&text, in_folder(folder, "schema.json"), 30, false, &options, &err), &err);
    assert_non_null(strstr(text, "rff"));
    assert_non_null(strstr(text, "WARNING")); /* 30 rows at epsilon 1 */
    sbl_string_free(text);
    must(sbl_synth_plan(&text, in_folder(folder, "schema.json"), 3000000, true, &options, &err),
         &err);
    assert_non_null(strstr(text, "\"noise_deviation\""));
    sbl_string_free(text);
    must(sbl_schema_check(&text, in_folder(folder, "schema.json"), NULL, NULL, &err), &err);
    assert_null(strstr(text, "NOT PRIVATE"));
    sbl_string_free(text);
    must(sbl_schema_check(&text, in_folder(folder, "schema.json"), in_folder(folder, "data.csv"),
                          NULL, &err),
         &err);
    assert_non_null(strstr(text, "NOT PRIVATE"));
    sbl_string_free(text);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, drop)
    const struct CMUnitTest tests[] = {
        CASE(both_methods_write_table_release_certificate_and_ledger),
        CASE(unlabelled_and_regression_tables_work),
        CASE(neighbouring_tables_differ_only_by_what_was_charged),
        CASE(train_from_the_release_gives_the_model_of_the_fit),
        CASE(stopping_during_training_keeps_the_release_and_costs_nothing_more),
        CASE(failures_after_the_charge_keep_what_was_paid_for_and_say_where),
        CASE(refusals_come_before_any_charge),
        CASE(empty_table_is_released_like_any_other_where_n_is_private),
        CASE(damaged_models_and_releases_are_refused),
        CASE(plan_speaks_without_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
