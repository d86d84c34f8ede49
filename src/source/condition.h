/* What a drawn row must hold to be written (sink.h): cells of some columns, or conditions in the
 * language of constraints, as they are written. Rows are post-processing by then, so that leaving some out tells
 * nothing of the data that the model does not tell. */
#ifndef SBL_SOURCE_CONDITION_H
#define SBL_SOURCE_CONDITION_H

#include "source/sink.h"
#include "table/batch.h"

/* Keep the rows of a batch that hold all conditions, in their order, and `most` of them at most. */
void sbl_conditions_keep(sbl_batch *batch, const sbl_condition *conditions, size_t count,
                         uint64_t most);

#endif
