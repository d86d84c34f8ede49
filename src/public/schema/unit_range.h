/* SPDX-License-Identifier: Apache-2.0 */
/* sbl_column_to_unit() (schema_type.h) for many values of a column: what is the same for all of them is computed once. */
#ifndef SBL_SCHEMA_UNIT_RANGE_H
#define SBL_SCHEMA_UNIT_RANGE_H

#include "public/schema/schema_type.h"

/* 0: the column is constant. */
double sbl_column_unit_range(const sbl_column *column);
/* range: sbl_column_unit_range() of the same column. */
double sbl_column_to_unit_of(const sbl_column *column, double range, double value);

#endif
