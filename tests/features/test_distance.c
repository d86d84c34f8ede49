/* SPDX-License-Identifier: Apache-2.0 */
/* The unbiased estimate of the squared distance of means: over all batches of a small population, its gradient has the
 * mean that the gradient of the population's own distance is, for every loss; that of the plain estimate has not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/losses/loss.h"
#include "base/compute/fourier.h"
#include "base/random/model_rng.h"
#include "records/features/features.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"

enum { MEMBERS = 3, CLASSES = 3, PADDED = 64 }; /* a class's population; classes at most */

typedef struct population {
    sbl_facts facts;
    sbl_plan plan;
    sbl_features features;
    const sbl_loss_kind *kind;
    size_t columns, width; /* numbers of a member; of a class's means */
    float *members;        /* (classes, MEMBERS, columns) */
    float *means;          /* of the target */
    float *inputs, *d_inputs, *own;
    bool images, codes; /* codes: what is matched are expected ones */
} population;

static float *numbers(size_t count)
{
    float *made = calloc(count, sizeof *made);
    assert_non_null(made);
    return made;
}

static void population_make(population *p, const sbl_loss_kind *kind, data_case which, size_t variant)
{
    sbl_model_rng rng;
    *p = (population){.kind = kind};
    data_facts(&p->facts, which);
    p->facts.encoder_path = NULL; /* the built-in one */
    p->images = p->facts.kind == SBL_DATA_IMAGES;
    p->codes = kind == &sbl_loss_onehot;
    assert_int_equal(sbl_plan_init(&p->plan, "test", NULL), SBL_OK);
    assert_int_equal(
        sbl_plan_add(&p->plan, kind->feature, data_parameters(kind->feature, variant, &p->facts), 1, NULL),
        SBL_OK);
    assert_int_equal(sbl_plan_finish(&p->plan, &p->facts, NULL), SBL_OK);
    assert_int_equal(sbl_features_make(&p->features, &p->plan, &p->facts, NULL, NULL), SBL_OK);
    for (size_t b = 0; b < p->features.layout.block_count; b++)
        p->width += p->features.layout.blocks[b].width;
    p->columns = p->codes ? p->facts.shape.onehot : p->facts.shape.numeric + p->facts.shape.onehot;
    assert_true(p->facts.classes <= CLASSES && p->columns > 0);
    p->members = numbers(CLASSES * MEMBERS * p->columns);
    p->means = numbers(CLASSES * p->width);
    p->inputs = numbers(PADDED * p->columns);
    p->d_inputs = numbers(PADDED * p->columns);
    p->own = numbers(CLASSES);
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 1);
    for (size_t i = 0; i < CLASSES * MEMBERS * p->columns; i++)
        p->members[i] = (float)sbl_model_rng_uniform(&rng);
    for (size_t i = 0; i < CLASSES * p->width; i++)
        p->means[i] = (float)(0.1 * sbl_model_rng_uniform(&rng) / sqrt((double)p->width));
}

static void population_clear(population *p)
{
    free(p->members);
    free(p->means);
    free(p->inputs);
    free(p->d_inputs);
    free(p->own);
    sbl_features_clear(&p->features);
    sbl_plan_clear(&p->plan);
    sbl_facts_clear(&p->facts);
}

/* Where number i of a row is: images and expected codes by rows, a table's inputs by columns. */
static size_t place(const population *p, size_t row, size_t i)
{
    return p->images || p->codes ? row * p->columns + i : i * PADDED + row;
}

/* A batch: of every class the members of `picked`, `rows` of them. */
typedef struct batch {
    const size_t *picked;
    size_t rows, starts[CLASSES + 1];
    double shares[CLASSES], weights[CLASSES];
    sbl_generated generated;
} batch;

static void batch_make(batch *b, population *p, const size_t *picked, size_t rows)
{
    static const double shares[] = {0.5, 0.2, 0.3}, weights[] = {2, 5, 3};
    const size_t classes = p->facts.classes;
    *b = (batch){.picked = picked, .rows = rows};
    for (size_t c = 0; c < classes; c++) {
        b->starts[c + 1] = (c + 1) * rows;
        b->shares[c] = shares[c];
        b->weights[c] = weights[c];
        for (size_t r = 0; r < rows; r++)
            for (size_t i = 0; i < p->columns; i++)
                p->inputs[place(p, c * rows + r, i)] = p->members[(c * MEMBERS + picked[r]) * p->columns + i];
    }
    memset(p->d_inputs, 0, PADDED * p->columns * sizeof(float));
    memset(p->own, 0, CLASSES * sizeof(float));
    b->generated = (sbl_generated){.on = &sbl_backend_cpu,
                                   .facts = &p->facts,
                                   .rows = classes * rows,
                                   .padded_rows = PADDED,
                                   .starts = b->starts,
                                   .shares = b->shares,
                                   .weights = b->weights,
                                   .own_expected = p->own};
    if (p->images) {
        b->generated.pixels = p->inputs;
        b->generated.d_pixels = p->d_inputs;
    } else if (p->codes) {
        b->generated.expected = p->inputs;
        b->generated.d_expected = p->d_inputs; /* by classes */
    } else {
        b->generated.inputs = p->inputs;
        b->generated.d_inputs = p->d_inputs;
    }
}

/* gradient (classes, MEMBERS, columns) += part times that of the batch. */
static void add_gradient(double *gradient, const population *p, const batch *b, double part)
{
    for (size_t c = 0; c < p->facts.classes; c++)
        for (size_t r = 0; r < b->rows; r++)
            for (size_t i = 0; i < p->columns; i++) {
                const size_t at = place(p, c * b->rows + r, i);
                const double of = p->codes ? (double)p->d_inputs[c * p->columns + i] -
                                                 (double)p->own[c] * (double)p->inputs[at]
                                           : (double)p->d_inputs[at];
                gradient[(c * MEMBERS + b->picked[r]) * p->columns + i] += part * of;
            }
}

/* One step towards these means with memory; before: the members of the step before, if there is memory. The mean that
 * step remembers goes to `kept`. */
typedef struct how {
    sbl_distance distance;
    double memory;
    const size_t *before;
    const float *means;
    float *kept;
} how;

static double take_step(double *gradient, population *p, const size_t *picked, size_t rows, const how *by,
                        double part)
{
    const sbl_target target = {.means = (float *)(uintptr_t)by->means,
                               .weight = 0.5,
                               .memory = by->memory,
                               .distance = by->distance};
    void *loss = NULL;
    batch b;
    batch_make(&b, p, by->before != NULL ? by->before : picked, rows);
    assert_int_equal(sbl_loss_new(&loss, p->kind, p->features.items[0].made, &target, &b.generated, NULL),
                     SBL_OK);
    if (by->before != NULL) {
        (void)p->kind->step(loss, &b.generated);
        sbl_running_save(by->kept, sbl_loss_memory(p->kind, loss, 0));
        batch_make(&b, p, picked, rows);
    }
    const double found = p->kind->step(loss, &b.generated);
    add_gradient(gradient, p, &b, part);
    sbl_loss_free(p->kind, loss);
    return found;
}

/* The mean of the gradients of all batches of `rows` members; returns the mean loss. */
static double mean_gradient(double *gradient, population *p, size_t rows, const how *by)
{
    size_t picked[4] = {0}, batches = 1;
    double loss = 0;
    for (size_t r = 0; r < rows; r++) batches *= MEMBERS;
    memset(gradient, 0, CLASSES * MEMBERS * p->columns * sizeof *gradient);
    for (size_t k = 0; k < batches; k++) {
        for (size_t r = 0, left = k; r < rows; r++, left /= MEMBERS) picked[r] = left % MEMBERS;
        loss += take_step(gradient, p, picked, rows, by, 1 / (double)batches) / (double)batches;
    }
    return loss;
}

static double norm(const double *x, const double *y, double factor, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += pow(x[i] - factor * y[i], 2);
    return sqrt(sum);
}

static const size_t everyone[MEMBERS] = {0, 1, 2}, first_two[2] = {0, 0};

/* Is the estimate of this loss that of the distance times rows / (rows - 1)? It is where all rows' features have one
 * length, and sums over rows - 1 are all it takes (loss.h). */
static bool is_scaled(const sbl_loss_kind *kind)
{
    return kind->any_backend && kind != &sbl_loss_hermite && kind != &sbl_loss_hermite_product;
}

/* The distance of the population is the plain one of a batch with all its members, which the tests of each loss hold to
 * its definition. */
static void check_mean(const sbl_loss_kind *kind, data_case which, size_t variant, size_t rows)
{
    CLEARED(population_clear) population p;
    population_make(&p, kind, which, variant);
    const size_t count = CLASSES * MEMBERS * p.columns;
    double *exact = calloc(count, sizeof *exact), *found = calloc(count, sizeof *found);
    const how plain = {.distance = SBL_DISTANCE_PLAIN, .means = p.means};
    const how unbiased = {.distance = SBL_DISTANCE_UNBIASED, .means = p.means};
    const bool scaled = is_scaled(kind);
    const double factor = scaled ? (double)rows / (double)(rows - 1) : 1;
    const double distance = take_step(exact, &p, everyone, MEMBERS, &plain, 1);
    const double length = norm(exact, exact, 0, count);
    const double loss = mean_gradient(found, &p, rows, &unbiased);
    assert_true(length > 0);
    const double off = norm(found, exact, factor, count) / length;
    if (!(off < 2e-4)) fail_msg("%s %d: the unbiased gradient is off by %g", kind->feature, (int)which, off);
    if (!scaled && kind != &sbl_loss_rff && !(fabs(loss / distance - 1) < 1e-4))
        fail_msg("%s %d: the unbiased loss is %g, not %g", kind->feature, (int)which, loss, distance);
    (void)mean_gradient(found, &p, rows, &plain);
    const double plain_off = norm(found, exact, 1, count) / length;
    if (!(plain_off > 0.05))
        fail_msg("%s %d: the plain gradient is off by %g", kind->feature, (int)which, plain_off);
    free(exact);
    free(found);
}

TEST(gradients_of_the_unbiased_distance_have_that_of_the_distance_as_their_mean)
{
    for (size_t rows = 2; rows <= 3; rows++) {
        check_mean(&sbl_loss_orthogonal, DATA_DIGITS, 0, rows);
        check_mean(&sbl_loss_orthogonal, DATA_COLOURS, 0, rows);
        check_mean(&sbl_loss_perceptual, DATA_DIGITS, 0, rows);
        check_mean(&sbl_loss_moments, DATA_DIGITS, 0, rows);
        check_mean(&sbl_loss_moments, DATA_DIGITS, 1, rows);
        check_mean(&sbl_loss_signed_moments, DATA_DIGITS, 0, rows);
        check_mean(&sbl_loss_hermite, DATA_DIGITS, 0, rows);
        check_mean(&sbl_loss_hermite, DATA_LABELLED, 0, rows);
        check_mean(&sbl_loss_hermite, DATA_NUMBERS, 0, rows);
        check_mean(&sbl_loss_hermite_product, DATA_LABELLED, 0, rows);
        check_mean(&sbl_loss_hermite_product, DATA_NUMBERS, 2, rows); /* with a metric */
        check_mean(&sbl_loss_rff, DATA_LABELLED, 0, rows);
        check_mean(&sbl_loss_rff, DATA_NUMBERS, 0, rows);
        check_mean(&sbl_loss_onehot, DATA_LABELLED, 0, rows);
        check_mean(&sbl_loss_onehot, DATA_CATEGORIES, 0, rows);
    }
}

/* With a mean P of the step before and decay d the distance of d P + (1 - d) E from t is matched: (1 - d)^2 times that of E
 * from (t - d P) / (1 - d), with (1 - d) times the gradient, for the step's own part alone has one. */
static void check_memory(const sbl_loss_kind *kind, data_case which)
{
    CLEARED(population_clear) population p;
    population_make(&p, kind, which, 0);
    const size_t count = CLASSES * MEMBERS * p.columns, width = p.facts.classes * p.width;
    const sbl_running second = {.steps = 1, .memory = 0.9};
    const double decay = (double)sbl_running_decay(&second);
    double *exact = calloc(count, sizeof *exact), *found = calloc(count, sizeof *found);
    float *kept = numbers(width), *towards = numbers(width);
    const how unbiased = {SBL_DISTANCE_UNBIASED, 0.9, first_two, p.means, kept};
    const how plain = {.distance = SBL_DISTANCE_PLAIN, .means = towards};
    assert_true(decay > 0.1 && decay < 0.9);
    (void)mean_gradient(found, &p, 2, &unbiased);
    for (size_t i = 0; i < width; i++)
        towards[i] = (float)(((double)p.means[i] - decay * (double)kept[i]) / (1 - decay));
    (void)take_step(exact, &p, everyone, MEMBERS, &plain, 1 - decay);
    const double off = norm(found, exact, is_scaled(kind) ? 2 : 1, count) / norm(exact, exact, 0, count);
    if (!(off < 2e-4)) fail_msg("%s with memory: the unbiased gradient is off by %g", kind->feature, off);
    free(exact);
    free(found);
    free(kept);
    free(towards);
}

TEST(running_means_leave_the_gradient_unbiased)
{
    check_memory(&sbl_loss_moments, DATA_DIGITS);
    check_memory(&sbl_loss_hermite, DATA_DIGITS);
    check_memory(&sbl_loss_hermite, DATA_NUMBERS);
}

/* A row has no distance from itself: a class of one row has no pull. Then what losses do when they are not told: images
 * estimate without bias, but for Hermite features, and tables do not. */
TEST(one_row_has_no_pull_and_the_usual_distance_is_the_loss_s_own)
{
    static const struct {
        const sbl_loss_kind *kind;
        data_case which;
        sbl_distance usual;
    } cases[] = {{&sbl_loss_orthogonal, DATA_DIGITS, SBL_DISTANCE_UNBIASED},
                 {&sbl_loss_perceptual, DATA_DIGITS, SBL_DISTANCE_UNBIASED},
                 {&sbl_loss_moments, DATA_DIGITS, SBL_DISTANCE_UNBIASED},
                 {&sbl_loss_hermite, DATA_DIGITS, SBL_DISTANCE_PLAIN},
                 {&sbl_loss_hermite, DATA_LABELLED, SBL_DISTANCE_PLAIN},
                 {&sbl_loss_rff, DATA_LABELLED, SBL_DISTANCE_PLAIN},
                 {&sbl_loss_onehot, DATA_LABELLED, SBL_DISTANCE_PLAIN}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CLEARED(population_clear) population p;
        population_make(&p, cases[k].kind, cases[k].which, 0);
        const size_t count = CLASSES * MEMBERS * p.columns;
        double *usual = calloc(count, sizeof *usual), *given = calloc(count, sizeof *given);
        how by = {.distance = SBL_DISTANCE_UNBIASED, .means = p.means};
        assert_true(take_step(given, &p, everyone, 1, &by, 1) == 0);
        for (size_t i = 0; i < count; i++) assert_true(given[i] == 0);
        by.distance = cases[k].usual;
        const double loss = take_step(given, &p, everyone, MEMBERS, &by, 1);
        by.distance = SBL_DISTANCE_USUAL;
        assert_true(take_step(usual, &p, everyone, MEMBERS, &by, 1) == loss);
        assert_memory_equal(usual, given, count * sizeof *given);
        free(usual);
        free(given);
    }
}
