/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds in which squares and products of features are released: the three algorithms of RON-Gauss,
 * and the pairs of neighbours that matter to them. */
#ifndef SBL_TEST_MOMENT_WORLDS_H
#define SBL_TEST_MOMENT_WORLDS_H

#include "audit/worlds.h"

typedef struct moment_world {
    world w;
    double reach; /* some pair takes up this share of the charge */
} moment_world;

extern const moment_world moment_worlds[];
extern const size_t moment_world_count;
extern const size_t moment_pair_count;

/* Pair number `which` of a world; free_pair() frees it. */
void make_moment_pair(neighbour_pair *pair, const moment_world *m, size_t which);
void free_pair(neighbour_pair *pair);

#endif
