/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a model in memory, some at a time: for those who take them as they come. Post-processing. */
#ifndef SBL_PIPELINE_ROW_STREAM_H
#define SBL_PIPELINE_ROW_STREAM_H

#include "after/sinks/sink.h"
#include "base/error.h"
#include "public/rows/encoded_records.h"
#include "run/pipeline/sample_size.h"

typedef struct sbl_row_stream sbl_row_stream;

/* What takes them: rows of a table (after/sinks/sink.h), or images. */
typedef sbl_status (*sbl_take_images)(void *context, const sbl_drawn *images, size_t count, uint64_t first,
                                      sbl_error *err);
typedef struct sbl_taker {
    sbl_take_rows rows;     /* NULL: a model of a table is refused */
    sbl_take_images images; /* NULL: a model of images is refused */
    void *context;
    void *const *tables; /* (table_count): for linked tables, passed with each one's rows instead of
                          * context; NULL: a model of linked tables is refused */
    size_t table_count;
} sbl_taker;

/* In:      model  the bytes of a model file
 *          where  NULL, or conditions (run/pipeline/conditions.h)
 * Returns: SBL_OK; SBL_EARG, SBL_EINPUT, SBL_EMEM
 * Owner:   the caller; sbl_row_stream_close() */
sbl_status sbl_row_stream_open(sbl_row_stream **draws, const uint8_t *model, size_t size,
                               const sbl_amount *amount, const char *where, uint64_t seed,
                               const sbl_taker *taker, sbl_error *err);
void sbl_row_stream_close(sbl_row_stream *draws); /* NULL is fine */

/* The facts of what is drawn; borrowed. */
const sbl_facts *sbl_row_stream_facts(const sbl_row_stream *draws);
/* In all, and so far: rows or images, or persons where those are asked for. */
uint64_t sbl_row_stream_all(const sbl_row_stream *draws);
uint64_t sbl_row_stream_done(const sbl_row_stream *draws);
/* Of the one that takes rows, for made cells; of linked tables see sbl_sink_of_table(). */
const sbl_sink *sbl_row_stream_sink(const sbl_row_stream *draws);

/* Some records more, given to the taker; not to be called when all are drawn. */
sbl_status sbl_row_stream_next(sbl_row_stream *draws, sbl_error *err);

/* What a model says of itself. texts: sbl_free(); may be NULL. name: of the model, for messages.
 * Out: facts  of what is drawn, cleared by the caller
 *      method  that fitted it; certificate  JSON text, NULL: none; rows  that it was fitted to */
sbl_status sbl_model_describe(sbl_facts *facts, char **method, char **certificate, uint64_t *rows,
                              const uint8_t *model, size_t size, const char *name, sbl_error *err);

#endif
