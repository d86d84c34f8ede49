/* SPDX-License-Identifier: Apache-2.0 */
/* What a synthetic table looks like, for pictures of it alone: no real record is near. */
#ifndef SBL_EVALUATE_PICTURES_H
#define SBL_EVALUATE_PICTURES_H

#include <jansson.h>

#include "base/error.h"
#include "owner/fidelity/view.h"
#include "public/schema/schema_type.h"
#include "records/rows/table.h"

/* A picture is of no more rows: the work, which grows with the square of the columns, stays small. */
#define SBL_PICTURE_ROWS 20000

/* "columns" and "pairs" as an evaluation has them (docs/FORMATS.md), without what compares, and where the
 * schema has a unit the "people" of its histories, of the first rows of a synthetic table; "rows": how many
 * were read. pictures: the caller's;
 * NULL of a table without rows.
 * Privacy: the table is drawn from releases, and so is this.
 * Returns: SBL_OK, SBL_EINPUT, SBL_EIO, SBL_EMEM */
sbl_status sbl_table_pictures(json_t **pictures, const sbl_table *table, const sbl_schema *schema,
                              sbl_error *err);

/* The same of rows in memory. The view is of the frame's codec. */
sbl_status sbl_frame_pictures(json_t **pictures, const sbl_frame *frame, const sbl_view *view,
                              const sbl_schema *schema, sbl_error *err);

/* "rows": how many were read, the first ones; "columns": the histogram of each (sbl_measure_histograms).
 * Privacy: of records, NOT PRIVATE; of synthetic rows, public
 * Returns: SBL_OK, SBL_EINPUT: it has no rows; SBL_EIO, SBL_EMEM */
sbl_status sbl_table_histograms(json_t **histograms, const sbl_table *table, const sbl_schema *schema,
                                sbl_error *err);

/* For linked tables (schema->table_count, in the schema's order): "rows" of the root, and "units" as in an
 * evaluation. */
sbl_status sbl_linked_pictures(json_t **pictures, const sbl_table *const *tables, const sbl_schema *schema,
                               sbl_error *err);

#endif
