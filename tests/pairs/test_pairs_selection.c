/* SPDX-License-Identifier: Apache-2.0 */
/* The method as a whole, on a made-up table: budgets, rounds, quality, repetition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/counts/bin_codes.h"
#include "after/pairs/pairs_internal.h"
#include "after/pairs/pairs_sampler.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/near.h"
#include "toy_table.h"

FREES(sbl_pairs_selection_free);

static void setup_table(toy_table *table, size_t rows) { toy_table_make(table, rows); }

static uint32_t *draw_all(const sbl_pairs_model *model, size_t rows)
{
    sbl_error err = {0};
    sbl_pairs_sampler *sampler;
    const sbl_pairs_request request = {.rows = rows, .seed = 2};
    uint32_t *cells = malloc(rows * TOY_COLUMNS * sizeof *cells);
    assert_ok(sbl_pairs_sampler_new(&sampler, model, &request, &err));
    assert_ok(sbl_pairs_sampler_draw(sampler, cells, 0, rows, &err));
    sbl_pairs_sampler_free(sampler);
    return cells;
}

/* What the model's rows are worth: mean distance of tables. */
static double quality(toy_table *table, sbl_pairs_setting setting, int ways)
{
    sbl_pairs_model model;
    sbl_error err = {0};
    assert_ok(toy_fit(table, &setting, &model, &err));
    uint32_t *cells = draw_all(&model, table->rows);
    const double distance = toy_distance(table, cells, table->rows, ways);
    free(cells);
    sbl_pairs_model_clear(&model);
    return distance;
}

TEST(precisions_of_all_rounds_sum_to_the_budget)
{
    CLEARED(toy_table_free) toy_table table;
    setup_table(&table, 4000);
    for (int kind = 0; kind < 8; kind++) {
        sbl_pairs_setting setting = toy_setting(&table, kind < 2   ? 1
                                                        : kind < 4 ? 0.03
                                                        : kind < 6 ? 0.01
                                                                   : 1e-3);
        FREED(sbl_pairs_selection_free) sbl_pairs_selection *selection;
        sbl_error err = {0};
        double sum = 0;
        size_t rounds = 0;
        setting.one_round = kind % 2 == 1;
        assert_ok(sbl_pairs_selection_new(&selection, &setting, 0, &err));
        while (sbl_pairs_selection_plan(selection)) {
            const sbl_pairs_plan *plan = sbl_pairs_selection_plan(selection);
            assert_ok(sbl_pairs_plan_check(plan, &setting, &err));
            for (size_t t = 0; t < plan->table_count; t++) sum += plan->tables[t].precision;
            assert_ok(toy_release(&table, selection, &setting, &err));
            rounds++;
        }
        assert_near(sum, 1, 1e-9);
        assert_int_equal(rounds, sbl_pairs_shape_of(&setting).rounds);
        CLEARED(sbl_pairs_model_clear) sbl_pairs_model model;
        assert_ok(sbl_pairs_selection_fit(selection, &model, &err));
    }
}

/* With a large budget the tables of the rows are those of the table, but for rounding to rows. */
TEST(much_budget_gives_the_table_back)
{
    CLEARED(toy_table_free) toy_table table;
    setup_table(&table, 20000);
    assert_true(quality(&table, toy_setting(&table, 20), 1) < 0.004);
    assert_true(quality(&table, toy_setting(&table, 20), 2) < 0.012);
    sbl_pairs_setting one = toy_setting(&table, 20);
    one.one_round = true;
    assert_true(quality(&table, one, 2) < 0.05);
}

/* From a budget that pays for one-way tables only to a large one, more is never much worse. */
TEST(more_budget_is_not_worse)
{
    CLEARED(toy_table_free) toy_table table;
    setup_table(&table, 6000);
    double before = 1;
    for (double mu = 0.004; mu < 4; mu *= 3) {
        const double distance = quality(&table, toy_setting(&table, mu), 2);
        assert_true(distance < 1.08 * before);
        before = distance;
    }
    assert_true(before < 0.04);
}

/* What the third release gives the pairs with the label, of mu^2. */
static double label_share(toy_table *table, const sbl_pairs_setting *setting)
{
    sbl_pairs_selection *selection;
    sbl_error err = {0};
    double sum = 0;
    assert_ok(sbl_pairs_selection_new(&selection, setting, 0, &err));
    assert_ok(toy_release(table, selection, setting, &err));
    assert_ok(toy_release(table, selection, setting, &err));
    const sbl_pairs_plan *plan = sbl_pairs_selection_plan(selection);
    assert_non_null(plan);
    for (size_t t = 0; t < plan->table_count; t++)
        if (plan->tables[t].second != SBL_PAIRS_NO_MAP &&
            plan->maps[plan->tables[t].first].column == setting->label)
            sum += plan->tables[t].precision;
    sbl_pairs_selection_free(selection);
    return sum;
}

/* A fifth of mu^2 always; 2.7 over the sketch's groups where that is more, up to .3. */
TEST(pairs_with_the_label_get_more_where_noise_is_large)
{
    CLEARED(toy_table_free) toy_table table;
    setup_table(&table, 4000);
    const sbl_pairs_setting much = toy_setting(&table, 1);
    const sbl_pairs_setting some = toy_setting(&table, 0.1);
    const sbl_pairs_setting little = toy_setting(&table, 0.03);
    assert_true(2.7 / sbl_pairs_shape_of(&much).resolution < 0.2);
    assert_true(label_share(&table, &much) > 0.199);
    assert_true(2.7 / sbl_pairs_shape_of(&some).resolution > 0.4);
    assert_true(label_share(&table, &some) > 0.3 - 1e-3);
    assert_near(sbl_pairs_shape_of(&little).share[2], 0.4, 1e-12);
    assert_true(label_share(&table, &little) > 0.3 - 1e-3);
}

TEST(the_owner_chooses_what_pairs_with_the_label_get)
{
    CLEARED(toy_table_free) toy_table table;
    setup_table(&table, 4000);
    for (double share = 0.1; share < 0.42; share += 0.3) {
        sbl_pairs_setting s = toy_setting(&table, 1);
        s.label_share = share;
        assert_near(sbl_pairs_shape_of(&s).label_share, share, 1e-12);
        assert_true(label_share(&table, &s) > share - 1e-3);
        assert_true(share < 0.3 || label_share(&table, &s) < share + 1e-3);
    }
}

/* Ages of 90 years and heights of 120 cells: nearly all are adults, whose heights lie close together. */
static void grow_up(toy_table *table)
{
    table->columns[1] = (sbl_pairs_column){SBL_PAIRS_NUMBER, 90, 90, false, 0, NULL};
    table->columns[2] = (sbl_pairs_column){SBL_PAIRS_NUMBER, 120, 120, false, 0, NULL};
    for (size_t r = 0; r < table->rows; r++) {
        uint32_t *row = table->cells + r * TOY_COLUMNS;
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, 13, SBL_RNG_OTHER, r);
        row[1] = (uint32_t)sbl_model_rng_below(&rng, 90);
        const double grown = row[1] < 18 ? 12 + 4.5 * row[1] : 93;
        const double tall = grown + 4 * sbl_model_rng_normal(&rng);
        row[2] = tall < 0 ? 0 : tall < 119 ? (uint32_t)tall : 119;
    }
}

/* Mean cell of the height of ages 0 to 2, 1 in 30 of the rows. */
static double infants(const uint32_t *cells, size_t rows)
{
    double sum = 0, count = 0;
    for (size_t r = 0; r < rows; r++)
        if (cells[r * TOY_COLUMNS + 1] <= 2) {
            sum += cells[r * TOY_COLUMNS + 2];
            count++;
        }
    return sum / count;
}

/* As many noises to a row as 60,000 rows have at epsilon 1. */
TEST(a_small_group_at_the_end_of_a_number_keeps_its_own_values)
{
    CLEARED(toy_table_free) toy_table table;
    CLEARED(sbl_pairs_model_clear) sbl_pairs_model model;
    sbl_error err = {0};
    setup_table(&table, 20000);
    grow_up(&table);
    const sbl_pairs_setting setting = toy_setting(&table, 0.75);
    assert_ok(toy_fit(&table, &setting, &model, &err));
    assert_true(model.potts.columns[1].codes <= SBL_PAIRS_MOST_NUMBER_CODES);
    assert_true(model.potts.columns[2].codes <= SBL_PAIRS_MOST_NUMBER_CODES);
    FREED(free) uint32_t *cells = draw_all(&model, table.rows);
    assert_near(infants(cells, table.rows), infants(table.cells, table.rows), 4);
}

TEST(one_way_tables_alone_give_independent_columns)
{
    CLEARED(toy_table_free) toy_table table;
    CLEARED(sbl_pairs_model_clear) sbl_pairs_model model;
    sbl_error err = {0};
    setup_table(&table, 2000);
    const sbl_pairs_setting setting = toy_setting(&table, 1e-3);
    assert_int_equal(sbl_pairs_shape_of(&setting).course, SBL_PAIRS_ONE_WAY);
    assert_ok(toy_fit(&table, &setting, &model, &err));
    assert_int_equal(model.potts.block_count, 0);
    assert_int_equal(model.row_count, 2000);
}

static bool models_are_equal(const sbl_pairs_model *a, const sbl_pairs_model *b)
{
    return a->row_count == b->row_count && a->potts.theta_count == b->potts.theta_count &&
           a->potts.bias_count == b->potts.bias_count &&
           memcmp(a->rows, b->rows, a->row_count * 2 * TOY_COLUMNS * sizeof *a->rows) == 0 &&
           memcmp(a->potts.theta, b->potts.theta, a->potts.theta_count * sizeof(float)) == 0 &&
           memcmp(a->potts.bias, b->potts.bias, a->potts.bias_count * sizeof(float)) == 0;
}

TEST(the_same_releases_give_the_same_model_on_any_number_of_threads)
{
    CLEARED(toy_table_free) toy_table table;
    sbl_pairs_model one, two, other;
    sbl_error err = {0};
    setup_table(&table, 5000);
    sbl_pairs_setting setting = toy_setting(&table, 1);
    const int before = sbl_thread_limit();
    sbl_thread_set(1);
    assert_ok(toy_fit(&table, &setting, &one, &err));
    sbl_thread_set(4);
    assert_ok(toy_fit(&table, &setting, &two, &err));
    setting.seed = 6;
    assert_ok(toy_fit(&table, &setting, &other, &err));
    sbl_thread_set(before);
    assert_true(models_are_equal(&one, &two));
    assert_false(models_are_equal(&one, &other));
    sbl_pairs_model_clear(&one);
    sbl_pairs_model_clear(&two);
    sbl_pairs_model_clear(&other);
}

static sbl_status copy_plan(sbl_pairs_plan *copy, const sbl_pairs_plan *plan, const toy_table *table,
                            sbl_error *err)
{
    sbl_status status = SBL_OK;
    *copy = (sbl_pairs_plan){0};
    for (size_t m = 0; m < plan->map_count; m++)
        SBL_TRY(sbl_pairs_plan_add_map(copy, NULL, &plan->maps[m], table->columns[plan->maps[m].column].cells,
                                       err));
    for (size_t t = 0; t < plan->table_count; t++)
        SBL_TRY(sbl_pairs_plan_add_table(copy, plan->tables[t].first, plan->tables[t].second,
                                         plan->tables[t].precision, err));
done:
    return status;
}

/* Releases kept on disk carry their plans: a second selection that is told other codes and groups than
 * it would have chosen fits over those. */
TEST(a_study_takes_the_codes_of_the_plan_it_is_given)
{
    CLEARED(toy_table_free) toy_table table;
    FREED(sbl_pairs_selection_free) sbl_pairs_selection *selection;
    CLEARED(sbl_pairs_plan_clear) sbl_pairs_plan plan;
    CLEARED(sbl_pairs_model_clear) sbl_pairs_model model;
    sbl_error err = {0};
    static double values[64][4096], noise[64];
    const double *pointers[64];
    setup_table(&table, 5000);
    const sbl_pairs_setting setting = toy_setting(&table, 1);
    assert_ok(sbl_pairs_selection_new(&selection, &setting, 0, &err));
    assert_ok(toy_release(&table, selection, &setting, &err));
    assert_ok(copy_plan(&plan, sbl_pairs_selection_plan(selection), &table, &err));
    for (size_t m = 0; m < plan.map_count; m++) /* the coin has one code only */
        if (plan.maps[m].column == 5) {
            plan.maps[m].cells = 1;
            plan.maps[m].of[0] = plan.maps[m].of[1] = 0;
        }
    for (size_t t = 0; t < plan.table_count; t++) {
        noise[t] = 1;
        pointers[t] = values[t];
        toy_counts(&table, &plan, t, 1, values[t]);
    }
    assert_ok(sbl_pairs_selection_take(selection, &plan, pointers, noise, &err));
    assert_ok(toy_release(&table, selection, &setting, &err));
    assert_ok(sbl_pairs_selection_fit(selection, &model, &err));
    assert_int_equal(model.potts.columns[5].codes, 1);
}

TEST(releases_out_of_turn_are_refused)
{
    CLEARED(toy_table_free) toy_table table;
    sbl_pairs_selection *selection;
    sbl_pairs_model model;
    sbl_error err = {0};
    const sbl_pairs_plan empty = {0};
    setup_table(&table, 500);
    const sbl_pairs_setting setting = toy_setting(&table, 1e-3);
    assert_ok(sbl_pairs_selection_new(&selection, &setting, 0, &err));
    assert_int_equal(sbl_pairs_selection_fit(selection, &model, &err), SBL_EARG);
    assert_int_equal(sbl_pairs_selection_take(selection, &empty, NULL, NULL, &err), SBL_EINPUT);
    assert_ok(toy_release(&table, selection, &setting, &err));
    assert_null(sbl_pairs_selection_plan(selection));
    assert_int_equal(sbl_pairs_selection_take(selection, &empty, NULL, NULL, &err), SBL_EINPUT);
    sbl_pairs_selection_free(selection);
    sbl_pairs_selection_free(NULL);
}

/* A single column, and columns of a single cell, have no pairs worth a table. */
TEST(narrow_tables_are_fitted_too)
{
    CLEARED(toy_table_free) toy_table table;
    sbl_pairs_model model;
    sbl_error err = {0};
    setup_table(&table, 3000);
    sbl_pairs_setting setting = toy_setting(&table, 5);
    setting.count = 1;
    assert_ok(toy_fit(&table, &setting, &model, &err));
    assert_int_equal(model.potts.count, 1);
    sbl_pairs_model_clear(&model);
    for (size_t r = 0; r < table.rows; r++)
        table.cells[r * TOY_COLUMNS + 4] = table.cells[r * TOY_COLUMNS + 5] = 0;
    table.columns[4].cells = table.columns[5].cells = 1;
    setting = toy_setting(&table, 5);
    assert_ok(toy_fit(&table, &setting, &model, &err));
    assert_int_equal(model.potts.columns[4].codes, 1);
    sbl_pairs_model_clear(&model);
}

/* The label (0) hangs together with column 4 as the coin (5) does with column 3: of the last of four categories nearly all rows
 * are of the first class, but for `rare` of them. */
static void make_two_alike(toy_table *table, size_t rare)
{
    static const size_t columns[2][2] = {{4, 0}, {3, 5}};
    table->columns[0] = table->columns[5] = (sbl_pairs_column){SBL_PAIRS_CATEGORIES, 2, 0, false, 0, NULL};
    table->columns[3] = table->columns[4] = (sbl_pairs_column){SBL_PAIRS_CATEGORIES, 4, 0, false, 0, NULL};
    for (size_t r = 0; r < table->rows; r++) {
        uint32_t *row = table->cells + r * TOY_COLUMNS;
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, 14, SBL_RNG_OTHER, r);
        for (size_t k = 0; k < 2; k++) {
            const bool is_rare = r % (table->rows / rare) == k;
            const uint32_t of = is_rare ? 3 : (uint32_t)sbl_model_rng_below(&rng, 4);
            row[columns[k][0]] = of;
            row[columns[k][1]] = of == 3 ? (is_rare ? 1 : 0) : (uint32_t)sbl_model_rng_below(&rng, 2);
        }
    }
}

/* Rows of the last category and the second class. */
static size_t count_rare(const uint32_t *cells, size_t rows, size_t of, size_t class)
{
    size_t count = 0;
    for (size_t r = 0; r < rows; r++)
        count += cells[r * TOY_COLUMNS + of] == 3 && cells[r * TOY_COLUMNS + class] == 1;
    return count;
}

/* The next release without noise, of which as much is claimed as there would be. What is claimed of the table of these columns,
 * if it is in the plan. */
static double release_exactly(toy_table *table, sbl_pairs_selection *selection,
                              const sbl_pairs_setting *setting, size_t of, size_t class)
{
    static double values[64][8192], noise[64];
    const sbl_pairs_plan *plan = sbl_pairs_selection_plan(selection);
    const double *pointers[64];
    double found = 0;
    sbl_error err = {0};
    assert_true(plan->table_count <= 64);
    for (size_t t = 0; t < plan->table_count; t++) {
        const sbl_pairs_table *one = &plan->tables[t];
        assert_true(sbl_pairs_table_entries(plan, t) <= 8192);
        noise[t] = sbl_pairs_unit_noise(setting) / sqrt(one->precision);
        toy_counts(table, plan, t, 0, values[t]);
        pointers[t] = values[t];
        if (one->second == SBL_PAIRS_NO_MAP) continue;
        const size_t a = plan->maps[one->first].column, b = plan->maps[one->second].column;
        if ((a == of && b == class) || (a == class && b == of)) found = noise[t];
    }
    assert_ok(sbl_pairs_selection_take(selection, plan, pointers, noise, &err));
    return found;
}

/* Of a cell with fewer rows than its noise, where thousands would be if columns were independent, a table says that there are none;
 * not one of the label, of which models would learn that a category decides the class (docs/mechanisms/pairs.md). With holes
 * there the model has 1 such row. */
TEST(tables_of_the_label_have_no_holes)
{
    const size_t rows = 20000, rare = 20;
    CLEARED(toy_table_free) toy_table table;
    FREED(sbl_pairs_selection_free) sbl_pairs_selection *selection;
    CLEARED(sbl_pairs_model_clear) sbl_pairs_model model;
    sbl_error err = {0};
    double noise = 0;
    setup_table(&table, rows);
    make_two_alike(&table, rare);
    assert_int_equal(count_rare(table.cells, rows, 4, 0), rare);
    assert_int_equal(count_rare(table.cells, rows, 3, 5), rare);
    const sbl_pairs_setting setting = toy_setting(&table, 0.2);
    assert_int_equal(sbl_pairs_shape_of(&setting).course, SBL_PAIRS_SKETCH);
    assert_ok(sbl_pairs_selection_new(&selection, &setting, 0, &err));
    while (sbl_pairs_selection_plan(selection)) noise = release_exactly(&table, selection, &setting, 4, 0);
    assert_true((double)rare < noise && noise < 2.0 * (double)rare);
    assert_ok(sbl_pairs_selection_fit(selection, &model, &err));
    FREED(free) uint32_t *cells = draw_all(&model, rows);
    const size_t of_label = count_rare(cells, rows, 4, 0), of_coin = count_rare(cells, rows, 3, 5);
    if (of_label < rare / 2 || of_label > 2 * rare || of_coin > rare / 3)
        fail_msg("%zu with the label, %zu with the coin", of_label, of_coin);
}

TEST(models_of_the_choice_have_the_rows_that_the_sketch_can_tell)
{
    sbl_pairs_selection selection = {.setting = {.rows = 90000}, .state_rows = 90000};
    selection.shape.resolution = 11;
    selection.shape.share[1] = 0.2;
    assert_near(sbl_selection_groups(&selection.shape), 11, 1e-12);
    size_t before = 0;
    for (double noise = 400; noise > 5; noise /= 2) {
        selection.sketch_noise2 = noise * noise;
        const size_t rows = sbl_selection_choice_rows(&selection);
        const double error = noise * noise / 8.1e9 * sqrt(2) * 10; /* of an energy of 11 by 11 groups */
        assert_true(rows >= 8192 && rows <= 90000 && rows >= before);
        if (rows != 8192 && rows != 90000) assert_near(1 / (double)rows, 0.25 * error, 1e-3 * error);
        before = rows;
    }
    assert_int_equal(before, 90000); /* little noise: all of them */
    selection.state_rows = 500;
    assert_int_equal(sbl_selection_choice_rows(&selection), 500);
}
