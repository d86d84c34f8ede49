/* Small worlds for the audits: a layout, records, and one walk through the door. */
#ifndef SBL_TEST_DOOR_KIT_H
#define SBL_TEST_DOOR_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/charge.h"
#include "accumulate/sum.h"
#include "base/status.h"
#include "release/release.h"

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
    uint64_t bound1; /* L1 bound of a pure world in units of 2^28; 0 means 1 */
} world;

/* Records of one data set: labels[rows], features[rows * width]. */
typedef struct records {
    uint32_t *labels;
    double *features;
    size_t rows;
} records;

#define DOOR_KIT_PLAN "{\"method\":\"audit\",\"version\":1}"

/* A layout for a world; one block "features" with norm bound 2^28. Clear with sbl_layout_clear().
 */
void world_layout(sbl_layout *layout, const world *w);

/* The exact sums, the way the pipeline makes them. batch: rows fed at a time. */
sbl_sum *world_sum(const world *w, const records *data, size_t batch);

/* Multipliers for the world at mu (Gaussian) or epsilon (Laplace): features, then counts. */
void world_multipliers(uint64_t multipliers[2], const world *w, double amount);

/* A ledger with room for any number of releases. */
void make_roomy_ledger(const char *path, sbl_neighbours neighbours);

/* One walk through the door; the ledger must exist. Returns the status, release may be NULL. */
sbl_status walk_through(sbl_release **release, const world *w, const records *data,
                        const uint64_t multipliers[2], const char *ledger_path,
                        const char *release_path, sbl_error *err);

#endif
