/* SPDX-License-Identifier: Apache-2.0 */
/* A whole table in memory as encoded records: what every measure of evaluate/ works on.
 *
 * Holds records: cleared memory is wiped, and whatever is computed from it is NOT PRIVATE. */
#ifndef SBL_FIDELITY_FRAME_H
#define SBL_FIDELITY_FRAME_H

#include "base/progress.h"
#include "owner/fidelity/row_persons.h"
#include "public/rows/codec.h"
#include "records/rows/table.h"

typedef struct sbl_frame {
    const sbl_codec *codec; /* borrowed */
    size_t rows;
    double *numeric;     /* (rows, heads.numeric_count), in [0,1] */
    uint32_t *codes;     /* (rows, heads.categorical_count) */
    uint32_t *persons;   /* (rows), below person_count: whose row each is; NULL: the schema has no unit, or no
                          * row of the table says */
    size_t person_count; /* of some of these no row may be here */
} sbl_frame;

/* Read a table with the reader's rules: a cell that cannot
 * be read is missing, or its column's constant. A table without rows is a valid frame of 0 rows.
 * Out:     frame  cleared by the caller (sbl_frame_clear), empty on failure
 * In:      progress  asked after every batch; may be NULL
 * Returns: SBL_OK, SBL_EINPUT (container or header), SBL_EIO, SBL_EMEM, SBL_ESTOPPED */
sbl_status sbl_frame_read(sbl_frame *frame, const sbl_table *table, const sbl_codec *codec,
                          const sbl_progress_span *progress, sbl_error *err);

/* The same of the first rows: no batch is begun after `most` of them. */
sbl_status sbl_frame_read_first(sbl_frame *frame, const sbl_table *table, const sbl_codec *codec, size_t most,
                                const sbl_progress_span *progress, sbl_error *err);

/* The same for one of several linked tables: rows have no persons, but keyed hashes of their parents
 * (the schema's unit) and, if keys is not NULL, of their own keys. options: unit_key, and with_keys for these.
 * units, keys: empty before; cleared by the caller, empty on failure */
sbl_status sbl_frame_read_keyed(sbl_frame *frame, sbl_row_tags *units, sbl_row_tags *keys,
                                const sbl_table *table, const sbl_codec *codec,
                                const sbl_table_options *options, const sbl_progress_span *progress,
                                sbl_error *err);

/* Append the rows of a batch of the codec's schema. capacity: of the frame, which grows; 0 at first. */
sbl_status sbl_frame_append(sbl_frame *frame, size_t *capacity, const sbl_batch *batch, sbl_error *err);

/* Room for rows records, all zero. */
sbl_status sbl_frame_init(sbl_frame *frame, const sbl_codec *codec, size_t rows, sbl_error *err);

/* A copy of some rows of source, persons with them: row i is row index[i], which is < source->rows.
 * Repeats allowed. */
sbl_status sbl_frame_select(sbl_frame *frame, const sbl_frame *source, const uint32_t *index, size_t count,
                            sbl_error *err);

/* The persons of a frame of as many rows: row i is whose row i of source is. */
sbl_status sbl_frame_copy_persons(sbl_frame *frame, const sbl_frame *source, sbl_error *err);

/* Wipes; safe on a zeroed frame and twice. */
void sbl_frame_clear(sbl_frame *frame);

#endif
