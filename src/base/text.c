/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers are read and written in the "C" locale, switched for the calling thread and back, so
 * that a host program's decimal comma never gets into our files. Then hex, and the growing string,
 * whose capacity rises by half. */
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
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
    const bool starts_well = (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.' ||
                             first == 'i' || first == 'I';
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

/* What is not shown as itself, escaped as in JSON: nothing is lost. */
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
