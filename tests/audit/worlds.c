/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const world audit_worlds[] = {
    {"signed features per class with counts, replace-one", .width = 32, LABELS(2), WITH_COUNTS, GAUSS,
     REPLACE_ONE},
    {"signed features per class with counts, add-remove", .width = 32, LABELS(2), WITH_COUNTS, GAUSS,
     ADD_REMOVE},
    {"signed pairs per class with counts, replace-one", .width = 32, .group = 2, LABELS(3), WITH_COUNTS,
     GAUSS, REPLACE_ONE},
    {"non-negative features per class with counts, replace-one", .width = 16, LABELS(2), WITH_COUNTS,
     NONNEGATIVE, GAUSS, REPLACE_ONE},
    {"signed features over all records, replace-one", .width = 8, .classes = 1, GAUSS, REPLACE_ONE},
    {"pure, signed features per class with counts, replace-one", .width = 8, LABELS(2), WITH_COUNTS,
     PURE_LAPLACE, REPLACE_ONE},
    {"pure, non-negative features with counts, add-remove", .width = 8, LABELS(2), WITH_COUNTS, NONNEGATIVE,
     PURE_LAPLACE, ADD_REMOVE},
};
const size_t audit_world_count = sizeof audit_worlds / sizeof audit_worlds[0];

/* A small generator of test data; nothing here is noise. */
static uint64_t state = 88172645463325252u;
static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

static void random_row(double *row, const world *w)
{
    double norm = 0;
    for (size_t j = 0; j < w->width; j++) {
        row[j] = w->nonnegative ? uniform() : 2 * uniform() - 1;
        norm += w->mechanism == SBL_DISCRETE_LAPLACE ? fabs(row[j]) : row[j] * row[j];
    }
    if (w->mechanism != SBL_DISCRETE_LAPLACE) norm = sqrt(norm);
    for (size_t j = 0; j < w->width; j++) row[j] /= norm;
}

static records copy_records(const records *data, const world *w)
{
    records copy = {malloc(WORLD_ROWS * sizeof *copy.labels),
                    malloc(WORLD_ROWS * w->width * sizeof *copy.features), data->rows};
    memcpy(copy.labels, data->labels, WORLD_ROWS * sizeof *copy.labels);
    memcpy(copy.features, data->features, WORLD_ROWS * w->width * sizeof *copy.features);
    return copy;
}

/* A unit vector along one axis (or, in pairs, the same share of every pair), times sign. */
static void axis_row(double *row, const world *w, size_t axis, double sign)
{
    memset(row, 0, w->width * sizeof *row);
    if (w->group == 0) {
        row[axis % w->width] = sign;
    } else {
        const double each = sign / sqrt((double)(w->width / w->group));
        for (size_t j = axis % w->group; j < w->width; j += w->group) row[j] = each;
    }
}

static void fill_row(double *row, const world *w, double value)
{
    for (size_t j = 0; j < w->width; j++) row[j] = value;
}

void make_pairs(neighbour_pair *pairs, const world *w)
{
    static const char *const names[PAIR_COUNT] = {"random rows",
                                                  "a row of NaN",
                                                  "infinite values",
                                                  "1e308",
                                                  "denormals",
                                                  "label change",
                                                  "bad label",
                                                  "duplicate rows",
                                                  "x' = -x",
                                                  "orthogonal rows",
                                                  "norm 10",
                                                  "norm 10, label change",
                                                  "label change, orthogonal axes"};
    records base = {calloc(WORLD_ROWS, sizeof *base.labels),
                    calloc(WORLD_ROWS * w->width, sizeof *base.features), WORLD_ROWS};
    const bool add_remove = w->neighbours == SBL_ADD_REMOVE;
    const bool pure = w->mechanism == SBL_DISCRETE_LAPLACE;
    /* Where counts are not free, only a pair that changes the label reaches the joint bound. */
    const bool keeps_label_tight = !w->nonnegative && !(pure && w->counts);
    for (size_t r = 0; r < WORLD_ROWS; r++) {
        base.labels[r] = (uint32_t)(r % w->classes);
        random_row(base.features + r * w->width, w);
    }
    for (size_t p = 0; p < PAIR_COUNT; p++) {
        neighbour_pair *pair = &pairs[p];
        pair->name = names[p];
        pair->first = copy_records(&base, w);
        pair->second = copy_records(&base, w);
        pair->tight = false;
        double *a = pair->first.features + (WORLD_ROWS - 1) * w->width;
        double *b = pair->second.features + (WORLD_ROWS - 1) * w->width;
        uint32_t *label = &pair->second.labels[WORLD_ROWS - 1];
        const uint32_t other = (uint32_t)((*label + 1) % w->classes);
        switch (p) {
        case 0:
            random_row(b, w);
            break;
        case 1:
            fill_row(b, w, NAN);
            break;
        case 2:
            fill_row(b, w, INFINITY);
            fill_row(a, w, -INFINITY);
            break;
        case 3:
            fill_row(b, w, 1e308);
            fill_row(a, w, -1e308);
            break;
        case 4:
            fill_row(b, w, 4.9e-324);
            break;
        case 5:
            *label = other;
            break;
        case 6:
            *label = 4000000000u;
            break;
        case 7:
            memcpy(b, pair->first.features, w->width * sizeof *b);
            break;
        case 8:
            axis_row(a, w, 0, 1);
            axis_row(b, w, 0, -1);
            pair->tight = add_remove || keeps_label_tight;
            break;
        case 9:
            axis_row(a, w, 0, 1);
            axis_row(b, w, 1, 1);
            pair->tight = add_remove;
            break;
        case 10:
            axis_row(a, w, 0, 10);
            axis_row(b, w, 0, -10);
            pair->tight = add_remove || keeps_label_tight;
            break;
        case 11:
            axis_row(a, w, 0, 10);
            axis_row(b, w, 0, 10);
            *label = other;
            pair->tight = add_remove;
            break;
        default:
            axis_row(a, w, 0, 1);
            axis_row(b, w, 1, 1);
            *label = other;
            pair->tight = add_remove || w->nonnegative || pure;
            break;
        }
        if (add_remove) pair->second.rows = WORLD_ROWS - 1;
    }
    free(base.labels);
    free(base.features);
}

void free_pairs(neighbour_pair *pairs)
{
    for (size_t p = 0; p < PAIR_COUNT; p++) {
        free(pairs[p].first.labels);
        free(pairs[p].first.features);
        free(pairs[p].second.labels);
        free(pairs[p].second.features);
    }
}
