/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics with confidence intervals from the releases of a run. Costs no privacy, reads no record.
 *
 *     sbl_estimate_options ask;
 *     sbl_estimate_options_init(&ask);
 *     ask.mean = "cost";
 *     ask.by = "ward";
 *     ask.where = "age > 60";
 *     sbl_synthesizer_estimate(synth, &text, &ask, &err);
 *
 * Models are drawn from the posterior given all releases of the run, and a table from each. The statistic of each table
 * and its variance are combined (combine.h). The intervals are for the population that the real rows are a sample of:
 * they cover sampling, privacy noise and the uncertainty of the model (docs/mechanisms/inference.md).
 *
 * Stability: experimental: it may change in any version (docs/C.md). */
#ifndef SEMBLANCE_ESTIMATE_H
#define SEMBLANCE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/options.h"
#include "semblance/status.h"
#include "semblance/synthesizer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sbl_estimate_form {
    SBL_ESTIMATE_TABLE, /* for people */
    SBL_ESTIMATE_CSV,
    SBL_ESTIMATE_JSON /* one object; docs/FORMATS.md */
} sbl_estimate_form;

/* What is asked, at least one statistic; set up by sbl_estimate_options_init(). Rows with a missing value of a
 * statistic's column are left out of that statistic. */
typedef struct sbl_estimate_options {
    /* Set by sbl_estimate_options_init(). */
    size_t struct_size;
    /* The first release file of a run. Default NULL: the releases that the handle holds. */
    const char *release;
    /* For linked tables: the table that the question is about. Default NULL: a single table. */
    const char *table;
    /* The number of rows: what a table of this size holds on average. Default false. */
    bool count;
    /* Means of these columns of numbers: "cost,age". Default NULL: none. */
    const char *mean;
    /* Shares of rows, one per line: "COLUMN=CATEGORY", or "COLUMN" for each of its categories. */
    const char *share;
    /* Quantiles, one per line: "cost=0.5" is the median. */
    const char *quantile;
    /* Pearson correlations of two columns of numbers, one per line: "age,cost". */
    const char *correlation;
    /* Divide everything by the categories of these columns: "ward,sex". A missing value is a group of its own if the
     * schema allows it. Default NULL: all rows together. */
    const char *by;
    /* A category of the only column of `by`: also the difference of each other group from that one. */
    const char *difference;
    /* Only rows that satisfy these conditions, one per line, as in sbl_sample_options. Default NULL: all. */
    const char *where;
    /* Draws from the posterior, 2 to 1000. Default 0: 40. */
    uint64_t draws;
    /* Confidence level, above 0 and below 1. Default 0: 0.95. */
    double level;
    /* Public. The same releases, questions and seed give the same answer. Default 0. */
    uint64_t seed;
    /* 1 to 1024, for this call. Default 0: as many as OpenMP would use. */
    unsigned threads;
    sbl_progress progress;
    void *context;
    sbl_estimate_form form;
    /* Also write the text to this file. Default NULL: none. */
    const char *path;
    /* A file of this name may be replaced. Default false. */
    bool overwrite;
} sbl_estimate_options;

#define sbl_estimate_options_init(pointer) SBL_STRUCT_INIT(pointer)

/* Estimate statistics from releases: those of options->release, else those that the handle holds after a fit. A model
 * alone does not do, since it does not hold them.
 * Out:     text  sbl_free()
 * Returns: SBL_OK; SBL_EARG: a column, category or condition that does not exist, a statistic that its kind of column
 *          does not have, too few rows in every group, or a method without replicates; SBL_EINPUT, SBL_EIO,
 *          SBL_ESTOPPED, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_estimate(sbl_synthesizer *synth, char **text,
                                                         const sbl_estimate_options *options, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
