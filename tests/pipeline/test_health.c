/* SPDX-License-Identifier: Apache-2.0 */
/* The paid look at the data's health, through the public API with a fixed key: what it costs the
 * rest, what it shows, where it stops a run, and that it is replayed as everything else. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "door/privatise/privatise.h"
#include "door/release/release.h"
#include "records/features/counts.h"
#include "run/pipeline/health.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/option_kit.h"
#include "support/run_kit.h"
#include "support/sum_kit.h"

FREES(sbl_release_free);

#define ROWS 1000
#define TOLD 4096

static const char schema[] =
    JSON({"fields":[{"name":"age","type":"integer","constraints":{"minimum":0,
    "maximum":9}},{"name":"free text","type":"string","semblance":{"role":"ignore"}},
    {"name":"cost","type":"number","constraints":{"minimum":0,"maximum":1,"required":true}},
    {"name":"town","type":"string","constraints":{"enum":["a","b"]},"semblance":{"other":"b"}},
    {"name":"sick","type":"boolean"}],"semblance":{"label":"sick"}});

static const char *const methods[] = {"pairs", "merf", "marginals", "ron-gauss"};

/* Each row's cells; NULL: as every row has them. last: the row that replaces the last one. */
static void write_table(const char *name, const char *cost, const char *last)
{
    FILE *file = create(name);
    (void)fputs("age,free text,cost,town,sick\n", file);
    for (int r = 0; r < ROWS - 1; r++)
        (void)fprintf(file, "%d,x,%s,%c,%d\n", r % 10, cost != NULL ? cost : "0.5", "ab?"[r % 3], r % 2);
    (void)fprintf(file, "%s\n", last != NULL ? last : "1,x,0.5,a,0");
    assert_int_equal(fclose(file), 0);
}

static int fresh(void **unused)
{
    (void)make_folder(unused);
    write_file("schema.json", schema);
    sbl_test_key_set(7);
    return 0;
}

static void keep_advice(void *context, sbl_advice_kind kind, const char *line)
{
    char *told = context;
    if (kind == SBL_ADVICE_PLAN || kind == SBL_ADVICE_ESTIMATE) return;
    assert_int_equal(kind, SBL_ADVICE_SCHEMA);
    assert_true(strlen(told) + strlen(line) + 2 < TOLD);
    (void)strcat(strcat(told, line), "\n");
}

static sbl_synth_options options_of(const char *method, char *told)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = method;
    options.epsilon = 1;
    options.overwrite = true;
    options.advice = told != NULL ? keep_advice : NULL;
    options.context = told;
    if (strcmp(method, "merf") == 0) {
        give(&options, "features", "20");
        give(&options, "steps", "2");
        give(&options, "batch", "10");
        give(&options, "hidden", "4");
    }
    return options;
}

static sbl_release *released(void)
{
    sbl_release *release;
    sbl_error err = {0};
    must(sbl_release_load(&release, sbl_file_item(at("out.csv.release")), &err), &err);
    return release;
}

/* ---- what it costs ---- */

static json_t *plan_of(const sbl_synth_options *options, uint64_t n)
{
    char *text;
    sbl_error err = {0};
    must(table_plan(&text, at("schema.json"), n, true, options, &err), &err);
    json_t *plan = json_loads(text, 0, NULL);
    sbl_free(text);
    assert_non_null(plan);
    return plan;
}

static double noise_of(const json_t *plan, const char *name)
{
    size_t i;
    json_t *block;
    json_array_foreach(json_object_get(plan, "blocks"), i, block)
    {
        if (strcmp(json_string_value(json_object_get(block, "name")), name) == 0)
            return json_number_value(json_object_get(block, "noise_deviation"));
    }
    return 0.0;
}

/* Every block of every method: less than one per cent more noise; switched off, as without. */
TEST(noise_of_the_rest_grows_by_less_than_one_percent)
{
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (int variant = 0; variant < 3; variant++) { /* replace-one, add-remove, pure */
            size_t i;
            json_t *block;
            sbl_synth_options options = options_of(methods[m], NULL);
            options.neighbours = variant == 1 ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
            options.pure = variant == 2;
            if (options.pure && m < 2) continue; /* they have no bounds in L1 */
            json_auto_t *with = plan_of(&options, ROWS);
            options.health = "off";
            json_auto_t *without = plan_of(&options, ROWS);
            assert_true(noise_of(with, SBL_HEALTH) > 0.0);
            assert_true(noise_of(without, SBL_HEALTH) == 0.0);
            json_array_foreach(json_object_get(without, "blocks"), i, block)
            {
                const char *name = json_string_value(json_object_get(block, "name"));
                const double ratio = noise_of(with, name) / noise_of(without, name);
                if (!(ratio >= 1.0 && ratio < 1.01))
                    fail_msg("%s, variant %d: noise of %s grows by %g", methods[m], variant, name, ratio);
            }
        }
}

/* All shares together stay what they were, and the parts that follow from them add up. */
TEST(shares_are_cut_alike)
{
    double shares[3] = {0.4, 0.2, 0.4};
    double whole[1] = {1.0};
    sbl_health_take_share(shares, 3, false);
    assert_true(fabs(shares[0] + shares[1] + shares[2] - 1.0) < 1e-15);
    assert_true(fabs(shares[1] - 0.2 * (1 - sbl_health_part(false))) < 1e-15);
    sbl_health_take_share(whole, 1, true);
    assert_true(whole[0] == 1.0);
}

/* ---- what it shows ---- */

TEST(sums_are_the_true_counts)
{
    planned plan;
    /* age out of range in the last row, cost unreadable in it, town other by declaration. */
    write_table("data.csv", NULL, "77,x,?,zzz,maybe");
    const sbl_synth_options options = options_of("marginals", NULL);
    sbl_error err = {0};
    must(try_run("data.csv", "out.csv", &options, &err), &err);
    FREED(sbl_release_free) sbl_release *release = released();
    planned_make(&plan, release->plan);
    const sbl_feature_instance *health = sbl_features_find(&plan.features, SBL_HEALTH);
    assert_non_null(health);
    sbl_sum *sum = sum_of_table(&plan, at("data.csv"), 2);
    const int64_t *counts = sbl_sum_values(sum, health->block);
    assert_int_equal(plan.facts.columns, 4);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 1);
    assert_int_equal(counts[2], 0);
    assert_int_equal(counts[3], 1);
    sbl_sum_free(sum);
    planned_clear(&plan);
}

/* 1,000 rows, epsilon 1: told and stopped, whatever the method; the release stays, and the run goes
 * on from it when it is asked to. */
TEST(column_that_is_all_wrong_stops_the_run)
{
    write_table("data.csv", "1;000", NULL);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        char told[TOLD] = "";
        sbl_error err = {0};
        sbl_synth_options options = options_of(methods[m], told);
        (void)remove(at("out.csv"));
        assert_int_equal(try_run("data.csv", "out.csv", &options, &err), SBL_EINPUT);
        assert_int_equal(err.hint, SBL_HINT_HEALTH);
        assert_non_null(strstr(err.message, "column 'cost'"));
        assert_non_null(strstr(told, "cost: about"));
        assert_null(strstr(told, "age: about"));
        sbl_release_free(released());
        assert_false(exists("out.csv"));
        options.health = "tell";
        must(table_resume(NULL, at("data.csv"), at("schema.json"), at("out.csv"), 0, NULL, &options, &err),
             &err);
        assert_true(exists("out.csv"));
    }
}

TEST(good_table_is_not_talked_about)
{
    char told[TOLD] = "";
    sbl_error err = {0};
    write_table("data.csv", NULL, NULL);
    const sbl_synth_options options = options_of("pairs", told);
    must(try_run("data.csv", "out.csv", &options, &err), &err);
    assert_string_equal(told, "");
    /* The certificate has a figure for each column, near the truth: none. */
    json_auto_t *certificate = json_load_file(at("out.csv.certificate.json"), 0, NULL);
    const json_t *health = json_object_get(certificate, "health");
    assert_int_equal(json_array_size(health), 4);
    for (size_t k = 0; k < 4; k++) {
        const json_t *figure = json_array_get(health, k);
        const double misfits = json_number_value(json_object_get(figure, "misfits"));
        const double deviation = json_number_value(json_object_get(figure, "deviation"));
        assert_true(deviation > 0 && fabs(misfits) < 4 * deviation);
    }
}

/* Under add-remove the number of rows is private: it is one of the counts. */
TEST(shares_are_of_the_noisy_number_of_rows)
{
    char told[TOLD] = "";
    sbl_error err = {0};
    size_t count;
    sbl_certified_health *figures;
    planned plan;
    write_table("data.csv", "abc", NULL);
    sbl_synth_options options = options_of("marginals", told);
    options.neighbours = SBL_ADD_REMOVE;
    options.health = "tell";
    must(try_run("data.csv", "out.csv", &options, &err), &err);
    FREED(sbl_release_free) sbl_release *release = released();
    planned_make(&plan, release->plan);
    assert_int_equal(sbl_release_find(release, SBL_HEALTH)->width, 5);
    must(sbl_health_read(&figures, &count, release, &plan.facts, &err), &err);
    assert_int_equal(count, 4);
    assert_string_equal(figures[1].column, "cost");
    assert_true(labs((long)figures[1].misfits - 10000) < 5 * figures[1].deviation);
    assert_true(labs((long)figures[0].misfits) < 5 * figures[0].deviation);
    free(figures);
    planned_clear(&plan);
}

/* ---- replay ---- */

/* The row that fits nowhere against the one that fits everywhere. */
TEST(neighbours_move_no_more_than_was_charged)
{
    write_table("data.csv", NULL, NULL);
    write_table("other.csv", NULL, "77,x,?,zzz,maybe");
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        static const char *const names[] = {"data.csv", "other.csv"};
        replayed runs[2];
        const sbl_synth_options options = options_of(methods[m], NULL);
        for (int i = 0; i < 2; i++) {
            const char *output = i == 0 ? "a.csv" : "b.csv";
            run_with(11, names[i], output, &options);
            load_run(&runs[i], names[i], output, 1);
            (void)remove(beside(names[i], ".ledger"));
        }
        assert_true(replayed_compare(&runs[0], &runs[1], methods[m]) <= 1.0);
        /* The health block itself: three misfits more, times its multiplier, exactly. */
        const sbl_block *block = sbl_release_find(runs[0].release, SBL_HEALTH);
        for (size_t k = 0; k < 4; k++) {
            const sbl_i128 moved =
                runs[1].release->values[block->offset + k] - runs[0].release->values[block->offset + k];
            assert_true(moved == (k == 2 ? 0 : (sbl_i128)block->multiplier));
        }
        replayed_clear(&runs[0]);
        replayed_clear(&runs[1]);
    }
}

EACH_TEST(fresh, remove_folder)
