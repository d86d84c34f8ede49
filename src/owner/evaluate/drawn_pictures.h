/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a release: the shares of rows in each cell, with intervals, from tables that are drawn from the posterior
 * given all releases of a run. Post-processing: opens no record and charges nothing. */
#ifndef SBL_EVALUATE_DRAWN_PICTURES_H
#define SBL_EVALUATE_DRAWN_PICTURES_H

#include <jansson.h>

#include "base/error.h"
#include "records/rows/table.h"
#include "run/estimates/drawn_tables.h"
#include "semblance/options.h"

/* By default: with fewer, intervals are wider (6: by .18 in the mean against 20), and a draw is a quarter of a fit of trees. */
#define SBL_PICTURE_DRAWS 6

/* Pictures as sbl_table_pictures() makes them, and in addition "low" and "high" of each cell, "told" of each pair (can its
 * relation be told from none?) and "intervals": how many draws, and the level. For linked tables: "tables", each with its
 * name, "rows", "columns" and "pairs" of its own columns.
 * shown: the synthetic table, whose shares are shown; NULL: shares are the estimates.
 * options: seed, threads, progress
 * Returns: SBL_OK; SBL_EARG: a method without draws; SBL_EINPUT, SBL_EIO, SBL_ESTOPPED, SBL_EMEM */
sbl_status sbl_drawn_pictures(json_t **pictures, const sbl_drawn_from *from, const sbl_table *shown,
                              size_t draws, const sbl_synth_options *options, sbl_error *err);

#endif
