/* Bisection that ends on the safe side. */
#ifndef SBL_ACCOUNT_SEARCH_H
#define SBL_ACCOUNT_SEARCH_H

#include <stdbool.h>

typedef bool sbl_holds(double x, const void *context);

/* The smallest x > 0 that holds, for a predicate that is false below an edge and true from it on.
 * The x returned was seen to hold and is within 2^-50 relative of the edge (or the edge is below
 * the smallest normal double). INFINITY when no power of two was seen to hold. */
double sbl_search_edge(sbl_holds *holds, const void *context);

#endif
