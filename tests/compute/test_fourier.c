/* SPDX-License-Identifier: Apache-2.0 */
/* The Fourier kernels of every instruction set this machine has, against double arithmetic. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/compute/fourier.h"
#include "base/compute/variants.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"

#define PANEL SBL_FOURIER_PANEL

static size_t list_variants(const sbl_kernels **list)
{
    size_t count = 0;
    list[count++] = &sbl_kernels_portable;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) list[count++] = &sbl_kernels_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        list[count++] = &sbl_kernels_avx512;
#endif
    return count;
}

static void fill(float *values, size_t count, double size, uint64_t stream)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 11, SBL_RNG_OTHER, stream);
    for (size_t i = 0; i < count; i++) values[i] = (float)(size * sbl_model_rng_normal(&rng));
}

enum { ROWS = 37, D = 7, K = 3, T = 11, PANELS = 2, WIDTH = 2 * PANELS * PANEL };
static float x[ROWS * D], w[PANELS * D * PANEL], v[PANELS * T * PANEL];
static uint32_t entries[ROWS * K];

AROUND(fill_inputs)
{
    sbl_model_rng rng;
    fill(x, ROWS * D, 1, 1);
    fill(w, PANELS * D * PANEL, 0.5, 2);
    fill(v, PANELS * T * PANEL, 0.3, 3);
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 9);
    for (size_t i = 0; i < ROWS * K; i++) entries[i] = (uint32_t)sbl_model_rng_below(&rng, T);
}

/* Features of `count` rows from row `first` on, with or without codes. */
static void run(const sbl_kernels *kernels, float *out, size_t first, size_t count, bool codes)
{
    sbl_fourier_rows rows = {x + first * D, D, entries + first * K, K, count};
    sbl_fourier_panels panels = {w, codes ? v : NULL, D, T, PANELS};
    kernels->features(out, WIDTH, &rows, &panels);
}

static double phase(size_t r, size_t f, bool codes)
{
    double t = 0;
    for (size_t i = 0; i < D; i++)
        t += (double)x[r * D + i] * (double)w[(f / PANEL * D + i) * PANEL + f % PANEL];
    for (size_t k = 0; codes && k < K; k++)
        t += (double)v[(f / PANEL * T + entries[r * K + k]) * PANEL + f % PANEL];
    return t;
}

TEST(features_match_double_arithmetic)
{
    static float out[ROWS * WIDTH];
    const sbl_kernels *variants[3];
    size_t count = list_variants(variants);
    for (size_t i = 0; i < 2 * count; i++) {
        bool codes = i % 2;
        memset(out, 0xff, sizeof out);
        run(variants[i / 2], out, 0, ROWS, codes);
        for (size_t r = 0; r < ROWS; r++) {
            for (size_t f = 0; f < PANELS * PANEL; f++) {
                const float *pair = out + r * WIDTH + 2 * f;
                double t = 6.283185307179586 * phase(r, f, codes);
                assert_true(fabs((double)pair[0] - cos(t)) < 6e-6);
                assert_true(fabs((double)pair[1] - sin(t)) < 6e-6);
                /* What the enforcement relies on: the pair's norm is 1 to well below 2^-20. */
                assert_true(fabs(hypot((double)pair[0], (double)pair[1]) - 1) < 4e-7);
            }
        }
    }
}

/* The rule that sensitivity rests on: a row's bits depend on that row alone. */
TEST(a_row_has_the_same_bits_at_any_place_in_any_block)
{
    static float whole[ROWS * WIDTH], alone[WIDTH], block[ROWS * WIDTH], wide[ROWS * 11];
    const sbl_kernels *variants[3];
    size_t count = list_variants(variants);
    for (size_t i = 0; i < 2 * count; i++) {
        const sbl_kernels *kernels = variants[i / 2];
        bool codes = i % 2;
        run(kernels, whole, 0, ROWS, codes);
        for (size_t r = 0; r < ROWS; r++) {
            run(kernels, alone, r, 1, codes);
            assert_memory_equal(alone, whole + r * WIDTH, sizeof alone);
        }
        for (size_t rows = 1; rows <= 20; rows++) {
            run(kernels, block, 1, rows, codes);
            assert_memory_equal(block, whole + WIDTH, rows * sizeof alone);
        }
        /* One panel at a time, and rows further apart. */
        for (size_t r = 0; r < ROWS; r++) memcpy(wide + r * 11, x + r * D, D * sizeof(float));
        sbl_fourier_rows rows = {wide, 11, entries, K, ROWS};
        sbl_fourier_panels second = {w + D * PANEL, codes ? v + T * PANEL : NULL, D, T, 1};
        kernels->features(block, 2 * PANEL, &rows, &second);
        for (size_t r = 0; r < ROWS; r++)
            assert_memory_equal(block + r * 2 * PANEL, whole + r * WIDTH + 2 * PANEL,
                                2 * PANEL * sizeof(float));
    }
}

typedef struct setting {
    size_t rows, columns, classes, lanes;
    const size_t *starts;
    const float *row_weight, *class_weight;
} setting;

static double loss_in_double(const double *points, const setting *s, const float *panel, const float *target)
{
    double loss = 0;
    for (size_t f = 0; f < s->lanes; f++) {
        for (size_t c = 0; c < s->classes; c++) {
            double re = 0, im = 0;
            for (size_t r = s->starts[c]; r < s->starts[c + 1]; r++) {
                double t = 0;
                for (size_t i = 0; i < s->columns; i++)
                    t += points[r * s->columns + i] * (double)panel[i * PANEL + f];
                re += cos(6.283185307179586 * t), im += sin(6.283185307179586 * t);
            }
            re = re * (double)s->row_weight[c] - (double)target[(c * PANEL + f) * 2];
            im = im * (double)s->row_weight[c] - (double)target[(c * PANEL + f) * 2 + 1];
            loss += (double)s->class_weight[c] * (re * re + im * im);
        }
    }
    return loss;
}

TEST(loss_and_gradient_match_finite_differences)
{
    enum { N = 45, PADDED = 64, COLUMNS = 11, C = 3, LANES = 29 };
    static const size_t starts[] = {0, 20, 20, 45}; /* the second class is empty */
    static const float row_weight[] = {0.04f, 0, 0.02f}, class_weight[] = {1.5f, 0, 0.7f};
    static float panel[COLUMNS * PANEL], target[C * 2 * PANEL], rows_of[N * COLUMNS],
        by_column[COLUMNS * PADDED], gradient[COLUMNS * PADDED], slopes[SBL_FOURIER_SLOPES(PADDED)],
        sines[SBL_FOURIER_SLOPES(PADDED)];
    static double exact[N * COLUMNS];
    setting s = {N, COLUMNS, C, LANES, starts, row_weight, class_weight};
    sbl_fourier_problem problem = {PADDED, COLUMNS, C, starts, row_weight, class_weight};
    const sbl_kernels *variants[3];
    size_t count = list_variants(variants);
    fill(panel, COLUMNS * PANEL, 0.1, 5);
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t f = LANES; f < PANEL; f++) panel[i * PANEL + f] = 0;
    fill(target, C * 2 * PANEL, 0.1, 6);
    fill(rows_of, N * COLUMNS, 1, 7);
    for (size_t r = 0; r < N; r++)
        for (size_t i = 0; i < COLUMNS; i++) {
            exact[r * COLUMNS + i] = (double)rows_of[r * COLUMNS + i];
            by_column[i * PADDED + r] = rows_of[r * COLUMNS + i];
        }
    double expected = loss_in_double(exact, &s, panel, target);
    for (size_t which = 0; which < count; which++) {
        for (size_t i = 0; i < COLUMNS * PADDED; i++) gradient[i] = 0.25f; /* it is added to */
        double loss =
            variants[which]->fourier_slopes(slopes, sines, &problem, by_column, panel, LANES, target);
        for (size_t r = 0; r < PADDED; r += SBL_FOURIER_ROWS)
            variants[which]->fourier_gradient(gradient, slopes, &problem, panel, LANES, r,
                                              r + SBL_FOURIER_ROWS);
        assert_true(fabs(loss - expected) < 2e-6 * expected);
        for (size_t r = 0; r < N; r += 4) {
            for (size_t i = 0; i < COLUMNS; i++) {
                double *at = &exact[r * COLUMNS + i], kept = *at, h = 1e-5;
                *at = kept + h;
                double up = loss_in_double(exact, &s, panel, target);
                *at = kept - h;
                double down = loss_in_double(exact, &s, panel, target);
                *at = kept;
                double slope = (up - down) / (2 * h);
                assert_true(fabs((double)gradient[i * PADDED + r] - 0.25 - slope) < 3e-6);
            }
        }
        for (size_t i = 0; i < COLUMNS; i++)
            for (size_t r = N; r < PADDED; r++) assert_true(fabsf(gradient[i * PADDED + r] - 0.25f) < 1e-12f);
    }
}

TEST(the_best_variant_is_the_one_used)
{
    const sbl_kernels *variants[3];
    size_t count = list_variants(variants);
    assert_string_equal(sbl_kernels_best()->name, variants[count - 1]->name);
}

ALL_TESTS(fill_inputs, NULL)
