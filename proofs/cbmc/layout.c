/* SPDX-License-Identifier: Apache-2.0 */
/* A block of a layout that is accepted: rows_cap rows of its largest coordinate stay within 2^62, and its bounds are in range. */
#include "records/accumulate/layout.c"

#include "proof.h"

static uint64_t root;
uint64_t sbl_u128_sqrt_floor(sbl_u128 value)
{
    (void)value;
    return root;
}

void prove_block_fault(void)
{
    const sbl_block block = {.width = nondet_size(),
                             .group = nondet_size(),
                             .bound2 = nondet_u64(),
                             .bound1 = nondet_u64(),
                             .scale = nondet_double(),
                             .survival_bits = nondet_u32()};
    const uint64_t cap = nondet_u64();
    root = nondet_u64();
    GIVEN(block.group == 0 && block.width != 0);
    GIVEN((root == 0) == (block.bound2 == 0) &&
          root <= UINT32_MAX); /* floor(sqrt(bound2)), proofs/cbmc/int128.c */
    if (block_fault(&block, cap) != NULL) return;
    PROVE(cap <= ((uint64_t)1 << 62) / root, "the cap times the largest coordinate is at most 2^62");
    PROVE(block.bound2 <= (uint64_t)1 << 60, "bound2 is in its range");
    PROVE(block.bound1 <= (uint64_t)1 << 62, "bound1 is in its range");
    PROVE(block.width >= 1 && block.width <= (uint64_t)1 << 32,
          "the width is one that the clip is proved for");
    PROVE(block.scale > 0 && block.scale <= __DBL_MAX__, "the scale is one that quantising is proved for");
}

/* The clip of a block of persons is its form: it must be exactly that one. */
void prove_persons_fault(void)
{
    sbl_block block = {.width = nondet_size(),
                       .bound2 = nondet_u64(),
                       .bound1 = nondet_u64(),
                       .scale = nondet_double(),
                       .per_class = nondet_bool(),
                       .nonnegative = nondet_bool(),
                       .withheld = nondet_bool(),
                       .group = nondet_size(),
                       .outer = nondet_size(),
                       .name = "persons",
                       .kind = SBL_BLOCK_PERSONS};
    const sbl_layout layout = {
        .blocks = &block, .block_count = 1, .classes = 1, .rows_per_unit = nondet_u64()};
    if (persons_fault(&layout, 0) != NULL) return;
    PROVE(block.bound2 == 1 && block.bound1 == 1, "a person is a 1: both bounds are 1");
    PROVE(block.width == layout.rows_per_unit && layout.rows_per_unit != 0,
          "there is a bin for each number of rows");
    PROVE(block.nonnegative && !block.per_class && !block.withheld, "in one way only");
}
sbl_block sbl_block_of_persons(uint64_t rows_per_unit)
{
    return (sbl_block){.width = rows_per_unit, .name = "persons"};
}
