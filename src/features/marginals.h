/* The plan of a release of one-way histograms, per class where there is a classification label: the
 * method `marginals`, independent columns. Public, printable, hashed; made from public facts before
 * any data is opened, and rebuilt from its JSON text when a release is read.
 *
 * Bound: exactly one 1 per column, so a record's squared norm and its sum are both K, all entries
 * nonnegative. Sensitivity of the sum: squared distance at most 2 K under replace-one, label
 * changed or not, and K under add-remove; in the L1 norm 2 K and K. Counts of the classes are not
 * released beside it: every column's histogram adds up to them. */
#ifndef SBL_FEATURES_MARGINALS_H
#define SBL_FEATURES_MARGINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/json.h"
#include "schema/cells.h"

#define SBL_MARGINALS_METHOD "marginals" /* "method" in the plan's text; also the block's name */

typedef struct sbl_marginals_options {
    size_t bins;    /* of a number; default 32 */
    size_t singles; /* most values of a grid with one cell per value; default 128 */
} sbl_marginals_options;

/* What accumulate/ must enforce and the door must weigh. */
typedef struct sbl_marginals_block {
    char name[32];
    size_t width;     /* T */
    bool per_class;   /* one sum per class */
    bool nonnegative; /* always */
    uint64_t bound2;  /* K: most sum of squares of a record */
    uint64_t bound1;  /* K: most sum of a record */
    double scale;     /* 1: the features are integers */
} sbl_marginals_block;

typedef struct sbl_marginals_plan {
    sbl_cells cells;
    sbl_marginals_block block;
    char *json; /* canonical text */
    uint8_t hash[SBL_SHA256_SIZE];
} sbl_marginals_plan;

/* The defaults where bins is 0. Bins that are given hold for every number: no grid of more values
 * than that has one cell per value. */
void sbl_marginals_options_init(sbl_marginals_options *options, size_t bins);

/* options may be NULL for the defaults.   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_marginals_plan_build(sbl_marginals_plan *plan, const sbl_schema *schema,
                                    const sbl_heads *heads, const sbl_marginals_options *options,
                                    sbl_error *err);
/* From the text of a plan. where (a path) is for messages. Another version is refused, and so is a
 * text that does not give back itself: nothing in it may be ignored. */
sbl_status sbl_marginals_plan_parse(sbl_marginals_plan *plan, const char *json, const char *where,
                                    sbl_error *err);
void sbl_marginals_plan_clear(sbl_marginals_plan *plan);

/* Out: features (rows, T), exactly one 1 per column, else 0
 * In:  numeric (rows, numeric_count), codes (rows, categorical_count) as the codec encodes them;
 * any values are some record. NULL is allowed where the count is 0. A row's features depend on that
 * row alone. Privacy: features are records. */
void sbl_marginals_rows(float *features, const sbl_marginals_plan *plan, const double *numeric,
                        const uint32_t *codes, size_t rows);

/* Out: labels (rows), the class of each row; zeros where the plan has one class. */
void sbl_marginals_labels(uint32_t *labels, const sbl_marginals_plan *plan, const uint32_t *codes,
                          size_t rows);

#endif
