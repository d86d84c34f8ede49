/* The layers of a network that are not products, as pairs of forward and backward; see net.h.
 * x and y are batches; dy becomes dx where only dy is named. */
#ifndef SBL_NN_NET_LAYERS_H
#define SBL_NN_NET_LAYERS_H

#include "compute/conv.h"
#include "nn/net.h"

/* A convolution as compute/ sees it. */
sbl_conv_shape sbl_net_conv_shape(const sbl_net_layer *layer, size_t threads);

/* Pointwise: y = f(x), where y may be x; dy *= f'(x), told from y. */
void sbl_activation_forward(float *y, const float *x, size_t count, const sbl_layer *ask);
void sbl_activation_backward(float *dy, const float *y, size_t count, const sbl_layer *ask);

/* x += y */
void sbl_sum_into(float *x, const float *y, size_t count);
/* Every row of y becomes bias (width). */
void sbl_fill_rows(float *y, const float *bias, size_t rows, size_t width);

/* Batch normalisation per channel (Ioffe and Szegedy 2015), with the ReLU behind it if asked:
 *     h = (x - mean) inverse,  y = gamma h + beta,  inverse = 1 / sqrt(variance + 1e-5)
 * Statistics are added up in chunks of pixels whose size depends on the channels only. */
typedef struct sbl_norm {
    size_t pixels, channels;
    const float *gamma, *beta;
    float *mean, *inverse; /* (channels): of the batch or of the running statistics */
    bool relu, batch;
    float *scratch; /* sbl_norm_scratch floats */
} sbl_norm;

size_t sbl_norm_scratch(size_t pixels, size_t channels);
/* batch: sets mean and inverse from x and moves running (mean, then variance; 2 channels). Else:
 * sets them from running. */
void sbl_norm_statistics(const sbl_norm *norm, float *running, const float *x, float momentum);
void sbl_norm_forward(const sbl_norm *norm, float *y, const float *x);
/* y: the outputs, read only with relu. */
void sbl_norm_backward(const sbl_norm *norm, float *dy, float *dgamma, float *dbeta, const float *x,
                       const float *y);
/* sums (channels) over pixels; scratch as for a norm. */
void sbl_channel_sums(float *sums, const float *x, size_t pixels, size_t channels, float *scratch);

/* Bilinear and nearest; in: the volume of x. */
void sbl_upsample_forward(float *y, const float *x, size_t rows, const sbl_net_layer *layer);
void sbl_upsample_backward(float *dx, const float *dy, size_t rows, const sbl_net_layer *layer);

void sbl_pool_forward(float *y, const float *x, size_t rows, const sbl_net_layer *layer);
void sbl_pool_backward(float *dx, const float *dy, const float *x, size_t rows,
                       const sbl_net_layer *layer);

#endif
