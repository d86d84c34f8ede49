#include "nn/batch_norm.h"

#include <math.h>
#include <string.h>

#include "compute/threads.h"

#define STRIP 32 /* columns that one thread takes at a time */

/* One strip of columns, first .. first + STRIP - 1, of which `columns` exist. */
typedef struct strip {
    size_t first, columns, rows, width;
} strip;

/* Whole strips have a constant length, so that compilers vectorise without a tail. */
#define EACH_COLUMN(part)                                 \
    if (part.columns == STRIP) {                          \
        for (size_t j = 0; j < STRIP; j++) BODY(j)        \
    } else {                                              \
        for (size_t j = 0; j < part.columns; j++) BODY(j) \
    }

SBL_CLONES static void column_moments(float *restrict mean, float *restrict variance,
                                      const float *restrict x, strip part)
{
    float sum[STRIP] = {0}, square[STRIP] = {0};
    for (size_t r = 0; r < part.rows; r++) {
        const float *row = x + r * part.width + part.first;
#define BODY(j) sum[j] += row[j];
        EACH_COLUMN(part)
#undef BODY
    }
    for (size_t j = 0; j < part.columns; j++) mean[j] = sum[j] / (float)part.rows;
    for (size_t r = 0; r < part.rows; r++) {
        const float *row = x + r * part.width + part.first;
#define BODY(j) square[j] += (row[j] - mean[j]) * (row[j] - mean[j]);
        EACH_COLUMN(part)
#undef BODY
    }
    for (size_t j = 0; j < part.columns; j++) variance[j] = square[j] / (float)part.rows;
}

SBL_CLONES static void normalise(float *restrict y, float *restrict x, const float *restrict mean,
                                 const float *restrict inverse, const float *restrict gamma,
                                 const float *restrict beta, strip part)
{
    for (size_t r = 0; r < part.rows; r++) {
        float *row = x + r * part.width + part.first, *out = y + r * part.width + part.first;
#define BODY(j)                                    \
    {                                              \
        float h = (row[j] - mean[j]) * inverse[j]; \
        float value = gamma[j] * h + beta[j];      \
        row[j] = h;                                \
        out[j] = value > 0 ? value : 0;            \
    }
        EACH_COLUMN(part)
#undef BODY
    }
}

static strip strip_at(size_t first, size_t rows, size_t width)
{
    size_t left = width - first;
    return (strip){first, left < STRIP ? left : STRIP, rows, width};
}

void sbl_batch_norm_forward(const sbl_batch_norm *norm, float *y, float *x,
                            float *inverse_deviation, size_t rows, float momentum)
{
    float unbiased = rows > 1 ? (float)rows / (float)(rows - 1) : 1;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t first = 0; first < norm->width; first += STRIP) {
        strip part = strip_at(first, rows, norm->width);
        float mean[STRIP], variance[STRIP];
        column_moments(mean, variance, x, part);
        for (size_t j = 0; j < part.columns; j++) {
            size_t column = first + j;
            inverse_deviation[column] = 1 / sqrtf(variance[j] + SBL_BATCH_NORM_EPSILON);
            norm->running_mean[column] += momentum * (mean[j] - norm->running_mean[column]);
            norm->running_variance[column] +=
                momentum * (unbiased * variance[j] - norm->running_variance[column]);
        }
        normalise(y, x, mean, inverse_deviation + first, norm->gamma + first, norm->beta + first,
                  part);
    }
}

/* dgamma = sum dz h, dbeta = sum dz with dz = dy where y > 0; dy is overwritten by dz. */
SBL_CLONES static void gradient_sums(float *restrict dgamma, float *restrict dbeta,
                                     float *restrict dy, const float *restrict y,
                                     const float *restrict h, strip part)
{
    float gamma_sum[STRIP] = {0}, beta_sum[STRIP] = {0};
    for (size_t r = 0; r < part.rows; r++) {
        size_t at = r * part.width + part.first;
        float *gradient = dy + at;
        const float *out = y + at, *normal = h + at;
#define BODY(j)                                  \
    {                                            \
        float dz = out[j] > 0 ? gradient[j] : 0; \
        gradient[j] = dz;                        \
        beta_sum[j] += dz;                       \
        gamma_sum[j] += dz * normal[j];          \
    }
        EACH_COLUMN(part)
#undef BODY
    }
    memcpy(dgamma, gamma_sum, part.columns * sizeof *dgamma);
    memcpy(dbeta, beta_sum, part.columns * sizeof *dbeta);
}

/* dx = gamma / deviation (dz - mean(dz) - h mean(dz h)). */
SBL_CLONES static void gradient_input(float *restrict dy, const float *restrict h,
                                      const float *restrict front, const float *restrict mean_dz,
                                      const float *restrict mean_dzh, strip part)
{
    for (size_t r = 0; r < part.rows; r++) {
        size_t at = r * part.width + part.first;
        float *gradient = dy + at;
        const float *normal = h + at;
#define BODY(j) gradient[j] = front[j] * (gradient[j] - mean_dz[j] - normal[j] * mean_dzh[j]);
        EACH_COLUMN(part)
#undef BODY
    }
}

void sbl_batch_norm_backward(const sbl_batch_norm *norm, float *dy, float *dgamma, float *dbeta,
                             const float *y, const float *h, const float *inverse_deviation,
                             size_t rows)
{
    SBL_OMP(omp parallel for schedule(static))
    for (size_t first = 0; first < norm->width; first += STRIP) {
        strip part = strip_at(first, rows, norm->width);
        float front[STRIP], mean_dz[STRIP], mean_dzh[STRIP];
        gradient_sums(dgamma + first, dbeta + first, dy, y, h, part);
        for (size_t j = 0; j < part.columns; j++) {
            front[j] = norm->gamma[first + j] * inverse_deviation[first + j];
            mean_dz[j] = dbeta[first + j] / (float)rows;
            mean_dzh[j] = dgamma[first + j] / (float)rows;
        }
        gradient_input(dy, h, front, mean_dz, mean_dzh, part);
    }
}
