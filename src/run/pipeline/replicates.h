/* SPDX-License-Identifier: Apache-2.0 */
/* Replicates: M synthetic tables, each of another draw from the posterior given the releases of a run. An analysis is
 * run on each, and combined (docs/INFERENCE.md). They cost nothing. */
#ifndef SBL_PIPELINE_REPLICATES_H
#define SBL_PIPELINE_REPLICATES_H

#include "after/sinks/sink.h"
#include "base/store/store.h"
#include "door/release/release.h"
#include "public/schema/schema_type.h"
#include "run/pipeline/posterior.h"
#include "run/pipeline/sample_size.h"

/* The name of the column that numbers replicates in one file, from 1. */
#define SBL_REPLICATE_COLUMN "replicate"

/* Where they go: PATH/01.csv, 02.csv, ...; for linked tables PATH/01/NAME.csv, ...; all in one file, with a column
 * `replicate`, if PATH ends in .csv or .csv.gz. */
typedef struct sbl_replicate_files {
    const char *path;
    uint64_t count;
    sbl_amount amount; /* of each */
} sbl_replicate_files;

/* The files that they become. facts: of the table; its columns may be unknown yet.   Owner: the caller,
 * sbl_strings_clear() */
sbl_status sbl_replicates_list(sbl_strings *paths, const sbl_replicate_files *wanted, const sbl_facts *facts,
                               sbl_error *err);
/* Can they be written? Asked before a budget is charged. Leaves no folder behind that was not there. */
sbl_status sbl_replicates_check_files(const sbl_replicate_files *wanted, const sbl_facts *facts,
                                      bool overwrite, sbl_error *err);
/* Are they in one file? */
bool sbl_replicates_in_one(const char *path);

/* All of them. rounds, fitted: of the run. */
sbl_status sbl_replicates_draw(const sbl_replicate_files *wanted, const sbl_rounds *rounds, sbl_model *fitted,
                               const sbl_synth_options *options, sbl_error *err);
/* The same from the release files of a run. */
sbl_status sbl_replicates_from(sbl_store_entry release, const sbl_replicate_files *wanted,
                               const sbl_synth_options *options, sbl_error *err);

/* ---- from releases ---- */

/* The releases of a run, their model and its posterior. */
typedef struct sbl_refit {
    sbl_release **releases;
    size_t count;
    sbl_rounds rounds;
    sbl_facts facts;
    sbl_model *fitted;
    sbl_posterior *posterior;
} sbl_refit;

/* Load and check the releases; *refit is zero-initialised.   Owner: the caller, sbl_refit_clear(), in any case */
sbl_status sbl_refit_load(sbl_refit *refit, sbl_store_entry release, const sbl_synth_options *options,
                          sbl_error *err);
/* Fit their model, and make its posterior. */
sbl_status sbl_refit_fit(sbl_refit *refit, const sbl_synth_options *options, sbl_error *err);
void sbl_refit_clear(sbl_refit *refit);

#endif
