/* SPDX-License-Identifier: Apache-2.0 */
/* What WP sees in place of src/base/int128.h: Frama-C has no 128-bit integers. They have no operations here, so code that
 * computes with them does not parse, and nothing can be proved of it by mistake. */
#ifndef SBL_BASE_INT128_H
#define SBL_BASE_INT128_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sbl_u128 {
    uint64_t words[2];
} sbl_u128;
typedef struct sbl_i128 {
    uint64_t words[2];
} sbl_i128;

#endif
