/* A frame as samples: every column but the label is a feature, rows without a label are left out.
 */
#ifndef SBL_EVALUATE_UTILITY_SAMPLES_H
#define SBL_EVALUATE_UTILITY_SAMPLES_H

#include "owner/fidelity/frame.h"
#include "owner/learners/learner.h"

typedef struct sbl_frame_samples {
    sbl_samples samples;
    uint32_t *cardinality; /* what samples points to */
    size_t labelled;       /* rows with a label, before the limit */
} sbl_frame_samples;

/* At most limit rows (0: all), drawn by the seed without replacement, in their order. The frame's
 * schema has a label; a number to predict comes in its own units.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_frame_samples_init(sbl_frame_samples *out, const sbl_frame *frame, size_t limit, uint64_t seed,
                                  sbl_error *err);
/* Wipes; safe on a zeroed one. */
void sbl_frame_samples_clear(sbl_frame_samples *out);

#endif
