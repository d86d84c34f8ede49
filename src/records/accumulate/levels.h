/* SPDX-License-Identifier: Apache-2.0 */
/* Records that are levels of a few coordinates, and the public tables that turn a level into a vector of
 * integers. They serve blocks that bound not only the norm of a record but also the distance between any
 * two records.
 *
 * A clip sees one record and cannot bound the distance between two. So the integers are looked up, never
 * computed from a record, and every pair of rows of every table is compared when the tables are made, in
 * exact integers: |t|^2 <= M and |t - t'|^2 <= 2 M. A part of a block is the outer product of the rows of
 * some coordinates, and the bounds of its tables carry over to it:
 *     |s (x) u|^2 <= M_s M_u,   |s (x) u - s' (x) u'|^2 <= 2 M_s M_u     (docs/mechanisms/hp.md),
 * with room left for the rounding of the products. So any two records of the block are at most sqrt(2
 * bound2) apart, while a signed vector of the same norm could move by 2 sqrt(bound2). */
#ifndef SBL_ACCUMULATE_LEVELS_H
#define SBL_ACCUMULATE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"

#define SBL_LEVELS_MOST_FACTORS 16 /* coordinates of a part */
#define SBL_LEVELS_MOST 65536      /* levels of a coordinate */

/* The vectors of a coordinate's levels, each of norm at most 1, any two at most sqrt 2 apart.
 * rows (levels, width); NULL: level l is unit vector number l, and width is levels. */
typedef struct sbl_level_table {
    size_t levels, width;
    const double *rows;
} sbl_level_table;

typedef struct sbl_level_factor {
    size_t coordinate;
    size_t table;
} sbl_level_factor;

/* The outer product of its factors' rows, the first one slowest; each coordinate once. */
typedef struct sbl_level_part {
    const sbl_level_factor *factors;
    size_t count; /* 1 .. SBL_LEVELS_MOST_FACTORS */
} sbl_level_part;

typedef struct sbl_levels_rule {
    size_t coordinates; /* of a record; the tables of one coordinate all have as many levels */
    const sbl_level_table *tables;
    size_t table_count;
    const sbl_level_part *parts; /* side by side; equal shares of bound2 */
    size_t part_count;
    uint64_t bound2; /* of the block */
} sbl_levels_rule;

typedef struct sbl_levels sbl_levels;

/* Everything is copied; nothing changes afterwards.
 * Returns: SBL_OK; SBL_EARG for a rule that makes no sense, a grid too coarse for it, a table that
 * breaks its bounds; SBL_EMEM */
sbl_status sbl_levels_new(sbl_levels **levels, const sbl_levels_rule *rule, sbl_error *err);
void sbl_levels_free(sbl_levels *levels); /* NULL is fine */

size_t sbl_levels_width(const sbl_levels *levels); /* of the block */
uint64_t sbl_levels_bound2(const sbl_levels *levels);
double sbl_levels_scale(const sbl_levels *levels); /* grid units of a unit of a part */
size_t sbl_levels_coordinates(const sbl_levels *levels);
size_t sbl_levels_of(const sbl_levels *levels, size_t coordinate); /* 1 where it has no part */
const uint8_t *sbl_levels_hash(const sbl_levels *levels);          /* of every integer in it */

/* ---- for sum_levels.c ---- */

/* Histograms of the levels of all coordinates that have a part of their own, side by side. */
size_t sbl_levels_cells(const sbl_levels *levels);
/* Integers of room that sbl_levels_add_row needs. */
size_t sbl_levels_workspace(const sbl_levels *levels);
/* One record: a 1 into the histograms, its outer products into the sums. A level that does not
 * exist is level 0. */
void sbl_levels_add_row(const sbl_levels *levels, int32_t *cells, int64_t *sums, const uint32_t *row,
                        int32_t *room);
/* The records of the histograms into the sums: counts times tables. */
void sbl_levels_fold(const sbl_levels *levels, int64_t *sums, const int32_t *cells);

#endif
