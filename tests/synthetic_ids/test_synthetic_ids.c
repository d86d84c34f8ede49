/* SPDX-License-Identifier: Apache-2.0 */
/* Ids are unique and look as declared; fakes are of the lists; a cell is a function of schema, seed
 * and number alone. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "after/synthetic_ids/synthetic_ids.h"
#include "base/alloc.h"
#include "support/cmocka_all.h"

FREES(sbl_free);

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static char *id_of(const char *how, uint64_t key, uint64_t number)
{
    sbl_text cell = {0};
    sbl_synthetic_id(&cell, how, key, number);
    assert_false(cell.failed);
    return cell.data;
}

static void assert_looks(const char *text, const char *pattern)
{
    CLEARED(regfree) regex_t compiled;
    assert_int_equal(regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB), 0);
    if (regexec(&compiled, text, 0, NULL, 0) != 0) fail_msg("'%s' is no '%s'", text, pattern);
}

static void check_unique(const char *how, const char *pattern, size_t count)
{
    char **all = calloc(count, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < count; i++) {
        all[i] = id_of(how, 7, i);
        if (i % 97 == 0) assert_looks(all[i], pattern);
    }
    qsort(all, count, sizeof *all, by_text);
    for (size_t i = 1; i < count; i++) assert_string_not_equal(all[i - 1], all[i]);
    for (size_t i = 0; i < count; i++) sbl_free(all[i]);
    free(all);
}

TEST(test_ids_are_unique)
{
    check_unique("sequential", "^[1-9][0-9]*$", 5000);
    check_unique("uuid", "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", 20000);
    check_unique("P-######", "^P-[0-9]{6}$", 20000);
    check_unique("#/A#", "^[0-9]/A[0-9]$", 100); /* every one of them */
}

/* More rows than a pattern has ids: more digits, and still no two alike. */
TEST(test_a_full_pattern_grows)
{
    check_unique("K##", "^K[0-9]{2,}$", 1500);
    FREED(sbl_free) char *id = id_of("K##-#", 1, 12345);
    assert_string_equal(id, "K1234-5");
}

TEST(test_ids_follow_the_seed)
{
    size_t same = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        FREED(sbl_free) char *a = id_of("######", 1, i);
        FREED(sbl_free) char *b = id_of("######", 2, i);
        FREED(sbl_free) char *c = id_of("######", 1, i);
        same += strcmp(a, b) == 0;
        assert_string_equal(a, c);
    }
    assert_true(same < 5);
}

TEST(test_permutation)
{
    static const uint64_t counts[] = {1, 2, 3, 10, 100, 257, 1000, 4096};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        unsigned char seen[4096] = {0};
        for (uint64_t i = 0; i < counts[c]; i++) {
            const uint64_t to = sbl_synthetic_permute(i, counts[c], 99 + c);
            assert_true(to < counts[c]);
            assert_int_equal(seen[to]++, 0);
        }
    }
    const uint64_t most = UINT64_C(1) << 60;
    assert_true(sbl_synthetic_permute(most - 1, most, 5) < most);
}

TEST(test_fakes)
{
    static const struct {
        const char *what, *pattern;
    } kinds[] = {
        {"name", "^[A-Z][a-z]+ [A-Z][a-z]+$"},    {"email", "^[a-z]+\\.[a-z]+[1-9][0-9]*@example\\.org$"},
        {"phone", "^\\+999 [0-9]{3} [0-9]{4}$"},  {"street", "^[1-9][0-9]* [A-Z][a-z]+ [A-Z][a-z]+$"},
        {"first_name", "^[A-Z][a-z]+$"},          {"last_name", "^[A-Z][a-z]+$"},
        {"city", "^[A-Z][a-z]+( [A-Z][a-z]+)?$"}, {"text", "^[A-Z][a-z]* [a-z A-Z]+\\.$"}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (uint64_t i = 0; i < 300; i++) {
            CLEARED(sbl_text_clear) sbl_text cell = {0};
            CLEARED(sbl_text_clear) sbl_text again = {0};
            sbl_synthetic_fake(&cell, kinds[k].what, NULL, 3, i);
            sbl_synthetic_fake(&again, kinds[k].what, NULL, 3, i);
            assert_looks(cell.data, kinds[k].pattern);
            assert_string_equal(cell.data, again.data);
        }
}

/* No first name is that of both sexes, names and e-mails agree, and the last name does not depend on the sex. */
TEST(first_names_fit_the_sex)
{
    for (uint64_t i = 0; i < 200; i++) {
        CLEARED(sbl_text_clear) sbl_text she = {0};
        CLEARED(sbl_text_clear) sbl_text he = {0};
        CLEARED(sbl_text_clear) sbl_text last = {0};
        CLEARED(sbl_text_clear) sbl_text whole = {0};
        sbl_synthetic_fake(&she, "first_name", "Female", 3, i);
        sbl_synthetic_fake(&last, "last_name", NULL, 3, i);
        sbl_synthetic_fake(&whole, "name", "f", 3, i);
        for (uint64_t j = 0; j < 50; j++) {
            he.length = 0;
            sbl_synthetic_fake(&he, "first_name", "m", 3, j);
            assert_string_not_equal(she.data, he.data);
        }
        sbl_text_printf(&she, " %s", last.data);
        assert_string_equal(she.data, whole.data);
    }
}

TEST(test_cells_of_a_schema)
{
    static const char text[] =
        JSON({"fields":[{"name":"a","semblance":{"role":"id"}},
        {"name":"b","semblance":{"role":"constant","constant":"north, 1"}},
        {"name":"c","semblance":{"role":"ignore"}},{"name":"d","semblance":{"role":"fake","fake":"city"}},
        {"name":"x","type":"integer","constraints":{"minimum":0,"maximum":9}}]});
    sbl_schema *schema;
    sbl_error err;
    assert_ok(sbl_schema_parse(&schema, text, strlen(text), "text", &err));
    static const char *const expected[] = {"5", "north, 1", ""};
    for (size_t c = 0; c < 3; c++) {
        CLEARED(sbl_text_clear) sbl_text cell = {0};
        sbl_synthetic_cell(&cell, schema, c, NULL, 1, 4);
        assert_string_equal(cell.data != NULL ? cell.data : "", expected[c]);
    }
    char *json = sbl_schema_json(schema);
    sbl_schema *again;
    assert_ok(sbl_schema_parse(&again, json, strlen(json), "json", &err));
    char *same = sbl_schema_json(again);
    assert_string_equal(json, same);
    assert_non_null(strstr(json, "\"constant\":\"north, 1\""));
    sbl_free(json);
    sbl_free(same);
    sbl_schema_free(schema);
    sbl_schema_free(again);
}
