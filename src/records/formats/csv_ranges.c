/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a CSV file by ranges of bytes, some for each thread. A range may begin in the middle of a record, and inside a quoted cell
 * a line feed does not end one. Which of the two it is depends on all quotes before the range. So each thread finds the record
 * ends in its range for every state that its first byte can be in. The states are then joined in the order of the file, and each
 * thread reads the records that begin in its ranges. One wave reads all ranges into one buffer, so that a record that
 * crosses from one range into the next is contiguous. Each record is read exactly as a single thread would read it. */
#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "records/formats/csv.h"

/* Bytes of a range: in the first wave at most, and at least in later ones, which are long enough to fill a batch. */
#define FIRST_RANGE ((size_t)256 << 10)
#define LEAST_RANGE ((size_t)16 << 10)

/* The state at the first byte of a range, with respect to a quoted cell. */
enum { OUTSIDE, INSIDE, AFTER_QUOTE, STATES };

typedef struct csv_range {
    sbl_csv_ends ends[STATES]; /* by that state */
    const char *begin;         /* of the first record that begins here; NULL: none does */
    const char *end;           /* of the last one */
    sbl_csv_reader reader;     /* of these records */
    size_t got;                /* bytes that were read */
    sbl_status status;
    sbl_error err;
} csv_range;

struct sbl_csv_ranges {
    csv_range *items;
    size_t count;
    size_t threads;
    size_t size;     /* bytes of a range in the next wave */
    size_t most;     /* its limit */
    char *buffer;    /* (count * most + padding) */
    char *scratches; /* (threads, scratch + padding) */
    size_t scratch;  /* bytes of each thread's scratch */
    uint64_t offset; /* of the next record in the file */
    bool alone;      /* one thread reads the rest of the file */
};

/* Each thread wipes what it may have filled: for one alone that is long beside the reading. */
static void wipe_ranges(sbl_csv_ranges *ranges)
{
    const size_t each = ranges->scratch + SBL_CSV_PADDING, all = ranges->count * ranges->most;
    SBL_OMP(omp parallel for schedule(static, 1) num_threads((int)ranges->threads))
    for (size_t t = 0; t < ranges->threads; t++) {
        const size_t from = all / ranges->threads * t,
                     to = t + 1 < ranges->threads ? from + all / ranges->threads : all;
        if (ranges->scratches != NULL) sbl_wipe(ranges->scratches + t * each, each);
        if (ranges->buffer != NULL) sbl_wipe(ranges->buffer + from, to - from);
    }
}

void sbl_csv_ranges_free(sbl_csv_ranges *ranges)
{
    if (ranges == NULL) return;
    if (ranges->items != NULL) wipe_ranges(ranges);
    sbl_free(ranges->buffer);
    sbl_free(ranges->scratches);
    sbl_free_wiped(ranges->items, ranges->count * sizeof *ranges->items);
    sbl_free(ranges);
}

static sbl_status make_buffers(sbl_csv_ranges *ranges, const char *name, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(ranges->items, ranges->count, name);
    SBL_ALLOC(ranges->buffer, ranges->count * ranges->most + SBL_CSV_PADDING, name);
    SBL_ALLOC(ranges->scratches, ranges->threads * (ranges->scratch + SBL_CSV_PADDING), name);
done:
    return status;
}

/* The first wave reads again what the reader's buffer holds. */
static sbl_status open_ranges(sbl_csv_reader *reader, size_t count, sbl_error *err)
{
    uint64_t offset, size = 0;
    sbl_csv_ranges *made = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(made, 1, "a table");
    made->alone = !sbl_byte_source_offset(reader->source, &offset) ||
                  !sbl_byte_source_size(reader->source, &size) || reader->diagnosis != NULL ||
                  (!reader->chunk_given && size / LEAST_RANGE < count);
    if (!made->alone) {
        made->offset = offset - (reader->end - reader->start);
        made->count = count;
        made->threads = count < (size_t)sbl_thread_limit() ? count : (size_t)sbl_thread_limit();
        made->most = reader->chunk_given ? reader->chunk : SBL_CSV_THREAD_RANGES / (count / made->threads);
        made->size = made->most < FIRST_RANGE ? made->most : FIRST_RANGE;
        made->scratch = reader->record_limit;
        SBL_TRY(make_buffers(made, "a table", err));
    }
    reader->ranges = made;
    made = NULL;
done:
    sbl_csv_ranges_free(made);
    return status;
}

/* ---- a wave: where its records are ---- */

/* The ends of records in the range, for each state that it can begin in. before: the byte before the range. */
static void find_ends(csv_range *range, const sbl_csv_reader *reader, const char *p, char before)
{
    const sbl_csv_ends none = {.delimiter = reader->delimiter, .quote = reader->quote, .before = before};
    for (size_t state = 0; state < STATES; state++) {
        sbl_csv_ends *ends = &range->ends[state];
        *ends = none;
        ends->quoted = state != OUTSIDE;
        ends->closing = state == AFTER_QUOTE;
        if (state != AFTER_QUOTE || before == reader->quote) sbl_csv_pass(ends, p, p + range->got);
    }
}

/* before: the byte before the wave. */
static void load_ranges(sbl_csv_ranges *ranges, const sbl_csv_reader *reader, char before)
{
    SBL_OMP(omp parallel num_threads((int)ranges->threads))
    {
        SBL_OMP(omp for schedule(dynamic, 1))
        for (size_t k = 0; k < ranges->count; k++) {
            csv_range *range = &ranges->items[k];
            range->status = sbl_byte_source_read_at(reader->source, ranges->offset + k * ranges->size,
                                                    ranges->buffer + k * ranges->size, ranges->size,
                                                    &range->got, &range->err);
        }
        SBL_OMP(omp for schedule(dynamic, 1))
        for (size_t k = 0; k < ranges->count; k++) {
            const char *p = ranges->buffer + k * ranges->size;
            find_ends(&ranges->items[k], reader, p, k > 0 ? p[-1] : before);
        }
    }
}

/* The bytes of one wave: how many ranges are in use, and whether the file ends here. */
typedef struct csv_wave {
    size_t used, bytes;
    bool exhausted;
} csv_wave;

static sbl_status load_wave(csv_wave *wave, sbl_csv_ranges *ranges, const sbl_csv_reader *reader, char before,
                            sbl_error *err)
{
    *wave = (csv_wave){0};
    load_ranges(ranges, reader, before);
    while (wave->used < ranges->count && !wave->exhausted) {
        const csv_range *range = &ranges->items[wave->used++];
        if (range->status != SBL_OK) {
            if (err != NULL) *err = range->err;
            return range->status;
        }
        wave->bytes += range->got;
        wave->exhausted = range->got < ranges->size;
    }
    return SBL_OK;
}

static size_t state_after(const sbl_csv_ends *ends)
{
    return ends->closing ? AFTER_QUOTE : ends->quoted ? INSIDE : OUTSIDE;
}

/* Joins the states of the ranges, in order, and sets where the records of each begin.
 * Out:     last  past the last record that ends in this wave; NULL: none does
 * Returns: the state at the end of the wave */
static size_t join_ranges(sbl_csv_ranges *ranges, size_t used, const char **last)
{
    size_t state = OUTSIDE;
    *last = NULL;
    for (size_t k = 0; k < used; k++) {
        csv_range *range = &ranges->items[k];
        const sbl_csv_ends *ends = &range->ends[state];
        range->begin = k == 0 ? ranges->buffer : ends->first;
        if (ends->last != NULL) *last = ends->last;
        state = state_after(ends);
    }
    return state;
}

/* The records of one range end where those of the next range begin. */
static void divide(sbl_csv_ranges *ranges, size_t used, const char *end)
{
    for (size_t k = ranges->count; k-- > 0;) {
        csv_range *range = &ranges->items[k];
        if (k >= used || range->begin == NULL) range->begin = end;
        range->end = end;
        end = range->begin;
    }
}

/* ---- a wave: its records ---- */

static void read_range(csv_range *range, const sbl_csv_reader *reader, char *scratch, sbl_batch *batch)
{
    sbl_csv_reader *own = &range->reader;
    *own = *reader;
    own->buffer = (char *)range->begin;
    own->start = 0;
    own->end = (size_t)(range->end - range->begin);
    own->exhausted = true;
    own->scratch = scratch;
    range->status = sbl_csv_read_rows(own, batch, NULL);
}

/* Where the next wave begins. If a range has more records than its batch holds, that is after the last one that was read; the next
 * wave then repeats what later ranges have read. */
static const char *end_wave(sbl_csv_ranges *ranges, sbl_batch *const *batches)
{
    size_t k = 0;
    while (k + 1 < ranges->count && ranges->items[k].reader.start == ranges->items[k].reader.end) k++;
    for (size_t later = k + 1; later < ranges->count; later++) batches[later]->rows = 0;
    return ranges->items[k].begin + ranges->items[k].reader.start;
}

/* Makes ranges so long that their rows fill a batch, at this wave's mean length of a row. */
static void fit_size(sbl_csv_ranges *ranges, sbl_batch *const *batches, size_t bytes)
{
    size_t rows = 0;
    for (size_t k = 0; k < ranges->count; k++) rows += batches[k]->rows;
    if (rows == 0) return;
    const size_t full = bytes / rows * (batches[0]->capacity / 8 * 7);
    ranges->size = full < LEAST_RANGE ? LEAST_RANGE : full > ranges->most ? ranges->most : full;
}

static sbl_status read_wave(sbl_csv_reader *reader, sbl_batch *const *batches,
                            void (*done)(void *context, size_t batch), void *context, sbl_error *err)
{
    sbl_csv_ranges *ranges = reader->ranges;
    csv_wave wave;
    const char *last;
    SBL_CHECK(load_wave(&wave, ranges, reader, '\n', err));
    const size_t state = join_ranges(ranges, wave.used, &last);
    if (wave.exhausted) {
        if (state == INSIDE) return sbl_csv_fail_open_quote(reader, err);
        ranges->buffer[wave.bytes] = '\n';
        last = ranges->buffer + wave.bytes;
    }
    ranges->alone = last == NULL;
    if (ranges->alone) return SBL_OK;
    divide(ranges, wave.used, last);
    SBL_OMP(omp parallel for schedule(dynamic, 1) num_threads((int)ranges->threads))
    for (size_t k = 0; k < ranges->count; k++) {
        char *scratch = ranges->scratches + (size_t)sbl_thread_index() * (ranges->scratch + SBL_CSV_PADDING);
        read_range(&ranges->items[k], reader, scratch, batches[k]);
        done(context, k);
    }
    for (size_t k = 0; k < ranges->count; k++)
        if (ranges->items[k].status != SBL_OK)
            return sbl_fail(err, SBL_EINTERNAL, "%s: a record has two ends",
                            sbl_byte_source_name(reader->source));
    const size_t passed = (size_t)(end_wave(ranges, batches) - ranges->buffer);
    ranges->offset += passed;
    if (!reader->chunk_given) fit_size(ranges, batches, passed);
    return SBL_OK;
}

/* For a record that is longer than a wave, and for a file that cannot be read at an offset. */
static sbl_status read_alone(sbl_csv_reader *reader, sbl_batch *const *batches, size_t count,
                             void (*done)(void *context, size_t batch), void *context, sbl_error *err)
{
    for (size_t k = 1; k < count; k++) batches[k]->rows = 0;
    SBL_CHECK(sbl_csv_read_rows(reader, batches[0], err));
    done(context, 0);
    return SBL_OK;
}

sbl_status sbl_csv_read_many(sbl_csv_reader *reader, sbl_batch *const *batches, size_t count,
                             void (*done)(void *context, size_t batch), void *context, sbl_error *err)
{
    if (reader->ranges == NULL) SBL_CHECK(open_ranges(reader, count, err));
    sbl_csv_ranges *ranges = reader->ranges;
    if (!ranges->alone) {
        SBL_CHECK(read_wave(reader, batches, done, context, err));
        if (!ranges->alone) return SBL_OK;
        reader->start = reader->end = 0;
        reader->exhausted = false;
        reader->buffer[0] = '\n';
        SBL_CHECK(sbl_byte_source_seek(reader->source, ranges->offset, err));
    }
    return read_alone(reader, batches, count, done, context, err);
}

/* ---- the number of records ---- */

static sbl_status count_waves(uint64_t *rows, sbl_csv_reader *reader, sbl_progress_listener *listener,
                              sbl_error *err)
{
    sbl_csv_ranges *ranges = reader->ranges;
    csv_wave wave = {0};
    size_t state = OUTSIDE;
    char before = '\n';
    for (*rows = 0; !wave.exhausted;) {
        SBL_CHECK(sbl_report_rows_read(listener, *rows, err));
        SBL_CHECK(load_wave(&wave, ranges, reader, before, err));
        for (size_t k = 0; k < wave.used; k++) {
            const sbl_csv_ends *ends = &ranges->items[k].ends[state];
            *rows += ends->records;
            state = state_after(ends);
        }
        if (wave.bytes > 0) before = ranges->buffer[wave.bytes - 1];
        ranges->offset += wave.bytes;
    }
    if (state == INSIDE) return sbl_csv_fail_open_quote(reader, err);
    *rows += before != '\n'; /* the line end that ends the file starts no row */
    return SBL_OK;
}

sbl_status sbl_csv_count_many(uint64_t *rows, sbl_csv_reader *reader, size_t count,
                              sbl_progress_listener *listener, sbl_error *err)
{
    if (count > 1 && reader->ranges == NULL) SBL_CHECK(open_ranges(reader, count, err));
    return reader->ranges != NULL && !reader->ranges->alone ? count_waves(rows, reader, listener, err)
                                                            : sbl_csv_count(rows, reader, listener, err);
}
