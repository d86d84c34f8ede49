/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/moment_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PER_CLASS LABELS(3), WITH_COUNTS
#define ONE_CLASS .classes = 1
#define OF(w, o) .width = w, .outer = o
#define WEIGHTS(...) .weights = {__VA_ARGS__}
#define WITHHELD .withheld = true
#define L1 .bound1 = 4
#define TARGET .norm = 1.4142135623730951

/* reach: where the pair that attains the bound is below, 0.99 (the rest is rounding). Pure: the
 * bound for one label is not attained, nor are the bounds of vector and moments by one pair. */
const moment_world moment_worlds[] = {
    {{"unsupervised, mean and moments of equal weight", OF(16, 16), ONE_CLASS, GAUSS, REPLACE_ONE,
      WEIGHTS(1, 1, 0)},
     0.99},
    {{"unsupervised, projected", OF(20, 5), ONE_CLASS, GAUSS, REPLACE_ONE, WEIGHTS(0.3, 1, 0)}, 0.99},
    {{"unsupervised, mean weighs more", OF(9, 4), ONE_CLASS, GAUSS, REPLACE_ONE, WEIGHTS(3, 1, 0)}, 0.99},
    {{"unsupervised, number of rows private", OF(16, 16), WITH_COUNTS, ONE_CLASS, GAUSS, ADD_REMOVE,
      WEIGHTS(1, 1, 0.5)},
     0.99},
    {{"moments around a released mean", OF(16, 16), WITHHELD, ONE_CLASS, GAUSS, REPLACE_ONE,
      WEIGHTS(0, 1, 0)},
     0.99},
    {{"moments around released means, per class", OF(8, 8), WITHHELD, PER_CLASS, GAUSS, REPLACE_ONE,
      WEIGHTS(0, 1, 0.7)},
     0.99},
    {{"target of |y| <= 1 beside the features", OF(12, 12), ONE_CLASS, GAUSS, REPLACE_ONE, TARGET,
      WEIGHTS(1, 1, 0)},
     0.99},
    {{"target beside the features, pure", OF(16, 16), ONE_CLASS, PURE_LAPLACE, REPLACE_ONE, TARGET, L1,
      WEIGHTS(1, 1, 0)},
     0.6},
    {{"per class, counts of weight 1/2", OF(16, 16), PER_CLASS, GAUSS, REPLACE_ONE, WEIGHTS(1, 1, 0.5)},
     0.99},
    {{"per class, counts of weight 1", OF(16, 6), PER_CLASS, GAUSS, REPLACE_ONE, WEIGHTS(1, 1, 1)}, 0.99},
    {{"per class, number of rows private", OF(16, 6), PER_CLASS, GAUSS, ADD_REMOVE, WEIGHTS(1, 1, 1)}, 0.99},
    {{"per class, non-negative", OF(16, 16), NONNEGATIVE, PER_CLASS, GAUSS, REPLACE_ONE, WEIGHTS(1, 1, 0.5)},
     0.99},
    {{"per class, pure", OF(16, 16), PER_CLASS, PURE_LAPLACE, REPLACE_ONE, L1, WEIGHTS(1, 1, 0.5)}, 0.99},
    {{"per class, pure, number of rows private", OF(16, 16), PER_CLASS, PURE_LAPLACE, ADD_REMOVE, L1,
      WEIGHTS(1, 1, 0.5)},
     0.99},
    {{"pure moments of p = 16", OF(16, 16), WITHHELD, ONE_CLASS, PURE_LAPLACE, REPLACE_ONE, L1,
      WEIGHTS(0, 1, 0)},
     0.97},
    {{"pure, mean weighs more", OF(16, 4), ONE_CLASS, PURE_LAPLACE, REPLACE_ONE, L1, WEIGHTS(1, 0.01, 0)},
     0.99},
    {{"products weigh more", OF(6, 6), WITHHELD, ONE_CLASS, GAUSS, REPLACE_ONE, WEIGHTS(0, 1, 0, 3)}, 0.99},
};
const size_t moment_world_count = sizeof moment_worlds / sizeof moment_worlds[0];

enum pair_kind {
    RANDOM_ROWS,
    NAN_ROW,
    INFINITE_AGAINST_AXIS,
    HUGE_AGAINST_ZERO,
    DENORMALS,
    SAME_ROW_OTHER_LABEL,
    BAD_LABEL,
    DUPLICATES,
    OPPOSITE,
    ORTHOGONAL,
    JOINTLY_WORST,
    NORM_10,
    ORTHOGONAL_OTHER_LABEL,
    HALVES,
    ZERO_AGAINST_AXIS,
    ZEROS_OTHER_LABEL,
    EQUAL_OPPOSITE,
    EQUAL_OTHER_LABEL,
    NO_SQUARES,
    PAIR_KINDS
};
const size_t moment_pair_count = PAIR_KINDS;

static const char *const names[PAIR_KINDS] = {
    [RANDOM_ROWS] = "random rows",
    [NAN_ROW] = "a row of NaN",
    [INFINITE_AGAINST_AXIS] = "infinite values against an axis",
    [HUGE_AGAINST_ZERO] = "1e308 of both signs against zeros",
    [DENORMALS] = "denormals",
    [SAME_ROW_OTHER_LABEL] = "same row, label change",
    [BAD_LABEL] = "bad label",
    [DUPLICATES] = "duplicate rows",
    [OPPOSITE] = "x' = -x",
    [ORTHOGONAL] = "orthogonal rows",
    [JOINTLY_WORST] = "the angle at which vector and moments move most",
    [NORM_10] = "norm 10, all coordinates, against an axis",
    [ORTHOGONAL_OTHER_LABEL] = "orthogonal rows, label change",
    [HALVES] = "the pair that refutes Lemma 4",
    [ZERO_AGAINST_AXIS] = "zero vector against an axis",
    [ZEROS_OTHER_LABEL] = "zero vectors, label change",
    [EQUAL_OPPOSITE] = "all coordinates equal, x' = -x",
    [EQUAL_OTHER_LABEL] = "all coordinates equal, label change",
    [NO_SQUARES] = "squares agree, products do not",
};

/* A small generator of test data; nothing here is noise. */
static uint64_t state = 362436069;
static double uniform(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-53;
}

static void fill(double *row, const world *w, double even, double odd)
{
    for (size_t j = 0; j < w->width; j++) row[j] = j % 2 == 0 ? even : odd;
}

static double norm_of(const world *w) { return w->norm != 0 ? w->norm : 1; }

static void random_row(double *row, const world *w)
{
    double squares = 0;
    for (size_t j = 0; j < w->width; j++) {
        row[j] = w->nonnegative ? uniform() : 2 * uniform() - 1;
        squares += row[j] * row[j];
    }
    for (size_t j = 0; j < w->width; j++) row[j] *= norm_of(w) / sqrt(squares);
}

static void axis(double *row, const world *w, size_t at, double length)
{
    memset(row, 0, w->width * sizeof *row);
    row[at] = length * norm_of(w);
}

/* a = e_1, b at the cosine -A / (2 B) to it (docs/mechanisms/ron-gauss.md). */
static void jointly_worst(double *a, double *b, const world *w)
{
    const double ratio = w->weights[0] * w->weights[0] / (2 * w->weights[1] * w->weights[1]);
    const double cosine = w->withheld || w->nonnegative ? 0 : -fmin(ratio, 1);
    axis(a, w, 0, 1);
    axis(b, w, 0, cosine);
    b[1] = sqrt(1 - cosine * cosine) * norm_of(w);
}

static void halves(double *a, double *b, const world *w)
{
    const double each = norm_of(w) * sqrt(2.0 / (double)w->outer);
    fill(a, w, 0, 0);
    fill(b, w, 0, 0);
    for (size_t j = 0; j < w->outer; j++) {
        const double t = acos(-1) * (j < w->outer / 2 ? 1 : 5) / 8;
        a[j] = each * cos(t);
        b[j] = each * sin(t);
    }
}

/* The rows a and b in which the two data sets differ, and b's label. */
static void fill_pair(double *a, double *b, uint32_t *label, const world *w, enum pair_kind kind)
{
    const uint32_t other = (uint32_t)((*label + 1) % w->classes);
    const double equal = norm_of(w) / sqrt((double)w->width);
    switch (kind) {
    case RANDOM_ROWS:
        random_row(b, w);
        break;
    case NAN_ROW:
        fill(b, w, NAN, NAN);
        break;
    case INFINITE_AGAINST_AXIS:
        fill(a, w, INFINITY, INFINITY);
        axis(b, w, 0, 1);
        break;
    case HUGE_AGAINST_ZERO:
        fill(a, w, 1e308, -1e308);
        fill(b, w, 0, 0);
        break;
    case DENORMALS:
        fill(b, w, 4.9e-324, -4.9e-324);
        break;
    case SAME_ROW_OTHER_LABEL:
        *label = other;
        break;
    case BAD_LABEL:
        *label = 4000000000u;
        break;
    case OPPOSITE:
        axis(a, w, 0, 1);
        axis(b, w, 0, -1);
        break;
    case ORTHOGONAL_OTHER_LABEL:
        axis(a, w, 0, 1);
        axis(b, w, 1, 1);
        *label = other;
        break;
    case ORTHOGONAL:
        axis(a, w, 0, 1);
        axis(b, w, 1, 1);
        break;
    case JOINTLY_WORST:
        jointly_worst(a, b, w);
        break;
    case NORM_10:
        fill(a, w, 10 * equal, -10 * equal);
        axis(b, w, 0, 10);
        break;
    case HALVES:
        halves(a, b, w);
        break;
    case ZERO_AGAINST_AXIS:
        axis(a, w, 0, 1);
        fill(b, w, 0, 0);
        break;
    case ZEROS_OTHER_LABEL:
        fill(a, w, 0, 0);
        fill(b, w, 0, 0);
        *label = other;
        break;
    case EQUAL_OPPOSITE:
        fill(a, w, equal, equal);
        fill(b, w, -equal, -equal);
        break;
    case EQUAL_OTHER_LABEL:
        fill(a, w, equal, equal);
        fill(b, w, equal, w->nonnegative ? equal : -equal);
        *label = other;
        break;
    case NO_SQUARES:
        axis(a, w, 0, sqrt(0.5));
        axis(b, w, 0, sqrt(0.5));
        a[1] = a[0];
        b[1] = -a[0];
        break;
    default: /* DUPLICATES, of which there is one more */
        memcpy(b, a - (WORLD_ROWS - 1) * w->width, w->width * sizeof *b);
        break;
    }
}

void make_moment_pair(neighbour_pair *pair, const moment_world *m, size_t which)
{
    const world *w = &m->w;
    const size_t last = (WORLD_ROWS - 1) * w->width;
    records *both[2] = {&pair->first, &pair->second};
    for (size_t i = 0; i < 2; i++) {
        both[i]->labels = calloc(WORLD_ROWS, sizeof *both[i]->labels);
        both[i]->features = calloc(WORLD_ROWS * w->width, sizeof *both[i]->features);
        both[i]->rows = WORLD_ROWS;
    }
    for (size_t r = 0; r < WORLD_ROWS; r++) {
        pair->first.labels[r] = (uint32_t)(r % w->classes);
        random_row(pair->first.features + r * w->width, w);
    }
    memcpy(pair->second.labels, pair->first.labels, WORLD_ROWS * sizeof *pair->first.labels);
    memcpy(pair->second.features, pair->first.features, WORLD_ROWS * w->width * sizeof *pair->first.features);
    pair->name = names[which];
    pair->tight = false;
    fill_pair(pair->first.features + last, pair->second.features + last, &pair->second.labels[WORLD_ROWS - 1],
              w, (enum pair_kind)which);
    if (w->neighbours == SBL_ADD_REMOVE) pair->second.rows = WORLD_ROWS - 1;
}

void free_pair(neighbour_pair *pair)
{
    free(pair->first.labels);
    free(pair->first.features);
    free(pair->second.labels);
    free(pair->second.features);
}
