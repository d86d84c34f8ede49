/* SPDX-License-Identifier: Apache-2.0 */
/* The plan and the layout of the parts that are fuzzed: of a hash and a key of zeros, so that a corpus stays good. */
#ifndef SBL_TESTS_FUZZ_PART_PLAN_H
#define SBL_TESTS_FUZZ_PART_PLAN_H

#include "records/shards/shard_file.h"

static sbl_block part_blocks[] = {
    {.name = "embed", .width = 3, .per_class = true, .bound2 = 1 << 20, .scale = 2.5},
    {.name = "sizes", .width = 2, .bound2 = 1 << 10, .scale = 1},
};
static const sbl_layout part_layout = {
    .blocks = part_blocks, .block_count = 2, .classes = 2, .counts = true, .rows_cap = 1 << 20};
static const sbl_plan_file part_plan = {.epsilon = 1};

#endif
