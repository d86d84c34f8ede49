/* SPDX-License-Identifier: Apache-2.0 */
/* Small worlds for the audits: a layout, records, and one walk through the door. */
#ifndef SBL_TEST_DOOR_KIT_H
#define SBL_TEST_DOOR_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "door/release/release.h"
#include "public/account/charge.h"
#include "records/accumulate/sum.h"

/* What is released. All audits run over every world the core can enforce today. */
typedef struct world {
    const char *name;
    size_t width; /* of block "features" */
    size_t group; /* 0 or a divisor of width */
    size_t classes;
    bool per_class;
    bool counts;
    bool nonnegative;
    sbl_mechanism mechanism;
    sbl_neighbours neighbours;
    uint64_t bound1; /* L1 bound of a pure world in units of the norm bound; 0 means 1 */
    size_t outer;    /* moments of the first so many features are released too; 0: none are */
    bool withheld;   /* then only they are, not the features */
    double norm;     /* the features' norm is at most this; 0 means 1 */
    /* Beside moments: weights of the features, the moments and the counts, each times what one
     * record has at most of them; and of the products, of the squares' (0: as much as is free). */
    double weights[4];
    /* Not 0: a record is so many entries, which name the coordinates of its ones; it is held to a
     * norm of sqrt(bound1) and a sum of bound1. */
    size_t ones;
} world;

#define WORLD_NOISY_MAX 4 /* blocks of a release: features, squares, products, counts */

/* Records of one data set: labels[rows], features[rows * width], or in a world of ones the entries,
 * [rows * ones]. */
typedef struct records {
    uint32_t *labels;
    double *features;
    size_t rows;
} records;

#define DOOR_KIT_PLAN "{\"method\":\"audit\",\"version\":1}"

/* A layout for a world; one block "features" with norm bound 2^28, or with norm bound 2^14, its
 * squares and its products, or ones. Clear with sbl_layout_clear(). */
void world_layout(sbl_layout *layout, const world *w);

/* The exact sums, the way the pipeline makes them. batch: rows fed at a time. */
sbl_sum *world_sum(const world *w, const records *data, size_t batch);

/* Multipliers for the world at mu (Gaussian) or epsilon (Laplace), one per noisy block. */
void world_multipliers(uint64_t *multipliers, const world *w, double amount);

/* A ledger with room for any number of releases. */
void make_roomy_ledger(const char *path, sbl_neighbours neighbours);

/* One walk through the door; the ledger must exist. Returns the status, release may be NULL. */
sbl_status walk_through(sbl_release **release, const world *w, const records *data,
                        const uint64_t *multipliers, const char *ledger_path, const char *release_path,
                        sbl_error *err);

#endif
