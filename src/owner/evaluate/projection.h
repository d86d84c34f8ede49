/* SPDX-License-Identifier: Apache-2.0 */
/* Real records in the space of a projected ron-gauss model (public/rows/projection.h). NOT PRIVATE.
 *
 * A synthetic row of such a model is a point p1, p2, ... of the projection and the label. Here a real record
 * gets the same coordinates: W x for `clip`, W x / |x| for `normalise`, x its point of the unit ball. Both
 * depend on the record and on the plan alone, which the model keeps. The released centres of the classes are
 * part of the synthetic rows, so nothing is subtracted from a real one: its class need not be known. */
#ifndef SBL_EVALUATE_PROJECTION_H
#define SBL_EVALUATE_PROJECTION_H

#include "after/model/model.h"
#include "after/sinks/sink.h"
#include "base/error.h"
#include "base/progress.h"
#include "public/rows/projection.h"
#include "semblance/data.h"

typedef struct sbl_projection {
    const sbl_model *model; /* borrowed */
    sbl_ron_plan plan;
    sbl_ron_rotation rotation;
} sbl_projection;

/* where (a path) is for messages.
 * Returns: SBL_OK; SBL_EARG: the model is not one of ron-gauss, or draws rows in the original columns; SBL_EINPUT,
 *          SBL_EMEM
 * Owner:   the caller; sbl_projection_clear(), also on failure */
sbl_status sbl_projection_init(sbl_projection *projection, const sbl_model *model, const char *where,
                               sbl_error *err);
void sbl_projection_clear(sbl_projection *projection);

/* Every record of a table, in its order, into a sink of sbl_model_output(); the sink is finished.
 * In:      notice  (may be NULL) is called once for each column of the table that the model does not have
 * Returns: SBL_OK; SBL_EINPUT: a column of the model is not there; SBL_EARG: not one table; SBL_ESTOPPED; SBL_EIO,
 *          SBL_EMEM
 * Privacy: NOT PRIVATE: what is written are records */
sbl_status sbl_projection_write(const sbl_projection *projection, sbl_sink *sink, sbl_data *data,
                                void (*notice)(void *context, const char *name), void *context,
                                const sbl_progress_span *progress, sbl_error *err);

/* W as CSV: a line for each coordinate p1, p2, ..., a column for each coordinate of x. A number has the name of
 * its column; the K - 1 coordinates of a category are NAME.1, NAME.2, ... Public: it depends on the seed and on
 * public sizes alone. */
sbl_status sbl_projection_matrix(sbl_text *csv, const sbl_projection *projection, sbl_error *err);

#endif
