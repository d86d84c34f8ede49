/* A column's numbers: the grid of values that can be written, and the scale [0,1].
 *
 * Every allowed value is k * multiple / 10^decimals for a whole number k in [grid_minimum,
 * grid_maximum], the multiple a whole number that is 1 unless a step is declared: formatting is then
 * exact integer work and can never leave the bounds. Spikes outside the bounds stand apart. */
#include <float.h>
#include <math.h>

#include "schema/schema.h"
#include "schema/spikes.h"

bool sbl_column_is_numeric(const sbl_column *column)
{
    return column->kind == SBL_COLUMN_NUMBER || column->kind == SBL_COLUMN_DATE ||
           column->kind == SBL_COLUMN_DATETIME;
}

uint32_t sbl_column_missing_code(const sbl_column *column)
{
    return (uint32_t)column->categories.count;
}

/* The nearest value within the bounds. */
static double snap_inside(const sbl_column *column, double value)
{
    const double inside = sbl_column_clamp(column, value);
    if (column->decimals < 0) return inside;
    const double whole = sbl_column_grid_whole(column, inside);
    return sbl_column_grid_value(column, whole < column->grid_minimum   ? column->grid_minimum
                                         : whole > column->grid_maximum ? column->grid_maximum
                                                                        : whole);
}

double sbl_column_snap(const sbl_column *column, double value)
{
    const size_t sentinel = sbl_spikes_sentinel(column, value);
    return sentinel != SBL_NO_SPIKE ? column->spikes[sentinel] : snap_inside(column, value);
}

double sbl_column_to_unit(const sbl_column *column, double value)
{
    const double distance = sbl_column_clamp(column, value) - column->minimum;
    const double range = column->maximum - column->minimum;
    if (!(range > 0)) return 0;
    const double unit = column->log_transform ? log1p(distance) / log1p(range) : distance / range;
    return unit < 1 ? unit : 1;
}

double sbl_column_from_unit(const sbl_column *column, double unit)
{
    const double inside = unit >= 0 ? (unit <= 1 ? unit : 1) : 0;
    const double range = column->maximum - column->minimum;
    if (!(range > 0)) return snap_inside(column, column->minimum);
    const double distance = column->log_transform ? expm1(inside * log1p(range)) : inside * range;
    return snap_inside(column, column->minimum + distance);
}
