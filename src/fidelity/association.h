/* How strongly two columns of one table go together.
 *
 *   category, category   Cramer's V: sqrt(chi^2 / (n (min(r, c) - 1))), r and c the numbers of
 *                        values that occur, missing being a value; not corrected for bias
 *   category, number     correlation ratio: sqrt(between-class sum of squares / total)
 *   number, number       Pearson's correlation, with its sign
 * A row counts where the numbers of the pair are present. NaN where a measure does not exist: one
 * of the columns is constant on those rows. */
#ifndef SBL_FIDELITY_ASSOCIATION_H
#define SBL_FIDELITY_ASSOCIATION_H

#include "fidelity/tables.h"
#include "fidelity/tally.h"

/* A frame by columns, for going over pairs. */
typedef struct sbl_columnar {
    const sbl_view *view;
    size_t rows;
    double *numbers; /* (count, rows): linear scale; zeros for categories */
    uint32_t *codes; /* (count, rows): of a number, 1 where it is missing */
} sbl_columnar;

sbl_status sbl_columnar_init(sbl_columnar *columnar, const sbl_view *view, const sbl_frame *frame,
                             sbl_error *err);
void sbl_columnar_clear(sbl_columnar *columnar);

/* Room for one thread. */
typedef struct sbl_association_room {
    sbl_tally tally;
    double *sums; /* (2, largest number of codes + 1) */
} sbl_association_room;

/* Association of columns i and j. SBL_EMEM when the counts do not fit. */
sbl_status sbl_associate(double *value, sbl_association_room *room, const sbl_columnar *columnar,
                         size_t i, size_t j);

/* "pearson", "cramers_v" or "correlation_ratio". */
const char *sbl_association_measure(const sbl_view *view, size_t i, size_t j);

#endif
