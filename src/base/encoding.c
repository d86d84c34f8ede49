/* iconv behind a short table of the encodings that we accept. Decoding never fails on content:
 * what iconv refuses becomes U+FFFD and the stream goes on, since a bad byte is a matter of one
 * cell. Encoding does fail, because a column's name or category that cannot be written is the
 * user's to change. */
#include "base/encoding.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

/* Ours, iconv's for reading and for writing. utf-16 without a mark is little-endian on every machine:
 * who writes it elsewise says so. */
static const struct {
    const char *name;
    const char *other; /* another word for it, or NULL */
    const char *iconv;
} encodings[] = {
    {"utf-8", "utf8", "UTF-8"},
    {"utf-8-sig", NULL, "UTF-8"}, /* with a mark before it, as spreadsheets write it */
    {"utf-16", "utf16", "UTF-16LE"},
    {"utf-16le", NULL, "UTF-16LE"},
    {"utf-16be", NULL, "UTF-16BE"},
    {"iso-8859-1", "latin-1", "ISO-8859-1"},
    {"iso-8859-15", "latin-9", "ISO-8859-15"},
    {"windows-1252", "cp1252", "WINDOWS-1252"},
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

static const char *iconv_name(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(name, encodings[i].name) == 0) return encodings[i].iconv;
    return "";
}

/* ---- in ---- */

struct sbl_decoder {
    iconv_t handle;
    bool open;
    bool marked; /* utf-16: its mark, if it has one, was seen */
    size_t unit; /* bytes that are passed over where nothing can be made of them */
};

sbl_status sbl_decoder_open(sbl_decoder **decoder, const char *name, sbl_error *err)
{
    sbl_decoder *made = *decoder = sbl_alloc_array(1, sizeof *made);
    if (made == NULL) return sbl_no_memory(err, "a decoder");
    made->marked = strcmp(name, "utf-16") != 0;
    made->unit = strncmp(name, "utf-16", 6) == 0 ? 2 : 1;
    made->handle = iconv_open("UTF-8", iconv_name(name));
    made->open = made->handle != (iconv_t)-1; /* NOLINT: that is how iconv says it */
    if (made->open) return SBL_OK;
    sbl_decoder_close(made);
    *decoder = NULL;
    return sbl_fail(err, SBL_EINPUT, "this system cannot read the encoding %.40s: save the file as UTF-8",
                    name);
}

void sbl_decoder_close(sbl_decoder *decoder)
{
    if (decoder == NULL) return;
    if (decoder->open) (void)iconv_close(decoder->handle);
    sbl_free(decoder);
}

/* The mark of utf-16: the other byte order asks for another conversion. */
static size_t take_mark(sbl_decoder *decoder, const uint8_t *input)
{
    decoder->marked = true;
    if (input[0] == 0xff && input[1] == 0xfe) return 2;
    if (input[0] != 0xfe || input[1] != 0xff) return 0;
    iconv_t other = iconv_open("UTF-8", "UTF-16BE");
    if (other == (iconv_t)-1) return 0; /* NOLINT */
    (void)iconv_close(decoder->handle);
    decoder->handle = other;
    return 2;
}

void sbl_decoder_decode(sbl_decoder *decoder, const uint8_t *input, size_t size, bool last, uint8_t *output,
                        size_t capacity, size_t *used, size_t *made)
{
    static const uint8_t replacement[3] = {0xef, 0xbf, 0xbd};
    *used = *made = 0;
    if (!decoder->marked) {
        if (size < 2 && !last) return;
        if (size >= 2) *used = take_mark(decoder, input);
    }
    while (*used < size && capacity - *made >= 8) {
        char *from = (char *)(uintptr_t)(input + *used);
        char *to = (char *)(output + *made);
        size_t left = size - *used;
        size_t room = capacity - *made;
        const size_t result = iconv(decoder->handle, &from, &left, &to, &room);
        *used = size - left;
        *made = capacity - room;
        if (result != (size_t)-1 || errno == E2BIG) continue;
        if (errno == EINVAL && !last) return; /* a character that is cut in two */
        if (room < sizeof replacement) return;
        memcpy(output + *made, replacement, sizeof replacement);
        *made += sizeof replacement;
        *used += left < decoder->unit ? left : decoder->unit;
    }
}

/* ---- out ---- */

sbl_status sbl_encoding_append(sbl_text *output, const char *name, const char *text, size_t length,
                               bool begin, sbl_error *err)
{
    char piece[4096];
    char *from = (char *)(uintptr_t)text;
    size_t left = length;
    iconv_t handle = iconv_open(iconv_name(name), "UTF-8");
    if (handle == (iconv_t)-1) /* NOLINT */
        return sbl_fail(err, SBL_EINPUT, "this system cannot write the encoding %.40s: use utf-8", name);
    if (begin && strcmp(name, "utf-16") == 0) sbl_text_append(output, "\xff\xfe", 2);
    while (left > 0) {
        char *to = piece;
        size_t room = sizeof piece;
        const size_t result = iconv(handle, &from, &left, &to, &room);
        sbl_text_append(output, piece, sizeof piece - room);
        if (result != (size_t)-1 || errno == E2BIG) continue;
        (void)iconv_close(handle);
        return sbl_fail(
            err, SBL_EINPUT,
            "the encoding %.40s cannot represent a character of a column's name or category: use utf-8",
            name);
    }
    (void)iconv_close(handle);
    return sbl_text_check(output, "a line", err);
}
