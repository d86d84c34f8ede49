/* SPDX-License-Identifier: Apache-2.0 */
/* Solves the normal equations by Cholesky. The bootstrap draws noise on the moments and, for the population, the
 * sampling error of X'y given X, and solves again. Its randomness is public: a fixed seed. */
#include "after/answers/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"

#define DRAWS 2000
#define LEAST_PIVOT 3.0 /* deviations of noise by which a term must differ from the others */
#define MOST_LOST 0.02  /* of the draws: more that cannot be solved, and nothing can be told */

typedef struct solver {
    size_t p;                 /* terms, the constant included */
    double *factor;           /* (p, p) lower triangle */
    double *right, *solution; /* (p) */
    double *matrix;           /* (p, p) of a draw */
    double *normals;          /* one for each number of `same` */
    double *drawn[2];         /* (p, DRAWS): of the table, of the population */
    double *root;             /* (p, p): the factor of the estimated moments */
    sbl_pool pool;
} solver;

static sbl_status solver_new(solver *s, size_t width, size_t draws, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *s = (solver){.p = width - 1};
    SBL_POOL(&s->pool, s->factor, s->p, s->p, "a regression");
    SBL_POOL(&s->pool, s->root, s->p, s->p, "a regression");
    SBL_POOL(&s->pool, s->matrix, s->p, s->p, "a regression");
    SBL_POOL(&s->pool, s->right, s->p, 1, "a regression");
    SBL_POOL(&s->pool, s->solution, s->p, 1, "a regression");
    SBL_POOL(&s->pool, s->normals, draws, 1, "a regression");
    for (size_t i = 0; i < 2; i++) SBL_POOL(&s->pool, s->drawn[i], s->p, DRAWS, "a regression");
done:
    return status;
}

/* The lower factor of the matrix; false: a pivot is below `least` times its noise, so it cannot be told from 0. */
static bool factorise(double *factor, const double *matrix, const sbl_regression_moments *m, double least)
{
    const size_t p = m->width - 1;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++) {
            double value = matrix[i * p + j];
            for (size_t k = 0; k < j; k++) value -= factor[i * p + k] * factor[j * p + k];
            if (i != j) {
                factor[i * p + j] = value / factor[j * p + j];
                continue;
            }
            if (!(value > least * m->noise[i * m->width + i]) || !(value > 0.0)) return false;
            factor[i * p + i] = sqrt(value);
        }
    return true;
}

static void solve(double *solution, const double *factor, const double *right, size_t p)
{
    for (size_t i = 0; i < p; i++) {
        double value = right[i];
        for (size_t k = 0; k < i; k++) value -= factor[i * p + k] * solution[k];
        solution[i] = value / factor[i * p + i];
    }
    for (size_t i = p; i-- > 0;) {
        double value = solution[i];
        for (size_t k = i + 1; k < p; k++) value -= factor[k * p + i] * solution[k];
        solution[i] = value / factor[i * p + i];
    }
}

/* The sum of squared residuals, at least 0, over the records less the coefficients. */
static double residual_variance(const sbl_regression_moments *m, const double *coefficients)
{
    const size_t w = m->width, p = w - 1;
    double left = m->matrix[p * w + p];
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) left += coefficients[i] * coefficients[j] * m->matrix[i * w + j];
    for (size_t i = 0; i < p; i++) left -= 2.0 * coefficients[i] * m->matrix[i * w + p];
    return fmax(left, 0.0) / fmax(m->matrix[0] - (double)p, 1.0);
}

/* The constant for terms in the units of people, from coefficients of terms in [-1, 1]. */
static double intercept_of(const sbl_regression_moments *m, const double *coefficients)
{
    double value = 0.0;
    for (size_t i = 0; i + 1 < m->width; i++) value += m->intercept[i] * coefficients[i];
    return value;
}

/* One draw: the estimates with new noise and, where deviation is above 0, new sampling error.
 * Returns whether it could be solved. */
static bool draw(solver *s, const sbl_regression_moments *m, const double *coefficients, double deviation,
                 sbl_model_rng *rng)
{
    const size_t w = m->width, p = s->p;
    for (size_t i = 0; i < m->draws; i++) s->normals[i] = sbl_model_rng_normal(rng);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            s->matrix[i * p + j] =
                m->matrix[i * w + j] + m->noise[i * w + j] * s->normals[m->same[i * w + j]];
    if (!factorise(s->factor, s->matrix, m, 0.0)) return false;
    for (size_t i = 0; i < p; i++) {
        double value = m->noise[i * w + p] * s->normals[m->same[i * w + p]];
        for (size_t j = 0; j < p; j++) value += m->matrix[i * w + j] * coefficients[j];
        s->right[i] = value;
    }
    for (size_t k = 0; deviation > 0.0 && k < p; k++) {
        const double normal = deviation * sbl_model_rng_normal(rng);
        for (size_t i = k; i < p; i++) s->right[i] += s->root[i * p + k] * normal;
    }
    solve(s->solution, s->factor, s->right, p);
    return true;
}

/* Fills drawn[which]; false: too many draws have no solution. */
static bool draw_all(solver *s, size_t which, const sbl_regression_moments *m, const double *coefficients,
                     double deviation)
{
    sbl_model_rng rng;
    size_t lost = 0;
    sbl_model_rng_init(&rng, 0, SBL_RNG_OTHER, which);
    for (size_t d = 0; d < DRAWS;) {
        if (!draw(s, m, coefficients, deviation, &rng)) {
            if ((double)++lost > MOST_LOST * DRAWS) return false;
            continue;
        }
        s->solution[0] = intercept_of(m, s->solution);
        for (size_t i = 0; i < s->p; i++) s->drawn[which][i * DRAWS + d] = s->solution[i];
        d++;
    }
    return true;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The basic bootstrap interval: errors of the draws around the estimate are those of the estimate. */
static sbl_interval interval_of(double *draws, double estimate)
{
    const size_t tail = (size_t)((1.0 - SBL_ANSWER_LEVEL) / 2.0 * DRAWS);
    qsort(draws, DRAWS, sizeof *draws, rising);
    return (sbl_interval){2.0 * estimate - draws[DRAWS - 1 - tail], 2.0 * estimate - draws[tail]};
}

static double deviation_of(const double *draws)
{
    double mean = 0.0, squares = 0.0;
    for (size_t d = 0; d < DRAWS; d++) mean += draws[d] / DRAWS;
    for (size_t d = 0; d < DRAWS; d++) squares += (draws[d] - mean) * (draws[d] - mean);
    return sqrt(squares / (DRAWS - 1));
}

static void fill(sbl_answer *answers, solver *s, const sbl_regression_moments *m, double *coefficients)
{
    const size_t w = m->width, p = s->p;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) s->matrix[i * p + j] = m->matrix[i * w + j];
    if (!factorise(s->root, s->matrix, m, LEAST_PIVOT)) return;
    for (size_t i = 0; i < p; i++) s->right[i] = m->matrix[i * w + p];
    solve(coefficients, s->root, s->right, p);
    const double deviation = sqrt(residual_variance(m, coefficients));
    if (!draw_all(s, 0, m, coefficients, 0.0) || !draw_all(s, 1, m, coefficients, deviation)) return;
    coefficients[0] = intercept_of(m, coefficients);
    for (size_t i = 0; i < p; i++) {
        answers[i].estimate = coefficients[i];
        answers[i].noise = deviation_of(s->drawn[0] + i * DRAWS);
        answers[i].table = interval_of(s->drawn[0] + i * DRAWS, coefficients[i]);
        if (m->sampled) answers[i].population = interval_of(s->drawn[1] + i * DRAWS, coefficients[i]);
    }
}

sbl_status sbl_regression_answer(sbl_answer *answers, const sbl_regression_moments *moments, sbl_error *err)
{
    solver s = {0};
    double *coefficients = NULL;
    sbl_status status = SBL_OK;
    const sbl_interval all = {-INFINITY, INFINITY}, none = {NAN, NAN};
    for (size_t i = 0; i + 1 < moments->width; i++)
        answers[i] = (sbl_answer){NAN, INFINITY, all, moments->sampled ? all : none};
    SBL_ALLOC(coefficients, moments->width, "a regression");
    SBL_TRY(solver_new(&s, moments->width, moments->draws, err));
    fill(answers, &s, moments, coefficients);
done:
    sbl_pool_clear(&s.pool);
    sbl_free(coefficients);
    return status;
}
