/* SPDX-License-Identifier: Apache-2.0 */
/* Merges bins that noise would drown: public bins become codes, codes become groups. Both are
 * post-processing of the one-way release.
 *
 * Codes. For a number, a bin above max(threshold, 1/32) stays alone, and the others merge with their
 * neighbours until they hold max(threshold, rest / (16 - those alone)). Categories below the threshold
 * become one code. The bin of missing values stays alone.
 * Groups, at most g. Ordered codes: runs of about equal mass. Others: the g - 1 heaviest, and the rest. */
#ifndef SBL_COUNTS_BIN_CODES_H
#define SBL_COUNTS_BIN_CODES_H

#include "public/counts/pairs_plan.h"

#define SBL_PAIRS_NUMBER_CODES 16      /* a number's codes, about */
#define SBL_PAIRS_MOST_NUMBER_CODES 48 /* the same where the sketch asks for more */
#define SBL_PAIRS_MOST_CODES 4096u     /* categories beyond this number of the heaviest become one code */

/* map->of (the column's cells) and map->cells, from the cells' shares. threshold: of the mass. */
void sbl_pairs_merge_codes(sbl_pairs_map *map, const sbl_pairs_column *column, const double *shares,
                           double threshold);

/* The same, and for a column with a hierarchy: categories that are light merge with those of the same parent, from the
 * finest level up.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_pairs_merge_column(sbl_pairs_map *map, const sbl_pairs_column *column, const double *shares,
                                  double threshold, sbl_error *err);

/* The same from public facts alone: `most` equal runs of a number, categories one by one. */
void sbl_pairs_public_codes(sbl_pairs_map *map, const sbl_pairs_column *column, uint32_t most);

/* groups->of (the column's cells) over at most `most` >= 2 groups of the codes' cells.
 * mass (codes->cells).   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_pairs_merge_groups(sbl_pairs_map *groups, const sbl_pairs_map *codes,
                                  const sbl_pairs_column *column, const double *mass, uint32_t most,
                                  sbl_error *err);

/* Checks a file: are the shares of each code's bins nonnegative, with sum 1 within float32 precision?
 * sums: (codes) of scratch. */
bool sbl_shares_fit(const uint32_t *code_of, const float *share, size_t cells, uint32_t codes, double *sums);

#endif
