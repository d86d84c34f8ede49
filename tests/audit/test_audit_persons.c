/* SPDX-License-Identifier: Apache-2.0 */
/* The audit of whole persons: hostile ones of 1 to 1000 rows, each of whom adds its own sums to any table,
 * and no more than the bounds, whatever its rows hold. */

#include "base/int128.h"
#include "owner/audit/additivity.h"
#include "owner/audit/audit_records.h"
#include "owner/audit/change.h"
#include "owner/audit/targets.h"
#include "pipeline/visits.h"
#include "public/plan/plan.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

static void must(sbl_status status, const sbl_error *err)
{
    if (status != SBL_OK) print_error("%s\n", err->message);
    assert_ok(status);
}

typedef struct audited {
    sbl_audit_data data;
    sbl_hostile hostile;
    sbl_plan plan;
    sbl_features features;
    sbl_contributions persons;
} audited;

static void begin(audited *a, size_t which)
{
    const sbl_feature *const more[] = {&feature_visits, NULL};
    sbl_error err = {0};
    *a = (audited){0};
    must(sbl_audit_data_generate(&a->data, which, &err), &err);
    must(sbl_hostile_make(&a->hostile, &a->data.facts, &err), &err);
    must(sbl_plan_init(&a->plan, "test", &err), &err);
    must(sbl_plan_add(&a->plan, "visits", json_object(), 1.0, &err), &err);
    must(sbl_plan_add(&a->plan, "health", json_pack("{s:b}", "total", 1), 1.0, &err), &err);
    must(sbl_plan_finish(&a->plan, &a->data.facts, &err), &err);
    must(sbl_features_make(&a->features, &a->plan, &a->data.facts, more, &err), &err);
    must(sbl_contributions_of_records(&a->persons, &a->features, &a->hostile, &err), &err);
}

static void end(audited *a)
{
    sbl_contributions_clear(&a->persons);
    sbl_features_clear(&a->features);
    sbl_plan_clear(&a->plan);
    sbl_hostile_clear(&a->hostile);
    sbl_audit_data_clear(&a->data);
}

enum { PERSONS = 5, HISTORIES = 6 }; /* of the data sets */

TEST(hostile_persons_have_one_to_a_thousand_rows)
{
    CLEARED(end) audited a;
    size_t rows = 0, long_ones = 0, mixed = 0;
    begin(&a, HISTORIES);
    assert_true(a.features.whole_units);
    for (size_t p = 0; p < a.hostile.rows; p++) {
        const size_t times = sbl_hostile_times(&a.features, p);
        rows += times == 1;
        long_ones += times == 1000;
        mixed += sbl_hostile_turn(&a.hostile, &a.features, p, times - 1) != p;
        assert_int_equal(sbl_sum_rows(a.persons.sums[p]), 1); /* a record of its own */
    }
    assert_true(rows > 5 && long_ones > 10 && mixed > 10);
}

TEST(a_hostile_person_keeps_to_the_bounds)
{
    CLEARED(end) audited a;
    begin(&a, HISTORIES);
    for (size_t p = 0; p < a.persons.count; p++)
        for (size_t b = 0; b < a.features.layout.block_count; b++) {
            const sbl_block *block = &a.features.layout.blocks[b];
            const int64_t *values = sbl_sum_values(a.persons.sums[p], b);
            sbl_u128 squares = 0, sum = 0;
            for (size_t i = 0; i < block->width; i++) {
                assert_true(values[i] >= 0);
                squares += (sbl_u128)((sbl_i128)values[i] * values[i]);
                sum += (uint64_t)values[i];
            }
            assert_true(squares <= block->bound2);
            assert_true(block->bound1 == 0 || sum <= block->bound1);
        }
}

/* With and without the person, at any place among the others, its last row behind them all, for any batch
 * and number of threads, from what can be read again and from what cannot. */
TEST(a_hostile_person_moves_nobody_else)
{
    for (size_t which = PERSONS; which <= HISTORIES; which++) {
        CLEARED(end) audited a;
        sbl_additivity found;
        sbl_error err = {0};
        begin(&a, which);
        const sbl_records all = sbl_drawn_records(&a.data.columns, &a.data.facts, 0, a.data.rows);
        must(sbl_additivity_check(&found, &a.features, &a.data.facts, &all, &a.hostile, &a.persons, &err),
             &err);
        assert_int_equal(found.sums, 96);
        assert_int_equal(found.equal, found.sums);
    }
}

/* ---- the method `histories`, round after round ---- */

typedef struct seen {
    const sbl_hostile *hostile;
    size_t rounds;
} seen;

/* No pair of hostile persons moves more than was charged, the worst nearly all of it, and sums add up. */
static sbl_status look(void *context, const sbl_subject *subject, const sbl_round *round,
                       const sbl_ledger_entry *entry, sbl_error *err)
{
    seen *s = context;
    const sbl_audit_data *data = subject->data;
    const sbl_records all = sbl_drawn_records(&data->columns, &data->facts, 0, data->rows);
    sbl_contributions persons;
    sbl_additivity found;
    must(sbl_contributions_of_records(&persons, &round->features, s->hostile, err), err);
    const sbl_change change = sbl_change_largest(&persons, round->release, entry);
    assert_true(change.within);
    assert_true(change.reach > 0.96);
    must(sbl_additivity_check(&found, &round->features, &data->facts, &all, s->hostile, &persons, err), err);
    assert_int_equal(found.equal, found.sums);
    assert_int_equal(round->release->rows_per_unit, 1);
    sbl_contributions_clear(&persons);
    s->rounds++;
    return SBL_OK;
}

TEST(histories_keep_to_what_was_charged)
{
    sbl_store *store;
    sbl_audit_options options;
    sbl_error err = {0};
    sbl_audit_options_init(&options);
    options.method = "histories";
    options.epsilon = 4.0;
    options.delta = 1e-5;
    must(sbl_store_memory_new(&store, &err), &err);
    for (size_t which = 0; which <= HISTORIES; which++) {
        CLEARED(sbl_audit_data_clear) sbl_audit_data data;
        CLEARED(sbl_hostile_clear) sbl_hostile hostile;
        must(sbl_audit_data_generate(&data, which, &err), &err);
        must(sbl_hostile_make(&hostile, &data.facts, &err), &err);
        seen s = {.hostile = &hostile};
        must(sbl_subjects_of(&data, &options, store, look, &s, &err), &err);
        /* Two rounds and both relations, where the schema names a unit. */
        assert_int_equal(s.rounds, which < PERSONS ? 0 : 4);
    }
    sbl_store_memory_free(store);
}

EACH_TEST(make_folder, remove_folder)
