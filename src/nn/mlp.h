/* A multi-layer perceptron that turns noise and a class into the outputs of a generator.
 *
 *     a_0 = z W_0^T + V[class],  x_l = relu(batch_norm(a_l)),  a_l = x_{l-1} W_l^T,
 *     outputs = x_last W_out^T + B[class]
 * The class enters as a one-hot vector would: as a row of V and of B. Hidden layers need no bias of
 * their own, batch normalisation has one. All weights stand in one array, all activations of a
 * batch in another; a step allocates nothing. Legend: R rows, L latents, C classes, h width. */
#ifndef SBL_NN_MLP_H
#define SBL_NN_MLP_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "nn/batch_norm.h"

#define SBL_MLP_MAX_DEPTH 8

typedef struct sbl_mlp_shape {
    size_t latent;                    /* L >= 1 */
    size_t classes;                   /* C >= 1 */
    size_t depth;                     /* hidden layers, 1 .. SBL_MLP_MAX_DEPTH */
    size_t hidden[SBL_MLP_MAX_DEPTH]; /* their widths */
    size_t outputs;                   /* >= 1 */
} sbl_mlp_shape;

/* Where a layer's numbers stand in the weights (and, behind the bar, in the running statistics). */
typedef struct sbl_mlp_layer {
    size_t in, out;
    size_t weight;                         /* (out, in) */
    size_t class_bias;                     /* (C, out): first and output layer */
    size_t gamma, beta;                    /* (out): hidden layers */
    size_t running_mean, running_variance; /* (out): hidden layers */
} sbl_mlp_layer;

typedef struct sbl_mlp {
    sbl_mlp_shape shape;
    sbl_mlp_layer layers[SBL_MLP_MAX_DEPTH + 1]; /* [depth] is the output layer */
    float *weights;
    size_t weight_count;
    float *running;
    size_t running_count;
} sbl_mlp;

/* Zero weights, gamma 1, running variance 1. */
sbl_status sbl_mlp_init(sbl_mlp *mlp, const sbl_mlp_shape *shape, sbl_error *err);
void sbl_mlp_clear(sbl_mlp *mlp);
/* Weights and class biases uniform in +- 1 / sqrt(fan in), in a fixed order of one stream. */
void sbl_mlp_randomise(sbl_mlp *mlp, uint64_t seed);
sbl_batch_norm sbl_mlp_norm(const sbl_mlp *mlp, size_t layer);

/* Room for one batch. */
typedef struct sbl_mlp_work {
    size_t rows;
    float *arena;
    float *latent;                     /* (R, L): the caller fills it */
    float *normal[SBL_MLP_MAX_DEPTH];  /* (R, h): before gamma and beta */
    float *hidden[SBL_MLP_MAX_DEPTH];  /* (R, h) */
    float *inverse[SBL_MLP_MAX_DEPTH]; /* (h): one over the deviation */
    float *outputs;                    /* (R, outputs) */
    float *d_outputs;                  /* (R, outputs): the caller fills it before backward */
    float *d_hidden[2];                /* (R, largest h), in turn */
    float *d_weights;                  /* as mlp->weights */
    float *workspace;                  /* of the products */
} sbl_mlp_work;

sbl_status sbl_mlp_work_init(sbl_mlp_work *work, const sbl_mlp *mlp, size_t rows, sbl_error *err);
void sbl_mlp_work_clear(sbl_mlp_work *work);

/* latent -> outputs with batch statistics. Rows are sorted by class: class c is rows starts[c] ..
 * starts[c + 1] - 1, starts (C + 1). The running statistics move by momentum. */
void sbl_mlp_forward(sbl_mlp *mlp, sbl_mlp_work *work, const size_t *starts, float momentum);
/* d_outputs -> d_weights, for the batch of the last forward. */
void sbl_mlp_backward(const sbl_mlp *mlp, sbl_mlp_work *work, const size_t *starts);

#endif
