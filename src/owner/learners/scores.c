/* SPDX-License-Identifier: Apache-2.0 */
/* All ranking scores come from one sort by falling score, with ties as one threshold; label scores
 * from three counts per class. */
#include "owner/learners/scores.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

typedef struct ranked {
    double score;
    bool positive;
} ranked;

/* Highest score first. */
static int by_score(const void *left, const void *right)
{
    const double a = ((const ranked *)left)->score, b = ((const ranked *)right)->score;
    return (a < b) - (a > b);
}

/* Rows by falling score; *positives counts those of the class. NULL when out of memory. */
static ranked *rank_rows(size_t *positives, const sbl_predictions *predictions, uint32_t positive,
                         sbl_error *err)
{
    const size_t rows = predictions->rows;
    ranked *list = sbl_alloc_array(rows, sizeof *list);
    *positives = 0;
    if (list == NULL) {
        (void)sbl_no_memory(err, "the ranking of rows");
        return NULL;
    }
    for (size_t i = 0; i < rows; i++) {
        list[i].score = predictions->scores[i * predictions->classes + positive];
        list[i].positive = predictions->labels[i] == positive;
        *positives += list[i].positive ? 1 : 0;
    }
    qsort(list, rows, sizeof *list, by_score);
    return list;
}

/* One threshold: rows from *next on that share a score; adds them to the counts above it. */
static void take_ties(size_t *next, size_t *true_count, size_t *false_count, const ranked *list, size_t rows)
{
    const double score = list[*next].score;
    for (; *next < rows && list[*next].score == score; ++*next)
        ++*(list[*next].positive ? true_count : false_count);
}

sbl_status sbl_score_ranking(double *auc, double *average_precision, const sbl_predictions *predictions,
                             uint32_t positive, sbl_error *err)
{
    const size_t rows = predictions->rows;
    size_t positives, above = 0, wrong = 0;
    double wins = 0, precision_sum = 0; /* wins counts pairs, exact below 2^53 */
    *auc = *average_precision = NAN;
    ranked *list = rank_rows(&positives, predictions, positive, err);
    if (list == NULL) return SBL_EMEM;
    const size_t negatives = rows - positives;
    for (size_t next = 0; next < rows;) {
        const size_t before = above, wrong_before = wrong;
        take_ties(&next, &above, &wrong, list, rows);
        const double gained = (double)(above - before);
        wins += gained * ((double)(negatives - wrong) + (double)(wrong - wrong_before) / 2);
        precision_sum += gained * ((double)above / (double)(above + wrong));
    }
    if (positives != 0 && negatives != 0) {
        *auc = wins / ((double)positives * (double)negatives);
        *average_precision = precision_sum / (double)positives;
    }
    sbl_free(list);
    return SBL_OK;
}

sbl_status sbl_score_roc(double *points, size_t *count, size_t limit, const sbl_predictions *predictions,
                         uint32_t positive, sbl_error *err)
{
    const size_t rows = predictions->rows;
    size_t positives, above = 0, wrong = 0;
    /* The curve is 2 long in the sum of both rates; the ends take two of the points. */
    const double step = limit > 2 ? 2.0 / (double)(limit - 1) : 2.0;
    double last = 0;
    *count = 0;
    ranked *list = rank_rows(&positives, predictions, positive, err);
    if (list == NULL) return SBL_EMEM;
    const size_t negatives = rows - positives;
    if (positives != 0 && negatives != 0) {
        points[0] = points[1] = 0;
        *count = 1;
        for (size_t next = 0; next < rows;) {
            take_ties(&next, &above, &wrong, list, rows);
            const double x = (double)wrong / (double)negatives;
            const double y = (double)above / (double)positives;
            if (next < rows && (x + y - last < step || *count + 1 >= limit)) continue;
            points[2 * *count] = x;
            points[2 * *count + 1] = y;
            ++*count;
            last = x + y;
        }
    }
    sbl_free(list);
    return SBL_OK;
}

static size_t predicted_class(const sbl_predictions *predictions, size_t row)
{
    const double *scores = predictions->scores + row * predictions->classes;
    size_t best = 0;
    for (size_t c = 1; c < predictions->classes; c++)
        if (scores[c] > scores[best]) best = c;
    return best;
}

/* counts (classes, 3): in the labels, predicted, both. */
static void score_counts(sbl_class_scores *out, const size_t *counts, size_t rows, size_t classes)
{
    double recalls = 0, f1s = 0;
    size_t hits = 0, in_labels = 0, anywhere = 0;
    for (size_t c = 0; c < classes; c++) {
        const size_t actual = counts[3 * c], predicted = counts[3 * c + 1], hit = counts[3 * c + 2];
        hits += hit;
        if (actual + predicted == 0) continue;
        anywhere++;
        f1s += 2 * (double)hit / (double)(actual + predicted);
        if (actual == 0) continue;
        in_labels++;
        recalls += (double)hit / (double)actual;
    }
    if (rows == 0) return;
    out->accuracy = (double)hits / (double)rows;
    out->balanced_accuracy = recalls / (double)in_labels;
    out->macro_f1 = f1s / (double)anywhere;
}

static void score_labels(sbl_class_scores *out, size_t *counts, const sbl_predictions *predictions)
{
    for (size_t i = 0; i < predictions->rows; i++) {
        const size_t truth = predictions->labels[i], guess = predicted_class(predictions, i);
        counts[3 * truth]++;
        counts[3 * guess + 1]++;
        if (truth == guess) counts[3 * truth + 2]++;
    }
    score_counts(out, counts, predictions->rows, predictions->classes);
}

static sbl_status score_rankings(sbl_class_scores *out, const sbl_predictions *predictions, sbl_error *err)
{
    double auc_sum = 0, precision_sum = 0;
    size_t found = 0;
    /* Of two classes the second is the positive one; the other would give the same AUC. */
    for (uint32_t c = predictions->classes == 2 ? 1 : 0; c < predictions->classes; c++) {
        double auc, average_precision;
        const sbl_status status = sbl_score_ranking(&auc, &average_precision, predictions, c, err);
        if (status != SBL_OK) return status;
        if (isnan(auc)) continue;
        auc_sum += auc;
        precision_sum += average_precision;
        found++;
    }
    if (found == 0) return SBL_OK;
    out->auc = auc_sum / (double)found;
    out->average_precision = precision_sum / (double)found;
    return SBL_OK;
}

sbl_status sbl_score_classes(sbl_class_scores *out, const sbl_predictions *predictions, sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t *counts = sbl_alloc_array(3 * predictions->classes, sizeof *counts);
    *out = (sbl_class_scores){NAN, NAN, NAN, NAN, NAN};
    if (counts == NULL) return sbl_no_memory(err, "classes");
    score_labels(out, counts, predictions);
    SBL_TRY(score_rankings(out, predictions, err));
done:
    sbl_free(counts);
    return status;
}

void sbl_score_regression(sbl_regression_scores *out, const double *predicted, const double *targets,
                          size_t rows)
{
    double mean = 0, errors = 0, spread = 0;
    *out = (sbl_regression_scores){NAN, NAN};
    if (rows == 0) return;
    for (size_t i = 0; i < rows; i++) mean += (targets[i] - mean) / (double)(i + 1);
    for (size_t i = 0; i < rows; i++) {
        errors += (targets[i] - predicted[i]) * (targets[i] - predicted[i]);
        spread += (targets[i] - mean) * (targets[i] - mean);
    }
    out->rmse = sqrt(errors / (double)rows);
    if (spread > 0) out->r2 = 1 - errors / spread;
}
