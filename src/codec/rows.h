/* Between typed batches and rows of doubles, one per column, as constraints see them
 * (rules/rules.h): NaN is missing, a category is its code, an ignored column is NaN. */
#ifndef SBL_CODEC_ROWS_H
#define SBL_CODEC_ROWS_H

#include "table/batch.h"

/* rows: (batch->rows, columns of the batch's schema), by rows. Privacy: as the batch. */
void sbl_rows_of_batch(double *rows, const sbl_batch *batch);
/* The inverse; the batch has as many rows already. */
void sbl_batch_of_rows(sbl_batch *batch, const double *rows);

#endif
