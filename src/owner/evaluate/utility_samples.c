/* SPDX-License-Identifier: Apache-2.0 */
/* From encoded frames to features and targets: numbers back on their linear scale, missing ones as
 * NaN, and a subsample by selection sampling. NOT PRIVATE. */
#include "owner/evaluate/utility.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"

#define SUBSAMPLE_STREAM 1

/* Where the features and the target of a frame are. */
typedef struct sources {
    const sbl_heads *heads;
    const sbl_column *columns; /* of the schema */
    const sbl_column *target;
    const sbl_head *target_head;
    size_t target_missing;   /* column of the codes that says the target is missing, or none */
    uint32_t target_classes; /* declared categories: the code past them is a missing label */
} sources;

/* Column of the codes with the indicator of the number at heads[i], or SBL_NO_HEAD. */
static size_t indicator_of(const sbl_heads *heads, size_t i)
{
    return i + 1 < heads->count && heads->items[i + 1].indicator ? heads->items[i + 1].index : SBL_NO_HEAD;
}

static sources sources_of(const sbl_codec *codec)
{
    const sbl_heads *heads = &codec->heads;
    const sbl_head *head = &heads->items[heads->label];
    const sbl_column *column = &codec->schema->columns[head->column];
    return (sources){
        .heads = heads,
        .columns = codec->schema->columns,
        .target = column,
        .target_head = head,
        .target_missing = head->kind == SBL_HEAD_NUMERIC ? indicator_of(heads, heads->label) : SBL_NO_HEAD,
        .target_classes = head->kind == SBL_HEAD_CATEGORICAL ? (uint32_t)column->categories.count : 0};
}

static bool has_label(const sources *from, const sbl_frame *frame, size_t row)
{
    const uint32_t *codes = frame->codes + row * from->heads->categorical_count;
    if (from->target_classes != 0) return codes[from->target_head->index] < from->target_classes;
    return from->target_missing == SBL_NO_HEAD || codes[from->target_missing] == 0;
}

static bool is_feature(const sources *from, size_t i)
{
    return from->heads->items[i].column != from->target_head->column;
}

static void count_features(sbl_samples *samples, uint32_t *cardinality, const sources *from)
{
    for (size_t i = 0; i < from->heads->count; i++) {
        const sbl_head *head = &from->heads->items[i];
        if (!is_feature(from, i)) continue;
        if (head->kind == SBL_HEAD_NUMERIC)
            samples->number_count++;
        else
            cardinality[samples->category_count++] = head->cardinality;
    }
}

/* A number as a model sees it: in [0,1], linear in its own units whatever the schema's transform.
 */
static float feature_of(const sbl_column *column, double unit)
{
    if (!column->log_transform || column->minimum == column->maximum) return (float)unit;
    return (float)((sbl_column_from_unit(column, unit) - column->minimum) /
                   (column->maximum - column->minimum));
}

static void copy_row(sbl_samples *samples, const sources *from, const sbl_frame *frame, size_t row)
{
    const size_t to = samples->rows++;
    const double *numeric = frame->numeric + row * from->heads->numeric_count;
    const uint32_t *codes = frame->codes + row * from->heads->categorical_count;
    float *numbers = samples->numbers + to * samples->number_count;
    uint32_t *categories = samples->codes + to * samples->category_count;
    for (size_t i = 0; i < from->heads->count; i++) {
        const sbl_head *head = &from->heads->items[i];
        if (!is_feature(from, i)) continue;
        if (head->kind == SBL_HEAD_CATEGORICAL) {
            *categories++ = codes[head->index];
            continue;
        }
        const size_t indicator = indicator_of(from->heads, i);
        const bool missing = indicator != SBL_NO_HEAD && codes[indicator] != 0;
        *numbers++ = missing ? NAN : feature_of(&from->columns[head->column], numeric[head->index]);
    }
    if (samples->class_count != 0)
        samples->labels[to] = codes[from->target_head->index];
    else
        samples->targets[to] = sbl_column_from_unit(from->target, numeric[from->target_head->index]);
}

/* Selection sampling (Knuth, volume 2, algorithm 3.4.2S): each of the rows that are left is taken
 * with probability wanted / left. */
static void copy_rows(sbl_frame_samples *out, const sources *from, const sbl_frame *frame, size_t wanted,
                      uint64_t seed)
{
    size_t left = out->labelled;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, SUBSAMPLE_STREAM);
    for (size_t row = 0; row < frame->rows && wanted > 0; row++) {
        if (!has_label(from, frame, row)) continue;
        if (sbl_model_rng_below(&rng, left--) >= wanted) continue;
        wanted--;
        copy_row(&out->samples, from, frame, row);
    }
}

static sbl_status make_room(sbl_samples *samples, size_t rows, sbl_error *err)
{
    samples->numbers = sbl_alloc_array(rows, samples->number_count * sizeof *samples->numbers);
    samples->codes = sbl_alloc_array(rows, samples->category_count * sizeof *samples->codes);
    if (samples->class_count != 0)
        samples->labels = sbl_alloc_array(rows, sizeof *samples->labels);
    else
        samples->targets = sbl_alloc_array(rows, sizeof *samples->targets);
    if (samples->numbers != NULL && samples->codes != NULL &&
        (samples->labels != NULL || samples->targets != NULL))
        return SBL_OK;
    return sbl_no_memory(err, "samples");
}

sbl_status sbl_frame_samples_init(sbl_frame_samples *out, const sbl_frame *frame, size_t limit, uint64_t seed,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    const sources from = sources_of(frame->codec);
    *out = (sbl_frame_samples){0};
    out->cardinality = sbl_alloc_array(from.heads->categorical_count, sizeof *out->cardinality);
    if (out->cardinality == NULL) return sbl_no_memory(err, "samples");
    out->samples.cardinality = out->cardinality;
    out->samples.class_count = from.target_classes;
    count_features(&out->samples, out->cardinality, &from);
    for (size_t i = 0; i < frame->rows; i++) out->labelled += has_label(&from, frame, i) ? 1 : 0;
    const size_t wanted = limit != 0 && limit < out->labelled ? limit : out->labelled;
    SBL_TRY(make_room(&out->samples, wanted, err));
    copy_rows(out, &from, frame, wanted, seed);
done:
    if (status != SBL_OK) sbl_frame_samples_clear(out);
    return status;
}

void sbl_frame_samples_clear(sbl_frame_samples *out)
{
    sbl_samples *samples = &out->samples;
    const size_t rows = samples->rows;
    sbl_free_wiped(samples->numbers, rows * samples->number_count * sizeof *samples->numbers);
    sbl_free_wiped(samples->codes, rows * samples->category_count * sizeof *samples->codes);
    sbl_free_wiped(samples->labels, rows * sizeof *samples->labels);
    sbl_free_wiped(samples->targets, rows * sizeof *samples->targets);
    sbl_free(out->cardinality);
    memset(out, 0, sizeof *out);
}
