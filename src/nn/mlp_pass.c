/* The way forward and the way back. */
#include <string.h>

#include "compute/gemm.h"
#include "compute/threads.h"
#include "nn/class_rows.h"
#include "nn/mlp.h"

/* y (R, out) += x (R, in) W^T */
static void dense_forward(float *y, const float *x, const float *weight, const sbl_mlp_layer *layer,
                          size_t rows, bool add, float *workspace)
{
    sbl_gemm(y, x, weight,
             &(sbl_gemm_shape){.m = rows,
                               .n = layer->out,
                               .k = layer->in,
                               .a_stride = layer->in,
                               .b_stride = layer->in,
                               .c_stride = layer->out,
                               .b_transposed = true,
                               .add = add},
             workspace);
}

/* dW (out, in) = dy^T x */
static void dense_weights(float *d_weight, const float *dy, const float *x,
                          const sbl_mlp_layer *layer, size_t rows, float *workspace)
{
    sbl_gemm(d_weight, dy, x,
             &(sbl_gemm_shape){.m = layer->out,
                               .n = layer->in,
                               .k = rows,
                               .a_stride = layer->out,
                               .b_stride = layer->in,
                               .c_stride = layer->in,
                               .a_transposed = true},
             workspace);
}

/* dx (R, in) = dy W */
static void dense_inputs(float *dx, const float *dy, const float *weight,
                         const sbl_mlp_layer *layer, size_t rows, float *workspace)
{
    sbl_gemm(dx, dy, weight,
             &(sbl_gemm_shape){.m = rows,
                               .n = layer->in,
                               .k = layer->out,
                               .a_stride = layer->out,
                               .b_stride = layer->in,
                               .c_stride = layer->in},
             workspace);
}

void sbl_mlp_forward(sbl_mlp *mlp, sbl_mlp_work *work, const size_t *starts, float momentum)
{
    size_t depth = mlp->shape.depth, classes = mlp->shape.classes;
    const float *x = work->latent;
    for (size_t l = 0; l <= depth; l++) {
        const sbl_mlp_layer *layer = &mlp->layers[l];
        float *y = l < depth ? work->normal[l] : work->outputs;
        bool conditional = l == 0 || l == depth;
        if (conditional)
            sbl_class_rows_fill(y, mlp->weights + layer->class_bias, layer->out, starts, classes);
        dense_forward(y, x, mlp->weights + layer->weight, layer, work->rows, conditional,
                      work->workspace);
        if (l == depth) break;
        sbl_batch_norm norm = sbl_mlp_norm(mlp, l);
        sbl_batch_norm_forward(&norm, work->hidden[l], y, work->inverse[l], work->rows, momentum);
        x = work->hidden[l];
    }
}

void sbl_mlp_backward(const sbl_mlp *mlp, sbl_mlp_work *work, const size_t *starts)
{
    size_t depth = mlp->shape.depth, classes = mlp->shape.classes;
    float *dy = work->d_outputs;
    for (size_t l = depth + 1; l-- > 0;) {
        const sbl_mlp_layer *layer = &mlp->layers[l];
        if (l < depth) {
            sbl_batch_norm norm = sbl_mlp_norm(mlp, l);
            sbl_batch_norm_backward(&norm, dy, work->d_weights + layer->gamma,
                                    work->d_weights + layer->beta, work->hidden[l], work->normal[l],
                                    work->inverse[l], work->rows);
        }
        const float *x = l > 0 ? work->hidden[l - 1] : work->latent;
        dense_weights(work->d_weights + layer->weight, dy, x, layer, work->rows, work->workspace);
        if (l == 0 || l == depth)
            sbl_class_rows_sum(work->d_weights + layer->class_bias, dy, layer->out, starts,
                               classes);
        if (l == 0) break;
        float *dx = work->d_hidden[l % 2];
        dense_inputs(dx, dy, mlp->weights + layer->weight, layer, work->rows, work->workspace);
        dy = dx;
    }
}
