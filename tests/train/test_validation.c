/* SPDX-License-Identifier: Apache-2.0 */
/* Early stopping: a state is worse than another only where noise does not explain the difference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/train/validation.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "train_kit.h"

#define ROWS 12
#define PIXELS 20

/* Images of three classes, one of them without rows. */
typedef struct validated {
    train_kit kit;
    size_t starts[4];
    double shares[3], weights[3];
    float pixels[ROWS * PIXELS], d_pixels[ROWS * PIXELS];
    sbl_generated generated;
} validated;

static void begin(validated *j)
{
    static const size_t starts[] = {0, 5, 5, ROWS};
    static const double shares[] = {0.3, 0, 0.7}, weights[] = {2, 0, 1};
    sbl_model_rng rng;
    memset(j, 0, sizeof *j);
    train_kit_images(&j->kit, 4, 5, 3, 64);
    memcpy(j->starts, starts, sizeof starts);
    memcpy(j->shares, shares, sizeof shares);
    memcpy(j->weights, weights, sizeof weights);
    sbl_model_rng_init(&rng, 7, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < 3 * 64; i++)
        j->kit.targets[0].means[i] = (float)(0.1 * sbl_model_rng_uniform(&rng));
    j->generated = (sbl_generated){.on = &sbl_backend_cpu,
                                   .facts = &j->kit.facts,
                                   .rows = ROWS,
                                   .padded_rows = ROWS,
                                   .starts = j->starts,
                                   .shares = j->shares,
                                   .weights = j->weights,
                                   .pixels = j->pixels,
                                   .d_pixels = j->d_pixels};
}

static sbl_validation *validation_of(validated *j, double deviation)
{
    sbl_validation *validation;
    j->kit.targets[0].deviation = deviation;
    assert_ok(sbl_validation_new(&validation, j->kit.terms, 1, &j->generated, NULL));
    return validation;
}

/* Some images, the same for the same number. */
static double look_at(sbl_validation *validation, validated *j, uint64_t images, size_t batch)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, images, SBL_RNG_OTHER, 1);
    for (size_t i = 0; i < ROWS * PIXELS; i++) j->pixels[i] = (float)sbl_model_rng_uniform(&rng);
    return sbl_validation_score(validation, &j->generated, batch);
}

static void end(validated *j, sbl_validation *validation)
{
    sbl_validation_free(validation);
    train_kit_clear(&j->kit);
}

TEST(batches_enter_evenly)
{
    validated j;
    size_t count;
    float *means[3];
    begin(&j);
    sbl_validation *validation = validation_of(&j, 0);
    const float *kept = sbl_validation_kept(validation, &count);
    assert_true(count >= 3 * 64);
    for (size_t k = 0; k < 3; k++) means[k] = calloc(count, sizeof **means);
    for (size_t k = 0; k < 2; k++) {
        (void)look_at(validation, &j, k + 1, 0);
        sbl_validation_keep(validation);
        memcpy(means[k], kept, count * sizeof *kept);
    }
    (void)look_at(validation, &j, 1, 0);
    (void)look_at(validation, &j, 2, 1);
    (void)look_at(validation, &j, 2, 2);
    sbl_validation_keep(validation);
    double apart = 0;
    for (size_t i = 0; i < count; i++) {
        const double mean = ((double)means[0][i] + 2 * (double)means[1][i]) / 3;
        assert_true(fabs((double)kept[i] - mean) < 1e-6);
        apart += fabs((double)means[0][i] - (double)means[1][i]);
    }
    assert_true(apart > 0.1);
    for (size_t k = 0; k < 3; k++) free(means[k]);
    end(&j, validation);
}

/* With means a (kept) and b (looked at), L(b) > L(a): b is worse where L(b) - L(a) is more than four times
 * the deviation of the noise times sqrt(sum w_c^2 |a_c - b_c|^2), and that is where it tips. */
TEST(noise_explains_small_differences)
{
    validated j;
    size_t count;
    uint64_t better = 1, worse = 2;
    begin(&j);
    sbl_validation *validation = validation_of(&j, 0);
    if (look_at(validation, &j, better, 0) > look_at(validation, &j, worse, 0)) better = 2, worse = 1;
    const double least = look_at(validation, &j, better, 0);
    sbl_validation_keep(validation);
    const float *kept = sbl_validation_kept(validation, &count);
    float *a = calloc(count, sizeof *a);
    memcpy(a, kept, count * sizeof *a);
    const double more = look_at(validation, &j, worse, 0);
    assert_true(more > least);
    assert_true(sbl_validation_is_worse(validation, &j.generated, more, least));
    assert_false(sbl_validation_is_worse(validation, &j.generated, least, more));
    sbl_validation_keep(validation);
    double distance = 0;
    for (size_t i = 0; i < count; i++)
        distance += pow(j.weights[i / (count / 3)] * ((double)a[i] - (double)kept[i]), 2);
    sbl_validation_free(validation);
    const double tips = (more - least) / (4 * j.kit.targets[0].weight * sqrt(distance));
    for (int side = 0; side < 2; side++) {
        validation = validation_of(&j, tips * (side == 0 ? 0.99 : 1.01));
        (void)look_at(validation, &j, better, 0);
        sbl_validation_keep(validation);
        (void)look_at(validation, &j, worse, 0);
        assert_int_equal(sbl_validation_is_worse(validation, &j.generated, more, least), side == 0);
        if (side == 0) sbl_validation_free(validation);
    }
    free(a);
    end(&j, validation);
}
