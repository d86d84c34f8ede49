/* SPDX-License-Identifier: Apache-2.0 */
/* Joint cells: the label is a column, and a logarithmic number is cut by its logarithm and by its
 * value. (What they share with other cells is tested with the plans of marginals.) */
#include <math.h>
#include <string.h>

#include "public/counts/pairs_plan.h"
#include "public/schema/bins.h"
#include "support/cmocka_all.h"
#include "support/near.h"

static const char text[] = JSON({"fields":[{"name":"gain","type":"integer","constraints":{"minimum":0,
    "maximum":99999,"required":true},"semblance":{"transform":"log"}},{"name":"amount","type":"number",
    "constraints":{"minimum":1,"maximum":1001},"semblance":{"transform":"log"}},
    {"name":"rank","type":"string","categoriesOrdered":true,"constraints":{"enum":["a","b","c"]}},
    {"name":"hours","type":"integer","constraints":{"minimum":1,"maximum":99,"required":true}},
    {"name":"sick","type":"string","constraints":{"enum":["no","yes"],"required":true}}],
    "semblance":{"label":"sick","task":"classification"}});

enum { GAIN, AMOUNT, RANK, HOURS, SICK, COLUMNS };

typedef struct fixture {
    sbl_schema *schema;
    sbl_heads heads;
    sbl_bins cells;
} fixture;

static void make(fixture *f, size_t bins, size_t linear)
{
    sbl_error err = {0};
    assert_ok(sbl_schema_parse(&f->schema, text, strlen(text), "test", &err));
    assert_ok(sbl_heads_init(&f->heads, f->schema, &err));
    assert_ok(sbl_bins_init_joint(&f->cells, f->schema, &f->heads, bins, 128, linear, &err));
}

static void clear(fixture *f)
{
    sbl_bins_clear(&f->cells);
    sbl_heads_clear(&f->heads);
    sbl_schema_free(f->schema);
}

TEST(the_label_is_a_column)
{
    CLEARED(clear) fixture f;
    make(&f, 32, 16);
    assert_int_equal(f.cells.count, COLUMNS);
    assert_int_equal(f.cells.classes, 1);
    assert_true(f.cells.label == SBL_NO_HEAD);
    assert_int_equal(f.cells.columns[SICK].count, 2);
    assert_int_equal(f.cells.columns[HOURS].count, 99);
}

/* Every tenth of the range and every sixteenth of the logarithm is an edge of the continuous one.
 */
TEST(a_logarithmic_number_is_cut_both_ways)
{
    CLEARED(clear) fixture f;
    make(&f, 32, 10);
    const sbl_bins_column *amount = &f.cells.columns[AMOUNT];
    for (int kind = 0; kind < 2; kind++)
        for (int i = 1; i < (kind ? 10 : 16); i++) {
            const double edge = kind ? log1p(100.0 * i) / log1p(1000) : i / 16.0;
            double nearest = 1;
            for (size_t c = 0; c + 1 < amount->intervals; c++)
                nearest = fmin(nearest, fabs(amount->edges[c] - edge));
            assert_true(nearest < 1e-3); /* but for half a step of its decimals */
        }
    /* both ends apart, 15 + 9 edges within, a missing value */
    assert_int_equal(amount->intervals, 2 + 25);
    assert_int_equal(amount->count, amount->intervals + 1);
    for (size_t c = 2; c + 1 < amount->intervals; c++) {
        assert_true(amount->high[c] > amount->low[c]);
        assert_near(amount->low[c], amount->high[c - 1], 1e-12);
    }
}

/* Each integer has one cell, cells go up with the values, and 0 has its own. */
TEST(integers_fall_into_cells_in_order)
{
    for (size_t bins = 2; bins <= 128; bins += 7) {
        CLEARED(clear) fixture f;
        make(&f, bins, SBL_PAIRS_LINEAR(bins));
        const sbl_bins_column *gain = &f.cells.columns[GAIN];
        size_t before = 0;
        for (int value = 0; value <= 99999; value += value < 300 ? 1 : 97) {
            const double numeric[2] = {sbl_column_to_unit(&gain->domain, value), 0};
            const uint32_t codes[8] = {0};
            const size_t cell = sbl_bins_find(gain, numeric, codes);
            assert_true(cell == before || cell == before + 1 || value > 300);
            assert_true(cell >= before && cell < gain->intervals);
            assert_true((value == 0) == (cell == 0));
            before = cell;
        }
        assert_true(gain->intervals <= (bins + 1) / 2 + SBL_PAIRS_LINEAR(bins) + 3);
    }
}

TEST(facts_of_pairs_follow_from_the_cells)
{
    CLEARED(clear) fixture f;
    make(&f, 40, 16);
    const sbl_pairs_column amount = sbl_pairs_column_of(&f.cells.columns[AMOUNT]);
    const sbl_pairs_column rank = sbl_pairs_column_of(&f.cells.columns[RANK]);
    const sbl_pairs_column sick = sbl_pairs_column_of(&f.cells.columns[SICK]);
    assert_int_equal(amount.kind, SBL_PAIRS_NUMBER);
    assert_int_equal(amount.cells, amount.ordered + 1);
    assert_int_equal(rank.kind, SBL_PAIRS_RANKS);
    assert_int_equal(rank.cells, 4); /* missing is one more, out of order */
    assert_int_equal(rank.ordered, 3);
    assert_int_equal(sick.kind, SBL_PAIRS_CATEGORIES);
    assert_int_equal(sick.ordered, 0);
}

TEST(impossible_numbers_of_bins_are_refused)
{
    CLEARED(clear) fixture f;
    sbl_error err = {0};
    make(&f, 40, 16);
    sbl_bins_clear(&f.cells);
    assert_int_equal(sbl_bins_init_joint(&f.cells, f.schema, &f.heads, 40, 128, 0, &err), SBL_EARG);
    assert_int_equal(sbl_bins_init_joint(&f.cells, f.schema, &f.heads, 0, 128, 8, &err), SBL_EARG);
}
