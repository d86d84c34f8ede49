/* Fewer cells, where the noise would drown them: public cells become codes, codes become groups.
 * Both are post-processing of the one-way release.
 *
 * Codes. Of a number, a cell above max(threshold, 1/32) stands alone and the rest merge with their
 * neighbours until they hold max(threshold, rest / (16 - those alone)); of categories, those below
 * the threshold become one. A cell that stands apart (a missing value) stays alone.
 * Groups, at most g. In order: runs of about equal mass. Else the g - 1 heaviest, and the rest. */
#ifndef SBL_COUNTS_BIN_CODES_H
#define SBL_COUNTS_BIN_CODES_H

#include "public/counts/pairs_plan.h"

#define SBL_PAIRS_NUMBER_CODES 16      /* a number's codes, about */
#define SBL_PAIRS_MOST_NUMBER_CODES 48 /* the same where the sketch asks for more */
#define SBL_PAIRS_MOST_CODES 4096u     /* categories beyond the heaviest so many become one code */

/* map->of (the column's cells) and map->cells, from the cells' shares. threshold: of the mass. */
void sbl_pairs_merge_codes(sbl_pairs_map *map, const sbl_pairs_column *column, const double *shares,
                           double threshold);

/* The same from public facts alone: `most` equal runs of a number, categories one by one. */
void sbl_pairs_public_codes(sbl_pairs_map *map, const sbl_pairs_column *column, uint32_t most);

/* groups->of (the column's cells) over at most `most` >= 2 groups of the codes' cells.
 * mass (codes->cells).   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_pairs_merge_groups(sbl_pairs_map *groups, const sbl_pairs_map *codes,
                                  const sbl_pairs_column *column, const double *mass, uint32_t most,
                                  sbl_error *err);

/* Are the shares of each code's cells nonnegative numbers of sum 1, as far as float32 says it? Of what a file holds.
 * sums: (codes), for the function's use. */
bool sbl_shares_fit(const uint32_t *code_of, const float *share, size_t cells, uint32_t codes, double *sums);

#endif
