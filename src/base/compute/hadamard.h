/* SPDX-License-Identifier: Apache-2.0 */
/* Projections on structured orthogonal frequencies by fast Walsh-Hadamard transforms (Yu, Suresh,
 * Choromanski, Holtmann-Rice and Kumar, "Orthogonal random features", NIPS 2016).
 *
 * A block of n = 2^k frequencies is diag(lengths) H D1 H D2 H D3: H the n x n Hadamard matrix of
 * ones and minus ones, D random signs. Its rows are orthogonal, and a product with a vector costs
 * 3 n log2 n additions and no matrix. A vector of d <= n numbers is padded with zeros.
 *
 * Phases are in turns, as in fourier.h. One row at a time: its features depend on that row alone.
 * The transforms only add, subtract and change signs, in one order for all instruction sets. */
#ifndef SBL_COMPUTE_HADAMARD_H
#define SBL_COMPUTE_HADAMARD_H

#include <stddef.h>

#define SBL_HADAMARD_LEAST 32        /* n */
#define SBL_HADAMARD_MOST (1u << 20) /* n */

typedef struct sbl_hadamard {
    size_t columns;       /* d */
    size_t size;          /* n: a power of two >= max(d, SBL_HADAMARD_LEAST) */
    const float *signs;   /* (3, n): D1, D2, D3, each 1 or -1 */
    const float *lengths; /* (n): n^(-3/2) times the frequencies' lengths in turns */
} sbl_hadamard;

/* features (n, 2): (cos, sin) of each phase. scratch (n). */
void sbl_hadamard_pairs(float *features, const float *x, const sbl_hadamard *block, float *scratch);

/* The same apart, for training: cosines (n), sines (n). */
void sbl_hadamard_phases(float *cosines, float *sines, const float *x, const sbl_hadamard *block);

/* gradient (d) += transposed block times the gradients of the phases, a_f cos_f + b_f sin_f;
 * all (n). scratch (n), which may be cosines. */
void sbl_hadamard_gradient(float *gradient, const float *cosines, const float *sines, const float *a,
                           const float *b, const sbl_hadamard *block, float *scratch);

#endif
