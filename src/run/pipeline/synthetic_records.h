/* SPDX-License-Identifier: Apache-2.0 */
/* A synthetic table as encoded records, which features can sum as they sum those that are read: to tell how far sums
 * of as many records differ by chance. */
#ifndef SBL_PIPELINE_SYNTHETIC_RECORDS_H
#define SBL_PIPELINE_SYNTHETIC_RECORDS_H

#include "after/model/model.h"
#include "base/error.h"
#include "records/source/source.h"
#include "run/pipeline/rounds.h"

typedef struct sbl_synthetic_records sbl_synthetic_records;

/* As many as the model was fitted to, but no more than 100,000 rows; of whole persons, persons. The table is drawn
 * with the seed.   Owner: the caller, sbl_synthetic_records_free() */
sbl_status sbl_synthetic_records_new(sbl_synthetic_records **records, const sbl_rounds *rounds,
                                     sbl_model *model, uint64_t seed, sbl_error *err);
void sbl_synthetic_records_free(sbl_synthetic_records *records); /* NULL is fine */

double sbl_synthetic_records_count(const sbl_synthetic_records *records); /* rows, or persons */
double sbl_synthetic_records_real(const sbl_synthetic_records *records);  /* that the model was fitted to */

/* As many of the table's records, drawn with replacement: what is opened from here on. stream: of public
 * randomness. */
sbl_status sbl_synthetic_records_again(sbl_synthetic_records *records, uint64_t seed, uint64_t stream,
                                       sbl_error *err);
/* What was drawn last: the table itself at first. Borrowed until it is drawn again.   Owner: the caller, sbl_source_close() */
sbl_status sbl_synthetic_records_open(sbl_source **source, const sbl_synthetic_records *records,
                                      sbl_error *err);

#endif
