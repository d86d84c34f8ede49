/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates of a run of two releases: both are listed, in order, and each is recomputed. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "certificate/certificate_kit.h"
#include "support/cmocka_all.h"

static json_t *member(const json_t *root, const char *object, const char *name)
{
    return json_object_get(json_object_get(root, object), name);
}

TEST(both_releases_of_a_run_are_listed_in_order)
{
    for (size_t i = KIT_TWO_RELEASES; i < KIT_PERSONS; i++) {
        CLEARED(kit_clear) certified c;
        kit_certify(&c, &kit_cases[i]);
        json_auto_t *root = json_loads(c.text, 0, NULL);
        const json_t *list = json_object_get(root, "mechanisms");
        assert_int_equal(json_array_size(list), 2);
        for (size_t r = 0; r < 2; r++) {
            char hash[SBL_SHA256_TEXT_SIZE];
            const json_t *one = json_array_get(list, r);
            const uint64_t seq = c.releases[r].seq;
            const sbl_ledger_line *reserve = &c.ledger.lines[seq - 1];
            sbl_hex_encode(hash, c.ledger.lines[seq].release_hash, SBL_SHA256_SIZE);
            assert_int_equal(json_integer_value(json_object_get(one, "seq")), seq);
            assert_string_equal(json_string_value(json_object_get(one, "rid")), reserve->rid);
            assert_string_equal(json_string_value(json_object_get(one, "out")), hash);
            assert_string_equal(json_string_value(json_object_get(one, "name")),
                                r == 0 ? "test.first" : "test.embed+counts");
            assert_int_equal(json_array_size(json_object_get(one, "blocks")), r == 0 ? 2 : 3);
        }
        assert_string_equal(json_string_value(member(root, "others", "releases")),
                            kit_cases[i].run_only ? "0" : "1");
    }
}

/* By hand, in 64ths: 4 of the first, 3 + 5 + 2 of the second, 8 of the other run. */
TEST(pure_costs_of_all_releases_add_up)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[KIT_TWO_RELEASES + 1]);
    json_auto_t *root = json_loads(c.text, 0, NULL);
    const double epsilon = json_real_value(member(root, "guarantee", "epsilon"));
    assert_true(epsilon >= 0.34375 && epsilon < 0.34375 * (1 + 1e-9));
}

TEST(tampering_with_the_first_of_two_is_found)
{
    for (size_t i = KIT_TWO_RELEASES; i < KIT_PERSONS; i++) {
        CLEARED(kit_clear) certified c;
        kit_certify(&c, &kit_cases[i]);
        const bool pure = kit_cases[i].mechanism == SBL_DISCRETE_LAPLACE;
        const bool alone = kit_cases[i].run_only; /* nothing else could have cost the rest */
        const char *bound = pure ? "mechanisms.0.blocks.0.bound1" : "mechanisms.0.blocks.0.bound2";
        /* Cheaper than it was, dearer than it was. */
        kit_expect_bad_change(&c, bound, json_string("1"),
                              alone ? "'totals' is more" : "'guarantee.epsilon_of_this_run'");
        kit_expect_bad_change(&c, bound, json_string(pure ? "4915200" : "26843545600"), "'totals' is less");
        kit_expect_bad_change(&c, "mechanisms.0.blocks.0.multiplier", json_string("5"),
                              alone ? "'totals' is more" : "'guarantee.epsilon_of_this_run'");
        kit_expect_bad_change(&c, "mechanisms.0.joint", json_string("12"), "'mechanisms[0].joint'");
        kit_expect_bad_change(&c, "mechanisms.0.rid", json_string("00000000000000000000000000000000"),
                              "statement");
        kit_expect_bad_change(&c, "mechanisms.0.out", json_string(c.text), "'out'");
        kit_expect_bad_change(&c, "mechanisms.0.seq", json_integer(2), "statement");
    }
}

TEST(swapped_repeated_missing_and_further_releases_are_found)
{
    for (size_t i = KIT_TWO_RELEASES; i < KIT_PERSONS; i++) {
        CLEARED(kit_clear) certified c;
        kit_certify(&c, &kit_cases[i]);
        json_auto_t *root = json_loads(c.text, 0, NULL);
        json_t *list = json_object_get(root, "mechanisms");
        json_t *one = json_array_get(list, 0), *two = json_array_get(list, 1);
        kit_expect_bad_change(&c, "mechanisms", json_pack("[O, O]", two, one), "field 'seq'");
        kit_expect_bad_change(&c, "mechanisms", json_pack("[O, O]", one, one), "field 'seq'");
        const char *alone = kit_cases[i].run_only ? "field 'scope'" : "field 'guarantee.epsilon_of_this_run'";
        kit_expect_bad_change(&c, "mechanisms.0", NULL, alone);
        kit_expect_bad_change(&c, "mechanisms.1", NULL, alone);
        kit_expect_bad_change(&c, "mechanisms.2", json_incref(two), "field 'seq'");
        kit_expect_bad_change(&c, "mechanisms", json_array(), "field 'mechanisms' must hold");
    }
}

/* A ledger that was made for one run has nothing else in it, and the certificate lists it all. */
TEST(certificate_of_a_run_lists_every_release_of_its_ledger)
{
    CLEARED(kit_clear) certified c;
    kit_prepare(&c, &kit_cases[KIT_TWO_RELEASES]);
    c.facts.releases = c.releases + 1;
    c.facts.release_count = 1;
    kit_expect_not_written(&c, "field 'scope'");
    c.facts.ledger_covers_run_only = false; /* then the first is one of the others */
    assert_ok(sbl_certificate_write(&c.text, &c.facts, NULL));
    kit_expect_good(c.text, &c.ledger);
}

TEST(composed_total_is_what_the_listed_releases_cost)
{
    CLEARED(kit_clear) certified c;
    kit_prepare(&c, &kit_cases[KIT_TWO_RELEASES]);
    sbl_totals *totals = &c.ledger.lines[3].totals;
    const sbl_totals kept = *totals;
    totals->charge.mu2++;
    kit_expect_not_written(&c, "field 'totals' is more than");
    *totals = kept;
    totals->charge.mu2--;
    kit_expect_not_written(&c, "field 'totals' is less than");
    *totals = kept;
    totals->releases--;
    kit_expect_not_written(&c, "field 'totals' is less than");
    *totals = kept;
}

TEST(two_releases_of_one_run_are_of_the_same_rows)
{
    CLEARED(kit_clear) certified c;
    kit_prepare(&c, &kit_cases[KIT_TWO_RELEASES]);
    c.ledger.lines[0].entry.n++;
    kit_expect_not_written(&c, "field 'n'");
}

TEST(first_release_that_the_ledger_has_not_is_found)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[KIT_TWO_RELEASES]);
    const sbl_ledger_line reserve = c.ledger.lines[0];
    const sbl_ledger_line commit = c.ledger.lines[1];
    c.ledger.lines[1].op = SBL_LEDGER_VOID;
    kit_expect_bad(c.text, &c.ledger, "field 'seq'");
    c.ledger.lines[1] = commit;
    c.ledger.lines[1].release_hash[0]++;
    kit_expect_bad(c.text, &c.ledger, "is not what the ledger says");
    c.ledger.lines[1] = commit;
    c.ledger.lines[0].entry.joint++;
    kit_expect_bad(c.text, &c.ledger, "field 'joint' is not what the ledger says");
    c.ledger.lines[0] = reserve;
    (void)snprintf(c.ledger.lines[0].entry.name, SBL_LEDGER_NAME_SIZE, "other");
    kit_expect_bad(c.text, &c.ledger, "is not what the ledger says");
}

TEST(certificate_of_none_is_not_written)
{
    CLEARED(kit_clear) certified c;
    char *text = (char *)1;
    kit_prepare(&c, &kit_cases[KIT_TWO_RELEASES]);
    c.facts.release_count = 0;
    assert_int_equal(sbl_certificate_write(&text, &c.facts, NULL), SBL_EARG);
    assert_null(text);
}
