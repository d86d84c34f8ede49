/* Arithmetic of two-way tables, (rows, columns) doubles row by row.
 *
 * A table is its margins plus an interaction, the part that no change of margins touches: the table
 * less its row and column means. One-way shares are known far better than any one pair table, so a
 * noisy table keeps its interaction only and takes its margins from them. */
#ifndef SBL_PAIRS_INTERACTION_H
#define SBL_PAIRS_INTERACTION_H

#include <stddef.h>
#include <stdint.h>

/* Keep the interaction only. */
void sbl_table_centre(double *table, size_t rows, size_t columns);

/* sum of squares */
double sbl_table_energy(const double *table, size_t rows, size_t columns);

/* The nearest table with margins p (rows) and q (columns), which have equal sums. */
void sbl_table_set_margins(double *table, size_t rows, size_t columns, const double *p,
                           const double *q);

/* The nearest table with those margins, no entry below 0 and none but 0 in holes (may be NULL), by Dykstra's projections (Boyle and
 * Dykstra 1986), 40 rounds, then scaled until the margins are exact.
 * scratch: rows * columns + rows + columns doubles. */
void sbl_table_project(double *table, size_t rows, size_t columns, const double *p, const double *q,
                       const uint8_t *holes, double *scratch);

/* Another measurement of the table's sums over groups of rows and columns, with noise variance
 * group_noise2 against noise2 of an entry: Gaussian conditioning. An entry whose cell has c entries
 * moves by the cell's surprise times noise2 / (c noise2 + group_noise2).
 * Returns the mean variance of an entry afterwards. scratch: row_groups * column_groups doubles. */
typedef struct sbl_table_groups {
    const uint16_t *row_group, *column_group; /* (rows), (columns) */
    size_t row_groups, column_groups;
} sbl_table_groups;

double sbl_table_condition(double *table, size_t rows, size_t columns, double noise2,
                           const sbl_table_groups *groups, const double *sums, double group_noise2,
                           double *scratch);

#endif
