/* The list of code points that are not shown as themselves, and the two ways to replace them:
 * escaped as in JSON, which loses nothing, or by '?', in place. */
#include "base/plain.h"

#include <string.h>

bool sbl_is_plain(uint32_t point)
{
    const uint32_t c = point;
    return !(c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
             (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff ||
             (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe);
}

size_t sbl_utf8_decode(uint32_t *point, const char *text)
{
    /* A sequence that the end of the text cuts off is invalid at its NUL: nothing behind is read. */
    const size_t length = sbl_utf8_length(text, 4);
    const unsigned char first = (unsigned char)text[0];
    if (length == 0) return 0;
    *point = length == 1 ? first : first & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) *point = *point << 6 | ((unsigned char)text[i] & 0x3fU);
    return length;
}

static void append_escape(sbl_text *out, uint32_t c)
{
    if (c > 0xffff) {
        sbl_text_printf(out, "\\u%04x", (unsigned)(0xd7c0 + (c >> 10)));
        c = 0xdc00 + (c & 0x3ff);
    }
    sbl_text_printf(out, "\\u%04x", (unsigned)c);
}

void sbl_text_append_plain(sbl_text *out, const char *text)
{
    const char *begin = text;
    while (*text != '\0') {
        uint32_t c = 0xfffd;
        const size_t length = sbl_utf8_decode(&c, text);
        if (length != 0 && (sbl_is_plain(c) || c == '\n')) {
            text += length;
            continue;
        }
        sbl_text_append(out, begin, (size_t)(text - begin));
        append_escape(out, c);
        text += length != 0 ? length : 1;
        begin = text;
    }
    sbl_text_append(out, begin, (size_t)(text - begin));
}

bool sbl_text_has_control(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f) return true;
    return false;
}

static char *make_plain(char *text, bool keep_lines)
{
    char *to = text;
    for (const char *from = text; from != NULL && *from != '\0';) {
        uint32_t c = 0;
        const size_t length = sbl_utf8_decode(&c, from);
        if (length != 0 && (sbl_is_plain(c) || (c == '\n' && keep_lines))) {
            memmove(to, from, length);
            to += length;
        } else {
            *to++ = '?';
        }
        from += length != 0 ? length : 1;
    }
    if (to != NULL) *to = '\0';
    return text;
}

char *sbl_plain_line(char *text) { return make_plain(text, false); }

char *sbl_plain_lines(char *text) { return make_plain(text, true); }
