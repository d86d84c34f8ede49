/* SPDX-License-Identifier: Apache-2.0 */
/* Values with a category of their own, kept sorted. One inside the bounds must lie on the column's
 * grid; a sentinel outside need only have its decimals. */
#include "public/schema/spikes.h"

#include <math.h>

#define LARGEST_WHOLE 9007199254740992.0 /* 2^53: below it every whole number is a double */

/* Within the bounds a value of the grid; outside any with the column's decimals. */
static bool can_hold(const sbl_column *column, double spike)
{
    if (!isfinite(spike)) return false;
    if (spike >= column->minimum && spike <= column->maximum) return sbl_column_snap(column, spike) == spike;
    if (column->decimals < 0) return true;
    const double whole = nearbyint(spike * column->scale);
    return fabs(whole) < LARGEST_WHOLE && whole / column->scale == spike;
}

static sbl_status read_spike(double *spike, const sbl_column *column, const json_t *value,
                             const sbl_field_place *at)
{
    if (!json_is_number(value))
        return sbl_fail_column(at, "has an entry in semblance.spikes that is not a number");
    *spike = json_number_value(value) + 0.0; /* -0 is 0 */
    if (!can_hold(column, *spike))
        return sbl_fail_column(
            at,
            "has an entry in semblance.spikes that is between its decimals or steps, or too large for them");
    return SBL_OK;
}

sbl_status sbl_spikes_parse(sbl_column *column, const json_t *list, const sbl_field_place *at)
{
    if (list == NULL) return SBL_OK;
    if (column->kind != SBL_COLUMN_NUMBER || column->type == SBL_TYPE_TIME)
        return sbl_fail_column(at, "has semblance.spikes, which is for bounded numbers");
    if (!json_is_array(list) || json_array_size(list) > SBL_MOST_SPIKES)
        return sbl_fail_column(at, "has semblance.spikes that is not a list of at most %d numbers",
                               SBL_MOST_SPIKES);
    for (size_t i = 0; i < json_array_size(list); i++) {
        double spike = 0;
        const sbl_status status = read_spike(&spike, column, json_array_get(list, i), at);
        if (status != SBL_OK) return status;
        if (sbl_spikes_find(column, spike) != SBL_NO_SPIKE)
            return sbl_fail_column(at, "lists a value twice in semblance.spikes: remove one");
        size_t place = column->spike_count++;
        for (; place > 0 && column->spikes[place - 1] > spike; place--)
            column->spikes[place] = column->spikes[place - 1];
        column->spikes[place] = spike;
    }
    return SBL_OK;
}

json_t *sbl_spikes_to_json(const sbl_column *column)
{
    json_t *list = json_array();
    for (size_t i = 0; i < column->spike_count; i++)
        list = sbl_json_append(list, json_real(column->spikes[i]));
    return list;
}

void sbl_spikes_forget(sbl_schema *schema)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        sbl_column *column = &schema->columns[i];
        size_t kept = 0;
        for (size_t s = 0; s < column->spike_count; s++)
            if (sbl_spike_is_sentinel(column, s)) column->spikes[kept++] = column->spikes[s];
        column->spike_count = kept;
    }
}

size_t sbl_spikes_find(const sbl_column *column, double value)
{
    if (column->spike_count == 0) return SBL_NO_SPIKE;
    const double held = sbl_column_snap(column, value);
    for (size_t i = 0; i < column->spike_count; i++)
        if (column->spikes[i] == held) return i;
    return SBL_NO_SPIKE;
}

bool sbl_spikes_have_sentinel(const sbl_column *column)
{
    for (size_t i = 0; i < column->spike_count; i++)
        if (sbl_spike_is_sentinel(column, i)) return true;
    return false;
}
