/* Doubling or halving from 1 until the edge is enclosed, then 50 bisections. The upper end is
 * always one for which the predicate was seen to hold. */
#include "account/search.h"

#include <float.h>
#include <math.h>

double sbl_search_edge(sbl_holds *holds, const void *context)
{
    double high = 1.0;
    while (high <= DBL_MAX && !holds(high, context)) high *= 2.0;
    if (high > DBL_MAX) return INFINITY;
    double low = high / 2.0;
    while (low > DBL_MIN && holds(low, context)) {
        high = low;
        low /= 2.0;
    }
    for (int step = 0; step < 50; step++) {
        const double middle = low + (high - low) / 2.0;
        if (holds(middle, context))
            high = middle;
        else
            low = middle;
    }
    return high;
}
