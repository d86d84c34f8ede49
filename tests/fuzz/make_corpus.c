/* SPDX-License-Identifier: Apache-2.0 */
/* Writes starting points for the fuzz targets of ledgers, certificates, releases, plans, parts, models and
 * packages:
 *     make_corpus tests/fuzz/corpus */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "certificate/certificate_kit.h"
#include "door/release/release.h"
#include "ledger/ledger_kit.h"
#include "part_plan.h"
#include "run/methods/method.h"
#include "support/json_text.h"
#include "support/model_kit.h"
#include "support/temp_folder.h"

static const char *corpus;

static const char *target(const char *folder, const char *name)
{
    static char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", corpus, folder);
    (void)mkdir(path, 0755);
    (void)snprintf(path, sizeof path, "%s/%s/%s", corpus, folder, name);
    return path;
}

static void write_ledgers(void **state)
{
    (void)state;
    char folder[256];
    size_t size;
    temp_folder_make(folder);
    const char *path = in_folder(folder, "l");
    kit_make_sample(path);
    char *text = slurp(path, &size);
    const size_t first = strcspn(text, "\n") + 1;
    const size_t second = first + strcspn(text + first, "\n") + 1;
    kit_write(target("fuzz_ledger", "every_kind_of_line"), text, size);
    kit_write(target("fuzz_ledger", "new"), text, first);
    kit_write(target("fuzz_ledger", "torn_reserve"), text, second - 1);
    kit_write(target("fuzz_ledger", "torn_within"), text, second - 200);
    kit_write(target("fuzz_ledger", "half_a_first_line"), text, first / 2);
    kit_write(target("fuzz_ledger", "empty"), text, 0);
    text[second - 10] ^= 1;
    kit_write(target("fuzz_ledger", "edited"), text, second);
    memset(text + second - 60, 0, 20);
    kit_write(target("fuzz_ledger", "lost_block"), text, second);
    free(text);
    temp_folder_remove(folder);
}

static void write_certificates(void **state)
{
    (void)state;
    for (size_t i = 0; i < kit_case_count; i++) {
        certified c;
        char name[32];
        (void)snprintf(name, sizeof name, "case_%zu", i);
        kit_certify(&c, &kit_cases[i]);
        kit_write(target("fuzz_certificate", name), c.text, strlen(c.text));
        kit_clear(&c);
    }
    kit_write(target("fuzz_certificate", "empty_object"), "{}", 2);
    kit_write(target("fuzz_certificate", "other_version"),
              "{\"format\":\"semblance-certificate\",\"version\":1}", 46);
}

static void write_releases(void **state)
{
    (void)state;
    sbl_block blocks[3] = {{.name = "embed",
                            .width = 2,
                            .per_class = true,
                            .bound2 = 1 << 20,
                            .scale = 2.5,
                            .multiplier = 1 << 20},
                           [2] = sbl_block_of_counts(2)};
    blocks[1] = sbl_block_of_moments("squares", SBL_BLOCK_SQUARES, &blocks[0], 1);
    blocks[1].multiplier = blocks[2].multiplier = 9;
    sbl_i128 values[8] = {1, -1, (sbl_i128)1 << 100, 0, 5, 6, 7, 8};
    sbl_release release = {"a.b",
                           .rid = "0123456789abcdef0123456789abcdef",
                           .ledger = "0123456789abcdef0123456789abcdef",
                           .seq = 1,
                           .n = 10,
                           .classes = 2,
                           .counts = true,
                           .plan = strdup("{}"),
                           .blocks = blocks,
                           .block_count = 3,
                           .values = values,
                           .value_count = 8};
    size_t size;
    assert_int_equal(
        sbl_release_save(&release, sbl_file_item(target("fuzz_release", "small")), true, NULL, NULL, NULL),
        SBL_OK);
    release.neighbours = SBL_ADD_REMOVE;
    release.mechanism = SBL_DISCRETE_LAPLACE;
    release.test_key = true;
    assert_int_equal(
        sbl_release_save(&release, sbl_file_item(target("fuzz_release", "laplace")), true, NULL, NULL, NULL),
        SBL_OK);
    sbl_release_key keys[2] = {{0, strdup("Ayr")}, {1, strdup("Bath, old")}};
    sbl_block tally = {"keys",      .width = 2,   .nonnegative = true, .bound2 = 2,
                       .bound1 = 2, .scale = 1.0, .multiplier = 9,     .survival_bits = 20};
    sbl_release named = release;
    named.mechanism = SBL_DISCRETE_GAUSSIAN;
    named.classes = 1;
    named.counts = false;
    named.blocks = &tally;
    named.block_count = 1;
    named.value_count = 2;
    named.keys = keys;
    assert_int_equal(
        sbl_release_save(&named, sbl_file_item(target("fuzz_release", "keys")), true, NULL, NULL, NULL),
        SBL_OK);
    free(keys[0].text);
    free(keys[1].text);
    char *bytes = slurp(target("fuzz_release", "small"), &size);
    kit_write(target("fuzz_release", "cut_short"), bytes, size - 20);
    kit_write(target("fuzz_release", "prefix_only"), bytes, 16);
    bytes[8] = 2;
    kit_write(target("fuzz_release", "other_version"), bytes, size);
    bytes[8] = 1;
    bytes[15] = 127;
    kit_write(target("fuzz_release", "huge_header"), bytes, size);
    free(bytes);
    free(release.plan);
}

static void write_models(void **state)
{
    (void)state;
    for (const sbl_model_kind *const *k = sbl_model_kinds; *k != NULL; k++)
        for (data_case c = 0; c < DATA_CASES; c++) {
            char name[64];
            sbl_model *model = model_make((*k)->name, c);
            (void)snprintf(name, sizeof name, "%s_%d", (*k)->name, (int)c);
            if (model != NULL)
                assert_int_equal(sbl_model_save(model, sbl_file_item(target("fuzz_model", name)), true, NULL),
                                 SBL_OK);
            sbl_model_free(model);
        }
}

/* A copy with the sign behind the first `found` made another, into the corpus. */
static void write_changed(const char *folder, const char *name, const char *bytes, size_t size,
                          const char *found, char sign)
{
    char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    char *place = memmem(copy, size, found, strlen(found));
    assert_non_null(place);
    place[strlen(found)] = sign;
    kit_write(target(folder, name), copy, size);
    free(copy);
}

/* Plans of a table and of sites; the inner plan is any text. */
static void write_plans(void **state)
{
    (void)state;
    char why[] = "auto took pairs", plan[] = "{\"version\":1}";
    sbl_site sites[2] = {{"north", {1}}, {"south", {2}}};
    sbl_plan_file file = {.epsilon = 1, .delta = 1e-6, .rows = 1000, .why = why, .plan = plan};
    char folder[256];
    temp_folder_make(folder);
    for (int i = 0; i < 2; i++) {
        size_t size;
        const char *path = in_folder(folder, "p");
        file.sites = i == 0 ? NULL : sites;
        file.site_count = i == 0 ? 0 : 2;
        file.one_site = i == 1;
        assert_int_equal(sbl_plan_file_save(&file, NULL, sbl_file_item(path), true, NULL), SBL_OK);
        char *text = slurp(path, &size);
        kit_write(target("fuzz_plan", i == 0 ? "table" : "sites"), text, size);
        if (i == 0) {
            kit_write(target("fuzz_plan", "cut_short"), text, size - 20);
            write_changed("fuzz_plan", "other_version", text, size, "\"semblance-plan\":", '3');
            write_changed("fuzz_plan", "no_epsilon", text, size, "\"epsilon\":", '0');
            write_changed("fuzz_plan", "no_round_id", text, size, "\"round_id\":\"", 'x');
            write_changed("fuzz_plan", "no_relation", text, size, "\"neighbours\":\"", 'x');
            write_changed("fuzz_plan", "not_canonical", text, size, "\"epsilon\":1.", '1');
        } else {
            write_changed("fuzz_plan", "no_site_name", text, size, "nort", '/');
        }
        free(text);
    }
    kit_write(target("fuzz_plan", "empty_object"), "{}", 2);
    temp_folder_remove(folder);
}

static void write_parts(void **state)
{
    (void)state;
    sbl_part part = {0};
    sbl_sum *sum = NULL;
    const sbl_part_id one = {"1/2", 1}, two = {"2/2", 3};
    const sbl_store_entry whole = sbl_file_item(target("fuzz_part", "whole"));
    size_t size;
    assert_int_equal(sbl_part_add_id(&part, &one, "x", NULL), SBL_OK);
    assert_int_equal(sbl_part_add_id(&part, &two, "x", NULL), SBL_OK);
    assert_int_equal(sbl_sum_new(&sum, &part_layout, NULL), SBL_OK);
    assert_int_equal(sbl_part_take(&part, sum, NULL), SBL_OK);
    assert_int_equal(sbl_part_save(&part, &part_plan, &part_layout, whole, true, NULL), SBL_OK);
    char *bytes = slurp(target("fuzz_part", "whole"), &size);
    kit_write(target("fuzz_part", "cut_short"), bytes, size - 8);
    kit_write(target("fuzz_part", "prefix_only"), bytes, 25);
    write_changed("fuzz_part", "other_version", bytes, size, "\"version\":", '2');
    write_changed("fuzz_part", "other_plan", bytes, size, "\"plan\":\"", '1');
    write_changed("fuzz_part", "other_words", bytes, size, "\"words\":", '2');
    /* Words in the clear: sealed by the target. No rows, and then more than there may be. */
    memset(bytes + size - 16 - 8 * part.word_count, 0, 8 * part.word_count);
    kit_write(target("fuzz_part", "clear"), bytes, size);
    write_changed("fuzz_part", "part_twice", bytes, size, "\"part\":\"", '2');
    write_changed("fuzz_part", "no_name", bytes, size, "\"part\":\"", '0');
    write_changed("fuzz_part", "not_canonical", bytes, size, "\"note\":\"", 's');
    memset(bytes + size - 16 - 8 * part.word_count, 0x7f, 8 * part.word_count);
    kit_write(target("fuzz_part", "too_large"), bytes, size);
    bytes[24] = 0x7f;
    kit_write(target("fuzz_part", "huge_header"), bytes, size);
    free(bytes);
    sbl_sum_free(sum);
    sbl_part_clear(&part);
}

/* A package, and its tables behind a byte 0x1e each: visits hang on persons, drugs on visits, and of each person
 * there is one card at most. */
#define TABLE(name, key, fields) "{\"name\":\"" name "\",\"schema\":{" key "\"fields\":[" fields "]"
#define KEY(field) "\"primaryKey\":\"" field "\","
#define NAMES(field, table, key)                                                                             \
    "\"foreignKeys\":[{\"fields\":\"" field "\",\"reference\":{\"resource\":\"" table "\",\"fields\":\"" key \
    "\"}}],"
#define SEX \
    JSON({"name":"id"},{"name":"sex","type":"string","constraints":{"enum":["f","m"],"required":true}})
#define DAY \
    JSON({"name":"visit"},{"name":"person"},{"name":"day","type":"integer", \
    "constraints":{"minimum":0,"maximum":99,"required":true}})
#define DRUG JSON({"name":"visit"},{"name":"dose","type":"number","constraints":{"minimum":0,"maximum":9}})
#define CARD JSON({"name":"id"},{"name":"kind","type":"string","constraints":{"enum":["gold","grey"]}})
#define PERSONS TABLE("persons", KEY("id"), SEX) "}}"
#define VISITS_OF(table)                                            \
    TABLE("visits", KEY("visit") NAMES("person", table, "id"), DAY) \
    ",\"semblance\":{\"order\":\"day\",\"max_rows_per_unit\":3}}}"
#define DRUGS                                               \
    TABLE("drugs", NAMES("visit", "visits", "visit"), DRUG) \
    ",\"semblance\":{\"max_rows_per_unit\":2}}}"
#define CARDS TABLE("cards", KEY("id") NAMES("id", "persons", "id"), CARD) "}}"
#define PACKAGE(tables) "{\"resources\":[" tables "]}"
#define THREE PACKAGE(PERSONS "," VISITS_OF("persons") "," DRUGS)

static void write_packages(void **state)
{
    static const struct {
        const char *name, *package, *tables[3];
    } cases[] = {
        {"whole",
         THREE,
         {"id,sex\n1,f\n2,m\n3,f\n", "visit,person,day\nA,1,30\nB,2,5\nC,1,10\n",
          "visit,dose\nA,1.5\nC,\nB,9\nC,2\n"}},
        {"orphans",
         THREE,
         {"id,sex\n1,f\n2,m\n", "visit,person,day\nA,9,30\nB,,5\nC,1,10\n",
          "visit,dose\nZ,1\n,2\nA,3\nC,4\n"}},
        {"keys_repeat",
         THREE,
         {"id,sex\n1,f\n1,m\n1.0,f\n", "visit,person,day\nA,1,3\nA,1,2\nA,1,1\nA,1,0\n",
          "visit,dose\nA,1\nA,2\nA,3\n"}},
        {"no_keys", THREE, {"id,sex\n,f\n,m\n", "visit,person,day\n,1,3\n,,2\n", "visit,dose\n,1\n"}},
        {"bad_cells",
         THREE,
         {"id,sex\n1,?\n2\n3,f,m\n", "visit,person,day\nA,1,-5\nB,1,1e99\nC,1,nan\n",
          "visit,dose\nA,x\nA,-0\n"}},
        {"quoted",
         THREE,
         {"id,sex\n\"1\n\",f\n\" 2 \",m\n", "visit,person,day\n\"A\",2,3\n", "visit,dose\nA,\"1,5\"\n"}},
        {"header_only", THREE, {"id,sex\n", "visit,person,day\n", "visit,dose\n"}},
        {"empty_tables", THREE, {"", "", ""}},
        {"other_columns", THREE, {"sex\nf\n", "visit,day\nA,1\n", "dose,visit\n1,A\n"}},
        {"one_card_each",
         PACKAGE(PERSONS "," CARDS),
         {"id,sex\n1,f\n2,m\n", "id,kind\n1,gold\n1,grey\n3,gold\n"}},
        {"no_tables", THREE, {0}},
        {"children_first", PACKAGE(DRUGS "," VISITS_OF("persons") "," PERSONS), {0}},
        {"two_roots", PACKAGE(PERSONS "," TABLE("others", KEY("id"), SEX) "}}"), {0}},
        {"named_twice", PACKAGE(PERSONS "," PERSONS), {0}},
        {"circle", PACKAGE(PERSONS "," VISITS_OF("visits")), {0}},
        {"no_such_parent", PACKAGE(PERSONS "," VISITS_OF("others")), {0}},
        {"no_resources", PACKAGE(""), {0}},
        {"resource_is_no_object", PACKAGE("7"), {0}},
        {"cut_short", "{\"resources\":[{\"name\":\"persons\",\"schema\":{", {0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        int length = snprintf(text, sizeof text, "%s", cases[i].package);
        for (size_t t = 0; t < 3 && cases[i].tables[t] != NULL; t++)
            length += snprintf(text + length, sizeof text - (size_t)length, "\x1e%s", cases[i].tables[t]);
        kit_write(target("fuzz_package", cases[i].name), text, (size_t)length);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_ledgers),      cmocka_unit_test(write_models),
        cmocka_unit_test(write_certificates), cmocka_unit_test(write_releases),
        cmocka_unit_test(write_plans),        cmocka_unit_test(write_parts),
        cmocka_unit_test(write_packages),
    };
    if (argc != 2) return 2;
    corpus = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
