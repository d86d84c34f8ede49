/* Values that many records share beside an otherwise continuous number, declared as "spikes": [0].
 *
 * Each has its own code in the two-way choice that a missing value has (public/schema/encoding_layout.h), and its own
 * cell (public/schema/bins.h), so that "none" does not become "a little". Public, as bounds are.
 *
 * A spike outside the bounds is a *sentinel*, such as 999 for "not asked": a value of the column, but
 * no size. Its number in an encoded record is the column's constant, as that of a missing value is. */
#ifndef SBL_SCHEMA_SPIKES_H
#define SBL_SCHEMA_SPIKES_H

#include "base/json.h"
#include "public/schema/field_fail.h"
#include "public/schema/schema_type.h"

#define SBL_NO_SPIKE ((size_t)-1)

/* The list of a field's semblance object (NULL: none), once its bounds and grid are known: values
 * that the column can hold, each once; a sentinel need only have the column's decimals, whatever its
 * step. Kept in ascending order. */
sbl_status sbl_spikes_parse(sbl_column *column, const json_t *list, const sbl_field_place *at);
/* The list, owned by the caller; NULL when out of memory. */
json_t *sbl_spikes_to_json(const sbl_column *column);

/* For those to whom a number is a number: the columns have no spikes any more, but sentinels. */
void sbl_spikes_forget(sbl_schema *schema);

/* Which spike a value is, after it was put on the column's grid; SBL_NO_SPIKE: none. */
size_t sbl_spikes_find(const sbl_column *column, double value);

/* Does a spike lie outside the bounds? */
static inline bool sbl_spike_is_sentinel(const sbl_column *column, size_t spike)
{
    return column->spikes[spike] < column->minimum || column->spikes[spike] > column->maximum;
}

/* Which sentinel a value is, with the column's decimals; SBL_NO_SPIKE: none. */
static inline size_t sbl_spikes_sentinel(const sbl_column *column, double value)
{
    if (column->spike_count == 0 || (value >= column->minimum && value <= column->maximum))
        return SBL_NO_SPIKE;
    const double held = column->decimals >= 0 ? nearbyint(value * column->scale) / column->scale : value;
    for (size_t i = 0; i < column->spike_count; i++)
        if (column->spikes[i] == held && sbl_spike_is_sentinel(column, i)) return i;
    return SBL_NO_SPIKE;
}

/* Has the column any? */
bool sbl_spikes_have_sentinel(const sbl_column *column);

/* Of a numeric column's indicator: 0 a value as any other, then missing where that is allowed, then
 * the spikes. */
static inline uint32_t sbl_spike_code(const sbl_column *column, size_t spike)
{
    return 1 + (column->missing_allowed ? 1U : 0U) + (uint32_t)spike;
}

#endif
