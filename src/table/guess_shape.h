/* How the numbers of a column without a schema lie: values that many rows share, and whether they
 * crowd at the lower end. NOT PRIVATE, as all of a guess. */
#ifndef SBL_TABLE_GUESS_SHAPE_H
#define SBL_TABLE_GUESS_SHAPE_H

#include "table/guess_column.h"

typedef struct sbl_guess_shape {
    double spikes[SBL_MOST_SPIKES]; /* each held by more than a tenth of the rows; ascending */
    size_t spike_count;
    bool skewed; /* the others crowd at the lower end of the bounds, with a long tail above */
} sbl_guess_shape;

/* Of numbers that are written in style s, from 0, and get these bounds. Looks at the first
 * SBL_GUESS_VALUES different values; nothing is found among fewer than 20.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_guess_shape_of(sbl_guess_shape *shape, const sbl_guess_column *column, int s,
                              double minimum, double maximum, sbl_error *err);

/* Propose the spikes of a column, where it has any. */
sbl_status sbl_guess_spikes_propose(sbl_schema_draft *draft, const sbl_guess_column *column,
                                    const sbl_guess_shape *shape, sbl_error *err);

#endif
