/* SPDX-License-Identifier: Apache-2.0 */
/* [2] and [8] One pair of functions per kind of head: numbers, codes, indicators of missing values
 * and spikes. Encoding goes 32 rows at a time over all columns, so that the rows being written
 * stay in cache. */
#include "public/rows/codec.h"

#include <math.h>

#include "base/compute/threads.h"
#include "public/schema/spikes.h"
#include "public/schema/unit_range.h"

#define ENCODE_ROWS 32
#define DECODE_ROWS 128  /* that a thread takes at a time */
#define DECODE_MANY 1024 /* fewer are left to one */

sbl_status sbl_codec_init(sbl_codec *codec, const sbl_schema *schema, sbl_error *err)
{
    codec->schema = schema;
    codec->plain = false;
    return sbl_heads_init(&codec->heads, schema, err);
}

sbl_status sbl_codec_init_plain(sbl_codec *codec, const sbl_schema *schema, sbl_error *err)
{
    const sbl_status status = sbl_codec_init(codec, schema, err);
    codec->plain = true;
    return status;
}

void sbl_codec_clear(sbl_codec *codec) { sbl_heads_clear(&codec->heads); }

static void encode_numbers(double *out, size_t stride, const sbl_column *column, const double *values,
                           const uint8_t *missing, size_t rows)
{
    const double range = sbl_column_unit_range(column);
    for (size_t row = 0; row < rows; row++) {
        const bool absent =
            (missing != NULL && missing[row] != 0) ||
            (column->spike_count > 0 && sbl_spikes_sentinel(column, values[row]) != SBL_NO_SPIKE);
        out[row * stride] = sbl_column_to_unit_of(column, range, absent ? column->fallback : values[row]);
    }
}

static void decode_numbers(double *values, const sbl_column *column, const double *in, size_t stride,
                           size_t rows)
{
    for (size_t row = 0; row < rows; row++) values[row] = sbl_column_from_unit(column, in[row * stride]);
}

/* The same with bounds by category: the place within the range of the row's own category. by: (rows) codes. */
static void encode_places(double *out, size_t stride, const sbl_column *column, const double *values,
                          const uint8_t *missing, const uint32_t *by, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        const bool absent =
            (missing != NULL && missing[row] != 0) || sbl_spikes_find(column, values[row]) != SBL_NO_SPIKE;
        out[row * stride] =
            absent ? SBL_PLACE_APART : sbl_column_to_unit(sbl_column_by(column, by[row]), values[row]);
    }
}

static void decode_places(double *values, const sbl_column *column, const double *in, size_t stride,
                          const uint32_t *by, size_t rows)
{
    for (size_t row = 0; row < rows; row++)
        values[row] = sbl_column_from_unit(sbl_column_by(column, by[row]), in[row * stride]);
}

static void encode_codes(uint32_t *out, size_t stride, const sbl_head *head, const sbl_column *column,
                         const uint32_t *codes, size_t rows)
{
    for (size_t row = 0; row < rows; row++)
        out[row * stride] = codes[row] < head->cardinality ? codes[row] : column->fallback_code;
}

static void decode_codes(uint32_t *codes, const sbl_head *head, const sbl_column *column, const uint32_t *in,
                         size_t stride, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        const uint32_t code = in[row * stride];
        codes[row] = code < head->cardinality ? code : column->fallback_code;
    }
}

/* Missing numbers: the indicator is 1, and the number is its column's constant. A spike has its own
 * code beside its own number, or beside the constant where it is outside the bounds. */
static void encode_indicator(uint32_t *out, size_t stride, const sbl_column *column, const double *values,
                             const uint8_t *missing, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        const bool absent = missing != NULL && missing[row] != 0;
        const size_t spike = absent ? SBL_NO_SPIKE : sbl_spikes_find(column, values[row]);
        out[row * stride] = absent ? 1 : spike != SBL_NO_SPIKE ? sbl_spike_code(column, spike) : 0;
    }
}

/* Comes after the number's own head, so that its value can be replaced here. */
static void decode_indicator(sbl_batch_column *values, const sbl_column *column, const uint32_t *in,
                             size_t stride, size_t rows)
{
    const uint32_t first = sbl_spike_code(column, 0);
    for (size_t row = 0; row < rows; row++) {
        const uint32_t code = in[row * stride];
        const bool absent = column->missing_allowed && code == 1;
        if (column->missing_allowed) values->missing[row] = absent;
        if (absent)
            values->values[row] = column->fallback;
        else if (code >= first && code - first < column->spike_count)
            values->values[row] = column->spikes[code - first];
    }
}

/* Is it a number whose bounds depend on a category of its row? */
static bool has_places(const sbl_codec *codec, const sbl_head *head)
{
    return head->kind == SBL_HEAD_NUMERIC && !codec->plain &&
           codec->schema->columns[head->column].by_domains != NULL;
}

/* Some rows of every column, from row `first` on. */
static void encode_rows(const sbl_codec *codec, double *numeric, uint32_t *codes, const sbl_batch *batch,
                        size_t first, size_t rows)
{
    const sbl_heads *heads = &codec->heads;
    for (size_t i = 0; i < heads->count; i++) {
        const sbl_head *head = &heads->items[i];
        const sbl_column *column = &codec->schema->columns[head->column];
        const sbl_batch_column *whole = &batch->columns[head->column];
        const uint8_t *missing = whole->missing != NULL ? whole->missing + first : NULL;
        if (has_places(codec, head))
            encode_places(numeric + head->index, heads->numeric_count, column, whole->values + first, missing,
                          batch->columns[column->by].codes + first, rows);
        else if (head->kind == SBL_HEAD_NUMERIC)
            encode_numbers(numeric + head->index, heads->numeric_count, column, whole->values + first,
                           missing, rows);
        else if (head->indicator)
            encode_indicator(codes + head->index, heads->categorical_count, column, whole->values + first,
                             missing, rows);
        else
            encode_codes(codes + head->index, heads->categorical_count, head, column, whole->codes + first,
                         rows);
    }
}

void sbl_codec_encode(const sbl_codec *codec, double *numeric, uint32_t *codes, const sbl_batch *batch)
{
    const sbl_heads *heads = &codec->heads;
    /* Few rows at a time: the rows that the columns are written into stay in cache. */
    for (size_t first = 0; first < batch->rows; first += ENCODE_ROWS) {
        const size_t left = batch->rows - first;
        encode_rows(codec, heads->numeric_count != 0 ? numeric + first * heads->numeric_count : NULL,
                    heads->categorical_count != 0 ? codes + first * heads->categorical_count : NULL, batch,
                    first, left < ENCODE_ROWS ? left : ENCODE_ROWS);
    }
}

static void decode_head(const sbl_codec *codec, const sbl_batch *batch, const sbl_head *head,
                        const double *numeric, const uint32_t *codes, size_t first, size_t rows)
{
    const sbl_heads *heads = &codec->heads;
    const sbl_column *column = &codec->schema->columns[head->column];
    const sbl_batch_column *whole = &batch->columns[head->column];
    sbl_batch_column values = {.values = whole->values != NULL ? whole->values + first : NULL,
                               .missing = whole->missing != NULL ? whole->missing + first : NULL,
                               .codes = whole->codes != NULL ? whole->codes + first : NULL};
    if (head->kind == SBL_HEAD_NUMERIC)
        numeric += first * heads->numeric_count + head->index;
    else
        codes += first * heads->categorical_count + head->index;
    if (has_places(codec, head))
        decode_places(values.values, column, numeric, heads->numeric_count,
                      batch->columns[column->by].codes + first, rows);
    else if (head->kind == SBL_HEAD_NUMERIC)
        decode_numbers(values.values, column, numeric, heads->numeric_count, rows);
    else if (head->indicator)
        decode_indicator(&values, column, codes, heads->categorical_count, rows);
    else
        decode_codes(values.codes, head, column, codes, heads->categorical_count, rows);
}

/* Some rows of every column, from row `first` on. Categories first: bounds of numbers may depend on them. */
static void decode_rows(const sbl_codec *codec, const sbl_batch *batch, const double *numeric,
                        const uint32_t *codes, size_t first, size_t rows)
{
    const sbl_heads *heads = &codec->heads;
    for (int numbers = 0; numbers < 2; numbers++)
        for (size_t i = 0; i < heads->count; i++) {
            const sbl_head *head = &heads->items[i];
            const bool category = head->kind == SBL_HEAD_CATEGORICAL && !head->indicator;
            if (category != (numbers != 0)) decode_head(codec, batch, head, numeric, codes, first, rows);
        }
}

sbl_status sbl_codec_decode(const sbl_codec *codec, sbl_batch *batch, const double *numeric,
                            const uint32_t *codes, size_t rows, sbl_error *err)
{
    batch->rows = 0;
    if (rows > batch->capacity)
        return sbl_fail(err, SBL_EARG, "%zu rows do not fit in a batch of %zu", rows, batch->capacity);
    SBL_OMP(omp parallel for schedule(static) if (rows >= DECODE_MANY))
    for (size_t first = 0; first < rows; first += DECODE_ROWS)
        decode_rows(codec, batch, numeric, codes, first,
                    rows - first < DECODE_ROWS ? rows - first : DECODE_ROWS);
    batch->rows = rows;
    return SBL_OK;
}

/* Copies between the columns of a batch and rows of doubles, both ways, with NaN for missing. */

void sbl_rows_of_batch(double *rows, const sbl_batch *batch)
{
    const size_t columns = batch->schema->column_count;
    for (size_t c = 0; c < columns; c++) {
        const sbl_batch_column *column = &batch->columns[c];
        const uint32_t missing = sbl_column_missing_code(&batch->schema->columns[c]);
        for (size_t row = 0; row < batch->rows; row++) {
            double value = NAN;
            if (column->codes != NULL && column->codes[row] != missing)
                value = column->codes[row];
            else if (column->values != NULL && (column->missing == NULL || column->missing[row] == 0))
                value = column->values[row];
            rows[row * columns + c] = value;
        }
    }
}

void sbl_batch_of_rows(sbl_batch *batch, const double *rows)
{
    const size_t columns = batch->schema->column_count;
    for (size_t c = 0; c < columns; c++) {
        const sbl_column *facts = &batch->schema->columns[c];
        const sbl_batch_column *column = &batch->columns[c];
        for (size_t row = 0; row < batch->rows; row++) {
            const double value = rows[row * columns + c];
            if (column->codes != NULL)
                column->codes[row] = isnan(value) ? sbl_column_missing_code(facts) : (uint32_t)value;
            if (column->values != NULL) column->values[row] = isnan(value) ? facts->fallback : value;
            if (column->missing != NULL) column->missing[row] = (uint8_t)(isnan(value) ? 1 : 0);
        }
    }
}
