/* SPDX-License-Identifier: Apache-2.0 */
#include "certificate/certificate_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "door/certificate/certificate_content.h"
#include "ledger/ledger_kit.h"
#include "public/account/survival.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

#define LAPLACE .mechanism = SBL_DISCRETE_LAPLACE
#define ADD_REMOVE .neighbours = SBL_ADD_REMOVE
#define BUDGET(e, d) .epsilon = e, .delta = d
#define ONE_RUN .run_only = true

const kit_case kit_cases[] = {
    {"gaussian, replace-one, one run", BUDGET("2", "1e-05"), ONE_RUN},
    {"gaussian, replace-one, beside another", BUDGET("4", "1e-06"), .also_public = true,
     .mu2_limit = SBL_FIXED96_ONE},
    {"gaussian, add-remove, beside a pure one", ADD_REMOVE, BUDGET("4", "1e-06"), .other_is_pure = true},
    {"laplace, pure", LAPLACE, BUDGET("2", "0")},
    {"laplace, one run", LAPLACE, ADD_REMOVE, BUDGET("2", "1e-05"), ONE_RUN},
    {"test key", BUDGET("2", "1e-05"), .test_key = true, ONE_RUN},
    {"no budget", BUDGET("inf", "1e-05"), ONE_RUN},
    {"moments, gaussian, replace-one", BUDGET("2", "1e-05"), ONE_RUN, .moments = true},
    {"moments, gaussian, add-remove, mean withheld", ADD_REMOVE, BUDGET("4", "1e-06"), .moments = true,
     .withheld = true},
    {"moments, laplace, replace-one", LAPLACE, BUDGET("2", "0"), .moments = true},
    {"two releases, gaussian, replace-one, one run", BUDGET("2", "1e-05"), ONE_RUN, .twice = true},
    {"two releases, laplace, add-remove, beside another", LAPLACE, ADD_REMOVE, BUDGET("2", "0"),
     .twice = true},
    {"persons, gaussian, replace-one, one run", BUDGET("16", "1e-05"), ONE_RUN, .rows_per_unit = 3},
    {"keys, gaussian, replace-one, one run", BUDGET("2", "1e-05"), ONE_RUN, .keys = true},
    {"whole persons, gaussian, replace-one, one run", BUDGET("16", "1e-05"), ONE_RUN, .rows_per_unit = 3,
     .rows_together = 50},
    {"third period, gaussian, replace-one, beside another", BUDGET("2", "1e-05"), .succeeds = true},
    {"third period, budget of mu^2 alone, test key", BUDGET("none", "1e-05"), ONE_RUN, .succeeds = true,
     .test_key = true},
};
const size_t kit_case_count = sizeof kit_cases / sizeof kit_cases[0];

/* Blocks by name, width, bound2, bound1 and the exponent of their multiplier. */
#define SIGNED(n, w, b2, b1, m)                                               \
    {                                                                         \
        .name = n, .width = w, .per_class = true, .bound2 = b2, .bound1 = b1, \
        .multiplier = UINT64_C(1) << (m)                                      \
    }
#define NONNEGATIVE(n, w, b2, b1, m)                                            \
    {                                                                           \
        .name = n, .width = w, .nonnegative = true, .bound2 = b2, .bound1 = b1, \
        .multiplier = UINT64_C(1) << (m)                                        \
    }
#define COUNTS(m) NONNEGATIVE("counts", 2, 1, 1, m)
#define SQUARED(n, w, sign, k, m)                                                                   \
    {                                                                                               \
        .name = n, .width = w, .per_class = true, .nonnegative = sign, .bound2 = UINT64_C(1) << 56, \
        .multiplier = m, .kind = k, .source = "mean"                                                \
    }

/* Signed per class, non-negative over all, counts. */
static void make_blocks(certified *c, sbl_mechanism mechanism)
{
    const bool pure = mechanism == SBL_DISCRETE_LAPLACE;
    const sbl_block blocks[KIT_BLOCKS] = {
        SIGNED("embed", 10, UINT64_C(1) << 56, UINT64_C(3) << 28, pure ? 22 : 25),
        NONNEGATIVE("cat.hist", 5, 9, 5, pure ? 50 : 52),
        COUNTS(pure ? 51 : 53),
    };
    memcpy(c->blocks, blocks, sizeof blocks);
    c->block_count = KIT_BLOCKS;
}

static void make_keys(certified *c)
{
    c->blocks[0] = (sbl_block)NONNEGATIVE("keys", 4, 3, 3, 52);
    c->blocks[0].survival_bits = 30;
    c->block_count = 1;
}

/* By hand: three keys of a record go and three others come, each a step of 2^52; one that nobody else
 * has is named with probability 2^-30, of either record. Noise is drawn for all that there could be. */
static sbl_ledger_entry make_keys_entry(void)
{
    sbl_ledger_entry entry = kit_gaussian(1);
    (void)snprintf(entry.name, sizeof entry.name, "discover.keys");
    entry.joint = (sbl_u128)6 << 104;
    assert_ok(sbl_charge_from_joint(&entry.charge, entry.mechanism, entry.joint, SBL_KEYS_MOST, NULL));
    entry.charge.delta = (sbl_u128)6 << 66;
    return entry;
}

/* And how many persons have 1, 2, ... rows. */
static void add_persons(certified *c, const kit_case *k)
{
    sbl_block *persons = &c->blocks[c->block_count++];
    *persons = sbl_block_of_persons(k->rows_per_unit);
    persons->multiplier = UINT64_C(1) << 45;
}

/* By hand. Gaussian, replace-one, k = 3: nine times a row; two pairs of rows exchanged, a row added and
 * a person counted elsewhere, which costs 2^91, is less. */
static sbl_u128 joint_of_persons(sbl_u128 row) { return 9 * row; }

/* A mean of two classes within R = 2^14, squares and products of 4 of its 5 coordinates, counts. */
static void make_moments(certified *c, const kit_case *k)
{
    const bool pure = k->mechanism == SBL_DISCRETE_LAPLACE;
    const sbl_block blocks[KIT_MOST_BLOCKS] = {
        SIGNED("mean", 5, UINT64_C(1) << 28, UINT64_C(3) << 14, pure ? 36 : 39),
        SQUARED("moments.squares", 4, true, SBL_BLOCK_SQUARES, UINT64_C(3) << (pure ? 22 : 23)),
        SQUARED("moments.products", 6, false, SBL_BLOCK_PRODUCTS, UINT64_C(4) << (pure ? 22 : 23)),
        COUNTS(pure ? 51 : 53),
    };
    const size_t first = k->withheld ? 1 : 0;
    c->block_count = KIT_MOST_BLOCKS - first;
    memcpy(c->blocks, blocks + first, c->block_count * sizeof *blocks);
}

/* By hand. Gaussian: A = 2^(2 * 39 + 28) = 2^106; B = 9 2^(46 + 56) = 9 2^102 (products: 16 / 2);
 * counts 2^106. Same label: 2 A + 2 B + A^2 / (2 B), A^2 / (2 B) = 2^212 / (9 2^103) = 2^109 / 9;
 * label change: 2 A + 2 B + 2 counts, which is more. Add-remove, no mean: B + counts.
 * Laplace: label change: mean 2 * 3 * 2^50, moments 4 2^22 * 5 * 2^28, counts 2 * 2^51. */
static sbl_u128 joint_of_moments(const kit_case *k)
{
    const sbl_u128 a = (sbl_u128)1 << 106;
    const sbl_u128 b = (sbl_u128)9 << 102;
    if (k->mechanism == SBL_DISCRETE_LAPLACE)
        return ((sbl_u128)6 << 50) + ((sbl_u128)20 << 50) + ((sbl_u128)2 << 51);
    return k->withheld ? b + a : 2 * a + 2 * b + 2 * a;
}

/* By hand, from the table of sensitivities: embed 4 / 2 / 1, hist 2 / 2 / 1, counts 0 / 2 / 1. */
static sbl_u128 joint_of(const certified *c, sbl_mechanism mechanism, sbl_neighbours neighbours)
{
    sbl_u128 part[KIT_BLOCKS];
    for (size_t b = 0; b < KIT_BLOCKS; b++) {
        const sbl_u128 m = c->blocks[b].multiplier;
        part[b] = mechanism == SBL_DISCRETE_LAPLACE ? m * c->blocks[b].bound1 : m * m * c->blocks[b].bound2;
    }
    if (neighbours == SBL_ADD_REMOVE) return part[0] + part[1] + part[2];
    const sbl_u128 same = (mechanism == SBL_DISCRETE_LAPLACE ? 2 : 4) * part[0] + 2 * part[1];
    const sbl_u128 change = 2 * part[0] + 2 * part[1] + 2 * part[2];
    return same > change ? same : change;
}

/* The first of two releases: a mean of two classes within 2^14, counts. */
static void make_first(certified *c, sbl_mechanism mechanism)
{
    const bool pure = mechanism == SBL_DISCRETE_LAPLACE;
    const sbl_block blocks[KIT_FIRST_BLOCKS] = {
        SIGNED("mean", 5, UINT64_C(1) << 28, UINT64_C(3) << 14, pure ? 36 : 37),
        COUNTS(pure ? 50 : 52),
    };
    memcpy(c->first_blocks, blocks, sizeof blocks);
}

/* By hand. Gaussian: the mean 2^(74 + 28), counts 2^104; Laplace: 3 2^50 and 2^50. Under
 * replace-one a change of label moves both by two, which is more than 4 2^102 of the mean alone. */
static sbl_ledger_entry make_first_entry(const kit_case *k)
{
    sbl_ledger_entry entry = kit_gaussian(1);
    const sbl_u128 one = k->mechanism == SBL_DISCRETE_LAPLACE ? (sbl_u128)4 << 50
                                                              : ((sbl_u128)1 << 102) + ((sbl_u128)1 << 104);
    (void)snprintf(entry.name, sizeof entry.name, "test.first");
    entry.mechanism = k->mechanism;
    entry.joint = k->neighbours == SBL_ADD_REMOVE ? one : 2 * one;
    assert_ok(sbl_charge_from_joint(&entry.charge, k->mechanism, entry.joint, 12, NULL));
    return entry;
}

static sbl_ledger_entry make_entry(const certified *c, const kit_case *k)
{
    if (k->keys) return make_keys_entry();
    sbl_ledger_entry entry = kit_gaussian(1);
    entry.mechanism = k->mechanism;
    entry.joint = k->moments ? joint_of_moments(k) : joint_of(c, k->mechanism, k->neighbours);
    const bool persons = k->rows_per_unit != 0 && k->rows_together == 0;
    if (persons) entry.joint = joint_of_persons(entry.joint);
    const uint64_t draws = (!k->moments ? 27 : k->withheld ? 22 : 32) + (persons ? k->rows_per_unit : 0);
    assert_ok(sbl_charge_from_joint(&entry.charge, k->mechanism, entry.joint, draws, NULL));
    return entry;
}

static sbl_ledger_entry make_other(const kit_case *k)
{
    const bool pure = k->other_is_pure || k->mechanism == SBL_DISCRETE_LAPLACE;
    return pure ? kit_laplace(8) : kit_gaussian(8);
}

static void put(const char *path, sbl_ledger_entry entry, const kit_case *k)
{
    entry.neighbours = k->neighbours;
    entry.rows_per_unit = k->rows_together != 0 ? 1 : k->rows_per_unit;
    entry.n_public = k->neighbours == SBL_REPLACE_ONE && k->rows_per_unit == 0;
    entry.n = entry.n_public ? 1000 : 0;
    entry.test_key = k->test_key;
    kit_release(path, &entry);
}

static const char kit_schema[] = "3333333333333333333333333333333333333333333333333333333333333333";
static const char *const kit_of[KIT_BLOCKS] = {
    "age + gr\xc3\xb6\xc3\x9f"
    "e",
    "age x ward", "ward"};

/* A release of this run in the ledger, and among the facts. */
static void put_own(certified *c, sbl_ledger_entry entry, const sbl_block *blocks, size_t count,
                    const kit_case *k)
{
    const uint64_t before = (k->run_only ? 0 : 1) + c->facts.release_count;
    put(c->path, entry, k);
    c->releases[c->facts.release_count++] = (sbl_certificate_release){
        .seq = 2 * before + 1, /* each is a RESERVE and a COMMIT */
        .classes = 2,
        .blocks = blocks,
        .block_count = count,
        .of = k->also_public ? kit_of : NULL,
    };
}

const sbl_certified_file kit_files[2] = {
    {true, "1111111111111111111111111111111111111111111111111111111111111111", ""},
    {false, "2222222222222222222222222222222222222222222222222222222222222222", ""},
};

sbl_release_evidence kit_evidence(const certified *c, size_t release)
{
    const sbl_certificate_release *own = &c->releases[release];
    const sbl_ledger_line *line = &c->ledger.lines[own->seq - 1];
    sbl_release_evidence evidence = {
        .where = "x.release",
        .rid = line->rid,
        .ledger = c->ledger.id,
        .seq = own->seq,
        .name = line->entry.name,
        .mechanism = line->entry.mechanism,
        .neighbours = line->entry.neighbours,
        .rows_per_unit = c->facts.rows_together != 0 ? 1 : line->entry.rows_per_unit,
        .rows_together = c->facts.rows_together,
        .n = line->entry.n,
        .classes = own->classes,
        .blocks = own->blocks,
        .block_count = own->block_count,
        .of = own->of};
    if (c->facts.schema != NULL) memcpy(evidence.schema, kit_schema, sizeof evidence.schema);
    sbl_hex_encode(evidence.plan, line->entry.plan_hash, SBL_SHA256_SIZE);
    sbl_hex_encode(evidence.hash, c->ledger.lines[own->seq].release_hash, SBL_SHA256_SIZE);
    return evidence;
}

const sbl_certified_health kit_health[2] = {{"age", 2043, 57},
                                            {"gr\xc3\xb6\xc3\x9f"
                                             "e",
                                             -13, 57}};

static sbl_certified_relation kit_suspects[] = {{"age", "ward"}};
static const sbl_certified_relations kit_relations = {
    .measured = 10, .seen = 7, .suspects = kit_suspects, .suspect_count = 1};

/* The ledger of a third period: two earlier ones have a release each. */
static void make_periods(certified *c, const kit_case *k, const sbl_ledger_facts *facts)
{
    char earlier[2][300];
    (void)snprintf(earlier[0], sizeof earlier[0], "%s/first", c->folder);
    (void)snprintf(earlier[1], sizeof earlier[1], "%s/second", c->folder);
    const sbl_store_entry first = sbl_file_item(earlier[0]);
    assert_ok(sbl_ledger_create(first, facts, NULL));
    put(earlier[0], kit_laplace(8), k);
    assert_ok(sbl_ledger_succeed(first, sbl_file_item(earlier[1]), facts, "one", NULL));
    put(earlier[1], kit_gaussian(8), k);
    assert_ok(sbl_ledger_succeed(sbl_file_item(earlier[1]), sbl_file_item(c->path), facts, "two", NULL));
}

void kit_prepare(certified *c, const kit_case *k)
{
    static const char *const also[] = {"kernel width", "number of bins (64)"};
    sbl_ledger_facts facts = kit_facts(k->epsilon, k->delta);
    memset(c, 0, sizeof *c);
    facts.neighbours = k->neighbours;
    facts.test_key = k->test_key;
    facts.by_person = k->rows_per_unit != 0;
    if (facts.by_person) facts.rows_per_unit = k->rows_per_unit;
    facts.budget.mu2 = k->mu2_limit;
    temp_folder_make(c->folder);
    (void)snprintf(c->path, sizeof c->path, "%s/l", c->folder);
    if (k->succeeds)
        make_periods(c, k, &facts);
    else
        assert_ok(sbl_ledger_create(sbl_file_item(c->path), &facts, NULL));
    if (k->moments)
        make_moments(c, k);
    else if (k->keys)
        make_keys(c);
    else
        make_blocks(c, k->mechanism);
    if (k->rows_per_unit != 0 && k->rows_together == 0) add_persons(c, k);
    if (!k->run_only) put(c->path, make_other(k), k);
    c->facts = (sbl_certificate_facts){
        .rows_together = k->rows_together,
        .ledger = &c->ledger,
        .ledger_covers_run_only = k->run_only,
        .releases = c->releases,
        .delta = strtod(k->delta, NULL),
        .files = kit_files,
        .file_count = 2,
        .health = kit_health,
        .health_count = 2,
        .relations = k->also_public ? &kit_relations : NULL,
        .method = "summary",
        .title = k->also_public ? "Patients of the Charit\xc3\xa9" : NULL,
        .by = k->also_public ? "A. Officer" : NULL,
        .schema = k->also_public ? kit_schema : NULL,
        .origin = "declared",
        .trained_on = k->also_public ? "cuda:0 Some Card" : NULL,
        .also_public = k->also_public ? also : NULL,
        .also_public_count = k->also_public ? 2 : 0,
    };
    if (k->twice) {
        make_first(c, k->mechanism);
        put_own(c, make_first_entry(k), c->first_blocks, KIT_FIRST_BLOCKS, k);
    }
    put_own(c, make_entry(c, k), c->blocks, c->block_count, k);
    assert_ok(sbl_ledger_read(&c->ledger, sbl_file_item(c->path), NULL));
}

void kit_certify(certified *c, const kit_case *k)
{
    sbl_error err = {0};
    kit_prepare(c, k);
    if (sbl_certificate_write(&c->text, &c->facts, &err) != SBL_OK) fail_msg("%s: %s", k->name, err.message);
}

void kit_clear(certified *c)
{
    sbl_free(c->text);
    sbl_ledger_view_clear(&c->ledger);
    temp_folder_remove(c->folder);
}

void kit_seal(json_t *certificate)
{
    char digest[SBL_SHA256_TEXT_SIZE];
    (void)json_object_del(certificate, "digest");
    assert_ok(sbl_certificate_digest(digest, certificate, NULL));
    assert_int_equal(json_object_set_new(certificate, "digest", json_string(digest)), 0);
}

char *kit_change(const char *text, const char *path, json_t *value)
{
    json_t *root = json_loads(text, 0, NULL);
    json_t *node = root;
    char key[64];
    assert_non_null(root);
    for (;;) {
        const size_t length = strcspn(path, ".");
        (void)snprintf(key, sizeof key, "%.*s", (int)length, path);
        path += length;
        if (*path++ == '\0') break;
        node = json_is_array(node) ? json_array_get(node, (size_t)atoi(key)) : json_object_get(node, key);
        assert_non_null(node);
    }
    if (json_is_array(node)) {
        const size_t i = (size_t)atoi(key);
        if (value == NULL)
            assert_int_equal(json_array_remove(node, i), 0);
        else if (i == json_array_size(node))
            assert_int_equal(json_array_append_new(node, value), 0);
        else
            assert_int_equal(json_array_set_new(node, i, value), 0);
    } else if (value == NULL) {
        assert_int_equal(json_object_del(node, key), 0);
    } else {
        assert_int_equal(json_object_set_new(node, key, value), 0);
    }
    if (json_object_get(root, "digest") != NULL && strcmp(key, "digest") != 0) kit_seal(root);
    char *changed = json_dumps(root, JSON_REAL_PRECISION(17));
    json_decref(root);
    return changed;
}

void kit_expect_good(const char *text, const sbl_ledger_view *ledger)
{
    sbl_error err = {0};
    char *statement = NULL;
    assert_ok_or_say(sbl_certificate_check(&statement, text, strlen(text), ledger, "c.json", &err));
    assert_non_null(statement);
    sbl_free(statement);
}

void kit_expect_bad(const char *text, const sbl_ledger_view *ledger, const char *part)
{
    sbl_error err = {0};
    char *statement = (char *)1;
    assert_int_equal(sbl_certificate_check(&statement, text, strlen(text), ledger, "c.json", &err),
                     SBL_EINPUT);
    assert_null(statement);
    assert_null(strchr(err.message, '\n'));
    if (strstr(err.message, part) == NULL) fail_msg("'%s' lacks '%s'", err.message, part);
}

void kit_expect_bad_change(const certified *c, const char *path, json_t *value, const char *part)
{
    char *text = kit_change(c->text, path, value);
    kit_expect_bad(text, NULL, part);
    free(text);
}

void kit_expect_not_written(const certified *c, const char *part)
{
    char *text = (char *)1;
    sbl_error err = {0};
    assert_int_equal(sbl_certificate_write(&text, &c->facts, &err), SBL_EINPUT);
    assert_null(text);
    if (strstr(err.message, part) == NULL) fail_msg("'%s' lacks '%s'", err.message, part);
}
