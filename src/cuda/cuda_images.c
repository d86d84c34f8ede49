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

typedef struct resizing {
    u64 height, width, channels, side;
    float mean[SBL_RESIZED_CHANNELS], deviation[SBL_RESIZED_CHANNELS];
} resizing;

static resizing resizing_of(const sbl_resizing *by)
{
    resizing s = {.height = by->image.height,
                  .width = by->image.width,
                  .channels = by->image.channels,
                  .side = by->side};
    for (size_t c = 0; c < SBL_RESIZED_CHANNELS; c++) {
        s.mean[c] = by->mean[c];
        s.deviation[c] = by->deviation[c];
    }
    return s;
}

static void resize(void *device, float *out, const float *images, const sbl_resizing *by,
                   size_t rows)
{
    resizing s = resizing_of(by);
    const float *down = by->rows, *across = by->columns;
    u64 count = (u64)rows * by->side * by->side * SBL_RESIZED_CHANNELS;
    CUDA_OVER(device, CUDA_RESIZE, count, &out, &images, &down, &across, &count, &s);
}

static void resize_back(void *device, float *d_images, const float *d_out, const sbl_resizing *by,
                        size_t rows)
{
    resizing s = resizing_of(by);
    const float *down = by->rows, *across = by->columns;
    u64 count = (u64)rows * sbl_volume_size(by->image);
    CUDA_OVER(device, CUDA_RESIZE_BACK, count, &d_images, &d_out, &down, &across, &count, &s);
}

void cuda_set_images(sbl_backend *to)
{
    to->pixels = pixels;
    to->pixels_back = pixels_back;
    to->resize = resize;
    to->resize_back = resize_back;
}
