/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Gaussian without a branch on anything secret: always the same instructions, always the
 * same number of random words, whatever value comes out.
 *
 * A sum of X_i 32^i, i < levels, of independent discrete Gaussians X_i of scale s0 is within 2^-108
 * of the discrete Gaussian of scale 2^(5 levels + 1) (Micciancio and Walter 2017;
 * docs/mechanisms/noise.md has the bound). Each X_i comes from a 128-bit table of cumulative
 * probabilities by a binary search of fixed length.
 *
 * Include a bit source first (bit_source.h says what it must define). */
#ifndef SBL_NOISE_CONSTANT_FLOW_H
#define SBL_NOISE_CONSTANT_FLOW_H

#include <stddef.h>
#include <stdint.h>

#include "door/noise/cdt_table.h"

/* 2^(5 * 11 + 1) = 2^56. */
#define SBL_CONSTANT_FLOW_LEVELS 11
/* One word of signs, and two for each level. */
#define SBL_CONSTANT_FLOW_WORDS (1 + 2 * SBL_CONSTANT_FLOW_LEVELS)

/* 1 if a < b + borrow, else 0: the borrow out of a - b - borrow (Warren, Hacker's Delight, 2-13).
 */
static inline uint64_t sbl_borrow(uint64_t a, uint64_t b, uint64_t borrow)
{
    return ((~a & b) | ((~a | b) & (a - b - borrow))) >> 63;
}

/* The annotations are for `make prove` (docs/SOUNDNESS.md): CBMC proves what turns on bits, WP the search from it. */
/*@ predicate below(sbl_cdt_entry *entry, integer high, integer low) = entry->high < high || (entry->high == high && entry->low < low);
    predicate rises(sbl_cdt_entry *table, integer n) =
      \forall integer i, j; 0 <= i <= j < n ==>
        table[i].high < table[j].high || (table[i].high == table[j].high && table[i].low <= table[j].low);
*/

/* 1 if entry < the 128-bit integer (high, low), else 0. */
/*@ requires \valid_read(entry);
    assigns \nothing;
    ensures \result == 0 || \result == 1;
    ensures \result == 1 <==> below(entry, high, low);
*/
static inline uint64_t sbl_cdt_below(const sbl_cdt_entry *entry, uint64_t high, uint64_t low)
{
    return sbl_borrow(entry->high, high, sbl_borrow(entry->low, low, 0));
}

/* number if one is 1, and 0 if it is 0. */
/*@ requires one == 0 || one == 1;
    assigns \nothing;
    ensures \result == (one == 1 ? number : 0);
*/
static inline uint64_t sbl_if(uint64_t one, uint64_t number) { return -one & number; }

/* How many entries of the table are below (high, low): |X| for a uniform 128-bit integer. The
 * lengths 870, 435, 218, ... 2, 1 of the search do not depend on it, and no answer is left open at
 * length 1: the last entry, 2^128 - 1, is below nothing. */
/*@ requires rises(&sbl_cdt_table[0], SBL_CDT_ENTRIES);
    requires !below(&sbl_cdt_table[SBL_CDT_ENTRIES - 1], high, low);
    assigns \nothing;
    ensures \result < SBL_CDT_ENTRIES;
    ensures \forall integer i; 0 <= i < \result ==> below(&sbl_cdt_table[i], high, low);
    ensures \forall integer i; \result <= i < SBL_CDT_ENTRIES ==> !below(&sbl_cdt_table[i], high, low);
*/
static inline uint64_t sbl_cdt_lookup(uint64_t high, uint64_t low)
{
    uint64_t first = 0;
    /*@ loop invariant 1 <= length && first + length <= SBL_CDT_ENTRIES;
        loop invariant \forall integer i; 0 <= i < first ==> below(&sbl_cdt_table[i], high, low);
        loop invariant !below(&sbl_cdt_table[first + length - 1], high, low);
        loop assigns first, length;
        loop variant length;
    */
    for (uint64_t length = SBL_CDT_ENTRIES; length > 1; length -= length / 2)
        first += sbl_if(sbl_cdt_below(&sbl_cdt_table[first + length / 2 - 1], high, low), length / 2);
    return first;
}

/* levels <= 11, so that |result| < 2^60. */
static inline int64_t sbl_draw_constant_flow(sbl_bit_source *source, unsigned levels)
{
    const uint64_t signs = sbl_take_bits(source, 64);
    uint64_t sum = 0; /* two's complement: wraps while adding a negative value, by definition */
    for (unsigned level = 0; level < levels; level++) {
        const uint64_t high = sbl_take_bits(source, 64);
        const uint64_t low = sbl_take_bits(source, 64);
        const uint64_t negative = signs >> level & 1;
        sum = 32 * sum + ((sbl_cdt_lookup(high, low) ^ -negative) + negative);
    }
    return (int64_t)sum;
}

#endif
