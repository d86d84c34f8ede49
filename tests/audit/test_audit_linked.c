/* SPDX-License-Identifier: Apache-2.0 */
/* The audit of linked tables: exact sums of neighbouring packages against what the ledger was charged for. */
#include <string.h>

#include "owner/audit/audit_records.h"
#include "owner/audit/change.h"
#include "owner/audit/linked_change.h"
#include "owner/audit/linked_neighbours.h"
#include "owner/audit/targets.h"
#include "run/pipeline/gather.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "support/sanitized.h"

static void must(sbl_status status, const sbl_error *err)
{
    if (status != SBL_OK) print_error("%s\n", err->message);
    assert_ok(status);
}

/* Every round of `histories` under both relations; under a sanitizer under replace-one. */
static size_t each_round(sbl_subject_visit visit)
{
    sbl_store *store;
    sbl_audit_options options;
    sbl_audit_data data;
    size_t rounds = 0;
    sbl_error err = {0};
    sbl_audit_options_init(&options);
    options.epsilon = 4.0;
    options.delta = 1e-5;
    options.one_relation = sanitized; /* the pairs of the other are records of the same kind */
    must(sbl_store_memory_new(&store, &err), &err);
    must(sbl_audit_data_link(&data, &err), &err);
    must(sbl_subjects_of(&data, &options, store, visit, &rounds, &err), &err);
    sbl_audit_data_clear(&data);
    sbl_store_memory_free(store);
    return rounds;
}

/* No pair moves more than was charged, the worst nearly all of it, and sums add up. */
static sbl_status look_at_pairs(void *context, const sbl_subject *subject, const sbl_round *round,
                                const sbl_ledger_entry *entry, sbl_error *err)
{
    const bool replace = entry->neighbours == SBL_REPLACE_ONE;
    sbl_linked_change found;
    assert_string_equal(subject->options.method, "histories");
    must(sbl_linked_change_find(&found, round, &subject->data->facts, entry, err), err);
    if (!found.change.within)
        print_error("round %zu, %s: d^2 is %.2f of the charge\n", (size_t)round->plan.round,
                    replace ? "replace-one" : "add-remove",
                    (double)found.change.moved / (double)entry->joint);
    assert_true(found.change.within);
    assert_true(found.change.reach > 0.96);
    assert_true(found.change.pairs >= 140);
    assert_int_equal(found.additivity.sums, (replace ? 2 : 1) * found.change.pairs);
    assert_int_equal(found.additivity.equal, found.additivity.sums);
    ++*(size_t *)context;
    return SBL_OK;
}

TEST(hostile_packages_keep_to_what_was_charged)
{
    assert_int_equal(each_round(look_at_pairs), sanitized ? 2 : 4);
}

/* ---- a key that orphans name ---- */

static void add(sbl_package_rows *rows, sbl_package_table table, unsigned in, sbl_package_cells cells,
                const char *key, const char *named, size_t times)
{
    sbl_package_row row = {.table = table, .in = in, .cells = cells, .place = (double)rows->count};
    (void)strcpy(row.key, key);
    (void)strcpy(row.named, named);
    for (; times > 0; times--) sbl_package_rows_add(rows, &row);
}

/* Rows 7 of no person, in both packages; person 1 in one; person 7 in the other, with as many rows of its own as
 * count, so that those that it adopts do not enter. */
static sbl_package_rows adoption(bool replace)
{
    const unsigned both = SBL_PAIR_FIRST | SBL_PAIR_SECOND;
    sbl_package_rows rows = {0};
    if (replace) {
        add(&rows, SBL_PACKAGE_PERSONS, SBL_PAIR_FIRST, SBL_CELLS_LOW, "1", "", 1);
        add(&rows, SBL_PACKAGE_VISITS, SBL_PAIR_FIRST, SBL_CELLS_LOW, "a", "1", 1);
        add(&rows, SBL_PACKAGE_DRUGS, SBL_PAIR_FIRST, SBL_CELLS_LOW, "", "a", 1);
        add(&rows, SBL_PACKAGE_CARDS, SBL_PAIR_FIRST, SBL_CELLS_LOW, "", "1", 1);
    }
    add(&rows, SBL_PACKAGE_PERSONS, SBL_PAIR_SECOND, SBL_CELLS_HIGH, "7", "", 1);
    add(&rows, SBL_PACKAGE_VISITS, SBL_PAIR_SECOND, SBL_CELLS_HIGH, "b", "7", 8);
    add(&rows, SBL_PACKAGE_DRUGS, SBL_PAIR_SECOND, SBL_CELLS_HIGH, "", "b", 12);
    add(&rows, SBL_PACKAGE_CARDS, SBL_PAIR_SECOND, SBL_CELLS_HIGH, "", "7", 1000);
    add(&rows, SBL_PACKAGE_VISITS, both, SBL_CELLS_MIDDLE, "c", "7", 2);
    add(&rows, SBL_PACKAGE_DRUGS, both, SBL_CELLS_MIDDLE, "", "c", 2);
    add(&rows, SBL_PACKAGE_CARDS, both, SBL_CELLS_MIDDLE, "", "7", 2);
    return rows;
}

static sbl_sum *sum_of(const sbl_package_rows *rows, unsigned in, const sbl_round *round,
                       const sbl_facts *facts)
{
    const sbl_synth_options options = {.struct_size = sizeof options, .threads = 1};
    sbl_package *package;
    sbl_source *source;
    sbl_sum *sum;
    sbl_error err = {0};
    must(sbl_package_write(&package, rows, in, false, &err), &err);
    must(sbl_package_open(&source, package, facts, &err), &err);
    must(sbl_gather(&sum, source, &round->features, "nothing", &options, &err), &err);
    sbl_source_close(source);
    sbl_package_free(package);
    return sum;
}

static sbl_status look_at_adoption(void *context, const sbl_subject *subject, const sbl_round *round,
                                   const sbl_ledger_entry *entry, sbl_error *err)
{
    const bool replace = entry->neighbours == SBL_REPLACE_ONE;
    sbl_package_rows rows = adoption(replace);
    sbl_sum *first = sum_of(&rows, SBL_PAIR_FIRST, round, &subject->data->facts);
    sbl_sum *second = sum_of(&rows, SBL_PAIR_SECOND, round, &subject->data->facts);
    const sbl_u128 moved = sbl_change_between(first, second, round->release);
    (void)err;
    print_message("round %zu, %s: d^2 is %.3f of the charge\n", (size_t)round->plan.round,
                  replace ? "replace-one" : "add-remove", (double)moved / (double)entry->joint);
    assert_int_equal(sbl_sum_rows(first), replace ? 1 : 0);
    assert_int_equal(sbl_sum_rows(second), 1);
    assert_true(moved <= entry->joint);
    sbl_sum_free(first);
    sbl_sum_free(second);
    sbl_package_rows_clear(&rows);
    ++*(size_t *)context;
    return SBL_OK;
}

TEST(a_person_who_takes_the_key_of_orphans_changes_one_record)
{
    assert_int_equal(each_round(look_at_adoption), sanitized ? 2 : 4);
}

EACH_TEST(make_folder, remove_folder)
