/* DP-MERF's loss against double arithmetic, and that training finds what the target describes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/threads.h"
#include "features/onehot.h"
#include "nn/reference.h"
#include "random/model_rng.h"
#include "sample/sampler.h"
#include "support/fail_alloc.h"
#include "train/batch_shares.h"
#include "train/merf.h"

static void make_plan(sbl_merf_plan *plan, size_t numeric, const size_t *cardinalities,
                      size_t categorical, size_t classes, size_t features, double joint_share)
{
    sbl_record_shape shape;
    sbl_merf_plan_options options;
    assert_int_equal(
        sbl_record_shape_init(&shape, numeric, cardinalities, categorical, classes, NULL), SBL_OK);
    sbl_merf_plan_options_init(&options, &shape);
    options.features = features;
    options.joint_share = joint_share;
    assert_int_equal(sbl_merf_plan_build(plan, &shape, &options, NULL), SBL_OK);
    sbl_record_shape_clear(&shape);
}

/* The loss of merf.h in double, for the trainer's batch. Where frequencies see codes, the drawn
 * codes count as drawn + p - start, with start the probabilities at the weights of the trainer: the
 * function whose gradient the straight-through rule takes. start (rows, T) is filled when `begin`.
 */
static double reference_loss(const sbl_generator *g, const double *weights, const sbl_merf_plan *plan,
                             const sbl_merf_target *target, const sbl_train_options *o,
                             const sbl_merf_trainer *trainer, double *start, bool begin)
{
    const sbl_record_shape *s = &g->shape;
    const size_t *starts = sbl_merf_trainer_starts(trainer);
    size_t rows = starts[s->classes], width = s->numeric + s->onehot,
           F = plan->options.features / 2;
    double *outputs = calloc(rows * width, sizeof *outputs);
    double *e = calloc(2 * F + s->onehot, sizeof *e), loss = 0;
    sbl_rff rff = {0};
    assert_int_equal(sbl_merf_plan_rff(&rff, plan, NULL), SBL_OK);
    const float *drawn = sbl_merf_trainer_drawn(trainer);
    size_t padded = sbl_fourier_padded_rows(rows);
    reference_forward(outputs, &g->mlp, weights, sbl_merf_trainer_latents(trainer), starts, rows);
    for (size_t c = 0; c < s->classes; c++) {
        size_t count = starts[c + 1] - starts[c];
        if (count == 0) continue;
        double row_weight = target->shares[c] / (double)count, squares = 0, onehot = 0;
        memset(e, 0, (2 * F + s->onehot) * sizeof *e);
        for (size_t r = starts[c]; r < starts[c + 1]; r++) {
            double x[64], p[64];
            reference_heads(x, p, outputs + r * width, s);
            for (size_t j = 0; begin && j < s->onehot; j++) start[r * s->onehot + j] = p[j];
            for (size_t f = 0; f < F; f++) {
                double t = 0;
                for (size_t j = 0; f < rff.joint && j < s->onehot; j++)
                    t += ((double)drawn[j * padded + r] + p[j] - start[r * s->onehot + j]) *
                         (double)rff.code_panels[(f / 32 * s->onehot + j) * 32 + f % 32];
                for (size_t i = 0; i < s->numeric; i++)
                    t += x[i] * (double)rff.panels[(f / 32 * s->numeric + i) * 32 + f % 32];
                e[2 * f] += row_weight * cos(6.283185307179586 * t);
                e[2 * f + 1] += row_weight * sin(6.283185307179586 * t);
            }
            for (size_t j = 0; j < s->onehot; j++) e[2 * F + j] += row_weight * p[j];
        }
        for (size_t j = 0; j < 2 * F; j++)
            squares += pow(e[j] - (double)target->rff[c * 2 * F + j], 2);
        for (size_t j = 0; j < s->onehot; j++)
            onehot += pow(e[2 * F + j] - (double)target->onehot[c * s->onehot + j], 2);
        loss += pow(target->shares[c], -o->class_power) *
                (squares / (double)F +
                 (s->categorical ? o->onehot_loss * onehot / (double)s->categorical : 0));
    }
    free(outputs);
    free(e);
    sbl_rff_clear(&rff);
    return loss;
}

static void check_gradient(size_t numeric, size_t categorical, double joint_share)
{
    static const size_t cardinalities[] = {3, 2};
    static double weights[8192], start[8192];
    sbl_merf_plan plan;
    sbl_merf_target target;
    sbl_generator g;
    sbl_merf_trainer *trainer;
    sbl_train_options o;
    sbl_model_rng rng;
    make_plan(&plan, numeric, cardinalities, categorical, 3, 140, joint_share);
    assert_int_equal(sbl_merf_target_init(&target, &plan, NULL), SBL_OK);
    sbl_model_rng_init(&rng, 8, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < 3 * 140; i++) target.rff[i] = 0.3f * (float)sbl_model_rng_normal(&rng);
    for (size_t i = 0; i < 3 * plan.shape.onehot; i++)
        target.onehot[i] = 0.3f * (float)sbl_model_rng_normal(&rng);
    target.shares[0] = 0.7, target.shares[1] = 0, target.shares[2] = 0.3;
    sbl_train_options_init(&o);
    o.batch = 41, o.class_power = 0.8, o.onehot_loss = 1.7;
    sbl_mlp_shape network = {.latent = 4, .depth = 1, .hidden = {10}};
    assert_int_equal(sbl_generator_init(&g, &plan.shape, &network, NULL), SBL_OK);
    sbl_mlp_randomise(&g.mlp, 5);
    assert_int_equal(sbl_merf_trainer_new(&trainer, &g, &plan, &target, &o, NULL), SBL_OK);
    sbl_merf_trainer_draw(trainer, 3);
    for (size_t i = 0; i < g.mlp.weight_count; i++) weights[i] = (double)g.mlp.weights[i];
    double loss = sbl_merf_trainer_loss(trainer, 0.1f);
    double expected = reference_loss(&g, weights, &plan, &target, &o, trainer, start, true);
    assert_true(fabs(loss / expected - 1) < 1e-5);
    const float *gradient = sbl_merf_trainer_gradient(trainer);
    for (size_t i = 0; i < g.mlp.weight_count; i++) {
        double kept = weights[i], h = 1e-6;
        weights[i] = kept + h;
        double up = reference_loss(&g, weights, &plan, &target, &o, trainer, start, false);
        weights[i] = kept - h;
        double down = reference_loss(&g, weights, &plan, &target, &o, trainer, start, false);
        weights[i] = kept;
        double slope = (up - down) / (2 * h);
        assert_true(fabs(slope - (double)gradient[i]) < 1e-4 * (0.01 + fabs(slope)));
    }
    sbl_merf_trainer_free(trainer);
    sbl_generator_clear(&g);
    sbl_merf_target_clear(&target);
    sbl_merf_plan_clear(&plan);
}

static void gradient_matches_finite_differences_for_mixed_columns(void **state)
{
    (void)state;
    check_gradient(9, 2, 0);
    check_gradient(9, 2, 0.5);
}

static void gradient_matches_finite_differences_for_numbers_only(void **state)
{
    (void)state;
    check_gradient(3, 0, 0.5);
}

static void gradient_matches_finite_differences_for_categories_only(void **state)
{
    (void)state;
    check_gradient(0, 2, 0.5);
}

/* A record of the toy table: class 0 lies low and is mostly category 0, class 1 high and 2. */
static void toy_record(float *x, uint32_t *code, size_t label, sbl_model_rng *rng)
{
    float centre = label ? 0.75f : 0.25f;
    x[0] = centre + 0.05f * (float)sbl_model_rng_normal(rng);
    x[1] = 1 - centre + 0.05f * (float)sbl_model_rng_normal(rng);
    *code = sbl_model_rng_uniform(rng) < 0.9 ? (label ? 2 : 0) : 1;
}

static void toy_target(sbl_merf_target *target, const sbl_merf_plan *plan, double share)
{
    enum { N = 2000 };
    size_t D = plan->options.features;
    float *features = calloc(D + 2 * SBL_FOURIER_PANEL, sizeof *features), x[2];
    uint32_t code;
    sbl_rff rff;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 7);
    assert_int_equal(sbl_merf_target_init(target, plan, NULL), SBL_OK);
    assert_int_equal(sbl_merf_plan_rff(&rff, plan, NULL), SBL_OK);
    for (size_t r = 0; r < N; r++) {
        size_t label = (double)r >= share * N;
        toy_record(x, &code, label, &rng);
        sbl_fourier_rows row = {x, 2, &code, 1, 1}; /* one column: code and entry agree */
        sbl_rff_tile(&rff, features, D + 2 * SBL_FOURIER_PANEL, &row, 0, D / 2);
        for (size_t j = 0; j < D; j++) target->rff[label * D + j] += features[j] / N;
        target->onehot[label * 3 + code] += 1.0f / N;
    }
    target->shares[0] = share, target->shares[1] = 1 - share;
    for (size_t c = 2; c < plan->shape.classes; c++) target->shares[c] = 0;
    sbl_rff_clear(&rff);
    free(features);
}

static void toy_options(sbl_train_options *o)
{
    sbl_train_options_init(o);
    o->latent = 4, o->hidden[0] = o->hidden[1] = 32, o->steps = 400, o->batch = 200;
}

static void training_finds_the_classes_numbers_and_categories(void **state)
{
    (void)state;
    enum { N = 4000 };
    static const size_t cardinality[] = {3};
    static double numbers[N * 2];
    static uint32_t codes[N], labels[N];
    sbl_merf_plan plan;
    sbl_merf_target target;
    sbl_generator g;
    sbl_sampler *sampler;
    sbl_train_options o;
    /* the third class has no positive count: no rows, no pull, no failure */
    make_plan(&plan, 2, cardinality, 1, 3, 200, 0.5);
    toy_target(&target, &plan, 0.8);
    toy_options(&o);
    assert_int_equal(sbl_train_merf(&g, &plan, &target, &o, NULL), SBL_OK);
    assert_int_equal(sbl_sampler_new(&sampler, &g, 1, NULL), SBL_OK);
    assert_int_equal(sbl_sampler_draw(sampler, numbers, codes, labels, 0, N, SBL_ANY_CLASS, NULL),
                     SBL_OK);
    double sum[2] = {0}, square[2] = {0}, own[2] = {0}, count[2] = {0};
    for (size_t r = 0; r < N; r++) {
        size_t c = labels[r];
        assert_true(c < 2);
        count[c]++, sum[c] += numbers[2 * r], square[c] += numbers[2 * r] * numbers[2 * r];
        own[c] += codes[r] == (c ? 2 : 0);
    }
    assert_true(fabs(count[0] / N - 0.8) < 0.04);
    for (size_t c = 0; c < 2; c++) {
        double mean = sum[c] / count[c], deviation = sqrt(square[c] / count[c] - mean * mean);
        assert_true(fabs(mean - (c ? 0.75 : 0.25)) < 0.03);
        assert_true(deviation > 0.02 && deviation < 0.1);
        assert_true(fabs(own[c] / count[c] - 0.9) < 0.05);
    }
    sbl_sampler_free(sampler);
    sbl_generator_clear(&g);
    sbl_merf_target_clear(&target);
    sbl_merf_plan_clear(&plan);
}

static void same_seed_and_threads_give_the_same_weights(void **state)
{
    (void)state;
    static const size_t cardinality[] = {3};
    sbl_merf_plan plan;
    sbl_merf_target target;
    sbl_generator a, b;
    sbl_train_options o;
    make_plan(&plan, 2, cardinality, 1, 2, 200, 0.5);
    toy_target(&target, &plan, 0.5);
    toy_options(&o);
    o.steps = 20;
    assert_int_equal(sbl_train_merf(&a, &plan, &target, &o, NULL), SBL_OK);
    assert_int_equal(sbl_train_merf(&b, &plan, &target, &o, NULL), SBL_OK);
    assert_memory_equal(a.mlp.weights, b.mlp.weights, a.mlp.weight_count * sizeof(float));
    sbl_generator_clear(&b);
    o.seed = 1;
    assert_int_equal(sbl_train_merf(&b, &plan, &target, &o, NULL), SBL_OK);
    assert_memory_not_equal(a.mlp.weights, b.mlp.weights, a.mlp.weight_count * sizeof(float));
    sbl_generator_clear(&a);
    sbl_generator_clear(&b);
    sbl_merf_target_clear(&target);
    sbl_merf_plan_clear(&plan);
}

static int stop_at_three(void *data, size_t step, size_t steps, double loss)
{
    *(size_t *)data = step;
    return step == 3 && steps == 400 && loss > 0;
}

static void progress_can_stop_the_training(void **state)
{
    (void)state;
    static const size_t cardinality[] = {3};
    sbl_merf_plan plan;
    sbl_merf_target target;
    sbl_generator g;
    sbl_train_options o;
    size_t last = 0;
    make_plan(&plan, 2, cardinality, 1, 2, 200, 0.5);
    toy_target(&target, &plan, 0.5);
    toy_options(&o);
    o.progress = stop_at_three;
    o.progress_data = &last;
    assert_int_equal(sbl_train_merf(&g, &plan, &target, &o, NULL), SBL_ESTOPPED);
    assert_int_equal(last, 3);
    assert_null(g.mlp.weights);
    sbl_merf_target_clear(&target);
    sbl_merf_plan_clear(&plan);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    sbl_merf_plan plan;
    sbl_merf_target target;
    sbl_generator g;
    make_plan(&plan, 2, NULL, 0, 1, 20, 0.5);
    assert_int_equal(sbl_merf_target_init(&target, &plan, NULL), SBL_OK);
    for (int i = 0; i < 12; i++) {
        sbl_train_options o;
        sbl_train_options_init(&o);
        if (i == 0) o.steps = 0;
        if (i == 1) o.batch = 1;
        if (i == 2) o.rate = 0;
        if (i == 3) o.class_power = -1;
        if (i == 4) o.balance = NAN;
        if (i == 5) o.onehot_loss = INFINITY;
        if (i == 6) o.depth = 0;
        if (i == 7) o.hidden[1] = 0;
        if (i == 8) o.latent = 65537;
        if (i == 9) o.hidden[2] = 65537;
        if (i == 10) o.hidden[0] = o.hidden[1] = o.hidden[2] = 65536; /* 2^33 weights */
        if (i == 11) o.depth = SBL_MLP_MAX_DEPTH + 1;
        assert_int_equal(sbl_train_merf(&g, &plan, &target, &o, NULL), SBL_EARG);
        assert_int_equal(sbl_train_merf_check(&plan, &o, NULL), SBL_EARG);
    }
    sbl_merf_target_clear(&target);
    sbl_merf_plan_clear(&plan);
}

/* What training will need is asked for beforehand, all of it. */
static void lack_of_memory_is_seen_before_training(void **state)
{
    (void)state;
    sbl_merf_plan plan;
    sbl_train_options o;
    sbl_status status;
    long n = 1;
    const size_t categories[] = {3, 2};
    make_plan(&plan, 2, categories, 2, 2, 20, 0.5);
    sbl_train_options_init(&o);
    o.batch = 20;
    for (;; n++) {
        sbl_test_fail_alloc(n);
        status = sbl_train_merf_check(&plan, &o, NULL);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
    }
    assert_int_equal(status, SBL_OK);
    assert_true(n > 15); /* network, target, batch */
    sbl_test_fail_alloc(0);
    sbl_merf_plan_clear(&plan);
}

static void absurd_counts_still_give_shares(void **state)
{
    (void)state;
    static const double counts[][3] = {
        {1e300, 5, -1e300}, {-1e300, -1e299, -1e300}, {1e30, 1e30, 3}};
    for (size_t i = 0; i < 3; i++) {
        double shares[3];
        sbl_project_shares(shares, counts[i], 3, 100);
        double sum = 0;
        for (size_t c = 0; c < 3; c++) {
            assert_true(shares[c] >= 0 && shares[c] <= 1 + 1e-6);
            sum += shares[c];
        }
        assert_true(fabs(sum - 1) < 1e-6);
    }
}

static void shares_are_the_nearest_on_the_simplex(void **state)
{
    (void)state;
    double shares[3];
    sbl_project_shares(shares, (const double[]){50, 30, 20}, 3, 100);
    assert_true(fabs(shares[0] - 0.5) < 1e-15 && fabs(shares[2] - 0.2) < 1e-15);
    sbl_project_shares(shares, (const double[]){90, 20, -10}, 3, 100);
    assert_true(fabs(shares[0] - 0.85) < 1e-12 && fabs(shares[1] - 0.15) < 1e-12);
    assert_true(shares[2] == 0);
    sbl_project_shares(shares, (const double[]){-5, -7, -500}, 3, 100);
    assert_true(fabs(shares[0] + shares[1] + shares[2] - 1) < 1e-12);
    assert_true(shares[0] > shares[1] && shares[1] > shares[2] && shares[2] == 0);
    sbl_project_shares(shares, (const double[]){-1e9, 1e9, 0}, 3, 1);
    assert_true(shares[0] == 0 && shares[1] == 1 && shares[2] == 0);
}

static void batches_give_rare_classes_rows_and_absent_ones_none(void **state)
{
    (void)state;
    size_t starts[4];
    assert_int_equal(sbl_batch_starts(starts, (const double[]){0.998, 0, 0.002}, 3, 1000, 0.5),
                     1000);
    assert_int_equal(starts[1], 749);
    assert_int_equal(starts[2], 749);
    sbl_batch_starts(starts, (const double[]){0.998, 0, 0.002}, 3, 1000, 0);
    assert_int_equal(starts[3] - starts[2], SBL_BATCH_LEAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_matches_finite_differences_for_mixed_columns),
        cmocka_unit_test(gradient_matches_finite_differences_for_numbers_only),
        cmocka_unit_test(gradient_matches_finite_differences_for_categories_only),
        cmocka_unit_test(training_finds_the_classes_numbers_and_categories),
        cmocka_unit_test(same_seed_and_threads_give_the_same_weights),
        cmocka_unit_test(progress_can_stop_the_training),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(lack_of_memory_is_seen_before_training),
        cmocka_unit_test(absurd_counts_still_give_shares),
        cmocka_unit_test(shares_are_the_nearest_on_the_simplex),
        cmocka_unit_test(batches_give_rare_classes_rows_and_absent_ones_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
