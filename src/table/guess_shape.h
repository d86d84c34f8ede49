/* How the numbers of a column without a schema lie: values that many rows share, and whether they
 * crowd at the lower end. NOT PRIVATE, as all of a guess. */
#ifndef SBL_TABLE_GUESS_SHAPE_H
#define SBL_TABLE_GUESS_SHAPE_H

#include "table/guess_column.h"

typedef struct sbl_guess_shape {
    double spikes[SBL_MOST_SPIKES]; /* each held by more than a tenth of the rows, or a sentinel */
    size_t spike_count;
    size_t
        sentinels; /* of them: codes for a missing answer far outside of all else; the last ones */
    double low, high; /* of all values but for sentinels */
    double step;      /* of which these are whole multiples; 0: none that says anything */
    bool skewed;      /* the others crowd at the lower end of the bounds, with a long tail above */
} sbl_guess_shape;

/* Of numbers, in the way in which the column is written. Looks at the first SBL_GUESS_VALUES different
 * values; spikes and skewness are not found among fewer than 20, codes not among fewer than 5.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_guess_shape_of(sbl_guess_shape *shape, const sbl_guess_column *column,
                              sbl_error *err);

/* Propose the spikes and the step of a column, where it has any. */
sbl_status sbl_guess_shape_propose(sbl_schema_writer *writer, const sbl_guess_column *column,
                                   const sbl_guess_shape *shape, sbl_error *err);

#endif
