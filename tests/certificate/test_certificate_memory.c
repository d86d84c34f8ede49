/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates when memory runs out: the library's own and Jansson's, at every allocation. */
#include <string.h>

#include "base/alloc.h"
#include "base/sha256.h"
#include "certificate/certificate_kit.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

static bool hash_fails;

sbl_status __real_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err);
sbl_status __wrap_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err);
sbl_status __wrap_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err)
{
    if (hash_fails) return sbl_fail(err, SBL_EINTERNAL, "no SHA-256");
    return __real_sbl_sha256(digest, first, first_size, second, second_size, err);
}

static void write_without_memory(certified *c)
{
    for (int kind = 0; kind < 2; kind++) {
        for (long n = 1;; n++) {
            char *text = (char *)1;
            if (kind == 0) sbl_test_fail_alloc(n);
            if (kind == 1) sbl_test_fail_json(n);
            const sbl_status status = sbl_certificate_write(&text, &c->facts, NULL);
            const bool failed = kind == 0 ? sbl_test_alloc_failed() : sbl_test_json_failed();
            sbl_test_fail_alloc(0);
            sbl_test_fail_json(0);
            if (!failed) {
                assert_ok(status);
                sbl_free(text);
                break;
            }
            /* Jansson may do without; then nothing may be missing. */
            if (status == SBL_OK) {
                assert_int_equal(kind, 1);
                assert_string_equal(text, c->text);
                sbl_free(text);
                continue;
            }
            assert_int_equal(status, SBL_EMEM);
            assert_null(text);
        }
    }
}

/* A JSON that cannot be parsed for lack of memory is not told from a malformed one. */
static void check_without_memory(certified *c)
{
    for (int kind = 0; kind < 2; kind++) {
        for (long n = 1;; n++) {
            char *statement = (char *)1;
            if (kind == 0) sbl_test_fail_alloc(n);
            if (kind == 1) sbl_test_fail_json(n);
            const sbl_status status =
                sbl_certificate_check(&statement, c->text, strlen(c->text), &c->ledger, "c.json", NULL);
            const bool failed = kind == 0 ? sbl_test_alloc_failed() : sbl_test_json_failed();
            sbl_test_fail_alloc(0);
            sbl_test_fail_json(0);
            if (!failed) {
                assert_ok(status);
                sbl_free(statement);
                break;
            }
            assert_int_not_equal(status, SBL_OK);
            assert_null(statement);
        }
    }
}

static sbl_status hold_against_files(const certified *c)
{
    const sbl_release_evidence evidence = kit_evidence(c, 0);
    const size_t length = strlen(c->text);
    char *stripped = NULL, *brief = NULL;
    sbl_status status = sbl_certificate_check_releases(c->text, length, &evidence, 1, "c.json", NULL);
    if (status == SBL_OK)
        status = sbl_certificate_check_file(c->text, length, &kit_files[0], "m", "c.json", NULL);
    if (status == SBL_OK) status = sbl_certificate_without_files(&stripped, c->text, length, "c.json", NULL);
    if (status == SBL_OK) status = sbl_certificate_shorten(&brief, c->text, length, "c.json", NULL);
    sbl_free(stripped);
    sbl_free(brief);
    return status;
}

static void files_without_memory(const certified *c)
{
    for (int kind = 0; kind < 2; kind++) {
        for (long n = 1;; n++) {
            if (kind == 0) sbl_test_fail_alloc(n);
            if (kind == 1) sbl_test_fail_json(n);
            const sbl_status status = hold_against_files(c);
            const bool failed = kind == 0 ? sbl_test_alloc_failed() : sbl_test_json_failed();
            sbl_test_fail_alloc(0);
            sbl_test_fail_json(0);
            if (!failed) {
                assert_ok(status);
                break;
            }
            /* Jansson may do without. */
            if (kind == 0) assert_int_not_equal(status, SBL_OK);
        }
    }
}

TEST(running_out_of_memory_is_a_clean_error)
{
    static const size_t cases[] = {1, 3, KIT_TWO_RELEASES};
    for (size_t i = 0; i < 3; i++) {
        CLEARED(kit_clear) certified c;
        kit_certify(&c, &kit_cases[cases[i]]);
        write_without_memory(&c);
        check_without_memory(&c);
        files_without_memory(&c);
    }
    CLEARED(kit_clear) certified persons;
    kit_certify(&persons, &kit_cases[KIT_PERSONS]);
    write_without_memory(&persons);
}

TEST(failing_hash_is_a_clean_error)
{
    CLEARED(kit_clear) certified c;
    char *text = NULL;
    kit_certify(&c, &kit_cases[0]);
    hash_fails = true;
    assert_int_equal(sbl_certificate_write(&text, &c.facts, NULL), SBL_EINTERNAL);
    assert_null(text);
    assert_int_equal(sbl_certificate_check(NULL, c.text, strlen(c.text), NULL, "c.json", NULL),
                     SBL_EINTERNAL);
    hash_fails = false;
}

ALL_TESTS(sbl_test_watch_json, NULL)
