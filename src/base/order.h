/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles in ascending order, for qsort. */
#ifndef SBL_BASE_ORDER_H
#define SBL_BASE_ORDER_H

static inline int sbl_double_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
