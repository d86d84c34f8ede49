/* SPDX-License-Identifier: Apache-2.0 */
/* Output heads of tables and pixels of images, Adam and the decay of its rate. */
#include <math.h>
#include <stdbool.h>

#include "after/train/output_heads.h"
#include "base/compute/vector_math.h"
#include "base/nn/adam.h"
#include "base/random/model_rng.h"
#include "nn/reference.h"
#include "support/cmocka_all.h"

enum { ROWS = 70, PADDED = 96, D = 2, T = 30, WIDTH = D + T };
static const size_t cardinalities[] = {2, 1, 27}, starts[] = {0, 3, ROWS};
static sbl_record_shape shape;
static float outputs[ROWS * WIDTH], numbers[D * PADDED], probabilities[ROWS * T];

static int make(void **state)
{
    (void)state;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 0);
    sbl_model_rng_normals(&rng, outputs, ROWS * WIDTH);
    outputs[WIDTH] = 120, outputs[WIDTH + 1] = -120, outputs[WIDTH + 5] = 500;
    return sbl_record_shape_init(&shape, D, cardinalities, 3, 2, NULL) != SBL_OK;
}

AROUND(unmake) { sbl_record_shape_clear(&shape); }

TEST(heads_match_double_arithmetic)
{
    double row[WIDTH], y[D], p[T];
    sbl_output_heads_forward(numbers, PADDED, probabilities, outputs, &shape, ROWS);
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t j = 0; j < WIDTH; j++) row[j] = (double)outputs[r * WIDTH + j];
        reference_heads(y, p, row, &shape);
        for (size_t i = 0; i < D; i++) assert_true(fabs(y[i] - (double)numbers[i * PADDED + r]) < 1e-6);
        for (size_t j = 0; j < T; j++) assert_true(fabs(p[j] - (double)probabilities[r * T + j]) < 1e-6);
    }
}

static void check_head_gradients(bool with_entries, const float *own)
{
    static float d_numbers[D * PADDED], d_probabilities[2 * T], d_outputs[ROWS * WIDTH],
        d_entries[T * PADDED];
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 2, SBL_RNG_OTHER, 0);
    sbl_model_rng_normals(&rng, d_numbers, D * PADDED);
    sbl_model_rng_normals(&rng, d_probabilities, 2 * T);
    if (with_entries) sbl_model_rng_normals(&rng, d_entries, T * PADDED);
    sbl_output_heads_forward(numbers, PADDED, probabilities, outputs, &shape, ROWS);
    sbl_heads_gradient g = {d_numbers, with_entries ? d_entries : NULL, d_probabilities, PADDED, own};
    sbl_output_heads_backward(d_outputs, &g, numbers, probabilities, &shape, starts);
    for (size_t r = 0; r < ROWS; r++) {
        double row[WIDTH], y[D], p[T];
        const size_t c = reference_class(starts, r);
        const float *dp = d_probabilities + c * T;
        const double of_own = own != NULL ? (double)own[c] : 0;
        for (size_t j = 0; j < WIDTH; j++) row[j] = (double)outputs[r * WIDTH + j];
        for (size_t j = 0; j < WIDTH; j++) {
            double f[2], kept = row[j], h = 1e-5;
            for (int side = 0; side < 2; side++) {
                row[j] = kept + (side ? h : -h);
                reference_heads(y, p, row, &shape);
                f[side] = 0;
                for (size_t i = 0; i < D; i++) f[side] += y[i] * (double)d_numbers[i * PADDED + r];
                for (size_t i = 0; i < T; i++)
                    f[side] += p[i] * ((double)dp[i] + (double)d_entries[i * PADDED + r] - of_own * p[i] / 2);
            }
            row[j] = kept;
            assert_true(fabs((f[1] - f[0]) / (2 * h) - (double)d_outputs[r * WIDTH + j]) < 2e-6);
        }
    }
}

TEST(head_gradients_match_finite_differences)
{
    check_head_gradients(false, NULL);
    check_head_gradients(true, NULL);
    check_head_gradients(true, (const float[]){0.7f, 0});
}

/* 2000 draws of each row; the bounds are six standard errors. */
TEST(drawn_codes_are_one_per_column_and_follow_the_probabilities)
{
    enum { STEPS = 2000 };
    static float onehot[T * PADDED], mean[ROWS * T];
    sbl_output_heads_forward(numbers, PADDED, probabilities, outputs, &shape, ROWS);
    for (size_t step = 0; step < STEPS; step++) {
        sbl_output_heads_draw(onehot, PADDED, probabilities, &shape, ROWS, 5, step);
        for (size_t r = 0; r < ROWS; r++) {
            for (size_t k = 0; k < 3; k++) {
                float ones = 0;
                for (size_t j = shape.offsets[k]; j < shape.offsets[k + 1]; j++)
                    ones += onehot[j * PADDED + r];
                assert_true(ones == 1);
            }
            for (size_t j = 0; j < T; j++) mean[r * T + j] += onehot[j * PADDED + r] / STEPS;
        }
    }
    for (size_t i = 0; i < ROWS * T; i++) {
        double p = (double)probabilities[i];
        assert_true(fabs((double)mean[i] - p) < 6 * sqrt((p * (1 - p) + 1e-6) / STEPS) + 1e-4);
    }
}

TEST(fast_exponential_is_accurate_and_never_overflows)
{
    for (int i = -8000; i <= 8000; i++) {
        float x = (float)i * 0.01f;
        assert_true(fabs((double)sbl_fast_exp(x) / exp((double)x) - 1) < 1e-6);
    }
    assert_true(isfinite(sbl_fast_exp(1e30f)));
    assert_true(sbl_fast_exp(-1e30f) >= 0 && sbl_fast_exp(-1e30f) < 1e-37f);
}

/* The first steps by hand: m / (1 - b1) = g and v / (1 - b2) = g^2, so a step is rate * sign(g). */
TEST(adam_follows_its_definition)
{
    float first[2] = {0}, second[2] = {0}, weights[2] = {1, 1};
    double m = 0, v = 0, w = 1;
    sbl_adam adam = sbl_adam_of(first, second, 2);
    sbl_adam_step(&adam, weights, (const float[]){0.5f, -3}, 0.1);
    /* 1 - b2 in single precision is off by 1.3e-5 of it, half of which is left in a step. */
    assert_true(fabsf(weights[0] - 0.9f) < 2e-6f && fabsf(weights[1] - 1.1f) < 2e-6f);
    for (int t = 1; t <= 50; t++) {
        double g = t == 1 ? 0.5 : sin(t);
        m = 0.9 * m + 0.1 * g;
        v = 0.999 * v + 0.001 * g * g;
        w -= 0.1 * (m / (1 - pow(0.9, t))) / (sqrt(v / (1 - pow(0.999, t))) + 1e-8);
        if (t > 1) sbl_adam_step(&adam, weights, (const float[]){(float)g, 0}, 0.1);
    }
    assert_true(fabs(w - (double)weights[0]) < 1e-5);
}

TEST(rate_decays_as_a_cosine)
{
    assert_true(sbl_cosine_rate(2, 0, 10) == 2);
    assert_true(fabs(sbl_cosine_rate(2, 5, 10) - 1) < 1e-15);
    assert_true(fabs(sbl_cosine_rate(2, 10, 10)) < 1e-15);
}

/* Each pair of betas for ten steps, against the definition in double: a beta of 0 means 0. */
TEST(adam_takes_the_betas_it_is_given)
{
    static const double betas1[] = {0, 0.5, 0.9}, betas2[] = {0, 0.9, 0.999};
    for (size_t i = 0; i < 9; i++) {
        const double beta1 = betas1[i / 3], beta2 = betas2[i % 3], epsilon = 0.25;
        float weights[1] = {1}, first[1] = {0}, second[1] = {0};
        double m = 0, v = 0, w = 1;
        sbl_adam adam = sbl_adam_of(first, second, 1);
        adam.beta1 = beta1, adam.beta2 = beta2, adam.epsilon = epsilon;
        for (int t = 1; t <= 10; t++) {
            double g = (double)(float)sin(3 * t);
            m = beta1 * m + (1 - beta1) * g;
            v = beta2 * v + (1 - beta2) * g * g;
            w -= 0.1 * m / (1 - pow(beta1, t)) / (sqrt(v / (1 - pow(beta2, t))) + epsilon);
            sbl_adam_step(&adam, weights, (const float[]){(float)g}, 0.1);
            /* ten steps of single precision, each of a few roundings of numbers around 1 */
            if (fabs((double)weights[0] - w) > 2e-6)
                fail_msg("betas %g and %g, step %d: %.8g, not %.8g", beta1, beta2, t, (double)weights[0], w);
        }
    }
}

TEST(averaged_weights_follow_with_the_decay)
{
    float average[3] = {1, 2, 3};
    const float weights[3] = {1, 4, -5};
    sbl_backend_cpu.average(NULL, average, weights, 3, 0.25f);
    assert_true(average[0] == 1 && average[1] == 2.5f && average[2] == 1);
}

static const sbl_image_facts pictures = {.height = 6, .width = 5, .channels = 1};
static const sbl_volume layer_output = {8, 8, 1}; /* rows 1 .. 6, columns 1 .. 5 of it */

TEST(pixels_are_the_middle_of_the_output_stretched_and_held)
{
    float values[2 * 64], pixels[2 * 30];
    for (size_t i = 0; i < 128; i++) values[i] = (float)(i % 64) / 63;
    sbl_pixel_head_forward(&sbl_backend_cpu, pixels, &pictures, values, layer_output, 2, false);
    for (size_t r = 0; r < 2; r++)
        for (size_t y = 0; y < 6; y++)
            for (size_t x = 0; x < 5; x++) {
                double s = (double)((y + 1) * 8 + x + 1) / 63;
                double v = 1.04 * s - 0.02, h = v < 0 ? 0 : v > 1 ? 1 : v;
                assert_true(fabs((double)pixels[r * 30 + y * 5 + x] - h) < 1e-6);
            }
    for (size_t i = 0; i < 128; i++) values[i] = i < 64 ? 0 : 1;
    sbl_pixel_head_forward(&sbl_backend_cpu, pixels, &pictures, values, layer_output, 2, false);
    assert_true(pixels[0] == 0 && pixels[59] == 1);
    sbl_pixel_head_forward(&sbl_backend_cpu, pixels, &pictures, values, layer_output, 2, true);
    assert_true(pixels[0] < 0 && pixels[59] > 1); /* the leak */
}

TEST(backward_is_the_slope_of_the_pixels)
{
    float values[64], pixels[2][30], d_pixels[30], d_outputs[64];
    for (size_t i = 0; i < 64; i++) values[i] = (float)(i * 37 % 64) / 63;
    for (size_t i = 0; i < 30; i++) d_pixels[i] = (float)i - 11;
    sbl_pixel_head_backward(&sbl_backend_cpu, d_outputs, &pictures, d_pixels, values, layer_output, 1);
    for (size_t i = 0; i < 64; i++) {
        const float kept = values[i], step = 1e-3f;
        double slope = 0;
        for (int side = 0; side < 2; side++) {
            values[i] = kept + (side ? step : -step);
            sbl_pixel_head_forward(&sbl_backend_cpu, pixels[side], &pictures, values, layer_output, 1, true);
        }
        values[i] = kept;
        for (size_t p = 0; p < 30; p++)
            slope += (double)d_pixels[p] * ((double)pixels[1][p] - (double)pixels[0][p]) / (2 * (double)step);
        assert_true(fabs(slope - (double)d_outputs[i]) < 0.01 + 0.01 * fabs(slope));
    }
}

ALL_TESTS(make, unmake)
