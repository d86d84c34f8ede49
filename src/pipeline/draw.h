/* [7] to [9]: records of a model into a sink. Post-processing. */
#ifndef SBL_PIPELINE_DRAW_H
#define SBL_PIPELINE_DRAW_H

#include "base/status.h"
#include "model/model.h"
#include "pipeline/conditions.h"
#include "semblance/synth.h"
#include "source/sink.h"

/* rows records of options->seed; the sink is finished. rows = 0: as many as the model was fitted
 * to. conditions (borrowed; NULL: none) are of this model. */
sbl_status sbl_draw(sbl_sink *sink, sbl_model *model, uint64_t rows,
                    const sbl_conditions *conditions, const sbl_synth_options *options,
                    sbl_error *err);

/* The same some records at a time: begin, next until done, end. The sink is not finished; model, conditions and sink are
 * borrowed until the end. */
typedef struct sbl_drawing {
    sbl_model *model;
    sbl_sink *sink;
    const sbl_conditions *conditions; /* NULL: none */
    sbl_drawn records;                /* of one chunk */
    size_t chunk;
    uint64_t seed;
    uint64_t most;  /* records that are drawn at most */
    uint64_t all;   /* records that are wanted */
    uint64_t drawn; /* records so far, kept or not */
    uint64_t done;  /* records that the sink has; all: done */
} sbl_drawing;
sbl_status sbl_drawing_begin(sbl_drawing *drawing, sbl_sink *sink, sbl_model *model, uint64_t rows,
                             const sbl_conditions *conditions, uint64_t seed, sbl_error *err);
sbl_status sbl_drawing_next(sbl_drawing *drawing, sbl_error *err);
void sbl_drawing_end(sbl_drawing *drawing); /* also of one that did not begin */

/* As many as asked for, or as the model was fitted to. */
uint64_t sbl_draw_rows(const sbl_model *model, uint64_t asked);

#endif
