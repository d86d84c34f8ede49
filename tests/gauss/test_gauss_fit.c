/* SPDX-License-Identifier: Apache-2.0 */
/* From releases to Gaussians: exact where there is no noise, in whichever space; always a model. */
#include <math.h>
#include <string.h>

#include "after/gauss/gauss_fit.h"
#include "base/alloc.h"
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/ron_release.h"

#define M 6
#define TINY 1e-6 /* noise that is as good as none */

static void make_plan(sbl_ron_plan *plan, size_t p, bool targeted, sbl_ron_options options, size_t classes)
{
    sbl_unit_record record;
    sbl_error err = {0};
    ron_record(&record, M + (targeted ? 1 : 0), false, classes, targeted, options.geometry == SBL_RON_CLIP);
    options.dimensions = p;
    options.counts = classes > 1;
    options.split = (sbl_ron_split){1, 1, options.geometry == SBL_RON_CLIP ? 1 : 0.5};
    options.seed = 4;
    assert_ok(sbl_ron_plan_build(plan, &record, &options, NULL, &err));
    sbl_unit_record_clear(&record);
}

/* Mean and covariance of class c in the coordinates of the features: a diagonal and one direction.
 */
static void truth(double *mean, double *covariance, size_t size, size_t c)
{
    for (size_t i = 0; i < size; i++) {
        mean[i] = 0.015 * (double)(i + 1) * (c == 0 ? 1 : -1);
        for (size_t j = 0; j < size; j++)
            covariance[i * size + j] = (i == j ? 0.0005 * (double)(i + 1) : 0) + 0.0005 * (c == 0 ? 1 : 0.5);
    }
}

/* Covariance of the model's class c: sum over latents of outer products. */
static double model_covariance(const sbl_gauss_model *model, size_t c, size_t i, size_t j)
{
    double total = 0;
    for (size_t g = 0; g < model->latents; g++) {
        const float *row = model->factors + (c * model->latents + g) * model->width;
        total += (double)row[i] * (double)row[j];
    }
    return total;
}

/* Moments of all `width` coordinates from the truth; the projected p of them are the first. */
static sbl_release *release_of(const sbl_ron_plan *plan, uint64_t n, double deviation)
{
    const size_t width = plan->width, size = plan->moments, classes = plan->record.shape.classes;
    double means[2 * (M + 1)], second[2 * (M + 1) * (M + 1)];
    const double sizes[2] = {1000, 3000};
    for (size_t c = 0; c < classes; c++) {
        double mean[M + 1], covariance[(M + 1) * (M + 1)];
        truth(mean, covariance, width, c);
        for (size_t i = 0; i < width; i++) means[c * width + i] = mean[i];
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j < size; j++)
                second[(c * size + i) * size + j] = covariance[i * width + j] + mean[i] * mean[j];
    }
    return ron_release(plan, means, second, sizes, n, deviation);
}

TEST(clip_without_projection_gives_back_means_and_covariances)
{
    for (int targeted = 0; targeted < 2; targeted++) {
        for (size_t classes = 1; classes <= 2; classes++) {
            sbl_ron_plan plan;
            sbl_gauss_model model;
            sbl_error err = {0};
            double rows = 0, mean[M + 1], covariance[(M + 1) * (M + 1)];
            make_plan(&plan, M, targeted, (sbl_ron_options){0}, classes);
            sbl_release *release = release_of(&plan, classes == 1 ? 1000 : 4000, TINY);
            assert_ok(sbl_gauss_fit(&model, &rows, &plan, release, &err));
            assert_near(rows, classes == 1 ? 1000 : 4000, 1e-6);
            assert_int_equal(model.width, M + targeted);
            for (size_t c = 0; c < classes; c++) {
                truth(mean, covariance, model.width, c);
                assert_near(model.shares[c], classes == 1 ? 1 : c == 0 ? 0.25 : 0.75, 1e-6);
                for (size_t i = 0; i < model.width; i++) {
                    assert_near(model.means[c * model.width + i], mean[i], 1e-6);
                    for (size_t j = 0; j < model.width; j++)
                        assert_near(model_covariance(&model, c, i, j), covariance[i * model.width + j], 1e-6);
                }
            }
            sbl_gauss_model_clear(&model);
            sbl_release_free(release);
            sbl_ron_plan_clear(&plan);
        }
    }
}

/* Seen through the rotation again, the model has the released mean and covariance in the p
 * directions, the mean in all, and the mean of the seen variances in the others. */
TEST(projection_keeps_what_it_saw)
{
    const size_t p = 3;
    sbl_ron_plan plan;
    sbl_gauss_model model;
    sbl_ron_rotation rotation;
    sbl_error err = {0};
    double mean[M], covariance[M * M], seen = 0;
    make_plan(&plan, p, false, (sbl_ron_options){0}, 1);
    sbl_release *release = release_of(&plan, 1000, TINY);
    assert_ok(sbl_gauss_fit(&model, NULL, &plan, release, &err));
    assert_ok(sbl_ron_rotation_init(&rotation, &plan, &err));
    truth(mean, covariance, M, 0);
    for (size_t i = 0; i < p; i++) seen += covariance[i * M + i] / (double)p;
    for (size_t a = 0; a < M; a++) {
        double along = 0;
        for (size_t i = 0; i < M; i++) along += rotation.rows[a * M + i] * (double)model.means[i];
        assert_near(along, mean[a], 1e-6);
        for (size_t b = 0; b < M; b++) {
            double value = 0;
            for (size_t i = 0; i < M; i++)
                for (size_t j = 0; j < M; j++)
                    value += rotation.rows[a * M + i] * rotation.rows[b * M + j] *
                             model_covariance(&model, 0, i, j);
            const double expected = a < p && b < p ? covariance[a * M + b] : a == b ? seen : 0;
            assert_near(value, expected, 1e-6);
        }
    }
    sbl_ron_rotation_clear(&rotation);
    sbl_gauss_model_clear(&model);
    sbl_release_free(release);
    sbl_ron_plan_clear(&plan);
}

TEST(projected_space_is_what_was_released)
{
    sbl_ron_plan plan;
    sbl_gauss_model model;
    sbl_error err = {0};
    double mean[M + 1], covariance[(M + 1) * (M + 1)];
    make_plan(&plan, 1, true, (sbl_ron_options){.space = SBL_RON_PROJECTED}, 2);
    sbl_release *release = release_of(&plan, 4000, TINY);
    assert_ok(sbl_gauss_fit(&model, NULL, &plan, release, &err));
    assert_true(model.projected);
    assert_int_equal(model.width, 2); /* the target and one direction */
    for (size_t c = 0; c < 2; c++) {
        truth(mean, covariance, M + 1, c);
        for (size_t i = 0; i < 2; i++) {
            assert_near(model.means[c * 2 + i], mean[i], 1e-6);
            for (size_t j = 0; j < 2; j++)
                assert_near(model_covariance(&model, c, i, j), covariance[i * (M + 1) + j], 1e-6);
        }
    }
    sbl_gauss_model_clear(&model);
    sbl_release_free(release);
    sbl_ron_plan_clear(&plan);
}

/* Deviations get the mean squared length that unit vectors with this mean have, 1 - |c|^2. */
TEST(normalise_spreads_around_the_centre)
{
    sbl_ron_plan first, plan;
    sbl_gauss_model model;
    sbl_error err = {0};
    double means[M] = {0.6, 0, 0, 0, 0, 0}, sizes[1] = {1000}, second[M * M] = {0}, trace = 0;
    const sbl_ron_centre centre = {means, sizes, 1000};
    make_plan(&first, M, false, (sbl_ron_options){.geometry = SBL_RON_NORMALISE}, 1);
    for (size_t i = 0; i < M; i++) second[i * M + i] = 1.0 / M;
    sbl_release *release = ron_release(&first, NULL, second, sizes, 1000, TINY);
    assert_int_equal(sbl_gauss_fit(&model, NULL, &first, release, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "only means"));
    assert_int_equal(sbl_ron_plan_build(&plan, &first.record, &first.options, &centre, &err), 0);
    assert_ok(sbl_gauss_fit(&model, NULL, &plan, release, &err));
    for (size_t i = 0; i < M; i++) {
        assert_near(model.means[i], means[i], 1e-6);
        trace += model_covariance(&model, 0, i, i);
    }
    assert_near(trace, 1 - 0.36, 1e-5);
    assert_near(model.stretch, 0.5, 1e-12); /* numbers alone: the middle is (1/2, ..., 1/2) */
    sbl_gauss_model_clear(&model);
    sbl_release_free(release);
    sbl_ron_plan_clear(&plan);
    sbl_ron_plan_clear(&first);
}

TEST(drowned_release_is_still_a_model)
{
    for (int kind = 0; kind < 3; kind++) {
        sbl_ron_plan plan;
        sbl_gauss_model model;
        sbl_error err = {0};
        make_plan(&plan, kind == 2 ? 2 : M, kind == 1, (sbl_ron_options){0}, 2);
        sbl_release *release = release_of(&plan, kind == 0 ? 0 : 4000, 1e5);
        for (size_t i = 0; i < release->value_count; i++)
            release->values[i] += ((sbl_i128)1 << 57) * ((i % 3) - 1) * (sbl_i128)(1 + i % 2);
        assert_ok(sbl_gauss_fit(&model, NULL, &plan, release, &err));
        double shares = 0;
        for (size_t c = 0; c < 2; c++) shares += (double)model.shares[c];
        assert_near(shares, 1, 1e-6);
        for (size_t i = 0; i < 2 * model.latents * model.width; i++) assert_true(isfinite(model.factors[i]));
        for (size_t c = 0; c < 2; c++) {
            double norm2 = 0, trace = 0;
            for (size_t i = 0; i < model.width; i++) {
                norm2 += pow((double)model.means[c * model.width + i], 2);
                trace += model_covariance(&model, c, i, i);
            }
            assert_true(norm2 <= plan.radius * plan.radius * 1.0001);
            if (kind < 2) assert_true(trace <= plan.radius * plan.radius * 1.0001);
        }
        sbl_gauss_model_clear(&model);
        sbl_release_free(release);
        sbl_ron_plan_clear(&plan);
    }
}

TEST(release_of_another_plan_is_refused)
{
    sbl_ron_plan plan, other;
    sbl_gauss_model model;
    sbl_error err = {0};
    make_plan(&plan, M, false, (sbl_ron_options){0}, 2);
    make_plan(&other, 2, false, (sbl_ron_options){0}, 2);
    sbl_release *release = release_of(&other, 4000, TINY);
    assert_int_equal(sbl_gauss_fit(&model, NULL, &plan, release, &err), SBL_EINPUT);
    assert_null(model.means);
    static const char *const names[] = {SBL_RON_PRODUCTS, SBL_RON_SQUARES, SBL_RON_MEAN, "counts"};
    for (size_t i = 0; i < 4; i++) {
        sbl_block *block = (sbl_block *)sbl_release_find(release, names[i]);
        block->name[0] = 'X';
        assert_int_equal(sbl_gauss_fit(&model, NULL, &other, release, &err), SBL_EINPUT);
        block->name[0] = names[i][0];
    }
    sbl_release_free(release);
    sbl_ron_plan_clear(&plan);
    sbl_ron_plan_clear(&other);
}
