/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds in which a record is a 1 in each of a few tables, named by its entries, and the pairs of
 * neighbours that matter to them. */
#ifndef SBL_TEST_ONES_WORLDS_H
#define SBL_TEST_ONES_WORLDS_H

#include "audit/worlds.h"

/* In each, some pair takes up the whole charge. */
extern const world ones_worlds[];
extern const size_t ones_world_count;
extern const size_t ones_pair_count;

/* Pair number `which` of a world; free_pair() of moment_worlds.h frees it. */
void make_ones_pair(neighbour_pair *pair, const world *w, size_t which);

#endif
