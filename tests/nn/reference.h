/* A generator's forward pass and losses in double, written once more and plainly: the oracle that
 * the float kernels are held to. */
#ifndef SBL_TESTS_NN_REFERENCE_H
#define SBL_TESTS_NN_REFERENCE_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "nn/mlp.h"
#include "schema/record_shape.h"

static inline size_t reference_class(const size_t *starts, size_t row)
{
    size_t c = 0;
    while (row >= starts[c + 1]) c++;
    return c;
}

/* outputs (rows, out) of latents (rows, L) with batch statistics; weights in double. */
static inline void reference_forward(double *outputs, const sbl_mlp *mlp, const double *weights,
                                     const float *latents, const size_t *starts, size_t rows)
{
    size_t depth = mlp->shape.depth, width = mlp->shape.latent;
    double *x = calloc(rows * 1024, sizeof *x), *y = calloc(rows * 1024, sizeof *y);
    for (size_t i = 0; i < rows * width; i++) x[i] = (double)latents[i];
    for (size_t l = 0; l <= depth; l++) {
        const sbl_mlp_layer *layer = &mlp->layers[l];
        for (size_t r = 0; r < rows; r++)
            for (size_t j = 0; j < layer->out; j++) {
                double sum = 0;
                if (l == 0 || l == depth)
                    sum = weights[layer->class_bias + reference_class(starts, r) * layer->out + j];
                for (size_t i = 0; i < layer->in; i++)
                    sum += x[r * layer->in + i] * weights[layer->weight + j * layer->in + i];
                y[r * layer->out + j] = sum;
            }
        for (size_t j = 0; l < depth && j < layer->out; j++) {
            double mean = 0, variance = 0;
            for (size_t r = 0; r < rows; r++) mean += y[r * layer->out + j] / (double)rows;
            for (size_t r = 0; r < rows; r++)
                variance += pow(y[r * layer->out + j] - mean, 2) / (double)rows;
            for (size_t r = 0; r < rows; r++) {
                double *at = &y[r * layer->out + j];
                *at = weights[layer->gamma + j] * (*at - mean) / sqrt(variance + 1e-5) +
                      weights[layer->beta + j];
                if (*at < 0) *at = 0;
            }
        }
        double *swap = x;
        x = y;
        y = swap;
    }
    for (size_t i = 0; i < rows * mlp->shape.outputs; i++) outputs[i] = x[i];
    free(x);
    free(y);
}

/* One row of outputs to numbers and probabilities. */
static inline void reference_heads(double *numbers, double *probabilities, const double *outputs,
                                   const sbl_record_shape *shape)
{
    for (size_t i = 0; i < shape->numeric; i++) numbers[i] = 1 / (1 + exp(-outputs[i]));
    for (size_t k = 0; k < shape->categorical; k++) {
        double sum = 0;
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++)
            sum += exp(outputs[shape->numeric + j]);
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++)
            probabilities[j] = exp(outputs[shape->numeric + j]) / sum;
    }
}

#endif
