/* The layers and the schedule of the image classifier; learning itself is in network.c. */
#include "learners/cnn.h"

#include <string.h>

#include "base/memory.h"

#define BATCH ((size_t)100)
#define LARGE_SIDE 48
#define MAX_LAYERS 10
#define ORDER_STREAM 3

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

static const sbl_learner_schedule schedule = {.batch = BATCH,
                                              .steps = 1000,
                                              .least_passes = 3,
                                              .most_passes = 50,
                                              .whole_batches = true,
                                              .rate = 2e-3};

static sbl_status cnn_init(sbl_network_learner *cnn, sbl_volume image, size_t classes,
                           uint64_t seed, sbl_error *err)
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
                         const uint32_t *index, size_t rows, const sbl_learner_task *test,
                         size_t test_rows, uint64_t seed, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t classes = train->classes;
    sbl_network_learner cnn = {0};
    uint32_t *order = sbl_alloc_array(rows, sizeof *order);
    if (order == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for the order of %zu images", rows);
    memcpy(order, index, rows * sizeof *order);
    SBL_TRY(cnn_init(&cnn, image, classes, seed, err));
    sbl_network_learner_fit(&cnn, train, order, rows, seed, ORDER_STREAM);
    for (size_t first = 0; first < test_rows && sbl_progress_goes_on(train->progress, 1, 1);
         first += BATCH) {
        const size_t left = test_rows - first, count = left < BATCH ? left : BATCH;
        const float *outputs = sbl_network_learner_predict(&cnn, test, first, count);
        for (size_t i = 0; i < count * classes; i++)
            scores[first * classes + i] = (double)outputs[i];
    }
    if (sbl_progress_stopped(train->progress)) status = sbl_progress_fail(err);
done:
    sbl_network_learner_clear(&cnn);
    sbl_free(order);
    return status;
}
