/* SPDX-License-Identifier: Apache-2.0 */
/* Cells keep their quotas, and within a code they follow the row's other columns. */
#include <math.h>
#include <stdlib.h>

#include "after/counts/spread.h"
#include "after/pairs/pairs_sampler.h"
#include "support/cmocka_all.h"
#include "support/near.h"

/* Cells 0 to 3, a value of its own, cells 5 to 8, a missing value. */
static const uint32_t code_of[10] = {0, 0, 0, 0, 1, 2, 2, 2, 2, 3};
static const float even[10] = {.25f, .25f, .25f, .25f, 1, .25f, .25f, .25f, .25f, 1};
static const sbl_code_cells number = {code_of, even, 10, 4, 9};
/* By the other column's three codes. */
static const float theta[4][3] = {{1, 0, -1}, {5, 5, 5}, {-1, 0, 1}, {7, 7, 7}};

TEST(slopes_go_to_the_next_codes_of_several_cells)
{
    sbl_pool pool = {0};
    sbl_code_places places;
    sbl_error err = {0};
    float slopes[4][3];
    assert_ok(sbl_code_places_init(&places, &pool, &number, &err));
    sbl_slopes_set(&slopes[0][0], &places, &(sbl_interaction){&theta[0][0], 3, 1, 3, NULL});
    for (size_t o = 0; o < 3; o++) {
        const float change = theta[2][o] - theta[0][o]; /* over 5 cells, for codes of 4 */
        assert_near(slopes[0][o], change / 5 * 4, 1e-6);
        assert_near(slopes[2][o], change / 5 * 4, 1e-6);
        assert_true(slopes[1][o] == 0 && slopes[3][o] == 0);
    }
    sbl_pool_clear(&pool);
}

TEST(slopes_of_groups_go_from_group_to_group)
{
    /* Codes of two cells each; the groups are 0 = {0, 1}, 1 = {2, 3}. The table lies the other way round. */
    const uint32_t of[8] = {0, 0, 1, 1, 2, 2, 3, 3};
    const float half[8] = {.5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f}, over_groups[2][2] = {{0, 3}, {1, -1}};
    const uint16_t group_of[4] = {0, 0, 1, 1};
    sbl_pool pool = {0};
    sbl_code_places places;
    sbl_error err = {0};
    float slopes[4][2];
    assert_ok(sbl_code_places_init(&places, &pool, &(sbl_code_cells){of, half, 8, 4, 8}, &err));
    sbl_slopes_set(&slopes[0][0], &places, &(sbl_interaction){&over_groups[0][0], 1, 2, 2, group_of});
    for (size_t v = 0; v < 4; v++) { /* mean places 1.5 and 5.5, codes of two cells */
        assert_near(slopes[v][0], 3.0 / 4 * 2, 1e-6);
        assert_near(slopes[v][1], -2.0 / 4 * 2, 1e-6);
    }
    sbl_pool_clear(&pool);
}

/* ---- one column ---- */

#define ROWS 40000
#define CELLS 8

/* The cells of one code of a number; every second row has the code 1 of another column, whose slope is `slope`, and the
 * rest has the opposite. */
static void spread_one(uint16_t *to, float slope, uint32_t ordered, const uint16_t *where)
{
    const uint32_t of[CELLS] = {0};
    const float share[CELLS] = {.3f, .1f, .1f, .1f, .1f, .1f, .1f, .1f}, slopes[2] = {-slope, slope};
    const sbl_code_cells column = {of, share, CELLS, 1, ordered};
    static uint16_t from[ROWS], other[ROWS];
    for (size_t r = 0; r < ROWS; r++) other[r] = r % 2;
    const sbl_lean lean = {.slopes = slopes, .other = other, .where = where, .stride = 1, .other_codes = 2};
    sbl_spread spread;
    sbl_pool pool = {0};
    sbl_model_rng rng;
    sbl_error err = {0};
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 1);
    assert_ok(sbl_spread_init(&spread, &pool, ROWS, CELLS, &err));
    sbl_spread_column(&spread, &column, &lean, 1, from, 1, to, 1, ROWS, &rng);
    sbl_pool_clear(&pool);
    size_t counts[CELLS] = {0};
    for (size_t r = 0; r < ROWS; r++) counts[to[r]]++;
    for (size_t c = 0; c < CELLS; c++) assert_near((double)counts[c], ROWS * (double)share[c], 1.01);
}

/* The mean place of rows with the other code 1, less that of the rest: the shares below a cell, and half its own. */
static double gap(const uint16_t *cells)
{
    const double places[CELLS] = {.15, .35, .45, .55, .65, .75, .85, .95};
    double sum = 0;
    for (size_t r = 0; r < ROWS; r++) sum += (r % 2 == 1 ? 1 : -1) * places[cells[r]];
    return sum / (ROWS / 2);
}

TEST(rows_lean_as_far_as_their_slopes_say_and_quotas_hold)
{
    static uint16_t cells[ROWS];
    const float slopes[] = {0, 1, -2, 30};
    for (size_t i = 0; i < 4; i++) {
        /* Means of 1 + a (2 u - 1) are a / 3 apart, less what cells of a width hide (here at most 3 %); the error is that
         * of 40,000 uniform numbers. */
        const double a = (double)slopes[i] / (2 + fabs((double)slopes[i]));
        spread_one(cells, slopes[i], CELLS, NULL);
        assert_near(gap(cells), a / 3, 0.03 * fabs(a / 3) + 5 * 0.29 / sqrt(ROWS / 4.0));
    }
}

TEST(categories_and_missing_values_do_not_lean)
{
    static uint16_t cells[ROWS];
    spread_one(cells, 30, 0, NULL);
    assert_near(gap(cells), 0, 5 * 0.29 / sqrt(ROWS / 4.0));
    spread_one(cells, 30, CELLS - 1, NULL); /* its last cell stands apart */
    assert_near(gap(cells), 0, 5 * 0.29 / sqrt(ROWS / 4.0));
}

TEST(a_lean_holds_where_it_says)
{
    static uint16_t cells[ROWS], nowhere[ROWS];
    spread_one(cells, 30, CELLS, nowhere);
    assert_near(gap(cells), 0, 5 * 0.29 / sqrt(ROWS / 4.0));
}

/* ---- two numbers of a model ---- */

#define FINE 64
#define COARSE 8
#define SPAN (FINE / COARSE)

/* P(x, y) ~ exp(4 x y) over cells, x and y from -1 to 1, by its codes. */
static void make_model(sbl_pairs_model *model, double *slope)
{
    static double joint[COARSE][COARSE];
    const uint32_t cells[2] = {FINE, FINE}, codes[2] = {COARSE, COARSE};
    double total = 0, xy = 0, xx = 0;
    sbl_error err = {0};
    size_t row = 0;
    for (size_t i = 0; i < COARSE * COARSE; i++) joint[i / COARSE][i % COARSE] = 0;
    for (size_t i = 0; i < FINE; i++)
        for (size_t j = 0; j < FINE; j++) {
            const double x = (2.0 * (double)i + 1) / FINE - 1, y = (2.0 * (double)j + 1) / FINE - 1,
                         p = exp(4 * x * y);
            joint[i / SPAN][j / SPAN] += p;
            total += p;
            xy += p * x * y;
            xx += p * x * x;
        }
    *slope = xy / xx;
    assert_ok(sbl_pairs_model_init(model, cells, codes, codes, 2, ROWS, &err));
    assert_ok(sbl_potts_add(&model->potts, 0, 1, false, &err));
    for (size_t c = 0; c < 2 * FINE; c++) {
        model->code_of[c] = (uint32_t)(c % FINE / SPAN);
        model->share[c] = 1.0f / SPAN; /* not quite: it rises to the ends */
    }
    for (size_t j = 0; j < 2; j++)
        for (uint16_t v = 0; v < COARSE; v++) model->potts.columns[j].group_of[v] = v;
    double passed = 0;
    for (size_t i = 0; i < COARSE * COARSE; i++) {
        const double p = joint[i / COARSE][i % COARSE] / total;
        model->potts.theta[i] = (float)log(p);
        for (passed += p; row < ROWS && (double)row < passed * ROWS; row++) {
            model->rows[4 * row] = model->rows[4 * row + 2] = (uint16_t)(i / COARSE);
            model->rows[4 * row + 1] = model->rows[4 * row + 3] = (uint16_t)(i % COARSE);
        }
    }
    while (row < ROWS) {
        for (size_t k = 0; k < 4; k++) model->rows[4 * row + k] = COARSE - 1;
        row++;
    }
}

static double slope_of(const sbl_pairs_model *model, const uint32_t *ordered)
{
    sbl_error err = {0};
    sbl_pairs_sampler *sampler;
    FREED(free) uint32_t *cells = malloc(2 * ROWS * sizeof *cells);
    double xy = 0, xx = 0;
    const sbl_pairs_request request = {.rows = ROWS, .seed = 3, .ordered = ordered};
    assert_ok(sbl_pairs_sampler_new(&sampler, model, &request, &err));
    assert_ok(sbl_pairs_sampler_draw(sampler, cells, 0, ROWS, &err));
    sbl_pairs_sampler_free(sampler);
    for (size_t r = 0; r < ROWS; r++) {
        const double x = (2.0 * cells[2 * r] + 1) / FINE - 1, y = (2.0 * cells[2 * r + 1] + 1) / FINE - 1;
        xy += x * y;
        xx += x * x;
    }
    return xy / xx;
}

TEST(a_slope_loses_less_to_codes)
{
    const uint32_t ordered[2] = {FINE, FINE};
    sbl_pairs_model model;
    double truth;
    make_model(&model, &truth);
    const double apart = truth - slope_of(&model, NULL), along = truth - slope_of(&model, ordered);
    assert_true(apart > 0.01 * truth); /* what codes hide */
    assert_true(fabs(along) < apart / 2);
    sbl_pairs_model_clear(&model);
}

ALL_TESTS(NULL, NULL)
