/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the bytes of a JSON table and its strings by RFC 8259, with one exception: strings need not be
 * UTF-8. Other bytes are characters of their cell, as in CSV. */
#include <string.h>

#include "base/alloc.h"
#include "records/formats/json_string.h"

#define REPLACEMENT 0xfffdU
#define GATHERED ((size_t)16 << 10) /* bytes that a usual record does not have */

/* As many bytes as there is room for, behind those that are kept. */
static bool fill(sbl_json_records *records)
{
    size_t got = 0;
    const size_t room = records->window_size - records->end;
    records->failure =
        sbl_byte_source_read(records->source, records->window + records->end, room, &got, records->err);
    if (records->failure == SBL_OK) records->end += got;
    records->exhausted = got < room;
    records->window[records->end] = '\0';
    return records->failure == SBL_OK && got > 0;
}

bool sbl_json_refill(sbl_json_records *records)
{
    if (records->failure != SBL_OK) return false;
    records->at = records->end = 0;
    return fill(records);
}

void sbl_json_gather(sbl_json_records *records)
{
    const size_t left = records->end - records->at;
    if (records->exhausted || records->at == 0 || left >= GATHERED) return;
    memmove(records->window, records->window + records->at, left);
    records->at = 0;
    records->end = left;
    (void)fill(records);
}

void sbl_json_keep(sbl_json_records *records, const char *bytes, size_t count)
{
    const size_t needed = records->used + count + SBL_CELL_PADDING;
    if (records->overflowed || needed > SBL_JSON_MOST_TEXTS) {
        records->overflowed = true;
        return;
    }
    if (needed > records->capacity) {
        const size_t capacity = 2 * needed;
        char *larger = sbl_alloc_array(capacity, 1);
        if (larger == NULL) {
            if (records->failure == SBL_OK) records->failure = sbl_no_memory(records->err, "a row");
            records->overflowed = true;
            return;
        }
        if (records->used > 0) memcpy(larger, records->texts, records->used);
        sbl_free_wiped(records->texts, records->capacity);
        records->texts = larger;
        records->capacity = capacity;
    }
    memcpy(records->texts + records->used, bytes, count);
    records->used += count;
}

static void keep_point(sbl_json_records *records, uint32_t point)
{
    char bytes[4];
    size_t count = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = count; i-- > 1; point >>= 6) bytes[i] = (char)(0x80 | (point & 0x3f));
    bytes[0] = (char)(marks[count] | point);
    sbl_json_keep(records, bytes, count);
}

static bool read_hex(sbl_json_records *records, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        const int c = sbl_json_peek(records);
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return false;
        sbl_json_step(records);
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

/* What follows a backslash. *high: the first half of a character beyond U+FFFF that waits for its second;
 * 0: none. A lone half is an unknown character. */
static bool read_escape(sbl_json_records *records, uint32_t *high)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    uint32_t unit = 0;
    const int c = sbl_json_peek(records);
    const char *found = c > 0 ? strchr(names, c) : NULL;
    if (found == NULL && c != 'u') return false;
    sbl_json_step(records);
    if (c == 'u' && !read_hex(records, &unit)) return false;
    const bool second = c == 'u' && unit >= 0xdc00 && unit <= 0xdfff;
    if (*high != 0 && second) unit = 0x10000 + ((*high - 0xd800) << 10) + (unit - 0xdc00);
    if (*high != 0 && !second) keep_point(records, REPLACEMENT);
    const bool lone = *high == 0 && second;
    *high = 0;
    if (found != NULL)
        sbl_json_keep(records, &meant[found - names], 1);
    else if (unit >= 0xd800 && unit <= 0xdbff)
        *high = unit;
    else
        keep_point(records, lone ? REPLACEMENT : unit);
    return true;
}

/* Bytes of a string that mean themselves, as many as are in the window: none of them changes what is open. */
static size_t plain_run(const sbl_json_records *records)
{
    size_t i = records->at;
    for (; i < records->end; i++) {
        const unsigned char byte = (unsigned char)records->window[i];
        if (byte < 0x20 || byte == '"' || byte == '\\') break;
    }
    return i - records->at;
}

bool sbl_json_read_string(sbl_json_records *records)
{
    uint32_t high = 0;
    records->overflowed = false;
    for (int c; (c = sbl_json_peek(records)) != SBL_JSON_END;) {
        const size_t run = plain_run(records);
        if (high != 0 && (run > 0 || c == '"')) {
            keep_point(records, REPLACEMENT);
            high = 0;
        }
        if (run > 0) {
            sbl_json_keep(records, records->window + records->at, run);
            records->at += run;
            continue;
        }
        if (c < 0x20) return false;
        sbl_json_step(records);
        if (c == '"') return true;
        if (!read_escape(records, &high)) return false;
    }
    return false;
}
