/* SPDX-License-Identifier: Apache-2.0 */
/* Drawn rows as Arrow arrays: our own producer.
 *
 *   integer int64, number double, date date32, datetime timestamp[s] (zone UTC where the schema says so), boolean
 *   bool; a category of integers or numbers as these; any other category, ids and fakes as utf8 */
#ifndef SBL_SINKS_ARROW_BUILD_H
#define SBL_SINKS_ARROW_BUILD_H

#include "after/sinks/sink.h"
#include "base/error.h"
#include "public/rows/row_batch.h"
#include "public/schema/schema_type.h"
#include "semblance/arrow.h"

/* The table that is drawn by this schema: the columns that are written, in its order. The caller releases it.
 * Returns: SBL_OK; SBL_EMEM */
sbl_status sbl_arrow_export_schema(struct ArrowSchema *out, const sbl_schema *schema, sbl_error *err);

/* Arrays that grow by batches. */
typedef struct sbl_arrow_builder sbl_arrow_builder;
sbl_status sbl_arrow_builder_new(sbl_arrow_builder **builder, const sbl_schema *schema, sbl_error *err);
void sbl_arrow_builder_free(sbl_arrow_builder *builder); /* NULL is fine */
/* rows are of the schema; first: the number of the first, and sink (may be NULL: there are none) makes the cells
 * of columns that are made. */
sbl_status sbl_arrow_builder_add(sbl_arrow_builder *builder, const sbl_batch *rows, uint64_t first,
                                 const sbl_sink *sink, sbl_error *err);
/* Rows that were added and not yet taken. */
size_t sbl_arrow_builder_rows(const sbl_arrow_builder *builder);
/* Everything that was added, as a struct array, the caller's to release; the builder begins anew. */
sbl_status sbl_arrow_builder_take(sbl_arrow_builder *builder, struct ArrowArray *out, sbl_error *err);

#endif
