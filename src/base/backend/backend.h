/* SPDX-License-Identifier: Apache-2.0 */
/* A backend owns tensors and computes with them. Networks, frozen encoders, image losses and the optimiser
 * are written against this table alone. The CPU is one backend; a plug-in for a GPU is another
 * (docs/ENGINE.md).
 *
 * A tensor is a `float *` that the backend handed out, or an address inside one. A host backend hands out
 * plain memory. The addresses of any other backend are valid only in its own operations. Arguments marked
 * "of this process" are plain memory for every backend.
 *
 * Operations run in the order of the calls, possibly after the call returns. They do not report failures
 * one by one: the backend keeps the first failure, ignores what follows, and sync() reports it. The same
 * backend, shapes and numbers give the same bits.
 *
 * A device serves one thread at a time. The CPU has no state and serves any number. */
#ifndef SBL_BACKEND_BACKEND_H
#define SBL_BACKEND_BACKEND_H

#include "base/alloc.h"
#include "base/backend/shapes.h"
#include "base/error.h"

/* Counts up with every change of the table below, of shapes.h or of plugin.h: a plug-in of another version is not used. */
#define SBL_BACKEND_VERSION 7

/* What a backend trains. It has every operation of networks and the optimiser, and may do without the others that it is
 * not asked for. */
typedef enum sbl_backend_trains {
    SBL_TRAINS_IMAGES = 1, /* heads, encoders and losses of images */
    SBL_TRAINS_TABLES = 2  /* heads and losses of tables, which read their records on the host */
} sbl_backend_trains;

typedef struct sbl_backend {
    const char *name; /* "cpu"; "cuda:0 NVIDIA H200" */
    void *device;     /* what every operation is handed; NULL of the CPU */
    bool is_host;     /* tensors are plain memory */
    unsigned trains;  /* sbl_backend_trains, one or both */

    /* ---- memory ---- */
    /* count numbers, zeros; NULL: there is no room. */
    float *(*allocate)(void *device, size_t count);
    void (*release)(void *device, float *tensor, size_t count);              /* wiped; may be NULL */
    void (*write)(void *device, float *to, const float *from, size_t count); /* from: plain memory */
    void (*read)(void *device, float *to, const float *from, size_t count);  /* to: plain memory */
    void (*copy)(void *device, float *to, const float *from, size_t count);
    void (*zero)(void *device, float *to, size_t count);
    /* Starts the queued operations if they have not started; does not wait for them. */
    void (*start)(void *device);
    /* Waits for all of it. SBL_EIO with the reason where something failed since the device was opened; SBL_EMEM where
     * that was memory. */
    sbl_status (*sync)(void *device, sbl_error *err);
    /* The sum of the losses that operations kept since the last call. */
    double (*collect)(void *device);

    /* ---- products (base/compute/gemm.h, base/compute/conv.h); scratch: the size in numbers ---- */
    size_t (*gemm_scratch)(void *device, size_t columns);
    void (*gemm)(void *device, float *c, const float *a, const float *b, const sbl_gemm_shape *shape,
                 float *scratch);
    size_t (*conv_scratch)(void *device, const sbl_conv_shape *shape, size_t rows);
    void (*conv_forward)(void *device, float *y, const float *x, const float *w, const float *bias,
                         const sbl_conv_shape *shape, size_t rows, float *scratch);
    void (*conv_to_inputs)(void *device, float *dx, const float *dy, const float *w,
                           const sbl_conv_shape *shape, size_t rows, float *scratch);
    void (*conv_to_weights)(void *device, float *dw, const float *x, const float *dy,
                            const sbl_conv_shape *shape, size_t rows, float *scratch);

    /* ---- layers; y may be x of an activation; dy becomes dx where no dx is named ---- */
    void (*fill_rows)(void *device, float *y, const float *bias, size_t rows, size_t width);
    void (*add)(void *device, float *x, const float *y, size_t count); /* x += y */
    void (*activate)(void *device, float *y, const float *x, size_t count, sbl_activation a);
    void (*activate_back)(void *device, float *dy, const float *y, size_t count, sbl_activation a);
    /* sums (channels) over pixels */
    size_t (*norm_scratch)(void *device, size_t pixels, size_t channels);
    void (*channel_sums)(void *device, float *sums, const float *x, size_t pixels, size_t channels,
                         float *scratch);
    /* batch: mean and inverse from x, and running (mean, then variance; 2 channels) moves. Else: from
     * running. Then y. */
    void (*norm)(void *device, const sbl_norm *norm, float *y, const float *x, float *running,
                 float momentum);
    /* y: the outputs, read only with relu. */
    void (*norm_back)(void *device, const sbl_norm *norm, float *dy, float *d_gamma, float *d_beta,
                      const float *x, const float *y);
    void (*upsample)(void *device, float *y, const float *x, size_t rows, const sbl_upsampling *by);
    void (*upsample_back)(void *device, float *dx, const float *dy, size_t rows, const sbl_upsampling *by);
    void (*max_pool)(void *device, float *y, const float *x, size_t rows, const sbl_pooling *by);
    /* To the first pixel that has the maximum. */
    void (*max_pool_back)(void *device, float *dx, const float *dy, const float *x, size_t rows,
                          const sbl_pooling *by);
    /* y = relu(a + b); before (may be NULL) = a + b. */
    void (*add_relu)(void *device, float *y, float *before, const float *a, const float *b, size_t count);
    /* d, in the sum, from d_next in y and d_here in y or, where before, in the sum; each of the two
     * may be NULL: zeros. */
    void (*add_relu_back)(void *device, float *d, const float *y, const float *d_next, const float *d_here,
                          bool before, size_t count);

    /* ---- heads and inputs of images ---- */
    /* pixels (rows, lines, run) cut out of outputs, stretched and held to [0, 1], but for `leak`. */
    void (*pixels)(void *device, float *pixels, const float *outputs, const sbl_pixel_window *window,
                   size_t rows, float leak);
    /* With the leak of training. */
    void (*pixels_back)(void *device, float *d_outputs, const float *d_pixels, const float *outputs,
                        const sbl_pixel_window *window, size_t rows);
    /* out: of the images of these runs, one behind the other; back: d_images += */
    void (*resize)(void *device, float *out, const float *images, const sbl_resizing *by,
                   const sbl_row_run *runs, size_t run_count);
    void (*resize_back)(void *device, float *d_images, const float *d_out, const sbl_resizing *by,
                        const sbl_row_run *runs, size_t run_count);

    /* ---- points of a frozen network's activations, and from their gradient to that of activations ---- */
    void (*points)(void *device, const sbl_points_job *job);
    void (*points_back)(void *device, const sbl_points_job *job);

    /* ---- losses: returned, or kept for collect() (then 0 is returned) ---- */
    double (*orthogonal)(void *device, const sbl_orthogonal_job *job);
    double (*hermite)(void *device, const sbl_hermite_job *job);
    double (*moments)(void *device, const sbl_moments_job *job);

    /* ---- the optimiser ---- */
    void (*adam)(void *device, float *weights, float *first, float *second, const float *gradient,
                 size_t count, const sbl_adam_rates *rates);
    /* average += part (weights - average) */
    void (*average)(void *device, float *average, const float *weights, size_t count, float part);
} sbl_backend;

/* The kernels of compute/ and this folder, on the host's memory and threads. */
extern const sbl_backend sbl_backend_cpu;

/* Tensors of one backend that are released together: their one owner. */
typedef struct sbl_tensors {
    const sbl_backend *on;
    void *last; /* a list, the last first */
} sbl_tensors;

static inline sbl_tensors sbl_tensors_on(const sbl_backend *backend) { return (sbl_tensors){.on = backend}; }
/* rows x columns numbers, zeros; NULL when there is no room or the product overflows. */
float *sbl_tensors_take(sbl_tensors *tensors, size_t rows, size_t columns);
void sbl_tensors_clear(sbl_tensors *tensors);
/* `count` numbers or words of 4 bytes of this process, which stay, as a tensor: themselves on the host.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_tensors_place(const float **tensor, sbl_tensors *tensors, const void *numbers, size_t count,
                             sbl_error *err);

/* A tensor, or out by the one exit of a function that has `status`, `err` and `done`. */
#define SBL_TENSOR(tensors, pointer, rows, columns, what)           \
    do {                                                            \
        (pointer) = sbl_tensors_take((tensors), (rows), (columns)); \
        if ((pointer) == NULL) {                                    \
            status = sbl_tensors_no_room((tensors), (what), err);   \
            goto done;                                              \
        }                                                           \
    } while (0)
/* SBL_EMEM: "out of memory for ...", of a device with its name. */
sbl_status sbl_tensors_no_room(const sbl_tensors *tensors, const char *what, sbl_error *err);

#endif
