/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of several tables, by columns, and the mean distance of tables over pairs of such columns. */
#ifndef SBL_FIDELITY_COLUMN_CODES_H
#define SBL_FIDELITY_COLUMN_CODES_H

#include "owner/fidelity/worst_relations.h"

typedef struct sbl_codes {
    size_t columns;
    uint32_t *sizes;                 /* (columns): codes are below */
    uint32_t *codes[SBL_ROLE_COUNT]; /* (columns, rows of the table) */
    size_t rows[SBL_ROLE_COUNT];
    /* (columns): of persons (sampling_noise.h), borrowed; NULL: rows are independent. */
    const double *effects;
} sbl_codes;

/* Room for codes, sizes and codes 0. rows (SBL_ROLE_COUNT).   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_codes_init(sbl_codes *codes, size_t columns, const size_t *rows, sbl_error *err);
void sbl_codes_clear(sbl_codes *codes); /* wipes */

/* Some rows of each table: of table t those of places[t][i] - back, i < counts[t]. */
sbl_status sbl_codes_pick(sbl_codes *picked, const sbl_codes *codes,
                          const uint32_t *const places[SBL_ROLE_COUNT], const size_t counts[SBL_ROLE_COUNT],
                          uint32_t back, sbl_error *err);

/* What pairs of columns are. */
typedef struct sbl_compared {
    sbl_relation_kind kind;
    const sbl_view *view; /* whose columns the codes are; of SBL_RELATION_ROWS the first are none of them */
} sbl_compared;

/* Mean total variation distance over pairs of a column of `first` and one of `second`, which have as many rows:
 * pair i is list[i] / second->columns and list[i] % second->columns. second NULL: of single columns list[i].
 * No list, no distance. what: as what the pairs are kept in tables->relations; NULL: not at all. */
sbl_status sbl_codes_distance(sbl_triple mean, const sbl_tables *tables, const sbl_codes *first,
                              const sbl_codes *second, const uint32_t *list, size_t count,
                              const sbl_compared *what, const sbl_progress_span *progress, sbl_error *err);

#endif
