/* SPDX-License-Identifier: Apache-2.0 */
/* Lookups in an evaluation document. */
#include "owner/evaluate/evaluation_facts.h"

#include <math.h>

static double number(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

double sbl_fact_number_of(const json_t *object, const char *name)
{
    return number(json_object_get(object, name));
}

double sbl_fact_item(const json_t *list, size_t i) { return number(json_array_get(list, i)); }

const char *sbl_fact_text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

sbl_fact_triple sbl_fact_triple_of(const json_t *object, const char *name)
{
    const json_t *triple = json_object_get(object, name);
    return (sbl_fact_triple){sbl_fact_number_of(triple, "synthetic"), sbl_fact_number_of(triple, "floor"),
                             sbl_fact_number_of(triple, "ceiling")};
}

double sbl_fact_within(double value, double low, double high)
{
    if (!(value > low)) return low;
    return value < high ? value : high;
}

double sbl_fact_way(sbl_fact_triple triple, sbl_fact_better better)
{
    const double sign = better == SBL_LOWER_IS_BETTER ? 1.0 : -1.0;
    const double way = sign * (triple.floor - triple.ceiling);
    const double share = way > 1e-9 ? sign * (triple.floor - triple.synthetic) / way : (double)NAN;
    return isnan(share) ? share : sbl_fact_within(100.0 * share, -999.0, 999.0);
}
