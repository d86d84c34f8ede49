/* SPDX-License-Identifier: Apache-2.0 */
/* The features of a plan, made: what is summed (the layout), how precisely (the weights), and the records'
 * way into the sum. */
#ifndef SBL_FEATURES_FEATURES_H
#define SBL_FEATURES_FEATURES_H

#include "base/text.h"
#include "public/features/image_cells.h"
#include "public/plan/plan.h"
#include "records/accumulate/layout.h"
#include "records/features/feature.h"

typedef struct sbl_features {
    sbl_feature_instance *items;
    size_t count;
    /* For images: classes of the layout are cells of classes. NULL: they are classes. */
    sbl_image_cells *cells;
    /* The item whose points also say which cell an image falls into; NULL: no item. */
    const sbl_feature_instance *seen;
    sbl_layout layout;
    bool whole_units; /* their records are whole persons, each one row of the sum */
    double *weights;  /* one per noisy block of the layout: multipliers are in this proportion. That of
                      * a block of persons is relative to all others together: of weight w it costs
                      * about w^2 of what they do */
} sbl_features;

/* more (may be NULL, ends with NULL): features beside sbl_feature_list, such as a method brings.
 * Returns: SBL_OK; SBL_EINPUT for a plan whose features are unknown or do not fit the facts;
 * SBL_EARG for a layout that cannot be summed; SBL_EMEM */
sbl_status sbl_features_make(sbl_features *features, const sbl_plan *plan, const sbl_facts *facts,
                             const sbl_feature *const *more, sbl_error *err);
void sbl_features_clear(sbl_features *features);

/* The made feature of this name; NULL: none. */
const sbl_feature_instance *sbl_features_find(const sbl_features *features, const char *name);

/* ---- [3] and [4]: records to sums ---- */

/* One thread's workspaces, one per feature; freed wiped. */
typedef struct sbl_feature_workspaces sbl_feature_workspaces;
sbl_status sbl_feature_workspaces_new(sbl_feature_workspaces **workspaces, const sbl_features *features,
                                      sbl_error *err);
void sbl_feature_workspaces_free(sbl_feature_workspaces *workspaces);
/* At most sbl_slice_rows() records, as one batch of the sum.
 * Privacy: reads records; the sum must go through the door. */
sbl_status sbl_features_add(sbl_sum *sum, sbl_feature_workspaces *workspaces, const sbl_records *records,
                            sbl_error *err);

/* What a block of a release is of, in the words of the table's columns: "age x sex", not "tables.17".
 * It follows from the plan in the release, so every holder of the release can derive it. */

/* Appends which columns the block of this name is of: several lists of counts with a plus between
 * them, long ones cut. Tables only. */
void sbl_block_describe(sbl_text *text, const char *block, const sbl_plan *plan, const sbl_facts *facts);

#endif
