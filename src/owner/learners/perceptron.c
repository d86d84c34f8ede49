/* SPDX-License-Identifier: Apache-2.0 */
/* A perceptron with one hidden layer of 100:
 *     h = relu(x W1' + b1),  o = h W2' + b2
 * trained by Adam on batches of 200 with softmax cross-entropy, or half the squared error of a
 * standardised number, plus 1e-4 |W|^2 / 2 per batch: what scikit-learn's MLPClassifier minimises.
 * About 4000 steps (10 to 200 passes) under cosine decay instead of a stopping rule, so that cost
 * and result are known beforehand. Single precision; the same for any number of threads. */
#include <math.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "owner/learners/design.h"
#include "owner/learners/network.h"

#define HIDDEN 100
#define BATCH 200

static const sbl_learner_schedule schedule = {
    .batch = BATCH, .steps = 4000, .least_passes = 10, .most_passes = 200, .rate = 1e-3, .decay = 1e-4};

/* Samples and how they are laid out. */
typedef struct designed {
    const sbl_design *design;
    const sbl_samples *samples;
} designed;

static void fill(float *inputs, const void *data, const uint32_t *rows, size_t first, size_t count)
{
    const designed *d = data;
    sbl_design_fill(d->design, inputs, d->samples, rows, first, count);
}

/* Uniform in +- sqrt(6 / (in + out)) (Glorot and Bengio 2010), biases too. */
static void randomise(sbl_net *net, uint64_t seed)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_WEIGHTS, 0);
    for (size_t l = 0; l < net->layer_count; l++) {
        const sbl_net_layer *layer = &net->layers[l];
        const size_t ends = sbl_volume_size(layer->in) + sbl_volume_size(layer->out);
        const double bound = sqrt(6.0 / (double)ends);
        for (size_t i = 0; i < layer->weight_count + layer->bias_count; i++)
            net->weights[layer->weight + i] = (float)((2 * sbl_model_rng_uniform(&rng) - 1) * bound);
    }
}

/* Two classes are ranked by their log odds, more by the logarithm of the probability: neither
 * rounds to 0 or 1. */
static void score_row(double *scores, const float *outputs, size_t count)
{
    float top = outputs[0]; /* gcc 12 for AArch64 cannot compile a vector loop of fmax() over widened numbers */
    for (size_t c = 1; c < count; c++) top = outputs[c] > top ? outputs[c] : top;
    const double largest = (double)top;
    double sum = 0;
    for (size_t c = 0; c < count; c++) sum += exp((double)outputs[c] - largest);
    for (size_t c = 0; c < count; c++) scores[c] = (double)outputs[c] - largest - log(sum);
    if (count != 2) return;
    scores[1] -= scores[0];
    scores[0] = -scores[1];
}

static void predict(double *scores, sbl_network_learner *learner, const sbl_samples *test,
                    const sbl_design *design)
{
    const designed data = {design, test};
    const sbl_learner_task task = {.data = &data, .fill = fill};
    const size_t classes = test->class_count;
    for (size_t first = 0; first < test->rows; first += BATCH) {
        const size_t left = test->rows - first, count = left < BATCH ? left : BATCH;
        const float *outputs = sbl_network_learner_predict(learner, &task, first, count);
        for (size_t i = 0; i < count; i++) {
            if (classes != 0)
                score_row(scores + (first + i) * classes, outputs + i * classes, classes);
            else
                scores[first + i] = design->target_mean + design->target_deviation * (double)outputs[i];
        }
    }
}

/* The order of the rows, all of them, and their standardised targets where these are numbers. */
static sbl_status list_rows(uint32_t **order, float **targets, const sbl_samples *train,
                            const sbl_design *design, sbl_error *err)
{
    *order = sbl_alloc_array(train->rows, sizeof **order);
    *targets = sbl_alloc_array(train->rows, sizeof **targets);
    if (*order == NULL || *targets == NULL) return sbl_no_memory(err, "the order of rows");
    for (size_t i = 0; i < train->rows; i++) {
        (*order)[i] = (uint32_t)i;
        if (train->class_count == 0)
            (*targets)[i] = (float)((train->targets[i] - design->target_mean) / design->target_deviation);
    }
    return SBL_OK;
}

sbl_status sbl_learn_perceptron(double *scores, const sbl_samples *train, const sbl_samples *test,
                                const sbl_learner_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_design design = {0};
    sbl_network_learner learner = {0};
    uint32_t *order = NULL;
    float *targets = NULL;
    SBL_TRY(sbl_design_init(&design, train, err));
    SBL_TRY(list_rows(&order, &targets, train, &design, err));
    const sbl_layer layers[] = {sbl_layer_dense(HIDDEN), sbl_layer_relu(),
                                sbl_layer_dense(train->class_count != 0 ? train->class_count : 1)};
    SBL_TRY(sbl_network_learner_init(&learner, sbl_volume_of(1, 1, design.width), layers, 3, &schedule,
                                     options->seed, err));
    randomise(&learner.net, options->seed);
    const designed data = {&design, train};
    const sbl_learner_task task = {.data = &data,
                                   .fill = fill,
                                   .classes = train->class_count,
                                   .labels = train->labels,
                                   .targets = targets,
                                   .progress = options->progress};
    sbl_network_learner_fit(&learner, &task, order, train->rows, options->seed, 0);
    predict(scores, &learner, test, &design);
done:
    sbl_network_learner_clear(&learner);
    sbl_free_wiped(targets, targets != NULL ? train->rows * sizeof *targets : 0);
    sbl_free(order);
    sbl_design_clear(&design);
    return status;
}
