/* SPDX-License-Identifier: Apache-2.0 */
/* What WP reads to prove the search of door/noise/constant_flow.h, for any table that rises. The bits that it draws have no part in
 * it; that the shipped table rises is seen entry by entry (proofs/tables/cdt.py). */
#include <stdint.h>

typedef struct no_bits sbl_bit_source;
uint64_t sbl_take_bits(sbl_bit_source *source, unsigned count);

#include "door/noise/constant_flow.h"
