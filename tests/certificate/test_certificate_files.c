/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate is bound to bytes: releases, model and output are held against it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "certificate/certificate_kit.h"
#include "support/cmocka_all.h"

static void expect(const certified *c, const sbl_release_evidence *evidence, size_t count, const char *words)
{
    sbl_error err = {0};
    const sbl_status status =
        sbl_certificate_check_releases(c->text, strlen(c->text), evidence, count, "c.json", &err);
    assert_int_equal(status, words == NULL ? SBL_OK : SBL_EINPUT);
    if (words != NULL && strstr(err.message, words) == NULL) fail_msg("'%s' lacks '%s'", err.message, words);
    assert_null(strchr(err.message, '\n'));
}

TEST(releases_that_are_listed_are_accepted)
{
    for (size_t i = 0; i < kit_case_count; i++) {
        CLEARED(kit_clear) certified c;
        kit_certify(&c, &kit_cases[i]);
        const size_t last = c.facts.release_count - 1;
        const sbl_release_evidence both[2] = {kit_evidence(&c, 0), kit_evidence(&c, last)};
        expect(&c, both, 1 + last, NULL);
        expect(&c, &both[1], 1, NULL);
    }
}

/* One changed bit of a release is another release, whatever its header says. */
TEST(release_with_other_bytes_is_refused)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[1]);
    sbl_release_evidence evidence = kit_evidence(&c, 0);
    evidence.hash[0] = evidence.hash[0] == '0' ? '1' : '0';
    expect(&c, &evidence, 1, "its bytes were changed");
    evidence = kit_evidence(&c, 0);
    evidence.rid = "00000000000000000000000000000000";
    expect(&c, &evidence, 1, "another release");
}

/* Were a certificate to list the hash of a release whose contents cost more, that is found too. */
TEST(cost_is_derived_from_the_release_itself)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[1]);
    sbl_block blocks[KIT_BLOCKS];
    for (int what = 0; what < 11; what++) {
        static const char *const others[KIT_BLOCKS] = {"age", "age", "ward"};
        sbl_release_evidence evidence = kit_evidence(&c, 0);
        memcpy(blocks, evidence.blocks, sizeof blocks);
        evidence.blocks = blocks;
        if (what == 0) blocks[0].bound2 *= 2;
        if (what == 1) blocks[0].multiplier++;
        if (what == 2) blocks[0].per_class = false;
        if (what == 3) blocks[1].nonnegative = false;
        if (what == 4) blocks[1].width++;
        if (what == 5) evidence.n++;
        if (what == 6) evidence.plan[0] = evidence.plan[0] == '0' ? '1' : '0';
        if (what == 7) evidence.ledger = "00000000000000000000000000000000";
        if (what == 8) evidence.of = others;
        if (what == 9) evidence.of = NULL;
        if (what == 10) evidence.schema[0] = '4';
        expect(&c, &evidence, 1, "c.json");
    }
}

TEST(rows_of_whole_persons_are_held_against_their_certificate)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[KIT_WHOLE_PERSONS]);
    for (int what = 0; what < 3; what++) {
        sbl_release_evidence evidence = kit_evidence(&c, 0);
        if (what == 0) evidence.rows_together = 49;
        if (what == 1) evidence.rows_together = 0;
        if (what == 2) evidence.rows_per_unit = 3;
        expect(&c, &evidence, 1, "c.json");
    }
}

TEST(persons_of_a_release_are_held_against_its_certificate)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[KIT_PERSONS]);
    sbl_block blocks[KIT_MOST_BLOCKS];
    for (int what = 0; what < 6; what++) {
        sbl_release_evidence evidence = kit_evidence(&c, 0);
        memcpy(blocks, evidence.blocks, sizeof blocks);
        evidence.blocks = blocks;
        if (what == 0) blocks[3].bound2 = 2;
        if (what == 1) blocks[3].bound1 = 2;
        if (what == 2) blocks[3].nonnegative = false;
        if (what == 3) evidence.rows_per_unit = 2;
        if (what == 4) evidence.rows_per_unit = 0;
        if (what == 5) blocks[3].multiplier++;
        expect(&c, &evidence, 1, "c.json");
    }
}

static void expect_file(const char *text, const sbl_certified_file *file, sbl_status status)
{
    sbl_error err = {0};
    assert_int_equal(sbl_certificate_check_file(text, strlen(text), file, "some.file", "c.json", &err),
                     status);
    if (status != SBL_OK) assert_non_null(strstr(err.message, "some.file"));
}

/* The statement says them, so that none can be left out or changed. */
TEST(names_of_files_are_stated)
{
    sbl_certified_file files[3] = {kit_files[0], kit_files[1], kit_files[1]};
    CLEARED(kit_clear) certified c;
    char *text = NULL;
    kit_certify(&c, &kit_cases[1]);
    (void)snprintf(files[0].name, sizeof files[0].name, "a.model");
    (void)snprintf(files[1].name, sizeof files[1].name, "my table, new.csv");
    c.facts.files = files;
    c.facts.file_count = 3;
    assert_ok(sbl_certificate_write(&text, &c.facts, NULL));
    assert_non_null(strstr(text, "MODEL: a.model, file 1111"));
    assert_non_null(strstr(text, "OUTPUT: my table, new.csv, file 2222"));
    assert_non_null(strstr(text, "OUTPUT: file 2222"));
    kit_expect_good(text, &c.ledger);
    sbl_free(c.text);
    c.text = text;
    kit_expect_bad_change(&c, "files.0.name", json_string("b.model"), "statement");
    kit_expect_bad_change(&c, "files.1.name", NULL, "statement");
    kit_expect_bad_change(&c, "files.2.name", json_string("b.csv"), "statement");
    kit_expect_bad_change(&c, "files.0.name", json_string(""), "name");
    kit_expect_bad_change(&c, "files.0.name", json_string("a\nb"), "name");
    kit_expect_bad_change(&c, "files.0.name", json_string("../a.model"), "name");
    kit_expect_bad_change(&c, "files.0.name", json_integer(1), "name");
}

TEST(model_and_output_are_known_by_their_hashes)
{
    CLEARED(kit_clear) certified c;
    char *stripped = NULL;
    kit_certify(&c, &kit_cases[1]);
    expect_file(c.text, &kit_files[0], SBL_OK);
    expect_file(c.text, &kit_files[1], SBL_OK);
    sbl_certified_file other = kit_files[0];
    other.is_model = false;
    expect_file(c.text, &other, SBL_EINPUT);
    other = kit_files[1];
    other.hash[63] = '0';
    expect_file(c.text, &other, SBL_EINPUT);
    assert_non_null(strstr(c.text, "MODEL: file 1111"));
    assert_non_null(strstr(c.text, "OUTPUT: file 2222"));
    /* Without them it is the certificate of the releases alone, and as good. */
    assert_ok(sbl_certificate_without_files(&stripped, c.text, strlen(c.text), "c.json", NULL));
    kit_expect_good(stripped, &c.ledger);
    expect_file(stripped, &kit_files[0], SBL_EINPUT);
    sbl_free(stripped);
    c.facts.file_count = 0;
    c.facts.trained_on = NULL; /* whoever holds it may have been trained by another */
    char *alone = NULL;
    assert_ok(sbl_certificate_write(&alone, &c.facts, NULL));
    assert_ok(sbl_certificate_without_files(&stripped, c.text, strlen(c.text), "c.json", NULL));
    assert_string_equal(stripped, alone);
    sbl_free(stripped);
    sbl_free(alone);
}

TEST(text_that_is_no_certificate_is_refused)
{
    char *stripped = (char *)1;
    assert_int_equal(sbl_certificate_check_releases("{", 1, NULL, 0, "c.json", NULL), SBL_EINPUT);
    assert_int_equal(sbl_certificate_check_releases("{}", 2, NULL, 0, "c.json", NULL), SBL_EINPUT);
    assert_int_equal(sbl_certificate_check_file("{", 1, &kit_files[0], "f", "c.json", NULL), SBL_EINPUT);
    assert_int_equal(sbl_certificate_without_files(&stripped, "{", 1, "c.json", NULL), SBL_EINPUT);
    assert_null(stripped);
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[0]);
    kit_expect_bad_change(&c, "files", json_string("none"), "files");
    kit_expect_bad_change(&c, "files.0.kind", json_string("table"), "kind");
    kit_expect_bad_change(&c, "files.1.sha256", json_string("22"), "sha256");
    kit_expect_bad_change(&c, "files.0.sha256", json_string(kit_files[1].hash), "statement");
    json_t *many = json_array();
    for (int i = 0; i < 65537; i++) json_array_append_new(many, json_null());
    kit_expect_bad_change(&c, "files", many, "files");
    FREED(free) char *text = kit_change(c.text, "mechanisms.0.blocks.0.width", json_integer(0));
    assert_int_equal(sbl_certificate_without_files(&stripped, text, strlen(text), "c", NULL), SBL_EINPUT);
}

TEST(statement_says_what_its_epsilon_means)
{
    certified c;
    char *statement = NULL;
    kit_certify(&c, &kit_cases[1]); /* one release of two in the ledger */
    assert_ok(sbl_certificate_check(&statement, c.text, strlen(c.text), NULL, "", NULL));
    assert_non_null(strstr(statement, "by at most\n  a factor of exp(eps) = "));
    assert_non_null(strstr(statement, "except with probability 1e-0"));
    assert_non_null(strstr(statement, "THIS RUN: eps="));
    assert_non_null(strstr(statement, "ALL RELEASES OF THIS LEDGER (2): eps="));
    sbl_free(statement);
    kit_clear(&c);
    kit_certify(&c, &kit_cases[3]); /* pure */
    assert_null(strstr(c.text, "except with probability"));
    /* Of odds that no number tells, the power is said. */
    char *text = NULL;
    c.ledger.lines[c.ledger.line_count - 1].totals.charge.eps0 = (sbl_u128)200 * SBL_FIXED96_ONE;
    assert_ok(sbl_certificate_write(&text, &c.facts, NULL));
    assert_non_null(strstr(text, "a factor of exp(eps)."));
    sbl_free(text);
    kit_clear(&c);
}

/* By its hash; a certificate that names no schema has none. */
TEST(schema_is_held_against_its_certificate)
{
    for (size_t i = 0; i < 2; i++) {
        CLEARED(kit_clear) certified c;
        char hash[SBL_SHA256_TEXT_SIZE];
        sbl_error err = {0};
        kit_certify(&c, &kit_cases[i]);
        memset(hash, '3', sizeof hash - 1);
        hash[sizeof hash - 1] = '\0';
        assert_int_equal(sbl_certificate_check_schema(c.text, strlen(c.text), hash, "s.json", "c.json", NULL),
                         i == 1 ? SBL_OK : SBL_EINPUT);
        hash[0] = '4';
        assert_int_equal(sbl_certificate_check_schema(c.text, strlen(c.text), hash, "s.json", "c.json", &err),
                         SBL_EINPUT);
        assert_string_equal(err.message, "s.json is not the schema that c.json names: its facts differ");
        assert_int_equal(sbl_certificate_check_schema("{", 1, hash, "s.json", "c.json", &err), SBL_EINPUT);
    }
}
