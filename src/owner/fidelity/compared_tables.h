/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that an evaluation compares, and what it compares with what.
 *
 *   synthetic  the synthetic table against the real one
 *   floor      the real columns, each shuffled on its own, against the real table: what is left of a
 *              table when every relation between its columns is lost; whose row it is stays
 *   ceiling    real against real: the training table against the real one, or, where there is no
 *              training table, two random halves of the real one: of its persons where the schema has a
 *              unit, else of its rows
 *
 * With a training table the floor is made from it. Shuffles and halves come from a public seed. */
#ifndef SBL_FIDELITY_COMPARED_TABLES_H
#define SBL_FIDELITY_COMPARED_TABLES_H

#include <jansson.h>

#include "base/progress.h"
#include "owner/fidelity/frame.h"
#include "owner/fidelity/view.h"

typedef enum sbl_table_role {
    SBL_ROLE_REAL,
    SBL_ROLE_SYNTHETIC,
    SBL_ROLE_FLOOR,
    SBL_ROLE_CEILING,
    SBL_ROLE_OTHER_HALF, /* without a training table: what the ceiling is compared with */
    SBL_ROLE_COUNT
} sbl_table_role;

typedef enum sbl_pair { SBL_PAIR_SYNTHETIC, SBL_PAIR_FLOOR, SBL_PAIR_CEILING, SBL_PAIR_COUNT } sbl_pair;

/* What measures add distances to (worst_relations.h). */
typedef struct sbl_relations sbl_relations;

typedef struct sbl_tables {
    sbl_frame frames[SBL_ROLE_COUNT]; /* one that does not exist has no rows */
    sbl_frame utility_floor;          /* what a model for the floor is trained on */
    bool has_train;
    uint64_t seed;
    int threads;
    /* The part that is being measured. A stop is returned as SBL_ESTOPPED elsewhere: the result and the status of
     * the measure are then discarded. */
    sbl_progress_span progress;
    sbl_relations *relations; /* where distances of relations are kept, borrowed; NULL: nowhere */
} sbl_tables;

/* Streams of public randomness, one for each use. */
typedef enum sbl_evaluate_stream {
    SBL_STREAM_HALVES = 0x45560000,
    SBL_STREAM_FLOOR,
    SBL_STREAM_UTILITY_FLOOR,
    SBL_STREAM_SETS,
    SBL_STREAM_KERNEL,
    SBL_STREAM_QUERIES,
    SBL_STREAM_REFERENCE,
    SBL_STREAM_HISTORIES
} sbl_evaluate_stream;

/* tables->frames[REAL], [SYNTHETIC] and, with has_train, [CEILING] are read already: make the rest.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_tables_complete(sbl_tables *tables, const sbl_view *view, sbl_error *err);
void sbl_tables_clear(sbl_tables *tables);

/* The two tables of a pair; false where there is none. */
bool sbl_tables_pair(sbl_table_role sides[2], const sbl_tables *tables, sbl_pair pair);

/* Frames for train on X, test on real: with a training table that one and the real table, else the
 * two halves. *train is NULL where there are too few rows. */
void sbl_tables_utility(const sbl_frame **train, const sbl_frame **test, const sbl_tables *tables);

/* At most limit different rows of 0 .. rows - 1, all in order where they are not more, otherwise a
 * uniform sample in random order. Owner: the caller, sbl_free(); NULL when out of memory. */
uint32_t *sbl_sample_rows(size_t *count, size_t rows, size_t limit, uint64_t seed, uint64_t stream);

/* One number for each pair; NaN where there is none. */
typedef double sbl_triple[SBL_PAIR_COUNT];

/* {"synthetic", "floor", "ceiling"}, null where a number is not finite; NULL when out of memory. */
json_t *sbl_triple_json(const sbl_triple values);
/* A number, or null where it is not finite. */
json_t *sbl_number_json(double value);

#endif
