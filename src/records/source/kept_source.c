/* SPDX-License-Identifier: Apache-2.0 */
/* [2] Each batch of the first reading is copied on its way, codes in as many bytes as the largest that the schema allows.
 * Public sizes alone decide what is kept and how long it takes. */
#include "records/source/kept_source.h"

#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"

#define THREAD_ROWS 8192 /* of what is given together */

typedef struct kept_batch {
    struct kept_batch *next;
    size_t rows;
    double *numeric; /* what the batch does not have is NULL */
    void *codes;
    uint32_t *labels;
    sbl_unit_tag *units;
    uint8_t *misfits;
} kept_batch;

typedef struct kept_source {
    sbl_source *rows; /* owned */
    size_t most, used;
    size_t code_size; /* 1, 2 or 4 bytes */
    kept_batch *first, *last;
    kept_batch *next;  /* to be given, if it is serving */
    bool serving;      /* this reading comes from memory */
    bool complete;     /* all records are kept */
    bool off;          /* they are too many, or of another kind */
    size_t batch_rows; /* of the largest batch */
    size_t most_given; /* batches that are given together */
    sbl_records *given;
    const kept_batch **given_from; /* (most_given), as given */
    uint32_t *codes;               /* (most_given, batch_rows, codes) of these */
} kept_source;

typedef struct widths {
    size_t numeric, codes, misfits;
} widths;

static widths widths_of(const sbl_facts *facts)
{
    return (widths){facts->heads.numeric_count, facts->heads.categorical_count, facts->columns};
}

/* Of the largest code of any column. */
static size_t code_size_of(const sbl_facts *facts)
{
    uint32_t most = 0;
    for (size_t i = 0; i < facts->heads.count; i++) {
        const sbl_head *head = &facts->heads.items[i];
        if (head->kind != SBL_HEAD_CATEGORICAL) continue;
        const uint32_t fallback = facts->schema->columns[head->column].fallback_code;
        if (head->cardinality > most) most = (uint32_t)head->cardinality;
        if (!head->indicator && fallback > most) most = fallback;
    }
    return most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 4;
}

size_t sbl_source_kept_bytes(const sbl_facts *facts)
{
    const widths w = widths_of(facts);
    return w.numeric * sizeof(double) + w.codes * code_size_of(facts) + w.misfits +
           (facts->classes > 1 ? sizeof(uint32_t) : 0) +
           (sbl_facts_rows_per_unit(facts) != 0 ? sizeof(sbl_unit_tag) : 0);
}

/* ---- wiping ---- */

static void free_batch(kept_batch *batch, widths w, size_t code_size)
{
    sbl_free_wiped(batch->numeric, batch->rows * w.numeric * sizeof *batch->numeric);
    sbl_free_wiped(batch->codes, batch->rows * w.codes * code_size);
    sbl_free_wiped(batch->labels, batch->rows * sizeof *batch->labels);
    sbl_free_wiped(batch->units, batch->rows * sizeof *batch->units);
    sbl_free_wiped(batch->misfits, batch->rows * w.misfits);
    sbl_free(batch);
}

static void forget(kept_source *kept, const sbl_facts *facts)
{
    const widths w = widths_of(facts);
    while (kept->first != NULL) {
        kept_batch *batch = kept->first;
        kept->first = batch->next;
        free_batch(batch, w, kept->code_size);
    }
    sbl_free_wiped(kept->codes, kept->most_given * kept->batch_rows * w.codes * sizeof *kept->codes);
    sbl_free(kept->given);
    sbl_free(kept->given_from);
    kept->codes = NULL;
    kept->given = NULL;
    kept->given_from = NULL;
    kept->last = kept->next = NULL;
    kept->used = kept->batch_rows = 0;
    kept->complete = false;
}

/* ---- keeping ---- */

/* Returns false if one of them is not a code of the schema. */
static bool pack_codes(void *to, size_t size, const uint32_t *codes, size_t count)
{
    uint8_t *bytes = to;
    uint16_t *halves = to;
    uint32_t all = 0;
    for (size_t i = 0; i < count; i++) all |= codes[i];
    if (size == 1)
        for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)codes[i];
    else if (size == 2)
        for (size_t i = 0; i < count; i++) halves[i] = (uint16_t)codes[i];
    else
        memcpy(to, codes, count * sizeof *codes);
    return (uint64_t)all >> 8 * size == 0;
}

static void unpack_codes(uint32_t *to, const void *codes, size_t size, size_t count)
{
    const uint8_t *bytes = codes;
    const uint16_t *halves = codes;
    if (size == 1)
        for (size_t i = 0; i < count; i++) to[i] = bytes[i];
    else if (size == 2)
        for (size_t i = 0; i < count; i++) to[i] = halves[i];
    else
        memcpy(to, codes, count * sizeof *to);
}

/* count elements of size bytes, within what may be kept; count 0, or NULL: there is nothing to copy. */
static bool copy_part(kept_source *kept, void **to, const void *from, size_t count, size_t size)
{
    if (from == NULL || count == 0 || size == 0) return true;
    if (count > (kept->most - kept->used) / size) return false;
    *to = sbl_alloc_array(count, size);
    if (*to == NULL) return false;
    kept->used += count * size;
    memcpy(*to, from, count * size);
    return true;
}

static bool copy_codes(kept_source *kept, void **to, const uint32_t *codes, size_t count)
{
    if (codes == NULL || count == 0) return true;
    if (count > (kept->most - kept->used) / kept->code_size) return false;
    *to = sbl_alloc_array(count, kept->code_size);
    if (*to == NULL) return false;
    kept->used += count * kept->code_size;
    return pack_codes(*to, kept->code_size, codes, count);
}

/* One more batch; false: it cannot be kept. */
static bool keep(kept_source *kept, const sbl_records *read, const sbl_facts *facts)
{
    const widths w = widths_of(facts);
    void *parts[4] = {NULL};
    if (facts->kind != SBL_DATA_TABLE || read->events.starts != NULL || read->keys != NULL ||
        read->texts != NULL)
        return false;
    kept_batch *batch = sbl_alloc_array(1, sizeof *batch);
    if (batch == NULL) return false;
    batch->rows = read->rows;
    if (kept->last != NULL)
        kept->last->next = batch;
    else
        kept->first = batch;
    kept->last = batch;
    if (read->rows > kept->batch_rows) kept->batch_rows = read->rows;
    const bool good =
        copy_part(kept, &parts[0], read->numeric, read->rows * w.numeric, sizeof *read->numeric) &&
        copy_codes(kept, &batch->codes, read->codes, read->rows * w.codes) &&
        copy_part(kept, &parts[1], read->labels, read->rows, sizeof *read->labels) &&
        copy_part(kept, &parts[2], read->units, read->rows, sizeof *read->units) &&
        copy_part(kept, &parts[3], read->misfits, read->rows * w.misfits, 1);
    batch->numeric = parts[0];
    batch->labels = parts[1];
    batch->units = parts[2];
    batch->misfits = parts[3];
    return good;
}

/* ---- the source ---- */

/* Room for the batches that are given together. */
static bool make_room(kept_source *kept, const sbl_facts *facts)
{
    const size_t threads = (size_t)sbl_thread_limit(), codes = widths_of(facts).codes;
    const size_t some = kept->batch_rows != 0 ? threads * THREAD_ROWS / kept->batch_rows : 1;
    kept->most_given = threads > 1 && some > 1 ? some : 1;
    kept->given = sbl_alloc_array(kept->most_given, sizeof *kept->given);
    kept->given_from = sbl_alloc_array(kept->most_given, sizeof *kept->given_from);
    kept->codes = sbl_alloc_array(kept->most_given * kept->batch_rows, codes * sizeof *kept->codes);
    return kept->given != NULL && kept->given_from != NULL && kept->codes != NULL;
}

/* Keeps what was read. None, and no work: that was all. */
static void keep_batches(sbl_source *source, const sbl_records *batches, size_t count)
{
    kept_source *kept = source->state;
    source->working = kept->rows->working;
    if (kept->off) return;
    for (size_t k = 0; k < count && !kept->off; k++) kept->off = !keep(kept, &batches[k], source->facts);
    if (count == 0 && !source->working) kept->complete = make_room(kept, source->facts);
    if (kept->off) forget(kept, source->facts);
}

static sbl_records unpacked(const kept_source *kept, const kept_batch *batch, uint32_t *codes, size_t width)
{
    if (batch->codes != NULL) unpack_codes(codes, batch->codes, kept->code_size, batch->rows * width);
    return (sbl_records){.numeric = batch->numeric,
                         .codes = batch->codes != NULL ? codes : NULL,
                         .labels = batch->labels,
                         .units = batch->units,
                         .misfits = batch->misfits,
                         .rows = batch->rows};
}

/* The next batches from memory, `most` of them or as many as there are. */
static size_t give_kept(const sbl_source *source, size_t most)
{
    kept_source *kept = source->state;
    const size_t width = widths_of(source->facts).codes;
    size_t count = 0;
    for (; count < most && kept->next != NULL; kept->next = kept->next->next)
        kept->given_from[count++] = kept->next;
    SBL_OMP(omp parallel for schedule(static) if (count > 1))
    for (size_t k = 0; k < count; k++)
        kept->given[k] =
            unpacked(kept, kept->given_from[k], kept->codes + k * kept->batch_rows * width, width);
    return count;
}

static sbl_status read_kept(sbl_source *source, sbl_error *err)
{
    kept_source *kept = source->state;
    const sbl_records *read;
    if (kept->serving) {
        source->batch = give_kept(source, 1) != 0 ? kept->given[0] : (sbl_records){0};
        return SBL_OK;
    }
    SBL_CHECK(sbl_source_read(kept->rows, &read, err));
    source->batch = *read;
    keep_batches(source, read, read->rows != 0);
    return SBL_OK;
}

static sbl_status read_wave(sbl_source *source, const sbl_records **batches, size_t *count, sbl_error *err)
{
    kept_source *kept = source->state;
    if (kept->serving) {
        *count = give_kept(source, kept->most_given);
        *batches = kept->given;
        return SBL_OK;
    }
    SBL_CHECK(sbl_source_read_wave(kept->rows, batches, count, err));
    keep_batches(source, *batches, *count);
    return SBL_OK;
}

static sbl_status rewind_kept(sbl_source *source, sbl_error *err)
{
    kept_source *kept = source->state;
    kept->serving = false;
    SBL_CHECK(sbl_source_rewind(kept->rows, err));
    if (!kept->complete) forget(kept, source->facts);
    kept->serving = kept->complete;
    kept->next = kept->first;
    return SBL_OK;
}

static sbl_status count_kept(uint64_t *records, sbl_source *source, sbl_error *err)
{
    kept_source *kept = source->state;
    return sbl_source_count(records, kept->rows, err);
}

static void close_kept(sbl_source *source)
{
    kept_source *kept = source->state;
    if (kept == NULL) return;
    forget(kept, source->facts);
    sbl_source_close(kept->rows);
    sbl_free(kept);
}

static const sbl_source_kind kept_kind = {
    .read = read_kept,
    .read_wave = read_wave,
    .rewind = rewind_kept,
    .close = close_kept,
    .count = count_kept,
};

void sbl_source_forget(sbl_source *source)
{
    if (source == NULL || source->kind != &kept_kind) return;
    kept_source *kept = source->state;
    forget(kept, source->facts);
    kept->serving = false;
    kept->off = true;
}

sbl_status sbl_source_open_kept(sbl_source **source, sbl_source *rows, size_t most, sbl_error *err)
{
    kept_source *kept = NULL;
    sbl_status status = SBL_OK;
    *source = NULL;
    SBL_TRY(sbl_source_new(source, &kept_kind, sizeof *kept, rows->name, rows->facts, err));
    kept = (*source)->state;
    kept->rows = rows;
    rows = NULL;
    kept->code_size = code_size_of((*source)->facts);
    kept->most = most;
    kept->off = most == 0;
    (*source)->can_rewind = kept->rows->can_rewind;
    (*source)->count = kept->rows->count;
    (*source)->working = kept->rows->working;
done:
    sbl_source_close(rows);
    return sbl_source_opened(source, status);
}
