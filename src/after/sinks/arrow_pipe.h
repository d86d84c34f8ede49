/* SPDX-License-Identifier: Apache-2.0 */
/* [9] Arrow arrays from the thread that draws to a thread that reads them as a stream. At most one array waits, so that
 * memory does not grow with the rows.
 *
 * The stream is of one reader, who may release it at any time. The pipe outlives both threads' use of it. */
#ifndef SBL_SINKS_ARROW_PIPE_H
#define SBL_SINKS_ARROW_PIPE_H

#include <stdbool.h>

#include "base/error.h"
#include "public/schema/schema_type.h"
#include "semblance/arrow.h"

typedef struct sbl_arrow_pipe sbl_arrow_pipe;

/* schema: of what is drawn, borrowed.   Returns: SBL_OK; SBL_EMEM */
sbl_status sbl_arrow_pipe_new(sbl_arrow_pipe **pipe, const sbl_schema *schema, sbl_error *err);
void sbl_arrow_pipe_free(sbl_arrow_pipe *pipe); /* NULL is fine; after the reader is done */

/* ---- for the reader ---- */

/* The arrays as a stream. It ends where the writer ended, and fails where the writer broke off. */
void sbl_arrow_pipe_stream(sbl_arrow_pipe *pipe, struct ArrowArrayStream *stream);
/* The reader wants no more, for whatever reason. */
void sbl_arrow_pipe_close(sbl_arrow_pipe *pipe);

/* ---- for the writer ---- */

/* Wait until there is room, and move the array in.   Returns: false: the reader wants no more; the array is released */
bool sbl_arrow_pipe_put(sbl_arrow_pipe *pipe, struct ArrowArray *array);
/* That was all; or, where not whole, what came is to be thrown away. */
void sbl_arrow_pipe_end(sbl_arrow_pipe *pipe, bool whole);

#endif
