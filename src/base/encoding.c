/* SPDX-License-Identifier: Apache-2.0 */
/* The encodings that we accept, in tables of our own: iconv of a C library reads them from files of the system, which differ and
 * may be absent. Decoding never fails on content: what has no meaning becomes U+FFFD and the stream goes on, since a bad byte is
 * a matter of one cell. Encoding does fail, because a column's name or category that cannot be written is the user's to change. */
#include "base/encoding.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"

typedef enum charset { UTF_8, UTF_16LE, UTF_16BE, LATIN_1, LATIN_9, WINDOWS_1252 } charset;

/* utf-16 without a mark is little-endian on every machine: who writes it elsewise says so. */
static const struct {
    const char *name;
    const char *other; /* another word for it, or NULL */
    charset set;
} encodings[] = {
    {"utf-8", "utf8", UTF_8},
    {"utf-8-sig", NULL, UTF_8}, /* with a mark before it, as spreadsheets write it */
    {"utf-16", "utf16", UTF_16LE},
    {"utf-16le", NULL, UTF_16LE},
    {"utf-16be", NULL, UTF_16BE},
    {"iso-8859-1", "latin-1", LATIN_1},
    {"iso-8859-15", "latin-9", LATIN_9},
    {"windows-1252", "cp1252", WINDOWS_1252},
};

#define COUNT (sizeof encodings / sizeof encodings[0])

const char *sbl_encoding_name(const char *text)
{
    for (size_t i = 0; text != NULL && i < COUNT; i++)
        if (strcasecmp(text, encodings[i].name) == 0 ||
            (encodings[i].other != NULL && strcasecmp(text, encodings[i].other) == 0))
            return encodings[i].name;
    return NULL;
}

bool sbl_encoding_is_utf8(const char *name)
{
    return strcmp(name, "utf-8") == 0 || sbl_encoding_has_mark(name);
}

bool sbl_encoding_has_mark(const char *name) { return strcmp(name, "utf-8-sig") == 0; }

static charset charset_of(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(name, encodings[i].name) == 0) return encodings[i].set;
    return UTF_8;
}

static bool is_utf16(charset set) { return set == UTF_16LE || set == UTF_16BE; }

/* ---- characters ---- */

#define NONE 0xffffffffU /* bytes that do not encode a character */

/* windows-1252 from 0x80 to 0x9f; elsewhere it is iso-8859-1. */
static const uint16_t windows[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

/* Where iso-8859-15 is not iso-8859-1. */
static const struct {
    uint8_t byte;
    uint16_t point;
} latin9[] = {{0xa4, 0x20ac}, {0xa6, 0x0160}, {0xa8, 0x0161}, {0xb4, 0x017d},
              {0xb8, 0x017e}, {0xbc, 0x0152}, {0xbd, 0x0153}, {0xbe, 0x0178}};

static uint32_t point_of_byte(charset set, uint8_t byte)
{
    if (set == WINDOWS_1252 && byte >= 0x80 && byte < 0xa0)
        return windows[byte - 0x80] != 0 ? windows[byte - 0x80] : NONE;
    for (size_t i = 0; set == LATIN_9 && i < sizeof latin9 / sizeof latin9[0]; i++)
        if (latin9[i].byte == byte) return latin9[i].point;
    return byte;
}

static uint32_t unit_of(charset set, const uint8_t *bytes)
{
    return set == UTF_16LE ? bytes[0] | (uint32_t)bytes[1] << 8 : bytes[1] | (uint32_t)bytes[0] << 8;
}

/* The character that the input begins with, or NONE and the bytes to pass over.
 * Returns: the bytes that it takes; 0: more of them are needed */
static size_t read_point(uint32_t *point, charset set, const uint8_t *input, size_t size)
{
    if (!is_utf16(set)) {
        *point = point_of_byte(set, input[0]);
        return 1;
    }
    if (size < 2) return 0;
    *point = unit_of(set, input);
    if (*point < 0xd800 || *point > 0xdfff) return 2;
    if (*point < 0xdc00 && size < 4) return 0;
    const uint32_t low = *point < 0xdc00 ? unit_of(set, input + 2) : 0;
    if (low < 0xdc00 || low > 0xdfff) {
        *point = NONE; /* half of a pair */
        return 2;
    }
    *point = 0x10000 + ((*point & 0x3ff) << 10 | (low & 0x3ff));
    return 4;
}

/* The UTF-8 of a character.   Returns: its bytes, at most 4 */
static size_t put_utf8(uint8_t *output, uint32_t point)
{
    static const uint8_t marks[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    const size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; point >>= 6) output[i] = (uint8_t)(0x80 | (point & 0x3f));
    output[0] = (uint8_t)(marks[length] | point);
    return length;
}

/* A character in the encoding.   Returns: its bytes, at most 4; 0: the encoding does not have it */
static size_t put_point(uint8_t output[4], charset set, uint32_t point)
{
    if (!is_utf16(set)) {
        for (unsigned byte = 0; byte < 256; byte++) /* most are found where they are in ASCII */
            if (point_of_byte(set, (uint8_t)(point + byte)) == point) {
                output[0] = (uint8_t)(point + byte);
                return 1;
            }
        return 0;
    }
    const size_t units = point < 0x10000 ? 1 : 2;
    const uint32_t pair[2] = {units == 1 ? point : 0xd800 | (point - 0x10000) >> 10,
                              0xdc00 | (point & 0x3ff)};
    for (size_t i = 0; i < units; i++) {
        output[2 * i] = (uint8_t)(set == UTF_16LE ? pair[i] : pair[i] >> 8);
        output[2 * i + 1] = (uint8_t)(set == UTF_16LE ? pair[i] >> 8 : pair[i]);
    }
    return 2 * units;
}

/* ---- in ---- */

struct sbl_decoder {
    charset set;
    bool marked; /* utf-16: its mark, if it has one, was seen */
};

sbl_status sbl_decoder_open(sbl_decoder **decoder, const char *name, sbl_error *err)
{
    sbl_decoder *made = *decoder = sbl_alloc_array(1, sizeof *made);
    if (made == NULL) return sbl_no_memory(err, "a decoder");
    made->marked = strcmp(name, "utf-16") != 0;
    made->set = charset_of(name);
    return SBL_OK;
}

void sbl_decoder_close(sbl_decoder *decoder) { sbl_free(decoder); }

/* The mark of utf-16 says its byte order. */
static size_t take_mark(sbl_decoder *decoder, const uint8_t *input)
{
    decoder->marked = true;
    if (input[0] == 0xff && input[1] == 0xfe) return 2;
    if (input[0] != 0xfe || input[1] != 0xff) return 0;
    decoder->set = UTF_16BE;
    return 2;
}

void sbl_decoder_decode(sbl_decoder *decoder, const uint8_t *input, size_t size, bool last, uint8_t *output,
                        size_t capacity, size_t *used, size_t *made)
{
    *used = *made = 0;
    if (!decoder->marked) {
        if (size < 2 && !last) return;
        if (size >= 2) *used = take_mark(decoder, input);
    }
    while (*used < size && capacity - *made >= 8) {
        uint32_t point = NONE;
        size_t taken = read_point(&point, decoder->set, input + *used, size - *used);
        if (taken == 0 && !last) return; /* a character that is cut in two */
        if (taken == 0) {                /* for good */
            point = NONE;
            taken = size - *used < 2 ? size - *used : 2;
        }
        *made += put_utf8(output + *made, point == NONE ? 0xfffd : point);
        *used += taken;
    }
}

/* ---- out ---- */

sbl_status sbl_encoding_append(sbl_text *output, const char *name, const char *text, size_t length,
                               bool begin, sbl_error *err)
{
    const charset set = charset_of(name);
    if (begin && strcmp(name, "utf-16") == 0) sbl_text_append(output, "\xff\xfe", 2);
    for (size_t at = 0; at < length;) {
        uint8_t bytes[4];
        uint32_t point;
        const size_t taken = sbl_utf8_length(text + at, length - at);
        const size_t made =
            taken > 0 && sbl_utf8_decode(&point, text + at) == taken ? put_point(bytes, set, point) : 0;
        if (made == 0)
            return sbl_fail(
                err, SBL_EINPUT,
                "the encoding %.40s cannot represent a character of a column's name or category: use utf-8",
                name);
        sbl_text_append(output, (const char *)bytes, made);
        at += taken;
    }
    return sbl_text_check(output, "a line", err);
}
