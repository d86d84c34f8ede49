/* SPDX-License-Identifier: Apache-2.0 */
/* What the method `pairs` knows before any release: public facts about the columns, the number of
 * rows, the budget. Nothing here, and nothing in this folder, has ever seen a record.
 *
 * `pairs` fits a pairwise maximum-entropy model to noisy tables of counts. In each table a record
 * is a single 1, so with noise of standard deviation s_t on table t the whole costs
 *     mu^2 = D^2 sum_t 1 / s_t^2,   D^2 = 1 (add-remove) or 2 (replace-one),
 * and what is bought is a list of precisions 1 / s_t^2. docs/mechanisms/pairs.md has the method. */
#ifndef SBL_COUNTS_PAIRS_PLAN_H
#define SBL_COUNTS_PAIRS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "public/schema/bins.h"

#define SBL_PAIRS_NO_COLUMN ((size_t)-1)
#define SBL_PAIRS_MOST_CELLS 65535u /* of a column: codes have 16 bits */

typedef enum sbl_pairs_kind {
    SBL_PAIRS_CATEGORIES, /* no order */
    SBL_PAIRS_RANKS,      /* categories whose neighbours are alike */
    SBL_PAIRS_NUMBER      /* intervals or single values of a number */
} sbl_pairs_kind;

/* One column over its public fine cells. */
typedef struct sbl_pairs_column {
    sbl_pairs_kind kind;
    uint32_t cells;   /* 1 .. SBL_PAIRS_MOST_CELLS */
    uint32_t ordered; /* the first of them, which lie in order; the rest (a missing value) stand
                         apart. 0 for CATEGORIES */
    bool missing;     /* one of them is for missing values (sbl_pairs_missing) */
    uint32_t levels;  /* CATEGORIES: of a public hierarchy over them; 0: none */
    /* (levels, cells that are not missing), borrowed from the bins. */
    const uint32_t *ancestors;
} sbl_pairs_column;

#define SBL_PAIRS_NO_CELL UINT32_MAX
/* The cell of missing values: the first that stands apart, of categories the last. */
static inline uint32_t sbl_pairs_missing(const sbl_pairs_column *column)
{
    if (!column->missing) return SBL_PAIRS_NO_CELL;
    return column->kind == SBL_PAIRS_NUMBER ? column->ordered : column->cells - 1;
}

/* Whether tables of trees join those of pairs (after/forest/forest.h). */
typedef enum sbl_forest_use {
    SBL_FOREST_NEVER,
    SBL_FOREST_PROBED, /* where a paid probe says that there is something to see */
    SBL_FOREST_ALWAYS
} sbl_forest_use;

#define SBL_FOREST_TARGETS 8 /* columns that a probe of trees asks about at most */

typedef struct sbl_pairs_setting {
    const sbl_pairs_column *columns; /* borrowed */
    size_t count;                    /* K >= 1 */
    size_t label;                    /* its pairs matter more than others'; SBL_PAIRS_NO_COLUMN: none does */
    double rows;                     /* n: public, or a released estimate; at least 1 */
    double mu;                       /* of all releases together (Gaussian differential privacy); > 0 */
    double sensitivity2;   /* D^2 of one table: 1 or 2, times k^2 where up to k rows of a person count */
    bool one_round;        /* all tables in one release */
    double label_share;    /* of mu^2, to the label's pairs at least: the owner's choice; 0: by rule */
    sbl_forest_use forest; /* tables of trees beside those of pairs, where there is a sketch */
    size_t targets[SBL_FOREST_TARGETS]; /* columns that trees are for, where they were named */
    size_t target_count;                /* 0: the label; without one, those that a probe names */
    uint64_t seed;                      /* public randomness of the fit */
} sbl_pairs_setting;

/* Which tables the budget can pay for. */
typedef enum sbl_pairs_course {
    SBL_PAIRS_ONE_WAY, /* one-way tables only: independent columns */
    SBL_PAIRS_LABEL,   /* and pairs with the label */
    SBL_PAIRS_SKETCH,  /* one-way, a sketch of all pairs, then precise tables of those that matter */
    SBL_PAIRS_ALL      /* one release: one-way and all pairs over a public grid */
} sbl_pairs_course;

#define SBL_PAIRS_MOST_ROUNDS 3
#define SBL_PAIRS_LABEL_SHARE 0.45 /* of mu^2, to the label's pairs at most */

typedef struct sbl_pairs_shape {
    sbl_pairs_course course;
    size_t rounds;                       /* releases */
    double share[SBL_PAIRS_MOST_ROUNDS]; /* of mu^2, by release; they sum to 1 */
    bool forest;                         /* trees are grown, or probed for at least; see forest.h */
    double pair_share;                   /* of mu^2: pair tables of a course without a sketch; else 0 */
    double resolution;                   /* groups a column at which a sketch cell holds 1.2 noises */
    double label_resolution;             /* the same with the label's pairs alone */
    /* Of mu^2, to precise tables of the label's pairs at least, where there is a sketch. */
    double label_share;
} sbl_pairs_shape;

/* Refuses impossible facts, naming the column by its number.   Returns: SBL_OK, SBL_EARG */
sbl_status sbl_pairs_setting_check(const sbl_pairs_setting *setting, sbl_error *err);

/* The course and its shares follow from public facts alone. */
sbl_pairs_shape sbl_pairs_shape_of(const sbl_pairs_setting *setting);

/* D / mu: the standard deviation of a table that had the whole budget. */
double sbl_pairs_unit_noise(const sbl_pairs_setting *setting);

/* How many equal cells a number that has not few values should be cut into: F = 8 floor(
 * 2.6 (n mu / (D sqrt K))^.63 / 8), from 24 to 128. Integers of up to SBL_PAIRS_SINGLES values get
 * one cell each; a logarithmic column SBL_PAIRS_LINEAR(F) linear cells beside F / 2 logarithmic
 * ones: the arguments of sbl_bins_init_joint(). */
size_t sbl_pairs_bins(double rows, size_t columns, double mu, double sensitivity2);
#define SBL_PAIRS_SINGLES 128
#define SBL_PAIRS_LINEAR(bins) (8 * ((bins) < 16 ? 1 : (bins) / 16))

/* A column's facts from its public cells. */
sbl_pairs_column sbl_pairs_column_of(const sbl_bins_column *cells);

/* Number of the pair of columns first < second among K (K - 1) / 2, by first, then second. */
static inline size_t sbl_pairs_index(size_t first, size_t second, size_t columns)
{
    return first * (2 * columns - first - 1) / 2 + (second - first - 1);
}

/* What one release of `pairs` measures: a list of tables of counts over maps of the public cells.
 *
 * A map says for every fine cell of a column which cell of a table it belongs to. A table is over
 * one map, or over two of different columns; a record adds 1 to one entry of each table, so one
 * table has squared sensitivity D^2. Maps are part of the plan, so a release can be read without the
 * releases before it. */

#define SBL_PAIRS_NO_MAP UINT32_MAX

typedef enum sbl_pairs_level {
    SBL_PAIRS_FINE,   /* the public cells themselves */
    SBL_PAIRS_COARSE, /* runs of them, in order: the upper level of a histogram in two levels */
    SBL_PAIRS_CODES,  /* what the model knows: public cells merged where they are light */
    SBL_PAIRS_GROUPS  /* codes merged for the sketch */
} sbl_pairs_level;

typedef struct sbl_pairs_map {
    sbl_pairs_level level;
    uint32_t column;
    uint32_t cells; /* of the map: its values are 0 .. cells - 1, each taken */
    uint32_t *of;   /* (the column's cells), owned */
} sbl_pairs_map;

typedef struct sbl_pairs_table {
    uint32_t first, second; /* maps; second SBL_PAIRS_NO_MAP: a one-way table */
    double precision;       /* share of mu^2: its noise is D / (mu sqrt(precision)) */
} sbl_pairs_table;

typedef struct sbl_pairs_plan {
    sbl_pairs_map *maps;
    size_t map_count, map_capacity;
    sbl_pairs_table *tables; /* entries row by row: first's cell, then second's */
    size_t table_count, table_capacity;
    sbl_pool pool; /* of the maps */
} sbl_pairs_plan;

void sbl_pairs_plan_clear(sbl_pairs_plan *plan);

/* Append. `of` is copied. place (may be NULL) receives the map's number. */
sbl_status sbl_pairs_plan_add_map(sbl_pairs_plan *plan, uint32_t *place, const sbl_pairs_map *map,
                                  size_t fine_cells, sbl_error *err);
sbl_status sbl_pairs_plan_add_table(sbl_pairs_plan *plan, uint32_t first, uint32_t second, double precision,
                                    sbl_error *err);

/* Entries of table t. */
size_t sbl_pairs_table_entries(const sbl_pairs_plan *plan, size_t t);

/* Does the plan fit the columns: maps onto their cells, tables over maps that exist, precisions
 * above 0 with a sum of at most 1? For plans that were read from a file.
 * Returns: SBL_OK, SBL_EINPUT, SBL_EMEM */
sbl_status sbl_pairs_plan_check(const sbl_pairs_plan *plan, const sbl_pairs_setting *setting, sbl_error *err);

#endif
