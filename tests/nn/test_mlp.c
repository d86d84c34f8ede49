/* The network: forward against double arithmetic, gradients against finite differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "nn/mlp.h"
#include "nn/reference.h"
#include "random/model_rng.h"

enum { ROWS = 40, OUT = 9 };
static const size_t starts[] = {0, 15, 15, ROWS};
static const sbl_mlp_shape shape = {
    .latent = 3, .classes = 3, .depth = 2, .hidden = {37, 5}, .outputs = OUT};

static void make(sbl_mlp *mlp, sbl_mlp_work *work)
{
    sbl_model_rng rng;
    assert_int_equal(sbl_mlp_init(mlp, &shape, NULL), SBL_OK);
    sbl_mlp_randomise(mlp, 3);
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 0);
    for (size_t l = 0; l < shape.depth; l++)
        for (size_t j = 0; j < shape.hidden[l]; j++) {
            mlp->weights[mlp->layers[l].gamma + j] = 1 + 0.2f * (float)sbl_model_rng_normal(&rng);
            mlp->weights[mlp->layers[l].beta + j] = 0.3f * (float)sbl_model_rng_normal(&rng);
        }
    assert_int_equal(sbl_mlp_work_init(work, mlp, ROWS, NULL), SBL_OK);
    sbl_model_rng_normals(&rng, work->latent, ROWS * shape.latent);
    sbl_model_rng_normals(&rng, work->d_outputs, ROWS * OUT);
}

static void forward_matches_double_arithmetic(void **state)
{
    (void)state;
    static double weights[4096], outputs[ROWS * OUT];
    sbl_mlp mlp;
    sbl_mlp_work work;
    make(&mlp, &work);
    assert_true(mlp.weight_count < 4096);
    for (size_t i = 0; i < mlp.weight_count; i++) weights[i] = (double)mlp.weights[i];
    sbl_mlp_forward(&mlp, &work, starts, 0.1f);
    reference_forward(outputs, &mlp, weights, work.latent, starts, ROWS);
    for (size_t i = 0; i < ROWS * OUT; i++)
        assert_true(fabs(outputs[i] - (double)work.outputs[i]) < 2e-5);
    sbl_mlp_work_clear(&work);
    sbl_mlp_clear(&mlp);
}

/* f(weights) = sum of outputs times d_outputs. */
static double functional(const sbl_mlp *mlp, const double *weights, const sbl_mlp_work *work)
{
    static double outputs[ROWS * OUT];
    double sum = 0;
    reference_forward(outputs, mlp, weights, work->latent, starts, ROWS);
    for (size_t i = 0; i < ROWS * OUT; i++) sum += outputs[i] * (double)work->d_outputs[i];
    return sum;
}

static void every_gradient_matches_finite_differences(void **state)
{
    (void)state;
    static double weights[4096];
    sbl_mlp mlp;
    sbl_mlp_work work;
    make(&mlp, &work);
    for (size_t i = 0; i < mlp.weight_count; i++) weights[i] = (double)mlp.weights[i];
    sbl_mlp_forward(&mlp, &work, starts, 0.1f);
    sbl_mlp_backward(&mlp, &work, starts);
    for (size_t i = 0; i < mlp.weight_count; i++) {
        double kept = weights[i], h = 1e-6;
        weights[i] = kept + h;
        double up = functional(&mlp, weights, &work);
        weights[i] = kept - h;
        double down = functional(&mlp, weights, &work);
        weights[i] = kept;
        double slope = (up - down) / (2 * h);
        assert_true(fabs(slope - (double)work.d_weights[i]) < 2e-4 * (1 + fabs(slope)));
    }
    sbl_mlp_work_clear(&work);
    sbl_mlp_clear(&mlp);
}

static void running_statistics_move_by_momentum_towards_unbiased_ones(void **state)
{
    (void)state;
    enum { N = 10 };
    float x[N], y[N], inverse, gamma = 2, beta = -1, mean = 5, variance = 7;
    sbl_batch_norm norm = {1, &gamma, &beta, &mean, &variance};
    for (int r = 0; r < N; r++) x[r] = (float)r;
    sbl_batch_norm_forward(&norm, y, x, &inverse, N, 0.25f);
    assert_true(fabsf(mean - (0.75f * 5 + 0.25f * 4.5f)) < 1e-6f);
    assert_true(fabsf(variance - (0.75f * 7 + 0.25f * 9.1666667f)) < 1e-5f);
    assert_true(fabsf(inverse - 1 / sqrtf(8.25f + 1e-5f)) < 1e-6f);
    assert_true(y[0] == 0);
    assert_true(fabsf(y[9] - (2 * 4.5f * inverse - 1)) < 1e-5f);
}

static void weights_are_uniform_within_the_fan_in_bound_and_repeat(void **state)
{
    (void)state;
    sbl_mlp a, b;
    float largest = 0;
    assert_int_equal(sbl_mlp_init(&a, &shape, NULL), SBL_OK);
    assert_int_equal(sbl_mlp_init(&b, &shape, NULL), SBL_OK);
    sbl_mlp_randomise(&a, 9);
    sbl_mlp_randomise(&b, 9);
    assert_memory_equal(a.weights, b.weights, a.weight_count * sizeof(float));
    const sbl_mlp_layer *layer = &a.layers[1];
    for (size_t i = 0; i < layer->out * layer->in; i++)
        if (fabsf(a.weights[layer->weight + i]) > largest)
            largest = fabsf(a.weights[layer->weight + i]);
    assert_true(largest <= 1 / sqrtf(37) && largest > 0.9f / sqrtf(37));
    sbl_mlp_randomise(&b, 10);
    assert_memory_not_equal(a.weights, b.weights, a.weight_count * sizeof(float));
    sbl_mlp_clear(&a);
    sbl_mlp_clear(&b);
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    sbl_mlp mlp;
    sbl_mlp_work work;
    sbl_mlp_shape bad[5] = {shape, shape, shape, shape, shape};
    bad[0].depth = 0;
    bad[1].depth = SBL_MLP_MAX_DEPTH + 1;
    bad[2].hidden[1] = 0;
    bad[3].classes = 0;
    bad[4].outputs = (size_t)1 << 30;
    for (size_t i = 0; i < 5; i++) assert_int_equal(sbl_mlp_init(&mlp, &bad[i], NULL), SBL_EARG);
    assert_int_equal(sbl_mlp_init(&mlp, &shape, NULL), SBL_OK);
    assert_int_equal(sbl_mlp_work_init(&work, &mlp, 0, NULL), SBL_EARG);
    assert_int_equal(sbl_mlp_work_init(&work, &mlp, SIZE_MAX / 8, NULL), SBL_EARG);
    sbl_mlp_clear(&mlp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_matches_double_arithmetic),
        cmocka_unit_test(every_gradient_matches_finite_differences),
        cmocka_unit_test(running_statistics_move_by_momentum_towards_unbiased_ones),
        cmocka_unit_test(weights_are_uniform_within_the_fan_in_bound_and_repeat),
        cmocka_unit_test(impossible_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
