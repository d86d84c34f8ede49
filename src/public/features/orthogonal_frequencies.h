/* SPDX-License-Identifier: Apache-2.0 */
/* The frequencies of orthogonal random Fourier features (records/features/orthogonal.h), and the parameters that they are
 * made from.
 *
 * Frequencies come in blocks of n, the least power of two >= max(d, 32):
 *     w_f = (l_f / s_f) row f of n^(-3/2) H D1 H D2 H D3,
 * D random signs, l_f chi-distributed with n degrees of freedom, s_f the length scale. Were the
 * orthogonal matrix a uniformly random one, w_f would be N(0, I / s_f^2) on the first d coordinates
 * exactly, whatever the others are; so products of features estimate the Gaussian kernel of scale
 * s_f (the mean of the kernels where there are several), and because the frequencies of a block
 * are orthogonal, with less variance than independent ones. Three factors H D are as good as a
 * uniform rotation to within what tests can see.
 * Privacy: scales are in units of sqrt(d / 6): a public fact. */
#ifndef SBL_FEATURES_ORTHOGONAL_FREQUENCIES_H
#define SBL_FEATURES_ORTHOGONAL_FREQUENCIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compute/hadamard.h"
#include "base/error.h"
#include "base/json.h"
#include "public/plan/facts.h"

#define SBL_ORTHOGONAL "orthogonal"

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

/* Parameters of the feature `orthogonal`: images only. NULL when out of memory. */
json_t *sbl_orthogonal_parameters(const sbl_orthogonal_rule *rule);

/* As of sbl_feature: made is an sbl_orthogonal. */
sbl_status sbl_orthogonal_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err);
void sbl_orthogonal_free(void *made);

#endif
