/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Histories as a kind of model: persons and events of public cells (after/histories/history_sampler.h) back in
 * the table's columns, row after row, the rows of a person together and in their order. */
#ifndef SBL_SAMPLE_HISTORIES_KIND_H
#define SBL_SAMPLE_HISTORIES_KIND_H

#include "after/histories/history_model.h"
#include "after/model/model.h"

/* The model whose state this is; takes the histories, also on failure. Its plan has the feature
 * `histories`, from whose parameters the shape follows. */
extern const sbl_model_kind sbl_model_kind_histories;
sbl_status sbl_model_of_histories(sbl_model *model, sbl_history_model *histories, sbl_error *err);

#endif
