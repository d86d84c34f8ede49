/* SPDX-License-Identifier: Apache-2.0 */
/* How far the mean embeddings of a plan's first release will be from the true ones (docs/mechanisms/bounds.md), in
 * words and as JSON. From public facts alone. */
#ifndef SBL_PIPELINE_PLAN_BOUNDS_H
#define SBL_PIPELINE_PLAN_BOUNDS_H

#include "base/json.h"
#include "base/text.h"
#include "run/pipeline/rounds.h"

/* What the bounds of all blocks rest on. */
typedef struct sbl_planned_bounds {
    const sbl_rounds *rounds;
    const uint64_t *multipliers; /* of the first round's noisy blocks */
    double records;              /* public or declared; 0: neither, and there are no bounds */
    sbl_neighbours neighbours;
} sbl_planned_bounds;

/* Of noisy block i (records/accumulate/layout.h).   Owner: the caller; NULL: it is not an embedding, or out of memory */
json_t *sbl_plan_bounds_json(const sbl_planned_bounds *planned, size_t i);

/* Lines on every block that is an embedding; nothing where there is none. */
void sbl_plan_bounds_words(sbl_text *text, const sbl_planned_bounds *planned);

#endif
