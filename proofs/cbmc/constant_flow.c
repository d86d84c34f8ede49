/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the search in the table of the constant-flow sampler that turn on bits. WP proves the search from them
 * (proofs/wp/lookup.c). */
#include <stdint.h>

#include "door/noise/cdt_table.h"
typedef struct tape tape;
typedef tape sbl_bit_source;
uint64_t nondet_bits(void);
static inline uint64_t sbl_take_bits(sbl_bit_source *source, unsigned count)
{
    (void)source;
    const uint64_t word = nondet_bits();
    return count == 0 ? 0 : word >> (64 - count);
}
#include "door/noise/constant_flow.h"

#include "proof.h"

void prove_sbl_borrow(void)
{
    const uint64_t a = nondet_u64(), b = nondet_u64(), borrow = nondet_u64();
    GIVEN(borrow <= 1);
    __extension__ typedef unsigned __int128 wide;
    PROVE(sbl_borrow(a, b, borrow) == ((wide)a < (wide)b + borrow), "it is 1 if a is below b and the borrow");
}

void prove_sbl_cdt_below(void)
{
    const sbl_cdt_entry entry = {nondet_u64(), nondet_u64()};
    const uint64_t high = nondet_u64(), low = nondet_u64();
    __extension__ typedef unsigned __int128 wide;
    PROVE(
        sbl_cdt_below(&entry, high, low) == (((wide)entry.high << 64 | entry.low) < ((wide)high << 64 | low)),
        "it is 1 if the entry is below the number");
}

void prove_sbl_if(void)
{
    const uint64_t one = nondet_u64(), number = nondet_u64();
    GIVEN(one <= 1);
    PROVE(sbl_if(one, number) == (one == 1 ? number : 0), "it is the number, or 0");
}
