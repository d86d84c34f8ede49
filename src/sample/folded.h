/* A table generator's network for sampling: batch norms with their running statistics folded into
 * the dense layers before them, and products in one fixed order without fused operations, so that
 * its outputs are the same bits on every platform and in any company. */
#ifndef SBL_SAMPLE_FOLDED_H
#define SBL_SAMPLE_FOLDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "nn/net.h"

/* y = x W + u V + bias, where there is a ReLU held to y >= 0. */
typedef struct sbl_folded_layer {
    size_t in, out, codes; /* codes: numbers of u; 0: none */
    float *weight;         /* (in, out) */
    float *code_weight;    /* (codes, out) */
    float *bias;           /* (out) */
    bool relu;
} sbl_folded_layer;

typedef struct sbl_folded {
    sbl_folded_layer *layers;
    size_t count, inputs, widest; /* widest: of inputs and outputs */
} sbl_folded;

/* Returns: SBL_OK; SBL_EINPUT when the network has other layers than dense ones, batch norms, ReLUs
 * and add_input; SBL_EMEM */
sbl_status sbl_folded_init(sbl_folded *folded, const sbl_net *net, sbl_error *err);
void sbl_folded_clear(sbl_folded *folded);

/* The outputs (rows, outputs) of inputs (rows, inputs), in one of the two buffers of (rows, widest)
 * each. */
const float *sbl_folded_run(const sbl_folded *folded, float *buffers, const float *inputs,
                            size_t rows);

#endif
