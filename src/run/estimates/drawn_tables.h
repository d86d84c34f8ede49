/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in memory, each of another draw from the posterior given the releases of a run: as replicates
 * (run/pipeline/replicates.h), but without files. Post-processing. */
#ifndef SBL_ESTIMATES_DRAWN_TABLES_H
#define SBL_ESTIMATES_DRAWN_TABLES_H

#include "after/sinks/sink.h"
#include "base/store/store.h"
#include "run/pipeline/posterior.h"

/* As a table: the rows of all linked tables are wanted. */
#define SBL_EVERY_TABLE ((size_t)-1)

/* What takes them. All calls are made in order by the caller's thread. */
typedef struct sbl_table_taker {
    /* Before anything is fitted. facts: of the tables, borrowed until the end. table: of linked tables, the one whose
     * rows are wanted, or SBL_EVERY_TABLE; it is 0. */
    sbl_status (*begin)(void *context, const sbl_facts *facts, size_t *table, sbl_error *err);
    sbl_take_rows rows;
    /* All rows of a draw were given. whole: persons are drawn with all their rows. */
    sbl_status (*end)(void *context, uint64_t draw, bool whole, sbl_error *err);
    void *context;
    void *const *rows_of; /* contexts of rows(), by table, from begin() on; NULL: context */
} sbl_table_taker;

/* What tables are drawn from. */
typedef struct sbl_drawn_from {
    sbl_store_entry release; /* the first of the run */
    sbl_store_entry model;   /* that was fitted to these releases; store NULL: it is fitted again */
    bool brief;              /* for pictures (run/pipeline/posterior.h) */
} sbl_drawn_from;

/* options: seed, threads, progress
 * Returns: SBL_OK; SBL_EARG: a method without draws; SBL_EINPUT, SBL_EIO, SBL_ESTOPPED, SBL_EMEM; what the taker says */
sbl_status sbl_drawn_tables(const sbl_drawn_from *from, uint64_t draws, const sbl_table_taker *taker,
                            const sbl_synth_options *options, sbl_error *err);

#endif
