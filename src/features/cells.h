/* `cells`: one-way histograms over public cells (schema/cells.h), per class where there is a
 * classification label. Tables only.
 *
 * Bound: exactly one 1 per column, so a record's squared norm and its sum are both K, all entries
 * nonnegative. Sensitivity of the sum: squared distance at most 2 K under replace-one, label
 * changed or not, and K under add-remove; in the L1 norm 2 K and K. Every column's histogram adds
 * up to the sizes of the classes: counts beside it are not needed. */
#ifndef SBL_FEATURES_CELLS_H
#define SBL_FEATURES_CELLS_H

#include "features/feature.h"
#include "schema/cells.h"

/* bins: of a number; singles: most values of a grid with one cell per value. NULL when out of
 * memory. */
json_t *sbl_cells_parameters(size_t bins, size_t singles);

extern const sbl_feature sbl_feature_cells; /* made: sbl_cells */

#endif
