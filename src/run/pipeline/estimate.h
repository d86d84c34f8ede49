/* SPDX-License-Identifier: Apache-2.0 */
/* About how long a run will take on this machine and what memory, said before it starts. From public
 * facts and a short rehearsal on made-up records; nothing of the data is in it. */
#ifndef SBL_PIPELINE_ESTIMATE_H
#define SBL_PIPELINE_ESTIMATE_H

#include "base/text.h"
#include "run/pipeline/rounds.h"
#include "run/pipeline/sample_size.h"

typedef struct sbl_estimate {
    double reading;   /* seconds: all rounds over the data, and summing its features */
    double fitting;   /* seconds: the model, and drawing records from it */
    double processor; /* seconds of the processor, all threads together */
    size_t threads;
    bool draws;   /* anything */
    double bytes; /* at most at any time, usually */
    /* fitting, processor and bytes if a probe asks for forests; 0: nothing is probed. */
    double forest_fitting, forest_processor, forest_bytes;
    /* As of sbl_fit_cost: which device trains, and was timed ("": nothing is trained), and why it is the CPU. */
    char device[SBL_MODEL_DEVICE_SIZE];
    char why[256];
} sbl_estimate;

/* What a sum is over, of n rows (public, or declared): n itself or, where the method takes whole persons or n is 0, the
 * number that the plan is made for; 0: it has none. */
double sbl_planned_records(const sbl_rounds *rounds, uint64_t n);
/* Rows of all tables that are planned for: n; of linked tables, where n is of persons, one of each table for each. */
double sbl_planned_rows(const sbl_rounds *rounds, uint64_t n);
/* The most bytes that this number of persons with n rows in any order take while they are assembled. */
double sbl_planned_waiting(const sbl_rounds *rounds, uint64_t n);

/* For n records (public, or declared; at least 1), of which the first round is planned.
 * In:      drawn  how much is drawn of the model; NULL: nothing is
 * Returns: SBL_OK; SBL_EMEM, what a feature may say, and what the fit would refuse */
sbl_status sbl_estimate_run(sbl_estimate *estimate, const sbl_rounds *rounds, uint64_t n,
                            const sbl_amount *drawn, const sbl_synth_options *options, sbl_error *err);

/* "about 40 s with 2 threads on this machine (12 s to read, 28 s to fit and draw; 65 s of processor time) and 150 MB"; where nothing is
 * drawn, "to fit". Where a probe decides, "; with forests, if a probe asks for them, ..." follows. */
void sbl_estimate_words(sbl_text *text, const sbl_estimate *estimate);

#endif
