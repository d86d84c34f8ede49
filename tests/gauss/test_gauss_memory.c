/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation on the way from a release to a model fails once: it is said, nothing is left
 * behind, and the next attempt succeeds. */
#include <stdbool.h>
#include <stddef.h>

#include "after/gauss/gauss_fit.h"
#include "after/gauss/gauss_moments.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/ron_release.h"

#define M 5 /* two numbers, categories of 3 and 2 codes */
#define CLASSES 2

typedef struct world {
    sbl_ron_plan plan;
    sbl_release *release;
} world;

/* Classes apart in their means, every direction with variance. */
static void moments_of(double *means, double *second, size_t width, size_t size)
{
    for (size_t c = 0; c < CLASSES; c++) {
        for (size_t i = 0; i < width; i++) means[c * width + i] = c == 0 ? 0.1 : -0.1;
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j < size; j++) second[(c * size + i) * size + j] = (i == j ? 0.02 : 0) + 0.01;
    }
}

static void make_world(world *w, size_t p, sbl_ron_geometry geometry, sbl_ron_space space)
{
    sbl_unit_record record;
    sbl_error err = {0};
    double means[CLASSES * M], second[CLASSES * M * M], sizes[CLASSES] = {1000, 3000};
    const sbl_ron_centre centre = {means, sizes, 4000};
    const bool clip = geometry == SBL_RON_CLIP;
    const sbl_ron_options options = {.dimensions = p,
                                     .geometry = geometry,
                                     .space = space,
                                     .counts = clip,
                                     .split = {1, 1, clip ? 1 : 0.5},
                                     .seed = 4};
    ron_record(&record, 2, true, CLASSES, false, clip);
    moments_of(means, second, M, p);
    assert_ok(sbl_ron_plan_build(&w->plan, &record, &options, clip ? NULL : &centre, &err));
    w->release = ron_release(&w->plan, clip ? means : NULL, second, sizes, 4000, 1e-6);
    sbl_unit_record_clear(&record);
}

static void clear_world(world *w)
{
    sbl_release_free(w->release);
    sbl_ron_plan_clear(&w->plan);
}

/* Number of allocations that sbl_gauss_fit needs, each of them refused in turn. */
static long fit_under_refusals(const world *w)
{
    sbl_gauss_model model;
    sbl_error err = {0};
    long n = 1;
    for (;; n++) {
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_gauss_fit(&model, NULL, &w->plan, w->release, &err);
        if (!sbl_test_alloc_failed()) {
            assert_ok(status);
            break;
        }
        assert_int_equal(status, SBL_EMEM);
        assert_null(model.means);
        assert_null(model.factors);
    }
    sbl_test_fail_alloc(0);
    assert_non_null(model.means);
    sbl_gauss_model_clear(&model);
    return n - 1;
}

TEST(fit_in_every_space_and_geometry_reports_lack_of_memory)
{
    world w;
    make_world(&w, M, SBL_RON_CLIP, SBL_RON_ORIGINAL);
    const long without_rotation = fit_under_refusals(&w);
    clear_world(&w);
    make_world(&w, 3, SBL_RON_CLIP, SBL_RON_ORIGINAL);
    assert_true(fit_under_refusals(&w) > without_rotation);
    clear_world(&w);
    make_world(&w, 3, SBL_RON_CLIP, SBL_RON_PROJECTED);
    (void)fit_under_refusals(&w);
    clear_world(&w);
    make_world(&w, 3, SBL_RON_NORMALISE, SBL_RON_ORIGINAL);
    (void)fit_under_refusals(&w);
    clear_world(&w);
}

TEST(means_alone_report_lack_of_memory)
{
    world w;
    sbl_gauss_moments moments;
    sbl_error err = {0};
    long n = 1;
    make_world(&w, M, SBL_RON_CLIP, SBL_RON_ORIGINAL);
    for (;; n++) {
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_gauss_moments_means(&moments, &w.plan, w.release, &err);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
        assert_null(moments.classes);
    }
    sbl_test_fail_alloc(0);
    assert_int_equal(n - 1, 1 + CLASSES); /* the classes, and a mean for each */
    sbl_gauss_moments_clear(&moments);
    clear_world(&w);
}

TEST(shrinking_reports_lack_of_memory)
{
    const sbl_shrink_rule rule = {0.01, 0.007, 1};
    sbl_error err = {0};
    long n = 1;
    for (;; n++) {
        double covariance[4] = {0.2, 0.1, 0.1, 0.3}, root[4];
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_shrink_covariance(covariance, root, 2, &rule, &err);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
    }
    sbl_test_fail_alloc(0);
    assert_true(n > 6);
}

TEST(calibration_without_memory_leaves_the_model_as_it_was)
{
    sbl_unit_record record;
    sbl_gauss_model model;
    sbl_error err = {0};
    long n = 1;
    ron_record(&record, 2, true, 1, false, true);
    assert_ok(sbl_gauss_model_init(&model, &record, false, M, 1, &err));
    model.shares[0] = 1;
    model.means[0] = 0.45F; /* of a bound of 1/2: half the draws of factor .3 are clamped */
    model.factors[0] = 0.3F;
    for (;; n++) {
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_gauss_calibrate(&model, &err);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
        assert_true(model.means[0] == 0.45F && model.factors[0] == 0.3F);
    }
    sbl_test_fail_alloc(0);
    assert_true(n > 1);
    assert_true(model.means[0] > 0.45F);
    sbl_gauss_model_clear(&model);
    sbl_unit_record_clear(&record);
}
