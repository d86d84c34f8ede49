/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings against iconv of the C library: every byte, every pair of units of UTF-16, every character. */
#include <errno.h>
#include <iconv.h>
#include <string.h>

#include "base/alloc.h"
#include "base/encoding.h"
#include "support/cmocka_all.h"

typedef struct pair {
    const char *ours, *theirs;
    size_t unit;
} pair;
static const pair pairs[] = {{"utf-16le", "UTF-16LE", 2},
                             {"utf-16be", "UTF-16BE", 2},
                             {"iso-8859-1", "ISO-8859-1", 1},
                             {"iso-8859-15", "ISO-8859-15", 1},
                             {"windows-1252", "WINDOWS-1252", 1}};

/* What iconv makes of it, with U+FFFD for each unit that it refuses. */
static size_t by_iconv(const pair *with, const uint8_t *input, size_t size, uint8_t *output, size_t capacity)
{
    iconv_t handle = iconv_open("UTF-8", with->theirs);
    char *from = (char *)(uintptr_t)input, *to = (char *)output;
    size_t left = size, room = capacity;
    while (left > 0 && iconv(handle, &from, &left, &to, &room) == (size_t)-1) {
        const size_t over = left < with->unit ? left : with->unit;
        memcpy(to, "\xef\xbf\xbd", 3);
        to += 3, room -= 3, from += over, left -= over;
    }
    assert_int_equal(iconv_close(handle), 0);
    return capacity - room;
}

static size_t by_us(const pair *with, const uint8_t *input, size_t size, uint8_t *output, size_t capacity)
{
    sbl_decoder *decoder;
    size_t used = 0, made = 0, taken, given;
    assert_int_equal(sbl_decoder_open(&decoder, with->ours, NULL), SBL_OK);
    do {
        sbl_decoder_decode(decoder, input + used, size - used, true, output + made, capacity - made, &taken,
                           &given);
        used += taken;
        made += given;
    } while (taken > 0 && used < size);
    sbl_decoder_close(decoder);
    assert_int_equal(used, size);
    return made;
}

static void assert_alike(const pair *with, const uint8_t *input, size_t size)
{
    uint8_t ours[64], theirs[64];
    const size_t made = by_us(with, input, size, ours, sizeof ours);
    assert_int_equal(made, by_iconv(with, input, size, theirs, sizeof theirs));
    assert_memory_equal(ours, theirs, made);
}

TEST(bytes_are_read_as_iconv_reads_them)
{
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        for (unsigned byte = 0; byte < 256; byte++) {
            const uint8_t input[] = {(uint8_t)byte, (uint8_t)byte, 'a'};
            for (size_t size = 1; size <= 3; size++) assert_alike(&pairs[i], input, size);
        }
}

TEST(pairs_of_utf16_whole_torn_and_swapped_are_read_as_iconv_reads_them)
{
    static const uint8_t highs[] = {0x00, 0x20, 0xd7, 0xd8, 0xdb, 0xdc, 0xdf, 0xe0, 0xfe, 0xff};
    for (size_t i = 0; i < 2; i++)
        for (size_t a = 0; a < sizeof highs; a++)
            for (size_t b = 0; b < sizeof highs; b++) {
                const uint8_t first = highs[a], second = highs[b];
                const uint8_t little[] = {0x3d, first, 0x00, second, 0x41, 0x00};
                const uint8_t big[] = {first, 0x3d, second, 0x00, 0x00, 0x41};
                for (size_t size = 1; size <= 6; size++) assert_alike(&pairs[i], i == 0 ? little : big, size);
            }
}

TEST(every_character_is_written_as_iconv_writes_it)
{
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        iconv_t utf8 = iconv_open("UTF-8", "UTF-32LE"), other = iconv_open(pairs[i].theirs, "UTF-8");
        const uint32_t last = pairs[i].unit == 1 ? 0x2200 : 0x10ffff;
        for (uint32_t point = 1; point <= last; point += point < 0x3000 ? 1 : 251) {
            uint8_t units[4] = {(uint8_t)point, (uint8_t)(point >> 8), (uint8_t)(point >> 16), 0};
            char text[8], bytes[8], *from = (char *)units, *to = text;
            size_t left = 4, room = sizeof text;
            if (iconv(utf8, &from, &left, &to, &room) == (size_t)-1) continue; /* a surrogate */
            const size_t length = sizeof text - room;
            from = text, left = length, to = bytes, room = sizeof bytes;
            const bool known = iconv(other, &from, &left, &to, &room) != (size_t)-1;
            sbl_text ours = {0};
            const sbl_status status = sbl_encoding_append(&ours, pairs[i].ours, text, length, false, NULL);
            assert_int_equal(status, known ? SBL_OK : SBL_EINPUT);
            if (known) {
                assert_int_equal(ours.length, sizeof bytes - room);
                assert_memory_equal(ours.data, bytes, ours.length);
            }
            sbl_text_clear(&ours);
        }
        assert_int_equal(iconv_close(utf8) | iconv_close(other), 0);
    }
}

TEST(a_character_that_is_cut_waits_for_the_rest)
{
    static const uint8_t input[] = {0x3d, 0xd8, 0x00, 0xde};
    sbl_decoder *decoder;
    uint8_t output[8];
    size_t used, made;
    assert_int_equal(sbl_decoder_open(&decoder, "utf-16le", NULL), SBL_OK);
    for (size_t size = 1; size < 4; size++) {
        sbl_decoder_decode(decoder, input, size, false, output, sizeof output, &used, &made);
        assert_true(used == 0 && made == 0);
    }
    sbl_decoder_decode(decoder, input, 4, false, output, sizeof output, &used, &made);
    assert_true(used == 4 && made == 4 && memcmp(output, "\xf0\x9f\x98\x80", 4) == 0);
    sbl_decoder_close(decoder);
}
