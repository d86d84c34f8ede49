/* Numbers are read and written in the "C" locale, switched for the calling thread and back, so
 * that a host program's decimal comma never gets into our files. Then hex, UTF-8 validation, and
 * the growing string, whose capacity rises by half. */
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"

/* The "C" locale for one call, whatever the host program has chosen: a comma as decimal point
 * would make one machine read another machine's certificate differently. */
static locale_t enter_c_locale(locale_t *c_locale)
{
    *c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return *c_locale != (locale_t)0 ? uselocale(*c_locale) : (locale_t)0;
}

static void leave_c_locale(locale_t c_locale, locale_t previous)
{
    if (c_locale == (locale_t)0) return;
    (void)uselocale(previous);
    freelocale(c_locale);
}

bool sbl_text_to_double(double *value, const char *text)
{
    locale_t c_locale;
    char *end;
    double result;
    const char first = text[0];
    const bool starts_well = (first >= '0' && first <= '9') || first == '-' || first == '+' ||
                             first == '.' || first == 'i' || first == 'I';
    if (!starts_well) return false;
    const locale_t previous = enter_c_locale(&c_locale);
    result = strtod(text, &end);
    leave_c_locale(c_locale, previous);
    if (end == text || *end != '\0' || isnan(result)) return false;
    *value = result;
    return true;
}

bool sbl_text_to_u64(uint64_t *value, const char *text)
{
    uint64_t result = 0;
    if (*text == '\0') return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') return false;
        if (__builtin_mul_overflow(result, UINT64_C(10), &result)) return false;
        if (__builtin_add_overflow(result, (uint64_t)(*text - '0'), &result)) return false;
    }
    *value = result;
    return true;
}

char *sbl_double_to_text(char text[SBL_DOUBLE_TEXT_SIZE], double value)
{
    locale_t c_locale;
    const locale_t previous = enter_c_locale(&c_locale);
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, SBL_DOUBLE_TEXT_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    leave_c_locale(c_locale, previous);
    return text;
}

char *sbl_hex_encode(char *text, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * size] = '\0';
    return text;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

bool sbl_hex_decode(uint8_t *bytes, size_t size, const char *text)
{
    for (size_t i = 0; i < size; i++) {
        const int high = hex_digit(text[2 * i]);
        if (high < 0) return false;
        const int low = hex_digit(text[2 * i + 1]);
        if (low < 0) return false;
        bytes[i] = (uint8_t)(high * 16 + low);
    }
    return text[2 * size] == '\0';
}

size_t sbl_utf8_length(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] > 0xf4 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (length >= 3) {
        /* Overlong forms, surrogates and what lies beyond U+10FFFF. */
        if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0;
        if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0;
    }
    return length;
}

bool sbl_text_is_utf8(const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        const size_t part = sbl_utf8_length(text, left);
        if (part == 0) return false;
        text += part;
        left -= part;
    }
    return true;
}

static bool reserve(sbl_text *text, size_t extra)
{
    size_t need;
    if (!sbl_size_add(&need, text->length, extra) || !sbl_size_add(&need, need, 1)) return false;
    if (need <= text->capacity) return true;
    const size_t capacity = need < 256 ? 256 : need + need / 2;
    char *data = sbl_resize_array(text->data, capacity, 1);
    if (data == NULL) return false;
    text->data = data;
    text->capacity = capacity;
    return true;
}

void sbl_text_append(sbl_text *text, const char *bytes, size_t length)
{
    if (text->failed || !reserve(text, length)) {
        text->failed = true;
        return;
    }
    if (length != 0) memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void sbl_text_printf(sbl_text *text, const char *format, ...)
{
    va_list arguments;
    char small[256];
    va_start(arguments, format);
    const int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length < 0) {
        text->failed = true;
    } else if ((size_t)length < sizeof small) {
        sbl_text_append(text, small, (size_t)length);
    } else if (text->failed || !reserve(text, (size_t)length)) {
        text->failed = true;
    } else {
        va_start(arguments, format);
        (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
        va_end(arguments);
        text->length += (size_t)length;
    }
}

void sbl_text_clear(sbl_text *text)
{
    sbl_free(text->data);
    memset(text, 0, sizeof *text);
}

sbl_status sbl_copy_text(char **copy, const char *text, const char *what, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(*copy, strlen(text) + 1, what);
    memcpy(*copy, text, strlen(text) + 1);
done:
    return status;
}

sbl_status sbl_text_check(const sbl_text *text, const char *what, sbl_error *err)
{
    return text->failed ? sbl_no_memory(err, what) : SBL_OK;
}

/* The list of code points that are not shown as themselves, and the two ways to replace them:
 * escaped as in JSON, which loses nothing, or by '?', in place. */

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
