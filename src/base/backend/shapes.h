/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of a backend (backend.h) are told beside their tensors. A volume is (height,
 * width, channels), channels fastest; a batch of them has rows in front. */
#ifndef SBL_BACKEND_SHAPES_H
#define SBL_BACKEND_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compute/conv.h"
#include "base/compute/gemm.h"

#define SBL_MOST_SIDE 1024 /* height and width of a volume that is resampled */

typedef struct sbl_volume {
    size_t height, width, channels;
} sbl_volume;

static inline sbl_volume sbl_volume_of(size_t height, size_t width, size_t channels)
{
    return (sbl_volume){height, width, channels};
}

static inline size_t sbl_volume_size(sbl_volume v) { return v.height * v.width * v.channels; }

typedef enum sbl_curve { SBL_CURVE_RELU, SBL_CURVE_LEAKY_RELU, SBL_CURVE_SIGMOID } sbl_curve;

/* A pointwise function. */
typedef struct sbl_activation {
    sbl_curve curve;
    float slope; /* leaky ReLU: x < 0 ? slope x : x */
} sbl_activation;

/* Batch normalisation per channel (Ioffe and Szegedy 2015), with the ReLU behind it if asked:
 *     h = (x - mean) inverse,  y = gamma h + beta,  inverse = 1 / sqrt(variance + 1e-5)
 * All but the numbers and flags are tensors. */
typedef struct sbl_norm {
    size_t pixels, channels;
    const float *gamma, *beta;
    float *mean, *inverse; /* (channels): of the batch or of the running statistics */
    bool relu, batch;
    float *scratch; /* as the backend's norm_scratch says */
} sbl_norm;

/* Up-sampling by a whole factor. */
typedef struct sbl_upsampling {
    sbl_volume in, out;
    size_t factor;
    bool nearest, align_corners; /* nearest: by repetition; else bilinear */
} sbl_upsampling;

/* Maxima of windows of kernel^2 pixels every stride pixels. Padding pixels do not take part. */
typedef struct sbl_pooling {
    sbl_volume in, out;
    size_t kernel, stride, padding;
} sbl_pooling;

/* Where an image lies in a network's output: `lines` lines of `run` numbers, the first at
 * `first`, `stride` apart, `whole` numbers in total. */
typedef struct sbl_pixel_window {
    size_t first, lines, run, stride, whole;
} sbl_pixel_window;

#define SBL_PIXEL_MARGIN 0.02f
#define SBL_PIXEL_LEAK 0.01f /* slope beyond [0, 1] in training, so that no pixel is stuck */

#define SBL_RESIZED_CHANNELS 3

/* Rows first .. first + count - 1 of a batch; of several runs the rows follow each other. */
typedef struct sbl_row_run {
    size_t first, count;
} sbl_row_run;

/* An image (height, width, 1 or 3) to a square of three channels, normalised:
 * out[c] = (rows image[c] columns^T - mean[c]) / deviation[c]. */
typedef struct sbl_resizing {
    sbl_volume image;
    size_t side;
    const float *rows;    /* tensor (side, height) */
    const float *columns; /* tensor (side, width) */
    /* A tensor (side, width) that replaces columns for every second row of a run, starting with the row
     * after its first; NULL: columns apply to all rows. */
    const float *mirrored_columns;
    float mean[SBL_RESIZED_CHANNELS], deviation[SBL_RESIZED_CHANNELS];
} sbl_resizing;

/* A step of Adam: m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
 * w -= rate m / (sqrt(v) correction + epsilon). */
typedef struct sbl_adam_rates {
    float beta1, beta2, rate, correction, epsilon;
} sbl_adam_rates;

/* ---- losses ---- */

/* Rows of one class that are added up by themselves. */
typedef struct sbl_row_piece {
    size_t first, count, class;
} sbl_row_piece;

/* The squared distance of class means of orthogonal Fourier features (base/compute/hadamard.h) from a target,
 * and its gradient. With v_c, u_c, w_c the row, mean and class weights, and d the decay:
 *     E_c  = v_c sum over rows of (cos, sin), or d past_c + (1 - d) of it where there is a past
 *     loss = sum_c w_c |E_c - target_c|^2,  past_c = d past_c + (1 - d) u_c sum over rows
 * Legend: R rows, d columns, C classes, F frequencies in blocks of n. */
typedef struct sbl_orthogonal_job {
    size_t rows, columns, classes, frequencies, size, blocks; /* size: n */
    /* of this process: */
    const size_t *starts; /* (C + 1): rows of class c are starts[c] .. starts[c + 1] - 1 */
    const sbl_row_piece *pieces;
    size_t piece_count;
    const float *row_weight, *mean_weight, *class_weight; /* (C) */
    double *losses;                                       /* (C), to work in */
    float decay;
    /* tensors: */
    const float *signs;     /* (blocks, 3, n) */
    const float *lengths;   /* (blocks, n) */
    const float *x;         /* (R, d) */
    float *d_x;             /* += the gradient */
    const float *target;    /* (blocks, C, 2, n): cosines, then sines */
    float *past;            /* as target; NULL: none */
    float *cosines, *sines; /* (R, n), to work in */
    float *residuals;       /* (C, 2, n), to work in */
    float *front;           /* the same */
} sbl_orthogonal_job;

/* Hermite functions phi_0 .. phi_{width - 1} of reach (x - 1/2), x being a number of a record
 * (public/features/hermite_basis.h). Lists of these three kinds have members of 4 and 8 bytes without gaps, for a device is
 * given their bytes. */
typedef struct sbl_hermite_slot {
    uint32_t column;    /* of x */
    uint32_t at, width; /* its values, among those of all slots */
    uint32_t use;       /* the first factor that is this slot */
    uint32_t next;      /* the next slot of the same column; 0: none */
    uint32_t first;     /* 1: it is the first of its column */
    double reach,
        rho; /* of tables, reach 0: its values are columns `column` .. `column` + width - 1 themselves */
} sbl_hermite_slot;

/* The outer product of `count` factors, the last one's index fastest: `width` of a class's numbers, from `offset` on. */
typedef struct sbl_hermite_product {
    uint32_t use, count, offset, width;
} sbl_hermite_product;

typedef struct sbl_hermite_use {
    uint32_t slot, product;
    uint32_t next; /* the next factor that is the same slot; 0: none */
} sbl_hermite_use;

#define SBL_HERMITE_MOST_FACTORS 16 /* of a product */
#define SBL_HERMITE_ROWS 128        /* of a piece, at most */

/* The squared distance of class means of products of Hermite functions from a target, and its gradient. With v_c, u_c and
 * w_c the row, mean and class weights, d the decay, and f_r a row's features:
 *     S_c = sum over rows f_r,  P_c = d past_c + (1 - d) v_c S_c, or v_c S_c without a past;  past_c = P_c
 *     loss = sum_c w_c |P_c - target_c|^2, or, unbiased, where products of a row with itself are left out,
 *     sum_c w_c (P_c . (M_c - 2 target_c) + |target_c|^2) - o_c / 2 sum over rows |f_r|^2,
 *     M_c = P_c + (1 - d) (u_c - v_c) S_c,
 * with gradient 2 w_c v_c (M_c - target_c) - (1 - d) o_c f_r in f_r.
 * Legend: R rows, padded; V values of all slots; C classes. */
typedef struct sbl_hermite_job {
    size_t rows, padded, columns, classes, values, width; /* width: numbers of a class */
    bool by_rows, unbiased;                               /* by_rows: images, not tables */
    /* of this process: */
    const size_t *starts; /* (C + 1): rows of class c are starts[c] .. starts[c + 1] - 1 */
    const sbl_row_piece *pieces;
    size_t piece_count;
    const sbl_hermite_slot *slots;
    const sbl_hermite_product *products;
    const sbl_hermite_use *uses;
    size_t slot_count, product_count;
    const float *row_weight, *mean_weight, *class_weight, *own_weight; /* (C): v, u, w, o */
    double *losses;                                                    /* (products), to work in */
    float decay;
    /* tensors: */
    const float *slot_bytes, *product_bytes, *use_bytes; /* the three lists */
    const float *x;                                      /* (R, columns) by rows, else (columns, R) */
    float *d_x;                                          /* += the gradient */
    /* Only of the host: of images (columns, R), to work in; of tables columns that follow those of x, and += theirs. */
    float *z, *d_z;
    const float *target; /* (C, width) */
    float *past;         /* as target; NULL: none */
    float *residual;     /* as target, to work in */
    float *phi, *d_phi;  /* room for (V, R), to work in; d_phi: zeros before the first step */
} sbl_hermite_job;

/* Points in a frozen network's space (records/features/perceptual.c), of rows that went through it: of each layer the means
 * over a grid of cells, (cells, channels), the layers one behind the other, each over its length + 1e-6 and over
 * sqrt(layers). Cell g of G of a side of h pixels has those from floor(g h / G) to below floor((g + 1) h / G). */
typedef struct sbl_points_job {
    size_t rows, layers, width; /* width: numbers of a point */
    const sbl_volume *volumes;  /* (layers), of this process */
    const float *const *values; /* (layers) tensors (rows, volume), on the way there */
    float *const *d_values;     /* (layers) tensors (rows, volume): set, on the way back */
    float *points;              /* tensor (rows, width) */
    float *d_points;            /* the same, on the way back, which works in it */
    float *lengths;             /* tensor (rows, layers) of the means; may be NULL on the way there */
} sbl_points_job;

#define SBL_POINTS_GRID 4 /* cells of a side, or as many as it has pixels */
#define SBL_POINTS_LEAST_LENGTH 1e-6f

static inline size_t sbl_points_cells(size_t side) { return side < SBL_POINTS_GRID ? side : SBL_POINTS_GRID; }

/* Numbers of a layer's part of a point. */
static inline size_t sbl_points_count(sbl_volume v)
{
    return sbl_points_cells(v.height) * sbl_points_cells(v.width) * v.channels;
}

/* Which rows of its classes a job of moments has: all, or some, where a class is too large to go through the
 * network at once. Its parts are added up in order; behind the last one there is a residual, from which
 * follow its rows' gradient and, as each of the others is run AGAIN, theirs. Between the first job and the
 * last one that is run again `front` is left alone. The sums have the bits of all rows at once. */
typedef enum sbl_moments_part {
    SBL_MOMENTS_ALL,    /* loss and gradient */
    SBL_MOMENTS_FIRST,  /* of several: sums alone */
    SBL_MOMENTS_MIDDLE, /* sums alone, behind those before */
    SBL_MOMENTS_LAST,   /* the loss of all parts, and the gradient of these rows */
    SBL_MOMENTS_AGAIN   /* the gradient alone, of a part whose sums were added */
} sbl_moments_part;

/* The same of the moments of activations (records/features/activation_moments.c), of classes that went through a
 * network together: with e a row's numbers, of all layers one behind the other, phi1 = e / |e| and
 * phi2 = e^2 / |e^2|. Layers alike: with e_l those of layer l of L, phi1 has e_l / (|e_l| sqrt(L)), and phi2
 * e_l^2 / (|e_l^2| sqrt(L)). What has norm 0 stays 0. A class without rows is left as it is. */
typedef struct sbl_moments_job {
    size_t rows, classes, layers;
    size_t moments; /* 1 or 2 */
    size_t width;   /* numbers of all layers */
    bool alike;
    sbl_moments_part part;
    /* of this process: */
    const size_t *sizes;                                  /* (layers) */
    const size_t *starts;                                 /* (classes + 1), as above */
    const float *row_weight, *mean_weight, *class_weight; /* (classes) */
    float decay;
    const float *const *values; /* (layers) tensors (rows, size) */
    float *const *d_values;     /* the gradient; set, where the part has one */
    double *losses;             /* (classes, moments, sbl_moments_pieces()), to work in */
    /* tensors: */
    const float *target; /* (classes, moments, width) */
    float *past;         /* the same; NULL: none */
    float *front;        /* the same, to work in */
    /* (rows, 2, alike ? layers : 1), to work in: what e and e^2 are multiplied by */
    float *factors;
} sbl_moments_job;

#define SBL_MOMENTS_PIECE 1024 /* coordinates of a layer that one thread adds up over rows */

/* Are there sums before this part? Is the loss found behind it? Is there a gradient of its rows? */
static inline bool sbl_moments_goes_on(sbl_moments_part part)
{
    return part == SBL_MOMENTS_MIDDLE || part == SBL_MOMENTS_LAST;
}

static inline bool sbl_moments_ends(sbl_moments_part part)
{
    return part == SBL_MOMENTS_ALL || part == SBL_MOMENTS_LAST;
}

static inline bool sbl_moments_goes_back(sbl_moments_part part)
{
    return sbl_moments_ends(part) || part == SBL_MOMENTS_AGAIN;
}

static inline size_t sbl_moments_pieces(const size_t *sizes, size_t layers)
{
    size_t pieces = 0;
    for (size_t l = 0; l < layers; l++) pieces += (sizes[l] + SBL_MOMENTS_PIECE - 1) / SBL_MOMENTS_PIECE;
    return pieces;
}

#endif
