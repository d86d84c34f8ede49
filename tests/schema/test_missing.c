/* SPDX-License-Identifier: Apache-2.0 */
/* Which missing values cannot be told from noise, and which code is theirs. */
#include "public/schema/missing.h"

#include <string.h>

#include "support/cmocka_all.h"

TEST(bound_holds_for_all_columns_together)
{
    /* One chance in 1,000 of K columns: 3.09 deviations of one, 3.72 of ten, 4.26 of a hundred. */
    static const struct {
        size_t columns;
        double below, above;
    } bounds[] = {{1, 3.08, 3.10}, {10, 3.71, 3.73}, {100, 4.26, 4.27}};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const double noise = 7;
        assert_true(sbl_missing_is_noise(noise * bounds[i].below, noise, false, bounds[i].columns));
        assert_false(sbl_missing_is_noise(noise * bounds[i].above, noise, false, bounds[i].columns));
    }
}

TEST(laplace_noise_has_a_longer_tail)
{
    assert_true(sbl_missing_is_noise(6.0, 1, true, 10));
    assert_false(sbl_missing_is_noise(6.1, 1, true, 10));
    assert_false(sbl_missing_is_noise(4.5, 1, false, 10));
}

TEST(counts_at_or_below_0_are_noise)
{
    assert_true(sbl_missing_is_noise(0, 1, false, 1));
    assert_true(sbl_missing_is_noise(-5, 1, true, 1));
    assert_true(sbl_missing_is_noise(0, 0, false, 1));
    assert_false(sbl_missing_is_noise(1, 0, false, 1)); /* without noise a count is what it is */
}

TEST(heads_know_the_code_of_missing_values)
{
    static const char text[] = JSON({"fields": [{"name": "a", "type": "integer", "constraints": {"minimum": 0,
        "maximum": 9},
        "semblance": {"spikes": [0]}}, {"name": "b", "type": "string", "constraints": {"enum": ["x", "y"]}},
        {"name": "c", "type": "string", "constraints": {"enum": ["x", "y"], "required": true}},
        {"name": "d", "semblance": {"role": "ignore"}}]});
    sbl_schema *schema = NULL;
    sbl_heads heads;
    assert_ok(sbl_schema_parse(&schema, text, strlen(text), "s", NULL));
    assert_ok(sbl_heads_init(&heads, schema, NULL));
    assert_int_equal(heads.count, 4);
    assert_int_equal(sbl_head_missing(&heads.items[0], schema), SBL_NO_CODE); /* the number itself */
    assert_int_equal(sbl_head_missing(&heads.items[1], schema), 1);           /* beside its spike */
    assert_int_equal(sbl_head_missing(&heads.items[2], schema), 2);
    assert_int_equal(sbl_head_missing(&heads.items[3], schema), SBL_NO_CODE);
    assert_int_equal(sbl_missing_columns(schema), 2);
    sbl_heads_clear(&heads);
    sbl_schema_free(schema);
}
