/* SPDX-License-Identifier: Apache-2.0 */
/* Between typed rows and the encoded records that models work on: matrices of numbers in [0,1] and
 * of codes, laid out by the schema's heads (public/schema/encoding_layout.h).
 *
 * Exact both ways for categories, booleans, missing values, dates, datetimes and integers; a
 * number comes back as the nearest multiple of its declared step. A number with bounds by category is encoded
 * as its place within the bounds of its own row's category, and decoded by the drawn row's. Every input is some record: what
 * is out of range is clamped, a code that does not exist becomes the column's public constant. */
#ifndef SBL_ROWS_CODEC_H
#define SBL_ROWS_CODEC_H

#include "public/rows/row_batch.h"
#include "public/schema/encoding_layout.h"

typedef struct sbl_codec {
    const sbl_schema *schema; /* borrowed */
    sbl_heads heads;
    bool plain; /* numbers are encoded by their column's own bounds, also where it has bounds by category */
} sbl_codec;

sbl_status sbl_codec_init(sbl_codec *codec, const sbl_schema *schema, sbl_error *err);
/* For comparisons of values: without bounds by category. */
sbl_status sbl_codec_init_plain(sbl_codec *codec, const sbl_schema *schema, sbl_error *err);
void sbl_codec_clear(sbl_codec *codec);

/* Out: numeric  batch->rows x heads.numeric_count, by rows; NULL allowed when there are none
 *      codes    batch->rows x heads.categorical_count, by rows
 * A missing number is encoded as its column's constant, so that its place says nothing.
 * Privacy: encoded rows are records. */
void sbl_codec_encode(const sbl_codec *codec, double *numeric, uint32_t *codes, const sbl_batch *batch);

/* The inverse, into a batch of at least rows rows; sets batch->rows.
 * Returns: SBL_OK, SBL_EARG when the batch is too small */
sbl_status sbl_codec_decode(const sbl_codec *codec, sbl_batch *batch, const double *numeric,
                            const uint32_t *codes, size_t rows, sbl_error *err);

/* Between typed batches and rows of doubles, one per column, as constraints see them
 * (public/rules/rules.h): NaN is missing, a category is its code, an ignored column is NaN. */

/* rows: (batch->rows, columns of the batch's schema), by rows. Privacy: as the batch. */
void sbl_rows_of_batch(double *rows, const sbl_batch *batch);
/* The inverse; the batch has as many rows already. */
void sbl_batch_of_rows(sbl_batch *batch, const double *rows);

#endif
