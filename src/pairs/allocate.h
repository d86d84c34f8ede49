/* How to divide a budget of precision among tables so that the expected L1 error is least.
 *
 * An entry with prior variance s (of what measuring could tell) that is measured with precision w
 * and shrunk accordingly has expected error .798 sqrt(s / (1 + s w)), .798 = E |N(0, 1)|. A table's
 * error is the sum over its entries times its weight; it is convex in w. So one multiplier t
 * decides all: each table gets the w at which its error falls by t per unit of precision, or
 * nothing when it never falls so fast, and t is found by bisection. */
#ifndef SBL_PAIRS_ALLOCATE_H
#define SBL_PAIRS_ALLOCATE_H

#include <stddef.h>

#include "base/status.h"

#define SBL_SLOPE_POINTS 49

/* How fast a table's error falls, at precision 0 and at 48 precisions from 1e-6 of the budget to
 * all of it, evenly in logarithm. */
typedef struct sbl_slopes {
    double at[SBL_SLOPE_POINTS];
} sbl_slopes;

double sbl_allocate_point(size_t point, double budget);

/* Add one entry of prior variance `variance`, times `weight`. */
void sbl_slopes_add(sbl_slopes *slopes, double variance, double weight, double budget);

/* precision (count): >= 0, sum is budget unless every table's slope is 0 (then all 0). Tables that
 * would get less than `least` of the budget get nothing. */
void sbl_allocate(double *precision, const sbl_slopes *tables, size_t count, double budget,
                  double least);

#endif
