/* SPDX-License-Identifier: Apache-2.0 */
/* Is there any missing value? What a release can say of it.
 *
 * A column that may be empty has a code of its own for missing values, and noise makes its count positive
 * half of the time where no cell is empty. A model that took such a count for a share would leave cells empty
 * that never were. So the share is 0 unless the count is clear of its noise: of K columns that may be empty
 * and hold no missing value, the chance that noise alone lifts any of them above the bound is at most 1 in
 * 1,000. A true share below the bound is lost with it (docs/mechanisms/pairs.md, "Missing values"). The rule
 * knows a noisy count and its noise only: post-processing. */
#ifndef SBL_SCHEMA_MISSING_H
#define SBL_SCHEMA_MISSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "public/schema/encoding_layout.h"

#define SBL_NO_CODE UINT32_MAX

/* Can a noisy count of missing values not be told from 0? deviation: standard deviation of its noise, which
 * is Gaussian, or Laplace noise with its longer tail. columns: how many are tested, at least 1. */
bool sbl_missing_is_noise(double count, double deviation, bool laplace, size_t columns);

/* The code of a missing value in a categorical head; SBL_NO_CODE: it has none. */
uint32_t sbl_head_missing(const sbl_head *head, const sbl_schema *schema);
/* How many columns of the schema are fitted and may be empty. */
size_t sbl_missing_columns(const sbl_schema *schema);

#endif
