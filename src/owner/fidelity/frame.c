/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a table whole into encoded arrays that grow by copying, so that what is left behind can be
 * wiped. NOT PRIVATE. */
#include "owner/fidelity/frame.h"

#include <string.h>

#include "base/alloc.h"
#include "base/os_random.h"
#include "base/siphash.h"

#define BATCH_ROWS 8192
#define FIRST_ROWS 16384
#define MAX_ROWS ((size_t)INT32_MAX) /* row numbers are 32 bits wide */

/* Room for more rows by copying, so that what is left behind can be wiped (realloc cannot). */
static sbl_status grow(sbl_frame *frame, size_t *capacity, size_t wanted, sbl_error *err)
{
    sbl_frame larger = {0};
    size_t rows = *capacity != 0 ? *capacity : FIRST_ROWS;
    while (rows < wanted) rows *= 2;
    const sbl_status status = sbl_frame_init(&larger, frame->codec, rows, err);
    if (status != SBL_OK) return status;
    const sbl_heads *heads = &frame->codec->heads;
    if (frame->rows != 0) {
        memcpy(larger.numeric, frame->numeric, frame->rows * heads->numeric_count * sizeof *frame->numeric);
        memcpy(larger.codes, frame->codes, frame->rows * heads->categorical_count * sizeof *frame->codes);
    }
    larger.rows = frame->rows;
    sbl_frame_clear(frame);
    *frame = larger;
    *capacity = rows;
    return SBL_OK;
}

sbl_status sbl_frame_init(sbl_frame *frame, const sbl_codec *codec, size_t rows, sbl_error *err)
{
    const sbl_heads *heads = &codec->heads;
    *frame = (sbl_frame){.codec = codec, .rows = rows};
    frame->numeric = sbl_alloc_array(rows, heads->numeric_count * sizeof *frame->numeric);
    frame->codes = sbl_alloc_array(rows, heads->categorical_count * sizeof *frame->codes);
    if (frame->numeric != NULL && frame->codes != NULL) return SBL_OK;
    sbl_frame_clear(frame);
    return sbl_no_memory(err, "a table");
}

sbl_status sbl_frame_append(sbl_frame *frame, size_t *capacity, const sbl_batch *batch, sbl_error *err)
{
    const sbl_heads *heads = &frame->codec->heads;
    if (frame->rows + batch->rows > MAX_ROWS)
        return sbl_fail(err, SBL_EINPUT,
                        "a table must have at most %zu rows to be evaluated: take a sample of its rows",
                        MAX_ROWS);
    if (frame->rows + batch->rows > *capacity) {
        const sbl_status status = grow(frame, capacity, frame->rows + batch->rows, err);
        if (status != SBL_OK) return status;
    }
    sbl_codec_encode(frame->codec, frame->numeric + frame->rows * heads->numeric_count,
                     frame->codes + frame->rows * heads->categorical_count, batch);
    frame->rows += batch->rows;
    return SBL_OK;
}

sbl_status sbl_frame_read(sbl_frame *frame, const sbl_table *table, const sbl_codec *codec,
                          const sbl_progress_span *progress, sbl_error *err)
{
    return sbl_frame_read_first(frame, table, codec, SIZE_MAX, progress, err);
}

/* All batches; tags: whose rows they are, where that is asked; keys, likewise, or NULL. */
static sbl_status read_batches(sbl_frame *frame, sbl_row_tags *tags, sbl_row_tags *keys, sbl_rows *reader,
                               sbl_batch *batch, size_t most, const sbl_progress_span *progress,
                               sbl_error *err)
{
    size_t capacity = 0;
    while (frame->rows < most) {
        SBL_CHECK(sbl_rows_read(reader, batch, err));
        if (batch->rows == 0) break;
        SBL_CHECK(sbl_frame_append(frame, &capacity, batch, err));
        if (batch->units != NULL) SBL_CHECK(sbl_row_tags_add(tags, batch->units, batch->rows, err));
        if (keys != NULL) SBL_CHECK(sbl_row_tags_add(keys, batch->keys, batch->rows, err));
        if (!sbl_progress_goes_on(progress, 0, 1)) SBL_CHECK(sbl_progress_fail(err));
    }
    return SBL_OK;
}

static sbl_status read_frame(sbl_frame *frame, sbl_row_tags *tags, sbl_row_tags *keys, const sbl_table *table,
                             const sbl_codec *codec, const sbl_table_options *options, size_t most,
                             const sbl_progress_span *progress, sbl_error *err)
{
    sbl_rows *reader = NULL;
    sbl_batch *batch = NULL;
    sbl_status status = SBL_OK;
    *frame = (sbl_frame){.codec = codec};
    SBL_TRY(sbl_rows_open(&reader, table, codec->schema, options, err));
    SBL_TRY(sbl_batch_new(&batch, codec->schema, BATCH_ROWS, err));
    if (keys != NULL) SBL_TRY(sbl_batch_keep_keys(batch, err));
    SBL_TRY(read_batches(frame, tags, keys, reader, batch, most, progress, err));
done:
    sbl_rows_close(reader);
    sbl_batch_free(batch);
    return status;
}

sbl_status sbl_frame_read_first(sbl_frame *frame, const sbl_table *table, const sbl_codec *codec, size_t most,
                                const sbl_progress_span *progress, sbl_error *err)
{
    uint8_t key[SBL_SIPHASH_KEY_SIZE];
    const sbl_table_options options = {.unit_key = key, .unit_optional = true};
    sbl_row_tags tags = {0};
    sbl_status status = SBL_OK;
    *frame = (sbl_frame){0};
    SBL_TRY(sbl_os_random(key, sizeof key, err));
    SBL_TRY(read_frame(frame, &tags, NULL, table, codec, &options, most, progress, err));
    SBL_TRY(sbl_row_persons(&frame->persons, &frame->person_count, &tags, err));
done:
    sbl_row_tags_clear(&tags);
    sbl_wipe(key, sizeof key);
    if (status != SBL_OK) sbl_frame_clear(frame);
    return status;
}

sbl_status sbl_frame_read_keyed(sbl_frame *frame, sbl_row_tags *units, sbl_row_tags *keys,
                                const sbl_table *table, const sbl_codec *codec,
                                const sbl_table_options *options, const sbl_progress_span *progress,
                                sbl_error *err)
{
    const sbl_status status = read_frame(frame, units, keys, table, codec, options, SIZE_MAX, progress, err);
    if (status == SBL_OK) return SBL_OK;
    sbl_frame_clear(frame);
    sbl_row_tags_clear(units);
    if (keys != NULL) sbl_row_tags_clear(keys);
    return status;
}

sbl_status sbl_frame_copy_persons(sbl_frame *frame, const sbl_frame *source, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (source->persons == NULL) return SBL_OK;
    SBL_ALLOC(frame->persons, frame->rows, "the persons of a table");
    memcpy(frame->persons, source->persons, frame->rows * sizeof *frame->persons);
    frame->person_count = source->person_count;
done:
    return status;
}

sbl_status sbl_frame_select(sbl_frame *frame, const sbl_frame *source, const uint32_t *index, size_t count,
                            sbl_error *err)
{
    const size_t numeric = source->codec->heads.numeric_count;
    const size_t categorical = source->codec->heads.categorical_count;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_frame_init(frame, source->codec, count, err));
    if (source->persons != NULL) SBL_ALLOC(frame->persons, count, "the persons of a table");
    frame->person_count = source->person_count;
    for (size_t i = 0; i < count; i++) {
        memcpy(frame->numeric + i * numeric, source->numeric + index[i] * numeric,
               numeric * sizeof *frame->numeric);
        memcpy(frame->codes + i * categorical, source->codes + index[i] * categorical,
               categorical * sizeof *frame->codes);
        if (source->persons != NULL) frame->persons[i] = source->persons[index[i]];
    }
done:
    if (status != SBL_OK) sbl_frame_clear(frame);
    return status;
}

void sbl_frame_clear(sbl_frame *frame)
{
    if (frame->codec != NULL) {
        const sbl_heads *heads = &frame->codec->heads;
        sbl_free_wiped(frame->numeric, frame->rows * heads->numeric_count * sizeof *frame->numeric);
        sbl_free_wiped(frame->codes, frame->rows * heads->categorical_count * sizeof *frame->codes);
        sbl_free_wiped(frame->persons, frame->rows * sizeof *frame->persons);
    }
    *frame = (sbl_frame){0};
}
