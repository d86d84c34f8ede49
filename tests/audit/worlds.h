/* SPDX-License-Identifier: Apache-2.0 */
/* The worlds every audit walks through, and the pairs of neighbours it compares. */
#ifndef SBL_TEST_WORLDS_H
#define SBL_TEST_WORLDS_H

#include "support/door_kit.h"

#define WORLD_ROWS 10
#define WORLD_MAX_WIDTH 32

/* Fields of a world, in short. */
#define GAUSS .mechanism = SBL_DISCRETE_GAUSSIAN
#define PURE_LAPLACE .mechanism = SBL_DISCRETE_LAPLACE
#define REPLACE_ONE .neighbours = SBL_REPLACE_ONE
#define ADD_REMOVE .neighbours = SBL_ADD_REMOVE
#define LABELS(n) .classes = n, .per_class = true
#define WITH_COUNTS .counts = true
#define NONNEGATIVE .nonnegative = true

extern const world audit_worlds[];
extern const size_t audit_world_count;

/* Two neighbouring data sets. For add-remove, the second lacks the first one's last row. */
typedef struct neighbour_pair {
    const char *name;
    records first, second;
    bool tight; /* this pair should come within 1 % of the joint sensitivity */
} neighbour_pair;

#define PAIR_COUNT 13
/* Fills pairs[PAIR_COUNT]; free with free_pairs(). */
void make_pairs(neighbour_pair *pairs, const world *w);
void free_pairs(neighbour_pair *pairs);

#endif
