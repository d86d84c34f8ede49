/* SPDX-License-Identifier: Apache-2.0 */
/* The audit as a tool: what it says of a sound build, and that it notices an unsound one. The keys
 * of the test library are fixed, so that the outcome is too. Mutants plant the faults in the library
 * itself; here the same faults are planted in what the tests of the tool are told. */
#include <math.h>
#include <string.h>

#include "audit/audit_math.h"
#include "base/alloc.h"
#include "base/json.h"
#include "door/privatise/privatise.h"
#include "owner/audit/additivity.h"
#include "owner/audit/audit_tests.h"
#include "owner/audit/change.h"
#include "owner/audit/confidence.h"
#include "owner/audit/distinguish.h"
#include "owner/audit/targets.h"
#include "semblance/audit.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

#define RUNS 1000

static void must(sbl_status status, const sbl_error *err)
{
    if (status != SBL_OK) print_error("%s\n", err->message);
    assert_ok(status);
}

/* ---- confidence ---- */

TEST(confidence_bounds_agree_with_closed_forms)
{
    /* k = 0: (1 - p)^n = gamma. */
    assert_true(fabs(sbl_clopper_pearson_upper(0, 50, 0.025) - (1 - pow(0.025, 1.0 / 50))) < 1e-12);
    assert_true(sbl_clopper_pearson_upper(7, 7, 0.01) == 1.0);
    assert_true(fabs(sbl_clopper_pearson_lower(50, 50, 0.025) - pow(0.025, 1.0 / 50)) < 1e-12);
    /* 10 of 100 at 95 %, two sides: [0.0490, 0.1762] (Clopper and Pearson's own table). */
    assert_true(fabs(sbl_clopper_pearson_lower(10, 100, 0.025) - 0.0490) < 5e-5);
    assert_true(fabs(sbl_clopper_pearson_upper(10, 100, 0.025) - 0.1762) < 5e-5);
    for (uint64_t k = 0; k <= 4000; k += 800)
        assert_true(fabs(sbl_clopper_pearson_upper(k, 4000, 5e-4) - clopper_pearson_upper(k, 4000, 5e-4)) <
                    1e-9);
    assert_true(fabs(sbl_normal_quantile(0.975) - 1.959963984540054) < 1e-12);
    assert_true(isinf(sbl_normal_quantile(0.0)) && isinf(sbl_normal_quantile(1.0)));
}

TEST(guesses_show_no_more_than_they_can)
{
    const sbl_guesses blind = {10000, 5000, 5000};
    const sbl_guesses sure = {10000, 0, 10000};
    const sbl_guesses good = {10000, 3300, 6700};
    assert_true(sbl_guesses_mu(&blind) == 0.0 && sbl_guesses_epsilon(&blind, 1e-5) == 0.0);
    /* Ten thousand runs cannot show more than this: no wrong guess is one in 1316 at most. */
    assert_true(sbl_guesses_epsilon(&sure, 0.0) < log(1316.0));
    assert_true(sbl_guesses_mu(&good) < 2 * normal_quantile(0.67));
    assert_true(sbl_guesses_mu(&good) > 0.9 * 2 * normal_quantile(0.67));
    assert_true(sbl_guesses_epsilon(&good, 0.5) < sbl_guesses_epsilon(&good, 0.0));
}

/* ---- hostile records ---- */

TEST(hostile_records_are_of_many_kinds)
{
    for (size_t which = 0; which < SBL_AUDIT_GENERATED; which++) {
        CLEARED(sbl_audit_data_clear) sbl_audit_data data;
        CLEARED(sbl_hostile_clear) sbl_hostile hostile;
        sbl_error err;
        size_t nan = 0, infinite = 0, subnormal = 0, bad_codes = 0, bad_labels = 0;
        must(sbl_audit_data_generate(&data, which, &err), &err);
        must(sbl_hostile_make(&hostile, &data.facts, &err), &err);
        const bool table = data.facts.kind == SBL_DATA_TABLE;
        assert_true(hostile.kinds >= (table ? 26u : 18u));
        for (size_t row = 0; row < hostile.rows; row++) {
            const sbl_records one = sbl_hostile_records(&hostile, row, 1);
            assert_non_null(hostile.names[row]);
            for (size_t i = 0; i < data.facts.heads.numeric_count; i++) {
                nan += isnan(one.numeric[i]) != 0;
                infinite += isinf(one.numeric[i]) != 0;
                subnormal += fpclassify(one.numeric[i]) == FP_SUBNORMAL;
            }
            for (size_t i = 0; table && i < data.facts.heads.categorical_count; i++)
                bad_codes += one.codes[i] > 1000;
            bad_labels += one.labels != NULL && one.labels[0] >= data.facts.classes;
        }
        if (data.facts.heads.numeric_count > 0) assert_true(nan > 0 && infinite > 0);
        if (data.facts.heads.numeric_count > 0) assert_true(subnormal > 0);
        if (table) assert_true(bad_codes > 0);
        if (data.facts.classes > 1) assert_true(bad_labels >= 2);
    }
}

/* ---- rounds ---- */

/* What is tried on each round, with its contributions. */
typedef struct trial {
    sbl_hostile *hostile;
    void (*look)(const sbl_subject *subject, const sbl_round *round, const sbl_ledger_entry *entry,
                 const sbl_contributions *records, const sbl_contributions *features,
                 const struct trial *trial);
    const sbl_store *store;
    size_t rounds;
} trial;

static sbl_status try_round(void *context, const sbl_subject *subject, const sbl_round *round,
                            const sbl_ledger_entry *entry, sbl_error *err)
{
    trial *t = context;
    sbl_contributions records, features;
    (void)err;
    must(sbl_contributions_of_records(&records, &round->features, t->hostile, err), err);
    must(sbl_contributions_of_features(&features, &round->features.layout, err), err);
    t->rounds++;
    t->look(subject, round, entry, &records, &features, t);
    sbl_contributions_clear(&records);
    sbl_contributions_clear(&features);
    return SBL_OK;
}

/* All rounds of a method (NULL: of all) on one of the generated data sets. */
static size_t try_rounds(trial *t, size_t which, const char *method)
{
    sbl_audit_options options;
    sbl_audit_data data;
    sbl_hostile hostile;
    sbl_store *store;
    sbl_error err;
    sbl_audit_options_init(&options);
    options.method = method;
    options.epsilon = 4;
    options.delta = 1e-5;
    must(sbl_audit_data_generate(&data, which, &err), &err);
    data.attacked = data.attacked_pure = false;
    must(sbl_store_memory_new(&store, &err), &err);
    must(sbl_hostile_make(&hostile, &data.facts, &err), &err);
    t->hostile = &hostile;
    t->store = store;
    t->rounds = 0;
    must(sbl_subjects_of(&data, &options, store, try_round, t, &err), &err);
    sbl_hostile_clear(&hostile);
    sbl_store_memory_free(store);
    sbl_audit_data_clear(&data);
    return t->rounds;
}

/* Nothing exceeds the charge, and vectors by hand come near it: a smaller charge cannot pass. */
static void look_at_change(const sbl_subject *subject, const sbl_round *round, const sbl_ledger_entry *entry,
                           const sbl_contributions *records, const sbl_contributions *features,
                           const trial *t)
{
    const sbl_change by_records = sbl_change_largest(records, round->release, entry);
    const sbl_change by_features = sbl_change_largest(features, round->release, entry);
    (void)t;
    if (!by_records.within || !by_features.within || by_features.reach < 0.76)
        print_error("%s %s: %g %g\n", subject->data->name, subject->options.method, by_records.reach,
                    by_features.reach);
    assert_true(by_records.within && by_features.within);
    assert_true(by_features.reach > (subject->options.pure ? 0.76 : 0.99));
    /* The comparison is one of integers: one less than what was moved is exceeded. */
    sbl_ledger_entry less = *entry;
    less.joint = by_features.moved - 1;
    const sbl_change over = sbl_change_largest(features, round->release, &less);
    assert_false(over.within);
    assert_true(over.reach > 1.0);
    /* A charge that does not cover the sensitivity of its own line. */
    less = *entry;
    less.charge.mu2 -= entry->mechanism == SBL_DISCRETE_GAUSSIAN;
    less.charge.eps0 -= entry->mechanism == SBL_DISCRETE_LAPLACE;
    assert_false(sbl_change_largest(features, round->release, &less).within);
}

TEST(no_hostile_pair_exceeds_its_charge)
{
    trial t = {.look = look_at_change};
    assert_int_equal(try_rounds(&t, 0, "marginals"), 4);
    assert_int_equal(try_rounds(&t, 0, "merf"), 2);
    assert_int_equal(try_rounds(&t, 0, "ron-gauss"), 12); /* two rounds where it normalises */
    assert_int_equal(try_rounds(&t, 1, "ron-gauss"), 12);
    assert_true(try_rounds(&t, 2, NULL) > 10);
}

/* The sums are those of the records, and a record's own sum that is off by one is noticed. */
static void look_at_additivity(const sbl_subject *subject, const sbl_round *round,
                               const sbl_ledger_entry *entry, const sbl_contributions *records,
                               const sbl_contributions *features, const trial *t)
{
    const sbl_audit_data *data = subject->data;
    const sbl_records all = sbl_drawn_records(&data->columns, &data->facts, 0, data->rows);
    sbl_additivity result;
    sbl_error err;
    (void)entry;
    (void)features;
    if (subject->options.pure || subject->options.neighbours == SBL_ADD_REMOVE) return;
    must(sbl_additivity_check(&result, &round->features, &data->facts, &all, t->hostile, records, &err),
         &err);
    assert_int_equal(result.equal, result.sums);
    assert_true(result.sums >= 96);
    sbl_sum *swapped = records->sums[1];
    records->sums[1] = records->sums[2];
    records->sums[2] = swapped;
    must(sbl_additivity_check(&result, &round->features, &data->facts, &all, t->hostile, records, &err),
         &err);
    assert_true(result.equal < result.sums);
    records->sums[2] = records->sums[1];
    records->sums[1] = swapped;
}

TEST(sums_are_those_of_their_records)
{
    trial t = {.look = look_at_additivity};
    (void)try_rounds(&t, 1, "marginals");
    (void)try_rounds(&t, 1, "merf");
    (void)try_rounds(&t, 1, "ron-gauss");
    (void)try_rounds(&t, 4, "merf");
}

/* The attack finds what was charged, nearly, and no more; a charge of half the epsilon, and one for
 * a quarter of mu^2, which is what noise of half the scale amounts to, are exceeded. */
static void look_at_attack(const sbl_subject *subject, const sbl_round *round, const sbl_ledger_entry *entry,
                           const sbl_contributions *records, const sbl_contributions *features,
                           const trial *t)
{
    const sbl_change most = sbl_change_largest(records, round->release, entry);
    sbl_attack_result result;
    sbl_error err;
    sbl_ledger_entry less = *entry;
    (void)features;
    if (entry->neighbours == SBL_ADD_REMOVE) return;
    sbl_attack attack = {&round->plan,
                         .release = round->release,
                         .entry = entry,
                         .first = records->sums[most.first],
                         .second = records->sums[most.second],
                         .delta = subject->options.pure ? 0.0 : subject->options.delta,
                         .runs = RUNS,
                         .store = t->store};
    must(sbl_attack_run(&result, &attack, &err), &err);
    print_message("  %s: charged %.3f, found %.3f, counted %.3f\n", sbl_mechanism_name(entry->mechanism),
                  result.epsilon_charged, result.epsilon_found, result.epsilon_counted);
    assert_true(result.within && result.caught);
    assert_true(fabs(result.epsilon_charged - 4) < 1e-3 && result.epsilon_found > 2.3);
    less.charge.mu2 /= 4;
    less.charge.eps0 /= 2;
    attack.entry = &less;
    must(sbl_attack_run(&result, &attack, &err), &err);
    assert_false(result.within);
}

TEST(attack_finds_what_was_charged_and_catches_less)
{
    trial t = {.look = look_at_attack};
    assert_int_equal(try_rounds(&t, 2, "marginals"), 4);
}

/* ---- the whole ---- */

static int stop(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)what;
    (void)step;
    (void)steps;
    (void)loss;
    return ++*(int *)context > 3;
}

/* Are these words in a text that may fold its lines anywhere? */
static bool says(const char *text, const char *words)
{
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (words[i] != '\0' && (text[i] == '\n' ? ' ' : text[i]) == words[i]) i++;
        if (words[i] == '\0') return true;
    }
    return false;
}

TEST(whole_audit_writes_numbers_and_pages)
{
    sbl_audit_options options;
    sbl_error err;
    char *text = NULL;
    sbl_audit_verdict verdict = SBL_AUDIT_BROKEN;
    json_t *document = NULL;
    sbl_audit_options_init(&options);
    options.method = "marginals";
    options.one_relation = true;
    options.pure = true;
    options.runs = RUNS;
    options.json_path = in_folder(folder, "audit.json");
    options.report_path = in_folder(folder, "audit.md");
    must(sbl_audit_run(&verdict, &text, &options, &err), &err);
    assert_int_equal(verdict, SBL_AUDIT_HELD);
    assert_true(says(text, "a release that claimed epsilon 2 would have been caught"));
    assert_true(says(text, "nothing here is private"));
    assert_false(says(text, "NOT PRIVATE"));
    must(sbl_json_read(&document, options.json_path, 1 << 20, &err), &err);
    assert_string_equal(json_string_value(json_object_get(document, "verdict")), "held");
    assert_int_equal(json_array_size(json_object_get(document, "rounds")), 4);
    assert_int_equal(json_array_size(json_object_get(document, "attacks")), 1);
    json_decref(document);
    sbl_free(text);
    assert_int_equal(sbl_audit_run(&verdict, NULL, &options, &err), SBL_EIO); /* they are there */
    int calls = 0;
    options.overwrite = true;
    options.progress = stop;
    options.context = &calls;
    assert_int_equal(sbl_audit_run(&verdict, NULL, &options, &err), SBL_ESTOPPED);
}

/* Of laplace noise on a table of one column; quick. */
static void set_up_small(sbl_audit_options *options)
{
    sbl_audit_options_init(options);
    options->method = "marginals";
    options->one_relation = true;
    options->pure = true;
}

TEST(too_few_runs_lack_power_and_break_nothing)
{
    sbl_audit_options options;
    sbl_error err;
    sbl_audit_verdict verdict = SBL_AUDIT_BROKEN;
    char *text = NULL;
    set_up_small(&options);
    options.runs = 100;
    must(sbl_audit_run(&verdict, &text, &options, &err), &err);
    assert_int_equal(verdict, SBL_AUDIT_WEAK);
    assert_true(says(text, "NOTHING BROKE, BUT AN ATTACK LACKED POWER"));
    assert_true(says(text,
                     "table of one column, marginals, round 1, replace-one, "
                     "discrete-laplace: LACKED POWER"));
    assert_false(says(text, "A BOUND BROKE"));
    assert_false(says(text, "BROKEN"));
    sbl_free(text);
}

/* A document with numbers that no sound build gives. */
TEST(what_broke_is_told_apart_from_what_lacked_power)
{
    json_auto_t *document = NULL;
    sbl_error err;
    sbl_audit_options options;
    sbl_audit_verdict verdict;
    set_up_small(&options);
    options.runs = 100;
    options.json_path = in_folder(folder, "changed.json");
    must(sbl_audit_run(&verdict, NULL, &options, &err), &err);
    must(sbl_json_read(&document, options.json_path, 1 << 20, &err), &err);
    json_t *round = json_array_get(json_object_get(document, "rounds"), 1);
    json_t *attack = json_array_get(json_object_get(document, "attacks"), 0);
    json_object_set_new(document, "verdict", json_string("broken"));
    json_object_set_new(json_object_get(round, "features"), "within", json_false());
    json_object_set_new(json_object_get(round, "additivity"), "equal", json_integer(3));
    json_object_set_new(attack, "within", json_true());
    json_object_set_new(attack, "caught", json_false());
    char *text = sbl_audit_markdown(document);
    assert_true(says(text, "## A BOUND BROKE"));
    assert_true(says(text, "BROKEN, hostile features change the sums by more"));
    assert_true(says(text, "BROKEN, sums do not add up"));
    assert_false(says(text, "BROKEN, hostile records"));
    assert_false(says(text, "BROKEN, the attack"));
    assert_true(says(text, "LACKED POWER, no bound broke"));
    sbl_free(text);
    json_object_set_new(attack, "within", json_false());
    text = sbl_audit_text(document);
    assert_true(says(text, "BROKEN, the attack found more than was charged"));
    assert_false(says(text, "LACKED POWER"));
    sbl_free(text);
}

/* How many releases the attack wants to make; it is stopped before the first. */
static int count_runs(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)step;
    (void)loss;
    if (strcmp(what, "attacking") != 0) return 0;
    *(uint64_t *)context = steps / 2;
    return 1;
}

TEST(attacks_on_a_small_epsilon_make_more_runs_unless_their_number_is_given)
{
    static const struct {
        double epsilon;
        uint64_t given, least, most;
    } cases[] = {
        {4, 0, 10000, 10000}, {0.2, 0, 20000, 160000}, {0.001, 0, 160000, 160000}, {0.001, 200, 200, 200}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sbl_audit_options options;
        sbl_error err;
        sbl_audit_verdict verdict;
        uint64_t runs = 0;
        set_up_small(&options);
        options.epsilon = cases[i].epsilon;
        options.runs = cases[i].given;
        options.progress = count_runs;
        options.context = &runs;
        assert_int_equal(sbl_audit_run(&verdict, NULL, &options, &err), SBL_ESTOPPED);
        print_message("  epsilon %g: %llu runs\n", cases[i].epsilon, (unsigned long long)runs);
        assert_in_range(runs, cases[i].least, cases[i].most);
    }
}

TEST(bad_options_are_refused)
{
    sbl_audit_options options;
    sbl_error err;
    sbl_audit_verdict verdict;
    sbl_audit_options_init(&options);
    must(sbl_data_open(&options.data, "a.csv", NULL, &err), &err);
    assert_int_equal(sbl_audit_run(&verdict, NULL, &options, &err), SBL_EARG);
    sbl_data_free(options.data);
    sbl_audit_options_init(&options);
    options.runs = 5;
    assert_int_equal(sbl_audit_run(&verdict, NULL, &options, &err), SBL_EARG);
    sbl_audit_options_init(&options);
    options.delta = 0.5;
    assert_int_equal(sbl_audit_run(&verdict, NULL, &options, &err), SBL_EARG);
    sbl_audit_options_init(&options);
    options.method = "no such";
    assert_int_equal(sbl_audit_run(&verdict, NULL, &options, &err), SBL_EARG);
    sbl_audit_options_init(&options);
    options.struct_size = 1;
    assert_int_equal(sbl_audit_run(&verdict, NULL, &options, &err), SBL_EARG);
}

ALL_TESTS(make_folder, remove_folder)
