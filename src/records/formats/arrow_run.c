/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of cells (arrow_column.h). Each loop does for many cells what arrow_cell.c does for one. */
#include "records/formats/arrow_column.h"

#include <math.h>

#include "public/rows/decimal.h"
#include "records/formats/arrow_value.h"

#define MOST_SCALE 22 /* powers of ten that are doubles: SBL_DECIMAL_MOST_DIVISOR and exact */
#define WORD_CELLS 64

static void except(sbl_arrow_run *run, size_t r, uint8_t is)
{
    run->is[r] = is;
    run->exceptions = true;
}

/* Takes out what the bitmap of an array, read from row `from` on, says is not there. */
static void take_out_nulls(sbl_arrow_run *run, const struct ArrowArray *array, int64_t from)
{
    const uint8_t *bits = array->n_buffers > 0 ? array->buffers[0] : NULL;
    if (array->null_count == 0 || bits == NULL) return;
    for (size_t r = 0; r < run->count; r++) {
        const uint64_t at = (uint64_t)(array->offset + from) + r;
        uint64_t word;
        if (at % 8 == 0 && run->count - r >= WORD_CELLS) {
            memcpy(&word, bits + at / 8, sizeof word);
            if (word == UINT64_MAX) {
                r += WORD_CELLS - 1;
                continue;
            }
        }
        if ((bits[at / 8] >> (at % 8) & 1) == 0) except(run, r, SBL_RUN_MISSING);
    }
}

/* Which cells are there. Returns the place of the first one in the column's buffers. */
static int64_t begin(sbl_arrow_run *run, const struct ArrowArray *batch, const struct ArrowArray *array,
                     int64_t from, size_t count)
{
    run->count = count;
    run->exceptions = false;
    memset(run->is, SBL_RUN_VALUE, count);
    take_out_nulls(run, batch, from);
    take_out_nulls(run, array, batch->offset + from);
    return array->offset + batch->offset + from;
}

/* ---- numbers ---- */

/* Numbers of type `stored` become those of `type`. The bytes of a null may be uninitialised: they are moved, and nothing
 * depends on them. The cells are found once: the compiler cannot know that writing a run does not move them. */
#define FILL(to, type, stored)                                                             \
    do {                                                                                   \
        const char *cells = (const char *)array->buffers[1] + (size_t)at * sizeof(stored); \
        type *restrict out = (to);                                                         \
        const size_t count_of = run->count;                                                \
        for (size_t r = 0; r < count_of; r++) {                                            \
            stored cell;                                                                   \
            memcpy(&cell, cells + r * sizeof cell, sizeof cell);                           \
            out[r] = (type)cell;                                                           \
        }                                                                                  \
    } while (0)

static void mark_infinite(sbl_arrow_run *run)
{
    for (size_t r = 0; r < run->count; r++)
        if (run->is[r] == SBL_RUN_VALUE && !isfinite(run->values[r])) except(run, r, SBL_RUN_ODD);
}

static void fill_halves(sbl_arrow_run *run, const struct ArrowArray *array, int64_t at)
{
    for (size_t r = 0; r < run->count; r++)
        if (run->is[r] == SBL_RUN_VALUE)
            run->values[r] = sbl_half_value(sbl_load_uint16(array, at + (int64_t)r));
}

/* value / 10^scale to the nearest double, which is what its digits mean as a text. */
static void fill_decimals(sbl_arrow_run *run, const sbl_arrow_type *type, const struct ArrowArray *array,
                          int64_t at)
{
    for (size_t r = 0; r < run->count; r++) {
        if (run->is[r] != SBL_RUN_VALUE) continue;
        const sbl_i128 value = sbl_load_decimal(type, array, at + (int64_t)r);
        const sbl_u128 size = value < 0 ? -(sbl_u128)value : (sbl_u128)value;
        if (size > UINT64_MAX) {
            except(run, r, SBL_RUN_ODD);
            continue;
        }
        const double number = sbl_decimal_quotient((uint64_t)size, (unsigned)type->scale);
        run->values[r] = value < 0 ? -number : number;
    }
}

static void fill_days(sbl_arrow_run *run, const sbl_arrow_type *type, sbl_arrow_scale scale,
                      const struct ArrowArray *array, int64_t at)
{
    const double unit = scale == SBL_SCALE_SECONDS ? (double)SBL_DAY : 1;
    for (size_t r = 0; r < run->count; r++) {
        const int64_t place = at + (int64_t)r;
        const int64_t days = type->kind == SBL_ARROW_DATE32
                                 ? sbl_load_int32(array, place)
                                 : sbl_floor_divide(sbl_load_int64(array, place), SBL_DAY * 1000);
        run->values[r] = (double)days * unit;
    }
}

static void fill_moments(sbl_arrow_run *run, const sbl_arrow_type *type, sbl_arrow_scale scale,
                         const struct ArrowArray *array, int64_t at)
{
    for (size_t r = 0; r < run->count; r++) {
        if (run->is[r] != SBL_RUN_VALUE) continue;
        const int64_t seconds = sbl_floor_divide(sbl_load_int64(array, at + (int64_t)r), type->per_second);
        run->values[r] = (double)(scale == SBL_SCALE_SECONDS ? seconds : seconds / SBL_DAY);
        if (scale == SBL_SCALE_DAYS && seconds % SBL_DAY != 0) except(run, r, SBL_RUN_ODD);
    }
}

bool sbl_arrow_has_numbers(const sbl_arrow_type *type, sbl_arrow_scale scale)
{
    const sbl_arrow_kind kind = type->kind;
    if (kind == SBL_ARROW_DECIMAL)
        return scale == SBL_SCALE_PLAIN && type->scale >= 0 && type->scale <= MOST_SCALE;
    return scale == SBL_SCALE_PLAIN ? kind >= SBL_ARROW_INT8 && kind <= SBL_ARROW_DOUBLE
                                    : kind >= SBL_ARROW_DATE32 && kind <= SBL_ARROW_TIMESTAMP;
}

bool sbl_arrow_is_whole(const sbl_arrow_type *type)
{
    return !(type->kind >= SBL_ARROW_HALF && type->kind <= SBL_ARROW_DECIMAL);
}

#define FILL_VALUES(kind, name, type)    \
    case SBL_ARROW_##kind:               \
        FILL(run->values, double, type); \
        break;

void sbl_arrow_run_numbers(sbl_arrow_run *run, const sbl_arrow_type *type, sbl_arrow_scale scale,
                           const struct ArrowArray *batch, const struct ArrowArray *array, int64_t from,
                           size_t count)
{
    const int64_t at = begin(run, batch, array, from, count);
    switch (type->kind) {
        SBL_ARROW_NUMBERS(FILL_VALUES)
    case SBL_ARROW_HALF:
        fill_halves(run, array, at);
        break;
    case SBL_ARROW_DECIMAL:
        fill_decimals(run, type, array, at);
        break;
    case SBL_ARROW_TIMESTAMP:
        fill_moments(run, type, scale, array, at);
        break;
    default:
        fill_days(run, type, scale, array, at);
        break;
    }
    if (type->kind >= SBL_ARROW_HALF && type->kind <= SBL_ARROW_DOUBLE) mark_infinite(run);
    for (size_t r = 0; run->exceptions && r < count; r++)
        if (run->is[r] != SBL_RUN_VALUE) run->values[r] = 0;
}

/* ---- keys ---- */

static void fill_decimal_keys(sbl_arrow_run *run, const sbl_arrow_type *type, const struct ArrowArray *array,
                              int64_t at)
{
    for (size_t r = 0; r < run->count; r++) {
        if (run->is[r] != SBL_RUN_VALUE) continue;
        const sbl_i128 value = sbl_load_decimal(type, array, at + (int64_t)r);
        run->keys[r] = (uint64_t)value;
        if (value > INT64_MAX || value < INT64_MIN) except(run, r, SBL_RUN_ODD);
    }
}

#define FILL_KEYS(kind, name, type)      \
    case SBL_ARROW_##kind:               \
        FILL(run->keys, uint64_t, type); \
        break;

void sbl_arrow_run_keys(sbl_arrow_run *run, const sbl_arrow_type *type, const struct ArrowArray *batch,
                        const struct ArrowArray *array, int64_t from, size_t count)
{
    const int64_t at = begin(run, batch, array, from, count);
    switch (type->kind) {
    case SBL_ARROW_BOOL:
        for (size_t r = 0; r < count; r++) run->keys[r] = sbl_load_truth(array, at + (int64_t)r);
        break;
        SBL_ARROW_WHOLES(FILL_KEYS)
    case SBL_ARROW_HALF:
        FILL(run->keys, uint64_t, uint16_t);
        break;
    case SBL_ARROW_DATE32:
    case SBL_ARROW_TIME32:
        FILL(run->keys, uint64_t, int32_t);
        break;
    case SBL_ARROW_FLOAT:
        FILL(run->keys, uint64_t, uint32_t);
        break;
    case SBL_ARROW_DECIMAL:
        fill_decimal_keys(run, type, array, at);
        break;
    default: /* of eight bytes */
        FILL(run->keys, uint64_t, uint64_t);
        break;
    }
}

/* ---- what a stream of ours has read ---- */

bool sbl_arrow_run_read(sbl_arrow_run *run, uint32_t *codes, const struct ArrowArray *batch,
                        const struct ArrowArray *array, int64_t from, size_t count)
{
    const int64_t at = begin(run, batch, array, from, count);
    const char *cells = (const char *)array->buffers[1] + (size_t)at * sizeof *codes;
    uint32_t *restrict out = codes, all = 0; /* codes of rows are never a part of an array */
    for (size_t r = 0; r < count; r++) {
        uint32_t cell;
        memcpy(&cell, cells + r * sizeof cell, sizeof cell);
        out[r] = cell & SBL_READ_CODES;
        all |= cell;
    }
    return all > SBL_READ_CODES;
}

/* ---- texts ---- */

/* A text that can be read in place, with the bytes after it; anything else is odd. */
static void put_piece(sbl_arrow_run *run, size_t r, const char *data, int64_t from, int64_t to, int64_t end)
{
    const bool good = data != NULL && from >= 0 && to >= from && to <= end && end - to >= SBL_CELL_PADDING &&
                      to - from <= (int64_t)SBL_CELL_MOST_TEXT;
    run->texts[r] = good ? (sbl_binding_piece){data + from, (size_t)(to - from)} : (sbl_binding_piece){0};
    if (!good && run->is[r] == SBL_RUN_VALUE) except(run, r, SBL_RUN_ODD);
}

#define FILL_TEXTS(load)                                                  \
    do {                                                                  \
        const int64_t end = (load)(array, array->offset + array->length); \
        int64_t to = (load)(array, at);                                   \
        for (size_t r = 0; r < run->count; r++) {                         \
            const int64_t first = to;                                     \
            to = (load)(array, at + (int64_t)r + 1);                      \
            put_piece(run, r, array->buffers[2], first, to, end);         \
        }                                                                 \
    } while (0)

/* A text of up to 12 bytes is inside its view, and the next view follows it. */
static void fill_views(sbl_arrow_run *run, const struct ArrowArray *array, int64_t at)
{
    const char *views = array->buffers[1];
    const int64_t end = (array->offset + array->length) * (int64_t)sizeof(sbl_text_view);
    for (size_t r = 0; r < run->count; r++) {
        if (run->is[r] != SBL_RUN_VALUE) continue;
        const int64_t place = at + (int64_t)r;
        const int64_t begin = place * (int64_t)sizeof(sbl_text_view) + 4; /* after its length */
        const sbl_text_view view = sbl_load_view(array, place);
        int64_t size = 0;
        if (view.length <= 12) {
            put_piece(run, r, views, begin, begin + view.length, end);
        } else if (view.buffer < 0 || view.buffer >= array->n_buffers - 3) {
            put_piece(run, r, NULL, 0, 0, 0);
        } else {
            memcpy(&size, (const char *)array->buffers[array->n_buffers - 1] + (size_t)view.buffer * 8, 8);
            put_piece(run, r, array->buffers[2 + view.buffer], view.offset,
                      (int64_t)view.offset + view.length, size);
        }
    }
}

bool sbl_arrow_has_texts(const sbl_arrow_type *type)
{
    return type->kind >= SBL_ARROW_UTF8 && type->kind <= SBL_ARROW_UTF8_VIEW;
}

void sbl_arrow_run_texts(sbl_arrow_run *run, const sbl_arrow_type *type, const struct ArrowArray *batch,
                         const struct ArrowArray *array, int64_t from, size_t count)
{
    const int64_t at = begin(run, batch, array, from, count);
    if (type->kind == SBL_ARROW_UTF8)
        FILL_TEXTS(sbl_load_int32);
    else if (type->kind == SBL_ARROW_LARGE_UTF8)
        FILL_TEXTS(sbl_load_int64);
    else
        fill_views(run, array, at);
    for (size_t r = 0; type->mixed && r < count; r++)
        if (run->is[r] == SBL_RUN_VALUE && run->texts[r].length > 0 &&
            run->texts[r].text[0] == SBL_MIXED_MARK)
            except(run, r, SBL_RUN_ODD);
    for (size_t r = 0; run->exceptions && r < count; r++)
        if (run->is[r] != SBL_RUN_VALUE) run->texts[r] = (sbl_binding_piece){0};
}
