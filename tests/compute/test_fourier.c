/* The Fourier kernels of every instruction set this machine has, against double arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/fourier.h"
#include "compute/fourier_variants.h"
#include "random/model_rng.h"

#define PANEL SBL_FOURIER_PANEL

static size_t list_variants(const sbl_fourier_kernels **list)
{
    size_t count = 0;
    list[count++] = &sbl_fourier_portable;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        list[count++] = &sbl_fourier_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        list[count++] = &sbl_fourier_avx512;
#endif
    return count;
}

static void fill(float *values, size_t count, double size, uint64_t stream)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 11, SBL_RNG_OTHER, stream);
    for (size_t i = 0; i < count; i++) values[i] = (float)(size * sbl_model_rng_normal(&rng));
}

static void features_match_double_arithmetic(void **state)
{
    (void)state;
    enum { ROWS = 21, D = 13, PANELS = 3 };
    static float x[ROWS * D], w[PANELS * D * PANEL], out[ROWS * 2 * PANELS * PANEL];
    const sbl_fourier_kernels *variants[3];
    size_t count = list_variants(variants);
    fill(x, ROWS * D, 1, 1);
    fill(w, PANELS * D * PANEL, 0.5, 2);
    for (size_t v = 0; v < count; v++) {
        memset(out, 0xff, sizeof out);
        variants[v]->features(out, 2 * PANELS * PANEL, x, D, ROWS, D, w, PANELS);
        for (size_t r = 0; r < ROWS; r++) {
            for (size_t f = 0; f < PANELS * PANEL; f++) {
                double t = 0;
                for (size_t i = 0; i < D; i++)
                    t += (double)x[r * D + i] *
                         (double)w[(f / PANEL * D + i) * PANEL + f % PANEL];
                const float *pair = out + r * 2 * PANELS * PANEL + 2 * f;
                assert_true(fabs((double)pair[0] - cos(6.283185307179586 * t)) < 6e-6);
                assert_true(fabs((double)pair[1] - sin(6.283185307179586 * t)) < 6e-6);
                /* What the enforcement relies on: the pair's norm is 1 to well below 2^-20. */
                assert_true(fabs(hypot((double)pair[0], (double)pair[1]) - 1) < 4e-7);
            }
        }
    }
}

/* The rule that sensitivity rests on: a row's bits depend on that row alone. */
static void a_row_has_the_same_bits_at_any_place_in_any_block(void **state)
{
    (void)state;
    enum { ROWS = 37, D = 7, PANELS = 2, WIDTH = 2 * PANELS * PANEL };
    static float x[ROWS * D], w[PANELS * D * PANEL], whole[ROWS * WIDTH], alone[WIDTH],
        block[ROWS * WIDTH], wide[ROWS * 11];
    const sbl_fourier_kernels *variants[3];
    size_t count = list_variants(variants);
    fill(x, ROWS * D, 1, 3);
    fill(w, PANELS * D * PANEL, 2, 4);
    for (size_t v = 0; v < count; v++) {
        variants[v]->features(whole, WIDTH, x, D, ROWS, D, w, PANELS);
        for (size_t r = 0; r < ROWS; r++) {
            variants[v]->features(alone, WIDTH, x + r * D, D, 1, D, w, PANELS);
            assert_memory_equal(alone, whole + r * WIDTH, sizeof alone);
        }
        for (size_t rows = 1; rows <= 20; rows++) {
            variants[v]->features(block, WIDTH, x + D, D, rows, D, w, PANELS);
            assert_memory_equal(block, whole + WIDTH, rows * sizeof alone);
        }
        /* One panel at a time, and rows further apart. */
        variants[v]->features(block, 2 * PANEL, x, D, ROWS, D, w + D * PANEL, 1);
        for (size_t r = 0; r < ROWS; r++)
            assert_memory_equal(block + r * 2 * PANEL, whole + r * WIDTH + 2 * PANEL,
                                2 * PANEL * sizeof(float));
        for (size_t r = 0; r < ROWS; r++) memcpy(wide + r * 11, x + r * D, D * sizeof(float));
        variants[v]->features(block, WIDTH, wide, 11, ROWS, D, w, PANELS);
        assert_memory_equal(block, whole, sizeof block);
    }
}

typedef struct setting {
    size_t rows, columns, classes, lanes;
    const size_t *starts;
    const float *row_weight, *class_weight;
} setting;

static double loss_in_double(const double *x, const setting *s, const float *panel,
                             const float *target)
{
    double loss = 0;
    for (size_t f = 0; f < s->lanes; f++) {
        for (size_t c = 0; c < s->classes; c++) {
            double re = 0, im = 0;
            for (size_t r = s->starts[c]; r < s->starts[c + 1]; r++) {
                double t = 0;
                for (size_t i = 0; i < s->columns; i++)
                    t += x[r * s->columns + i] * (double)panel[i * PANEL + f];
                re += cos(6.283185307179586 * t), im += sin(6.283185307179586 * t);
            }
            re = re * (double)s->row_weight[c] - (double)target[(c * PANEL + f) * 2];
            im = im * (double)s->row_weight[c] - (double)target[(c * PANEL + f) * 2 + 1];
            loss += (double)s->class_weight[c] * (re * re + im * im);
        }
    }
    return loss;
}

static void loss_and_gradient_match_finite_differences(void **state)
{
    (void)state;
    enum { ROWS = 45, PADDED = 64, D = 11, C = 3, LANES = 29 };
    static const size_t starts[] = {0, 20, 20, 45}; /* the second class is empty */
    static const float row_weight[] = {0.04f, 0, 0.02f}, class_weight[] = {1.5f, 0, 0.7f};
    static float panel[D * PANEL], target[C * 2 * PANEL], x[ROWS * D], by_column[D * PADDED],
        gradient[D * PADDED], scratch[SBL_FOURIER_SCRATCH(PADDED)];
    static double exact[ROWS * D];
    setting s = {ROWS, D, C, LANES, starts, row_weight, class_weight};
    sbl_fourier_problem problem = {PADDED, D, C, starts, row_weight, class_weight};
    const sbl_fourier_kernels *variants[3];
    size_t count = list_variants(variants);
    fill(panel, D * PANEL, 0.1, 5);
    for (size_t i = 0; i < D; i++)
        for (size_t f = LANES; f < PANEL; f++) panel[i * PANEL + f] = 0;
    fill(target, C * 2 * PANEL, 0.1, 6);
    fill(x, ROWS * D, 1, 7);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < D; i++) {
            exact[r * D + i] = (double)x[r * D + i];
            by_column[i * PADDED + r] = x[r * D + i];
        }
    double expected = loss_in_double(exact, &s, panel, target);
    for (size_t v = 0; v < count; v++) {
        for (size_t i = 0; i < D * PADDED; i++) gradient[i] = 0.25f; /* it is added to */
        double loss = variants[v]->loss(gradient, scratch, &problem, by_column, panel, LANES, target);
        assert_true(fabs(loss - expected) < 2e-6 * expected);
        for (size_t r = 0; r < ROWS; r += 4) {
            for (size_t i = 0; i < D; i++) {
                double *at = &exact[r * D + i], kept = *at, h = 1e-5;
                *at = kept + h;
                double up = loss_in_double(exact, &s, panel, target);
                *at = kept - h;
                double down = loss_in_double(exact, &s, panel, target);
                *at = kept;
                double slope = (up - down) / (2 * h);
                assert_true(fabs((double)gradient[i * PADDED + r] - 0.25 - slope) < 3e-6);
            }
        }
        for (size_t i = 0; i < D; i++)
            for (size_t r = ROWS; r < PADDED; r++)
                assert_true(fabsf(gradient[i * PADDED + r] - 0.25f) < 1e-12f);
    }
}

static void the_best_variant_is_the_one_used(void **state)
{
    (void)state;
    const sbl_fourier_kernels *variants[3];
    size_t count = list_variants(variants);
    assert_string_equal(sbl_fourier_variant(), variants[count - 1]->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_match_double_arithmetic),
        cmocka_unit_test(a_row_has_the_same_bits_at_any_place_in_any_block),
        cmocka_unit_test(loss_and_gradient_match_finite_differences),
        cmocka_unit_test(the_best_variant_is_the_one_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
