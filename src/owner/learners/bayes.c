/* SPDX-License-Identifier: Apache-2.0 */
/* Naive Bayes: columns independent given the class, numbers Gaussian, categories by their
 * frequencies with one added to every count (Laplace):
 *     log p(c | x) = log n_c - sum_j [(x_j - m_jc)^2 / (2 v_jc) + log(2 pi v_jc) / 2]
 *                            + sum_k log((n_kc(x_k) + 1) / (n_c + cardinality_k)) + constant
 * Every variance gets 1e-9 of the largest variance of any number, as scikit-learn does, so that a
 * constant column divides nothing by zero. A missing number says nothing by itself: its column's
 * indicator does. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/learners/design.h"

#define SMOOTHING 1e-9
#define SMALLEST_VARIANCE 1e-30
#define TWO_PI 6.28318530717958647692

typedef struct bayes {
    size_t classes;
    const sbl_design *design; /* of the training samples: offsets of the codes */
    double *arena;
    size_t arena_size;
    double *class_rows; /* (C) */
    double *known;      /* (N, C): rows where the number is not missing */
    double *mean;       /* (N, C) */
    double *variance;   /* (N, C): sums of squares at first */
    double *code_score; /* (one-hot codes, C): counts at first */
} bayes;

static sbl_status bayes_init(bayes *b, const sbl_design *design, size_t classes, sbl_error *err)
{
    const size_t numbers = design->number_count * classes;
    const size_t codes = (design->width - design->number_count) * classes;
    *b = (bayes){.classes = classes, .design = design};
    b->arena_size = classes + 3 * numbers + codes;
    b->arena = sbl_alloc_array(b->arena_size, sizeof *b->arena);
    if (b->arena == NULL) return sbl_no_memory(err, "naive Bayes");
    b->class_rows = b->arena;
    b->known = b->class_rows + classes;
    b->mean = b->known + numbers;
    b->variance = b->mean + numbers;
    b->code_score = b->variance + numbers;
    return SBL_OK;
}

static double *code_place(const bayes *b, const sbl_samples *samples, size_t row, size_t category)
{
    const uint32_t code = samples->codes[row * samples->category_count + category];
    return b->code_score + (b->design->offset[category] - b->design->number_count + code) * b->classes;
}

static void count_row(bayes *b, const sbl_samples *train, size_t row)
{
    const size_t c = train->labels[row];
    b->class_rows[c] += 1;
    for (size_t j = 0; j < train->number_count; j++) {
        const float value = train->numbers[row * train->number_count + j];
        const size_t place = j * b->classes + c;
        if (isnan(value)) continue;
        const double difference = (double)value - b->mean[place];
        b->known[place] += 1;
        b->mean[place] += difference / b->known[place];
        b->variance[place] += difference * ((double)value - b->mean[place]);
    }
    for (size_t k = 0; k < train->category_count; k++) code_place(b, train, row, k)[c] += 1;
}

static void finish_numbers(bayes *b)
{
    const sbl_design *design = b->design;
    double largest = 0;
    for (size_t j = 0; j < design->number_count; j++)
        if (design->scale[j] > 0) largest = fmax(largest, pow(design->scale[j], -2));
    const double floor_variance = fmax(SMOOTHING * largest, SMALLEST_VARIANCE);
    for (size_t i = 0; i < design->number_count * b->classes; i++)
        b->variance[i] = (b->known[i] > 0 ? b->variance[i] / b->known[i] : 1) + floor_variance;
}

static void finish_codes(bayes *b, const uint32_t *cardinality)
{
    double *score = b->code_score;
    for (size_t k = 0; k < b->design->category_count; k++)
        for (uint32_t code = 0; code < cardinality[k]; code++, score += b->classes)
            for (size_t c = 0; c < b->classes; c++)
                score[c] = log((score[c] + 1) / (b->class_rows[c] + (double)cardinality[k]));
}

/* Log posteriors up to a constant. */
static void score_row(double *scores, const bayes *b, const sbl_samples *test, size_t row)
{
    for (size_t c = 0; c < b->classes; c++)
        scores[c] = b->class_rows[c] > 0 ? log(b->class_rows[c]) : SBL_SCORE_OF_UNSEEN;
    for (size_t j = 0; j < test->number_count; j++) {
        const float value = test->numbers[row * test->number_count + j];
        for (size_t c = 0; c < b->classes && !isnan(value); c++) {
            const size_t place = j * b->classes + c;
            const double difference = (double)value - b->mean[place];
            if (b->known[place] == 0) continue;
            scores[c] -=
                difference * difference / (2 * b->variance[place]) + log(TWO_PI * b->variance[place]) / 2;
        }
    }
    for (size_t k = 0; k < test->category_count; k++) {
        const double *code_score = code_place(b, test, row, k);
        for (size_t c = 0; c < b->classes; c++) scores[c] += code_score[c];
    }
}

/* The log odds of two classes rank rows as probabilities do, and never round to 0 or 1; more
 * classes are ranked by their posterior's logarithm. */
static void normalise(double *scores, size_t classes)
{
    double largest = scores[0], sum = 0;
    for (size_t c = 1; c < classes; c++) largest = fmax(largest, scores[c]);
    for (size_t c = 0; c < classes; c++) sum += exp(scores[c] - largest);
    for (size_t c = 0; c < classes; c++) scores[c] -= largest + log(sum);
    if (classes != 2) return;
    const double odds = scores[1] - scores[0];
    scores[0] = -odds;
    scores[1] = odds;
}

sbl_status sbl_learn_bayes(double *scores, const sbl_samples *train, const sbl_samples *test,
                           const sbl_learner_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t classes = train->class_count;
    sbl_design design = {0};
    bayes b = {0};
    (void)options;
    SBL_TRY(sbl_design_init(&design, train, err));
    SBL_TRY(bayes_init(&b, &design, classes, err));
    for (size_t i = 0; i < train->rows; i++) count_row(&b, train, i);
    finish_numbers(&b);
    finish_codes(&b, train->cardinality);
    for (size_t i = 0; i < test->rows; i++) {
        score_row(scores + i * classes, &b, test, i);
        normalise(scores + i * classes, classes);
    }
done:
    sbl_free_wiped(b.arena, b.arena_size * sizeof *b.arena);
    sbl_design_clear(&design);
    return status;
}
