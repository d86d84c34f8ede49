/* SPDX-License-Identifier: Apache-2.0 */
/* Checked size arithmetic: false, and nothing stored, when the result does not fit. */
#ifndef SBL_BASE_SIZE_H
#define SBL_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>

static inline bool sbl_size_mul(size_t *product, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline bool sbl_size_add(size_t *sum, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, sum);
}

#endif
