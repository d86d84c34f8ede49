/* SPDX-License-Identifier: Apache-2.0 */
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

/* `health`: which cells of a record did not fit the schema, or whether the file of an image was an image
 * (docs/mechanisms/health.md).
 *
 * A record adds a 1 for each column whose cell had another type, was out of bounds, was not a declared
 * category or was missing from its row. An image adds a 1 if its file is not an image of the set's shape.
 * Under add-remove, where the number of records is private, every record adds one more 1. What such cells
 * become is decided elsewhere (records/formats/csv.h). The count shows a table that does not fit its
 * schema, and is paid for like everything else. */

#define SBL_HEALTH "health" /* the feature, and its one block: facts.columns counts, in order */

/* total: the number of records is a count of its own, after those of the columns. NULL when out of
 * memory. */
json_t *sbl_health_parameters(bool total);

#endif
