/* SPDX-License-Identifier: Apache-2.0 */
/* Hermite features: the functions against digits from elsewhere and against what is proven of them;
 * the two kernels; the failure in float that made double the rule; the loss against finite
 * differences. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/losses/loss.h"
#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"
#include "records/accumulate/sum.h"
#include "records/features/features.h"
#include "records/features/hermite.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define MOST SBL_HERMITE_MOST_ORDER

static double norm2_of(const double *phi, size_t order)
{
    double sum = 0;
    for (size_t c = 0; c <= order; c++) sum += phi[c] * phi[c];
    return sum;
}

static void assert_close(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * (1e-4 + fabs(want)))) fail_msg("%.17g is not %.17g", got, want);
}

/* ---- the functions ---- */

TEST(rho_of_a_length_scale)
{
    static const double cases[][2] = {
        {0.001, 0.99900049999988}, {0.005, 0.99501249992188}, {0.15, 0.86118742080783},
        {0.5, 0.61803398874989},   {1, 0.41421356237310},     {4, 0.12310562561766},
        {10, 0.04987562112089},    {100, 0.0049998750062496}, {1e4, 4.9999999875e-5}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const double rho = sbl_hermite_rho(cases[i][0]);
        assert_close(rho, cases[i][1], 1e-13);
        /* and back: 1 / (2 s2) = rho / (1 - rho^2) */
        assert_true(fabs(2 * cases[i][0] * rho / (1 - rho * rho) - 1) < 1e-9);
        assert_true(rho > 0 && rho < 1);
    }
}

TEST(values_agree_with_those_of_other_arithmetic)
{
    static const struct {
        double x, rho, phi[8], norm2; /* phi_0 .. phi_5, phi_10, phi_20 */
    } cases[] = {
        {0.5,
         0.5,
         {0.856197802843795, 0.428098901421898, -0.151355818106968, -0.218463305818684, 0.0109231652909342,
          0.10014225449198, 0.00991580760254084, -0.00039766080105864},
         0.999999949656716},
        {1,
         1.0 / 3,
         {0.756202743960774, 0.617436954932137, 0.178238696068846, -0.0840225271067527, -0.0857551326294635,
          -0.00626266940840059, 0.000419839776540817, 8.87759222717438e-6},
         0.99999999998978},
        {-2,
         0.9,
         {0.0992692281360479, -0.266367290623365, 0.442221849582369, -0.489347959646159, 0.311851361189596,
          0.0196958754435535, 0.192720577113117, 0.110090876877767},
         0.95734387000103},
        {0.25,
         0.995012479303,
         {0.306139810134173, 0.107966513913041, -0.188469635810045, -0.126089763549583, 0.140171354876349,
          0.134323328668686, -0.063068295892951, -0.00376122051942041},
         0.349104730928626},
    };
    static const size_t orders[] = {0, 1, 2, 3, 4, 5, 10, 20};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double phi[21];
        sbl_hermite_values(phi, cases[i].x, cases[i].rho, 20);
        for (size_t k = 0; k < 8; k++) assert_close(phi[orders[k]], cases[i].phi[k], 2e-13);
        assert_close(norm2_of(phi, 20), cases[i].norm2, 1e-13);
    }
}

TEST(partial_sums_are_those_of_mehler)
{
    static const size_t orders[] = {0, 1, 2, 5, 10, 20, 50, 100};
    static const struct {
        double x, y, rho, limit, sums[8];
    } cases[] = {
        {.3,
         .7,
         .5,
         0.898825231471609,
         {0.7137843667855, 0.8636790838104, 0.8651423417623, 0.9001173775627, 0.8988676138718,
          0.8988253256200, 0.8988252314716, 0.8988252314716}},
        {1,
         -1,
         1.0 / 3,
         0.223130160148430,
         {0.5718425899738, 0.1906141966579, 0.2223832294343, 0.2226381661170, 0.2231323752365,
          0.2231301601432, 0.2231301601484, 0.2231301601484}},
        {2,
         1.5,
         .9,
         0.305987653367564,
         {0.02257545738494, 0.1444829272636, 0.3684879031657, 0.4544454697145, 0.4215316989735,
          0.3364611445915, 0.3052185526863, 0.3059857025435}},
        {0,
         0,
         .99,
         1,
         {0.1410673597967, 0.1410673597967, 0.2101974194650, 0.2610131980757, 0.3695064575822,
          0.4891364877864, 0.6910712719389, 0.8468165147471}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double a[MOST + 1], b[MOST + 1], sum = 0;
        sbl_hermite_values(a, cases[i].x, cases[i].rho, MOST);
        sbl_hermite_values(b, cases[i].y, cases[i].rho, MOST);
        const double d = cases[i].x - cases[i].y;
        assert_close(exp(-cases[i].rho / (1 - cases[i].rho * cases[i].rho) * d * d), cases[i].limit, 1e-14);
        for (size_t c = 0, k = 0; k < 8; c++) {
            sum += a[c] * b[c];
            if (c == orders[k]) assert_close(sum, cases[i].sums[k++], 1e-12);
        }
    }
}

TEST(derivatives_are_those_of_the_formula)
{
    static const double want[] = {-0.285399267614598, 0.713498169036496,  0.655875211796859,
                                  -0.189334865042860, -0.440567666734347, -0.00895581137733157};
    const double rho = 0.5, x = 0.5;
    double phi[101], sum = 0;
    sbl_hermite_values(phi, x, rho, 100);
    for (size_t k = 0; k <= 100; k++) {
        const double below = k > 0 ? sqrt(2.0 * (double)k * rho) * phi[k - 1] : 0;
        const double slope = below - 2 * rho / (1 + rho) * x * phi[k];
        if (k < COUNT(want)) assert_close(slope, want[k], 1e-12);
        sum += slope * slope;
    }
    assert_close(sum, 4.0 / 3, 1e-10);
}

/* Prop. B.1 of the paper at rho = 1/3, X, Y ~ N(0,1): the root of the mean square error is 3^-C / (3
 * sqrt 2), exactly; by quadrature. Of random features with C of them it is 1 / sqrt(C sqrt 7), by
 * simulation. */
TEST(truncation_error_is_what_the_paper_says)
{
    enum { POINTS = 161 };
    static double phi[POINTS][21];
    double weight[POINTS], total = 0;
    for (int i = 0; i < POINTS; i++) {
        const double x = -8 + 16.0 * i / (POINTS - 1);
        sbl_hermite_values(phi[i], x, 1.0 / 3, 20);
        total += weight[i] = exp(-x * x / 2);
    }
    static const size_t orders[] = {0, 1, 2, 5, 10};
    static const double want[] = {0.235702260395516, 0.0785674201318386, 0.0261891400439462,
                                  0.000969968149775785, 3.99163847644356e-6};
    for (size_t k = 0; k < COUNT(orders); k++) {
        double error = 0;
        for (int i = 0; i < POINTS; i++)
            for (int j = 0; j < POINTS; j++) {
                const double d = 16.0 * (i - j) / (POINTS - 1);
                double rest = exp(-3.0 / 8 * d * d);
                for (size_t c = 0; c <= orders[k]; c++) rest -= phi[i][c] * phi[j][c];
                error += weight[i] * weight[j] * rest * rest / total / total;
            }
        assert_close(sqrt(error), want[k], 1e-6);
        assert_close(sqrt(error), pow(3, -(double)orders[k]) / (3 * sqrt(2)), 1e-6);
    }
}

TEST(random_features_of_the_same_kernel_err_by_one_over_c_root_seven)
{
    enum { C = 10, DRAWS = 40000 };
    sbl_model_rng rng;
    double squares = 0;
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 0);
    for (int n = 0; n < DRAWS; n++) {
        const double d = sbl_model_rng_normal(&rng) - sbl_model_rng_normal(&rng);
        double estimate = 0;
        for (int f = 0; f < C / 2; f++) /* kernel exp(-3 d^2 / 8): frequencies of variance 3 / 4 */
            estimate += cos(sqrt(0.75) * sbl_model_rng_normal(&rng) * d) / (C / 2);
        squares += pow(estimate - exp(-0.375 * d * d), 2);
    }
    assert_true(fabs(squares / DRAWS * C * sqrt(7) - 1) < 0.03);
}

/* ---- bounds ---- */

TEST(norms_never_exceed_one_and_pairs_never_sqrt_two)
{
    static const double rhos[] = {1e-4, .1, 1.0 / 3, .5, .9, .99, .999};
    static double phi[61][MOST + 1];
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 3, SBL_RNG_OTHER, 0);
    for (size_t k = 0; k < COUNT(rhos); k++)
        for (int turn = 0; turn < 3; turn++) {
            const size_t order = turn == 0 ? MOST : sbl_model_rng_below(&rng, MOST);
            const double reach = turn == 2 ? 3 : 60;
            for (int i = 0; i <= 60; i++) {
                sbl_hermite_values(phi[i], reach * (i - 30) / 30.0, rhos[k], order);
                for (size_t c = 0; c <= order; c++) assert_true(isfinite(phi[i][c]));
                assert_true(sqrt(norm2_of(phi[i], order)) <= 1 + 1e-12);
                for (int j = 0; j < i; j++) {
                    double distance2 = 0;
                    for (size_t c = 0; c <= order; c++) distance2 += pow(phi[i][c] - phi[j][c], 2);
                    assert_true(distance2 <= 2 + 1e-12);
                }
            }
        }
}

/* Where phi_0 is below the smallest double all is not lost: what comes later is right. */
TEST(far_out_the_sum_is_still_the_kernel)
{
    double phi[MOST + 1];
    for (double x = 0; x <= 20; x += 0.5) {
        sbl_hermite_values(phi, x, 0.5, MOST);
        assert_close(norm2_of(phi, MOST), 1, 1e-11);
    }
    sbl_hermite_values(phi, 50, 0.5, MOST); /* exp(-833) */
    assert_true(phi[0] == 0 && phi[MOST] > 0 && phi[MOST] < 1);
    /* the same by logarithms: phi_c = c-th term of the recursion, in long double */
    long double before = 0, now = expl(0.25L * log1pl(-0.25L) - 2500.0L / 3);
    for (int c = 0; c < MOST; c++) {
        const long double next =
            sqrtl(1.0L / (c + 1)) * 50 * now - 0.5L * sqrtl((long double)c / (c + 1)) * before;
        before = now, now = next;
    }
    assert_close(phi[MOST] / (double)now, 1, 1e-10);
}

/* The paper's code computes in float: its features leave the unit ball by a factor of 2 to 3. */
TEST(recursion_in_float_breaks_the_bound)
{
    double worst = 0, worst_of_100 = 0;
    for (int i = 0; i < 4000; i++) {
        const float x = 0.005f * (float)i, rho = 0.5f;
        float before = 0, now = powf(1 - rho * rho, 0.25f) * expf(-rho * x * x / (1 + rho));
        double norm2 = 0;
        for (int c = 0; c <= 150; c++) {
            norm2 += (double)now * (double)now;
            if (c == 100) worst_of_100 = fmax(worst_of_100, norm2);
            const float next =
                sqrtf(2 * rho / (float)(c + 1)) * x * now - rho * sqrtf((float)c / (float)(c + 1)) * before;
            before = now, now = next;
        }
        double phi[151];
        worst = fmax(worst, norm2);
        sbl_hermite_values(phi, (double)x, 0.5, 150);
        assert_true(norm2_of(phi, 150) <= 1 + 1e-12);
    }
    assert_true(sqrt(worst) > 1.5);
    assert_true(sqrt(worst_of_100) < 1.0001);
}

TEST(reach_holds_what_the_order_can)
{
    static const struct {
        double length;
        size_t order;
        double least;
    } cases[] = {{.02, 40, .89}, {.05, 20, .96}, {.1, 8, .94}, {.2, 4, .96}, {.4, 2, .97}, {1, 1, .98}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        sbl_hermite_function f = {cases[i].length, cases[i].order, 0};
        f.reach = sbl_hermite_reach(f.length, f.order);
        assert_true(sbl_hermite_held(&f) >= cases[i].least);
        for (double r = 0.2; r < 60; r *= 1.3) {
            const sbl_hermite_function other = {f.length, f.order, r};
            assert_true(sbl_hermite_held(&other) <= sbl_hermite_held(&f) + 0.01);
        }
    }
}

/* ---- the product ---- */

TEST(outer_product_is_that_of_the_functions)
{
    /* two numbers at .3 and -.4 of reach 1, order 3, rho .5: s2 = .75 */
    static const double want[] = {0.796781835678977, -0.318712734271591, -0.191559345305856,
                                  0.174352664746690, 0.239034550703693};
    sbl_facts facts;
    sbl_hermite h;
    sbl_sum *sum;
    data_facts(&facts, DATA_NUMBERS);
    const sbl_hermite_function function = {sqrt(0.75), 3, 1};
    for (int norm = 0; norm < 2; norm++) {
        const sbl_hermite_options options = {
            .norm = norm != 0, .level_count = 11, .pull = 1, .functions = &function, .function_count = 1};
        json_t *parameters = sbl_hermite_product_parameters(&options, NULL, json_pack("[[i, i]]", 0, 1));
        assert_int_equal(sbl_hermite_init(&h, &facts, parameters, true, NULL), SBL_OK);
        json_decref(parameters);
        assert_int_equal(h.width, 16);
        void *workspace;
        sbl_block block;
        double weight, values[3] = {0.8, 0.1, 0.5}, norm2 = 0;
        const sbl_records records = {.numeric = values, .rows = 1};
        sbl_feature_hermite_product.describe(&h, &block, &weight);
        const sbl_layout layout = {.blocks = &block, .block_count = 1, .classes = 1, .rows_cap = 1000};
        assert_int_equal(sbl_sum_new(&sum, &layout, NULL), SBL_OK);
        workspace = sbl_alloc_array(sbl_feature_hermite_product.workspace_bytes(&h), 1);
        assert_non_null(workspace);
        assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_OK);
        assert_int_equal(sbl_feature_hermite_product.add(sum, 0, &h, workspace, &records, NULL), SBL_OK);
        assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
        const int64_t *q = sbl_sum_values(sum, 0);
        for (size_t i = 0; i < 16; i++) {
            const double feature = (double)q[i] / block.scale;
            if (i < COUNT(want)) assert_true(fabs(feature - want[i]) < 3e-6);
            norm2 += feature * feature;
        }
        assert_true(fabs(norm2 - 0.967350399918105) < 6e-6);
        sbl_free(workspace);
        sbl_sum_free(sum);
        sbl_hermite_clear(&h);
    }
    sbl_facts_clear(&facts);
}

/* The features of one record: `width` numbers. */
static void features_of(double *features, const sbl_hermite *h, const double *values)
{
    sbl_sum *sum;
    sbl_block block;
    double weight;
    const sbl_records records = {.numeric = values, .rows = 1};
    sbl_feature_hermite_product.describe(h, &block, &weight);
    const sbl_layout layout = {.blocks = &block, .block_count = 1, .classes = 1, .rows_cap = 1000};
    assert_int_equal(sbl_sum_new(&sum, &layout, NULL), SBL_OK);
    void *workspace = sbl_alloc_array(sbl_feature_hermite_product.workspace_bytes(h), 1);
    assert_non_null(workspace);
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_OK);
    assert_int_equal(sbl_feature_hermite_product.add(sum, 0, h, workspace, &records, NULL), SBL_OK);
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
    for (size_t i = 0; i < h->width; i++) features[i] = (double)sbl_sum_values(sum, 0)[i] / block.scale;
    sbl_free(workspace);
    sbl_sum_free(sum);
}

TEST(products_over_a_metric_are_its_mahalanobis_kernel)
{
    static const double x[3] = {0.2, 0.9, 0.6}, y[3] = {0.35, 0.1, 0.5};
    /* A over numbers 0 and 2: 40 .15^2 + 2 25 .15 (-.1) + 30 .1^2 = .45 */
    sbl_metric metric = {.count = 2, .columns = {0, 2}, .factor = {{40}, {25, 30}}};
    sbl_hermite_function functions[3] = {{1, 1, 2}};
    sbl_facts facts;
    sbl_hermite h;
    double low, range, a[1024], b[1024];
    data_facts(&facts, DATA_NUMBERS);
    assert_int_equal(sbl_metric_factor(&metric, NULL), SBL_OK);
    for (size_t j = 0; j < 2; j++) {
        sbl_metric_bounds(&low, &range, &metric, j);
        functions[1 + j] = (sbl_hermite_function){1 / range, 30, sbl_hermite_reach(1 / range, 30)};
    }
    for (int norm = 0; norm < 2; norm++) {
        const sbl_hermite_options options = {.norm = norm != 0,
                                             .level_count = 4096,
                                             .pull = 1,
                                             .functions = functions,
                                             .function_count = 3,
                                             .metric = &metric};
        json_t *parameters = sbl_hermite_product_parameters(&options, NULL, json_array());
        assert_int_equal(sbl_hermite_init(&h, &facts, parameters, true, NULL), SBL_OK);
        assert_int_equal(h.width, 31 * 31);
        features_of(a, &h, x);
        features_of(b, &h, y);
        double product = 0;
        for (size_t i = 0; i < h.width; i++) product += a[i] * b[i];
        assert_true(fabs(product - exp(-0.45 / 2)) < 2e-3);
        sbl_hermite_clear(&h);
        json_object_set_new(parameters, "mahalanobis",
                            json_pack("{s:[i], s:[[f]]}", "columns", 9, "factor", 1.0));
        assert_int_equal(sbl_hermite_init(&h, &facts, parameters, true, NULL), SBL_EINPUT);
        json_decref(parameters);
    }
    sbl_facts_clear(&facts);
}

/* ---- plans that are too large ---- */

TEST(sizes_beyond_memory_are_refused_before_anything_is_allocated)
{
    sbl_facts facts;
    sbl_hermite h;
    sbl_error err = {0};
    data_facts(&facts, DATA_DIGITS);
    const sbl_hermite_function function = {0.1, 100, 20};
    const sbl_hermite_options options = {
        .level_count = 256, .pull = 1, .functions = &function, .function_count = 1};
    for (int count = 4; count <= 6; count++) { /* 101^4 = 1e8 numbers of 3 classes, 101^6 = 1e12 */
        json_t *subset = json_array();
        for (int i = 0; i < count; i++) json_array_append_new(subset, json_integer(i));
        json_t *parameters = sbl_hermite_product_parameters(&options, NULL, json_pack("[o]", subset));
        assert_int_equal(sbl_hermite_init(&h, &facts, parameters, true, &err),
                         count == 4 ? SBL_OK : SBL_EARG);
        if (count > 4) assert_non_null(strstr(err.message, "lower order"));
        json_decref(parameters);
        sbl_hermite_clear(&h);
    }
    sbl_facts_clear(&facts);
}

/* ---- the loss ---- */

enum { ROWS = 300, PADDED = 320 };

typedef struct stage {
    sbl_facts facts;
    sbl_hermite hermite;
    sbl_target target;
    sbl_generated generated;
    size_t starts[4];
    double shares[3], weights[3];
    float *inputs, *d_inputs, *pixels, *d_pixels;
    size_t columns;
} stage;

static void stage_init(stage *s, data_case which, bool product, size_t variant)
{
    sbl_model_rng rng;
    *s = (stage){.starts = {0, 200, 200, ROWS}, .shares = {.7, 0, .3}, .weights = {1.5, 0, 3}};
    data_facts(&s->facts, which);
    if (s->facts.classes == 1) s->starts[1] = ROWS, s->shares[0] = 1;
    if (s->facts.classes == 2) s->starts[2] = ROWS, s->shares[1] = .3, s->weights[1] = 3;
    json_t *parameters = data_parameters(product ? "hermite-product" : "hermite", variant, &s->facts);
    assert_int_equal(sbl_hermite_init(&s->hermite, &s->facts, parameters, product, NULL), SBL_OK);
    json_decref(parameters);
    const size_t count = s->facts.classes * s->hermite.width;
    const bool images = s->facts.kind == SBL_DATA_IMAGES;
    s->columns = s->facts.shape.numeric + s->facts.shape.onehot;
    s->target = (sbl_target){.means = sbl_alloc_array(count, sizeof(float)), .weight = 0.8};
    sbl_model_rng_init(&rng, 4, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < count; i++) s->target.means[i] = 0.1f * (float)sbl_model_rng_normal(&rng);
    s->inputs = sbl_alloc_array(s->columns * PADDED, sizeof(float));
    s->d_inputs = sbl_alloc_array(s->columns * PADDED, sizeof(float));
    s->pixels = sbl_alloc_array(s->columns * PADDED, sizeof(float));
    s->d_pixels = sbl_alloc_array(s->columns * PADDED, sizeof(float));
    for (size_t i = 0; i < s->columns * PADDED; i++)
        s->inputs[i] = s->pixels[i] = (float)sbl_model_rng_uniform(&rng);
    s->generated = (sbl_generated){.on = &sbl_backend_cpu,
                                   .facts = &s->facts,
                                   .rows = ROWS,
                                   .padded_rows = PADDED,
                                   .starts = s->starts,
                                   .shares = s->shares,
                                   .weights = s->weights,
                                   .inputs = images ? NULL : s->inputs,
                                   .d_inputs = images ? NULL : s->d_inputs,
                                   .pixels = images ? s->pixels : NULL,
                                   .d_pixels = images ? s->d_pixels : NULL};
}

static void stage_clear(stage *s)
{
    sbl_free(s->inputs);
    sbl_free(s->d_inputs);
    sbl_free(s->pixels);
    sbl_free(s->d_pixels);
    sbl_free(s->target.means);
    sbl_hermite_clear(&s->hermite);
    sbl_facts_clear(&s->facts);
}

static double value_at(const stage *s, size_t column, size_t row);

/* (sum of factor times number, minus its least) over its range. */
static double metric_at(const stage *s, size_t j, size_t row)
{
    const sbl_metric *metric = &s->hermite.metric;
    double z = 0, low = 0, high = 0;
    for (size_t i = j; i < metric->count; i++) {
        z += metric->factor[i][j] * value_at(s, metric->columns[i], row);
        low += fmin(metric->factor[i][j], 0);
        high += fmax(metric->factor[i][j], 0);
    }
    return (z - low) / (high - low);
}

static double value_at(const stage *s, size_t column, size_t row)
{
    const size_t first = sbl_hermite_first_metric(&s->hermite);
    if (s->hermite.metric.count > 0 && column >= first) return metric_at(s, column - first, row);
    return (double)(s->facts.kind == SBL_DATA_IMAGES ? s->pixels[row * s->columns + column]
                                                     : s->inputs[column * PADDED + row]);
}

/* The same in double and without any haste. Codes are any numbers here: what counts is that each
 * entry multiplies. Unbiased: pairs of different rows in place of the square of the mean. */
static double plain_loss(const stage *s)
{
    const sbl_hermite *h = &s->hermite;
    const sbl_record_shape *shape = &s->facts.shape;
    double *mean = calloc(h->width, sizeof *mean), *row = calloc(h->width, sizeof *row), loss = 0;
    const bool unbiased = s->target.distance == SBL_DISTANCE_UNBIASED;
    for (size_t c = 0; c < s->facts.classes; c++) {
        const size_t count = s->starts[c + 1] - s->starts[c];
        double squares = 0;
        memset(mean, 0, h->width * sizeof *mean);
        for (size_t r = s->starts[c]; r < s->starts[c + 1]; r++)
            for (size_t p = 0; p < h->part_count; p++) {
                size_t width = 1;
                row[0] = 1;
                for (size_t k = 0; k < h->parts[p].count; k++) {
                    const sbl_hermite_factor *f = &h->factors[h->parts[p].factor + k];
                    double phi[MOST + 1];
                    if (f->function == SBL_HERMITE_ONEHOT) {
                        const size_t at = shape->numeric + shape->offsets[f->coordinate - shape->numeric];
                        for (size_t j = 0; j < f->width; j++) phi[j] = value_at(s, at + j, r);
                    } else {
                        const sbl_hermite_function *g = &h->functions[f->function];
                        const double length = g->length * g->reach;
                        sbl_hermite_values(phi, g->reach * (value_at(s, f->coordinate, r) - 0.5),
                                           sbl_hermite_rho(length * length), g->order);
                    }
                    for (size_t i = width; i-- > 0;)
                        for (size_t j = f->width; j-- > 0;) row[i * f->width + j] = row[i] * phi[j];
                    width *= f->width;
                }
                for (size_t j = 0; j < width; j++) {
                    mean[h->parts[p].offset + j] += row[j];
                    squares += row[j] * row[j];
                }
            }
        const double pairs = pow(s->shares[c], 2) / (double)count / (double)(count - 1);
        if (count > 0 && unbiased) loss -= s->weights[c] * pairs * squares;
        for (size_t j = 0; count > 0 && unbiased && j < h->width; j++) {
            const double t = (double)s->target.means[c * h->width + j];
            loss += s->weights[c] *
                    (pairs * mean[j] * mean[j] + t * (t - 2 * s->shares[c] * mean[j] / (double)count));
        }
        for (size_t j = 0; count > 0 && !unbiased && j < h->width; j++)
            loss +=
                s->weights[c] *
                pow(s->shares[c] * mean[j] / (double)count - (double)s->target.means[c * h->width + j], 2);
    }
    free(mean);
    free(row);
    return h->pull * s->target.weight * loss / (double)h->part_count;
}

static void check_loss(data_case which, bool product, size_t variant, sbl_distance distance)
{
    stage s;
    void *loss;
    stage_init(&s, which, product, variant);
    s.target.distance = distance;
    const bool images = s.facts.kind == SBL_DATA_IMAGES;
    assert_int_equal(sbl_loss_new(&loss, &sbl_loss_hermite, &s.hermite, &s.target, &s.generated, NULL),
                     SBL_OK);
    for (int again = 0; again < 2; again++) { /* nothing is left from the step before */
        memset(s.d_inputs, 0, s.columns * PADDED * sizeof(float));
        memset(s.d_pixels, 0, s.columns * PADDED * sizeof(float));
        const double got = sbl_loss_hermite.step(loss, &s.generated);
        assert_true(fabs(got / plain_loss(&s) - 1) < 1e-5);
    }
    const float *gradient = images ? s.d_pixels : s.d_inputs;
    float *x = images ? s.pixels : s.inputs;
    double most = 0;
    for (size_t i = 0; i < s.columns * PADDED; i++) most = fmax(most, fabs((double)gradient[i]));
    assert_true(most > 0);
    for (size_t i = 0; i < s.columns; i++)
        for (size_t r = i % 7; r < ROWS; r += 37) {
            const size_t at = images ? r * s.columns + i : i * PADDED + r;
            const float kept = x[at];
            x[at] = kept + 0x1p-10f;
            const double up = plain_loss(&s);
            x[at] = kept - 0x1p-10f;
            const double down = plain_loss(&s);
            x[at] = kept;
            assert_true(fabs((up - down) * 512 - (double)gradient[at]) < 2e-3 * most);
        }
    sbl_loss_free(&sbl_loss_hermite, loss);
    stage_clear(&s);
}

TEST(loss_and_gradient_are_those_of_plain_arithmetic)
{
    static const sbl_distance distances[] = {SBL_DISTANCE_USUAL, SBL_DISTANCE_UNBIASED};
    for (size_t i = 0; i < 2; i++) {
        for (int product = 0; product < 2; product++) {
            check_loss(DATA_LABELLED, product != 0, 0, distances[i]);
            check_loss(DATA_NUMBERS, product != 0, 0, distances[i]);
            check_loss(DATA_DIGITS, product != 0, 0, distances[i]);
        }
        check_loss(DATA_CATEGORIES, true, 0, distances[i]);
        check_loss(DATA_NUMBERS, true, 2, distances[i]); /* with a metric */
    }
}

TEST(threads_do_not_change_a_bit_of_it)
{
    const int limit = sbl_thread_limit();
    for (int product = 0; product < 2; product++) {
        stage s;
        void *loss;
        double first = 0;
        stage_init(&s, DATA_LABELLED, product != 0, product != 0 ? 2 : 0);
        float *kept = calloc(s.columns * PADDED, sizeof *kept);
        for (int threads = 1; threads <= 5; threads += 2) {
            sbl_thread_set(threads);
            memset(s.d_inputs, 0, s.columns * PADDED * sizeof(float));
            assert_int_equal(
                sbl_loss_new(&loss, &sbl_loss_hermite, &s.hermite, &s.target, &s.generated, NULL), SBL_OK);
            const double got = sbl_loss_hermite.step(loss, &s.generated);
            if (threads == 1) {
                first = got;
                memcpy(kept, s.d_inputs, s.columns * PADDED * sizeof *kept);
            }
            assert_true(got == first);
            assert_memory_equal(kept, s.d_inputs, s.columns * PADDED * sizeof *kept);
            sbl_loss_free(&sbl_loss_hermite, loss);
        }
        free(kept);
        stage_clear(&s);
    }
    sbl_thread_set(limit);
}
