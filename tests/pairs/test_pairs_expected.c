/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan says of the error that is to be expected, beside the error of real fits. The tables are drawn by a public
 * seed, so is the noise. */
#include <math.h>
#include <stdlib.h>

#include "after/pairs/error_forecast.h"
#include "after/pairs/pairs_sampler.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/near.h"
#include "toy_table.h"

/* Columns that follow one hidden number by `strength` (0 to 1), in even cells: even shares, as the guess takes them. */
static void make(toy_table *table, size_t rows, size_t columns, const uint32_t *sizes, double strength)
{
    *table = (toy_table){.count = columns, .rows = rows, .cells = malloc(rows * columns * sizeof(uint32_t))};
    for (size_t j = 0; j < columns; j++) {
        const uint32_t cells = sizes[j % 4];
        table->columns[j] = cells > 16 ? (sbl_pairs_column){SBL_PAIRS_NUMBER, cells, cells, false, 0, NULL}
                                       : (sbl_pairs_column){SBL_PAIRS_CATEGORIES, cells, 0, false, 0, NULL};
    }
    for (size_t r = 0; r < rows; r++) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, 21, SBL_RNG_OTHER, r);
        const double hidden = sbl_model_rng_normal(&rng);
        for (size_t j = 0; j < columns; j++) {
            const double z = strength * hidden + sqrt(1 - strength * strength) * sbl_model_rng_normal(&rng);
            const double u = 0.5 * erfc(-z / sqrt(2));
            table->cells[r * columns + j] =
                (uint32_t)fmin(u * table->columns[j].cells, table->columns[j].cells - 1);
        }
    }
}

static double distance(const toy_table *table, const uint32_t *cells, size_t i, size_t j)
{
    static double gap[64 * 64];
    double sum = 0;
    for (size_t c = 0; c < 64 * 64; c++) gap[c] = 0;
    for (int real = 0; real < 2; real++)
        for (size_t r = 0; r < table->rows; r++) {
            const uint32_t *row = (real ? table->cells : cells) + r * table->count;
            size_t at[2];
            for (int s = 0; s < 2; s++) {
                const sbl_pairs_column *column = &table->columns[s ? j : i];
                at[s] = row[s ? j : i];
                if (column->kind == SBL_PAIRS_NUMBER) at[s] = at[s] * SBL_EXPECTED_PARTS / column->cells;
            }
            gap[i == j ? at[0] : at[0] * 64 + at[1]] += (real ? 1.0 : -1.0) / (double)table->rows;
        }
    for (size_t c = 0; c < 64 * 64; c++) sum += fabs(gap[c]);
    return sum / 2;
}

/* Means of the distances that a fit leaves. */
typedef struct measured {
    double column, pair, label;
} measured;

static measured measure(const toy_table *table, const uint32_t *cells)
{
    const double columns = (double)table->count, pairs = columns * (columns - 1) / 2;
    measured m = {0};
    for (size_t i = 0; i < table->count; i++)
        for (size_t j = i; j < table->count; j++) {
            const double d = distance(table, cells, i, j);
            if (i == j) m.column += d / columns;
            if (i != j) m.pair += d / pairs;
            if (i != j && i == 0) m.label += d / (columns - 1);
        }
    return m;
}

static measured fit_and_measure(toy_table *table, const sbl_pairs_setting *setting)
{
    const sbl_pairs_request request = {.rows = table->rows, .seed = 2};
    uint32_t *cells = malloc(table->rows * table->count * sizeof *cells);
    sbl_pairs_sampler *sampler;
    sbl_pairs_model model;
    sbl_error err = {0};
    assert_ok(toy_fit(table, setting, &model, &err));
    assert_ok(sbl_pairs_sampler_new(&sampler, &model, &request, &err));
    assert_ok(sbl_pairs_sampler_draw(sampler, cells, 0, table->rows, &err));
    const measured m = measure(table, cells);
    sbl_pairs_sampler_free(sampler);
    sbl_pairs_model_clear(&model);
    free(cells);
    return m;
}

static sbl_pairs_expected expect(const sbl_pairs_setting *setting)
{
    sbl_pairs_expected expected;
    sbl_error err = {0};
    assert_ok(sbl_pairs_expect(&expected, setting, &err));
    return expected;
}

static const uint32_t sizes[][4] = {{2, 5, 8, 64}, {3, 40, 40, 40}, {12, 16, 4, 10}};

/* Where columns follow each other closely every table is bought, and noise decides. */
TEST(the_guess_is_within_a_factor_of_two_and_a_half_where_columns_are_related_and_noise_is_large)
{
    for (size_t kind = 0; kind < 3; kind++)
        for (double mu = 0.03; mu < 0.1; mu *= 3) {
            CLEARED(toy_table_free) toy_table table;
            make(&table, 8000, TOY_COLUMNS, sizes[kind], 0.9);
            const sbl_pairs_setting setting = toy_setting(&table, mu);
            const sbl_pairs_expected e = expect(&setting);
            const measured m = fit_and_measure(&table, &setting);
            assert_int_equal(sbl_pairs_shape_of(&setting).course, SBL_PAIRS_SKETCH);
            assert_true(m.column > 0.5 * e.column && m.column < 1.3 * e.column);
            assert_true(m.pair > 0.4 * e.pair && m.pair < 1.3 * e.pair);
            assert_true(m.label > 0.4 * e.label && m.label < 1.3 * e.label);
        }
}

/* Where they are not, less is bought than the guess takes, and the model stays with what columns say alone: `pair` is a
 * bound from above then, up to five times too high, and `pair_least` one from below. */
TEST(the_guess_is_too_high_and_not_too_low_where_columns_are_hardly_related)
{
    for (size_t kind = 0; kind < 3; kind++) {
        CLEARED(toy_table_free) toy_table table;
        make(&table, 8000, TOY_COLUMNS, sizes[kind], 0);
        const sbl_pairs_setting setting = toy_setting(&table, 0.09);
        const sbl_pairs_expected e = expect(&setting);
        const measured m = fit_and_measure(&table, &setting);
        assert_true(m.column > 0.4 * e.column && m.column < 1.3 * e.column);
        assert_true(m.pair > 0.5 * e.pair_least && m.pair < 0.8 * e.pair);
        assert_true(e.pair_least < 0.5 * e.pair);
    }
}

TEST(courses_without_tables_of_all_pairs_say_so)
{
    CLEARED(toy_table_free) toy_table table;
    make(&table, 8000, TOY_COLUMNS, sizes[0], 0.9);
    sbl_pairs_setting setting = toy_setting(&table, 0.006);
    assert_int_equal(sbl_pairs_shape_of(&setting).course, SBL_PAIRS_LABEL);
    sbl_pairs_expected e = expect(&setting);
    const measured m = fit_and_measure(&table, &setting);
    assert_true(e.pair == 0 && e.hidden == 1);
    assert_true(m.column > 0.4 * e.column && m.column < 1.5 * e.column);
    assert_true(m.label > 0.3 * e.label && m.label < 1.5 * e.label);
    setting.mu = 1e-4;
    assert_int_equal(sbl_pairs_shape_of(&setting).course, SBL_PAIRS_ONE_WAY);
    e = expect(&setting);
    assert_true(e.pair == 0 && e.label == 0 && e.hidden == 1 && e.column > 0);
}

TEST(one_release_of_all_pairs_hides_none)
{
    CLEARED(toy_table_free) toy_table table;
    make(&table, 8000, TOY_COLUMNS, sizes[0], 0.9);
    sbl_pairs_setting setting = toy_setting(&table, 0.09);
    setting.one_round = true;
    assert_int_equal(sbl_pairs_shape_of(&setting).course, SBL_PAIRS_ALL);
    const sbl_pairs_expected e = expect(&setting);
    const measured m = fit_and_measure(&table, &setting);
    assert_true(e.hidden == 0);
    assert_true(m.pair > 0.3 * e.pair && m.pair < 1.5 * e.pair);
}

TEST(more_budget_is_expected_to_be_better)
{
    CLEARED(toy_table_free) toy_table table;
    sbl_pairs_expected before = {1, 1, 1, 1, 1};
    make(&table, 1, 18, sizes[1], 0);
    for (double mu = 0.03; mu < 30; mu *= 1.5) {
        sbl_pairs_setting setting = toy_setting(&table, mu);
        setting.rows = 8000;
        const sbl_pairs_expected e = expect(&setting);
        assert_true(e.column < before.column && e.pair < before.pair && e.pair_least < e.pair);
        /* From four groups a column on the sketch has less of the budget, and hides as much. */
        assert_true(e.label < before.label && e.hidden <= 1.01 * before.hidden);
        before = e;
    }
}

TEST(one_column_has_no_pairs)
{
    const sbl_pairs_column column = {SBL_PAIRS_CATEGORIES, 4, 0, false, 0, NULL};
    const sbl_pairs_setting setting = {&column,      .count = 1, .label = SBL_PAIRS_NO_COLUMN,
                                       .rows = 1000, .mu = 1,    .sensitivity2 = 2};
    const sbl_pairs_expected e = expect(&setting);
    /* By hand: four counts with noise sqrt 2, shares of .25: .5 * 4 * .79788 * sqrt(2) / 1000, hardly capped. */
    assert_near(e.column, 0.5 * 4 * 0.79788 * sqrt(2) / 1000, 1e-6);
    assert_true(e.pair == 0 && e.label == 0);
}
