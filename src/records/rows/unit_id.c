/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes an id byte by byte with SipHash-128 under the run's key, without blanks at both ends. Up to 64
 * bytes are kept, to recognise whole numbers with a fraction of zeros. Longer ids are hashed as they come;
 * the state before the last blanks is saved. */
#include "records/rows/unit_id.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

void sbl_unit_id_begin(sbl_unit_id *id, const uint8_t key[SBL_SIPHASH_KEY_SIZE])
{
    id->key = key;
    id->length = id->end = 0;
}

static void begin_hash(sbl_unit_id *id)
{
    sbl_siphash_begin(&id->all, id->key);
    for (size_t i = 0; i < SBL_UNIT_SHORT; i++) sbl_siphash_add(&id->all, (uint8_t)id->first[i]);
}

void sbl_unit_id_add(sbl_unit_id *id, char byte)
{
    const bool blank = byte == ' ' || byte == '\t';
    if (blank && id->length == 0) return;
    if (id->length < SBL_UNIT_SHORT) {
        id->first[id->length] = byte;
    } else {
        if (id->length == SBL_UNIT_SHORT) begin_hash(id);
        if (blank && id->end == id->length) id->ended = id->all; /* it may be the last blanks */
        sbl_siphash_add(&id->all, (uint8_t)byte);
    }
    id->length++;
    if (!blank) id->end = id->length;
}

static size_t count(const char *text, size_t length, const char *bytes)
{
    size_t found = 0;
    while (found < length && text[found] != '\0' && strchr(bytes, text[found]) != NULL) found++;
    return found;
}

/* Without the fraction of a whole number, and without the sign of zero. Returns where it begins. */
static const char *as_whole(const char *text, size_t *length)
{
    const size_t sign = text[0] == '-' ? 1 : 0;
    const size_t digits = count(text + sign, *length - sign, "0123456789");
    const size_t after = sign + digits;
    const bool fraction = after < *length && text[after] == '.';
    const bool whole =
        digits > 0 &&
        (after == *length ||
         (fraction && after + 1 + count(text + after + 1, *length - after - 1, "0") == *length));
    if (!whole) return text;
    const size_t unsigned_from = count(text + sign, digits, "0") == digits ? sign : 0;
    *length = after - unsigned_from;
    return text + unsigned_from;
}

sbl_unit_tag sbl_unit_id_end(sbl_unit_id *id)
{
    sbl_unit_tag tag = {0};
    if (id->end > SBL_UNIT_SHORT) {
        tag = sbl_siphash_end(id->end == id->length ? &id->all : &id->ended);
    } else if (id->end > 0) {
        const char *text = as_whole(id->first, &id->end);
        tag = sbl_siphash128(id->key, text, id->end);
    }
    tag.low |= id->end > 0 && (tag.low | tag.high) == 0; /* 0 means no person */
    sbl_wipe(id, sizeof *id);
    return tag;
}

sbl_unit_tag sbl_unit_id_of(const uint8_t key[SBL_SIPHASH_KEY_SIZE], const char *text, size_t length)
{
    sbl_unit_id id;
    sbl_unit_id_begin(&id, key);
    for (size_t i = 0; i < length; i++) sbl_unit_id_add(&id, text[i]);
    return sbl_unit_id_end(&id);
}
