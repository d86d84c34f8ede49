/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow arrays made by hand, as a producer would: every type, nulls, offsets, chunks. */
#ifndef TESTS_SUPPORT_ARROW_KIT_H
#define TESTS_SUPPORT_ARROW_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/arrow.h"
#include "semblance/data.h"
#include "semblance/synthesizer.h"

/* A value of any type; each format takes its own member. */
typedef struct kit_cell {
    bool null;
    int64_t whole;    /* integers, decimals (unscaled), days, moments (in the format's unit), truths, codes */
    int64_t high;     /* decimals of 128 bits: so many times 2^64 more */
    double number;    /* half, float, double */
    const char *text; /* texts; NULL is "" */
    size_t length;    /* of a text that holds a NUL; 0: it ends with one */
} kit_cell;

/* One column of a table: cells (rows). With values: a dictionary of format `format` with these (value_count), and
 * cells are codes of format `codes`. */
typedef struct kit_column {
    const char *name;
    const char *format;
    const kit_cell *cells;
    const char *codes; /* NULL: no dictionary */
    const kit_cell *values;
    size_t value_count;
    const char *metadata; /* of its field; NULL: none */
} kit_column;

typedef struct kit_table {
    const kit_column *columns;
    size_t column_count;
    size_t rows;
    size_t chunk;        /* rows of a batch at most; 0: all in one */
    size_t offset;       /* values that stand before the first of every array, which nobody may read */
    size_t batch_offset; /* the same of the batches themselves */
    size_t absent;       /* every so many-th row is null in the batch itself; 0: none */
    int opened;          /* streams so far */
} kit_table;

/* A stream over the table, from its first row. Same form as sbl_open_stream. */
int kit_open(void *table, struct ArrowArrayStream *stream);
/* Handles of such tables: opened each time, or one stream. */
static inline sbl_status kit_data_opened(sbl_data **data, sbl_open_stream open, void *context, sbl_error *err)
{
    const sbl_arrow_source from = {.struct_size = sizeof from, .open = open, .context = context};
    return sbl_data_from_arrow(data, &from, NULL, err);
}
static inline sbl_status kit_data_once(sbl_data **data, struct ArrowArrayStream *stream, bool keep,
                                       sbl_error *err)
{
    const sbl_arrow_source from = {.struct_size = sizeof from, .stream = stream, .keep = keep};
    return sbl_data_from_arrow(data, &from, NULL, err);
}
/* What a synthesizer draws, as a stream. */
static inline sbl_status kit_sample_stream(sbl_synthesizer *synth, struct ArrowArrayStream *stream,
                                           const sbl_sample_options *options, sbl_error *err)
{
    sbl_sample_options draw = *options;
    draw.stream = stream;
    return sbl_synthesizer_sample(synth, &draw, err);
}
/* Such a table as a source takes it, for the block that it stands in. */
#define KIT_SOURCE(opener, about)                                                           \
    ((sbl_table[1]){{.format = &sbl_arrow_format,                                           \
                     .name = "the table",                                                   \
                     .state = (sbl_arrow_table[1]){{.open = (opener), .context = (about)}}, \
                     .can_rewind = true}})

/* One batch, and the schema; released by the caller. */
void kit_batch(struct ArrowArray *out, const kit_table *table, size_t first, size_t rows);
void kit_schema(struct ArrowSchema *out, const kit_table *table);

/* Structs that were made and not yet released: 0 when everything was given back. */
extern int kit_alive;

#endif
