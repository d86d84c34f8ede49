/* Entries of a noisy table that are taken to hold nothing.
 *
 * A table of columns that depend on each other is empty in most places, and what noise leaves above
 * 0 in many empty entries takes records from the few that are full: infants as tall as adults. A
 * tile of entries is a hole where it was measured as no more than noise and independent columns
 * would have put far more than noise. Tiles of several sizes are tried, over runs of codes
 * where codes have an order: a hole of many entries shows where no single entry would. The rule knows
 * the release and its noise only: post-processing. */
#ifndef SBL_PAIRS_HOLES_H
#define SBL_PAIRS_HOLES_H

#include <stddef.h>
#include <stdint.h>

/* One side of a table. */
typedef struct sbl_table_side {
    const double *shares; /* (codes): the margin */
    size_t codes;
    size_t ordered; /* the first of them, which lie in order */
} sbl_table_side;

/* holes (rows, columns): 1 where an entry is in a hole. table: shares; noise: standard deviation of
 * an entry. */
void sbl_table_holes(uint8_t *holes, const double *table, const sbl_table_side *rows,
                     const sbl_table_side *columns, double noise);

#endif
