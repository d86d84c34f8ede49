/* SPDX-License-Identifier: Apache-2.0 */
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

#endif
