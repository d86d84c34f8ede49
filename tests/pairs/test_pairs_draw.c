/* SPDX-License-Identifier: Apache-2.0 */
/* Rows from a fitted model: as many as are wanted, with columns fixed, by seed. */
#include <stdlib.h>
#include <string.h>

#include "after/pairs/pairs_sampler.h"
#include "base/compute/threads.h"
#include "support/cmocka_all.h"
#include "support/near.h"
#include "toy_table.h"

#define ROWS 6000

static toy_table table;
static sbl_pairs_model model;

static int fit_model(void **state)
{
    (void)state;
    sbl_error err = {0};
    toy_table_make(&table, ROWS);
    const sbl_pairs_setting setting = toy_setting(&table, 5);
    return toy_fit(&table, &setting, &model, &err) == SBL_OK ? 0 : -1;
}

AROUND(free_model)
{
    sbl_pairs_model_clear(&model);
    toy_table_free(&table);
}

static uint32_t *draw(const sbl_pairs_request *request, size_t step)
{
    sbl_error err = {0};
    sbl_pairs_sampler *sampler;
    uint32_t *cells = malloc(request->rows * TOY_COLUMNS * sizeof *cells);
    assert_ok(sbl_pairs_sampler_new(&sampler, &model, request, &err));
    for (uint64_t first = 0; first < request->rows; first += step) {
        const uint64_t left = request->rows - first;
        assert_ok(sbl_pairs_sampler_draw(sampler, cells + first * TOY_COLUMNS, first,
                                         left < step ? (size_t)left : step, &err));
    }
    sbl_pairs_sampler_free(sampler);
    for (size_t i = 0; i < request->rows * TOY_COLUMNS; i++)
        assert_true(cells[i] < table.columns[i % TOY_COLUMNS].cells);
    return cells;
}

TEST(any_number_of_rows_has_the_same_tables)
{
    const uint64_t numbers[] = {ROWS / 2, ROWS, ROWS + 1, 3 * ROWS + 17};
    for (size_t i = 0; i < 4; i++) {
        const sbl_pairs_request request = {.rows = numbers[i], .seed = 1};
        FREED(free) uint32_t *cells = draw(&request, 1000);
        const double one = toy_distance(&table, cells, numbers[i], 1);
        const double two = toy_distance(&table, cells, numbers[i], 2);
        assert_true(one < (i == 0 ? 0.02 : 0.008));
        assert_true(two < (i == 0 ? 0.05 : 0.03));
    }
}

TEST(rows_do_not_depend_on_threads_or_on_how_they_are_cut)
{
    const sbl_pairs_request request = {.rows = 2 * ROWS + 5, .seed = 3};
    const size_t bytes = request.rows * TOY_COLUMNS * sizeof(uint32_t);
    const int before = sbl_thread_limit();
    sbl_thread_set(1);
    uint32_t *one = draw(&request, request.rows);
    sbl_thread_set(3);
    uint32_t *cut = draw(&request, 777);
    sbl_thread_set(before);
    assert_memory_equal(one, cut, bytes);
    free(cut);
    const sbl_pairs_request other = {.rows = 2 * ROWS + 5, .seed = 4};
    cut = draw(&other, 777);
    assert_memory_not_equal(one, cut, bytes);
    free(one);
    free(cut);
}

/* Rows of a later pass are not those of the first again. */
TEST(later_passes_are_not_copies)
{
    const sbl_pairs_request request = {.rows = 2 * ROWS, .seed = 1};
    uint32_t *cells = draw(&request, ROWS);
    size_t same = 0;
    for (size_t r = 0; r < 500; r++) {
        const uint32_t *row = cells + (ROWS + r) * TOY_COLUMNS;
        for (size_t q = 0; q < ROWS; q++)
            if (memcmp(row, cells + q * TOY_COLUMNS, TOY_COLUMNS * sizeof *row) == 0) {
                same++;
                break;
            }
    }
    assert_true(same < 450);
    free(cells);
}

/* A common value: the rows that have it are the sample, and other columns follow it. */
TEST(fixed_columns_are_obeyed_and_followed)
{
    uint32_t fixed[TOY_COLUMNS];
    for (size_t j = 0; j < TOY_COLUMNS; j++) fixed[j] = SBL_PAIRS_FREE;
    fixed[0] = 2;
    const sbl_pairs_request request = {.rows = 4000, .seed = 1, .fixed = fixed};
    FREED(free) uint32_t *cells = draw(&request, 999);
    double real = 0, number = 0, drawn = 0;
    for (size_t r = 0; r < table.rows; r++)
        if (table.cells[r * TOY_COLUMNS] == 2) {
            real += table.cells[r * TOY_COLUMNS + 1];
            number++;
        }
    for (size_t r = 0; r < 4000; r++) {
        assert_int_equal(cells[r * TOY_COLUMNS], 2);
        drawn += cells[r * TOY_COLUMNS + 1] / 4000.0;
    }
    assert_near(drawn, real / number, 1.5); /* cells within a code do not know the label */
}

/* Rare and impossible combinations of any columns are obeyed too. */
TEST(rare_conditions_are_drawn_from_the_parameters)
{
    uint32_t fixed[TOY_COLUMNS] = {0, SBL_PAIRS_FREE, 19, SBL_PAIRS_FREE, 29, SBL_PAIRS_FREE};
    const sbl_pairs_request request = {.rows = 1500, .seed = 1, .fixed = fixed};
    FREED(free) uint32_t *cells = draw(&request, 1500);
    bool varies = false;
    for (size_t r = 0; r < 1500; r++) {
        const uint32_t *row = cells + r * TOY_COLUMNS;
        assert_true(row[0] == 0 && row[2] == 19 && row[4] == 29);
        varies = varies || row[5] != cells[5];
    }
    assert_true(varies);
}

TEST(impossible_requests_are_refused)
{
    sbl_error err = {0};
    sbl_pairs_sampler *sampler;
    uint32_t fixed[TOY_COLUMNS] = {3, 0, 0, 0, 0, 0}, cells[TOY_COLUMNS];
    sbl_pairs_request request = {.rows = 0};
    assert_int_equal(sbl_pairs_sampler_new(&sampler, &model, &request, &err), SBL_EARG);
    request = (sbl_pairs_request){.rows = 1, .fixed = fixed};
    assert_int_equal(sbl_pairs_sampler_new(&sampler, &model, &request, &err), SBL_EARG);
    assert_null(sampler);
    request.fixed = NULL;
    assert_ok(sbl_pairs_sampler_new(&sampler, &model, &request, &err));
    assert_int_equal(sbl_pairs_sampler_draw(sampler, cells, 1, 1, &err), SBL_EARG);
    assert_ok(sbl_pairs_sampler_draw(sampler, cells, 0, 1, &err));
    sbl_pairs_sampler_free(sampler);
}

ALL_TESTS(fit_model, free_model)
