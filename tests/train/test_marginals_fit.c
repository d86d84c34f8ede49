/* SPDX-License-Identifier: Apache-2.0 */
/* From noisy histograms to probabilities: exact where there is no noise, near where there is some,
 * and always a model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "after/train/marginals_fit.h"
#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/marginals_table.h"

FREES(sbl_free);
FREES(sbl_release_free);

/* The chance of cell j of a column with `count` cells in class c: falls with j, faster in class 1.
 */
static double truth(size_t c, size_t j, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++) total += pow(c == 0 ? 0.9 : 0.6, (double)i);
    return pow(c == 0 ? 0.9 : 0.6, (double)j) / total;
}

/* Exact sums for sizes[c] rows per class, plus Gaussian noise. */
static double *make_sums(const sbl_bins *cells, const double *sizes, double deviation, uint64_t seed)
{
    double *sums = sbl_alloc_array(cells->classes * cells->total, sizeof *sums);
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, 0);
    for (size_t c = 0; c < cells->classes; c++)
        for (size_t k = 0; k < cells->count; k++)
            for (size_t j = 0; j < cells->columns[k].count; j++)
                sums[c * cells->total + cells->columns[k].offset + j] =
                    sizes[c] * truth(c, j, cells->columns[k].count) + deviation * sbl_model_rng_normal(&rng);
    return sums;
}

static void assert_is_model(const sbl_marginals_model *model)
{
    const sbl_bins *cells = &model->cells;
    double shares = 0;
    for (size_t c = 0; c < cells->classes; c++) {
        assert_true(model->class_shares[c] >= 0);
        shares += (double)model->class_shares[c];
        for (size_t k = 0; k < cells->count; k++) {
            double total = 0;
            for (size_t j = 0; j < cells->columns[k].count; j++) {
                float p = model->probabilities[c * cells->total + cells->columns[k].offset + j];
                assert_true(p >= 0);
                total += (double)p;
            }
            assert_true(fabs(total - 1) < 1e-5);
        }
    }
    assert_true(fabs(shares - 1) < 1e-6);
}

/* Mean over the columns of the total variation distance to the truth of class `of`. */
static double distance(const sbl_marginals_model *model, size_t c, size_t of)
{
    const sbl_bins *cells = &model->cells;
    double total = 0;
    for (size_t k = 0; k < cells->count; k++)
        for (size_t j = 0; j < cells->columns[k].count; j++)
            total += fabs((double)model->probabilities[c * cells->total + cells->columns[k].offset + j] -
                          truth(of, j, cells->columns[k].count)) /
                     2;
    return total / (double)cells->count;
}

static void fit(sbl_marginals_model *model, double *rows, const sbl_bins *cells, const double *sizes,
                uint64_t n, double deviation, double noise, uint64_t seed)
{
    sbl_error err = {0};
    FREED(sbl_free) double *sums = make_sums(cells, sizes, noise, seed);
    FREED(sbl_release_free) sbl_release *release = marginals_release(cells, sums, n, deviation);
    assert_ok_or_say(sbl_marginals_fit(model, rows, cells, release, &err));
    assert_is_model(model);
}

TEST(exact_sums_give_the_exact_histograms)
{
    static const double sizes[] = {700, 300};
    for (int labelled = 0; labelled < 2; labelled++)
        for (uint64_t n = 0; n <= 1000; n += 1000) {
            CLEARED(marginals_table_clear) marginals_table t;
            CLEARED(sbl_marginals_model_clear) sbl_marginals_model model;
            double rows;
            marginals_table_make(&t, labelled != 0, 16);
            fit(&model, &rows, &t.cells, labelled ? sizes : (const double[]){1000}, n, 0.01, 0, 1);
            assert_true(fabs(rows - 1000) < 1e-3);
            assert_true(distance(&model, 0, 0) < 1e-5);
            if (labelled) {
                assert_true(distance(&model, 1, 1) < 1e-5);
                assert_true(fabs((double)model.class_shares[0] - 0.7) < 1e-6);
            }
            assert_int_equal(model.cells.total, t.cells.total);
        }
}

/* Projection by hand: column `age` alone gets a negative count. */
TEST(negative_counts_are_projected_to_the_total)
{
    CLEARED(marginals_table_clear) marginals_table t;
    sbl_marginals_model model;
    sbl_error err = {0};
    marginals_table_make(&t, false, 8);
    FREED(sbl_free) double *sums = make_sums(&t.cells, (const double[]){100}, 0, 1);
    double age[10] = {60, 48, -8, -4, -2, 0, 0, 0, 0, 1};
    memcpy(sums, age, sizeof age); /* offset 0 */
    FREED(sbl_release_free) sbl_release *release = marginals_release(&t.cells, sums, 100, 0.01);
    assert_ok(sbl_marginals_fit(&model, NULL, &t.cells, release, &err));
    /* 60 - 4, 48 - 4, all others below 4: nearest point with sum 100 */
    assert_true(fabs((double)model.probabilities[0] - 0.56) < 1e-6);
    assert_true(fabs((double)model.probabilities[1] - 0.44) < 1e-6);
    for (size_t j = 2; j < 10; j++) assert_true(model.probabilities[j] == 0);
    sbl_marginals_model_clear(&model);
}

TEST(noisy_sums_give_near_histograms)
{
    static const double sizes[] = {20000, 10000};
    CLEARED(marginals_table_clear) marginals_table t;
    sbl_marginals_model model;
    double rows;
    marginals_table_make(&t, true, 32);
    for (uint64_t seed = 0; seed < 20; seed++) {
        fit(&model, &rows, &t.cells, sizes, seed % 2 ? 30000 : 0, 20, 20, seed);
        /* 24 cells a column on average: |noise| 20 * .8 / 2 * 24 / size */
        assert_true(distance(&model, 0, 0) < 0.015);
        assert_true(distance(&model, 1, 1) < 0.025);
        /* the best column has 4 cells, so the size's deviation is below 20 * 2 */
        assert_true(fabs(rows - 30000) < 5 * 40 * sqrt(2));
        assert_true(fabs((double)model.class_shares[0] - 2.0 / 3) < 0.01);
        sbl_marginals_model_clear(&model);
    }
}

/* A class of a few rows under noise of many: its own histogram is worth nothing, and what the model
 * says of it stays near the pooled one. */
TEST(tiny_class_is_drawn_towards_the_pooled_histogram)
{
    static const double sizes[] = {30000, 30};
    CLEARED(marginals_table_clear) marginals_table t;
    sbl_marginals_model model;
    double far = 0, shares = 0;
    marginals_table_make(&t, true, 32);
    for (uint64_t seed = 0; seed < 20; seed++) {
        fit(&model, NULL, &t.cells, sizes, 30030, 20, 20, seed);
        far += distance(&model, 1, 0) / 20;
        shares += (double)model.class_shares[1] / 20;
        assert_true(distance(&model, 0, 0) < 0.015);
        sbl_marginals_model_clear(&model);
    }
    assert_true(far < 0.3); /* .70 when nothing is shrunk */
    assert_true(shares < 0.003);
}

TEST(class_without_rows_gets_the_pooled_histogram)
{
    static const double sizes[] = {5000, -400};
    CLEARED(marginals_table_clear) marginals_table t;
    CLEARED(sbl_marginals_model_clear) sbl_marginals_model model;
    marginals_table_make(&t, true, 32);
    fit(&model, NULL, &t.cells, sizes, 5000, 0.01, 0, 1);
    assert_true(model.class_shares[1] == 0);
    assert_true(distance(&model, 1, 0) < 1e-5);
}

TEST(release_of_noise_alone_still_gives_a_model)
{
    static const double sizes[] = {0, 0};
    CLEARED(marginals_table_clear) marginals_table t;
    marginals_table_make(&t, true, 32);
    for (uint64_t seed = 0; seed < 30; seed++) {
        CLEARED(sbl_marginals_model_clear) sbl_marginals_model model;
        double rows;
        fit(&model, &rows, &t.cells, sizes, seed % 2, 1000, 1000, seed);
        assert_true(rows >= 1);
    }
}

/* Hours of work, 1 to 99: half of all rows at 40, the rest even or (smooth) in a bell around it. */
#define HOURS 99

static void hours(double *shares, bool smooth)
{
    double total = 0;
    for (size_t v = 0; v < HOURS; v++) {
        double away = ((double)v - 39) / 15;
        shares[v] = smooth ? exp(-away * away / 2) : v == 39 ? HOURS - 1 : 1;
        total += shares[v];
    }
    for (size_t v = 0; v < HOURS; v++) shares[v] /= total;
}

/* Kolmogorov-Smirnov distance of the fit to the table, under the default plan. A cell's rows are
 * even over its values. */
static double hours_distance(const double *shares, double rows, double deviation, uint64_t seed)
{
    static const char text[] =
        "{\"fields\":[{\"name\":\"hours\",\"type\":\"integer\",\"constraints\":{\"minimum\":1,"
        "\"maximum\":99,\"required\":true}}]}";
    marginals_table t;
    sbl_marginals_model model;
    sbl_model_rng rng;
    sbl_error err = {0};
    double sums[HOURS + 2] = {0}, held[HOURS + 2] = {0}, apart = 0, most = 0;
    size_t cell_of[HOURS];
    marginals_table_of(&t, text, 0);
    for (size_t v = 0; v < HOURS; v++) {
        double unit = sbl_column_to_unit(&t.facts.schema->columns[0], (double)(v + 1));
        cell_of[v] = sbl_bins_find(&t.cells.columns[0], &unit, NULL);
        sums[cell_of[v]] += rows * shares[v];
        held[cell_of[v]]++;
    }
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, 0);
    for (size_t j = 0; j < t.cells.total; j++) sums[j] += deviation * sbl_model_rng_normal(&rng);
    sbl_release *release = marginals_release(&t.cells, sums, (uint64_t)rows, deviation);
    assert_ok(sbl_marginals_fit(&model, NULL, &t.cells, release, &err));
    for (size_t v = 0; v < HOURS; v++) {
        apart += (double)model.probabilities[cell_of[v]] / held[cell_of[v]] - shares[v];
        most = fmax(most, fabs(apart));
    }
    sbl_marginals_model_clear(&model);
    sbl_release_free(release);
    marginals_table_clear(&t);
    return most;
}

/* Three values in a bin, one of them with half of the rows: bins are off by .33. */
TEST(value_that_many_rows_share_is_not_smeared)
{
    double shares[HOURS];
    hours(shares, false);
    assert_true(hours_distance(shares, 1e5, 0.01, 0) < 1e-4);
    for (uint64_t seed = 0; seed < 20; seed++) assert_true(hours_distance(shares, 10000, 20, seed) < 0.05);
}

/* Noise of 140 a value on 1000 rows drowns all of them: the even histogram is at .31, and counts
 * projected on the simplex as they are at .39. */
TEST(few_rows_in_much_noise_are_not_scattered)
{
    double shares[HOURS], mean = 0;
    hours(shares, true);
    for (uint64_t seed = 0; seed < 40; seed++) mean += hours_distance(shares, 1000, 140, seed) / 40;
    assert_true(mean < 0.35);
}

static void add_counts(sbl_release *release, double first, double second, double deviation)
{
    sbl_block *block = &release->blocks[release->block_count++];
    *block = (sbl_block){
        .width = 2, .multiplier = (uint64_t)(0x1p56 / deviation), .scale = 1, .offset = release->value_count};
    (void)snprintf(block->name, sizeof block->name, "counts");
    release->values[release->value_count++] = (sbl_i128)(first * (double)block->multiplier);
    release->values[release->value_count++] = (sbl_i128)(second * (double)block->multiplier);
    release->counts = true;
}

/* Precise counts outweigh noisy histograms, and imprecise ones do not. */
TEST(released_counts_weigh_by_their_precision)
{
    CLEARED(marginals_table_clear) marginals_table t;
    sbl_error err = {0};
    marginals_table_make(&t, true, 8);
    for (int precise = 0; precise < 2; precise++) {
        sbl_marginals_model model;
        FREED(sbl_free) double *sums = make_sums(&t.cells, (const double[]){500, 500}, 0, 1);
        FREED(sbl_release_free) sbl_release *release = marginals_release(&t.cells, sums, 1000, 100);
        add_counts(release, 800, 200, precise ? 0.01 : 10000);
        assert_ok(sbl_marginals_fit(&model, NULL, &t.cells, release, &err));
        assert_true(fabs((double)model.class_shares[0] - (precise ? 0.8 : 0.5)) < 1e-3);
        sbl_marginals_model_clear(&model);
    }
}

TEST(release_of_another_shape_is_refused)
{
    CLEARED(marginals_table_clear) marginals_table t;
    sbl_error err = {0};
    marginals_table_make(&t, true, 8);
    FREED(sbl_free) double *sums = make_sums(&t.cells, (const double[]){500, 500}, 0, 1);
    for (int what = 0; what < 3; what++) {
        sbl_marginals_model model;
        FREED(sbl_release_free) sbl_release *release = marginals_release(&t.cells, sums, 1000, 1);
        if (what == 0) release->blocks[0].name[0] = 'x';
        if (what == 1) release->blocks[0].width--;
        if (what == 2) release->blocks[0].per_class = false;
        assert_int_equal(sbl_marginals_fit(&model, NULL, &t.cells, release, &err), SBL_EINPUT);
        assert_null(model.probabilities);
    }
}

TEST(values_beyond_any_table_still_give_a_model)
{
    CLEARED(marginals_table_clear) marginals_table t;
    sbl_error err = {0};
    sbl_marginals_model model;
    marginals_table_make(&t, true, 8);
    FREED(sbl_free) double *sums = make_sums(&t.cells, (const double[]){500, 500}, 0, 1);
    FREED(sbl_release_free) sbl_release *release = marginals_release(&t.cells, sums, 1000, 1);
    release->values[0] = (sbl_i128)1 << 126;
    release->values[1] = -((sbl_i128)1 << 126);
    assert_ok(sbl_marginals_fit(&model, NULL, &t.cells, release, &err));
    for (size_t i = 0; i < t.cells.classes * t.cells.total; i++)
        assert_true(model.probabilities[i] >= 0 && model.probabilities[i] <= 1);
    sbl_marginals_model_clear(&model);
}

TEST(lack_of_memory_is_reported)
{
    CLEARED(marginals_table_clear) marginals_table t;
    sbl_marginals_model model;
    sbl_error err = {0};
    marginals_table_make(&t, true, 8);
    FREED(sbl_free) double *sums = make_sums(&t.cells, (const double[]){500, 500}, 0, 1);
    FREED(sbl_release_free) sbl_release *release = marginals_release(&t.cells, sums, 1000, 1);
    for (long n = 0; sbl_test_fail_next(&n);)
        if (sbl_test_no_memory(sbl_marginals_fit(&model, NULL, &t.cells, release, &err)))
            assert_null(model.probabilities);
    sbl_marginals_model_clear(&model);
}
