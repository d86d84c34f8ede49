/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky's factorisation of a small matrix, and the JSON of plans. */
#include "public/features/kernel_metric.h"

#include <math.h>

#define LEAST_PIVOT 1e-9 /* of the diagonal entry: what is below counts as singular */

sbl_status sbl_metric_factor(sbl_metric *metric, sbl_error *err)
{
    for (size_t i = 0; i < metric->count; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = metric->factor[i][j];
            for (size_t k = 0; k < j; k++) sum -= metric->factor[i][k] * metric->factor[j][k];
            if (i == j && !(sum > LEAST_PIVOT * metric->factor[i][i]))
                return sbl_fail(err, SBL_EARG, "mahalanobis: the matrix is not positive definite");
            metric->factor[i][j] = i == j ? sqrt(sum) : sum / metric->factor[j][j];
        }
    return SBL_OK;
}

void sbl_metric_bounds(double *low, double *range, const sbl_metric *metric, size_t j)
{
    *low = *range = 0.0;
    for (size_t i = j; i < metric->count; i++) {
        *low += fmin(metric->factor[i][j], 0.0);
        *range += fabs(metric->factor[i][j]);
    }
}

json_t *sbl_metric_to_json(const sbl_metric *metric)
{
    json_t *columns = json_array(), *rows = json_array();
    for (size_t i = 0; i < metric->count; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j <= i; j++) row = sbl_json_append(row, json_real(metric->factor[i][j]));
        columns = sbl_json_append(columns, json_integer((json_int_t)metric->columns[i]));
        rows = sbl_json_append(rows, row);
    }
    return json_pack("{s:o, s:o}", "columns", columns, "factor", rows);
}

static bool read_row(double *to, const json_t *row, size_t count)
{
    if (json_array_size(row) != count) return false;
    for (size_t j = 0; j < count; j++) {
        to[j] = json_number_value(json_array_get(row, j));
        if (!(fabs(to[j]) <= 1e6)) return false;
    }
    return to[count - 1] >= 1e-6;
}

sbl_status sbl_metric_from_json(sbl_metric *metric, const json_t *object, size_t numbers, const char *feature,
                                sbl_error *err)
{
    const json_t *columns = json_object_get(object, "columns");
    const json_t *rows = json_object_get(object, "factor");
    *metric = (sbl_metric){.count = json_array_size(columns)};
    bool good = json_object_size(object) == 2 && metric->count >= 1 && metric->count <= SBL_METRIC_MOST &&
                json_array_size(rows) == metric->count;
    for (size_t i = 0; good && i < metric->count; i++) {
        const json_int_t column = json_integer_value(json_array_get(columns, i));
        metric->columns[i] = (size_t)column;
        good = json_is_integer(json_array_get(columns, i)) && column >= 0 && (size_t)column < numbers &&
               (i == 0 || metric->columns[i] > metric->columns[i - 1]) &&
               read_row(metric->factor[i], json_array_get(rows, i), i + 1);
    }
    return good ? SBL_OK
                : sbl_fail(err, SBL_EINPUT, "feature '%s': 'mahalanobis' must hold columns and their factor",
                           feature);
}
