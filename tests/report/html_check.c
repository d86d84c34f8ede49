/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html_check.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 64
#define MAX_IDS 64
#define NAME_SIZE 40

typedef struct reader {
    const char *begin;
    const char *at;
    const char *wrong; /* the first thing that is */
    const char *wrong_at;
    char open[MAX_DEPTH][NAME_SIZE];
    size_t depth;
    char ids[MAX_IDS][NAME_SIZE];
    size_t id_count;
} reader;

static const char *const elements[] = {
    "html",       "head", "meta",    "link", "title",   "style",   "body",  "div",     "header", "main",
    "footer",     "nav",  "ul",      "li",   "a",       "h1",      "h2",    "h3",      "p",      "strong",
    "em",         "span", "section", "dl",   "dt",      "dd",      "table", "caption", "thead",  "tbody",
    "tr",         "th",   "td",      "pre",  "details", "summary", "code",  "figure",  "img",    "svg",
    "figcaption", "desc", "path",    "rect", "text",    "g",       "defs",  "pattern", "circle", NULL};
static const char *const void_elements[] = {"meta", "link", "img", NULL};
static const char *const attributes[] = {"lang",
                                         "charset",
                                         "http-equiv",
                                         "content",
                                         "name",
                                         "rel",
                                         "href",
                                         "class",
                                         "id",
                                         "role",
                                         "tabindex",
                                         "scope",
                                         "colspan",
                                         "rowspan",
                                         "viewBox",
                                         "d",
                                         "x",
                                         "y",
                                         "width",
                                         "height",
                                         "fill",
                                         "fill-opacity",
                                         "transform",
                                         "src",
                                         "alt",
                                         "cx",
                                         "cy",
                                         "r",
                                         "patternUnits",
                                         "font-size",
                                         "aria-label",
                                         "aria-hidden",
                                         "patternTransform",
                                         "shape-rendering",
                                         NULL};

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(name, *list) == 0) return true;
    return false;
}

static void fail(reader *r, const char *what)
{
    if (r->wrong != NULL) return;
    r->wrong = what;
    r->wrong_at = r->at;
}

static bool begins(const reader *r, const char *text) { return strncmp(r->at, text, strlen(text)) == 0; }

/* Letters, digits and dashes. */
static bool read_name(reader *r, char name[NAME_SIZE])
{
    const size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
    if (length == 0 || length >= NAME_SIZE) return false;
    memcpy(name, r->at, length);
    name[length] = '\0';
    r->at += length;
    return true;
}

/* After &: one of the entities that the report writes. */
static void read_entity(reader *r)
{
    static const char *const known[] = {"amp;", "lt;", "gt;", "quot;", "#39;", "#178;", NULL};
    r->at++;
    for (size_t i = 0; known[i] != NULL; i++)
        if (begins(r, known[i])) {
            r->at += strlen(known[i]);
            return;
        }
    fail(r, "an ampersand that begins no entity");
}

/* One character of text, which is neither markup nor anything that text must not hold. */
static void read_character(reader *r)
{
    const unsigned char *c = (const unsigned char *)r->at;
    const size_t length = c[0] < 0x80 ? 1 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    uint32_t point = length == 1 ? c[0] : c[0] & (0x7fU >> length);
    if (c[0] == '&') {
        read_entity(r);
        return;
    }
    if ((c[0] < 0x20 && c[0] != '\n') || c[0] == 0x7f) fail(r, "a control character");
    if ((c[0] >= 0x80 && c[0] < 0xc2) || c[0] > 0xf4) fail(r, "ill-formed UTF-8");
    for (size_t i = 1; i < length && r->wrong == NULL; i++) {
        if ((c[i] & 0xc0) != 0x80) fail(r, "ill-formed UTF-8");
        point = point << 6 | (c[i] & 0x3fU);
    }
    if (r->wrong == NULL && ((point >= 0x80 && point < 0xa0) || (point >= 0x202a && point <= 0x202e) ||
                             (point >= 0x2066 && point <= 0x2069)))
        fail(r, "a character that hides or turns what follows");
    if (r->wrong == NULL) r->at += length;
}

/* Where an address may lead: into this page, or to a picture that stands in it. */
static void check_value(reader *r, const char *element, const char *name, const char *value)
{
    if (strcmp(name, "href") == 0 && value[0] != '#' &&
        !(strcmp(element, "link") == 0 && strncmp(value, "data:,\"", 7) == 0))
        fail(r, "an address that leads out of the page");
    if (strcmp(name, "src") == 0 && strncmp(value, "data:image/png;base64,", 22) != 0)
        fail(r, "a source that is no picture in the page");
    if (strcmp(name, "fill") == 0 && strncmp(value, "url(", 4) == 0 && value[4] != '#')
        fail(r, "a fill from outside the page");
    if (strcmp(name, "id") == 0) {
        char id[NAME_SIZE];
        (void)snprintf(id, sizeof id, "%.*s", (int)strcspn(value, "\""), value);
        for (size_t i = 0; i < r->id_count; i++)
            if (strcmp(r->ids[i], id) == 0) fail(r, "an id that is there twice");
        if (r->id_count < MAX_IDS) memcpy(r->ids[r->id_count++], id, sizeof id);
    }
}

static void read_attribute(reader *r, const char *element)
{
    char name[NAME_SIZE];
    if (!read_name(r, name) || !is_one_of(name, attributes)) {
        fail(r, "an attribute that is not known");
        return;
    }
    if (!begins(r, "=\"")) {
        fail(r, "an attribute without a quoted value");
        return;
    }
    r->at += 2;
    check_value(r, element, name, r->at);
    while (r->wrong == NULL && *r->at != '"') {
        if (*r->at == '<' || *r->at == '>' || *r->at == '\0' || *r->at == '\'' || *r->at == '\n')
            fail(r, "markup in an attribute");
        else
            read_character(r);
    }
    r->at++;
}

static void read_style(reader *r)
{
    const char *end = strstr(r->at, "</style>");
    if (end == NULL) {
        fail(r, "a style sheet without an end");
        return;
    }
    for (; r->at < end; r->at++)
        if (*r->at == '<' || *r->at == '@'
                ? strncmp(r->at, "@media", 6) != 0 && strncmp(r->at, "@page", 5) != 0
                : strncmp(r->at, "url(", 4) == 0 && r->at[4] != '#')
            fail(r, "a style sheet that asks for more than it has");
}

static void read_open_tag(reader *r)
{
    char name[NAME_SIZE];
    r->at++;
    if (!read_name(r, name) || !is_one_of(name, elements)) {
        fail(r, "an element that is not known");
        return;
    }
    while (r->wrong == NULL && *r->at == ' ') {
        r->at++;
        read_attribute(r, name);
    }
    if (r->wrong != NULL) return;
    if (begins(r, "/>")) {
        r->at += 2;
        return;
    }
    if (*r->at != '>') {
        fail(r, "a tag without an end");
        return;
    }
    r->at++;
    if (is_one_of(name, void_elements)) return;
    if (r->depth == MAX_DEPTH) {
        fail(r, "elements that are nested too deeply");
        return;
    }
    memcpy(r->open[r->depth++], name, sizeof name);
    if (strcmp(name, "style") == 0) read_style(r);
}

static void read_close_tag(reader *r)
{
    char name[NAME_SIZE];
    r->at += 2;
    if (!read_name(r, name) || *r->at != '>' || r->depth == 0 || strcmp(r->open[r->depth - 1], name) != 0) {
        fail(r, "a closing tag that closes nothing");
        return;
    }
    r->depth--;
    r->at++;
}

const char *html_check(const char *html, size_t *where)
{
    static const char doctype[] = "<!DOCTYPE html>\n<html lang=\"en\">\n";
    reader r = {.begin = html, .at = html};
    if (!begins(&r, doctype)) fail(&r, "no document type");
    r.at = strchr(html, '\n') != NULL ? strchr(html, '\n') : html;
    while (r.wrong == NULL && *r.at != '\0') {
        if (begins(&r, "</"))
            read_close_tag(&r);
        else if (*r.at == '<')
            read_open_tag(&r);
        else if (*r.at == '>')
            fail(&r, "a closing bracket in text");
        else
            read_character(&r);
    }
    if (r.depth != 0) fail(&r, "elements that are not closed");
    if (where != NULL) *where = r.wrong != NULL ? (size_t)(r.wrong_at - r.begin) : 0;
    return r.wrong;
}
