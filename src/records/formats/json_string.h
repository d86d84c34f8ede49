/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to JSON tables: the bytes of a record (json_reader.h), with one byte of lookahead, and its
 * strings. Only sbl_json_peek() decides whether a byte ends the record, so no reader can leave the record. */
#ifndef SBL_FORMATS_JSON_BYTES_H
#define SBL_FORMATS_JSON_BYTES_H

#include "records/formats/json_reader.h"

#define SBL_JSON_END (-1) /* of the record, or of the file */

/* The array is closed: nothing but blanks follows.   Returns: SBL_OK; SBL_EINPUT, SBL_EIO */
sbl_status sbl_json_close_array(sbl_json_records *records, sbl_error *err);
/* "NAME ends inside its array": SBL_EINPUT. */
sbl_status sbl_json_fail_open(sbl_json_records *records, bool in_record, sbl_error *err);

/* More bytes of the file; false: there are none. */
bool sbl_json_refill(sbl_json_records *records);

/* The same while the bytes at hand are kept, if the record there may not be whole. */
void sbl_json_gather(sbl_json_records *records);

static inline bool sbl_json_has_byte(sbl_json_records *records)
{
    return records->at < records->end || sbl_json_refill(records);
}

/* The byte at hand; SBL_JSON_END: the record is over. */
static inline int sbl_json_peek(sbl_json_records *records)
{
    if (!sbl_json_has_byte(records)) return SBL_JSON_END;
    const char byte = records->window[records->at];
    if (!records->is_array) return byte == '\n' ? SBL_JSON_END : (unsigned char)byte;
    const bool outside = records->depth == 0 && !records->in_string;
    return outside && (byte == ',' || byte == ']') ? SBL_JSON_END : (unsigned char)byte;
}

/* On to the next byte, after sbl_json_peek() gave one. */
static inline void sbl_json_step(sbl_json_records *records)
{
    const char byte = records->window[records->at++];
    if (!records->is_array) return;
    if (records->in_string) {
        records->in_string = records->escaped || byte != '"';
        records->escaped = !records->escaped && byte == '\\';
    } else if (byte == '"') {
        records->in_string = true;
    } else if (byte == '{' || byte == '[') {
        records->depth++;
    } else if ((byte == '}' || byte == ']') && records->depth > 0) {
        records->depth--;
    }
}

/* Digits with an optional minus sign as the integer that they are. false: an int64_t may not hold it, or it is -0. */
#define SBL_JSON_WHOLE_DIGITS 18 /* that an int64_t holds, whichever they are */
static inline bool sbl_json_whole(int64_t *value, const char *text, size_t length)
{
    const bool negative = length > 0 && text[0] == '-';
    int64_t size = 0;
    if (length - negative > SBL_JSON_WHOLE_DIGITS) return false;
    for (size_t i = negative; i < length; i++) size = size * 10 + (text[i] - '0');
    *value = negative ? -size : size;
    return !negative || size != 0;
}

/* Which of the names is it? SIZE_MAX: none.
 * In:      position  in its record, where the same name tends to be */
size_t sbl_json_find(sbl_json_records *records, size_t position, const char *name, size_t length);
/* The whole record at hand, up to the byte that ends it, if it is in the window and written in the usual way
 * (json_quick.c). false: cells have no meaning, and nothing was read. */
bool sbl_json_read_quick(sbl_json_records *records, sbl_cell *cells);

static inline bool sbl_json_is_blank(int byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* The first byte that is not a blank. */
static inline int sbl_json_peek_past_blanks(sbl_json_records *records)
{
    int byte;
    while (sbl_json_is_blank(byte = sbl_json_peek(records))) sbl_json_step(records);
    return byte;
}

/* Is it this byte? Then past it. */
static inline bool sbl_json_take(sbl_json_records *records, char byte)
{
    if (sbl_json_peek(records) != (unsigned char)byte) return false;
    sbl_json_step(records);
    return true;
}

/* A byte of a text more, from records->used on; records->overflowed: there is no room. */
void sbl_json_keep(sbl_json_records *records, const char *bytes, size_t count);
/* A string behind its first quote, kept likewise. false: it is none. */
bool sbl_json_read_string(sbl_json_records *records);

#endif
