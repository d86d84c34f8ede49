/* SPDX-License-Identifier: Apache-2.0 */
/* [2] From a number to its place between the public bounds, linear or logarithmic. */
#include "public/schema/unit_range.h"

#include <math.h>

double sbl_column_unit_range(const sbl_column *column)
{
    const double range = column->maximum - column->minimum;
    if (!(range > 0)) return 0;
    return column->log_transform ? log1p(range) : range;
}

double sbl_column_to_unit_of(const sbl_column *column, double range, double value)
{
    const double distance = sbl_column_clamp(column, value) - column->minimum;
    if (!(range > 0)) return 0;
    const double unit = (column->log_transform ? log1p(distance) : distance) / range;
    return unit < 1 ? unit : 1;
}

double sbl_column_to_unit(const sbl_column *column, double value)
{
    return sbl_column_to_unit_of(column, sbl_column_unit_range(column), value);
}
