/* Values that many records share beside an otherwise continuous number, declared as "spikes": [0].
 *
 * Each has its own code in the two-way choice that a missing value has (schema/heads.h), and its own
 * cell (schema/cells.h), so that "none" does not become "a little". Public, as bounds are. */
#ifndef SBL_SCHEMA_SPIKES_H
#define SBL_SCHEMA_SPIKES_H

#include "base/json.h"
#include "schema/field_fail.h"
#include "schema/schema.h"

#define SBL_NO_SPIKE ((size_t)-1)

/* The list of a field's semblance object (NULL: none), once its bounds and grid are known: values
 * that the column can hold, each once. Kept in ascending order. */
sbl_status sbl_spikes_parse(sbl_column *column, const json_t *list, const sbl_field_place *at);
/* The list, owned by the caller; NULL when out of memory. */
json_t *sbl_spikes_to_json(const sbl_column *column);

/* For those to whom a number is a number: the columns have no spikes any more. */
void sbl_spikes_forget(sbl_schema *schema);

/* Which spike a value is, after it was put on the column's grid; SBL_NO_SPIKE: none. */
size_t sbl_spikes_find(const sbl_column *column, double value);

/* Of a numeric column's indicator: 0 a value as any other, then missing where that is allowed, then
 * the spikes. */
static inline uint32_t sbl_spike_code(const sbl_column *column, size_t spike)
{
    return 1 + (column->missing_allowed ? 1U : 0U) + (uint32_t)spike;
}

#endif
