/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options: what it says, that it says it once, and that it is what is checked by. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "after/train/train_defaults.h"
#include "public/account/budget.h"
#include "public/options/option_values.h"
#include "run/methods/method.h"
#include "support/option_kit.h"

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

/* Options of a run; those of data come after them (test_data_options.c). */
static const sbl_option *run_option_at(size_t index)
{
    const sbl_option *option = sbl_option_at(index);
    return option != NULL && option->forms == 0 ? option : NULL;
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
    case SBL_OPTION_SIZE:
        break;
    }
    if (option->range->low > 6) return "16";
    return option->range->high >= 6 ? "6" : "1";
}

/* ---- the rows ---- */

TEST(names_are_found_and_differ)
{
    for (size_t i = 0; run_option_at(i) != NULL; i++)
        assert_ptr_equal(sbl_option_find(run_option_at(i)->name), run_option_at(i));
    assert_non_null(run_option_at(20));
    assert_null(sbl_option_find("nothing"));
    assert_null(sbl_option_find(NULL));
}

TEST(rows_are_complete)
{
    for (size_t i = 0; run_option_at(i) != NULL; i++) {
        const sbl_option *o = run_option_at(i);
        assert_non_null(o->help);
        assert_int_equal(o->type == SBL_OPTION_FLAG, o->value == NULL);
        if (o->type != SBL_OPTION_WHOLE) assert_int_equal(o->type == SBL_OPTION_CHOICE, o->choices != NULL);
        const bool number =
            o->type == SBL_OPTION_NUMBER || o->type == SBL_OPTION_WHOLE || o->type == SBL_OPTION_WHOLES;
        assert_true(number ? o->range != NULL : o->range == NULL || o->type == SBL_OPTION_TEXT);
        assert_true(o->kinds != 0 && o->steps != 0);
        assert_int_equal(o->type == SBL_OPTION_WHOLES, o->most != 0);
        assert_true(o->most <= SBL_MAX_WHOLES);
        assert_int_equal(o->needed & ~o->steps, 0);
        assert_true(o->size != 0 || !o->common);
        if (o->size == 0) continue;
        assert_true(o->offset + o->size <= sizeof(sbl_synth_options));
        for (size_t j = 0; j < i; j++) assert_int_not_equal(o->offset, run_option_at(j)->offset);
    }
}

/* Every byte of the struct is struct_size, an option, a callback, a setting, or padding: a field
 * that is no row would be one that nobody checks. */
TEST(every_field_has_a_row)
{
    bool known[sizeof(sbl_synth_options)] = {false};
    size_t unknown = 0;
    for (size_t i = 0; run_option_at(i) != NULL; i++) {
        const sbl_option *o = run_option_at(i);
        for (size_t b = 0; b < o->size; b++) known[o->offset + b] = true;
    }
    for (size_t b = sizeof(size_t); b < offsetof(sbl_synth_options, progress); b++)
        unknown += known[b] ? 0 : 1;
    /* After pure, overwrite and no_estimate, which are shorter than what follows them. */
    const size_t padding =
        (offsetof(sbl_synth_options, neighbours) - offsetof(sbl_synth_options, pure) - 1) +
        (offsetof(sbl_synth_options, seed) - offsetof(sbl_synth_options, overwrite) - 1) +
        (offsetof(sbl_synth_options, health) - offsetof(sbl_synth_options, no_estimate) - 1);
    assert_int_equal(unknown, padding);
}

TEST(methods_are_those_of_the_pipeline)
{
    const sbl_method *method;
    for (size_t i = 0; sbl_method_at(i) != NULL; i++) {
        const sbl_method_facts *facts = sbl_method_at(i);
        for (int images = 0; images < 2; images++) {
            const bool there = facts->kinds & (images ? SBL_IMAGES : SBL_TABLES);
            assert_int_equal(
                sbl_method_find(&method, facts->name, images ? SBL_DATA_IMAGES : SBL_DATA_TABLE, NULL, NULL),
                there ? SBL_OK : SBL_EARG);
            if (!there) continue;
            const bool is_auto = strcmp(facts->name, "auto") == 0;
            assert_string_equal(
                method->name,
                is_auto ? sbl_method_of_auto(images ? SBL_IMAGES : SBL_TABLES, false) : facts->name);
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

/* Each default is a value of its option, and what is read where nothing was given. */
TEST(defaults_are_values_of_their_options)
{
    const sbl_synth_options none = fresh();
    for (size_t i = 0; run_option_at(i / 2) != NULL; i++) {
        const sbl_option *o = run_option_at(i / 2);
        const char *text = i % 2 == 0 ? o->of_tables : o->of_images;
        sbl_synth_options options = fresh();
        if (text == NULL) continue;
        assert_int_equal(set(&options, o->name, text), SBL_OK);
        if (o->size == 0)
            assert_string_equal(sbl_setting_text(&none, o, i % 2 == 0 ? SBL_TABLES : SBL_IMAGES), text);
    }
}

TEST(defaults_are_those_that_are_used)
{
    const sbl_synth_options none = fresh();
    uint64_t hidden[SBL_MAX_WHOLES];
    for (int images = 0; images < 2; images++) {
        const sbl_data_kinds kind = images ? SBL_IMAGES : SBL_TABLES;
        const sbl_train_defaults *used = sbl_train_defaults_of(images ? SBL_DATA_IMAGES : SBL_DATA_TABLE);
        assert_int_equal(sbl_setting_whole(&none, sbl_option_find("latent"), kind), used->network.latent);
        assert_int_equal(sbl_setting_whole(&none, sbl_option_find("steps"), kind), used->steps);
        assert_int_equal(sbl_setting_whole(&none, sbl_option_find("batch"), kind), used->batch);
        assert_true(sbl_setting_number(&none, sbl_option_find("learning-rate"), kind) == used->rate);
        assert_int_equal(sbl_setting_wholes(hidden, &none, sbl_option_find("hidden"), kind),
                         used->network.count);
        for (size_t i = 0; i < used->network.count; i++) assert_int_equal(hidden[i], used->network.hidden[i]);
    }
    sbl_synth_options said = fresh();
    assert_int_equal(set(&said, "delta", sbl_option_find("delta")->of_tables), SBL_OK);
    assert_true(said.delta == sbl_delta_usual(0));
}

/* ---- values from text ---- */

TEST(text_fills_its_field_and_no_other)
{
    for (size_t i = 0; run_option_at(i) != NULL; i++) {
        const sbl_option *o = run_option_at(i);
        sbl_synth_options options = fresh(), before = options;
        assert_int_equal(set(&options, o->name, some_value(o)), SBL_OK);
        if (o->size == 0) {
            assert_ptr_equal(options.settings[0].name, o->name);
            assert_string_equal(options.settings[0].text, some_value(o));
            memset(options.settings, 0, sizeof options.settings[0]);
        } else {
            char *field = (char *)&options + o->offset;
            assert_memory_not_equal(field, (const char *)&before + o->offset, o->size);
            memcpy(field, (const char *)&before + o->offset, o->size);
        }
        assert_memory_equal(&options, &before, sizeof options);
    }
}

TEST(values_arrive)
{
    sbl_synth_options options = fresh();
    uint64_t wholes[SBL_MAX_WHOLES];
    const sbl_option *hidden = sbl_option_find("hidden"), *geometry = sbl_option_find("geometry");
    assert_int_equal(set(&options, "hidden", "8"), SBL_OK);
    assert_int_equal(set(&options, "hidden", "8, 4,2"), SBL_OK);
    assert_int_equal(sbl_setting_wholes(wholes, &options, hidden, SBL_TABLES), 3);
    assert_int_equal(wholes[1], 4);
    give(&options, "hidden", "no sizes"); /* never checked: the default is taken */
    assert_int_equal(sbl_setting_wholes(wholes, &options, hidden, SBL_TABLES), 3);
    assert_int_equal(wholes[1], 256);
    give(&options, "hidden", NULL);
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
    assert_true(sbl_setting_is(&options, geometry, SBL_TABLES, "clip"));
    assert_int_equal(set(&options, "geometry", "normalise"), SBL_OK);
    assert_true(sbl_setting_is(&options, geometry, SBL_TABLES, "normalise"));
    assert_null(sbl_setting_given(&options, "space"));
    assert_int_equal(sbl_setting_whole(&options, sbl_option_find("order"), SBL_TABLES), 0);
}

TEST(bad_text_is_refused_and_changes_nothing)
{
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
        {"space", "outer"},     {"split", "even"},   {"bins", "5000"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sbl_synth_options options = fresh(), before = options;
        if (set(&options, bad[i][0], bad[i][1]) != SBL_EARG)
            fail_msg("%s '%s' is accepted", bad[i][0], bad[i][1]);
        assert_memory_equal(&options, &before, sizeof options);
    }
}

TEST(refusal_names_option_value_and_range)
{
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

TEST(title_that_cannot_stand_on_a_line_is_refused)
{
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
TEST(option_is_refused_by_methods_that_do_not_use_it)
{
    for (size_t m = 0; sbl_method_at(m) != NULL; m++)
        for (size_t i = 0; run_option_at(i) != NULL; i++) {
            const sbl_option *o = run_option_at(i);
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

/* It may use options of the library's methods; ours are checked as ever. */
TEST(method_of_the_caller_s_own_has_the_options_that_it_lists)
{
    const sbl_option *const uses[] = {sbl_option_find("bins"), NULL};
    const sbl_method mine = {.name = "mine", .tables = true, .options = uses};
    const sbl_method *const more[] = {&mine, NULL};
    sbl_synth_options options = fresh();
    options.method = "mine";
    give(&options, "bins", "6");
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, "method must be"), SBL_EARG);
    options.more_methods = more;
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_OK);
    assert_int_equal(check(&options, SBL_IMAGES, SBL_STEP_FIT, "not a method for images"), SBL_EARG);
    give(&options, "bins", "1000000");
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, "bins must be"), SBL_EARG);
    give(&options, "bins", NULL);
    give(&options, "steps", "6");
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, "steps is not an option of"), SBL_EARG);
    options.method = "merf";
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_OK);
    give(&options, "bins", "6");
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, "but of marginals, mine"), SBL_EARG);
}

/* A caller may fill the list himself; it is read to its end and no further. */
TEST(settings_that_are_none_are_refused)
{
    sbl_synth_options options = fresh();
    options.settings[0] = (sbl_setting){"nothing", "1"};
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, "'nothing' is not an option"), SBL_EARG);
    options.settings[0] = (sbl_setting){"seed", "1"}; /* it has a field */
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, "'seed' is not an option"), SBL_EARG);
    options.settings[0] = (sbl_setting){"steps", NULL};
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, "steps must be"), SBL_EARG);
    for (size_t i = 0; i < SBL_MAX_SETTINGS; i++) options.settings[i] = (sbl_setting){"rounds", "1"};
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_OK);
    assert_int_equal(set(&options, "steps", "5"), SBL_EARG);
    assert_int_equal(set(&options, "rounds", "2"), SBL_OK);
}

TEST(use_of_some_options_is_as_known)
{
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

TEST(values_out_of_range_are_refused)
{
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
        if (i == 7) give(&options, "steps", "18446744073709551615");
        if (i == 8) give(&options, "batch", "1");
        if (i == 9) give(&options, "learning-rate", "-1");
        if (i == 10) give(&options, "learning-rate", "nan");
        if (i == 11) give(&options, "hidden", "1,1,1,1,1,1,1,1,1");
        if (i == 12) give(&options, "hidden", "0");
        if (i == 13) options.method = "gan";
        if (i == 14) give(&options, "features", "1");
        if (i == 15) options.epsilon = -DBL_MIN;
        if (check(&options, SBL_TABLES, SBL_STEP_FIT, names[i]) != SBL_EARG)
            fail_msg("case %d is accepted", i);
    }
}

TEST(a_whole_number_may_have_words_instead)
{
    const sbl_option *features = sbl_option_find("features"), *steps = sbl_option_find("steps");
    sbl_synth_options options = fresh();
    sbl_error err;
    uint64_t whole = 7;
    assert_string_equal(features->choices[0], "auto");
    assert_int_equal(sbl_option_parse(NULL, &whole, features, "auto", NULL), SBL_OK);
    assert_int_equal(whole, 0);
    assert_int_equal(sbl_option_parse(NULL, &whole, features, "20", NULL), SBL_OK);
    assert_int_equal(whole, 20);
    for (int i = 0; i < 4; i++) {
        static const char *const bad[] = {"Auto", "autos", "", "0"};
        assert_int_equal(sbl_option_parse(NULL, &whole, features, bad[i], &err), SBL_EARG);
        assert_non_null(
            strstr(err.message, "features must be an even number from 2 to 1000000, or auto, not"));
    }
    assert_int_equal(sbl_option_parse(NULL, &whole, steps, "auto", NULL), SBL_EARG);
    options.method = "merf";
    give(&options, "features", "auto");
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_OK);
    assert_int_equal(sbl_setting_whole(&options, features, SBL_TABLES), 0);
    assert_true(sbl_setting_is(&options, features, SBL_TABLES, "auto"));
}

TEST(needed_and_contradicting_options_are_said)
{
    sbl_synth_options options = fresh();
    options.epsilon = 0;
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_PLAN, "epsilon is missing"), SBL_EARG);
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_TRAIN | SBL_STEP_SAMPLE, NULL), SBL_OK);
    options = fresh();
    options.method = "marginals";
    options.pure = true;
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, NULL), SBL_OK);
    options.delta = 1e-6;
    assert_int_equal(check(&options, SBL_TABLES, SBL_STEP_FIT, "leave delta out"), SBL_EARG);
    assert_int_equal(check(&options, SBL_IMAGES, SBL_STEP_SAMPLE, "not a method for images"), SBL_EARG);
    options = fresh();
    assert_int_equal(check(&options, (sbl_data_kinds)3, SBL_STEP_FIT, "tables or"), SBL_EARG);
    assert_int_equal(sbl_options_check(&options, "marginals", SBL_TABLES, SBL_STEP_FIT, NULL), SBL_OK);
    give(&options, "latent", "4");
    assert_int_equal(sbl_options_check(&options, "marginals", SBL_TABLES, SBL_STEP_FIT, NULL), SBL_EARG);
}
