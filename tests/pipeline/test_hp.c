/* SPDX-License-Identifier: Apache-2.0 */
/* The method `hp` through the public API, with a fixed key: what neighbouring tables leave behind
 * differs by what was charged and by nothing else, in both modes and under both relations; its
 * options say what is released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "support/by_path.h"
#include "support/option_kit.h"
#include "support/run_kit.h"
#include "support/verify_with.h"

enum { ROWS = 60 };

static const char schema[] = JSON({"fields":[{"name":"age","type":"integer","constraints":{"minimum":0,
    "maximum":100,"required":true}},{"name":"pay","type":"number","constraints":{"minimum":0,"maximum":9999}},
    {"name":"town","type":"string","constraints":{"enum":["Ayr","Bath","Cork"]}},
    {"name":"sick","type":"string","constraints":{"enum":["no","yes","dead"],"required":true}}],
    "missingValues":[""],"semblance":{"label":"sick","task":"classification"}});

/* Row `which` is `raw`; NULL: it is not there. */
static void write_table(const char *name, size_t which, const char *raw)
{
    static const char *const towns[] = {"Ayr", "Bath", "Cork", ""};
    FILE *file = create(name);
    (void)fputs("age,pay,town,sick\n", file);
    for (size_t r = 0; r < ROWS; r++) {
        if (r != which)
            (void)fprintf(file, "%zu,%zu,%s,%s\n", r * 37 % 101, r * 991 % 9999, towns[r % 4],
                          r % 3 == 0 ? "yes" : "no");
        else if (raw != NULL)
            (void)fprintf(file, "%s\n", raw);
    }
    (void)fclose(file);
}

static int fresh(void **unused)
{
    (void)unused;
    temp_folder_make(folder);
    write_file("schema.json", schema);
    return 0;
}

static sbl_synth_options options_of(sbl_neighbours neighbours, const char *mode)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = "hp";
    options.epsilon = 2;
    options.neighbours = neighbours;
    give(&options, "sensitivity", mode);
    give(&options, "lengths", "0.1");
    give(&options, "order", "14"); /* holds all of the kernel: a record uses up its bound */
    give(&options, "product-order", "12");
    give(&options, "steps", "3");
    give(&options, "batch", "16");
    give(&options, "hidden", "4");
    options.overwrite = true;
    return options;
}

/* ---- replay ---- */

typedef struct change {
    const char *from, *to; /* NULL: the row is not there */
} change;

static double part_of(const change *c, const sbl_synth_options *options)
{
    (void)remove_folder(NULL);
    (void)fresh(NULL);
    write_table("a.csv", 7, c->from);
    write_table("b.csv", 7, c->to);
    run_with(99, "a.csv", "a", options);
    run_with(99, "b.csv", "b", options);
    return compare_runs((const char *[]){"a.csv", "b.csv"}, (const char *[]){"a", "b"}, 1,
                        c->to != NULL ? c->to : "one row less");
}

TEST(neighbours_differ_by_what_was_charged)
{
    static const change replaced[] = {
        {"50,5000,Ayr,no", "0,0,Cork,dead"}, /* another class: both records in full */
        {"50,5000,Ayr,no", "100,,Bath,no"},  /* far apart in every column */
        {"0,0,Ayr,no", "100,9999,Cork,no"},
        {"nan,inf,nowhere,perhaps", "1e308,-1e308,Bath,yes"},
        {"7", "1,2,3,4,5,6,7,8"},
        {",,,", ""},
    };
    static const change removed = {"50,5000,Ayr,no", NULL};
    static const char *const modes[] = {"kernel", "norm"};
    for (size_t m = 0; m < 2; m++) {
        double most = 0;
        const sbl_synth_options options = options_of(SBL_REPLACE_ONE, modes[m]);
        for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
            const double part = part_of(&replaced[i], &options);
            if (part > most) most = part;
        }
        /* Of `norm` a record would have to turn into its opposite, which Hermite features never do:
         * half of the charge, but for the one-hot codes and the counts. */
        if (!(most > (m == 0 ? 0.95 : 0.5)) || (m == 1 && most > 0.75))
            fail_msg("%s: %g of the charge", modes[m], most);
        const sbl_synth_options other = options_of(SBL_ADD_REMOVE, modes[m]);
        const double part = part_of(&removed, &other);
        if (!(part > 0.95)) fail_msg("%s: one row less is %g of the charge", modes[m], part);
    }
}

/* ---- the certificate ---- */

/* That any two records are near is a part of the guarantee: it cannot be left out or made up. */
TEST(certificates_say_which_blocks_are_pairwise)
{
    static const char *const values[] = {"true", "false", "3", NULL};
    const sbl_synth_options options = options_of(SBL_REPLACE_ONE, NULL);
    write_table("a.csv", ROWS, NULL);
    run_with(99, "a.csv", "a", &options);
    for (size_t block = 0; block < 3; block++) /* hermite, onehot, hermite-product */
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            json_t *certificate = json_load_file(at("a.certificate.json"), 0, NULL);
            json_t *mechanism = json_array_get(json_object_get(certificate, "mechanisms"), 0);
            json_t *object = json_array_get(json_object_get(mechanism, "blocks"), block);
            const bool own = json_object_get(object, "pairwise") != NULL;
            sbl_error err = {0};
            assert_int_equal(own, block != 1);
            if (values[i] == NULL)
                (void)json_object_del(object, "pairwise");
            else
                assert_int_equal(
                    json_object_set_new(object, "pairwise", json_loads(values[i], JSON_DECODE_ANY, NULL)), 0);
            assert_int_equal(json_dump_file(certificate, at("edited"), 0), 0);
            const bool same = own ? i == 0 : values[i] == NULL;
            char *statement = NULL;
            const sbl_status status = verify_with(&statement, at("edited"), at("a.csv.ledger"), &err);
            sbl_free(statement);
            if ((status == SBL_OK) != same)
                fail_msg("block %zu, '%s': %s", block, values[i] ? values[i] : "-", err.message);
            json_decref(certificate);
        }
}

/* ---- options ---- */

static json_t *plan_of(const sbl_synth_options *options, sbl_error *err)
{
    char *text = NULL;
    if (table_plan(&text, at("schema.json"), 1000, true, options, err) != SBL_OK) return NULL;
    json_t *plan = json_loads(text, 0, NULL);
    assert_non_null(plan);
    sbl_free(text);
    return plan;
}

static const json_t *parameters_of(const json_t *shown, const char *feature)
{
    const json_t *items = json_object_get(json_object_get(shown, "plan"), "features");
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        if (strcmp(json_string_value(json_object_get(item, "feature")), feature) == 0)
            return json_object_get(item, "parameters");
    }
    return NULL;
}

TEST(options_say_what_is_released)
{
    sbl_error err = {0};
    sbl_synth_options options = options_of(SBL_REPLACE_ONE, NULL);
    give(&options, "lengths", "0.05,0.3");
    give(&options, "order", NULL);
    give(&options, "gamma", "3");
    json_t *plan = plan_of(&options, &err);
    const json_t *sum = parameters_of(plan, "hermite");
    const json_t *product = parameters_of(plan, "hermite-product");
    assert_int_equal(json_array_size(json_object_get(sum, "functions")), 2);
    assert_string_equal(json_string_value(json_object_get(sum, "mode")), "kernel");
    assert_true(json_number_value(json_object_get(product, "pull")) == 3);
    /* age, pay, is pay missing, town: six pairs, all of them */
    assert_int_equal(json_array_size(json_object_get(product, "subsets")), 6);
    assert_non_null(json_object_get(plan, "hermite-product"));
    json_decref(plan);
    give(&options, "products", "2");
    give(&options, "product-size", "3");
    plan = plan_of(&options, &err);
    product = parameters_of(plan, "hermite-product");
    assert_int_equal(json_array_size(json_object_get(product, "subsets")), 2);
    json_decref(plan);
    give(&options, "subsets", "town+age,pay+age+town");
    plan = plan_of(&options, &err);
    product = parameters_of(plan, "hermite-product");
    char *text = json_dumps(json_object_get(product, "subsets"), JSON_COMPACT);
    assert_string_equal(text, "[[0,3],[0,1,3]]");
    free(text);
    json_decref(plan);
    give(&options, "subsets", NULL);
    give(&options, "product-size", "1");
    plan = plan_of(&options, &err);
    assert_null(parameters_of(plan, "hermite-product"));
    json_decref(plan);
}

TEST(more_budget_for_the_product_is_less_for_the_others)
{
    double noise[2][2];
    static const char *const names[] = {"hermite", "hermite-product"};
    for (int i = 0; i < 2; i++) {
        sbl_error err = {0};
        sbl_synth_options options = options_of(SBL_REPLACE_ONE, NULL);
        give(&options, "product-share", i == 0 ? "0.1" : "0.9");
        json_t *plan = plan_of(&options, &err);
        const json_t *blocks = json_object_get(plan, "blocks");
        for (size_t b = 0; b < json_array_size(blocks); b++)
            for (int k = 0; k < 2; k++)
                if (strcmp(json_string_value(json_object_get(json_array_get(blocks, b), "name")), names[k]) ==
                    0)
                    noise[i][k] =
                        json_number_value(json_object_get(json_array_get(blocks, b), "noise_deviation"));
        json_decref(plan);
    }
    /* shares .1 and .9 of mu^2: three times the noise, and a third of it */
    assert_true(noise[1][0] / noise[0][0] > 2.99 && noise[1][0] / noise[0][0] < 3.01);
    assert_true(noise[0][1] / noise[1][1] > 2.99 && noise[0][1] / noise[1][1] < 3.01);
}

TEST(options_that_make_no_sense_are_refused)
{
    static const char *const bad[][2] = {
        {"lengths", ""},
        {"lengths", "0.1,"},
        {"lengths", "x"},
        {"lengths", "0"},
        {"lengths", "0.1,-1"},
        {"lengths", "1e9"},
        {"lengths", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"},
        {"subsets", ""},
        {"subsets", "age"}, /* fine: see below */
        {"subsets", "age+age"},
        {"subsets", "age+sick"},
        {"subsets", "age+nothing"},
        {"subsets", "age+town,"},
        {"subsets", "+age"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sbl_error err = {0};
        sbl_synth_options options = options_of(SBL_REPLACE_ONE, NULL);
        if (strcmp(bad[i][0], "lengths") == 0)
            give(&options, "lengths", bad[i][1]);
        else
            give(&options, "subsets", bad[i][1]);
        json_t *plan = plan_of(&options, &err);
        const bool fine = strcmp(bad[i][1], "age") == 0;
        if ((plan != NULL) != fine) fail_msg("%s '%s'", bad[i][0], bad[i][1]);
        if (!fine) assert_non_null(strstr(err.message, bad[i][0]));
        json_decref(plan);
    }
}

EACH_TEST(fresh, remove_folder)
