/* SPDX-License-Identifier: Apache-2.0 */
/* A printf of our own for markup: %s always escapes, numbers are put together from integers so
 * that no locale gets in, and a conversion that is not known fails the page. No other function may
 * write data. */
#include "owner/report/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define NO_LIMIT SIZE_MAX
#define DASH "\xe2\x80\x93"        /* U+2013 */
#define ELLIPSIS "\xe2\x80\xa6"    /* U+2026 */
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define NARROW_SPACE "\xe2\x80\xaf"
#define MINUS "\xe2\x88\x92" /* U+2212 */

static void put(sbl_text *out, const char *text) { sbl_text_append(out, text, strlen(text)); }

/* ---- text ---- */

static const char *entity_of(uint32_t c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* The one function that all data goes through. limit: columns of text, wide characters count
 * twice. */
static void escape(sbl_text *out, const char *text, size_t limit, bool keep_lines)
{
    size_t columns = 0;
    while (*text != '\0') {
        uint32_t c = 0;
        const size_t length = sbl_utf8_decode(&c, text);
        const size_t wide = c >= 0x1100 ? 2 : 1;
        if (columns + wide > limit) {
            put(out, ELLIPSIS);
            return;
        }
        columns += wide;
        const char *entity = entity_of(c);
        if (length == 0)
            put(out, REPLACEMENT);
        else if (entity != NULL)
            put(out, entity);
        else if (c == '\n' && keep_lines)
            put(out, "\n");
        else if (c == '\n' || c == '\t' || c == '\r')
            put(out, " ");
        else if (!sbl_is_plain(c))
            put(out, REPLACEMENT);
        else
            sbl_text_append(out, text, length);
        text += length != 0 ? length : 1;
    }
}

void sbl_html_lines(sbl_text *out, const char *text) { escape(out, text, NO_LIMIT, true); }

/* ---- numbers ---- */

char *sbl_html_count_text(char text[SBL_HTML_COUNT_SIZE], uint64_t count)
{
    char digits[24];
    char *at = text;
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (int i = 0; i < length; i++) {
        if (i > 0 && length > 4 && (length - i) % 3 == 0) {
            memcpy(at, NARROW_SPACE, 3);
            at += 3;
        }
        *at++ = digits[i];
    }
    *at = '\0';
    return text;
}

/* In integers, so that no locale can put a comma where a reader of SVG wants a point. */
static void put_fixed(sbl_text *out, double value, unsigned decimals)
{
    static const double powers[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
    const unsigned places = decimals < 6 ? decimals : 6;
    if (isnan(value)) {
        put(out, DASH);
        return;
    }
    const double size = fmin(fabs(value), 1e11);
    const uint64_t units = (uint64_t)llround(size * powers[places]);
    const uint64_t whole = (uint64_t)powers[places];
    if (value < 0 && units != 0) put(out, "-");
    sbl_text_printf(out, "%llu", (unsigned long long)(units / whole));
    if (places != 0) sbl_text_printf(out, ".%0*llu", (int)places, (unsigned long long)(units % whole));
}

static void put_scientific(sbl_text *out, double value)
{
    int exponent = (int)floor(log10(fabs(value)));
    double mantissa = value / pow(10.0, exponent);
    if (!isfinite(mantissa)) mantissa = value < 0 ? -1.0 : 1.0; /* the smallest of numbers */
    if (fabs(mantissa) >= 9.995) {
        mantissa /= 10.0;
        exponent++;
    }
    put_fixed(out, mantissa, 2);
    sbl_text_printf(out, "e%d", exponent);
}

/* For people: a real minus sign, about three digits that count. */
static void put_general(sbl_text *out, double value)
{
    const double size = fabs(value);
    if (isnan(value)) {
        put(out, DASH);
        return;
    }
    if (isinf(value)) {
        put(out, "infinite");
        return;
    }
    if (value < 0) put(out, MINUS);
    if (size >= 1e6 || (size > 0 && size < 5e-4))
        put_scientific(out, size);
    else
        put_fixed(out, size, size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0);
}

/* ---- printing ---- */

typedef struct conversion {
    bool limited;
    size_t limit; /* of %.12s, %.2f */
    char letter;  /* 0: not one of ours */
} conversion;

/* What stands behind a %; moves *at past it. */
static conversion read_conversion(const char **at, int star)
{
    conversion c = {0};
    if (**at == '.') {
        (*at)++;
        c.limited = true;
        if (**at == '*') {
            (*at)++;
            c.limit = star > 0 ? (size_t)star : 0;
        } else {
            while (**at >= '0' && **at <= '9') c.limit = 10 * c.limit + (size_t)(*(*at)++ - '0');
        }
    }
    if (strncmp(*at, "zu", 2) == 0) (*at)++;
    if (strchr("sudfg%", **at) != NULL && **at != '\0') c.letter = *(*at)++;
    return c;
}

void sbl_html_print(sbl_text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    while (*format != '\0' && !out->failed) {
        const size_t plain = strcspn(format, "%");
        sbl_text_append(out, format, plain);
        format += plain;
        if (*format == '\0') break;
        format++;
        const int star = strncmp(format, ".*", 2) == 0 ? va_arg(arguments, int) : 0;
        const conversion c = read_conversion(&format, star);
        if (c.letter == 's') {
            const char *text = va_arg(arguments, const char *);
            escape(out, text != NULL ? text : DASH, c.limited ? c.limit : NO_LIMIT, false);
        } else if (c.letter == 'u') {
            sbl_text_printf(out, "%zu", va_arg(arguments, size_t));
        } else if (c.letter == 'd') {
            sbl_text_printf(out, "%d", va_arg(arguments, int));
        } else if (c.letter == 'f') {
            put_fixed(out, va_arg(arguments, double), c.limited ? (unsigned)c.limit : 6);
        } else if (c.letter == 'g') {
            put_general(out, va_arg(arguments, double));
        } else if (c.letter == '%') {
            put(out, "%");
        } else {
            out->failed = true;
        }
    }
    va_end(arguments);
}

/* ---- pieces of a page ---- */

void sbl_html_section_open(sbl_text *out, const char *id, const char *heading, bool is_private)
{
    sbl_html_print(out, "<section id=\"%s\">\n<h2>%s", id, heading);
    if (is_private) put(out, " <span class=\"tag\">NOT PRIVATE</span>");
    put(out, "</h2>\n");
}

void sbl_html_section_close(sbl_text *out) { put(out, "</section>\n"); }

void sbl_html_fold_open(sbl_text *out, const char *summary)
{
    sbl_html_print(out, "<details>\n<summary>%s</summary>\n", summary);
}

void sbl_html_fold_close(sbl_text *out) { put(out, "</details>\n"); }

void sbl_html_table_open(sbl_text *out, const char *caption, const char *heads)
{
    sbl_html_print(out,
                   "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table: %s\">\n"
                   "<table>\n<caption><span>%s</span></caption>\n",
                   caption, caption);
    if (heads == NULL) return;
    put(out, "<thead><tr>");
    for (const char *head = heads; head != NULL;) {
        const char *bar = strchr(head, '|');
        put(out, *head == '_' ? "<th scope=\"col\" class=\"word\">" : "<th scope=\"col\">");
        if (*head == '_') head++;
        sbl_text_append(out, head, bar != NULL ? (size_t)(bar - head) : strlen(head));
        put(out, "</th>");
        head = bar != NULL ? bar + 1 : NULL;
    }
    put(out, "</tr></thead>\n<tbody>\n");
}

void sbl_html_table_close(sbl_text *out) { put(out, "</tbody>\n</table>\n</div>\n"); }

void sbl_html_cell_number(sbl_text *out, double value) { sbl_html_print(out, "<td>%g</td>", value); }

void sbl_html_cell_count(sbl_text *out, double value)
{
    char text[SBL_HTML_COUNT_SIZE];
    if (!(value >= 0 && value < 9e15)) {
        sbl_html_cell_number(out, value);
        return;
    }
    sbl_html_print(out, "<td>%s</td>", sbl_html_count_text(text, (uint64_t)llround(value)));
}

const char *sbl_report_round_up(char text[SBL_DOUBLE_TEXT_SIZE], double value)
{
    double rounded = 0.0;
    if (!(value > 0) || isinf(value)) return isinf(value) ? "infinite" : "0";
    const int exponent = (int)floor(log10(value)) - 3;
    const double units = ceil(value / pow(10.0, exponent) - 1e-7);
    (void)snprintf(text, SBL_DOUBLE_TEXT_SIZE, "%.0fe%d", units, exponent);
    (void)sbl_text_to_double(&rounded, text);
    return sbl_double_to_text(text, rounded);
}
