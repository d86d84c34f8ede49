/* SPDX-License-Identifier: Apache-2.0 */
/* A product of D factors is walked depth first: a branch holds the product of the factors so far, for the rows of a
 * piece. A row's squared length is the product of the factors' squared lengths. */
#include <string.h>

#include "base/backend/hermite_rows.h"
#include "base/compute/threads.h"

#define PIECE SBL_HERMITE_ROWS
#define LANES 16

typedef sbl_hermite_walk walk;

/* Sums of LANES places apart, then of these: one order whatever the instruction set. */
SBL_CLONES static float dot(const float *restrict a, const float *restrict b, size_t count)
{
    float lane[LANES] = {0}, sum = 0;
    size_t r = 0;
    for (; r + LANES <= count; r += LANES)
        for (size_t i = 0; i < LANES; i++) lane[i] += a[r + i] * b[r + i];
    for (size_t i = 0; i < LANES; i++) sum += lane[i];
    for (; r < count; r++) sum += a[r] * b[r];
    return sum;
}

SBL_CLONES static void multiply(float *restrict to, const float *restrict a, const float *restrict b,
                                size_t count)
{
    for (size_t r = 0; r < count; r++) to[r] = a[r] * b[r];
}

SBL_CLONES static void add_product(float *restrict to, const float *restrict a, const float *restrict b,
                                   size_t count)
{
    for (size_t r = 0; r < count; r++) to[r] += a[r] * b[r];
}

/* q += g b and d_b += g a. */
SBL_CLONES static void both_ways(float *restrict q, float *restrict d_b, const float *restrict a,
                                 const float *restrict b, float g, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        q[r] += g * b[r];
        d_b[r] += g * a[r];
    }
}

_Static_assert(PIECE == 128, "as many ones");
static const float ones[PIECE] = {
#define TEN 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
    TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN,
    TEN, 1,   1,   1,   1,   1,   1,   1,   1
#undef TEN
};

/* Sums over the rows of a piece, from branch number `index` of depth k on. */
static void walk_sums(const walk *w, size_t k, const float *product, size_t index)
{
    float next[PIECE];
    for (size_t j = 0; j < w->widths[k]; j++) {
        const float *values = w->values[k] + j * w->stride;
        if (k + 1 == w->depth) {
            w->means[index * w->widths[k] + j] += dot(product, values, w->count);
            continue;
        }
        if (k > 0) multiply(next, product, values, w->count);
        walk_sums(w, k + 1, k > 0 ? next : values, index * w->widths[k] + j);
    }
}

/* q: d loss / d product, of the branch. */
static void walk_back(const walk *w, size_t k, const float *product, float *restrict q, size_t index)
{
    float next[PIECE], q_next[PIECE];
    memset(q, 0, w->count * sizeof *q);
    for (size_t j = 0; j < w->widths[k]; j++) {
        const float *values = w->values[k] + j * w->stride;
        float *gradients = w->gradients[k] + j * w->stride;
        if (k + 1 == w->depth) {
            both_ways(q, gradients, product, values, w->means[index * w->widths[k] + j], w->count);
            continue;
        }
        if (k > 0) multiply(next, product, values, w->count);
        walk_back(w, k + 1, k > 0 ? next : values, q_next, index * w->widths[k] + j);
        add_product(gradients, q_next, product, w->count);
        if (k > 0) add_product(q, q_next, values, w->count);
    }
}

void sbl_hermite_walk_sums(const walk *w) { walk_sums(w, 0, ones, 0); }

void sbl_hermite_walk_back(const walk *w)
{
    float unused[PIECE];
    walk_back(w, 0, ones, unused, 0);
}

SBL_CLONES static void scale_by(float *restrict to, const float *restrict by, size_t count)
{
    for (size_t r = 0; r < count; r++) to[r] *= by[r];
}

/* lengths[k][r]: the squared length of factor k of a row of the walk, all of them; product[r]: of the part's features. */
static void walk_lengths(const walk *w, float lengths[SBL_HERMITE_MOST_FACTORS][PIECE], float *product)
{
    for (size_t r = 0; r < w->count; r++) product[r] = 1;
    for (size_t k = 0; k < w->depth; k++) {
        memset(lengths[k], 0, w->count * sizeof(float));
        for (size_t j = 0; j < w->widths[k]; j++)
            add_product(lengths[k], w->values[k] + j * w->stride, w->values[k] + j * w->stride, w->count);
        scale_by(product, lengths[k], w->count);
    }
}

float sbl_hermite_walk_lengths(const walk *w)
{
    float lengths[SBL_HERMITE_MOST_FACTORS][PIECE], product[PIECE];
    walk_lengths(w, lengths, product);
    return dot(ones, product, w->count);
}

void sbl_hermite_walk_own(const walk *w, float own)
{
    float lengths[SBL_HERMITE_MOST_FACTORS][PIECE], others[PIECE];
    walk_lengths(w, lengths, others);
    for (size_t k = 0; k < w->depth; k++) {
        for (size_t r = 0; r < w->count; r++) others[r] = -own;
        for (size_t i = 0; i < w->depth; i++)
            if (i != k) scale_by(others, lengths[i], w->count);
        for (size_t j = 0; j < w->widths[k]; j++)
            add_product(w->gradients[k] + j * w->stride, others, w->values[k] + j * w->stride, w->count);
    }
}
