/* What the method `pairs` knows before any release: public facts about the columns, the number of
 * rows, the budget. Nothing here, and nothing in this folder, has ever seen a record.
 *
 * `pairs` fits a pairwise maximum-entropy model to noisy tables of counts. In each table a record
 * is a single 1, so with noise of standard deviation s_t on table t the whole costs
 *     mu^2 = D^2 sum_t 1 / s_t^2,   D^2 = 1 (add-remove) or 2 (replace-one),
 * and what is bought is a list of precisions 1 / s_t^2. docs/mechanisms/pairs.md has the method. */
#ifndef SBL_PAIRS_SETTING_H
#define SBL_PAIRS_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "schema/cells.h"

#define SBL_PAIRS_NO_COLUMN ((size_t)-1)
#define SBL_PAIRS_MOST_CELLS 65535u /* of a column: codes have 16 bits */

typedef enum sbl_pairs_kind {
    SBL_PAIRS_CATEGORIES, /* no order */
    SBL_PAIRS_RANKS,      /* categories whose neighbours are alike */
    SBL_PAIRS_NUMBER      /* intervals or single values of a number */
} sbl_pairs_kind;

/* One column over its public fine cells. */
typedef struct sbl_pairs_column {
    sbl_pairs_kind kind;
    uint32_t cells;   /* 1 .. SBL_PAIRS_MOST_CELLS */
    uint32_t ordered; /* the first of them, which lie in order; the rest (a missing value) stand
                         apart. 0 for CATEGORIES */
} sbl_pairs_column;

typedef struct sbl_pairs_setting {
    const sbl_pairs_column *columns; /* borrowed */
    size_t count;                    /* K >= 1 */
    size_t label; /* its pairs matter more than others'; SBL_PAIRS_NO_COLUMN: none does */
    double rows;  /* n: public, or a released estimate; at least 1 */
    double mu;    /* of all releases together (Gaussian differential privacy); > 0 */
    double
        sensitivity2; /* D^2 of one table: 1 or 2, times k^2 where up to k rows of a person count */
    bool one_round;   /* all tables in one release */
    uint64_t seed;    /* public randomness of the fit */
} sbl_pairs_setting;

/* Which tables the budget can pay for. */
typedef enum sbl_pairs_course {
    SBL_PAIRS_ONE_WAY, /* one-way tables only: independent columns */
    SBL_PAIRS_LABEL,   /* and pairs with the label */
    SBL_PAIRS_SKETCH, /* one-way, a sketch of all pairs, then precise tables of those that matter */
    SBL_PAIRS_ALL     /* one release: one-way and all pairs over a public grid */
} sbl_pairs_course;

#define SBL_PAIRS_MOST_ROUNDS 3

typedef struct sbl_pairs_shape {
    sbl_pairs_course course;
    size_t rounds;                       /* releases */
    double share[SBL_PAIRS_MOST_ROUNDS]; /* of mu^2, by release; they sum to 1 */
    double pair_share;       /* of mu^2: pair tables of a course without a sketch; else 0 */
    double resolution;       /* groups a column at which a sketch cell holds 1.2 noises */
    double label_resolution; /* the same with the label's pairs alone */
} sbl_pairs_shape;

/* Refuses impossible facts, naming the column by its number.   Returns: SBL_OK, SBL_EARG */
sbl_status sbl_pairs_setting_check(const sbl_pairs_setting *setting, sbl_error *err);

/* The course and its shares follow from public facts alone. */
sbl_pairs_shape sbl_pairs_shape_of(const sbl_pairs_setting *setting);

/* D / mu: the standard deviation of a table that had the whole budget. */
double sbl_pairs_unit_noise(const sbl_pairs_setting *setting);

/* How many equal cells a number that has not few values should be cut into: F = 8 floor(
 * 2.6 (n mu / (D sqrt K))^.63 / 8), from 24 to 128. Integers of up to SBL_PAIRS_SINGLES values get
 * one cell each; a logarithmic column SBL_PAIRS_LINEAR(F) linear cells beside F / 2 logarithmic
 * ones: the arguments of sbl_cells_init_joint(). */
size_t sbl_pairs_bins(double rows, size_t columns, double mu, double sensitivity2);
#define SBL_PAIRS_SINGLES 128
#define SBL_PAIRS_LINEAR(bins) (8 * ((bins) < 16 ? 1 : (bins) / 16))

/* A column's facts from its public cells. */
sbl_pairs_column sbl_pairs_column_of(const sbl_cells_column *cells);

/* Number of the pair of columns first < second among K (K - 1) / 2, by first, then second. */
static inline size_t sbl_pairs_index(size_t first, size_t second, size_t columns)
{
    return first * (2 * columns - first - 1) / 2 + (second - first - 1);
}

#endif
