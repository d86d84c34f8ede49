/* SPDX-License-Identifier: Apache-2.0 */
/* Every method of the list: it plans, fits and draws on all data that it says it takes, and refuses
 * what it cannot do before anything is charged; plans that name it and hold something else are
 * refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "after/losses/loss.h"
#include "after/sinks/sink.h"
#include "base/alloc.h"
#include "base/file.h"
#include "records/source/source.h"
#include "run/methods/method.h"
#include "run/pipeline/job.h"
#include "run/pipeline/rounds.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"
#include "support/fail_alloc.h"
#include "support/key_test.h"
#include "support/one_folder.h"
#include "support/option_kit.h"
#include "support/sanitized.h"

#define ROWS 200

static bool can(const sbl_method *method, const sbl_facts *facts)
{
    return facts->kind == SBL_DATA_IMAGES ? method->images : method->tables;
}

/* And would it: histories are of persons, and none of the cases has a unit (tests/histories). */
static bool runs(const sbl_method *method, const sbl_facts *facts)
{
    return can(method, facts) && (!method->whole_units || sbl_facts_rows_per_unit(facts) != 0);
}

/* Small networks and few steps: it is not how well they fit. */
static sbl_synth_options small(const char *method)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = method;
    options.epsilon = 2;
    options.overwrite = true;
    const bool hermite = method != NULL && strcmp(method, "hp") == 0;
    const bool encoded = method != NULL && strcmp(method, "mepf") == 0;
    if (method != NULL && strcmp(method, "merf") != 0 && !hermite && !encoded) return options;
    if (encoded) give(&options, "encoder", SBL_TEST_SOURCE_DIR "/support/tiny.safetensors");
    if (!hermite) {
        give(&options, "features", "64");
    } else {
        give(&options, "lengths", "0.3,1");
        give(&options, "product-order", "3");
        give(&options, "products", "7");
    }
    give(&options, "steps", "12");
    give(&options, "batch", "32");
    give(&options, "latent", "3");
    give(&options, "hidden", "8");
    if (encoded) give(&options, "generator", "small"); /* of colour images, too */
    return options;
}

/* ---- the list ---- */

TEST(names_are_unique_and_every_table_is_filled)
{
    for (const sbl_method *const *m = sbl_method_list; *m != NULL; m++) {
        assert_true((*m)->tables || (*m)->images);
        assert_true(strlen((*m)->name) > 0 && strlen((*m)->name) < SBL_PLAN_NAME_SIZE);
        assert_true((*m)->plan != NULL && (*m)->fit != NULL && (*m)->also_public != NULL);
        for (const sbl_method *const *other = sbl_method_list; other != m; other++)
            assert_string_not_equal((*other)->name, (*m)->name);
    }
    for (const sbl_model_kind *const *k = sbl_model_kinds; *k != NULL; k++)
        for (const sbl_model_kind *const *other = sbl_model_kinds; other != k; other++)
            assert_string_not_equal((*other)->name, (*k)->name);
    for (const sbl_feature *const *f = sbl_feature_list; *f != NULL; f++)
        for (const sbl_feature *const *other = sbl_feature_list; other != f; other++)
            assert_string_not_equal((*other)->name, (*f)->name);
}

TEST(method_is_found_by_name_or_by_default)
{
    const sbl_method *found;
    for (sbl_data_kind data = SBL_DATA_TABLE; data <= SBL_DATA_IMAGES; data++) {
        const sbl_facts facts = {.kind = data};
        const sbl_method *first = NULL;
        for (const sbl_method *const *m = sbl_method_list; *m != NULL; m++) {
            const bool takes = can(*m, &facts);
            if (takes && first == NULL) first = *m;
            assert_int_equal(sbl_method_find(&found, (*m)->name, data, NULL, NULL),
                             takes ? SBL_OK : SBL_EARG);
            assert_ptr_equal(found, takes ? *m : NULL);
        }
        assert_int_equal(sbl_method_find(&found, NULL, data, NULL, NULL), SBL_OK);
        assert_ptr_equal(found, first);
    }
}

TEST(message_names_the_methods_for_such_data)
{
    const sbl_method *found;
    for (sbl_data_kind data = SBL_DATA_TABLE; data <= SBL_DATA_IMAGES; data++) {
        const sbl_facts facts = {.kind = data};
        sbl_error err = {0};
        assert_int_equal(sbl_method_find(&found, "no-such", data, NULL, &err), SBL_EARG);
        assert_non_null(strstr(err.message, "'no-such'"));
        assert_non_null(strstr(err.message, data == SBL_DATA_IMAGES ? "images" : "tables"));
        const char *there = strstr(err.message, "choose from");
        assert_non_null(there);
        for (const sbl_method *const *m = sbl_method_list; *m != NULL; m++)
            assert_int_equal(strstr(there, (*m)->name) != NULL, can(*m, &facts));
    }
}

TEST(method_that_the_program_brings_is_found_after_the_library_s)
{
    sbl_method mine = *sbl_method_list[0], shadow = *sbl_method_list[0];
    mine.name = "mine";
    const sbl_method *const more[] = {&shadow, &mine, NULL};
    const sbl_method *found;
    assert_int_equal(sbl_method_find(&found, "mine", SBL_DATA_TABLE, more, NULL), SBL_OK);
    assert_ptr_equal(found, &mine);
    assert_int_equal(sbl_method_find(&found, shadow.name, SBL_DATA_TABLE, more, NULL), SBL_OK);
    assert_ptr_equal(found, sbl_method_list[0]);
    assert_int_equal(sbl_method_find(&found, "mine", SBL_DATA_TABLE, NULL, NULL), SBL_EARG);
}

/* ---- plans ---- */

static void check_plan(const sbl_method *method, const sbl_facts *facts, const sbl_synth_options *options)
{
    sbl_rounds rounds;
    sbl_error err = {0};
    const bool good = runs(method, facts) && (!options->pure || method->pure);
    const sbl_status status = sbl_rounds_begin(&rounds, facts, options, &err);
    if (status != (good ? SBL_OK : SBL_EARG))
        fail_msg("%s: status %d, %s", method->name, (int)status, err.message);
    if (!good) {
        assert_null(rounds.items);
        return;
    }
    const sbl_round *first = &rounds.items[0];
    double total = 0;
    assert_true(rounds.most >= 1 && rounds.most <= SBL_MOST_ROUNDS && rounds.count == 1);
    for (size_t i = 0; i < rounds.most; i++) total += rounds.shares[i];
    assert_true(total > 0 && total <= 1 + 1e-12);
    assert_string_equal(first->plan.method, method->name);
    assert_true(first->plan.share == rounds.shares[0] && first->plan.round == 1);
    /* Under add-remove the number of records comes from a block of the release. */
    if (options->neighbours == SBL_ADD_REMOVE)
        assert_true(first->plan.count > 0 &&
                    (first->plan.counts || sbl_features_find(&first->features, "total") != NULL ||
                     sbl_features_find(&first->features, "cells") != NULL ||
                     sbl_features_find(&first->features, "tables") != NULL));
    /* A pure release has an L1 bound for each of its blocks. */
    for (size_t b = 0; options->pure && b < first->features.layout.block_count; b++)
        assert_true(first->features.layout.blocks[b].bound1 > 0 ||
                    first->features.layout.blocks[b].kind != SBL_BLOCK_VECTOR);
    sbl_plan again;
    sbl_facts theirs;
    assert_int_equal(sbl_plan_parse(&again, &theirs, first->plan.text, "p", &err), SBL_OK);
    assert_string_equal(again.text, first->plan.text);
    for (int json = 0; json < 2; json++) {
        char *text = NULL;
        if (sbl_rounds_show(&text, &rounds, 1000, json != 0, options, &err) != SBL_OK)
            fail_msg("%s", err.message);
        assert_true(text != NULL && strlen(text) > 0);
        json_auto_t *object = json_loads(text, 0, NULL);
        assert_int_equal(object != NULL, json);
        sbl_free(text);
    }
    sbl_plan_clear(&again);
    sbl_facts_clear(&theirs);
    sbl_rounds_clear(&rounds);
}

TEST(every_method_plans_for_all_data_that_it_takes)
{
    for (const sbl_method *const *m = sbl_method_list; *m != NULL; m++)
        for (data_case c = 0; c < DATA_CASES; c++)
            for (int how = 0; how < 4; how += sanitized ? 3 : 1) {
                CLEARED(sbl_facts_clear) sbl_facts facts;
                sbl_synth_options options = small((*m)->name);
                options.neighbours = how & 1 ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
                options.pure = (how & 2) != 0;
                data_facts(&facts, c);
                check_plan(*m, &facts, &options);
            }
}

/* From little to much: what auto takes of pairs grows with the budget, until there is a probe of trees to
 * ask, and it says so. */
TEST(auto_says_what_it_takes_and_why)
{
    static const struct {
        double epsilon;
        uint64_t rows;
        const char *method, *words;
    } known[] = {{0.01, 100, "pairs", "one-way tables only"},
                 {0.5, 300, "pairs", "pairs with the label"},
                 {2, 200, "pairs", "a sketch of all pairs"},
                 {2, 10000, "forest", "a probe of trees decides"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CLEARED(sbl_facts_clear) sbl_facts facts;
        sbl_rounds rounds;
        sbl_synth_options options = small(NULL);
        options.epsilon = known[i].epsilon;
        options.expected_rows = known[i].rows;
        data_facts(&facts, DATA_LABELLED);
        assert_int_equal(sbl_rounds_begin(&rounds, &facts, &options, NULL), SBL_OK);
        assert_string_equal(rounds.method->name, known[i].method);
        if (strstr(rounds.why, known[i].words) == NULL) fail_msg("%zu: %s", i, rounds.why);
        sbl_rounds_clear(&rounds);
        options.pure = true;
        assert_int_equal(sbl_rounds_begin(&rounds, &facts, &options, NULL), SBL_OK);
        assert_string_equal(rounds.method->name, "marginals");
        assert_non_null(strstr(rounds.why, "delta"));
        sbl_rounds_clear(&rounds);
        options.pure = false;
        options.method = "marginals";
        assert_int_equal(sbl_rounds_begin(&rounds, &facts, &options, NULL), SBL_OK);
        assert_true(rounds.why[0] == '\0' && !rounds.by_auto);
        sbl_rounds_clear(&rounds);
    }
}

TEST(the_seed_is_a_part_of_the_plan_where_it_counts)
{
    for (const sbl_method *const *m = sbl_method_list; *m != NULL; m++) {
        sbl_facts facts;
        sbl_rounds rounds[3];
        sbl_synth_options options = small((*m)->name);
        data_facts(&facts, (*m)->tables ? DATA_LABELLED : DATA_DIGITS);
        if (!runs(*m, &facts)) {
            sbl_facts_clear(&facts);
            continue;
        }
        for (int i = 0; i < 3; i++) {
            options.seed = i == 2 ? UINT64_MAX : 1;
            assert_int_equal(sbl_rounds_begin(&rounds[i], &facts, &options, NULL), SBL_OK);
        }
        const char *text = rounds[0].items[0].plan.text;
        assert_string_equal(text, rounds[1].items[0].plan.text);
        assert_int_equal(strcmp(text, rounds[2].items[0].plan.text) == 0, strstr(text, "\"seed\"") == NULL);
        for (int i = 0; i < 3; i++) sbl_rounds_clear(&rounds[i]);
        sbl_facts_clear(&facts);
    }
}

/* merf: the sizes of the classes where they are not public, and no more than that. */
TEST(merf_counts_what_is_not_public)
{
    static const struct {
        data_case data;
        bool balanced, add_remove, counts, total;
    } cases[] = {{DATA_DIGITS, false, false, true, false},   {DATA_DIGITS, false, true, true, false},
                 {DATA_DIGITS, true, false, false, false},   {DATA_DIGITS, true, true, false, true},
                 {DATA_COLOURS, false, false, false, false}, {DATA_COLOURS, false, true, true, false},
                 {DATA_LABELLED, false, false, true, false}, {DATA_NUMBERS, false, false, false, false},
                 {DATA_NUMBERS, false, true, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEARED(sbl_facts_clear) sbl_facts facts;
        CLEARED(sbl_rounds_clear) sbl_rounds rounds;
        sbl_synth_options options = small("merf");
        options.neighbours = cases[i].add_remove ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
        data_facts(&facts, cases[i].data);
        facts.balanced = cases[i].balanced;
        assert_int_equal(sbl_rounds_begin(&rounds, &facts, &options, NULL), SBL_OK);
        assert_int_equal(rounds.items[0].plan.counts, cases[i].counts);
        assert_int_equal(sbl_features_find(&rounds.items[0].features, "total") != NULL, cases[i].total);
    }
}

TEST(options_that_a_method_cannot_keep_are_refused_in_the_plan)
{
    static const struct {
        const char *method;
        data_case data;
        const char *name, *text; /* in range, but not for these data */
    } cases[] = {{"merf", DATA_LABELLED, "features", "7"},
                 {"merf", DATA_DIGITS, "features", "7"},
                 {"mepf", DATA_DIGITS, "features", "7"},
                 {"mepf", DATA_DIGITS, "layers", "7"},
                 {"ron-gauss", DATA_LABELLED, "dimensions", "1000"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEARED(sbl_facts_clear) sbl_facts facts;
        sbl_rounds rounds;
        sbl_error err = {0};
        sbl_synth_options options = small(cases[i].method);
        give(&options, cases[i].name, cases[i].text);
        data_facts(&facts, cases[i].data);
        assert_int_equal(sbl_rounds_begin(&rounds, &facts, &options, &err), SBL_EARG);
        assert_true(err.message[0] != '\0');
        assert_null(rounds.items);
    }
}

TEST(lack_of_memory_for_a_plan_leaves_nothing)
{
    for (const sbl_method *const *m = sbl_method_list; *m != NULL; m++)
        for (data_case c = 0; c < DATA_CASES; c++) {
            sbl_facts facts;
            const sbl_synth_options options = small((*m)->name);
            data_facts(&facts, c);
            for (long n = 1; runs(*m, &facts); n++) {
                sbl_rounds rounds;
                sbl_test_fail_alloc(n);
                const sbl_status status = sbl_rounds_begin(&rounds, &facts, &options, NULL);
                const bool failed = sbl_test_alloc_failed();
                sbl_test_fail_alloc(0);
                assert_int_equal(status, failed ? SBL_EMEM : SBL_OK);
                if (failed) assert_null(rounds.items);
                sbl_rounds_clear(&rounds);
                if (!failed) break;
            }
            sbl_facts_clear(&facts);
        }
}

/* ---- runs ---- */

typedef struct paths {
    char data[360], labels[360], output[300], again[300], model[300], model_again[300];
    char release[320], certificate[330];
} paths;

/* New names for each run: a ledger stays with its data. */
static void name_paths(paths *p)
{
    static unsigned run;
    char name[16];
    (void)snprintf(name, sizeof name, "run%u", run++);
    *p = (paths){0};
    (void)snprintf(p->data, sizeof p->data, "%s/%s.csv", folder, name);
    (void)snprintf(p->output, sizeof p->output, "%s/%s.synthetic", folder, name);
    (void)snprintf(p->again, sizeof p->again, "%s/%s.again", folder, name);
    (void)snprintf(p->model, sizeof p->model, "%s/%s.model", folder, name);
    (void)snprintf(p->model_again, sizeof p->model_again, "%s/%s.model2", folder, name);
    (void)snprintf(p->release, sizeof p->release, "%s.release", p->output);
    (void)snprintf(p->certificate, sizeof p->certificate, "%s.certificate.json", p->output);
}

/* The data on disk, as a job wants it. */
static void store(sbl_job *job, paths *p, const sbl_facts *facts)
{
    data_records records;
    sbl_sink *sink;
    sbl_error err = {0};
    char place[320];
    (void)snprintf(place, sizeof place, "%s.set", p->output);
    const bool table = facts->kind == SBL_DATA_TABLE;
    const sbl_image_folder target = {.folder = place};
    data_records_make(&records, facts, ROWS, 1, false);
    const sbl_drawn drawn = {records.numeric, .codes = records.codes, .pixels = records.pixels,
                             .labels = records.labels};
    if ((table ? sbl_sink_open_table(&sink, p->data, NULL, facts, true, &err)
               : sbl_sink_open_images(&sink, &target, ROWS, facts, true, &err)) != SBL_OK ||
        sbl_sink_write(sink, &drawn, ROWS, &err) != SBL_OK || sbl_sink_finish(sink, &err) != SBL_OK)
        fail_msg("%s", err.message);
    sbl_sink_close(sink);
    data_records_clear(&records);
    *job = (sbl_job){.kind = facts->kind, .model = sbl_file_item(p->model), .amount = {.rows = 50}};
    if (table) {
        assert_int_equal(sbl_data_open(&job->data, p->data, NULL, NULL), SBL_OK);
        job->schema = facts->schema;
        job->output = p->output;
        return;
    }
    (void)snprintf(p->data, sizeof p->data, "%s/images-idx%d-ubyte.gz", place,
                   facts->images.channels == 3 ? 4 : 3);
    (void)snprintf(p->labels, sizeof p->labels, "%s/labels-idx1-ubyte.gz", place);
    sbl_data_options options;
    sbl_data_options_init(&options);
    options.images = true;
    options.labels = facts->images.classes > 0 ? p->labels : NULL;
    options.classes = facts->images.classes;
    assert_int_equal(sbl_data_open(&job->data, p->data, &options, NULL), SBL_OK);
    job->folder.folder = p->output;
}

/* A file byte for byte; images: of a set. */
static void assert_same_output(const paths *p, const sbl_facts *facts)
{
    char own[350], again[350];
    const char *name = facts->kind == SBL_DATA_TABLE ? ""
                       : facts->images.channels == 3 ? "/images-idx4-ubyte.gz"
                                                     : "/images-idx3-ubyte.gz";
    size_t size, size_again;
    (void)snprintf(own, sizeof own, "%s%s", p->output, name);
    (void)snprintf(again, sizeof again, "%s%s", p->again, name);
    char *a = slurp(own, &size), *b = slurp(again, &size_again);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(size, size_again);
    assert_memory_equal(a, b, size);
    free(a);
    free(b);
}

/* release (may be NULL): where the run's release stands. */
static void check_run(char release[320], const sbl_method *method, const sbl_facts *facts,
                      sbl_synth_options options)
{
    paths p;
    sbl_job job;
    sbl_statement statement = {0};
    sbl_model *model, *trained;
    sbl_error err = {0};
    name_paths(&p);
    store(&job, &p, facts);
    job.options = &options;
    if (sbl_job_run(&statement, &job, &err) != SBL_OK) fail_msg("%s: %s", method->name, err.message);
    assert_non_null(statement.whole);
    assert_true(strlen(statement.brief) < strlen(statement.whole));
    sbl_statement_clear(&statement);
    sbl_data_free(job.data);
    if (sbl_model_load(&model, sbl_file_item(p.model), sbl_model_kinds, &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_string_equal(model->plan.method, method->name);
    assert_non_null(model->certificate);
    assert_true(model->rows >= 1);
    if (options.neighbours == SBL_REPLACE_ONE) assert_true(model->rows == ROWS);
    /* what is drawn of the model file again are the rows of the run */
    const sbl_image_folder target = {.folder = p.again};
    const sbl_amount fifty = {.rows = 50};
    const bool images = facts->kind == SBL_DATA_IMAGES;
    if (sbl_sample_from(sbl_file_item(p.model), images ? NULL : p.again, NULL, images ? &target : NULL,
                        &fifty, NULL, &options, &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_same_output(&p, facts);
    /* and so is what is fitted to the release again */
    if (sbl_train_from(sbl_file_item(p.release), sbl_file_item(p.certificate), sbl_file_item(p.model_again),
                       &options, &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(sbl_model_load(&trained, sbl_file_item(p.model_again), sbl_model_kinds, &err), SBL_OK);
    assert_string_equal(trained->plan.text, model->plan.text);
    assert_true(trained->rows == model->rows);
    if (sbl_sample_from(sbl_file_item(p.model_again), images ? NULL : p.again, NULL, images ? &target : NULL,
                        &fifty, NULL, &options, &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_same_output(&p, facts);
    if (release != NULL) memcpy(release, p.release, sizeof p.release);
    sbl_model_free(trained);
    sbl_model_free(model);
}

TEST(every_method_runs_on_all_data_that_it_takes)
{
    for (const sbl_method *const *m = sbl_method_list; *m != NULL; m++)
        for (data_case c = 0; c < DATA_CASES; c++)
            for (int add_remove = 0; add_remove < (sanitized ? 1 : 2); add_remove++) {
                CLEARED(sbl_facts_clear) sbl_facts facts;
                sbl_synth_options options = small((*m)->name);
                options.neighbours = add_remove ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
                data_facts(&facts, c);
                if (runs(*m, &facts)) check_run(NULL, *m, &facts, options);
            }
}

TEST(every_method_that_can_be_pure_runs_so)
{
    for (const sbl_method *const *m = sbl_method_list; *m != NULL; m++) {
        CLEARED(sbl_facts_clear) sbl_facts facts;
        sbl_synth_options options = small((*m)->name);
        options.pure = true;
        data_facts(&facts, DATA_LABELLED);
        if ((*m)->pure) check_run(NULL, *m, &facts, options);
    }
}

TEST(ron_gauss_runs_in_every_geometry_and_space)
{
    const sbl_method *method;
    assert_int_equal(sbl_method_find(&method, "ron-gauss", SBL_DATA_TABLE, NULL, NULL), SBL_OK);
    for (int how = 0; how < 8; how++) {
        CLEARED(sbl_facts_clear) sbl_facts facts;
        sbl_synth_options options = small("ron-gauss");
        give(&options, "geometry", how & 1 ? "normalise" : "clip");
        give(&options, "space", how & 2 ? "projected" : "original");
        give(&options, "dimensions", "2");
        data_facts(&facts, how & 4 ? DATA_REGRESSION : DATA_LABELLED);
        check_run(NULL, method, &facts, options);
    }
}

/* A projected table has columns p1, p2, ...: one that is the label already is refused before
 * anything is charged. */
TEST(label_that_is_named_like_a_coordinate_is_refused)
{
    static const char text[] =
        JSON({"fields":[{"name":"x","type":"number","constraints":{"minimum":0,"maximum":1,"required":true}},
        {"name":"y","type":"number","constraints":{"minimum":0,"maximum":1,"required":true}},
        {"name":"p1","type":"boolean","constraints":{"required":true}}],"semblance":{"label":"p1",
        "task":"classification"}});
    for (int projected = 0; projected < 2; projected++) {
        sbl_schema *schema;
        CLEARED(sbl_facts_clear) sbl_facts facts;
        paths p;
        sbl_job job;
        sbl_error err = {0};
        sbl_synth_options options = small("ron-gauss");
        give(&options, "space", projected ? "projected" : "original");
        assert_int_equal(sbl_schema_parse(&schema, text, strlen(text), "s", &err), SBL_OK);
        assert_int_equal(sbl_facts_of_table(&facts, schema, &err), SBL_OK);
        name_paths(&p);
        store(&job, &p, &facts);
        job.options = &options;
        (void)remove(p.release);
        const sbl_status status = sbl_job_run(NULL, &job, &err);
        sbl_data_free(job.data);
        assert_int_equal(status, projected ? SBL_EARG : SBL_OK);
        FREED(free) char *release = slurp(p.release, NULL);
        assert_true((release == NULL) == (projected != 0));
    }
}

TEST(method_of_the_program_runs_like_one_of_the_library)
{
    const sbl_method *marginals;
    assert_int_equal(sbl_method_find(&marginals, "marginals", SBL_DATA_TABLE, NULL, NULL), SBL_OK);
    sbl_method mine = *marginals;
    mine.name = "mine";
    const sbl_method *const more[] = {&mine, NULL};
    CLEARED(sbl_facts_clear) sbl_facts facts;
    char release[320];
    sbl_error err = {0};
    sbl_synth_options options = small("mine");
    options.more_methods = more;
    data_facts(&facts, DATA_LABELLED);
    check_run(release, &mine, &facts, options);
    /* its release is nothing to a program without it */
    options.more_methods = NULL;
    assert_int_equal(sbl_train_from(sbl_file_item(release), (sbl_store_entry){0},
                                    sbl_file_item(in_folder(folder, "none")), &options, &err),
                     SBL_EINPUT);
    assert_non_null(strstr(err.message, "'mine'"));
}

/* ---- plans that were read ---- */

/* What the door would write for this plan, with nothing but zeros in it. */
static sbl_release *release_of(const sbl_plan *plan, const sbl_facts *facts)
{
    sbl_features features;
    sbl_error err = {0};
    if (sbl_features_make(&features, plan, facts, NULL, &err) != SBL_OK) fail_msg("%s", err.message);
    const sbl_layout *layout = &features.layout;
    sbl_release *release = sbl_alloc_array(1, sizeof *release);
    release->mechanism = SBL_DISCRETE_GAUSSIAN;
    release->n = 1000;
    release->classes = layout->classes;
    release->counts = layout->counts;
    release->plan = strdup(plan->text);
    release->block_count = sbl_layout_noisy_blocks(layout);
    release->blocks = sbl_alloc_array(release->block_count, sizeof *release->blocks);
    for (size_t i = 0; i < release->block_count; i++) {
        const size_t b = sbl_layout_noisy_block(layout, i);
        sbl_block *block = &release->blocks[i];
        *block = b < layout->block_count ? layout->blocks[b] : sbl_block_of_counts(layout->classes);
        block->multiplier = UINT64_C(1) << 50;
        block->offset = release->value_count;
        release->value_count += block->width * sbl_block_columns(block, layout->classes);
    }
    release->values = sbl_alloc_array(release->value_count, sizeof *release->values);
    sbl_features_clear(&features);
    return release;
}

/* A plan of this method with that one feature, as its release gives it back. Fitting it is refused
 * unless it is the method's own; nothing else may happen. */
static void check_foreign(const sbl_method *method, const sbl_feature *feature, size_t variant,
                          const sbl_facts *facts)
{
    CLEARED(sbl_plan_clear) sbl_plan plan;
    sbl_rounds rounds;
    CLEARED(sbl_facts_clear) sbl_facts theirs;
    sbl_model *model = NULL;
    sbl_error err = {0};
    sbl_synth_options options = small(NULL);
    give(&options, "encoder", facts->encoder_path);
    give(&options, "generator", "small");
    assert_int_equal(sbl_plan_init(&plan, method->name, NULL), SBL_OK);
    assert_int_equal(
        sbl_plan_add(&plan, feature->name, data_parameters(feature->name, variant, facts), 1.0, NULL),
        SBL_OK);
    plan.counts = true;
    assert_int_equal(sbl_plan_set(&plan, "shares", json_pack("[f]", 1.0), NULL), SBL_OK);
    assert_int_equal(sbl_plan_finish(&plan, facts, NULL), SBL_OK);
    sbl_release *release = release_of(&plan, facts);
    sbl_status status = sbl_rounds_of_releases(&rounds, &theirs, &release, 1, &options, "r", &err);
    if (status != SBL_OK) fail_msg("%s", err.message);
    assert_null(release); /* taken */
    status = sbl_rounds_are_all(&rounds, "r", &err);
    if (status == SBL_OK) status = sbl_rounds_fit(&model, &rounds, &options, (sbl_store_entry){0}, &err);
    /* Of pairs a plan says what was planned for, without which there is none. */
    const bool own = strcmp(method->name, "pairs") == 0 || strcmp(method->name, "forest") == 0 ? false
                     : strcmp(method->name, "marginals") == 0 ? strcmp(feature->name, "cells") == 0
                     : strcmp(method->name, "ron-gauss") == 0
                         ? strcmp(feature->name, "ball") == 0 && variant != 1
                         : sbl_loss_find(feature->name, NULL) != NULL;
    if (status != (own ? SBL_OK : SBL_EINPUT))
        fail_msg("%s of %s %zu: status %d, %s", method->name, feature->name, variant, (int)status,
                 err.message);
    sbl_model_free(model);
    sbl_rounds_clear(&rounds);
}

TEST(release_whose_plan_is_not_the_method_s_is_refused)
{
    for (const sbl_method *const *m = sbl_method_list; *m != NULL; m++)
        for (data_case c = 0; c < DATA_CASES; c += 2)
            for (const sbl_feature *const *f = sbl_feature_list; *f != NULL; f++)
                for (size_t v = 0; v < data_variants((*f)->name); v++) {
                    CLEARED(sbl_facts_clear) sbl_facts facts;
                    data_facts(&facts, c);
                    if (runs(*m, &facts) && data_fits((*f)->name, &facts)) check_foreign(*m, *f, v, &facts);
                }
}

/* A release that does not hold what its plan says, in any of the ways that a reader trusts. */
TEST(release_of_other_blocks_than_its_plan_s_is_refused)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(sbl_plan_clear) sbl_plan plan;
    const sbl_synth_options options = small(NULL);
    data_facts(&facts, DATA_LABELLED);
    assert_int_equal(sbl_plan_init(&plan, "marginals", NULL), SBL_OK);
    assert_int_equal(sbl_plan_add(&plan, "cells", data_parameters("cells", 0, &facts), 1.0, NULL), SBL_OK);
    assert_int_equal(sbl_plan_set(&plan, "shares", json_pack("[f]", 1.0), NULL), SBL_OK);
    assert_int_equal(sbl_plan_finish(&plan, &facts, NULL), SBL_OK);
    for (int how = 0; how < 6; how++) {
        sbl_rounds rounds;
        CLEARED(sbl_facts_clear) sbl_facts theirs;
        sbl_error err = {0};
        sbl_release *release = release_of(&plan, &facts);
        if (how == 1) release->blocks[0].name[0] = 'x';
        if (how == 2) release->blocks[0].width--;
        if (how == 3) release->blocks[0].scale = 2;
        if (how == 4) release->blocks[0].per_class = false;
        if (how == 5) release->classes = 3;
        const sbl_status status = sbl_rounds_of_releases(&rounds, &theirs, &release, 1, &options, "r", &err);
        assert_int_equal(status, how == 0 ? SBL_OK : SBL_EINPUT);
        if (how != 0) assert_non_null(strstr(err.message, "does not match its plan"));
        sbl_rounds_clear(&rounds);
    }
}

ALL_TESTS(make_folder, remove_folder)
