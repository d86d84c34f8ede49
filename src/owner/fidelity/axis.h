/* SPDX-License-Identifier: Apache-2.0 */
/* The bins of a column as a picture shows them: few enough to be seen, with a label for each.
 *
 * Numbers are cut into equal bins on their declared scale (a log transform counts here, so that a
 * heavy tail can be seen), or have one bin per value if there are few. The rarer categories of a long
 * list share one bin. */
#ifndef SBL_FIDELITY_AXIS_H
#define SBL_FIDELITY_AXIS_H

#include <jansson.h>

#include "owner/fidelity/view.h"
#include "public/schema/spikes.h"

/* Of an axis with these numbers of cells and bins. */
#define SBL_AXIS_CELLS(most) ((most) + 1 + SBL_MOST_SPIKES)

/* Of the pictures of an evaluation: cells and bins of a histogram, and of each side of a pair. */
#define SBL_HISTOGRAM_CELLS 40
#define SBL_HISTOGRAM_BINS 20
#define SBL_PAIR_CELLS 12

typedef struct sbl_axis {
    const sbl_view_column *column; /* borrowed */
    size_t count;                  /* cells, those of what stands apart and of others included */
    size_t bins;                   /* numbers: cells but for sentinels and missing, which follow */
    bool per_value;                /* numbers: a cell is a value */
    uint32_t *codes;               /* categories: (count), of each cell; the others have none */
    uint32_t *cells;               /* categories: (column->cells), of each code */
} sbl_axis;

/* most: cells of a list of categories, of numbers with few values; bins: of other numbers. Which
 * categories are common is counted in the tables. Clear it in any case.
 * Returns: false when out of memory */
bool sbl_axis_init(sbl_axis *axis, const sbl_view_column *column, size_t most, size_t bins,
                   const sbl_frame *const *tables, size_t table_count);
void sbl_axis_clear(sbl_axis *axis);

size_t sbl_axis_cell(const sbl_axis *axis, const sbl_frame *frame, size_t row);

/* The names of all cells; NULL when out of memory. */
json_t *sbl_axis_labels(const sbl_axis *axis);

#endif
