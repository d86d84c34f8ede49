/* SPDX-License-Identifier: Apache-2.0 */
/* Heads and inputs of images: arguments of their kernels put together. */
#include "cuda/cuda_internal.h"

typedef unsigned u32;

typedef struct window {
    u32 first, lines, run, stride, whole;
    float margin, leak;
} window;

static window window_of(const sbl_pixel_window *w, float leak)
{
    return (window){(u32)w->first, (u32)w->lines,    (u32)w->run, (u32)w->stride,
                    (u32)w->whole, SBL_PIXEL_MARGIN, leak};
}

static void pixels(void *device, float *to, const float *outputs, const sbl_pixel_window *by, size_t rows,
                   float leak)
{
    window w = window_of(by, leak);
    u32 count = cuda_count(device, rows, by->lines * by->run);
    CUDA_OVER(device, CUDA_PIXELS, count, CUDA_OF(to), CUDA_OF(outputs), CUDA_OF(count), CUDA_OF(w));
}

static void pixels_back(void *device, float *d_outputs, const float *d_pixels, const float *outputs,
                        const sbl_pixel_window *by, size_t rows)
{
    window w = window_of(by, SBL_PIXEL_LEAK);
    u32 count = cuda_count(device, rows, by->whole);
    CUDA_OVER(device, CUDA_PIXELS_BACK, count, CUDA_OF(d_outputs), CUDA_OF(d_pixels), CUDA_OF(outputs),
              CUDA_OF(count), CUDA_OF(w));
}

#define MOST_RUNS 96

/* As in the kernels. */
typedef struct resizing {
    unsigned height, width, channels, side;
    float mean[SBL_RESIZED_CHANNELS], deviation[SBL_RESIZED_CHANNELS];
} resizing;

typedef struct runs {
    unsigned count, first[MOST_RUNS], before[MOST_RUNS + 1];
} runs;

static resizing resizing_of(const sbl_resizing *by)
{
    resizing s = {.height = (unsigned)by->image.height,
                  .width = (unsigned)by->image.width,
                  .channels = (unsigned)by->image.channels,
                  .side = (unsigned)by->side};
    for (size_t c = 0; c < SBL_RESIZED_CHANNELS; c++) {
        s.mean[c] = by->mean[c];
        s.deviation[c] = by->deviation[c];
    }
    return s;
}

static runs runs_of(const sbl_row_run *from, size_t count)
{
    runs of = {.count = (unsigned)(count < MOST_RUNS ? count : MOST_RUNS)};
    for (unsigned k = 0; k < of.count; k++) {
        of.first[k] = (unsigned)from[k].first;
        of.before[k + 1] = of.before[k] + (unsigned)from[k].count;
    }
    return of;
}

/* There, or back: as many runs at a time as a launch takes. */
static void resize_runs(cuda_device *d, cuda_kernel kernel, float *to, const float *from,
                        const sbl_resizing *by, const sbl_row_run *all, size_t run_count)
{
    const size_t resized = by->side * by->side * SBL_RESIZED_CHANNELS;
    const bool back = kernel == CUDA_RESIZE_BACK;
    resizing s = resizing_of(by);
    const float *down = by->rows, *across = by->columns, *mirrored = by->mirrored_columns;
    for (size_t k = 0; k < run_count; k += MOST_RUNS) {
        runs of = runs_of(all + k, run_count - k);
        const unsigned rows = of.before[of.count];
        const cuda_argument arguments[] = {CUDA_OF(to),       CUDA_OF(from), CUDA_OF(down), CUDA_OF(across),
                                           CUDA_OF(mirrored), CUDA_OF(s),    CUDA_OF(of)};
        if (rows > 0)
            CUDA_LAUNCH(d, kernel, cuda_blocks(back ? sbl_volume_size(by->image) : resized), rows, 1,
                        CUDA_THREADS, 1, 0, arguments);
        if (back)
            from += rows * resized;
        else
            to += rows * resized;
    }
}

static void resize(void *device, float *out, const float *images, const sbl_resizing *by,
                   const sbl_row_run *all, size_t run_count)
{
    resize_runs(device, CUDA_RESIZE, out, images, by, all, run_count);
}

static void resize_back(void *device, float *d_images, const float *d_out, const sbl_resizing *by,
                        const sbl_row_run *all, size_t run_count)
{
    resize_runs(device, CUDA_RESIZE_BACK, d_images, d_out, by, all, run_count);
}

void cuda_set_images(sbl_backend *to)
{
    to->pixels = pixels;
    to->pixels_back = pixels_back;
    to->resize = resize;
    to->resize_back = resize_back;
}
