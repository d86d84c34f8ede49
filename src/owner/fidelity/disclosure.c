/* SPDX-License-Identifier: Apache-2.0 */
/* Smoke tests of disclosure. They can show that something is wrong; they never prove that nothing
 * is, and differential privacy rests on none of them.
 *
 *   exact copies  synthetic rows that equal a training row in every column, beside the same count
 *                 for the holdout: common records repeat by chance
 *   closest       Gower distance from synthetic rows and from holdout rows to the training table
 *   membership    who is closer to the synthetic table, training rows or holdout rows? 2 AUC - 1 of
 *                 that guess, with the 95 % interval of Hanley and McNeil (1982) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/order.h"
#include "owner/fidelity/distance.h"
#include "owner/fidelity/measures.h"

/* A copy hides in a record that was not compared with, so the table compared with is whole where it
 * can be, and fewer records are asked about when it is large: a public rule of rows and columns. */
#define MOST_QUERIES 2000
#define FEWEST_QUERIES 250
#define PAIRS 1e8 /* of records, for up to NARROW columns; fewer for more */
#define NARROW 32.0

#define SEARCHES 4 /* of nearest records */

/* ---- exact copies ---- */

static uint64_t row_hash(const sbl_frame *frame, size_t row)
{
    const sbl_heads *heads = &frame->codec->heads;
    const double *numbers = frame->numeric + row * heads->numeric_count;
    const uint32_t *codes = frame->codes + row * heads->categorical_count;
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t c = 0; c < heads->numeric_count; c++) {
        const double value = numbers[c] + 0.0; /* one sign of zero */
        uint64_t word;
        memcpy(&word, &value, sizeof word);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    for (size_t c = 0; c < heads->categorical_count; c++) {
        hash = (hash ^ codes[c]) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash;
}

static bool rows_equal(const sbl_frame *a, size_t row_a, const sbl_frame *b, size_t row_b)
{
    const size_t numbers = a->codec->heads.numeric_count;
    const size_t codes = a->codec->heads.categorical_count;
    for (size_t c = 0; c < numbers; c++)
        if (a->numeric[row_a * numbers + c] != b->numeric[row_b * numbers + c]) return false;
    return memcmp(a->codes + row_a * codes, b->codes + row_b * codes, codes * sizeof *a->codes) == 0;
}

/* Rows of a table by their hash; a place holds row + 1, or 0. */
typedef struct row_index {
    const sbl_frame *frame;
    uint32_t *places;
    size_t mask;
} row_index;

static bool index_rows(row_index *index, const sbl_frame *frame)
{
    size_t places = 16;
    while (places < 2 * frame->rows) places *= 2;
    *index = (row_index){.frame = frame, .mask = places - 1};
    index->places = sbl_alloc_array(places, sizeof *index->places);
    if (index->places == NULL) return false;
    for (size_t row = 0; row < frame->rows; row++) {
        size_t place = (size_t)row_hash(frame, row) & index->mask;
        while (index->places[place] != 0 && !rows_equal(frame, index->places[place] - 1, frame, row))
            place = (place + 1) & index->mask;
        if (index->places[place] == 0) index->places[place] = (uint32_t)(row + 1);
    }
    return true;
}

static size_t count_copies(const row_index *index, const sbl_frame *frame)
{
    size_t copies = 0;
    for (size_t row = 0; row < frame->rows; row++) {
        size_t place = (size_t)row_hash(frame, row) & index->mask;
        while (index->places[place] != 0 && !rows_equal(index->frame, index->places[place] - 1, frame, row))
            place = (place + 1) & index->mask;
        copies += index->places[place] != 0;
    }
    return copies;
}

static json_t *copies_json(const sbl_tables *tables)
{
    const sbl_frame *frames = tables->frames;
    row_index index;
    if (!index_rows(&index, &frames[SBL_ROLE_CEILING])) return NULL;
    json_t *result = json_pack("{s:I, s:I, s:I, s:I}", "synthetic",
                               (json_int_t)count_copies(&index, &frames[SBL_ROLE_SYNTHETIC]), "of_synthetic",
                               (json_int_t)frames[SBL_ROLE_SYNTHETIC].rows, "holdout",
                               (json_int_t)count_copies(&index, &frames[SBL_ROLE_REAL]), "of_holdout",
                               (json_int_t)frames[SBL_ROLE_REAL].rows);
    sbl_free_wiped(index.places, (index.mask + 1) * sizeof *index.places);
    return result;
}

/* ---- distances ---- */

typedef enum group { SYNTHETIC, HOLDOUT, TRAIN, GROUP_COUNT } group;

/* Subsamples: some rows to ask about, and more to compare them with. */
typedef struct samples {
    sbl_points queries[GROUP_COUNT];
    sbl_points reference[GROUP_COUNT]; /* of SYNTHETIC and TRAIN */
} samples;

typedef struct limits {
    size_t queries, reference;
} limits;

static limits choose_limits(size_t rows, size_t columns)
{
    const double pairs = PAIRS * fmin(1.0, NARROW / (double)columns);
    const double reference = fmin((double)rows, ceil(pairs / FEWEST_QUERIES));
    const double queries = fmin(MOST_QUERIES, fmax(FEWEST_QUERIES, pairs / reference));
    return (limits){(size_t)queries, (size_t)reference};
}

static sbl_status draw(samples *s, const sbl_tables *tables, const sbl_view *view, sbl_error *err)
{
    static const sbl_table_role roles[] = {SBL_ROLE_SYNTHETIC, SBL_ROLE_REAL, SBL_ROLE_CEILING};
    const size_t synthetic = tables->frames[SBL_ROLE_SYNTHETIC].rows;
    const size_t train = tables->frames[SBL_ROLE_CEILING].rows;
    const limits most = choose_limits(synthetic > train ? synthetic : train, view->count);
    for (size_t g = 0; g < GROUP_COUNT; g++) {
        const sbl_frame *frame = &tables->frames[roles[g]];
        const uint64_t group_stream = (uint64_t)g << 48;
        SBL_CHECK(sbl_points_init(&s->queries[g], view, frame, most.queries, tables->seed,
                                  SBL_STREAM_QUERIES + group_stream, err));
        if (g != HOLDOUT)
            SBL_CHECK(sbl_points_init(&s->reference[g], view, frame, most.reference, tables->seed,
                                      SBL_STREAM_REFERENCE + group_stream, err));
    }
    return SBL_OK;
}

/* Linear interpolation between order statistics, as numpy.percentile does. */
static double quantile(const double *sorted, size_t count, double q)
{
    const double place = q * (double)(count - 1);
    const size_t below = (size_t)place;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

static json_t *quantiles_json(double *distances, const sbl_points *queries, const sbl_points *reference,
                              int threads, sbl_progress_span progress)
{
    sbl_nearest(distances, queries, reference, threads, &progress);
    qsort(distances, queries->count, sizeof *distances, sbl_double_order);
    return json_pack("{s:f, s:f, s:I}", "median", quantile(distances, queries->count, 0.5), "p5",
                     quantile(distances, queries->count, 0.05), "records", (json_int_t)queries->count);
}

static json_t *closest_json(double *distances, const samples *s, int threads,
                            const sbl_progress_span *progress)
{
    /* One after the other, where arguments of a call have no order: progress rises. */
    json_t *synthetic = quantiles_json(distances, &s->queries[SYNTHETIC], &s->reference[TRAIN], threads,
                                       sbl_progress_part(progress, 0, SEARCHES));
    json_t *holdout = quantiles_json(distances, &s->queries[HOLDOUT], &s->reference[TRAIN], threads,
                                     sbl_progress_part(progress, 1, SEARCHES));
    return json_pack("{s:s, s:o, s:o, s:I}", "distance",
                     "Gower, mean over columns, to the nearest of the training records compared with",
                     "synthetic", synthetic, "holdout", holdout, "reference",
                     (json_int_t)s->reference[TRAIN].count);
}

/* ---- membership ---- */

/* P(member closer than non-member), ties half; both sorted. */
static double auc_of(const double *members, size_t count_m, const double *others, size_t count_o)
{
    size_t below = 0;
    size_t up_to = 0;
    double sum = 0.0;
    for (size_t i = 0; i < count_m; i++) { /* non-members that are closer, and as close */
        while (below < count_o && others[below] < members[i]) below++;
        while (up_to < count_o && others[up_to] <= members[i]) up_to++;
        sum += (double)(count_o - up_to) + 0.5 * (double)(up_to - below);
    }
    return sum / ((double)count_m * (double)count_o);
}

/* Standard error of an AUC. */
static double hanley_mcneil(double auc, double positives, double negatives)
{
    const double both_positive = auc / (2.0 - auc);
    const double both_negative = 2.0 * auc * auc / (1.0 + auc);
    const double variance = (auc * (1.0 - auc) + (positives - 1.0) * (both_positive - auc * auc) +
                             (negatives - 1.0) * (both_negative - auc * auc)) /
                            (positives * negatives);
    return sqrt(fmax(0.0, variance));
}

static json_t *membership_json(double *members, double *others, const samples *s, int threads,
                               const sbl_progress_span *progress)
{
    const sbl_progress_span third = sbl_progress_part(progress, 2, SEARCHES);
    const sbl_progress_span fourth = sbl_progress_part(progress, 3, SEARCHES);
    const size_t count_m = s->queries[TRAIN].count;
    const size_t count_o = s->queries[HOLDOUT].count;
    sbl_nearest(members, &s->queries[TRAIN], &s->reference[SYNTHETIC], threads, &third);
    sbl_nearest(others, &s->queries[HOLDOUT], &s->reference[SYNTHETIC], threads, &fourth);
    qsort(members, count_m, sizeof *members, sbl_double_order);
    qsort(others, count_o, sizeof *others, sbl_double_order);
    const double auc = auc_of(members, count_m, others, count_o);
    const double margin = 1.959963984540054 * hanley_mcneil(auc, (double)count_m, (double)count_o);
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:s, s:I, s:I}", "attack",
                     "no shadow models: a record is called a member when a synthetic one is close to it",
                     "advantage", 2.0 * auc - 1.0, "low", fmax(-1.0, 2.0 * (auc - margin) - 1.0), "high",
                     fmin(1.0, 2.0 * (auc + margin) - 1.0), "auc", auc, "interval",
                     "95 %, Hanley and McNeil; advantage is 2 AUC - 1, 0 is a coin toss", "records",
                     (json_int_t)count_m + (json_int_t)count_o, "reference",
                     (json_int_t)s->reference[SYNTHETIC].count);
}

static json_t *to_json(double *capacity[2], const samples *s, const sbl_tables *tables)
{
    const bool persons = tables->frames[SBL_ROLE_CEILING].persons != NULL;
    json_t *closest = closest_json(capacity[0], s, tables->threads, &tables->progress);
    json_t *membership = membership_json(capacity[0], capacity[1], s, tables->threads, &tables->progress);
    return json_pack(
        "{s:s, s:o, s:o, s:o}", "note",
        persons ? "smoke tests, never a proof; row by row, not by person" : "smoke tests, never a proof",
        "exact_copies", copies_json(tables), "distance_to_closest_record", closest, "membership", membership);
}

sbl_status sbl_measure_disclosure(json_t **result, const sbl_tables *tables, const sbl_view *view,
                                  sbl_error *err)
{
    double *capacity[2] = {sbl_alloc_array(MOST_QUERIES, sizeof(double)),
                           sbl_alloc_array(MOST_QUERIES, sizeof(double))};
    samples s = {0};
    sbl_status status = SBL_OK;
    *result = NULL;
    if (capacity[0] == NULL || capacity[1] == NULL) SBL_TRY(sbl_no_memory(err, "disclosure tests"));
    SBL_TRY(draw(&s, tables, view, err));
    *result = to_json(capacity, &s, tables);
    if (*result == NULL) status = sbl_no_memory(err, "disclosure tests");
done:
    for (size_t g = 0; g < GROUP_COUNT; g++) {
        sbl_points_clear(&s.queries[g]);
        sbl_points_clear(&s.reference[g]);
    }
    for (size_t i = 0; i < 2; i++) sbl_free_wiped(capacity[i], MOST_QUERIES * sizeof(double));
    return status;
}
