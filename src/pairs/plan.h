/* What one release of `pairs` measures: a list of tables of counts over maps of the public cells.
 *
 * A map says for every fine cell of a column which cell of a table it belongs to. A table is over
 * one map, or over two of different columns; a record adds 1 to one entry of each table, so one
 * table has squared sensitivity D^2. Maps are part of the plan, so that whoever reads a release
 * needs none of the releases before it. */
#ifndef SBL_PAIRS_PLAN_H
#define SBL_PAIRS_PLAN_H

#include "pairs/setting.h"

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
    size_t map_count, map_room;
    sbl_pairs_table *tables; /* entries row by row: first's cell, then second's */
    size_t table_count, table_room;
} sbl_pairs_plan;

void sbl_pairs_plan_clear(sbl_pairs_plan *plan);

/* Append. `of` is copied. place (may be NULL) receives the map's number. */
sbl_status sbl_pairs_plan_add_map(sbl_pairs_plan *plan, uint32_t *place, const sbl_pairs_map *map,
                                  size_t fine_cells, sbl_error *err);
sbl_status sbl_pairs_plan_add_table(sbl_pairs_plan *plan, uint32_t first, uint32_t second,
                                    double precision, sbl_error *err);

/* Entries of table t. */
size_t sbl_pairs_table_entries(const sbl_pairs_plan *plan, size_t t);

/* Does the plan fit the columns: maps onto their cells, tables over maps that exist, precisions
 * above 0 with a sum of at most 1? For plans that were read from a file.
 * Returns: SBL_OK, SBL_EINPUT, SBL_EMEM */
sbl_status sbl_pairs_plan_check(const sbl_pairs_plan *plan, const sbl_pairs_setting *setting,
                                sbl_error *err);

/* The map of a column at a level, or SBL_PAIRS_NO_MAP. */
uint32_t sbl_pairs_plan_find(const sbl_pairs_plan *plan, uint32_t column, sbl_pairs_level level);

#endif
