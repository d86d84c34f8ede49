/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of one of DuckDB's vectors as an Arrow array of texts.
 *
 * Privacy: holds records, and wipes them. */
#include <string.h>

#include "base/alloc.h"
#include "records/formats/duckdb.h"

bool sbl_engine_buffer_grow(sbl_engine_buffer *to, size_t size)
{
    if (size <= to->capacity) return true;
    char *larger = sbl_alloc_array(size, 2);
    if (larger == NULL) return false;
    sbl_free_wiped(to->data, to->capacity);
    *to = (sbl_engine_buffer){larger, 2 * size};
    return true;
}

void sbl_engine_buffer_clear(sbl_engine_buffer *used)
{
    sbl_free_wiped(used->data, used->capacity);
    *used = (sbl_engine_buffer){0};
}

/* A text that is inside its vector is copied with what is behind it, which the next one overwrites: a copy of fixed
 * size needs no call. */
bool sbl_engine_copy_texts(const void *pointers[3], sbl_engine_buffer *offsets, sbl_engine_buffer *texts,
                           const void *data, const uint64_t *validity, size_t rows)
{
    const char *place = data;
    size_t total = 0;
    if (!sbl_engine_buffer_grow(offsets, (rows + 1) * sizeof(int64_t))) return false;
    int64_t *ends = (int64_t *)(void *)offsets->data;
    ends[0] = 0;
    for (size_t r = 0; r < rows; r++) {
        uint32_t length;
        memcpy(&length, place + r * sizeof(sbl_engine_text), sizeof length);
        total += sbl_engine_is_there(validity, r) ? length : 0;
        ends[r + 1] = (int64_t)total;
    }
    if (!sbl_engine_buffer_grow(texts, total + SBL_ENGINE_INLINE_TEXT + SBL_CELL_PADDING)) return false;
    for (size_t r = 0; r < rows; r++, place += sizeof(sbl_engine_text)) {
        const size_t length = (size_t)(ends[r + 1] - ends[r]);
        char *to = texts->data + ends[r];
        if (length <= SBL_ENGINE_INLINE_TEXT) {
            memcpy(to, place + sizeof(uint32_t), SBL_ENGINE_INLINE_TEXT);
        } else {
            sbl_engine_text text;
            memcpy(&text, place, sizeof text);
            memcpy(to, text.data, length);
        }
    }
    pointers[0] = validity;
    pointers[1] = ends;
    pointers[2] = texts->data;
    return true;
}
