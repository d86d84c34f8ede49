/* SPDX-License-Identifier: Apache-2.0 */
/* A sequential network of layers with stated shapes: generators of tables and images, frozen
 * encoders, classifiers.
 *
 * A volume is (height, width, channels), channels fastest; a batch is (rows, height, width,
 * channels), what others call NHWC. A dense layer and batch normalisation behind it see a volume as
 * one row of height * width * channels numbers, resp. of `channels` numbers per pixel; a plain
 * vector of n numbers is the volume (1, 1, n), so that one batch normalisation serves both. A class
 * enters as the caller's one-hot numbers behind the latent ones: into the first layer with them,
 * and into later ones by add_input, which makes it a bias of its own per class.
 *
 * All weights are in one array and all activations of a batch in another; a step allocates
 * nothing. Results do not depend on the number of threads. The work is done by a backend
 * (base/backend/backend.h): by the CPU unless the workspace is made on another.
 *
 *     sbl_layer layers[] = {sbl_layer_dense(200), sbl_layer_batch_norm(), sbl_layer_relu(),
 *                           sbl_layer_dense(784), sbl_layer_reshape(7, 7, 16),
 *                           sbl_layer_bilinear(2, true), sbl_layer_conv(1, 5, 1, 2)};
 *     SBL_TRY(sbl_net_init(&net, sbl_volume_of(1, 1, 15), layers, 7, err));
 *     sbl_net_randomise(&net, seed);
 *     SBL_TRY(sbl_net_workspace_init(&workspace, &net, 100, SBL_NET_TRAIN, err));
 *     y = sbl_net_forward(&net, &workspace, x, 100, true);
 *     sbl_net_backward(&net, &workspace, dy);            // dy (rows, outputs) -> workspace.d_weights
 *     sbl_adam_step(&adam, net.weights, workspace.d_weights, rate); */
#ifndef SBL_NN_NET_H
#define SBL_NN_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/backend/backend.h"
#include "base/error.h"

typedef enum sbl_layer_kind {
    SBL_LAYER_DENSE,      /* y = x W^T + b, W (channels, inputs): -> (1, 1, channels) */
    SBL_LAYER_CONV,       /* cross-correlation with zeros around, W (channels, k, k, inputs) */
    SBL_LAYER_BATCH_NORM, /* per channel; gamma, beta (channels) */
    SBL_LAYER_RELU,
    SBL_LAYER_LEAKY_RELU, /* x < 0 ? slope x : x */
    SBL_LAYER_SIGMOID,
    SBL_LAYER_BILINEAR,  /* height and width times `factor` */
    SBL_LAYER_NEAREST,   /* the same by repetition */
    SBL_LAYER_MAX_POOL,  /* windows of kernel^2 every stride pixels; the last ones may not fit; padding is
                         * less than the kernel, and padding pixels do not take part */
    SBL_LAYER_ADD,       /* plus the output of layer number `from`, which has the same shape */
    SBL_LAYER_ADD_INPUT, /* y = x + u W^T, u the last `inputs` numbers of the network's input, W
                          * (channels, inputs): vectors only */
    SBL_LAYER_RESHAPE,   /* the same numbers as another volume */
    SBL_LAYER_KINDS
} sbl_layer_kind;

/* What a layer is asked to be. Fields that a kind does not name are zero. */
typedef struct sbl_layer {
    sbl_layer_kind kind;
    size_t channels;                /* dense, convolutions: outputs, 1 .. SBL_NET_MAX_SIZE */
    size_t kernel, stride, padding; /* convolutions, pools: to SBL_NET_MAX_SIDE, from 1, 1 and 0 */
    size_t factor;                  /* bilinear, nearest: 1 .. SBL_NET_MAX_SIDE */
    size_t from;                    /* add: an earlier layer */
    size_t inputs;                  /* add_input: from 1 to all that the network has */
    bool no_bias;                   /* dense, convolutions */
    bool align_corners;             /* bilinear: corner pixels on corner pixels; else half pixels */
    double slope;                   /* leaky ReLU: above 0 and below 1 */
    double momentum;                /* batch norm: of the running statistics, 0 < momentum <= 1 */
    sbl_volume volume;              /* reshape */
} sbl_layer;

#define SBL_NET_MAX_LAYERS 128
#define SBL_NET_MAX_SIDE SBL_MOST_SIDE /* height, width, kernel */
#define SBL_NET_MAX_SIZE (1u << 24)    /* numbers of one volume */
#define SBL_NET_MAX_WEIGHTS (1u << 30) /* of the whole network */

static inline sbl_layer sbl_layer_dense(size_t outputs)
{
    return (sbl_layer){.kind = SBL_LAYER_DENSE, .channels = outputs};
}
static inline sbl_layer sbl_layer_conv(size_t channels, size_t kernel, size_t stride, size_t pad)
{
    return (sbl_layer){
        .kind = SBL_LAYER_CONV, .channels = channels, .kernel = kernel, .stride = stride, .padding = pad};
}
static inline sbl_layer sbl_layer_batch_norm(void)
{
    return (sbl_layer){.kind = SBL_LAYER_BATCH_NORM, .momentum = 0.1};
}
static inline sbl_layer sbl_layer_relu(void) { return (sbl_layer){.kind = SBL_LAYER_RELU}; }
static inline sbl_layer sbl_layer_leaky_relu(double slope)
{
    return (sbl_layer){.kind = SBL_LAYER_LEAKY_RELU, .slope = slope};
}
static inline sbl_layer sbl_layer_sigmoid(void) { return (sbl_layer){.kind = SBL_LAYER_SIGMOID}; }
static inline sbl_layer sbl_layer_bilinear(size_t factor, bool align_corners)
{
    return (sbl_layer){.kind = SBL_LAYER_BILINEAR, .factor = factor, .align_corners = align_corners};
}
static inline sbl_layer sbl_layer_nearest(size_t factor)
{
    return (sbl_layer){.kind = SBL_LAYER_NEAREST, .factor = factor};
}
static inline sbl_layer sbl_layer_max_pool(size_t kernel, size_t stride)
{
    return (sbl_layer){.kind = SBL_LAYER_MAX_POOL, .kernel = kernel, .stride = stride};
}
static inline sbl_layer sbl_layer_add(size_t from)
{
    return (sbl_layer){.kind = SBL_LAYER_ADD, .from = from};
}
static inline sbl_layer sbl_layer_add_input(size_t inputs)
{
    return (sbl_layer){.kind = SBL_LAYER_ADD_INPUT, .inputs = inputs};
}
static inline sbl_layer sbl_layer_reshape(size_t height, size_t width, size_t channels)
{
    return (sbl_layer){.kind = SBL_LAYER_RESHAPE, .volume = {height, width, channels}};
}

/* A layer in its place. */
typedef struct sbl_net_layer {
    sbl_layer ask;
    sbl_volume in, out;
    size_t weight, weight_count; /* in weights; gamma for batch norm */
    size_t bias, bias_count;     /* in weights; beta for batch norm */
    size_t running;              /* batch norm: mean (channels), then variance, in running */
    bool is_source;              /* a later layer adds its output */
    bool in_place;               /* its output overwrites (or is) that of the layer before */
} sbl_net_layer;

typedef struct sbl_net {
    sbl_volume input, output;
    sbl_net_layer *layers;
    size_t layer_count;
    float *weights; /* (weight_count): the caller may set them */
    size_t weight_count;
    float *running; /* (running_count): running means and variances of the batch norms */
    size_t running_count;
} sbl_net;

/* Zero weights, gamma 1, running variance 1. Layers are copied. */
sbl_status sbl_net_init(sbl_net *net, sbl_volume input, const sbl_layer *layers, size_t layer_count,
                        sbl_error *err);
void sbl_net_clear(sbl_net *net);
/* Weights and biases uniform in +- 1 / sqrt(fan in), in a fixed order of one stream; gamma 1, beta
 * 0. Fan in: inputs of a dense layer, k^2 inputs of a convolution, the inputs of add_input. */
void sbl_net_randomise(sbl_net *net, uint64_t seed);

/* The network as canonical JSON text (sorted keys, compact): {"input":[h,w,c],"layers":[{"kind":
 * "dense","channels":200},...]}. Owned by the caller (sbl_free). */
sbl_status sbl_net_describe(char **text, const sbl_net *net, sbl_error *err);
/* The network of such a text, with zero weights. where (a path) is for messages. */
sbl_status sbl_net_parse(sbl_net *net, const char *text, size_t length, const char *where, sbl_error *err);

/* A named part of weights or of running, for model files: "0.weight", "0.bias", "1.mean", ... */
typedef struct sbl_net_span {
    char name[32];
    bool running; /* of net->running, else of net->weights */
    size_t first, count;
    size_t shape[4], dimensions;
} sbl_net_span;

/* The parts in order; each number of weights and running is in exactly one. spans may be NULL:
 * then only the count is given. At most 4 per layer. */
size_t sbl_net_spans(const sbl_net *net, sbl_net_span *spans);

/* What goes into this layer, an activation, stays as it was: it gets an output of its own. Before a
 * workspace is made. */
static inline void sbl_net_keep_input(sbl_net *net, size_t layer) { net->layers[layer].in_place = false; }

typedef enum sbl_net_use {
    SBL_NET_SAMPLE,      /* forward only */
    SBL_NET_TRAIN,       /* and backward to the weights */
    SBL_NET_TRAIN_INPUT, /* and backward to the input */
    SBL_NET_FROZEN       /* backward to the input alone, by sbl_net_backward_input(): no batch norm */
} sbl_net_use;

/* Room for batches of up to `rows` rows, on a backend: every array below is a tensor of it. */
typedef struct sbl_net_workspace {
    const sbl_backend *on;
    sbl_net_use use;
    size_t rows, threads;     /* at most */
    size_t last_rows;         /* of the last forward */
    bool last_training;       /* of the last forward */
    const float *input;       /* of the last forward: borrowed until backward is done */
    double momentum;          /* if not 0: for all running statistics, instead of the layers' own */
    float *weights, *running; /* the network's own on the host; else copies: sbl_net_push() */
    float *arena;             /* everything below; wiped when it is freed: inputs may be records */
    size_t arena_size;        /* in numbers */
    float *d_weights;         /* (weight_count): set, not added to, by backward; NULL of a frozen one */
    float *d_input;           /* (rows, input): set by backward; NULL where use asks for none */
    float **outputs;          /* per layer (rows, out); layers in place share theirs */
    float **source_d;         /* per layer: gradient from a later add, where is_source */
    float **statistics;       /* per batch norm: mean, one over deviation (2 channels) */
    float *gradients[2];      /* in turn; a caller may write d_output into the first */
    float *scratch;           /* of the layer at work */
} sbl_net_workspace;

sbl_status sbl_net_workspace_init(sbl_net_workspace *workspace, const sbl_net *net, size_t rows,
                                  sbl_net_use use, sbl_error *err);
/* The same on a backend, which must outlive it; the network's weights and statistics go there.
 * Inputs, outputs and gradients of the passes are its tensors. */
sbl_status sbl_net_workspace_init_on(sbl_net_workspace *workspace, const sbl_net *net, size_t rows,
                                     sbl_net_use use, const sbl_backend *on, sbl_error *err);
/* Numbers that each row takes in such a workspace, but for scratch. */
size_t sbl_net_row_numbers(const sbl_net *net, sbl_net_use use);
/* The network's weights and statistics to the workspace's backend, and back; nothing on the host. */
void sbl_net_push(const sbl_net *net, sbl_net_workspace *workspace);
void sbl_net_pull(sbl_net *net, const sbl_net_workspace *workspace);
void sbl_net_workspace_clear(sbl_net_workspace *workspace);

/* input (rows, input volume) -> the outputs (rows, output volume), which stay valid until the next
 * forward. rows <= workspace->rows. training: batch norms use the batch's own statistics and move the
 * workspace's running ones (on the host the network's own); else they use those. */
const float *sbl_net_forward(const sbl_net *net, sbl_net_workspace *workspace, const float *input,
                             size_t rows, bool training);
/* d_output (rows, output volume), for the batch of the last forward -> workspace->d_weights and, when
 * asked for, workspace->d_input. d_output may be workspace->gradients[0], which saves a copy. At most once
 * per forward: activations may be overwritten. */
void sbl_net_backward(const sbl_net *net, sbl_net_workspace *workspace, const float *d_output);
/* Through a frozen network (SBL_NET_FROZEN) to workspace->d_input; its weights' gradients are not
 * computed. d_output may be NULL: zeros. d_inner: per layer a gradient of the loss in its output
 * (rows, out), which is added on the way, or NULL; what an activation in place overwrote has none.
 * Returns false, and leaves d_input alone, where every gradient is NULL. */
bool sbl_net_backward_input(const sbl_net *net, sbl_net_workspace *workspace, const float *d_output,
                            const float *const *d_inner);

#endif
