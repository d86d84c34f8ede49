/* Random Fourier features with structured orthogonal frequencies (Yu, Suresh, Choromanski,
 * Holtmann-Rice and Kumar 2016), for records of hundreds of numbers and more: images.
 *
 * Frequencies come in blocks of n, the least power of two >= max(d, 32):
 *     w_f = (l_f / s_f) row f of n^(-3/2) H D1 H D2 H D3,
 * D random signs, l_f chi-distributed with n degrees of freedom, s_f the length scale. Were the
 * orthogonal matrix a uniformly random one, w_f would be N(0, I / s_f^2) on the first d coordinates
 * exactly, whatever the others are; so products of features estimate the Gaussian kernel of scale
 * s_f (the mean of the kernels where there are several), and because the frequencies of a block
 * are orthogonal, with less variance than independent ones. Three factors H D are as good as a
 * uniform rotation to within what tests can see.
 * Bound: as for records/features/rff.h. Each pair (cos, sin) has norm 1, the record sqrt(F).
 * Sensitivity of the sum, in units of sqrt(F): 2 under replace-one, 1 under add-remove.
 * Cost: 3 n log2 n additions for n frequencies in place of 2 d n operations; at d = 784 that is 51
 * times less.
 * Privacy: scales are in units of sqrt(d / 6): a public fact. */
#ifndef SBL_FEATURES_ORTHOGONAL_H
#define SBL_FEATURES_ORTHOGONAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/compute/hadamard.h"
#include "base/error.h"
#include "records/features/feature.h"

typedef struct sbl_orthogonal {
    size_t columns;         /* d */
    size_t frequencies;     /* F */
    size_t size;            /* n */
    size_t blocks;          /* the last one may be used in part */
    float *signs;           /* (blocks, 3, n) */
    float *lengths;         /* (blocks, n), in turns and with n^(-3/2); 0 beyond F */
    const sbl_facts *facts; /* borrowed, where it is the feature of a plan */
    sbl_pool pool;          /* of the arrays */
} sbl_orthogonal;

/* Public rule of the frequencies. */
typedef struct sbl_orthogonal_rule {
    size_t frequencies;
    const double *scales; /* in units of sqrt(d / 6); frequency f has scale f mod scale_count */
    size_t scale_count;
    uint64_t seed;
} sbl_orthogonal_rule;

/* Frequency f is a pure function of seed, scales, n and f.
 * Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_orthogonal_init(sbl_orthogonal *frequencies, size_t columns, const sbl_orthogonal_rule *rule,
                               sbl_error *err);
void sbl_orthogonal_clear(sbl_orthogonal *frequencies);

/* Block b: frequencies b n .. b n + sbl_orthogonal_used() - 1. */
sbl_hadamard sbl_orthogonal_block(const sbl_orthogonal *frequencies, size_t b);
size_t sbl_orthogonal_used(const sbl_orthogonal *frequencies, size_t b);

/* Features of block b: features[r * stride + 2 (f - b n)] is the cosine, the sine follows; all 2 n
 * are written. x: rows x_stride apart. scratch (n). A row's features depend on that row alone. */
void sbl_orthogonal_rows(const sbl_orthogonal *frequencies, float *features, size_t stride, const float *x,
                         size_t x_stride, size_t rows, size_t b, float *scratch);

/* Of all blocks, into a sum. x (rows, columns); features: a workspace of rows x 2 n numbers and n more. */
sbl_status sbl_orthogonal_add(sbl_sum *sum, size_t block, const sbl_orthogonal *frequencies, float *features,
                              const float *x, size_t rows, sbl_error *err);

/* Parameters of the feature `orthogonal`: images only. NULL when out of memory. */
json_t *sbl_orthogonal_parameters(const sbl_orthogonal_rule *rule);

/* Its loss in training:
 *     L = weight sum_c w_c (1/F) |E_c[cos, sin] - T_c|^2
 * E_c: share of class c times the sum over the generated batch's B_c images of that class of their features,
 * over B_c - 1; T: the target. An image's product with itself is constant, so B_c - 1 in place of B_c
 * makes the gradient that of the unbiased estimate of the squared distance (Gretton, Borgwardt,
 * Rasch, Schoelkopf and Smola 2012): small batches do not draw the images together.
 * With memory m in the target, E_c is replaced by m P_c + (1 - m) E_c, P_c the running mean of the steps
 * before (decay m, less in the first steps): its gradient has the variance of a batch about
 * (1 + m) / (1 - m) times as large, at the price of a mean that lags behind. */
extern const sbl_feature sbl_feature_orthogonal; /* made: sbl_orthogonal */

#endif
