/* SPDX-License-Identifier: Apache-2.0 */
/* Persons and their histories in an evaluation: tables whose answers are known by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate_kit.h"
#include "owner/evaluate/pictures.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

#define FIELDS                                                                                     \
    "{\"fields\": [{\"name\": \"who\", \"type\": \"string\", \"semblance\": {\"role\": \"id\"}}, " \
    "{\"name\": \"sex\", \"type\": \"string\", \"constraints\": {\"enum\": [\"f\", \"m\"], "       \
    "\"required\": true}, \"semblance\": {\"per\": \"unit\"}}, "                                   \
    "{\"name\": \"day\", \"type\": \"integer\", \"constraints\": {\"minimum\": 0, "                \
    "\"maximum\": 99, \"required\": true}}, "                                                      \
    "{\"name\": \"ward\", \"type\": \"string\", \"constraints\": {\"enum\": [\"a\", \"b\"]}}, "    \
    "{\"name\": \"cost\", \"type\": \"number\", \"constraints\": {\"minimum\": 0, "                \
    "\"maximum\": 10}}], \"missingValues\": [\"\"], \"semblance\": {\"unit\": \"who\", "
#define ORDERED FIELDS "\"order\": \"day\", \"max_rows_per_unit\": 9}}"
#define UNORDERED FIELDS "\"max_rows_per_unit\": 9}}"
#define NAMES "who,sex,day,ward,cost\n"

/* Two persons of two events, two of one. */
static const char real[] = NAMES "p,f,1,a,1\np,f,2,b,2\nq,m,10,a,3\nq,m,13,b,\nr,f,5,a,4\ns,m,6,b,5\n";

static kit k;

AROUND(set_up)
{
    kit_make(&k);
    kit_replace(&k, ORDERED, real, real, NULL);
    k.request.train = NULL;
}

AROUND(tear_down) { kit_clear(&k); }

/* One number of the part, of this synthetic table against the real one. */
static double measure(const char *synthetic, const char *path)
{
    char whole[128];
    kit_replace(&k, NULL, NULL, synthetic, NULL);
    json_t *document = kit_evaluate(&k);
    (void)snprintf(whole, sizeof whole, "histories.%s", path);
    const double number = kit_number(document, whole);
    json_decref(document);
    return number;
}

static const char *const distances[] = {"events",        "events_person", "person_event", "previous_this",
                                        "previous_same", "gap",           "span"};

TEST(histories_of_a_table_against_itself_are_at_distance_zero)
{
    char path[64];
    json_auto_t *document = kit_evaluate(&k);
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        (void)snprintf(path, sizeof path, "histories.%s.synthetic", distances[i]);
        assert_true(kit_number(document, path) == 0.0);
    }
    assert_true(json_is_null(kit_find(document, "histories.gap_gap.synthetic"))); /* nobody has three */
    assert_true(kit_number(document, "histories.columns.0.distinct.synthetic") == 0.0);
    assert_true(kit_number(document, "histories.columns.1.total.synthetic") == 0.0);
    assert_true(kit_number(document, "histories.columns.1.mean.synthetic") == 0.0);
    assert_true(json_is_null(kit_find(document, "histories.columns.1.distinct.synthetic")));
    assert_true(kit_number(document, "histories.constant.synthetic") == 1.0);
    assert_true(kit_number(document, "histories.in_order.synthetic") == 1.0);
    assert_true(kit_number(document, "histories.persons.synthetic") == 4.0);
    assert_true(kit_number(document, "histories.events_per_person.real") == 1.5);
}

TEST(the_order_of_rows_says_nothing_but_whether_they_stand_in_order)
{
    static const char reversed[] =
        NAMES "s,m,6,b,5\nr,f,5,a,4\nq,m,13,b,\nq,m,10,a,3\np,f,2,b,2\np,f,1,a,1\n";
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "%s.synthetic", distances[i]);
        assert_true(measure(reversed, path) == 0.0);
    }
    assert_true(measure(reversed, "in_order.synthetic") == 0.5); /* who has one event is in order */
    assert_true(measure(reversed, "in_order.ceiling") == 1.0);
}

TEST(rows_dealt_out_anew_do_not_keep_a_person_constant)
{
    static const char dealt[] = NAMES "p,f,1,a,1\nq,f,2,b,2\np,m,10,a,3\nq,m,13,b,\nr,f,5,a,4\ns,m,6,b,5\n";
    assert_true(measure(dealt, "constant.synthetic") == 0.5);
    assert_true(measure(dealt, "events.synthetic") == 0.0);
}

TEST(numbers_of_events_are_compared_person_by_person)
{
    /* 3 of 4 persons have two events, not 2 of 4 */
    static const char more[] =
        NAMES "p,f,1,a,1\np,f,2,b,2\nq,m,10,a,3\nq,m,13,b,\nr,f,5,a,4\nr,f,5,a,4\ns,m,6,b,5\n";
    assert_true(measure(more, "events.synthetic") == 0.25);
    /* f: 2, 2; m: 2, 1, and not f: 2, 1; m: 2, 1 */
    assert_true(measure(more, "events_person.synthetic") == 0.25);
}

TEST(gaps_and_spans_are_those_of_the_order_column)
{
    /* gaps 3 and 3, not 1 and 3; spans 0, 0, 3, 3, not 0, 0, 1, 3 */
    static const char longer[] = NAMES "p,f,1,a,1\np,f,4,b,2\nq,m,10,a,3\nq,m,13,b,\nr,f,5,a,4\ns,m,6,b,5\n";
    assert_true(measure(longer, "gap.synthetic") == 0.5);
    assert_true(measure(longer, "span.synthetic") == 0.25);
}

TEST(an_event_is_compared_with_the_one_before_it)
{
    /* b then a, not a then b: the wards of all rows are the same */
    static const char turned[] = NAMES "p,f,1,b,1\np,f,2,a,2\nq,m,10,b,3\nq,m,13,a,\nr,f,5,a,4\ns,m,6,b,5\n";
    kit_replace(&k, NULL, NULL, turned, NULL);
    json_auto_t *document = kit_evaluate(&k);
    /* ward by ward 1, cost by cost 0; the other two pairs 1 */
    assert_true(kit_number(document, "histories.previous_same.synthetic") == 0.5);
    assert_true(kit_number(document, "histories.previous_this.synthetic") == 0.75);
    assert_true(kit_number(document, "histories.person_event.synthetic") == 0.0);
    assert_true(kit_number(document, "columns.2.tvd.synthetic") == 0.0);
}

TEST(sums_means_and_different_values_are_of_persons)
{
    /* p has a twice: 1 value where it had 2; sums 3, 3, 4, 5 as before but for s: 9 */
    static const char other[] = NAMES "p,f,1,a,1\np,f,2,a,2\nq,m,10,a,3\nq,m,13,b,\nr,f,5,a,4\ns,m,6,b,9\n";
    assert_true(measure(other, "columns.0.distinct.synthetic") == 0.25);
    assert_true(measure(other, "columns.1.total.synthetic") == 0.25);
    assert_true(measure(other, "columns.1.mean.synthetic") == 0.25);
}

TEST(gap_by_gap_needs_three_events)
{
    static const char three[] = NAMES "p,f,1,a,1\np,f,2,a,1\np,f,9,a,1\nq,f,1,a,1\nq,f,8,a,1\nq,f,9,a,1\n";
    static const char two_short[] =
        NAMES "p,f,1,a,1\np,f,2,a,1\np,f,3,a,1\nq,f,1,a,1\nq,f,8,a,1\nq,f,15,a,1\n";
    kit_replace(&k, NULL, three, NULL, NULL);
    assert_true(measure(three, "gap_gap.synthetic") == 0.0);
    assert_true(measure(two_short, "gap.synthetic") == 0.0); /* gaps 1, 7 and 7, 1 became 1, 1 and 7, 7 */
    assert_true(measure(two_short, "gap_gap.synthetic") == 1.0);
}

TEST(without_an_order_column_events_stand_as_rows_do)
{
    kit_replace(&k, UNORDERED, real, real, NULL);
    json_t *document = kit_evaluate(&k);
    assert_true(json_is_null(kit_find(document, "histories.order")));
    assert_true(json_is_null(kit_find(document, "histories.gap.synthetic")));
    assert_true(json_is_null(kit_find(document, "histories.in_order.synthetic")));
    assert_true(kit_number(document, "histories.previous_same.synthetic") == 0.0);
    json_decref(document);
    static const char turned[] = NAMES "p,f,2,b,2\np,f,1,a,1\nq,m,13,b,\nq,m,10,a,3\nr,f,5,a,4\ns,m,6,b,5\n";
    assert_true(measure(turned, "previous_same.synthetic") > 0.0);
}

TEST(a_table_that_does_not_say_whose_its_rows_are_is_not_compared_by_persons)
{
    kit_replace(&k, NULL, NULL, "sex,day,ward,cost\nf,1,a,1\nm,2,b,2\n", NULL);
    json_auto_t *document = kit_evaluate(&k);
    FREED(free) char *text = sbl_evaluation_text(document);
    assert_true(json_is_string(kit_find(document, "histories.why")));
    assert_null(kit_find(document, "histories.events"));
    assert_non_null(strstr(text, "Persons by who: not compared, since a table does not say"));
}

/* Persons who are each of one ward, in every second row: halves by rows would have all in both. */
TEST(halves_and_floor_are_of_whole_persons)
{
    FREED(free) char *text = calloc(1, 40000);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, NAMES);
    for (int i = 0; i < 800; i++)
        used += (size_t)sprintf(text + used, "p%d,%c,%d,%c,1\n", i % 100, i % 2 ? 'f' : 'm', i / 100,
                                i % 2 ? 'a' : 'b');
    kit_replace(&k, NULL, text, text, NULL);
    json_auto_t *document = kit_evaluate(&k);
    /* everybody has 8 events, in both halves and in the floor */
    assert_true(kit_number(document, "histories.events.ceiling") == 0.0);
    assert_true(kit_number(document, "histories.events.floor") == 0.0);
    assert_true(kit_number(document, "histories.gap.ceiling") == 0.0);
    assert_true(kit_number(document, "histories.gap.floor") > 0.1);
    assert_true(kit_number(document, "histories.constant.floor") < 0.2);
    assert_true(kit_number(document, "histories.constant.ceiling") == 1.0);
}

TEST(the_text_names_every_number_after_the_warning)
{
    json_auto_t *document = kit_evaluate(&k);
    FREED(free) char *text = sbl_evaluation_text(document);
    static const char *const lines[] = {"NOT PRIVATE",
                                        "Persons by who; events in the order of day",
                                        "4 persons, 1.50 events each",
                                        "number of events, TVD",
                                        "previous x this event, TVD",
                                        "gaps between events, KS",
                                        "different values of ward",
                                        "sum of cost",
                                        "their columns are the same in all rows   1.0000"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (strstr(text, lines[i]) == NULL) fail_msg("no '%s' in %s", lines[i], text);
    assert_true(strncmp(text, "NOT PRIVATE", 11) == 0);
}

TEST(some_synthetic_persons_are_told_for_pictures)
{
    json_auto_t *pictures;
    json_auto_t *document = kit_evaluate(&k);
    const json_t *people = kit_find(document, "histories.people");
    assert_int_equal(json_array_size(json_object_get(people, "persons")), 2); /* of two events */
    assert_string_equal(json_string_value(kit_find(people, "persons.0.cells.0")), "f");
    assert_string_equal(json_string_value(kit_find(people, "persons.1.shown.1.at")), "13");
    assert_string_equal(json_string_value(kit_find(people, "persons.1.shown.1.cells.1")), "(missing)");
    assert_string_equal(json_string_value(kit_find(people, "to")), "99");
    assert_ok(sbl_table_pictures(&pictures, k.request.synthetic, k.schema, &k.err));
    assert_true(json_equal(json_object_get(pictures, "people"), people)); /* of that table alone */
}

TEST(without_memory_nothing_is_said)
{
    long n = 0;
    while (sbl_test_fail_next(&n)) {
        json_auto_t *document;
        sbl_test_no_memory(sbl_evaluate_study(&document, &k.request, &k.err));
    }
    assert_true(n > 100);
}

EACH_TEST(set_up, tear_down)
