/* [7] to [9]: records of a model into a sink. Post-processing. */
#ifndef SBL_PIPELINE_DRAW_H
#define SBL_PIPELINE_DRAW_H

#include "base/status.h"
#include "model/model.h"
#include "semblance/synth.h"
#include "source/sink.h"

/* "COLUMN=VALUE" to a class: a table's label and its category; of images "label=CLASS" or "CLASS",
 * by name or, where classes have none, by number. NULL: SBL_ANY_CLASS. */
sbl_status sbl_where_read(size_t *wanted, const char *where, const sbl_facts *facts,
                          sbl_error *err);

/* rows records of options->seed; the sink is finished. rows = 0: as many as the model was fitted
 * to. */
sbl_status sbl_draw(sbl_sink *sink, sbl_model *model, uint64_t rows, size_t wanted,
                    const sbl_synth_options *options, sbl_error *err);

/* As many as asked for, or as the model was fitted to. */
uint64_t sbl_draw_rows(const sbl_model *model, uint64_t asked);

#endif
