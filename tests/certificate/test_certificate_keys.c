/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate of a release of keys, which discovers a schema: its delta, its draws, and that the schema
 * is not among what is assumed public. */

#include "base/alloc.h"
#include "certificate/certificate_kit.h"
#include "door/certificate/certificate_content.h"
#include "public/account/survival.h"
#include "support/cmocka_all.h"

/* The first of what the certificate assumes to be public. */
static void expect_first_assumption(const certified *c, const char *expected)
{
    json_auto_t *root = json_loads(c->text, 0, NULL);
    const json_t *list = json_object_get(root, "assumes_public");
    assert_string_equal(json_string_value(json_array_get(list, 0)), expected);
}

TEST(schema_that_was_discovered_is_not_assumed)
{
    certified c;
    kit_certify(&c, &kit_cases[0]);
    expect_first_assumption(&c, "schema");
    kit_clear(&c);
    kit_certify(&c, &kit_cases[KIT_KEYS]);
    kit_expect_good(c.text, &c.ledger);
    expect_first_assumption(&c, "hyper-parameters");
    kit_clear(&c);
    /* Images have no schema to discover, whatever a release is called. */
    kit_prepare(&c, &kit_cases[KIT_KEYS]);
    c.facts.data = SBL_DATA_IMAGES;
    assert_ok(sbl_certificate_write(&c.text, &c.facts, NULL));
    kit_expect_good(c.text, &c.ledger);
    expect_first_assumption(&c, "range of the pixels (0 to 255)");
    kit_clear(&c);
}

/* What is not said to be discovered is assumed. */
TEST(schema_of_nameless_releases_is_assumed)
{
    sbl_certified_release release = {0};
    sbl_certificate_content content = {.data = SBL_DATA_TABLE, .releases = &release};
    for (content.release_count = 0; content.release_count < 2; content.release_count++)
        assert_string_equal(sbl_certificate_assumes_public(&content, 0), "schema");
}

TEST(numbers_of_keys_out_of_range_are_refused)
{
    static const char block[] = "mechanisms.0.blocks.0.";
    static const struct {
        const char *field;
        json_int_t value;
        bool as_text;
        const char *part;
    } faults[] = {
        {"survival_bits", SBL_SURVIVAL_LEAST_BITS - 1, false, "survival_bits"},
        {"survival_bits", SBL_SURVIVAL_MOST_BITS + 1, false, "survival_bits"},
        {"survival_bits", 31, false, "totals"},
        {"width", (json_int_t)SBL_KEYS_MOST + 1, false, "width"},
        {"columns", 2, false, "survival_bits"},
        {"multiplier", 0, true, "multiplier"},
        {"bound2", 0, true, "bound2"},
        {"bound2", (json_int_t)SBL_KEYS_MOST + 1, true, "bound2"},
    };
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[KIT_KEYS]);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char path[128], text[32];
        (void)snprintf(path, sizeof path, "%s%s", block, faults[i].field);
        (void)snprintf(text, sizeof text, "%lld", (long long)faults[i].value);
        kit_expect_bad_change(&c, path, faults[i].as_text ? json_string(text) : json_integer(faults[i].value),
                              faults[i].part);
    }
    kit_expect_bad_change(&c, "mechanisms.0.blocks.0.name", json_string("counts"), "survival_bits");
}

TEST(keys_are_alone_gaussian_and_of_rows)
{
    for (int fault = 0; fault < 4; fault++) {
        CLEARED(kit_clear) certified c;
        kit_prepare(&c, &kit_cases[KIT_KEYS]);
        sbl_ledger_line *reserve = &c.ledger.lines[c.releases[0].seq - 1];
        if (fault == 0) c.releases[0].block_count = 2, c.blocks[1] = c.blocks[0];
        if (fault == 1) reserve->entry.mechanism = SBL_DISCRETE_LAPLACE;
        if (fault == 2) c.blocks[0].per_class = true;
        if (fault == 3) c.ledger.facts.by_person = true;
        kit_expect_not_written(&c, "field");
    }
}

TEST(delta_of_another_charge_is_not_certified)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[KIT_KEYS]);
    sbl_ledger_line *reserve = &c.ledger.lines[c.releases[0].seq - 1];
    reserve->entry.charge.delta--;
    kit_expect_bad(c.text, &c.ledger, "field 'delta'");
    sbl_free(c.text);
    c.text = NULL;
    kit_expect_not_written(&c, "field 'delta'");
}
