#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/image_data.h"
#include "nn/adam.h"
#include "nn/net.h"
#include "random/model_rng.h"

#define BATCH ((size_t)100)
#define STEPS 1000
#define MIN_PASSES 3
#define MAX_PASSES 50
#define RATE 2e-3
#define LARGE_SIDE 48
#define MAX_LAYERS 10
#define PIXEL_SCALE (1.0f / 255.0f)
#define CHOICE_STREAM 2
#define ORDER_STREAM 3

void sbl_image_choose(uint32_t *index, size_t count, const sbl_image_data *images, uint64_t seed)
{
    size_t taken = 0;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, CHOICE_STREAM);
    /* Selection sampling (Knuth, volume 2, algorithm 3.4.2S). */
    for (size_t i = 0; i < images->count && taken < count; i++)
        if (sbl_model_rng_below(&rng, images->count - i) < count - taken)
            index[taken++] = (uint32_t)i;
}

void sbl_image_floats(float *out, const sbl_image_data *images, const uint32_t *index, size_t first,
                      size_t count)
{
    const size_t size = sbl_image_size(images->shape);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixels =
            images->pixels + (index != NULL ? (size_t)index[i] : first + i) * size;
        for (size_t j = 0; j < size; j++) out[i * size + j] = PIXEL_SCALE * (float)pixels[j];
    }
}

/* Convolution, normalisation, ReLU, and the maximum of 2 x 2 where there are as many pixels. */
static size_t add_block(sbl_layer *layers, size_t next, size_t channels, size_t stride,
                        size_t *height, size_t *width)
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

static sbl_status cnn_init(sbl_net *net, sbl_image_shape shape, size_t classes, sbl_error *err)
{
    sbl_layer layers[MAX_LAYERS];
    size_t height = shape.height, width = shape.width;
    const size_t stride = height > LARGE_SIDE || width > LARGE_SIDE ? 2 : 1;
    size_t count = add_block(layers, 0, 16, stride, &height, &width);
    count = add_block(layers, count, 32, 1, &height, &width);
    layers[count++] = sbl_layer_dense(classes);
    return sbl_net_init(net, sbl_volume_of(shape.height, shape.width, shape.channels), layers,
                        count, err);
}

/* Everything that training needs beside the images. */
typedef struct cnn {
    sbl_net net;
    sbl_net_work work;
    sbl_adam adam;
    float *images;    /* (BATCH, size) */
    float *d_outputs; /* (BATCH, classes) */
    uint32_t *order;  /* (rows) */
    size_t image_size;
} cnn;

static void cnn_clear(cnn *c)
{
    sbl_net_work_clear(&c->work);
    sbl_net_clear(&c->net);
    sbl_free(c->adam.first);
    sbl_free(c->adam.second);
    sbl_free_wiped(c->images, BATCH * c->image_size * sizeof *c->images);
    sbl_free(c->d_outputs);
    sbl_free(c->order);
}

static sbl_status cnn_open(cnn *c, const sbl_image_data *train, size_t rows, uint64_t seed,
                           sbl_error *err)
{
    sbl_status status = SBL_OK;
    c->image_size = sbl_image_size(train->shape);
    SBL_TRY(cnn_init(&c->net, train->shape, train->classes, err));
    sbl_net_randomise(&c->net, seed);
    SBL_TRY(sbl_net_work_init(&c->work, &c->net, BATCH, SBL_NET_TRAIN, err));
    c->adam = sbl_adam_of(sbl_alloc_array(c->net.weight_count, sizeof *c->adam.first),
                          sbl_alloc_array(c->net.weight_count, sizeof *c->adam.second),
                          c->net.weight_count);
    c->images = sbl_alloc_array(BATCH * c->image_size, sizeof *c->images);
    c->d_outputs = sbl_alloc_array(BATCH * train->classes, sizeof *c->d_outputs);
    c->order = sbl_alloc_array(rows, sizeof *c->order);
    if (c->adam.first == NULL || c->adam.second == NULL || c->images == NULL ||
        c->d_outputs == NULL || c->order == NULL)
        SBL_TRY(sbl_fail(err, SBL_EMEM, "out of memory for a convolutional network"));
done:
    return status;
}

/* (softmax - truth) / rows */
static void loss_gradient(float *d, const float *outputs, const sbl_image_data *train,
                          const uint32_t *index, size_t rows)
{
    const size_t classes = train->classes;
    for (size_t i = 0; i < rows; i++, d += classes, outputs += classes) {
        float largest = outputs[0], sum = 0;
        for (size_t k = 1; k < classes; k++) largest = outputs[k] > largest ? outputs[k] : largest;
        for (size_t k = 0; k < classes; k++) sum += d[k] = expf(outputs[k] - largest);
        for (size_t k = 0; k < classes; k++) d[k] /= sum * (float)rows;
        d[train->labels[index[i]]] -= 1 / (float)rows;
    }
}

/* The last, shorter batch of a pass is left out unless it is the only one: statistics of a few
 * images would disturb the normalisation. The order changes with every pass, so none is left out
 * for good. */
static void cnn_fit(cnn *c, const sbl_image_data *train, const uint32_t *index, size_t rows,
                    uint64_t seed)
{
    const size_t count = rows < BATCH ? rows : BATCH, batches = rows / count;
    size_t passes = STEPS / batches;
    sbl_model_rng rng;
    passes = passes < MIN_PASSES ? MIN_PASSES : passes > MAX_PASSES ? MAX_PASSES : passes;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, ORDER_STREAM);
    memcpy(c->order, index, rows * sizeof *index);
    for (size_t step = 0; step < passes * batches; step++) {
        const uint32_t *batch = c->order + step % batches * count;
        if (step % batches == 0) sbl_model_rng_shuffle(&rng, c->order, rows);
        sbl_image_floats(c->images, train, batch, 0, count);
        loss_gradient(c->d_outputs, sbl_net_forward(&c->net, &c->work, c->images, count, true),
                      train, batch, count);
        sbl_net_backward(&c->net, &c->work, c->d_outputs);
        sbl_adam_step(&c->adam, c->net.weights, c->work.d_weights,
                      sbl_cosine_rate(RATE, step, passes * batches));
    }
}

sbl_status sbl_image_learn_cnn(double *scores, const sbl_image_data *train, const uint32_t *index,
                               size_t rows, const sbl_image_data *test, uint64_t seed,
                               sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t classes = train->classes;
    cnn c = {0};
    SBL_TRY(cnn_open(&c, train, rows, seed, err));
    cnn_fit(&c, train, index, rows, seed);
    for (size_t first = 0; first < test->count; first += BATCH) {
        const size_t left = test->count - first, count = left < BATCH ? left : BATCH;
        sbl_image_floats(c.images, test, NULL, first, count);
        const float *outputs = sbl_net_forward(&c.net, &c.work, c.images, count, false);
        for (size_t i = 0; i < count * classes; i++)
            scores[first * classes + i] = (double)outputs[i];
    }
done:
    cnn_clear(&c);
    return status;
}
