/* SPDX-License-Identifier: Apache-2.0 */
/* Forward, loss gradient, backward, Adam, for a number of steps that is known beforehand; then the layers and the schedule of the
 * image classifier. Weights are wiped, since real records went into them. */
#include "owner/learners/network.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"

sbl_status sbl_network_learner_init(sbl_network_learner *learner, sbl_volume input, const sbl_layer *layers,
                                    size_t count, const sbl_learner_schedule *schedule, uint64_t seed,
                                    sbl_error *err)
{
    sbl_status status = SBL_OK;
    *learner = (sbl_network_learner){.schedule = *schedule};
    sbl_net *net = &learner->net;
    SBL_TRY(sbl_net_init(net, input, layers, count, err));
    sbl_net_randomise(net, seed);
    SBL_TRY(sbl_net_workspace_init(&learner->workspace, net, schedule->batch, SBL_NET_TRAIN, err));
    learner->adam = sbl_adam_of(sbl_alloc_array(net->weight_count, sizeof(float)),
                                sbl_alloc_array(net->weight_count, sizeof(float)), net->weight_count);
    learner->inputs = sbl_alloc_array(sbl_volume_size(input), schedule->batch * sizeof(float));
    learner->d_outputs = sbl_alloc_array(sbl_volume_size(net->output), schedule->batch * sizeof(float));
    if (learner->adam.first == NULL || learner->adam.second == NULL || learner->inputs == NULL ||
        learner->d_outputs == NULL)
        status = sbl_no_memory(err, "a network that learns");
done:
    if (status != SBL_OK) sbl_network_learner_clear(learner);
    return status;
}

void sbl_network_learner_clear(sbl_network_learner *learner)
{
    const size_t weights = learner->net.weight_count, batch = learner->schedule.batch;
    if (learner->net.weights != NULL) {
        sbl_wipe(learner->net.weights, weights * sizeof(float));
        sbl_wipe(learner->net.running, learner->net.running_count * sizeof(float));
    }
    sbl_free_wiped(learner->adam.first, weights * sizeof(float));
    sbl_free_wiped(learner->adam.second, weights * sizeof(float));
    sbl_free_wiped(learner->inputs, sbl_volume_size(learner->net.input) * batch * sizeof(float));
    sbl_free(learner->d_outputs);
    sbl_net_workspace_clear(&learner->workspace);
    sbl_net_clear(&learner->net);
    *learner = (sbl_network_learner){0};
}

/* (softmax - truth) / rows, or (output - target) / rows. */
static void output_gradient(float *d, const float *outputs, const sbl_learner_task *task,
                            const uint32_t *rows, size_t count)
{
    const size_t classes = task->classes;
    const float share = 1 / (float)count;
    if (classes == 0) {
        for (size_t i = 0; i < count; i++) d[i] = share * (outputs[i] - task->targets[rows[i]]);
        return;
    }
    for (size_t i = 0; i < count; i++, d += classes, outputs += classes) {
        float largest = outputs[0], sum = 0;
        for (size_t c = 1; c < classes; c++) largest = outputs[c] > largest ? outputs[c] : largest;
        for (size_t c = 0; c < classes; c++) sum += d[c] = expf(outputs[c] - largest);
        for (size_t c = 0; c < classes; c++) d[c] *= share / sum;
        d[task->labels[rows[i]]] -= share;
    }
}

/* Of products' weights, not of biases and batch norms. */
static void add_decay(sbl_network_learner *learner, size_t count)
{
    const sbl_net *net = &learner->net;
    const float factor = (float)(learner->schedule.decay / (double)count);
    if (!(factor > 0)) return;
    for (size_t l = 0; l < net->layer_count; l++) {
        const sbl_net_layer *layer = &net->layers[l];
        if (layer->ask.kind == SBL_LAYER_BATCH_NORM) continue;
        for (size_t i = layer->weight; i < layer->weight + layer->weight_count; i++)
            learner->workspace.d_weights[i] += factor * net->weights[i];
    }
}

void sbl_network_learner_gradient(sbl_network_learner *learner, const sbl_learner_task *task,
                                  const uint32_t *rows, size_t count)
{
    task->fill(learner->inputs, task->data, rows, 0, count);
    output_gradient(learner->d_outputs,
                    sbl_net_forward(&learner->net, &learner->workspace, learner->inputs, count, true), task,
                    rows, count);
    sbl_net_backward(&learner->net, &learner->workspace, learner->d_outputs);
    add_decay(learner, count);
}

/* Batches of a pass, and the rows of a whole one. */
static size_t batch_count(const sbl_learner_schedule *schedule, size_t rows, size_t *whole)
{
    *whole = rows < schedule->batch ? rows : schedule->batch;
    return schedule->whole_batches ? rows / *whole : (rows + *whole - 1) / *whole;
}

size_t sbl_network_learner_passes(const sbl_learner_schedule *schedule, size_t rows)
{
    size_t whole;
    const size_t passes = schedule->steps / batch_count(schedule, rows, &whole);
    if (passes < schedule->least_passes) return schedule->least_passes;
    return passes > schedule->most_passes ? schedule->most_passes : passes;
}

void sbl_network_learner_fit(sbl_network_learner *learner, const sbl_learner_task *task, uint32_t *order,
                             size_t rows, uint64_t seed, uint64_t stream)
{
    size_t whole;
    const size_t batches = batch_count(&learner->schedule, rows, &whole);
    const size_t steps = batches * sbl_network_learner_passes(&learner->schedule, rows);
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, stream);
    for (size_t step = 0; step < steps && sbl_progress_goes_on(task->progress, step, steps); step++) {
        const size_t first = step % batches * whole, left = rows - first;
        if (first == 0) sbl_model_rng_shuffle(&rng, order, rows);
        sbl_network_learner_gradient(learner, task, order + first, left < whole ? left : whole);
        sbl_adam_step(&learner->adam, learner->net.weights, learner->workspace.d_weights,
                      sbl_cosine_rate(learner->schedule.rate, step, steps));
    }
}

const float *sbl_network_learner_predict(sbl_network_learner *learner, const sbl_learner_task *task,
                                         size_t first, size_t count)
{
    task->fill(learner->inputs, task->data, NULL, first, count);
    return sbl_net_forward(&learner->net, &learner->workspace, learner->inputs, count, false);
}

/* ---- the image classifier ---- */

#define BATCH ((size_t)100)
#define LARGE_SIDE 48
#define MAX_LAYERS 10
#define ORDER_STREAM 3

/* Convolution, normalisation, ReLU, and the maximum of 2 x 2 where there are as many pixels. */
static size_t add_block(sbl_layer *layers, size_t next, size_t channels, size_t stride, size_t *height,
                        size_t *width)
{
    layers[next++] = sbl_layer_conv(channels, 3, stride, 1);
    *height = (*height - 1) / stride + 1;
    *width = (*width - 1) / stride + 1;
    layers[next++] = sbl_layer_batch_norm();
    layers[next++] = sbl_layer_relu();
    if (*height < 2 || *width < 2) return next;
    layers[next++] = sbl_layer_max_pool(2, 2);
    *height /= 2;
    *width /= 2;
    return next;
}

static const sbl_learner_schedule schedule = {
    .batch = BATCH, .steps = 1000, .least_passes = 3, .most_passes = 50, .whole_batches = true, .rate = 2e-3};

static sbl_status cnn_init(sbl_network_learner *cnn, sbl_volume image, size_t classes, uint64_t seed,
                           sbl_error *err)
{
    sbl_layer layers[MAX_LAYERS];
    size_t height = image.height, width = image.width;
    const size_t stride = height > LARGE_SIDE || width > LARGE_SIDE ? 2 : 1;
    size_t count = add_block(layers, 0, 16, stride, &height, &width);
    count = add_block(layers, count, 32, 1, &height, &width);
    layers[count++] = sbl_layer_dense(classes);
    return sbl_network_learner_init(cnn, image, layers, count, &schedule, seed, err);
}

sbl_status sbl_learn_cnn(double *scores, sbl_volume image, const sbl_learner_task *train,
                         const uint32_t *index, size_t rows, const sbl_learner_task *test, size_t test_rows,
                         uint64_t seed, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t classes = train->classes;
    sbl_network_learner cnn = {0};
    uint32_t *order = sbl_alloc_array(rows, sizeof *order);
    if (order == NULL) return sbl_no_memory(err, "the order of images");
    memcpy(order, index, rows * sizeof *order);
    SBL_TRY(cnn_init(&cnn, image, classes, seed, err));
    sbl_network_learner_fit(&cnn, train, order, rows, seed, ORDER_STREAM);
    for (size_t first = 0; first < test_rows && sbl_progress_goes_on(train->progress, 1, 1); first += BATCH) {
        const size_t left = test_rows - first, count = left < BATCH ? left : BATCH;
        const float *outputs = sbl_network_learner_predict(&cnn, test, first, count);
        for (size_t i = 0; i < count * classes; i++) scores[first * classes + i] = (double)outputs[i];
    }
    if (sbl_progress_stopped(train->progress)) status = sbl_progress_fail(err);
done:
    sbl_network_learner_clear(&cnn);
    sbl_free(order);
    return status;
}
