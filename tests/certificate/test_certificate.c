/* SPDX-License-Identifier: Apache-2.0 */
/* Writing certificates and checking them, alone and against their ledger. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "certificate/certificate_kit.h"
#include "ledger/ledger_kit.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

FREES(sbl_free);

TEST(short_statement_is_of_a_certificate_that_holds_together)
{
    CLEARED(kit_clear) certified c;
    char *brief = NULL, *statement = NULL;
    kit_certify(&c, &kit_cases[1]);
    assert_ok(sbl_certificate_check(&statement, c.text, strlen(c.text), &c.ledger, "c.json", NULL));
    assert_ok(sbl_certificate_shorten(&brief, c.text, strlen(c.text), "c.json", NULL));
    assert_true(strlen(brief) > 0 && strlen(brief) < strlen(statement));
    sbl_free(statement);
    sbl_free(brief);
    FREED(free) char *text = kit_change(c.text, "ledger.seq", json_integer(1));
    assert_int_equal(sbl_certificate_shorten(&brief, text, strlen(text), "c.json", NULL), SBL_EINPUT);
    assert_null(brief);
}

TEST(every_case_verifies_with_and_without_its_ledger)
{
    for (size_t i = 0; i < kit_case_count; i++) {
        CLEARED(kit_clear) certified c;
        kit_certify(&c, &kit_cases[i]);
        kit_expect_good(c.text, NULL);
        kit_expect_good(c.text, &c.ledger);
        assert_int_equal(sbl_certificate_check(NULL, c.text, strlen(c.text), &c.ledger, "c.json", NULL),
                         SBL_OK);
    }
}

TEST(same_facts_give_the_same_bytes)
{
    CLEARED(kit_clear) certified c;
    FREED(sbl_free) char *again = NULL;
    kit_certify(&c, &kit_cases[1]);
    assert_int_equal(sbl_certificate_write(&again, &c.facts, NULL), SBL_OK);
    assert_string_equal(c.text, again);
    assert_null(strstr(c.text, c.folder)); /* no path; the time is that of the ledger's line */
}

/* Sums that stood in files are not called erased, and a certificate that calls them so is none. */
TEST(partial_sums_of_parts_are_not_erased)
{
    static const char *const assumed[][2] = {{"kernel width", SBL_ROWS_ARE_IN_PARTS},
                                             {"kernel width", SBL_IMAGES_ARE_IN_PARTS},
                                             {"kernel width", "parts"}};
    for (size_t i = 0; i < 3; i++) {
        CLEARED(kit_clear) certified c;
        FREED(free) char *text = NULL;
        kit_prepare(&c, &kit_cases[1]);
        c.facts.also_public = assumed[i];
        assert_int_equal(sbl_certificate_write(&c.text, &c.facts, NULL), SBL_OK);
        kit_expect_good(c.text, &c.ledger);
        assert_int_equal(strstr(c.text, "partial sums (erased)") != NULL, i == 2);
        assert_int_equal(strstr(c.text, "partial sums (not erased by this program") != NULL, i < 2);
        text = kit_change(c.text, "assumes_secret",
                          json_pack("[s, s, s]", "noise key (not stored)",
                                    i < 2 ? "partial sums (erased)" : "partial sums", "raw data"));
        assert_int_equal(sbl_certificate_check(NULL, text, strlen(text), NULL, "c.json", NULL), SBL_EINPUT);
    }
}

TEST(certificate_grows_old_with_its_ledger)
{
    CLEARED(kit_clear) certified c;
    const sbl_ledger_entry more = kit_gaussian(8);
    kit_certify(&c, &kit_cases[1]);
    kit_release(c.path, &more);
    sbl_ledger_view_clear(&c.ledger);
    assert_int_equal(sbl_ledger_read(&c.ledger, sbl_file_item(c.path), NULL), SBL_OK);
    kit_expect_good(c.text, &c.ledger);
}

/* The statement is the one that the numbers give, in words. */
TEST(statement_says_what_is_guaranteed)
{
    static const char *const expected[][3] = {
        {"GUARANTEE: (eps=1.40268, delta=1e-05)-differential privacy, and mu=0.3644344935 Gaussian "
         "DP,\n  for one row under replace-one neighbours (n=1000 is public),\n",
         "over ALL releases (1) recorded in ledger ", "which was made for this run only: "},
        {"and mu=0.3852758752 Gaussian DP,", "over ALL releases (2)", "kernel width, number of bins (64).\n"},
        {" composed with eps=0.125 pure DP,", "under add-remove neighbours (n is private),",
         "categories, label set, hyper-parameters, public seed.\n"},
        {"(eps=0.4375, delta=0)-differential privacy", ", and eps=0.4375 pure DP,",
         "discrete-laplace noise on embed"},
        {"GUARANTEE: (eps=", "under add-remove", "RELEASED: test.embed+counts (rid "},
        {"GUARANTEE: NONE: NOT PRIVATE, made by a build for tests or benches", "accounted for one row",
         "One row is protected, not one person"},
        {"GUARANTEE: NONE: the budget's epsilon is infinite.", "budget eps=inf", "NOT COVERED: "},
        {"mean (2 x 5, times 549755813888), moments.squares of mean (2 x 4, times 25165824),",
         "moments.products of mean (2 x 6, times 33554432),", "counts (1 x 2, times 9007199254740992);\n"},
        {" noise on moments.squares of mean (2 x 4, times ", "n is private", "NOT COVERED: "},
        {"discrete-laplace noise on mean (2 x 5", "delta=0)", "NOT COVERED: "},
        {"over ALL releases (2) recorded in ledger ", "which was made for this run only: ",
         ") at line 1, discrete-gaussian noise on mean (2 x 5), counts (1 x 2);\n"},
        {"(eps=0.34375, delta=0)-differential privacy", "over ALL releases (3)",
         ") at line 5, discrete-laplace noise on embed (2 x 10), "},
        {"for one person under replace-one neighbours (n is private)",
         "A person is all rows that share an id", " persons (1 x 3, times 35184372088832)"},
        {"(eps=0.541891, delta=1e-05)-differential privacy", "keys",
         "ASSUMES PUBLIC: hyper-parameters, public seed, n.\n"},
        {"for one person under replace-one neighbours (n is private)", "A person's rows enter together",
         "does not grow with that number.\n"},
        {"for one row in the data of each of 3 periods,\n  over ALL releases (4) of their ledgers.\n",
         "EARLIER PERIODS: 2, the last in ledger ", "2 releases, 1 of them Gaussian, 20 draws, "},
        {"ALL PERIODS: NONE: no epsilon holds",
         "GUARANTEE: NONE: ", "EARLIER PERIODS: 2, the last in ledger "},
    };
    for (size_t i = 0; i < kit_case_count; i++) {
        CLEARED(kit_clear) certified c;
        FREED(sbl_free) char *statement = NULL;
        kit_certify(&c, &kit_cases[i]);
        assert_int_equal(sbl_certificate_check(&statement, c.text, strlen(c.text), NULL, "", NULL), SBL_OK);
        for (size_t j = 0; j < 3; j++)
            if (strstr(statement, expected[i][j]) == NULL)
                fail_msg("%s\nlacks '%s'", statement, expected[i][j]);
        assert_true((strstr(statement, "One row is protected, not one person") != NULL) ==
                    (kit_cases[i].rows_per_unit == 0));
        assert_int_equal(statement[strlen(statement) - 1], '\n');
    }
}

/* Images are called that, whatever else the certificate says, and the kind cannot be changed. */
TEST(certificate_of_images_speaks_of_images)
{
    static const size_t cases[] = {0, 2, 5}; /* replace-one, add-remove, no guarantee */
    for (size_t i = 0; i < 3; i++) {
        CLEARED(kit_clear) certified c;
        char *statement = NULL;
        kit_prepare(&c, &kit_cases[cases[i]]);
        c.facts.data = SBL_DATA_IMAGES;
        c.facts.health_count = 0;
        assert_int_equal(sbl_certificate_write(&c.text, &c.facts, NULL), SBL_OK);
        assert_int_equal(sbl_certificate_check(&statement, c.text, strlen(c.text), &c.ledger, "", NULL),
                         SBL_OK);
        assert_non_null(strstr(statement, " for one image under "));
        assert_non_null(
            strstr(statement, "One image is protected, not one person. A person with several images gets"));
        assert_non_null(strstr(statement, "ASSUMES PUBLIC: range of the pixels (0 to 255), label"));
        assert_non_null(strstr(statement, "correlated images beyond 1 per unit"));
        assert_null(strstr(statement, " row"));
        assert_null(strstr(statement, "schema"));
        assert_non_null(strstr(c.text, "\"unit\": \"one image; a person with several "));
        sbl_free(statement);
        kit_expect_bad_change(&c, "data", json_string("table"), "field '");
        kit_expect_bad_change(&c, "data", json_string("audio"), "field 'data' has an unknown value");
        kit_expect_bad_change(&c, "data", NULL, "field 'data'");
    }
}

/* A column's name can neither turn the words of the guarantee around nor hide one, and is told from
 * any other. */
TEST(names_of_columns_are_plain_in_the_statement)
{
    static const sbl_certified_health odd = {"a\xc2\x9b\xe2\x80\xae\xc3\xbc", 2043, 57};
    CLEARED(kit_clear) certified c;
    FREED(sbl_free) char *statement = NULL;
    kit_prepare(&c, &kit_cases[0]);
    c.facts.health = &odd;
    c.facts.health_count = 1;
    assert_int_equal(sbl_certificate_write(&c.text, &c.facts, NULL), SBL_OK);
    assert_int_equal(sbl_certificate_check(&statement, c.text, strlen(c.text), &c.ledger, "", NULL), SBL_OK);
    assert_non_null(strstr(statement, " a\\u009b\\u202e\xc3\xbc 20.43 %"));
    assert_null(strstr(statement, "\xc2\x9b"));
    assert_null(strstr(statement, "\xe2\x80\xae"));
    assert_null(strstr(c.text, "\xc2\x9b"));
    assert_null(strstr(c.text, "\xe2\x80\xae"));
    kit_expect_bad_change(&c, "health.0.column", json_string("a\xc2\x9c\xe2\x80\xae\xc3\xbc"), "statement");
}

/* Who owns several rows is told so, in the terms of what was spent; of keys no factor holds. */
TEST(certificate_of_rows_never_speaks_of_one_person)
{
    static const struct {
        size_t kit;
        const char *part;
    } cases[] = {{0, "gets weaker protection:\n  with g rows, g times the mu.\n"},
                 {2, "gets weaker protection:\n  with g rows, g times the mu and pure eps.\n"},
                 {3, "gets weaker protection:\n  with g rows, g times the eps.\n"},
                 {KIT_KEYS, "A person with several rows gets weaker protection.\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CLEARED(kit_clear) certified c;
        FREED(sbl_free) char *statement = NULL;
        kit_certify(&c, &kit_cases[cases[i].kit]);
        assert_int_equal(sbl_certificate_check(&statement, c.text, strlen(c.text), NULL, "", NULL), SBL_OK);
        if (strstr(statement, cases[i].part) == NULL) fail_msg("%s", statement);
        assert_non_null(strstr(statement, "belief about one row by"));
        assert_null(strstr(statement, "about one person"));
        assert_null(strstr(statement, "is one person"));
        assert_non_null(
            strstr(c.text, "\"unit\": \"one row; a person with several rows gets weaker protection\""));
    }
}

/* Data set, date, who made it, the schema and its origin, the columns of each block: in fields, in words,
 * and none of them can be changed. */
TEST(certificate_says_what_it_is_of)
{
    static const char *const lines[] = {
        "DATA SET: Patients of the Charit\xc3\xa9.\nMADE: 20",
        "Z, by A. Officer.\nCERTIFICATE: of version 8.\nSCHEMA: sha256 3333",
        ";\n  its bounds and categories: declared.\n",
        " noise on age + gr\xc3\xb6\xc3\x9f"
        "e (embed, 2 x 10), age x ward (cat.hist, 1 x 5), ward (counts, 1 x 2);\n"};
    static const char *const refused[] = {"", "two\nlines", "\x7f", "\x1b[1m"};
    static const char *const fields[] = {"about.title", "about.by", "schema.origin",
                                         "mechanisms.0.blocks.1.of"};
    char long_text[SBL_CERTIFICATE_TEXT + 2];
    CLEARED(kit_clear) certified c;
    FREED(sbl_free) char *statement = NULL;
    kit_certify(&c, &kit_cases[1]);
    assert_int_equal(sbl_certificate_check(&statement, c.text, strlen(c.text), &c.ledger, "", NULL), SBL_OK);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (strstr(statement, lines[i]) == NULL) fail_msg("%s\nlacks '%s'", statement, lines[i]);
    json_t *root = json_loads(c.text, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(json_object_get(root, "about"), "date")),
                        c.ledger.lines[c.ledger.line_count - 1].time);
    json_decref(root);
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
        const char *name = strrchr(fields[f], '.') + 1;
        for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
            kit_expect_bad_change(&c, fields[f], json_string(refused[i]), name);
        kit_expect_bad_change(&c, fields[f], json_string("another"), "statement");
        if (f < 3) kit_expect_bad_change(&c, fields[f], json_string(long_text), name);
    }
    kit_expect_bad_change(&c, "about.title", NULL, "statement");
    kit_expect_bad_change(&c, "about.by", NULL, "statement");
    kit_expect_bad_change(&c, "about.date", json_string("2026-01-31T23:59:59Z"), "statement");
    kit_expect_bad_change(&c, "about.date", json_string("yesterday"), "date");
    kit_expect_bad_change(&c, "about.date", NULL, "date");
    kit_expect_bad_change(&c, "schema.origin", NULL, "origin");
    kit_expect_bad_change(&c, "schema", json_object(), "statement");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.of", NULL, "statement");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.2.of", NULL, "of");
}

/* A date that the ledger does not have is found with the ledger beside it, whatever the words say. */
TEST(certificate_of_another_day_is_refused_by_its_ledger)
{
    CLEARED(kit_clear) certified c;
    kit_prepare(&c, &kit_cases[0]);
    sbl_ledger_line *last = &c.ledger.lines[c.ledger.line_count - 1];
    const char true_year = last->time[3];
    last->time[3] = true_year == '1' ? '2' : '1';
    assert_int_equal(sbl_certificate_write(&c.text, &c.facts, NULL), SBL_OK);
    last->time[3] = true_year;
    kit_expect_good(c.text, NULL);
    kit_expect_bad(c.text, &c.ledger, "is not what the ledger says");
}

static json_t *member(const json_t *root, const char *object, const char *name)
{
    return json_object_get(json_object_get(root, object), name);
}

/* The cost is that of one record, whatever the ledger's number of rows and however many enter. */
TEST(certificate_of_whole_persons_says_so)
{
    CLEARED(kit_clear) certified c;
    char *statement = NULL;
    kit_certify(&c, &kit_cases[KIT_WHOLE_PERSONS]);
    assert_int_equal(sbl_certificate_check(&statement, c.text, strlen(c.text), &c.ledger, "c", NULL), SBL_OK);
    assert_non_null(strstr(statement, "for one person under replace-one neighbours (n is private)"));
    assert_non_null(strstr(statement, "A person's rows enter together"));
    assert_non_null(strstr(statement, "at most 50 of them"));
    assert_null(strstr(statement, "count, the others add nothing"));
    assert_non_null(strstr(c.text,
                           "\"unit\": \"one person, with all rows; at most 50 of them "
                           "enter, as one record\""));
    sbl_free(statement);
    kit_expect_bad_change(&c, "guarantee.rows_together", json_integer(49), "");
    kit_expect_bad_change(&c, "guarantee.rows_together", NULL, "");
    kit_expect_bad_change(&c, "guarantee.rows_together", json_integer(0), "rows_together");
    kit_expect_bad_change(&c, "guarantee.rows_together", json_integer(1025), "rows_together");
    kit_expect_bad_change(&c, "guarantee.rows_together", json_string("50"), "rows_together");
    kit_expect_bad_change(&c, "guarantee.rows_per_unit", json_integer(3), "rows_per_unit");
}

TEST(certificate_of_persons_speaks_of_persons)
{
    certified c;
    char *statement = NULL;
    kit_certify(&c, &kit_cases[KIT_PERSONS]);
    assert_int_equal(sbl_certificate_check(&statement, c.text, strlen(c.text), &c.ledger, "c", NULL), SBL_OK);
    assert_non_null(strstr(statement, "for one person under replace-one neighbours (n is private)"));
    assert_non_null(strstr(statement, "At most 3 rows of a person count"));
    assert_non_null(strstr(statement, "one person's rows under several ids"));
    assert_null(strstr(statement, "weaker protection"));
    assert_null(strstr(statement, "n=1000"));
    assert_non_null(strstr(c.text, "\"unit\": \"one person; at most 3 rows of a person count\""));
    sbl_free(statement);
    kit_expect_bad_change(&c, "guarantee.rows_per_unit", json_integer(2), "");
    kit_expect_bad_change(&c, "guarantee.rows_per_unit", json_integer(0), "rows_per_unit");
    kit_expect_bad_change(&c, "guarantee.rows_per_unit", json_integer(1025), "rows_per_unit");
    kit_expect_bad_change(&c, "guarantee.rows_per_unit", json_string("3"), "rows_per_unit");
    kit_expect_bad_change(&c, "guarantee.rows_per_unit", NULL, "");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.3.width", json_integer(2), "persons");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.3.columns", json_integer(2), "persons");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.3.kind", json_integer(2), "kind");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.3.kind", json_string("people"), "kind");
    kit_clear(&c);
    /* The delta of keys is one of rows. */
    kit_prepare(&c, &kit_cases[KIT_PERSONS]);
    c.blocks[0].survival_bits = 60;
    kit_expect_not_written(&c, "survival_bits");
    kit_clear(&c);
    /* Where rows are protected nobody is counted. */
    kit_prepare(&c, &kit_cases[0]);
    c.blocks[c.block_count] = sbl_block_of_persons(1);
    c.blocks[c.block_count].multiplier = 1;
    c.releases[0].block_count = c.block_count + 1;
    kit_expect_not_written(&c, "persons");
    kit_clear(&c);
}

TEST(numbers_are_those_of_all_releases)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[1]);
    json_auto_t *root = json_loads(c.text, 0, NULL);
    double expected = 0;
    assert_int_equal(sbl_totals_epsilon(&expected, &c.ledger.totals, 1e-6, NULL), SBL_OK);
    assert_true(json_real_value(member(root, "guarantee", "epsilon")) == expected);
    assert_true(json_real_value(member(root, "guarantee", "delta")) == 1e-6);
    assert_string_equal(json_string_value(member(root, "totals", "releases")), "2");
    assert_string_equal(json_string_value(member(root, "others", "releases")), "1");
    assert_string_equal(json_string_value(member(root, "others", "draws")), "20");
    assert_int_equal(json_integer_value(member(root, "ledger", "seq")), 4);
}

TEST(no_guarantee_gives_no_finite_numbers)
{
    for (size_t i = 5; i < 7; i++) {
        CLEARED(kit_clear) certified c;
        kit_certify(&c, &kit_cases[i]);
        json_auto_t *root = json_loads(c.text, 0, NULL);
        assert_string_equal(json_string_value(member(root, "guarantee", "kind")), "NONE");
        assert_string_equal(json_string_value(member(root, "guarantee", "epsilon")), "inf");
        assert_string_equal(json_string_value(member(root, "guarantee", "mu")), "inf");
    }
}

/* A Gaussian release under a delta of 0 cannot be reserved; totals that no epsilon covers come from
 * the delta of another release, of keys. */
TEST(totals_beyond_any_epsilon_guarantee_nothing)
{
    CLEARED(kit_clear) certified c;
    FREED(sbl_free) char *text = NULL;
    kit_prepare(&c, &kit_cases[6]); /* no budget: nothing is refused */
    (void)snprintf(c.ledger.lines[1].budget.epsilon, SBL_BUDGET_TEXT_SIZE, "9");
    c.ledger.lines[1].totals.charge.delta = SBL_FIXED96_ONE;
    c.ledger.lines[1].totals.releases++;
    c.facts.ledger_covers_run_only = false;
    assert_int_equal(sbl_certificate_write(&text, &c.facts, NULL), SBL_OK);
    assert_non_null(strstr(text, "GUARANTEE: NONE: no epsilon holds at this delta"));
    kit_expect_good(text, &c.ledger);
}

TEST(text_does_not_depend_on_the_locale)
{
    CLEARED(kit_clear) certified c;
    FREED(sbl_free) char *again = NULL;
    kit_certify(&c, &kit_cases[0]);
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) (void)setlocale(LC_ALL, "C.UTF-8");
    assert_int_equal(sbl_certificate_write(&again, &c.facts, NULL), SBL_OK);
    assert_string_equal(c.text, again);
    kit_expect_good(c.text, NULL);
    (void)setlocale(LC_ALL, "C");
}

/* Last digits may differ between mathematical libraries; more may not. */
TEST(last_digits_of_epsilon_are_not_held_against_it)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[0]);
    json_auto_t *root = json_loads(c.text, 0, NULL);
    const double epsilon = json_real_value(member(root, "guarantee", "epsilon"));
    char *text = kit_change(c.text, "guarantee.epsilon", json_real(epsilon * (1 + 1e-13)));
    kit_expect_good(text, &c.ledger);
    free(text);
    kit_expect_bad_change(&c, "guarantee.epsilon", json_real(epsilon * (1 - 1e-6)), "guarantee.epsilon");
}

TEST(faults_are_named)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[1]);
    kit_expect_bad_change(&c, "version", json_integer(9),
                          "version' is 9, this program knows versions 4 to 8");
    kit_expect_bad_change(&c, "trained_on", json_string("a\nGUARANTEE"), "field 'trained_on'");
    kit_expect_bad_change(&c, "trained_on", json_string(""), "field 'trained_on'");
    kit_expect_bad_change(&c, "trained_on", json_integer(0), "field 'trained_on'");
    kit_expect_bad_change(&c, "trained_on", json_string("cpu"), "field 'guarantee.statement'");
    kit_expect_bad_change(&c, "trained_on", NULL, "field 'guarantee.statement'");
    kit_expect_bad_change(&c, "health.0.column", json_string("a\nGUARANTEE"), "field 'column'");
    kit_expect_bad_change(&c, "health.0.column", json_string("a\x7f"), "field 'column'");
    kit_expect_bad_change(&c, "health.1.misfits", json_real(0.5), "field 'misfits'");
    kit_expect_bad_change(&c, "health.1.deviation", json_string("57"), "field 'deviation'");
    kit_expect_bad_change(&c, "format", json_string("semblance-release"), "field 'format'");
    kit_expect_bad_change(&c, "guarantee.mu", json_real(0.1), "field 'guarantee.mu'");
    kit_expect_bad_change(&c, "allowance.epsilon", json_real(0.0), "field 'allowance.epsilon'");
    kit_expect_bad_change(&c, "allowance.delta", json_real(0.0), "field 'allowance.delta'");
    kit_expect_bad_change(&c, "mechanisms.0.joint", json_string("12"), "field 'mechanisms[0].joint'");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.sensitivity.same_label", json_string("12"),
                          "field 'mechanisms[0].blocks[0].sensitivity.same_label'");
    kit_expect_bad_change(&c, "totals.mu2", json_string("1"), "totals");
    kit_expect_bad_change(&c, "others.releases", json_string("2"), "field 'others.releases'");
    kit_expect_bad_change(&c, "guarantee.statement", json_string("GUARANTEE: all is well"),
                          "field 'guarantee.statement'");
    kit_expect_bad_change(&c, "ledger.budget.delta", json_string("1e-5"), "guarantee.statement");
    kit_expect_bad_change(&c, "ledger.budget.epsilon", json_string("-1"), "ledger.budget");
    kit_expect_bad_change(&c, "program.name", json_string("other"), "field 'program.name'");
    kit_expect_bad_change(&c, "guarantee.scope", json_string("this run only"), "field 'scope'");
    kit_expect_bad_change(&c, "digest", json_string("00"), "field 'digest'");
}

/* The old format listed one mechanism of two: it is refused by name, not half understood. */
TEST(certificate_of_version_3_is_refused)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[0]);
    kit_expect_bad_change(&c, "version", json_integer(3),
                          "version' is 3, this program knows versions 4 to 8: use the program that made it");
}

/* Version 4 has no device that trained, and no line of its version: the same facts make a sound one. With a
 * device it is none. */
TEST(certificate_of_version_4_names_no_device)
{
    certified c;
    kit_certify(&c, &kit_cases[0]);
    assert_null(strstr(c.text, "trained_on"));
    kit_expect_bad_change(&c, "version", json_integer(4), "field 'guarantee.statement'");
    kit_clear(&c);
    kit_certify(&c, &kit_cases[1]);
    assert_non_null(strstr(c.text, "\"trained_on\": \"cuda:0 Some Card\""));
    assert_non_null(strstr(c.text, "TRAINED ON: cuda:0 Some Card, after the releases."));
    kit_expect_bad_change(&c, "version", json_integer(4), "field 'guarantee.statement'");
    kit_clear(&c);
}

/* The first occurrence of `now` becomes `then`, if there is one. Text; free(). */
static char *reword(char *text, const char *now, const char *then)
{
    char *at = strstr(text, now);
    if (at == NULL) return text;
    const size_t size = strlen(text) + strlen(then) + 1;
    char *changed = malloc(size);
    assert_non_null(changed);
    (void)snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, then, at + strlen(now));
    free(text);
    return changed;
}

/* The statement of a certificate as versions 4 to 7 put it. Text; free(). */
static char *statement_before(const char *statement, unsigned version)
{
    static const char *const words[][2] = {
        {". A person with several rows gets weaker protection", ": who owns several rows is protected less"},
        {". A person with several images gets weaker protection",
         ": who owns several images is protected less"},
        {":\n  with g rows, g times", ", g of\n  them as by g times"},
        {":\n  with g images, g times", ", g of\n  them as by g times"},
        {"  A person is all rows that share an id. Each row without an id counts as a separate\n  person. At "
         "most ",
         "  One person is all rows with one id, and every row without an id; at most "},
        {" rows of a person count; the others add nothing.\n",
         " of a person's\n  rows count, the others add nothing.\n"},
        {"seeing all of this changes the odds of any belief about one row by at most\n  a factor of exp",
         "what anyone may believe about one row, seeing all of this, changes its odds by\n  at most a factor "
         "exp"},
        {"seeing all of this changes the odds of any belief about one image by at most\n  a factor of exp",
         "what anyone may believe about one image, seeing all of this, changes its odds by\n  at most a "
         "factor exp"},
        {"seeing all of this changes the odds of any belief about one person by at most\n  a factor of exp",
         "what anyone may believe about one person, seeing all of this, changes its odds by\n  at most a "
         "factor exp"},
    };
    static const char orphans_now[] =
        "  A person is all rows that share an id and, in linked tables, all rows that refer to "
        "them;\n  a child row that refers to no person adds nothing. Any other row without an id "
        "is a person\n  by itself. A person's rows";
    static const char orphans_then[] =
        "  One person is all rows with one id, of linked tables with all that hangs on them, and "
        "every\n  row without an id. A person's rows";
    char line[] = "CERTIFICATE: of version 0.\n";
    char *text = strdup(statement);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) text = reword(text, words[i][0], words[i][1]);
    if (version < 6) text = reword(text, orphans_now, orphans_then);
    *strchr(line, '0') = (char)('0' + version);
    return reword(text, "CERTIFICATE: of version 8.\n", version == 4 ? "" : line);
}

/* What an older version said stays as it was, in words that are compared; neither version may borrow the other's. */
TEST(certificates_of_older_versions_keep_their_words)
{
    static const size_t kits[] = {0, 2, 3, KIT_MOMENTS, KIT_PERSONS, KIT_KEYS, KIT_WHOLE_PERSONS};
    for (size_t i = 0; i < sizeof kits / sizeof kits[0]; i++)
        for (unsigned version = 4; version < 8; version++) {
            CLEARED(kit_clear) certified c;
            kit_certify(&c, &kit_cases[kits[i]]);
            json_auto_t *root = json_loads(c.text, 0, NULL);
            FREED(free) char *unit = strdup(json_string_value(member(root, "guarantee", "unit")));
            FREED(free)
            char *words =
                statement_before(json_string_value(member(root, "guarantee", "statement")), version);
            unit = reword(unit, "row; a person with several rows gets weaker protection",
                          "row; who owns several rows is protected less");
            unit = reword(unit, "image; a person with several images gets weaker protection",
                          "image; who owns several images is protected less");
            kit_expect_bad_change(&c, "guarantee.statement", json_string(words),
                                  "field 'guarantee.statement'");
            FREED(free) char *changed = kit_change(c.text, "version", json_integer(version));
            FREED(free) char *told = kit_change(changed, "guarantee.unit", json_string(unit));
            FREED(free) char *sound = kit_change(told, "guarantee.statement", json_string(words));
            kit_expect_good(sound, &c.ledger);
        }
}

/* The relations that the releases show are words of the statement, and a certificate of version 6 has none. */
TEST(certificate_names_what_may_be_lost)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[1]);
    assert_non_null(
        strstr(c.text,
               "RELATIONS: 7 of 10 relations between columns stand out from the noise; the others "
               "come out independent. Possibly lost: age with ward."));
    kit_expect_bad_change(&c, "relations.seen", json_integer(8), "field 'guarantee.statement'");
    kit_expect_bad_change(&c, "relations.suspects.0.first", json_string("height"),
                          "field 'guarantee.statement'");
    kit_expect_bad_change(&c, "relations.suspects.0.first", json_string("a\nGUARANTEE"), "field 'first'");
    kit_expect_bad_change(&c, "relations", NULL, "field 'guarantee.statement'");
    kit_clear(&c);
    kit_certify(&c, &kit_cases[0]);
    assert_null(strstr(c.text, "RELATIONS"));
}

/* The sum over periods is in the certificate, follows from what the ledger carries, and is a field of version 8 alone. */
TEST(certificate_states_the_sum_over_periods)
{
    sbl_ledger_view other;
    sbl_totals all;
    double epsilon;
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[KIT_THIRD_PERIOD]);
    assert_ok(sbl_ledger_all_periods(&all, &c.ledger.facts.past, &c.ledger.totals, NULL));
    assert_ok(sbl_totals_epsilon(&epsilon, &all, 1e-5, NULL));
    json_auto_t *root = json_loads(c.text, 0, NULL);
    const json_t *guarantee = json_object_get(root, "guarantee");
    assert_true(json_real_value(json_object_get(guarantee, "epsilon_all_periods")) == epsilon);
    assert_true(epsilon > json_real_value(json_object_get(guarantee, "epsilon")));
    assert_non_null(strstr(c.text, "for one row in the data of each of 3 periods"));
    assert_non_null(strstr(c.text, "EARLIER PERIODS: 2, the last in ledger "));
    char *brief = NULL;
    assert_ok(sbl_certificate_shorten(&brief, c.text, strlen(c.text), "c.json", NULL));
    assert_true(strstr(brief, "ALL PERIODS: eps=") != NULL && strstr(brief, "EARLIER") == NULL);
    sbl_free(brief);
    kit_expect_bad_change(&c, "guarantee.epsilon_all_periods", json_real(0.5),
                          "field 'guarantee.epsilon_all_periods'");
    kit_expect_bad_change(&c, "guarantee.epsilon_all_periods", NULL, "field 'guarantee.epsilon_all_periods'");
    kit_expect_bad_change(&c, "guarantee.mu_all_periods", json_real(0.5), "field 'guarantee.mu_all_periods'");
    kit_expect_bad_change(&c, "earlier_periods", NULL, "guarantee.");
    kit_expect_bad_change(&c, "earlier_periods.periods", json_integer(0), "field 'periods'");
    kit_expect_bad_change(&c, "earlier_periods.periods", json_integer(3), "field 'guarantee.statement'");
    kit_expect_bad_change(&c, "earlier_periods.totals.mu2",
                          json_string("340282366920938463463374607431768211455"), "field 'ledger.budget'");
    kit_expect_bad_change(&c, "version", json_integer(7), "guarantee.");
    /* Another predecessor is another ledger. */
    other = c.ledger;
    other.facts.past.head[0] ^= 1;
    kit_expect_bad(c.text, &other, "is not what the ledger says");
}

TEST(numbers_out_of_range_are_refused)
{
    static const char *const big = "18446744073709551616";
    certified c;
    kit_certify(&c, &kit_cases[1]);
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.width", json_integer(0), "width");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.columns", json_integer(0), "columns");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.multiplier", json_string("0"), "multiplier");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.multiplier", json_string(big), "multiplier");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.multiplier", json_string("18446744073709551615"),
                          "multiplier");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.bound2", json_string("0"), "bound2");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.bound2", json_string("1152921504606846977"), "bound2");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.2.bound2", json_string("2"), "counts");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.2.columns", json_integer(2), "counts");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.2.nonnegative", json_false(), "counts");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.width", json_integer(INT64_MAX), "width");
    char *tall = kit_change(c.text, "mechanisms.0.blocks.0.columns", json_integer(INT64_MAX));
    char *both = kit_change(tall, "mechanisms.0.blocks.0.width", json_integer(INT64_MAX));
    kit_expect_bad(both, NULL, "width");
    free(tall);
    free(both);
    char *wide = kit_change(c.text, "mechanisms.0.blocks.0.columns", json_integer(1));
    char *wider = kit_change(wide, "mechanisms.0.blocks.0.width", json_integer(INT64_MAX));
    char *widest = kit_change(wider, "mechanisms.0.blocks.1.width", json_integer(INT64_MAX));
    char *most = kit_change(widest, "mechanisms.0.blocks.2.width", json_integer(INT64_MAX));
    kit_expect_bad(most, NULL, "width");
    free(wide);
    free(wider);
    free(widest);
    free(most);
    kit_expect_bad_change(&c, "totals.releases", json_string("0"), "totals");
    kit_expect_bad_change(&c, "totals.gaussian_releases", json_string("0"), "totals");
    kit_expect_bad_change(&c, "totals.draws", json_string("3"), "totals");
    kit_expect_bad_change(&c, "mechanisms.0.delta", json_string("3"), "delta");
    kit_clear(&c);
    kit_certify(&c, &kit_cases[3]);
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.bound1", json_string("4611686018427387905"), "bound1");
    kit_expect_bad_change(&c, "totals.eps0", json_string("3"), "totals");
    /* A pure epsilon of 2^32 and more has no charge. */
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.multiplier", json_string("4611686018427387904"), "");
    char *one = kit_change(c.text, "mechanisms.0.blocks.1.bound1", json_string("4611686018427387904"));
    char *two = kit_change(one, "mechanisms.0.blocks.1.multiplier", json_string("4611686018427387904"));
    sbl_error err = {0};
    assert_int_not_equal(sbl_certificate_check(NULL, two, strlen(two), NULL, "c.json", &err), SBL_OK);
    free(one);
    free(two);
    kit_clear(&c);
}

static json_t *many(size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string("x"));
    return list;
}

/* What squares and products say must fit the vector they are of, and each other. */
TEST(moments_that_do_not_fit_are_refused)
{
    certified c;
    const size_t first = KIT_MOMENTS;
    kit_certify(&c, &kit_cases[first]);
    /* 2^56 - 1 is no square; (2^28 - 1)^2 is not that of the mean; nor is 2^54. */
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.bound2", json_string("72057594037927935"), "bound2");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.bound2", json_string("72057593501057025"), "bound2");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.bound2", json_string("134217728"), "bound2");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.2.width", json_integer(7), "width");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.width", json_integer((INT64_C(1) << 32) + 1), "width");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.2.columns", json_integer(1), "columns");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.columns", json_integer(1), "columns");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.source", json_string("counts"), "source");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.name", json_string("counts"), "source");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.kind", json_string("cubes"), "kind");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.kind", json_integer(1), "kind");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.source", json_string("a b"), "source");
    /* Two blocks of squares of one vector, and one of another name. */
    char *twice = kit_change(c.text, "mechanisms.0.blocks.2.kind", json_string("squares"));
    kit_expect_bad(twice, NULL, "source");
    free(twice);
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.source", json_string("meen"), "totals");
    kit_clear(&c);
    /* Without the vector: the two must agree. */
    kit_certify(&c, &kit_cases[first + 1]);
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.bound2", json_string("18014398509481984"), "bound2");
    kit_clear(&c);
    /* Pure: the vector shows no bound2, and the moments no bound1. */
    kit_certify(&c, &kit_cases[first + 2]);
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.bound2", json_string("0"), "bound2");
    kit_expect_bad_change(&c, "mechanisms.0.blocks.1.bound1", json_string("1"), "blocks");
    kit_clear(&c);
}

TEST(list_of_assumptions_holds_short_plain_texts)
{
    char longer[300];
    CLEARED(kit_clear) certified c;
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    kit_certify(&c, &kit_cases[1]);
    kit_expect_bad_change(&c, "assumes_public.7", json_string("\033[2J"), "assumes_public");
    kit_expect_bad_change(&c, "assumes_public.7", json_string(longer), "assumes_public");
    kit_expect_bad_change(&c, "assumes_public.7", json_integer(1), "assumes_public");
    kit_expect_bad_change(&c, "assumes_public.0", json_string("nothing"), "assumes_public[0]");
    kit_expect_bad_change(&c, "mechanisms.0.name", json_string("a\nb"), "name");
    kit_expect_bad_change(&c, "mechanisms.0.name", json_string(longer), "name");
    kit_expect_bad_change(&c, "assumes_public", many(65537), "assumes_public");
    kit_expect_bad_change(&c, "mechanisms.0.blocks", many(65537), "blocks");
    kit_expect_bad_change(&c, "mechanisms", many(65537), "field 'mechanisms' must hold");
}

TEST(text_that_is_no_certificate_is_refused)
{
    kit_expect_bad("", NULL, "c.json");
    kit_expect_bad("{", NULL, "c.json");
    kit_expect_bad("[]", NULL, "c.json");
    kit_expect_bad("{}", NULL, "field 'format' is missing");
    kit_expect_bad("{\"format\":\"semblance-certificate\"}", NULL, "field 'version' is missing");
    kit_expect_bad("{\"format\":\"semblance-certificate\",\"version\":5}", NULL, "'digest' is missing");
    kit_expect_bad("{\"format\":\"semblance-certificate\",\"version\":5,\"digest\":\"\"}", NULL,
                   "'about' is missing");
}

/* ---- against the ledger ---- */

TEST(rolled_back_ledger_is_found)
{
    CLEARED(kit_clear) certified c;
    size_t size;
    kit_certify(&c, &kit_cases[1]);
    FREED(free) char *text = slurp(c.path, &size);
    /* Take the last line off, then the last two, then all. */
    for (size_t keep = 4; keep >= 1; keep--) {
        CLEARED(sbl_ledger_view_clear) sbl_ledger_view view;
        size_t cut = 0;
        for (size_t line = 0; line < keep; line++) cut += strcspn(text + cut, "\n") + 1;
        assert_int_equal(sbl_ledger_parse(&view, text, cut, "l", NULL), SBL_OK);
        kit_expect_bad(c.text, &view, "the ledger was rolled back behind this certificate");
    }
}

/* The same ledger, run on differently from an older copy. */
TEST(forked_ledger_is_found)
{
    CLEARED(kit_clear) certified c;
    size_t size;
    const sbl_ledger_entry other = kit_gaussian(8);
    kit_certify(&c, &kit_cases[1]);
    FREED(free) char *text = slurp(c.path, &size);
    size_t cut = 0;
    for (size_t line = 0; line < 3; line++) cut += strcspn(text + cut, "\n") + 1;
    kit_write(c.path, text, cut);
    kit_release(c.path, &other);
    sbl_ledger_view_clear(&c.ledger);
    assert_int_equal(sbl_ledger_read(&c.ledger, sbl_file_item(c.path), NULL), SBL_OK);
    kit_expect_bad(c.text, &c.ledger, "rolled back");
}

TEST(other_ledger_is_found)
{
    certified one;
    CLEARED(kit_clear) certified two;
    kit_certify(&one, &kit_cases[1]);
    kit_certify(&two, &kit_cases[1]);
    kit_expect_bad(one.text, &two.ledger, "field 'ledger.id'");
    kit_clear(&one);
}

/* A certificate that is consistent in itself but says other things than the ledger. */
TEST(contradiction_with_the_ledger_is_found)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[1]);
    sbl_ledger_line *reserve = &c.ledger.lines[2];
    const sbl_ledger_line kept = *reserve;

    memset(reserve->entry.plan_hash, 1, sizeof reserve->entry.plan_hash);
    kit_expect_bad(c.text, &c.ledger, "is not what the ledger says");
    *reserve = kept;
    reserve->rid[0] = reserve->rid[0] == 'a' ? 'b' : 'a';
    kit_expect_bad(c.text, &c.ledger, "field 'seq'"); /* the COMMIT is another one's */
    c.ledger.lines[3].rid[0] = reserve->rid[0];
    kit_expect_bad(c.text, &c.ledger, "is not what the ledger says");
    *reserve = kept;
    c.ledger.lines[3].rid[0] = reserve->rid[0];
    c.ledger.lines[3].release_hash[0]++;
    kit_expect_bad(c.text, &c.ledger, "is not what the ledger says");
    c.ledger.lines[3].release_hash[0]--;
    reserve->entry.joint++;
    kit_expect_bad(c.text, &c.ledger, "field 'joint' is not what the ledger says");
    *reserve = kept;
    reserve->entry.charge.draws++;
    kit_expect_bad(c.text, &c.ledger, "field 'draws' is not what the ledger says");
    *reserve = kept;
    c.ledger.lines[3].op = SBL_LEDGER_VOID;
    kit_expect_bad(c.text, &c.ledger, "field 'seq'");
    c.ledger.lines[3].op = SBL_LEDGER_COMMIT;
    c.ledger.lines[3].totals.charge.mu2++;
    kit_expect_bad(c.text, &c.ledger, "is not what the ledger says");
    c.ledger.lines[3].totals.charge.mu2--;
    c.ledger.lines[3].totals.charge.mu2 = 0;
    kit_expect_bad(c.text, &c.ledger, "totals");
}

/* ---- writing ---- */

TEST(certificate_of_what_was_not_committed_is_not_written)
{
    CLEARED(kit_clear) certified c;
    kit_prepare(&c, &kit_cases[1]);
    c.releases[0].seq = 0;
    kit_expect_not_written(&c, "field 'seq'");
    c.releases[0].seq = 4; /* the COMMIT itself */
    kit_expect_not_written(&c, "field 'seq'");
    c.releases[0].seq = 5;
    kit_expect_not_written(&c, "field 'seq'");
    c.releases[0].seq = 3;
    c.ledger.lines[3].op = SBL_LEDGER_VOID;
    kit_expect_not_written(&c, "field 'seq'");
}

TEST(blocks_that_cost_more_than_was_charged_are_not_certified)
{
    CLEARED(kit_clear) certified c;
    kit_prepare(&c, &kit_cases[1]);
    c.blocks[0].multiplier++;
    kit_expect_not_written(&c, "field 'joint'");
    c.blocks[0].multiplier--;
    c.blocks[0].width++;
    kit_expect_not_written(&c, "field 'draws'");
    c.blocks[0].width--;
    c.blocks[0].bound2 = 0;
    kit_expect_not_written(&c, "field 'bound2'");
}

TEST(bad_delta_in_a_ledger_is_not_certified)
{
    CLEARED(kit_clear) certified c;
    char *text = NULL;
    kit_prepare(&c, &kit_cases[1]);
    (void)snprintf(c.ledger.lines[c.ledger.line_count - 1].budget.delta, SBL_BUDGET_TEXT_SIZE, "x");
    assert_int_equal(sbl_certificate_write(&text, &c.facts, NULL), SBL_EARG);
    assert_null(text);
}
