/* SPDX-License-Identifier: Apache-2.0 */
/* Features of a frozen network's activations: what they are by definition, gradients that are slopes,
 * and what one record may move. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/losses/encoder_pass.h"
#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "public/features/activation_shapes.h"
#include "records/accumulate/sum.h"
#include "records/features/encoder_records.h"
#include "records/features/features.h"
#include "records/features/hermite.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"

FREES(sbl_encoder_workspace_free);

#define ROWS 12

/* ---- losses ---- */

/* A generated batch of three classes, one of them without rows, and a target at random. */
typedef struct draft_kit {
    sbl_facts facts;
    size_t starts[4];
    double shares[3], weights[3];
    float pixels[ROWS * 20], d_pixels[ROWS * 20];
    sbl_generated generated;
    sbl_target target;
} draft_kit;

static void draft_make(draft_kit *kit)
{
    static const size_t starts[] = {0, 5, 5, ROWS};
    static const double shares[] = {0.3, 0, 0.7}, weights[] = {2, 0, 1};
    sbl_model_rng rng;
    data_facts(&kit->facts, DATA_DIGITS);
    kit->facts.encoder_path = NULL; /* the built-in one */
    assert_int_equal(kit->facts.shape.numeric, 20);
    memcpy(kit->starts, starts, sizeof starts);
    memcpy(kit->shares, shares, sizeof shares);
    memcpy(kit->weights, weights, sizeof weights);
    sbl_model_rng_init(&rng, 3, SBL_RNG_OTHER, 1);
    for (size_t i = 0; i < ROWS * 20; i++) kit->pixels[i] = (float)sbl_model_rng_uniform(&rng);
    kit->generated = (sbl_generated){.on = &sbl_backend_cpu,
                                     .facts = &kit->facts,
                                     .rows = ROWS,
                                     .padded_rows = ROWS,
                                     .starts = kit->starts,
                                     .shares = kit->shares,
                                     .weights = kit->weights,
                                     .pixels = kit->pixels,
                                     .d_pixels = kit->d_pixels};
}

static void draft_aim(draft_kit *kit, size_t width)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 3, SBL_RNG_OTHER, 2);
    kit->target = (sbl_target){.means = calloc(3 * width, sizeof(float)), .weight = 0.5};
    for (size_t i = 0; i < 3 * width; i++)
        kit->target.means[i] = (float)(0.1 * sbl_model_rng_uniform(&rng) / sqrt((double)width));
}

/* The slope along a direction, by differences, against the gradient: ReLUs have corners, of which a
 * small step crosses a few. part: of each class's rows; those behind it have no gradient. */
static void check_slope(const sbl_loss_kind *kind, size_t variant, double part)
{
    draft_kit kit = {0};
    CLEARED(sbl_plan_clear) sbl_plan plan;
    CLEARED(sbl_features_clear) sbl_features features;
    void *loss = NULL;
    float direction[ROWS * 20], start[ROWS * 20];
    sbl_model_rng rng;
    double slope = 0, found[2];
    const double step = 2e-4;
    draft_make(&kit);
    assert_int_equal(sbl_plan_init(&plan, "test", NULL), SBL_OK);
    assert_int_equal(
        sbl_plan_add(&plan, kind->feature, data_parameters(kind->feature, variant, &kit.facts), 1, NULL),
        SBL_OK);
    assert_int_equal(sbl_plan_finish(&plan, &kit.facts, NULL), SBL_OK);
    assert_int_equal(sbl_features_make(&features, &plan, &kit.facts, NULL, NULL), SBL_OK);
    size_t width = 0;
    for (size_t b = 0; b < features.layout.block_count; b++) width += features.layout.blocks[b].width;
    draft_aim(&kit, width);
    kit.target.part = part;
    assert_int_equal(sbl_loss_new(&loss, kind, features.items[0].made, &kit.target, &kit.generated, NULL),
                     SBL_OK);
    const double first = kind->step(loss, &kit.generated);
    assert_true(first > 0 && isfinite(first));
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = r < kit.starts[1] ? 0 : 2;
        const bool seen = r < kit.starts[c] + sbl_generated_seen(&kit.generated, part, c);
        for (size_t i = 0; i < 20 && !seen; i++) assert_true(kit.d_pixels[r * 20 + i] == 0);
    }
    sbl_model_rng_init(&rng, 4, SBL_RNG_OTHER, 2);
    for (size_t i = 0; i < ROWS * 20; i++) {
        direction[i] = (float)(sbl_model_rng_uniform(&rng) - 0.5);
        slope += (double)direction[i] * (double)kit.d_pixels[i];
        start[i] = kit.pixels[i];
    }
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < ROWS * 20; i++)
            kit.pixels[i] = start[i] + (float)(side == 0 ? -step : step) * direction[i];
        found[side] = kind->step(loss, &kit.generated);
    }
    const double difference = (found[1] - found[0]) / (2 * step);
    if (!(fabs(difference - slope) <= 0.015 * fabs(slope)))
        fail_msg("%s %zu: slope %g, gradient %g", kind->feature, variant, difference, slope);
    sbl_loss_free(kind, loss);
    free(kit.target.means);
    sbl_facts_clear(&kit.facts);
}

TEST(gradients_are_slopes)
{
    for (size_t i = 0; i < 2; i++) {
        const double part = (double)i * 0.5;
        check_slope(&sbl_loss_moments, 0, part);
        check_slope(&sbl_loss_moments, 1, part);
        check_slope(&sbl_loss_moments, 2, part); /* layers alike, every second row mirrored */
        check_slope(&sbl_loss_signed_moments, 0, part);
        check_slope(&sbl_loss_perceptual, 0, part);
    }
}

/* A part of a class's rows is rounded, is two at least, and no more than there are. */
TEST(parts_of_a_class_are_two_rows_at_least)
{
    draft_kit kit = {0};
    draft_make(&kit);
    kit.starts[2] = 6; /* classes of 5, 1 and 6 rows */
    assert_int_equal(sbl_generated_seen(&kit.generated, 0, 0), 5);
    assert_int_equal(sbl_generated_seen(&kit.generated, 0.2, 0), 2);
    assert_int_equal(sbl_generated_seen(&kit.generated, 0.7, 0), 4);
    assert_int_equal(sbl_generated_seen(&kit.generated, 1, 0), 5);
    assert_int_equal(sbl_generated_seen(&kit.generated, 0.2, 1), 1);
    assert_int_equal(sbl_generated_most_seen(&kit.generated, 0), 6);
    assert_int_equal(sbl_generated_most_seen(&kit.generated, 0.5), 3);
    sbl_facts_clear(&kit.facts);
}

/* ---- running means ---- */

typedef struct loss_kit {
    draft_kit kit;
    sbl_plan plan;
    sbl_features features;
    const sbl_loss_kind *kind;
    size_t width;
} loss_kit;

static void loss_make(loss_kit *l, const sbl_loss_kind *kind, size_t variant)
{
    *l = (loss_kit){.kind = kind};
    draft_make(&l->kit);
    l->kit.generated.padded_rows = 16;
    assert_int_equal(sbl_plan_init(&l->plan, "test", NULL), SBL_OK);
    assert_int_equal(sbl_plan_add(&l->plan, kind->feature,
                                  data_parameters(kind->feature, variant, &l->kit.facts), 1, NULL),
                     SBL_OK);
    assert_int_equal(sbl_plan_finish(&l->plan, &l->kit.facts, NULL), SBL_OK);
    assert_int_equal(sbl_features_make(&l->features, &l->plan, &l->kit.facts, NULL, NULL), SBL_OK);
    for (size_t b = 0; b < l->features.layout.block_count; b++)
        l->width += l->features.layout.blocks[b].width;
    draft_aim(&l->kit, l->width);
}

static void loss_clear(loss_kit *l)
{
    free(l->kit.target.means);
    sbl_facts_clear(&l->kit.facts);
    sbl_features_clear(&l->features);
    sbl_plan_clear(&l->plan);
}

/* A step of a loss that is new, towards these means. */
static double plain_step(loss_kit *l, float *means)
{
    const sbl_target target = {.means = means, .weight = l->kit.target.weight};
    void *loss = NULL;
    assert_int_equal(
        sbl_loss_new(&loss, l->kind, l->features.items[0].made, &target, &l->kit.generated, NULL), SBL_OK);
    memset(l->kit.d_pixels, 0, sizeof l->kit.d_pixels);
    const double found = l->kind->step(loss, &l->kit.generated);
    sbl_loss_free(l->kind, loss);
    return found;
}

/* After a step that remembers P, the next one with decay d matches d P + (1 - d) E with t: that is
 * (1 - d)^2 times the plain loss towards (t - d P) / (1 - d), and (1 - d) times its gradient. P is the
 * mean of the first step: towards it, over one row fewer where the loss does so, nothing is lost. */
static void check_memory(const sbl_loss_kind *kind, size_t variant, bool one_fewer)
{
    CLEARED(loss_clear) loss_kit l;
    void *loss = NULL;
    float before[ROWS * 20];
    const double d = 2.0 / 11;
    loss_make(&l, kind, variant);
    float *means = calloc(3 * l.width, sizeof *means), *past = calloc(3 * l.width, sizeof *past);
    l.kit.target.memory = 0.9;
    assert_int_equal(
        sbl_loss_new(&loss, kind, l.features.items[0].made, &l.kit.target, &l.kit.generated, NULL), SBL_OK);
    const double first = kind->step(loss, &l.kit.generated);
    sbl_running *running = sbl_loss_memory(kind, loss, 0);
    assert_int_equal(sbl_running_count(running), 3 * l.width);
    assert_null(sbl_loss_memory(kind, loss, 1));
    sbl_running_save(past, running);
    for (size_t i = 0; i < 3 * l.width; i++) {
        const double rows = (double)(l.kit.starts[i / l.width + 1] - l.kit.starts[i / l.width]);
        means[i] = (float)((double)past[i] * (one_fewer && rows > 1 ? rows / (rows - 1) : 1));
    }
    assert_true(first > 0 && plain_step(&l, means) < 1e-9 * first);
    for (size_t i = 0; i < ROWS * 20; i++) l.kit.pixels[i] = 1 - l.kit.pixels[i];
    memset(l.kit.d_pixels, 0, sizeof l.kit.d_pixels);
    const double found = kind->step(loss, &l.kit.generated);
    memcpy(before, l.kit.d_pixels, sizeof before);
    for (size_t i = 0; i < 3 * l.width; i++)
        means[i] = (float)(((double)l.kit.target.means[i] - d * (double)past[i]) / (1 - d));
    const double plain = plain_step(&l, means);
    assert_true(fabs(found - (1 - d) * (1 - d) * plain) < 1e-4 * found);
    double largest = 0;
    for (size_t i = 0; i < ROWS * 20; i++) largest = fmax(largest, fabs((double)before[i]));
    assert_true(largest > 0);
    for (size_t i = 0; i < ROWS * 20; i++)
        assert_true(fabs((double)before[i] - (1 - d) * (double)l.kit.d_pixels[i]) < 1e-4 * largest);
    sbl_loss_free(kind, loss);
    free(means);
    free(past);
}

TEST(running_means_are_matched_where_there_is_memory)
{
    check_memory(&sbl_loss_moments, 0, true);
    check_memory(&sbl_loss_moments, 1, true);
    check_memory(&sbl_loss_moments, 2, true);
    check_memory(&sbl_loss_signed_moments, 0, true);
    check_memory(&sbl_loss_hermite, 0, false);
}

/* ---- classes in parts ---- */

/* What two steps give, so that there is a past. */
typedef struct two_steps {
    double loss;
    float d_pixels[ROWS * 20];
    float *past; /* (count): of all running means */
    size_t count;
} two_steps;

/* bytes: of a class in the network, at most. */
static void take_two_steps(two_steps *found, loss_kit *l, double bytes)
{
    void *loss = NULL;
    l->kit.generated.network_bytes = bytes;
    l->kit.target.memory = 0.9;
    *found = (two_steps){0};
    assert_int_equal(
        sbl_loss_new(&loss, l->kind, l->features.items[0].made, &l->kit.target, &l->kit.generated, NULL),
        SBL_OK);
    (void)l->kind->step(loss, &l->kit.generated);
    memset(l->kit.d_pixels, 0, sizeof l->kit.d_pixels);
    found->loss = l->kind->step(loss, &l->kit.generated);
    memcpy(found->d_pixels, l->kit.d_pixels, sizeof found->d_pixels);
    for (size_t i = 0; sbl_loss_memory(l->kind, loss, i) != NULL; i++) {
        const sbl_running *running = sbl_loss_memory(l->kind, loss, i);
        const size_t count = sbl_running_count(running);
        found->past = realloc(found->past, (found->count + count) * sizeof *found->past);
        sbl_running_save(found->past + found->count, running);
        found->count += count;
    }
    assert_true(found->loss > 0 && found->count > 0);
    sbl_loss_free(l->kind, loss);
}

/* memory: what is remembered lies in the same order, too, whatever goes through together. */
static void check_parts(const sbl_loss_kind *kind, size_t variant,
                        const sbl_encoded *(*encoded_of)(const void *made), bool memory)
{
    CLEARED(loss_clear) loss_kit l;
    two_steps whole, parts;
    loss_make(&l, kind, variant);
    const double row = sbl_encoded_row_bytes(encoded_of(l.features.items[0].made));
    take_two_steps(&whole, &l, 0);
    for (size_t rows = 1; rows < 7; rows++) {
        take_two_steps(&parts, &l, ((double)rows + 0.5) * row);
        assert_true(parts.loss == whole.loss);
        assert_memory_equal(parts.d_pixels, whole.d_pixels, sizeof whole.d_pixels);
        if (memory) assert_int_equal(parts.count, whole.count);
        if (memory) assert_memory_equal(parts.past, whole.past, whole.count * sizeof *whole.past);
        free(parts.past);
    }
    free(whole.past);
}

static const sbl_encoded *encoded_of_moments(const void *made)
{
    return &((const sbl_moments_feature *)made)->encoded;
}

static const sbl_encoded *encoded_of_points(const void *made)
{
    return &((const sbl_perceptual *)made)->encoded;
}

/* Classes of 5 and 7 rows: in one part to four. */
TEST(a_class_in_parts_has_the_bits_of_the_whole)
{
    check_parts(&sbl_loss_moments, 0, encoded_of_moments, true);
    check_parts(&sbl_loss_moments, 1, encoded_of_moments, true);
    check_parts(&sbl_loss_moments, 2, encoded_of_moments, true); /* every second row mirrored */
    check_parts(&sbl_loss_signed_moments, 0, encoded_of_moments, true);
    for (size_t v = 0; v < 3; v++) check_parts(&sbl_loss_pooled_moments, v, encoded_of_moments, true);
    check_parts(&sbl_loss_perceptual, 0, encoded_of_points, false);
}

/* Of classes with 5, 0 and 7 rows and shares .3, 0 and .7 the first 4 and 6 rows: one class of these has the same
 * loss and gradient. */
TEST(pooled_moments_are_those_of_one_class_by_shares)
{
    for (size_t variant = 0; variant < 3; variant++) {
        loss_kit pooled, one;
        float of_pooled[ROWS * 20];
        loss_make(&pooled, &sbl_loss_pooled_moments, variant);
        const double wanted = plain_step(&pooled, pooled.kit.target.means);
        memcpy(of_pooled, pooled.kit.d_pixels, sizeof of_pooled);
        loss_make(&one, &sbl_loss_moments, variant);
        memcpy(one.kit.pixels + 4 * 20, pooled.kit.pixels + 5 * 20, 6 * 20 * sizeof(float));
        one.kit.facts.classes = 1;
        one.kit.starts[1] = one.kit.generated.rows = 10;
        one.kit.shares[0] = one.kit.weights[0] = 1;
        const double found = plain_step(&one, pooled.kit.target.means);
        assert_true(wanted > 0 && found == wanted);
        assert_memory_equal(of_pooled, one.kit.d_pixels, 4 * 20 * sizeof(float));
        assert_memory_equal(of_pooled + 5 * 20, one.kit.d_pixels + 4 * 20, 6 * 20 * sizeof(float));
        for (size_t i = 0; i < 20; i++)
            assert_true(of_pooled[4 * 20 + i] == 0 && of_pooled[11 * 20 + i] == 0);
        loss_clear(&pooled);
        loss_clear(&one);
    }
}

TEST(parts_of_a_class_are_even_and_about_alike)
{
    CLEARED(loss_clear) loss_kit l;
    loss_make(&l, &sbl_loss_moments, 0);
    const sbl_encoded *encoded = encoded_of_moments(l.features.items[0].made);
    const double row = sbl_encoded_row_bytes(encoded);
    assert_int_equal(sbl_encoded_rows_at_once(encoded, 0, 500), 500);
    assert_int_equal(sbl_encoded_rows_at_once(encoded, 500 * row, 500), 500);
    assert_int_equal(sbl_encoded_rows_at_once(encoded, 499.5 * row, 500), 250);
    assert_int_equal(sbl_encoded_rows_at_once(encoded, 120 * row, 500), 100);
    assert_int_equal(sbl_encoded_rows_at_once(encoded, 100.5 * row, 201), 68); /* 68, 68, 65 */
    assert_int_equal(sbl_encoded_rows_at_once(encoded, row / 2, 5), 2);
    assert_int_equal(sbl_encoded_rows_at_once(encoded, row / 2, 1), 1);
}

/* ---- records ---- */

/* Sums of one image are its features: phi1 = e / |e|, phi2 = e^2 / |e^2|, found here from the
 * activations themselves. */
static void check_moments(const char *name)
{
    const bool signs = strcmp(name, SBL_SIGNED_MOMENTS) == 0;
    sbl_facts facts;
    sbl_plan plan;
    sbl_features features;
    sbl_feature_workspaces *workspaces;
    sbl_sum *sum;
    data_records records;
    data_facts(&facts, DATA_COLOURS);
    assert_int_equal(sbl_plan_init(&plan, "test", NULL), SBL_OK);
    assert_int_equal(sbl_plan_add(&plan, name, data_parameters(name, 0, &facts), 1, NULL), SBL_OK);
    assert_int_equal(sbl_plan_finish(&plan, &facts, NULL), SBL_OK);
    assert_int_equal(sbl_features_make(&features, &plan, &facts, NULL, NULL), SBL_OK);
    data_records_make(&records, &facts, 1, 8, false);
    assert_int_equal(sbl_feature_workspaces_new(&workspaces, &features, NULL), SBL_OK);
    assert_int_equal(sbl_sum_new(&sum, &features.layout, NULL), SBL_OK);
    assert_int_equal(sbl_features_add(sum, workspaces, &records.all, NULL), SBL_OK);

    const sbl_moments_feature *made = features.items[0].made;
    const sbl_encoded *e = &made->encoded;
    sbl_encoder_workspace *workspace;
    float pixels[27];
    for (size_t i = 0; i < 27; i++) pixels[i] = (float)records.all.pixels[i] / 255.0f;
    assert_int_equal(sbl_encoded_workspace(&workspace, e, 1, false, &sbl_backend_cpu, NULL), SBL_OK);
    sbl_encoder_forward(workspace, pixels, 1);
    double norms[2] = {0};
    size_t below = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t l = 0, at = 0; l < e->layer_count; l++) {
            const float *values = sbl_encoder_activation_values(workspace, e->layers[l]);
            const size_t size = sbl_volume_size(sbl_encoded_layer(e, l)->volume);
            for (size_t i = 0; i < size; i++) {
                const double v = (double)values[i];
                if (pass == 0) {
                    below += v < 0;
                    norms[0] += v * v;
                    norms[1] += v * v * v * v;
                    continue;
                }
                for (size_t b = 0; b < 2; b++) {
                    const double wanted = (b == 0 ? v : v * v) / sqrt(norms[b]);
                    const double got =
                        (double)sbl_sum_values(sum, b)[at + i] / features.layout.blocks[b].scale;
                    assert_true(fabs(got - wanted) < 1e-6);
                }
            }
            at += size;
        }
    assert_true(norms[0] > 0 && (below > 0) == signs);
    sbl_encoder_workspace_free(workspace);
    sbl_sum_free(sum);
    sbl_feature_workspaces_free(workspaces);
    data_records_clear(&records);
    sbl_features_clear(&features);
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
}

TEST(moments_are_normalised_activations)
{
    check_moments(SBL_MOMENTS);
    check_moments(SBL_SIGNED_MOMENTS);
}

/* ---- layers alike, mirror images, a larger input ---- */

/* phi1 and phi2 of an RGB image of 3 x 3 by definition: wanted (2, width). */
static void define_moments(double *wanted, const sbl_moments_feature *made, const uint8_t *image)
{
    const sbl_encoded *e = &made->encoded;
    FREED(sbl_encoder_workspace_free) sbl_encoder_workspace *workspace;
    float pixels[27];
    assert_int_equal(sbl_encoded_workspace(&workspace, e, 1, false, &sbl_backend_cpu, NULL), SBL_OK);
    memset(wanted, 0, 2 * made->width * sizeof *wanted);
    for (int mirror = 0; mirror <= e->mirrored; mirror++) {
        for (size_t i = 0; i < 27; i++) {
            const size_t line = i / 9, x = i / 3 % 3, from = mirror ? 2 - x : x;
            pixels[i] = (float)image[line * 9 + from * 3 + i % 3] / 255.0f;
        }
        sbl_encoder_forward(workspace, pixels, 1);
        for (size_t l = 0, at = 0; l < e->layer_count; l++) {
            const float *values = sbl_encoder_activation_values(workspace, e->layers[l]);
            const size_t size = sbl_volume_size(sbl_encoded_layer(e, l)->volume);
            for (size_t b = 0; b < 2; b++) {
                double norm = 0;
                for (size_t i = 0; i < size; i++) norm += pow((double)values[i], b == 0 ? 2 : 4);
                const double factor = norm > 0 ? 1 / sqrt(norm * (double)e->layer_count) : 0;
                for (size_t i = 0; i < size; i++)
                    wanted[b * made->width + at + i] +=
                        pow((double)values[i], b == 0 ? 1 : 2) * factor / (e->mirrored ? 2 : 1);
            }
            at += size;
        }
    }
}

/* The sums of one image: (2, width), to be freed. */
static int64_t *sum_of_one(const sbl_features *features, const sbl_records *records)
{
    const size_t width = features->layout.blocks[0].width;
    sbl_feature_workspaces *workspaces;
    sbl_sum *sum;
    int64_t *sums = calloc(2 * width, sizeof *sums);
    assert_int_equal(sbl_feature_workspaces_new(&workspaces, features, NULL), SBL_OK);
    assert_int_equal(sbl_sum_new(&sum, &features->layout, NULL), SBL_OK);
    assert_int_equal(sbl_features_add(sum, workspaces, records, NULL), SBL_OK);
    for (size_t b = 0; b < 2; b++) {
        const int64_t *own = sbl_sum_values(sum, b); /* of the record's class alone */
        for (size_t i = 0; i < features->layout.classes * width; i++) sums[b * width + i % width] += own[i];
    }
    sbl_sum_free(sum);
    sbl_feature_workspaces_free(workspaces);
    return sums;
}

/* Held against the definition; the mirror image's are the same to the bit, its own are not the
 * image's, and the squared norm of each block is within what is enforced. */
TEST(layers_are_alike_and_mirror_images_are_the_same)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(sbl_plan_clear) sbl_plan plan;
    CLEARED(sbl_features_clear) sbl_features features;
    CLEARED(data_records_clear) data_records records;
    uint8_t image[27];
    data_facts(&facts, DATA_COLOURS);
    assert_int_equal(sbl_plan_init(&plan, "test", NULL), SBL_OK);
    assert_int_equal(sbl_plan_add(&plan, SBL_MOMENTS, data_parameters(SBL_MOMENTS, 2, &facts), 1, NULL),
                     SBL_OK);
    assert_int_equal(sbl_plan_finish(&plan, &facts, NULL), SBL_OK);
    assert_int_equal(sbl_features_make(&features, &plan, &facts, NULL, NULL), SBL_OK);
    const sbl_moments_feature *made = features.items[0].made;
    assert_true(made->encoded.alike && made->encoded.mirrored && made->encoded.resize);
    assert_int_equal(made->encoded.side, 24);
    data_records_make(&records, &facts, 1, 8, false);
    memcpy(image, records.all.pixels, sizeof image);
    FREED(free) double *wanted = calloc(2 * made->width, sizeof *wanted);
    define_moments(wanted, made, image);
    FREED(free) int64_t *own = sum_of_one(&features, &records.all);
    uint8_t *pixels = (uint8_t *)(uintptr_t)records.all.pixels;
    for (size_t i = 0; i < 27; i++) pixels[i] = image[i / 9 * 9 + (2 - i / 3 % 3) * 3 + i % 3];
    assert_memory_not_equal(image, pixels, sizeof image);
    FREED(free) int64_t *mirrored = sum_of_one(&features, &records.all);
    assert_memory_equal(own, mirrored, 2 * made->width * sizeof *own);
    for (size_t b = 0; b < 2; b++) {
        const sbl_block *block = &features.layout.blocks[b];
        double norm2 = 0;
        for (size_t i = 0; i < made->width; i++) {
            const double got = (double)own[b * made->width + i];
            assert_true(got >= 0);
            assert_true(fabs(got / block->scale - wanted[b * made->width + i]) < 1e-6);
            norm2 += got * got;
        }
        assert_true(norm2 > 0 && norm2 <= (double)block->bound2);
    }
}

/* In training the second, fourth, ... row of a run is seen in a mirror; of records none is. */
TEST(every_second_row_of_training_is_mirrored)
{
    enum { IMAGES = 4, SIZE = 27 };
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(sbl_encoded_clear) sbl_encoded encoded;
    sbl_encoder_workspace *plain, *training;
    sbl_model_rng rng;
    float images[IMAGES * SIZE], turned[IMAGES * SIZE];
    data_facts(&facts, DATA_COLOURS);
    const sbl_encoded_ask ask = {.side = 24, .mirrored = true};
    assert_int_equal(sbl_encoded_choose(&encoded, &facts, &ask, NULL), SBL_OK);
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 1);
    for (size_t i = 0; i < IMAGES * SIZE; i++) images[i] = (float)sbl_model_rng_uniform(&rng);
    for (size_t i = 0; i < IMAGES * SIZE; i++) {
        const size_t row = i / SIZE, x = i / 3 % 3, from = row % 2 == 1 ? 2 - x : x;
        turned[i] = images[i / 9 * 9 + from * 3 + i % 3];
    }
    assert_int_equal(sbl_encoded_workspace(&plain, &encoded, IMAGES, false, &sbl_backend_cpu, NULL), SBL_OK);
    assert_int_equal(sbl_encoded_workspace(&training, &encoded, IMAGES, true, &sbl_backend_cpu, NULL),
                     SBL_OK);
    sbl_encoder_forward(plain, turned, IMAGES);
    sbl_encoder_forward(training, images, IMAGES);
    const size_t size = sbl_volume_size(sbl_encoded_layer(&encoded, 0)->volume);
    const float *wanted = sbl_encoder_activation_values(plain, 0);
    const float *got = sbl_encoder_activation_values(training, 0);
    assert_memory_equal(got, wanted, size * sizeof *got);
    for (size_t i = 0; i < IMAGES * size; i++)
        assert_true(fabs((double)(got[i] - wanted[i])) < 1e-5 * (1 + fabs((double)wanted[i])));
    sbl_encoder_forward(plain, images, IMAGES);
    assert_memory_not_equal(got + size, sbl_encoder_activation_values(plain, 0) + size, size * sizeof *got);
    sbl_encoder_workspace_free(plain);
    sbl_encoder_workspace_free(training);
}

/* Old plans keep their bytes: what is as usual is not said, and what is said is true. */
TEST(what_is_as_usual_is_not_in_a_plan)
{
    static const char *const members[] = {"fit", "layers_alike", "mirrored"};
    CLEARED(sbl_facts_clear) sbl_facts facts;
    sbl_encoded encoded;
    void *made = NULL;
    data_facts(&facts, DATA_COLOURS);
    for (size_t v = 0; v < 2; v++) {
        json_auto_t *usual = data_parameters(SBL_MOMENTS, v, &facts);
        assert_int_equal(json_object_size(usual), 5);
    }
    json_t *other = data_parameters(SBL_MOMENTS, 2, &facts);
    assert_int_equal(json_object_size(other), 8);
    assert_string_equal(json_string_value(json_object_get(other, "fit")), "resize");
    for (size_t m = 0; m < 3; m++) {
        json_auto_t *wrong = json_deep_copy(other);
        assert_int_equal(json_object_set_new(wrong, members[m], json_false()), 0);
        assert_int_equal(sbl_feature_moments.make(&made, &facts, wrong, NULL), SBL_EINPUT);
    }
    assert_int_equal(json_object_set_new(other, "side", json_integer(15)), 0);
    assert_int_equal(sbl_feature_moments.make(&made, &facts, other, NULL), SBL_EINPUT);
    json_decref(other);
    /* Fourier features have neither. */
    json_t *perceptual = data_parameters(SBL_PERCEPTUAL, 0, &facts);
    assert_int_equal(json_object_set_new(perceptual, "mirrored", json_true()), 0);
    assert_int_equal(sbl_feature_perceptual.make(&made, &facts, perceptual, NULL), SBL_EINPUT);
    json_decref(perceptual);
    assert_int_equal(sbl_encoded_choose(&encoded, &facts, &(sbl_encoded_ask){.side = 15}, NULL), SBL_EARG);
}

/* What lies behind a ReLU is held to its sign, or the sensitivity would be 2 in place of sqrt 2; before
 * it that is what it is. */
TEST(moments_are_held_nonnegative_and_fourier_features_are_not)
{
    for (size_t v = 0; v < 5; v++) {
        CLEARED(sbl_facts_clear) sbl_facts facts;
        sbl_block blocks[2] = {0};
        double weights[2];
        void *made;
        const sbl_feature *feature = v < 2    ? &sbl_feature_moments
                                     : v == 2 ? &sbl_feature_signed_moments
                                     : v == 3 ? &sbl_feature_perceptual
                                              : &sbl_feature_pooled_moments;
        data_facts(&facts, DATA_DIGITS);
        json_auto_t *parameters = data_parameters(feature->name, v == 1, &facts);
        assert_int_equal(feature->make(&made, &facts, parameters, NULL), SBL_OK);
        feature->describe(made, blocks, weights);
        const size_t count = feature->count != NULL ? feature->count(made) : 1;
        assert_int_equal(count, v % 2 == 0 ? 2 : 1);
        for (size_t b = 0; b < count; b++) {
            assert_int_equal(blocks[b].nonnegative, v < 2 || v == 4 || (v == 2 && b == 1));
            assert_true(blocks[b].per_class == (v != 4) && blocks[b].bound2 == SBL_GRID_BOUND2);
        }
        feature->free(made);
    }
}

/* The built-in network was trained on CIFAR-10: by a title or by names of files, however written. */
TEST(network_that_saw_the_images_is_refused)
{
    static const struct {
        const char *called;
        bool seen;
    } names[] = {{"CIFAR-10", true},
                 {"cifar10", true},
                 {"a part of Cifar_10, 5000 images", true},
                 {"/data/cifar-10-batches-bin", true},
                 {"data_batch_1.bin,data_batch_2.bin", true},
                 {"CIFAR-100", false},
                 {"notcifar10", false},
                 {"cifar.10", false},
                 {"clinic", false},
                 {"", false},
                 {NULL, false}};
    CLEARED(sbl_facts_clear) sbl_facts facts;
    data_facts(&facts, DATA_COLOURS);
    facts.encoder_path = NULL; /* the built-in one */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int by_file = 0; by_file < 2; by_file++) {
            sbl_encoded encoded;
            sbl_error err = {0};
            facts.title = by_file ? NULL : names[i].called;
            facts.files_name = by_file ? names[i].called : NULL;
            const sbl_status status = sbl_encoded_choose(&encoded, &facts, &(sbl_encoded_ask){0}, &err);
            if (status != (names[i].seen ? SBL_EINPUT : SBL_OK))
                fail_msg("'%s': status %d", names[i].called, (int)status);
            if (status == SBL_OK) sbl_encoded_clear(&encoded);
            if (names[i].seen) assert_non_null(strstr(err.message, "was trained on CIFAR-10"));
        }
}

/* A network whose first layer has a stride was made for larger images than a chain of 3 x 3 was. */
TEST(networks_that_shrink_at_once_see_enlarged_images)
{
    static const struct {
        const char *path;
        bool shrinks;
    } networks[] = {{NULL, false},
                    {SBL_TEST_SOURCE_DIR "/support/tiny.safetensors", false},
                    {SBL_TEST_SOURCE_DIR "/fuzz/corpus/fuzz_encoder/squeezenet", true},
                    {SBL_TEST_SOURCE_DIR "/fuzz/corpus/fuzz_encoder/torchvision_resnet", true}};
    CLEARED(sbl_facts_clear) sbl_facts facts;
    data_facts(&facts, DATA_COLOURS);
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++)
        for (size_t side = 0; side <= 40; side += 40) { /* 16 would be too small for the third */
            CLEARED(sbl_encoded_clear) sbl_encoded encoded;
            const sbl_encoded_ask ask = {.side = side, .enlarged = 48};
            facts.encoder_path = networks[i].path;
            assert_int_equal(sbl_encoded_choose(&encoded, &facts, &ask, NULL), SBL_OK);
            const size_t by_rule = networks[i].shrinks ? 48 : 16;
            assert_int_equal(encoded.side, side != 0 ? side : by_rule);
            assert_int_equal(encoded.resize, side != 0 || networks[i].shrinks);
        }
}

/* Of the built-in network at 16 x 16, two layers each of 8192, 4096 and 2048 numbers: noise whose
 * squared length on the largest layers, by their number, passes .65 leaves them out. */
TEST(layers_that_drown_in_noise_are_left_out)
{
    static const struct {
        double largest; /* d noise^2 L of the largest layers, while all are there */
        size_t kept;
    } noises[] = {{0, 6}, {0.64, 6}, {0.66, 4}, {1.94, 4}, {1.96, 2}, {1e6, 2}};
    CLEARED(sbl_facts_clear) sbl_facts facts;
    data_facts(&facts, DATA_COLOURS);
    facts.encoder_path = NULL; /* the built-in one */
    for (size_t i = 0; i < sizeof noises / sizeof noises[0]; i++)
        for (int alike = 0; alike < 2; alike++) {
            sbl_encoded encoded;
            const uint64_t all[] = {1, 2, 3, 4, 5, 6};
            sbl_encoded_ask ask = {.alike = alike != 0, .side = 16};
            assert_int_equal(sbl_encoded_choose(&encoded, &facts, &ask, NULL), SBL_OK);
            const double size = (double)sbl_volume_size(sbl_encoded_layer(&encoded, 0)->volume);
            sbl_encoded_clear(&encoded);
            ask.noise = sqrt(noises[i].largest / (6 * size));
            assert_int_equal(sbl_encoded_choose(&encoded, &facts, &ask, NULL), SBL_OK);
            assert_int_equal(encoded.layer_count, alike ? noises[i].kept : 6);
            for (size_t l = 0; alike && l < encoded.layer_count; l++)
                assert_int_equal(encoded.layers[l], 6 - noises[i].kept + l);
            sbl_encoded_clear(&encoded);
            ask.layers = all; /* who names layers gets them */
            ask.layer_count = 6;
            assert_int_equal(sbl_encoded_choose(&encoded, &facts, &ask, NULL), SBL_OK);
            assert_int_equal(encoded.layer_count, 6);
            sbl_encoded_clear(&encoded);
        }
}

/* Nothing of the input's scaling comes from the data: the first activation of a black image is that
 * of the network's own mean and deviation, whatever images stand beside it. */
TEST(input_is_scaled_by_the_network_alone)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(sbl_encoded_clear) sbl_encoded encoded;
    FREED(sbl_encoder_workspace_free) sbl_encoder_workspace *workspace;
    float images[3 * 20] = {0};
    data_facts(&facts, DATA_DIGITS);
    facts.encoder_path = NULL; /* the built-in one */
    assert_int_equal(sbl_encoded_choose(&encoded, &facts, &(sbl_encoded_ask){0}, NULL), SBL_OK);
    assert_int_equal(encoded.layer_count, 6);
    assert_int_equal(sbl_encoded_workspace(&workspace, &encoded, 3, false, &sbl_backend_cpu, NULL), SBL_OK);
    const size_t size = sbl_volume_size(sbl_encoded_layer(&encoded, 0)->volume);
    FREED(free) float *alone = malloc(size * sizeof *alone);
    sbl_encoder_forward(workspace, images, 1);
    memcpy(alone, sbl_encoder_activation_values(workspace, 0), size * sizeof *alone);
    for (size_t i = 20; i < 60; i++) images[i] = 1;
    sbl_encoder_forward(workspace, images, 3);
    assert_memory_equal(sbl_encoder_activation_values(workspace, 0), alone, size * sizeof *alone);
}
