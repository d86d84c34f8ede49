/* Windows of kernel^2 pixels, stride apart, that lie inside the image. The gradient of a maximum
 * goes to the first pixel that has it, found once more on the way back. */
#include <string.h>

#include "compute/threads.h"
#include "nn/net_layers.h"

/* A window's first pixel, and the steps inside it. */
typedef struct window {
    size_t kernel, line, channels;
} window;

SBL_CLONES static void take_most(float *restrict y, const float *restrict x, window w)
{
    for (size_t c = 0; c < w.channels; c++) y[c] = x[c];
    for (size_t k = 1; k < w.kernel * w.kernel; k++) {
        const float *pixel = x + k / w.kernel * w.line + k % w.kernel * w.channels;
        for (size_t c = 0; c < w.channels; c++) y[c] = pixel[c] > y[c] ? pixel[c] : y[c];
    }
}

SBL_CLONES static void take_mean(float *restrict y, const float *restrict x, window w)
{
    float share = 1 / (float)(w.kernel * w.kernel);
    for (size_t c = 0; c < w.channels; c++) y[c] = 0;
    for (size_t k = 0; k < w.kernel * w.kernel; k++) {
        const float *pixel = x + k / w.kernel * w.line + k % w.kernel * w.channels;
        for (size_t c = 0; c < w.channels; c++) y[c] += share * pixel[c];
    }
}

static void give_to_most(float *dx, const float *dy, const float *x, window w)
{
    for (size_t c = 0; c < w.channels; c++) {
        size_t most = c;
        for (size_t k = 1; k < w.kernel * w.kernel; k++) {
            size_t at = k / w.kernel * w.line + k % w.kernel * w.channels + c;
            if (x[at] > x[most]) most = at;
        }
        dx[most] += dy[c];
    }
}

SBL_CLONES static void give_to_all(float *restrict dx, const float *restrict dy, window w)
{
    float share = 1 / (float)(w.kernel * w.kernel);
    for (size_t k = 0; k < w.kernel * w.kernel; k++) {
        float *pixel = dx + k / w.kernel * w.line + k % w.kernel * w.channels;
        for (size_t c = 0; c < w.channels; c++) pixel[c] += share * dy[c];
    }
}

static window window_of(const sbl_net_layer *layer)
{
    return (window){layer->ask.kernel, layer->in.width * layer->in.channels, layer->in.channels};
}

/* Where the window of an output pixel starts in its image. */
static size_t start_of(size_t pixel, const sbl_net_layer *layer)
{
    size_t y = pixel / layer->out.width, x = pixel % layer->out.width;
    return layer->ask.stride * (y * layer->in.width + x) * layer->in.channels;
}

void sbl_pool_forward(float *y, const float *x, size_t rows, const sbl_net_layer *layer)
{
    size_t in = sbl_volume_size(layer->in), n = layer->in.channels;
    size_t pixels = layer->out.height * layer->out.width;
    window w = window_of(layer);
    SBL_OMP(omp parallel for schedule(static) if (rows * in > 16384))
    for (size_t r = 0; r < rows; r++)
        for (size_t p = 0; p < pixels; p++)
            (layer->ask.kind == SBL_LAYER_MAX_POOL ? take_most : take_mean)(
                y + (r * pixels + p) * n, x + r * in + start_of(p, layer), w);
}

void sbl_pool_backward(float *dx, const float *dy, const float *x, size_t rows,
                       const sbl_net_layer *layer)
{
    size_t in = sbl_volume_size(layer->in), n = layer->in.channels;
    size_t pixels = layer->out.height * layer->out.width;
    window w = window_of(layer);
    SBL_OMP(omp parallel for schedule(static) if (rows * in > 16384))
    for (size_t r = 0; r < rows; r++) {
        memset(dx + r * in, 0, in * sizeof *dx);
        for (size_t p = 0; p < pixels; p++) {
            size_t at = r * in + start_of(p, layer);
            if (layer->ask.kind == SBL_LAYER_MAX_POOL)
                give_to_most(dx + at, dy + (r * pixels + p) * n, x + at, w);
            else
                give_to_all(dx + at, dy + (r * pixels + p) * n, w);
        }
    }
}
