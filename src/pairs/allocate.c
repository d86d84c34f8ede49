/* Water filling: each table's slope is tabulated at 49 precisions, and a bisection on the common
 * slope t gives every table its precision, scaled in the end to the budget exactly. */
#include "pairs/allocate.h"

#include <math.h>

#define MEAN_ABS 0.79788456080286536 /* E |N(0,1)| = sqrt(2 / pi) */
#define LOWEST 1e-6                  /* precision of the first point, of the budget */
#define STEPS 100

double sbl_allocate_point(size_t point, double budget)
{
    if (point == 0) return 0;
    const double part = (double)(point - 1) / (SBL_SLOPE_POINTS - 2);
    return budget * pow(LOWEST, 1 - part);
}

/* d/dw of .798 weight sqrt(s / (1 + s w)), without its sign. */
void sbl_slopes_add(sbl_slopes *slopes, double variance, double weight, double budget)
{
    if (!(variance > 0)) return;
    const double step = pow(LOWEST, -1.0 / (SBL_SLOPE_POINTS - 2));
    const double top = 0.5 * MEAN_ABS * weight * variance * sqrt(variance);
    double precision = budget * LOWEST;
    slopes->at[0] += top;
    for (size_t i = 1; i < SBL_SLOPE_POINTS; i++) {
        const double shrink = 1 / (1 + variance * precision);
        slopes->at[i] += top * shrink * sqrt(shrink);
        precision *= step;
    }
}

/* The precision at which the slope is t, between points by the straight line of logarithms. */
static double precision_at(const sbl_slopes *slopes, double t, double budget)
{
    size_t low = 0, high = SBL_SLOPE_POINTS - 1;
    if (!(slopes->at[0] > t)) return 0;
    if (slopes->at[high] >= t) return budget;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (slopes->at[middle] >= t)
            low = middle;
        else
            high = middle;
    }
    const double above = slopes->at[low], below = slopes->at[high];
    const double a = sbl_allocate_point(low, budget), b = sbl_allocate_point(high, budget);
    if (low == 0) return b * (above - t) / (above - below);
    return a * pow(b / a, log(above / t) / log(above / below));
}

static double give(double *precision, const sbl_slopes *tables, size_t count, double t,
                   double budget, double least)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        precision[i] = precision_at(&tables[i], t, budget);
        if (precision[i] < least * budget) precision[i] = 0;
        sum += precision[i];
    }
    return sum;
}

void sbl_allocate(double *precision, const sbl_slopes *tables, size_t count, double budget,
                  double least)
{
    double high = 0;
    for (size_t i = 0; i < count; i++) high = fmax(high, tables[i].at[0]);
    double low = high * 1e-30;
    for (int step = 0; high > 0 && step < STEPS; step++) {
        const double t = sqrt(low) * sqrt(high);
        if (give(precision, tables, count, t, budget, least) > budget)
            low = t;
        else
            high = t;
    }
    /* At `high` too little is given or just enough, at `low` too much; `least` makes steps. */
    double sum = give(precision, tables, count, high, budget, least);
    if (!(sum > 0)) sum = give(precision, tables, count, low, budget, least);
    for (size_t i = 0; i < count; i++) precision[i] *= sum > 0 ? budget / sum : 0;
}
