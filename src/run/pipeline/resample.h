/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a model, drawn again with replacement as they come: rows, or whole persons.
 *
 * A model's own rows hold its tables without the error of sampling. A replicate has that error, so that an analysis of
 * it finds the variance that it expects (docs/mechanisms/inference.md): how often each record is written is
 * multinomial where the number of records is known, else Poisson. */
#ifndef SBL_PIPELINE_RESAMPLE_H
#define SBL_PIPELINE_RESAMPLE_H

#include "after/sinks/sink.h"
#include "base/error.h"
#include "base/random/model_rng.h"
#include "public/rows/encoded_records.h"

typedef struct sbl_resample {
    const sbl_facts *facts;
    sbl_model_rng rng;
    uint64_t records;                  /* that are still to come; 0: unknown */
    uint64_t copies;                   /* that are still wanted of these */
    uint64_t persons;                  /* written so far */
    uint64_t numbers[SBL_MOST_TABLES]; /* rows written so far, by table */
    sbl_drawn out;
} sbl_resample;

/* records: that will be drawn, and as many written; 0: unknown. whole: they are persons; chunk: rows that are written
 * together, and more where one person has more.   Owner: the caller, sbl_resample_clear() */
sbl_status sbl_resample_init(sbl_resample *resample, const sbl_facts *facts, uint64_t records, bool whole,
                             size_t chunk, uint64_t seed, sbl_error *err);
void sbl_resample_clear(sbl_resample *resample);

/* Write copies of `rows` rows, of whole persons. */
sbl_status sbl_resample_write(sbl_resample *resample, sbl_sink *sink, const sbl_drawn *records, size_t rows,
                              sbl_error *err);

#endif
