/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of RON-Gauss: the parameters rebuild them, what is out of range is refused, the split is the
 * best there is, and points keep their lengths. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/gemm.h"
#include "base/random/model_rng.h"
#include "public/rows/projection.h"
#include "support/cmocka_all.h"
#include "support/near.h"

#define NUMERIC 12

static void make_record(sbl_unit_record *record, size_t target, bool centred)
{
    static const size_t cardinalities[] = {3, 2};
    sbl_record_shape shape;
    sbl_error err = {0};
    assert_ok(sbl_record_shape_init(&shape, NUMERIC, cardinalities, 2, 2, &err));
    assert_ok(sbl_unit_record_init(record, &shape, target, 0.5, centred, &err));
    sbl_record_shape_clear(&shape);
}

static sbl_ron_options usual(void)
{
    return (sbl_ron_options){.dimensions = 5, .counts = true, .split = {0.5, 0.25, 1}, .seed = 9};
}

static sbl_ron_options normalised(sbl_ron_options options)
{
    options.geometry = SBL_RON_NORMALISE;
    options.split.first_share = 0.5;
    return options;
}

static void make_plan(sbl_ron_plan *plan, const sbl_ron_options *options, size_t target)
{
    sbl_unit_record record;
    sbl_error err = {0};
    make_record(&record, target, options->geometry == SBL_RON_CLIP);
    assert_ok(sbl_ron_plan_build(plan, &record, options, NULL, &err));
    sbl_unit_record_clear(&record);
}

TEST(parameters_give_back_the_same_plan)
{
    for (int kind = 0; kind < 8; kind++) {
        sbl_ron_plan plan, again;
        sbl_error err = {0};
        sbl_ron_options options = usual();
        if (kind & 1) options = normalised(options);
        options.space = kind & 2 ? SBL_RON_PROJECTED : SBL_RON_ORIGINAL;
        options.pure = kind == 7;
        options.seed = UINT64_MAX;
        make_plan(&plan, &options, kind & 4 ? 3 : SBL_NO_TARGET);
        json_t *parameters = sbl_ron_parameters(&plan);
        assert_ok(sbl_ron_plan_parse(&again, parameters, &err));
        json_t *own = sbl_ron_parameters(&again);
        assert_true(json_equal(parameters, own));
        assert_true(again.options.seed == UINT64_MAX);
        json_decref(own);
        json_decref(parameters);
        assert_int_equal(plan.width, again.width);
        assert_int_equal(plan.width, NUMERIC + 3);
        assert_int_equal(plan.moments, kind & 4 ? 6 : 5);
        assert_near(plan.radius, kind & 4 ? sqrt(1.25) : 1, 1e-12);
        sbl_ron_plan_clear(&again);
        sbl_ron_plan_clear(&plan);
    }
}

TEST(centre_is_part_of_the_second_plan)
{
    sbl_ron_plan plan, second, again;
    sbl_error err = {0};
    sbl_ron_options options = usual();
    double means[2 * (NUMERIC + 3)], sizes[2] = {10.5, 3};
    for (size_t i = 0; i < 2 * (NUMERIC + 3); i++) means[i] = 0.01 * (double)i + 1.0 / 3.0;
    const sbl_ron_centre centre = {means, sizes, 14};
    make_plan(&plan, &options, SBL_NO_TARGET);
    assert_int_equal(sbl_ron_plan_build(&second, &plan.record, &options, &centre, &err), SBL_EARG);
    sbl_ron_plan_clear(&plan);
    options = normalised(options);
    make_plan(&plan, &options, SBL_NO_TARGET);
    assert_ok(sbl_ron_plan_build(&second, &plan.record, &options, &centre, &err));
    json_t *parameters = sbl_ron_parameters(&second);
    assert_ok(sbl_ron_plan_parse(&again, parameters, &err));
    json_decref(parameters);
    assert_memory_equal(again.centre.means, means, sizeof means);
    assert_memory_equal(again.centre.sizes, sizes, sizeof sizes);
    assert_true(again.centre.rows == 14);
    sbl_ron_plan_clear(&again);
    sbl_ron_plan_clear(&second);
    means[3] = NAN;
    assert_int_equal(sbl_ron_plan_build(&second, &plan.record, &options, &centre, &err), SBL_EARG);
    means[3] = 0;
    sizes[1] = 0;
    assert_int_equal(sbl_ron_plan_build(&second, &plan.record, &options, &centre, &err), SBL_EARG);
    sbl_ron_plan_clear(&plan);
}

TEST(options_out_of_range_are_refused)
{
    sbl_unit_record record;
    sbl_ron_plan plan;
    sbl_error err = {0};
    make_record(&record, SBL_NO_TARGET, true);
    for (int bad = 0; bad < 6; bad++) {
        sbl_ron_options options = usual();
        if (bad == 0) options.dimensions = 0;
        if (bad == 1) options.dimensions = record.dimensions + 1;
        if (bad == 2) options.split.mean = 0;
        if (bad == 3) options.split.counts = NAN;
        if (bad == 4) options.split.first_share = 0.5; /* clip has one release only */
        if (bad == 5) options.split.first_share = 1.5;
        assert_int_equal(sbl_ron_plan_build(&plan, &record, &options, NULL, &err), SBL_EARG);
        assert_null(plan.record.shape.cardinalities);
    }
    static const double shares[] = {0, 1, 1.5, -0.5, NAN};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        sbl_ron_options options = normalised(usual());
        options.split.first_share = shares[i];
        assert_int_equal(sbl_ron_plan_build(&plan, &record, &options, NULL, &err), SBL_EARG);
        assert_non_null(strstr(err.message, "the first release's share"));
        assert_null(plan.record.shape.cardinalities);
    }
    sbl_unit_record_clear(&record);
}

/* Change one fact of good parameters. Those that are missing or of another type: test_features.c. */
TEST(parameters_of_another_kind_are_refused)
{
    static const char *const changes[][2] = {
        {"\"clip\"", "\"crop\""},
        {"\"original\"", "\"orthonormal\""},
        {"\"seed\":\"9\"", "\"seed\":\"09\""},
        {"\"seed\":\"9\"", "\"seed\":\"x\""},
        {"\"dimensions\":5", "\"dimensions\":99"},
        {"\"grid_bits\":14", "\"grid_bits\":15"},
        {"\"centred\":true", "\"centred\":7"},
        {"{\"counts\"", "{\"aaa\":1,\"counts\""},
        {"{\"counts\"", "{\"centre\":[1],\"counts\""},
        {"{\"counts\"", "{\"rows\":1.0,\"counts\""},
        {"\"numeric\":12", "\"numeric\":13"},
    };
    sbl_ron_plan plan, again;
    const sbl_ron_options options = usual();
    make_plan(&plan, &options, SBL_NO_TARGET);
    json_t *parameters = sbl_ron_parameters(&plan);
    char *good = sbl_json_canonical(parameters);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char text[2000];
        sbl_error err = {0};
        const char *at = strstr(good, changes[i][0]);
        if (at == NULL) fail_msg("the parameters do not hold %s: %s", changes[i][0], good);
        (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, changes[i][1],
                       at + strlen(changes[i][0]));
        json_t *changed = json_loads(text, 0, NULL);
        assert_non_null(changed);
        /* "numeric" alone makes a good record, of another table: the feature refuses that */
        const bool other_table = i == 10;
        assert_int_equal(sbl_ron_plan_parse(&again, changed, &err), other_table ? SBL_OK : SBL_EINPUT);
        if (!other_table) assert_null(again.record.shape.cardinalities);
        sbl_ron_plan_clear(&again);
        json_decref(changed);
    }
    sbl_free(good);
    json_decref(parameters);
    sbl_ron_plan_clear(&plan);
}

/* ---- the split ---- */

/* The expected squared error at unit cost, written down a second time. */
static double error_of(const sbl_ron_sizes *s, double mean, double counts)
{
    const double a = mean * mean, g = s->counts ? counts * counts : 0;
    const double d = (double)s->width * ((double)s->moments + 1) / 2;
    double cost = a + 1 + g;
    if (!s->add_remove) {
        cost = 2 * a + 2 + 2 * g;
        double worst = 0; /* over the cosine of two records of one label */
        for (int k = -1000; k <= 1000; k++) {
            const double c = k / 1000.0;
            worst = fmax(worst, a * (2 - 2 * c) + 2 - 2 * c * c);
        }
        cost = fmax(cost, worst);
    }
    return cost * ((double)s->width / a + d + (s->counts ? 0.5 / g : 0));
}

TEST(split_has_the_least_expected_error)
{
    for (int kind = 0; kind < 8; kind++) {
        const sbl_ron_sizes sizes = {40, .moments = kind & 1 ? 40 : 3, .labelled = kind & 2,
                                     .counts = kind & 2 || kind & 4, .add_remove = kind & 4};
        const sbl_ron_split split = sbl_ron_split_choose(&sizes);
        const double best = error_of(&sizes, split.mean, split.counts);
        assert_true(split.first_share == 1);
        for (double factor = 0.25; factor <= 4; factor *= 1.25) {
            assert_true(error_of(&sizes, split.mean * factor, split.counts) >= best * 0.995);
            assert_true(error_of(&sizes, split.mean, split.counts * factor) >= best * 0.995);
        }
    }
}

/* Means and moments as if released apart: 4 A and 2 (or A and 1) in the ratio 0.3 to 0.7. */
TEST(papers_split_is_three_to_seven)
{
    sbl_ron_sizes sizes = {.width = 10, .moments = 10, .paper = true};
    double a = pow(sbl_ron_split_choose(&sizes).mean, 2);
    assert_near(4 * a / (4 * a + 2), 0.3, 1e-12);
    sizes.add_remove = true;
    a = pow(sbl_ron_split_choose(&sizes).mean, 2);
    assert_near(a / (a + 1), 0.3, 1e-12);
    sizes.add_remove = false;
    sizes.pure = true; /* L1: 2 sqrt(10) and sqrt(65) */
    const double mean = sbl_ron_split_choose(&sizes).mean * 2 * sqrt(10);
    assert_near(mean / (mean + sqrt(65)), 0.3, 1e-12);
    sizes.geometry = SBL_RON_NORMALISE;
    assert_true(sbl_ron_split_choose(&sizes).first_share == 0.3);
    sizes.pure = false;
    assert_true(sbl_ron_split_choose(&sizes).first_share == 0.3);
}

/* mu^2 in proportion to sensitivity times sqrt(coordinates); pure: the error has no slope. */
TEST(two_releases_share_by_their_errors)
{
    sbl_ron_sizes sizes = {.width = 100, .moments = 8, .geometry = SBL_RON_NORMALISE};
    double share = sbl_ron_split_choose(&sizes).first_share;
    assert_near(share / (1 - share), 2 * sqrt(100) / (sqrt(2) * sqrt(36 * 12.5)), 1e-9);
    sizes.pure = true;
    share = sbl_ron_split_choose(&sizes).first_share;
    const double d1 = 100 * 4.0 * 100, d2 = 36 * 12.5 * 8.0 * 11 / 2;
    const double best = d1 / (share * share) + d2 / ((1 - share) * (1 - share));
    for (double other = 0.05; other < 1; other += 0.05)
        assert_true(d1 / (other * other) + d2 / ((1 - other) * (1 - other)) >= best * 0.999);
}

/* At (1, 1e-5), replace-one, A = 1: Delta^2 = 4.5 on the diagonal, half of that off it. */
TEST(noise_is_that_of_the_joint_sensitivity)
{
    sbl_ron_sizes sizes = {.width = 10, .moments = 10};
    sbl_ron_split split = {1, 1, 1};
    assert_near(sbl_ron_noise(&sizes, &split, 0.25), sqrt(4.5 / 2) / 0.25, 1e-12);
    sizes.geometry = SBL_RON_NORMALISE;
    split.first_share = 0.5;
    assert_near(sbl_ron_noise(&sizes, &split, 0.25), sqrt(2 / 2 / 0.5) / 0.25, 1e-12);
    sizes.pure = true;
    assert_near(sbl_ron_noise(&sizes, &split, 1), sqrt(2) * sqrt(65) / 0.5, 1e-12);
    sizes.labelled = sizes.counts = true;
    sizes.geometry = SBL_RON_CLIP;
    assert_near(sbl_ron_noise(&sizes, &split, 1), sqrt(2) * (11 + 2 * sqrt(10) + 2), 1e-9);
}

/* ---- points ---- */

TEST(rotation_keeps_lengths_and_is_nothing_when_all_is_kept)
{
    for (int whole = 0; whole < 2; whole++) {
        sbl_ron_plan plan;
        sbl_ron_rotation rotation;
        sbl_error err = {0};
        sbl_ron_options options = usual();
        enum { ROWS = 7 };
        options.dimensions = whole ? NUMERIC + 2 : 5;
        make_plan(&plan, &options, 0); /* a target: 11 numbers and 3 coordinates of categories */
        const size_t m = plan.record.dimensions, width = plan.width;
        assert_int_equal(m, NUMERIC + 2);
        assert_ok(sbl_ron_rotation_init(&rotation, &plan, &err));
        assert_true((rotation.rows == NULL) == whole);
        float points[ROWS * (NUMERIC + 2)], features[ROWS * (NUMERIC + 3)], targets[ROWS];
        float *workspace = malloc(sbl_gemm_workspace(m) * sizeof *workspace);
        for (size_t i = 0; i < ROWS * m; i++) points[i] = (float)sin((double)i);
        for (size_t r = 0; r < ROWS; r++) targets[r] = (float)r;
        sbl_ron_rotate(features, width, &plan, &rotation, points, m, targets, ROWS, workspace);
        for (size_t r = 0; r < ROWS; r++) {
            double before = 0, after = 0;
            assert_true(features[r * width] == targets[r]);
            for (size_t i = 0; i < m; i++) {
                before += pow((double)points[r * m + i], 2);
                after += pow((double)features[r * width + 1 + i], 2);
                if (whole) assert_true(features[r * width + 1 + i] == points[r * m + i]);
            }
            assert_near(before, after, 1e-4);
        }
        free(workspace);
        sbl_ron_rotation_clear(&rotation);
        sbl_ron_plan_clear(&plan);
    }
}

TEST(normalise_gives_unit_vectors_whatever_comes)
{
    static const float odd[][3] = {{0, 0, 0},        {1e-14F, 0, 0}, {NAN, 1, 2},
                                   {INFINITY, 0, 0}, {3, 4, 0},      {1e-30F, 1e-30F, 0}};
    for (size_t i = 0; i < 6; i++) {
        float x[3];
        memcpy(x, odd[i], sizeof x);
        sbl_ron_normalise(x, 3);
        if (i == 4) {
            assert_near(x[0], 0.6, 1e-6);
            assert_near(x[1], 0.8, 1e-6);
        } else {
            assert_true(x[0] == 1 && x[1] == 0 && x[2] == 0);
        }
    }
}
