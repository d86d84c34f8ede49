/* SPDX-License-Identifier: Apache-2.0 */
/* cos and sin of projections: the kernels of random Fourier features.
 *
 * Phases are in turns (1 is a full circle): frequencies carry the factor 1 / (2 pi) once, in
 * double. One path for every row and every frequency: short tiles are padded, so that a row's
 * features depend on that row and the frequencies alone, never on its place, its neighbours or the
 * number of rows. The instruction set is the best this machine has, the same for the life of the
 * process; different sets differ in the last bits. */
#ifndef SBL_COMPUTE_FOURIER_H
#define SBL_COMPUTE_FOURIER_H

#include <stddef.h>
#include <stdint.h>

/* Frequencies come in panels of this many. */
#define SBL_FOURIER_PANEL 32
/* Rows of a transposed batch are padded to a multiple of this. */
#define SBL_FOURIER_ROWS 32
/* Phases must stay below this many turns for the stated accuracy; beyond 2^21 they are noise. */
#define SBL_FOURIER_MAX_TURNS 4096

/* Frequencies by panel: column i of frequency f = PANEL p + l is
 * panels[(p * columns + i) * PANEL + l]; lanes without a frequency hold zeros. */
static inline size_t sbl_fourier_panel_count(size_t frequencies)
{
    return (frequencies + SBL_FOURIER_PANEL - 1) / SBL_FOURIER_PANEL;
}

static inline size_t sbl_fourier_padded_rows(size_t rows)
{
    return (rows + SBL_FOURIER_ROWS - 1) / SBL_FOURIER_ROWS * SBL_FOURIER_ROWS;
}

/* Rows to be projected: numbers, and the places of the ones of one-hot codes. */
typedef struct sbl_fourier_rows {
    const float *x; /* (count, columns), rows x_stride apart */
    size_t x_stride;
    const uint32_t *entries; /* (count, codes): entry of the one-hot row that is 1, per code */
    size_t codes;            /* 0: no codes */
    size_t count;
} sbl_fourier_rows;

/* Frequencies: of the numbers (panels, columns, PANEL) and of the one-hot entries (panels, onehot,
 * PANEL), the latter NULL where codes do not count. */
typedef struct sbl_fourier_panels {
    const float *numbers;
    const float *onehot;
    size_t columns, onehot_width;
    size_t count;
} sbl_fourier_panels;

/* features[r * stride + 2 f] = cos, [... + 1] = sin of 2 pi (sum_i x[r, i] w[f, i] + sum_k
 * v[f, entries[r, k]]), for every frequency of the panels: (count, 2 * PANEL * panels).
 * Absolute error below 3e-7 while phases stay below 8 turns. */
void sbl_fourier_features(float *features, size_t stride, const sbl_fourier_rows *rows,
                          const sbl_fourier_panels *panels);

/* A squared distance of class means, for training. Rows are sorted by class. */
typedef struct sbl_fourier_problem {
    size_t padded_rows;        /* multiple of SBL_FOURIER_ROWS */
    size_t columns;            /* d */
    size_t classes;            /* C */
    const size_t *starts;      /* (C + 1): class c is rows starts[c] .. starts[c + 1] - 1 */
    const float *row_weight;   /* (C): of one row in its class's mean */
    const float *class_weight; /* (C): of a class in the loss */
} sbl_fourier_problem;

/* For one panel with `lanes` frequencies in use:
 *     mean_c = row_weight_c sum over rows of class c of (cos, sin)
 *     loss   = sum_c class_weight_c |mean_c - target_c|^2        (returned)
 *     slopes = d loss / d phase, in turns
 * Shapes: x (d, padded_rows), by columns; panel (d, PANEL); target (C, 2 PANEL), pairs; slopes and
 * sines (room to work in) SBL_FOURIER_SLOPES(padded_rows) floats each. */
#define SBL_FOURIER_SLOPES(padded_rows) (SBL_FOURIER_PANEL * (padded_rows))
double sbl_fourier_slopes(float *slopes, float *sines, const sbl_fourier_problem *problem, const float *x,
                          const float *panel, size_t lanes, const float *target);

/* gradient += d loss / d x for rows first .. last - 1, multiples of SBL_FOURIER_ROWS: panels added
 * one after the other give the same bits however rows are shared out. gradient as x. */
void sbl_fourier_gradient(float *gradient, const float *slopes, const sbl_fourier_problem *problem,
                          const float *panel, size_t lanes, size_t first, size_t last);

#endif
