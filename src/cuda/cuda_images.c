/* Heads and inputs of images: arguments of kernels.cu put together. */
#include "cuda/cuda_device.h"

typedef unsigned long long u64;

typedef struct window {
    u64 first, lines, run, stride, whole;
    float margin, leak;
} window;

static window window_of(const sbl_pixel_window *w, float leak)
{
    return (window){w->first, w->lines, w->run, w->stride, w->whole, SBL_PIXEL_MARGIN, leak};
}

static void pixels(void *device, float *to, const float *outputs, const sbl_pixel_window *by,
                   size_t rows, float leak)
{
    window w = window_of(by, leak);
    u64 count = (u64)rows * by->lines * by->run;
    CUDA_OVER(device, CUDA_PIXELS, count, &to, &outputs, &count, &w);
}

static void pixels_back(void *device, float *d_outputs, const float *d_pixels, const float *outputs,
                        const sbl_pixel_window *by, size_t rows)
{
    window w = window_of(by, SBL_PIXEL_LEAK);
    u64 count = (u64)rows * by->whole;
    CUDA_OVER(device, CUDA_PIXELS_BACK, count, &d_outputs, &d_pixels, &outputs, &count, &w);
}

#define MOST_RUNS 96

/* As in kernels.cu. */
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
        void *arguments[] = {&to, &from, &down, &across, &mirrored, &s, &of};
        if (rows > 0)
            cuda_launch(d, kernel, cuda_blocks(back ? sbl_volume_size(by->image) : resized), rows,
                        1, CUDA_THREADS, 1, 0, arguments);
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
