/* The table of options: what it says, that it says it once, and that it is what is checked by. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "account/budget.h"
#include "methods/method.h"
#include "options/options.h"
#include "support/cmocka_all.h"
#include "train/defaults.h"

static sbl_synth_options fresh(void)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    return options;
}

static sbl_status set(sbl_synth_options *options, const char *name, const char *text)
{
    sbl_error err = {0};
    const sbl_status status = sbl_options_set(options, name, text, &err);
    if (status != SBL_OK) assert_string_not_equal(err.message, "");
    return status;
}

/* A value other than the default, as text. */
static const char *some_value(const sbl_option *option)
{
    switch (option->type) {
    case SBL_OPTION_FLAG:
        return "true";
    case SBL_OPTION_TEXT:
        return "some.file";
    case SBL_OPTION_CHOICE:
        return option->choices[1];
    case SBL_OPTION_NUMBER:
        return "0.25";
    case SBL_OPTION_WHOLE:
    case SBL_OPTION_WHOLES:
        break;
    }
    return sbl_option_range_holds(option->range, 6) ? "6" : "1";
}

/* ---- the rows ---- */

static void names_are_found_and_differ(void **unused)
{
    (void)unused;
    assert_true(sbl_option_count() > 20);
    for (size_t i = 0; i < sbl_option_count(); i++)
        assert_ptr_equal(sbl_option_find(sbl_option_at(i)->name), sbl_option_at(i));
    assert_null(sbl_option_at(sbl_option_count()));
    assert_null(sbl_option_find("nothing"));
    assert_null(sbl_option_find(NULL));
    assert_null(sbl_method_at(sbl_method_count()));
}

static void rows_are_complete(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sbl_option_count(); i++) {
        const sbl_option *o = sbl_option_at(i);
        assert_non_null(o->help);
        assert_int_equal(o->type == SBL_OPTION_FLAG, o->value == NULL);
        assert_int_equal(o->type == SBL_OPTION_CHOICE, o->choices != NULL);
        const bool number = o->type == SBL_OPTION_NUMBER || o->type == SBL_OPTION_WHOLE ||
                            o->type == SBL_OPTION_WHOLES;
        assert_true(number ? o->range != NULL : o->range == NULL || o->type == SBL_OPTION_TEXT);
        assert_true(o->kinds != 0 && o->steps != 0 && o->size != 0);
        assert_true(o->offset + o->size <= sizeof(sbl_synth_options));
        assert_int_equal(o->needed & ~o->steps, 0);
        for (size_t m = 0; o->methods != NULL && o->methods[m] != NULL; m++)
            assert_non_null(sbl_method_facts_of(o->methods[m]));
        for (size_t j = 0; j < i; j++) assert_int_not_equal(o->offset, sbl_option_at(j)->offset);
    }
}

/* Every byte of the struct is struct_size, an option, how many of a list, a callback, or padding:
 * a field that is no row would be one that nobody checks. */
static void every_field_has_a_row(void **unused)
{
    (void)unused;
    bool known[sizeof(sbl_synth_options)] = {false};
    size_t unknown = 0;
    for (size_t i = 0; i < sbl_option_count(); i++) {
        const sbl_option *o = sbl_option_at(i);
        for (size_t b = 0; b < o->size; b++) known[o->offset + b] = true;
        for (size_t b = 0; o->count_offset != 0 && b < sizeof(size_t); b++)
            known[o->count_offset + b] = true;
    }
    for (size_t b = sizeof(size_t); b < offsetof(sbl_synth_options, progress); b++)
        unknown += known[b] ? 0 : 1;
    /* After pure, overwrite and threads, which are shorter than what follows them. */
    const size_t padding =
        (offsetof(sbl_synth_options, neighbours) - offsetof(sbl_synth_options, pure) - 1) +
        (offsetof(sbl_synth_options, seed) - offsetof(sbl_synth_options, overwrite) - 1) +
        (offsetof(sbl_synth_options, health) - offsetof(sbl_synth_options, threads) -
         sizeof(unsigned));
    assert_int_equal(unknown, padding);
}

static void methods_are_those_of_the_pipeline(void **unused)
{
    (void)unused;
    const sbl_method *method;
    for (size_t i = 0; i < sbl_method_count(); i++) {
        const sbl_method_facts *facts = sbl_method_at(i);
        for (int images = 0; images < 2; images++) {
            const bool there = facts->kinds & (images ? SBL_IMAGES : SBL_TABLES);
            assert_int_equal(sbl_method_find(&method, facts->name,
                                             images ? SBL_DATA_IMAGES : SBL_DATA_TABLE, NULL, NULL),
                             there ? SBL_OK : SBL_EARG);
            if (!there) continue;
            const bool is_auto = strcmp(facts->name, "auto") == 0;
            assert_string_equal(
                method->name, is_auto ? sbl_method_of_auto(images ? SBL_IMAGES : SBL_TABLES, false)
                                      : facts->name);
        }
    }
    assert_string_equal(sbl_method_at(0)->name, "auto");
    assert_int_equal(sbl_method_find(&method, NULL, SBL_DATA_TABLE, NULL, NULL), SBL_OK);
    assert_string_equal(method->name, "pairs");
    assert_int_equal(sbl_method_find(&method, NULL, SBL_DATA_IMAGES, NULL, NULL), SBL_OK);
    assert_string_equal(method->name, "mepf");
    assert_string_equal(sbl_option_find("method")->of_tables, sbl_method_at(0)->name);
}

/* ---- defaults ---- */

static sbl_synth_options defaults_of(sbl_data_kinds kind)
{
    sbl_synth_options options = fresh();
    for (size_t i = 0; i < sbl_option_count(); i++) {
        const sbl_option *o = sbl_option_at(i);
        const char *text = kind == SBL_TABLES ? o->of_tables : o->of_images;
        if (text != NULL) assert_int_equal(set(&options, o->name, text), SBL_OK);
    }
    return options;
}

static void defaults_are_those_that_are_used(void **unused)
{
    (void)unused;
    const sbl_synth_options init = fresh();
    for (int images = 0; images < 2; images++) {
        const sbl_synth_options said = defaults_of(images ? SBL_IMAGES : SBL_TABLES);
        const sbl_train_defaults *used =
            sbl_train_defaults_of(images ? SBL_DATA_IMAGES : SBL_DATA_TABLE);
        assert_int_equal(said.latent, used->network.latent);
        assert_int_equal(said.steps, used->steps);
        assert_int_equal(said.batch, used->batch);
        assert_true(said.learning_rate == used->rate && init.delta == 0);
        assert_true(said.delta == sbl_delta_usual(0));
        assert_int_equal(said.hidden_count, used->network.count);
        for (size_t i = 0; i < used->network.count; i++)
            assert_int_equal(said.hidden[i], used->network.hidden[i]);
    }
}

/* ---- values from text ---- */

static void text_fills_its_field_and_no_other(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sbl_option_count(); i++) {
        const sbl_option *o = sbl_option_at(i);
        sbl_synth_options options = fresh(), before = options;
        assert_int_equal(set(&options, o->name, some_value(o)), SBL_OK);
        assert_memory_not_equal(sbl_option_field(o, &options), sbl_option_field(o, &before),
                                o->size);
        memcpy((char *)&options + o->offset, (const char *)&before + o->offset, o->size);
        options.hidden_count = before.hidden_count;
        options.layer_count = before.layer_count;
        assert_memory_equal(&options, &before, sizeof options);
    }
}

static void values_arrive(void **unused)
{
    (void)unused;
    sbl_synth_options options = fresh();
    assert_int_equal(set(&options, "hidden", "8, 4,2"), SBL_OK);
    assert_int_equal(options.hidden_count, 3);
    assert_int_equal(options.hidden[1], 4);
    assert_int_equal(set(&options, "neighbours", "add-remove"), SBL_OK);
    assert_int_equal(options.neighbours, SBL_ADD_REMOVE);
    assert_int_equal(set(&options, "threads", "3"), SBL_OK);
    assert_int_equal(options.threads, 3);
    assert_int_equal(set(&options, "seed", "18446744073709551615"), SBL_OK);
    assert_true(options.seed == UINT64_MAX);
    assert_int_equal(set(&options, "pure", NULL), SBL_OK);
    assert_true(options.pure);
    assert_int_equal(set(&options, "pure", "false"), SBL_OK);
    assert_false(options.pure);
    assert_int_equal(set(&options, "geometry", "normalise"), SBL_OK);
    assert_string_equal(options.geometry, "normalise");
}

static void bad_text_is_refused_and_changes_nothing(void **unused)
{
    (void)unused;
    static const char *const bad[][2] = {
        {"epsilon", "0"},       {"epsilon", "-1"},   {"epsilon", "inf"},
        {"epsilon", "nan"},     {"epsilon", "x"},    {"epsilon", ""},
        {"delta", "0"},         {"delta", "1"},      {"neighbours", "any"},
        {"threads", "0"},       {"threads", "1025"}, {"threads", "4294967297"},
        {"steps", "1.5"},       {"steps", "-1"},     {"steps", "100000001"},
        {"batch", "1"},         {"bins", "4097"},    {"hidden", ""},
        {"hidden", "8,"},       {"hidden", "8,,8"},  {"hidden", "8;8"},
        {"hidden", "0"},        {"hidden", "65537"}, {"hidden", "1,1,1,1,1,1,1,1,1"},
        {"geometry", "flat"},   {"method", "gan"},   {"pure", "maybe"},
        {"nothing", "1"},       {"epsilon", NULL},   {"hidden", NULL},
        {"learning-rate", "2"}, {NULL, "1"},         {"hidden", "99999999999999999999999"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sbl_synth_options options = fresh(), before = options;
        if (set(&options, bad[i][0], bad[i][1]) != SBL_EARG)
            fail_msg("%s '%s' is accepted", bad[i][0], bad[i][1]);
        assert_memory_equal(&options, &before, sizeof options);
    }
}

static void refusal_names_option_value_and_range(void **unused)
{
    (void)unused;
    sbl_synth_options options = fresh();
    sbl_error err = {0};
    assert_int_equal(sbl_options_set(&options, "threads", "0", &err), SBL_EARG);
    assert_string_equal(err.message, "threads must be a whole number from 1 to 1024, not '0'");
    assert_int_equal(sbl_options_set(&options, "geometry", "flat", &err), SBL_EARG);
    assert_string_equal(err.message, "geometry must be clip or normalise, not 'flat'");
}

/* ---- checks ---- */

static sbl_status check(const sbl_synth_options *options, sbl_data_kinds kind, unsigned steps,
                        const char *words)
{
    sbl_error err = {0};
    const sbl_status status = sbl_options_check(options, NULL, kind, steps, &err);
    if (words != NULL && strstr(err.message, words) == NULL)
        fail_msg("'%s' does not say '%s'", err.message, words);
    return status;
}

static void title_that_cannot_stand_on_a_line_is_refused(void **unused)
{
    (void)unused;
    static const char *const bad[] = {"", "two\nlines", "\x7f", "\xff", "\x1b[1m"};
    static const char *const names[] = {"title", "by"};
    char long_text[202];
    memset(long_text, 'x', sizeof long_text);
    for (size_t n = 0; n < 2; n++) {
        sbl_synth_options options = fresh();
        options.epsilon = 1.0;
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            assert_int_equal(set(&options, names[n], bad[i]), SBL_OK);
            assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT,
                                   "must be a text of 1 to 200 bytes without control characters"),
                             SBL_EARG);
        }
        long_text[201] = '\0';
        assert_int_equal(set(&options, names[n], long_text), SBL_OK);
        assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, names[n]), SBL_EARG);
        long_text[200] = '\0';
        assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_OK);
        assert_int_equal(set(&options, names[n], "Charit\xc3\xa9"), SBL_OK);
        assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_OK);
        long_text[200] = 'x';
    }
}

/* Each option with each method: accepted or refused as the row says, and only in its steps. */
static void option_is_refused_by_methods_that_do_not_use_it(void **unused)
{
    (void)unused;
    for (size_t m = 0; m < sbl_method_count(); m++)
        for (size_t i = 0; i < sbl_option_count(); i++) {
            const sbl_option *o = sbl_option_at(i);
            const char *method = sbl_method_at(m)->name;
            sbl_synth_options options = fresh();
            if (strcmp(o->name, "method") == 0) continue;
            if ((sbl_method_at(m)->kinds & SBL_TABLES) == 0) continue;
            options.method = method;
            assert_int_equal(set(&options, o->name, some_value(o)), SBL_OK);
            const bool used = sbl_option_is_used(o, method, SBL_TABLES);
            if ((o->steps & SBL_STEP_FIT) != 0)
                assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, used ? NULL : o->name),
                                 used ? SBL_OK : SBL_EARG);
            if ((o->steps & SBL_STEP_SAMPLE) == 0)
                assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_SAMPLE, NULL), SBL_OK);
        }
}

/* What the caller brings is judged where it is looked for; ours are judged as ever. */
static void method_of_the_caller_s_own_is_taken_as_it_is(void **unused)
{
    (void)unused;
    const sbl_method *const more[] = {NULL};
    sbl_synth_options options = fresh();
    options.method = "mine";
    options.epsilon = 1;
    options.bins = 6;
    assert_int_equal(sbl_options_check(&options, NULL, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_EARG);
    options.more_methods = more;
    assert_int_equal(sbl_options_check(&options, NULL, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_OK);
    options.method = "merf";
    assert_int_equal(sbl_options_check(&options, NULL, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_EARG);
    options.method = "mine";
    options.bins = 1000000;
    assert_int_equal(sbl_options_check(&options, NULL, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_EARG);
}

static void use_of_some_options_is_as_known(void **unused)
{
    (void)unused;
    const sbl_option *bins = sbl_option_find("bins"), *pure = sbl_option_find("pure");
    assert_true(sbl_option_is_used(bins, "marginals", SBL_TABLES));
    assert_false(sbl_option_is_used(bins, "merf", SBL_TABLES));
    assert_false(sbl_option_is_used(bins, "marginals", SBL_IMAGES));
    assert_true(sbl_option_is_used(pure, NULL, SBL_TABLES)); /* then auto takes marginals */
    assert_false(sbl_option_is_used(pure, "pairs", SBL_TABLES));
    assert_false(sbl_option_is_used(pure, NULL, SBL_IMAGES));
    assert_true(sbl_option_is_used(sbl_option_find("steps"), "merf", SBL_IMAGES));
    assert_false(sbl_option_is_used(bins, "gan", SBL_TABLES));
    assert_false(sbl_option_is_used(NULL, "merf", SBL_TABLES));
}

static void values_out_of_range_are_refused(void **unused)
{
    (void)unused;
    for (int i = 0; i < 16; i++) {
        static const char *const names[] = {"epsilon", "epsilon",       "epsilon",       "delta",
                                            "delta",   "neighbours",    "threads",       "steps",
                                            "batch",   "learning-rate", "learning-rate", "hidden",
                                            "hidden",  "method",        "features",      "epsilon"};
        sbl_synth_options options = fresh();
        if (i == 0) options.epsilon = 0;
        if (i == 1) options.epsilon = INFINITY;
        if (i == 2) options.epsilon = NAN;
        if (i == 3) options.delta = -1e-5;
        if (i == 4) options.delta = NAN;
        if (i == 5) options.neighbours = (sbl_neighbours)2;
        if (i == 6) options.threads = 1025;
        if (i == 7) options.steps = UINT64_MAX;
        if (i == 8) options.batch = 1;
        if (i == 9) options.learning_rate = -1;
        if (i == 10) options.learning_rate = NAN;
        if (i == 11) options.hidden_count = SBL_MAX_HIDDEN + 1;
        if (i == 12) options.hidden_count = 1; /* of size 0 */
        if (i == 13) options.method = "gan";
        if (i == 14) options.features = 1;
        if (i == 15) options.epsilon = -DBL_MIN;
        if (check(&options, SBL_TABLES, SBL_STEP_FIT, names[i]) != SBL_EARG)
            fail_msg("case %d is accepted", i);
    }
}

static void needed_and_contradicting_options_are_said(void **unused)
{
    (void)unused;
    sbl_synth_options options = fresh();
    options.epsilon = 0;
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_PLAN, "epsilon is needed"), SBL_EARG);
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_TRAIN | SBL_STEP_SAMPLE, NULL), SBL_OK);
    options = fresh();
    options.method = "marginals";
    options.pure = true;
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_OK);
    options.delta = 1e-6;
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, "leave delta out"), SBL_EARG);
    assert_int_equal(check(&options, SBL_IMAGES, SBL_STEP_SAMPLE, "not one for images"), SBL_EARG);
    options = fresh();
    assert_int_equal(check(&options, (sbl_data_kinds)3, SBL_STEP_FIT, "tables or"), SBL_EARG);
    assert_int_equal(sbl_options_check(&options, "marginals", SBL_TABLES, SBL_STEP_FIT, NULL),
                     SBL_OK);
    options.latent = 4;
    assert_int_equal(sbl_options_check(&options, "marginals", SBL_TABLES, SBL_STEP_FIT, NULL),
                     SBL_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_and_differ),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(every_field_has_a_row),
        cmocka_unit_test(methods_are_those_of_the_pipeline),
        cmocka_unit_test(defaults_are_those_that_are_used),
        cmocka_unit_test(text_fills_its_field_and_no_other),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(bad_text_is_refused_and_changes_nothing),
        cmocka_unit_test(refusal_names_option_value_and_range),
        cmocka_unit_test(title_that_cannot_stand_on_a_line_is_refused),
        cmocka_unit_test(option_is_refused_by_methods_that_do_not_use_it),
        cmocka_unit_test(method_of_the_caller_s_own_is_taken_as_it_is),
        cmocka_unit_test(use_of_some_options_is_as_known),
        cmocka_unit_test(values_out_of_range_are_refused),
        cmocka_unit_test(needed_and_contradicting_options_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
