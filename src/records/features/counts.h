/* [3] Features that count: bins of histograms, and cells that do not fit the schema. */
#ifndef SBL_FEATURES_COUNTS_H
#define SBL_FEATURES_COUNTS_H

#include <stdbool.h>

#include "base/json.h"
#include "public/schema/bins.h"
#include "records/features/feature.h"

/* bins: of a number; singles: most values of a grid with one cell per value. NULL when out of
 * memory. */
json_t *sbl_bins_parameters(size_t bins, size_t singles);

extern const sbl_feature sbl_feature_cells; /* made: sbl_bins */

/* `health`: which cells of a record did not fit the schema, or whether the file of an image was one
 * (docs/mechanisms/health.md).
 *
 * A 1 for each column whose cell was not of its type, out of bounds, no declared category or not
 * there; of an image a 1 where its file is no image of the set's shape; under add-remove, where the number of records is private, one more 1 for every record.
 * What such cells become is decided elsewhere (records/formats/csv.h); this counts them, so that a table
 * that does not fit its schema is seen, and paid for as everything else. */

#define SBL_HEALTH "health" /* the feature, and its one block: facts.columns counts, in order */

/* total: the number of records is a count of its own, after those of the columns. NULL when out of
 * memory. */
json_t *sbl_health_parameters(bool total);

#endif
