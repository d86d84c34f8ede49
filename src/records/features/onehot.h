/* SPDX-License-Identifier: Apache-2.0 */
/* One-hot codes of the categorical columns, side by side.
 *
 * Bound: exactly one 1 per column, so the record's squared norm is K, all entries nonnegative.
 * Sensitivity of the sum: squared distance at most 2 K under replace-one, K under add-remove. */
#ifndef SBL_FEATURES_ONEHOT_H
#define SBL_FEATURES_ONEHOT_H

#include <stddef.h>
#include <stdint.h>

#include "public/schema/encoding_layout.h"
#include "records/features/feature.h"

/* The places of the ones: entries (rows, K), rising in each row, all below T. Column k's code of
 * row r is codes[r * stride + columns[k]], or [... + k] when columns is NULL; a code out of range
 * counts as category 0. */
void sbl_onehot_entries(uint32_t *entries, const sbl_record_shape *shape, const uint32_t *codes,
                        size_t stride, const size_t *columns, size_t rows);

extern const sbl_feature sbl_feature_onehot; /* made: the facts */

#endif
