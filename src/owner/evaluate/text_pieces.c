/* SPDX-License-Identifier: Apache-2.0 */
/* What the texts of evaluations are made of: names cut or padded to a width in characters, numbers in
 * columns. Everything that comes from data passes through put_character(). */
#include <math.h>
#include <stdio.h>

#include "owner/evaluate/evaluation_text.h"

/* One character of name, or a '?' in its place; returns what stands behind it. */
static const char *put_character(sbl_text *text, const char *name)
{
    uint32_t c = 0;
    const size_t length = sbl_utf8_decode(&c, name);
    if (length != 0 && sbl_is_plain(c))
        sbl_text_append(text, name, length);
    else
        sbl_text_append(text, "?", 1);
    return name + (length != 0 ? length : 1);
}

static size_t count_characters(const char *name)
{
    size_t count = 0;
    for (uint32_t c; *name != '\0'; count++) {
        const size_t length = sbl_utf8_decode(&c, name);
        name += length != 0 ? length : 1;
    }
    return count;
}

void sbl_put_name(sbl_text *text, const char *name, size_t width)
{
    const size_t places = count_characters(name);
    const bool cut = places > width;
    for (size_t used = 0; used < (cut ? width - 2 : places); used++) name = put_character(text, name);
    if (cut) sbl_text_append(text, "..", 2);
    for (size_t used = cut ? width : places; used < width; used++) sbl_text_append(text, " ", 1);
}

void sbl_put_line(sbl_text *text, const char *words)
{
    while (*words != '\0') words = put_character(text, words);
}

const char *sbl_string_of(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));
    return value != NULL ? value : "";
}

long long sbl_whole_of(const json_t *object, const char *name)
{
    return (long long)json_integer_value(json_object_get(object, name));
}

void sbl_put_number(sbl_text *text, const json_t *value, const char *format)
{
    if (json_is_number(value)) {
        char number[32];
        (void)snprintf(number, sizeof number, format, json_number_value(value));
        sbl_text_printf(text, " %8s", number);
    } else {
        sbl_text_printf(text, " %8s", "-");
    }
}

void sbl_put_triple(sbl_text *text, const json_t *triple, const char *format)
{
    static const char *const names[] = {"synthetic", "floor", "ceiling"};
    for (size_t i = 0; i < 3; i++) sbl_put_number(text, json_object_get(triple, names[i]), format);
}

void sbl_put_share(sbl_text *text, const json_t *share)
{
    if (json_is_number(share))
        sbl_text_printf(text, " %8.4f", floor(json_number_value(share) * 1e4) / 1e4);
    else
        sbl_text_printf(text, " %8s", "-");
}

void sbl_put_row(sbl_text *text, size_t width, const char *words, const json_t *triple, const char *format)
{
    sbl_put_name(text, words, width);
    sbl_put_triple(text, triple, format);
    sbl_text_printf(text, "\n");
}

void sbl_put_heading(sbl_text *text, size_t width, const char *title)
{
    sbl_text_printf(text, "\n%-*s %8s %8s %8s\n", (int)width, title, "synth.", "floor", "ceiling");
}

void sbl_put_distance(sbl_text *text, const json_t *owner, const char *member, const char *words,
                      const char *name)
{
    const json_t *triple = json_object_get(owner, member);
    sbl_text line = {0};
    if (!json_is_number(json_object_get(triple, "synthetic"))) return;
    sbl_text_printf(&line, "%s%s%s", words, name != NULL ? " " : "", name != NULL ? name : "");
    if (line.failed) text->failed = true;
    sbl_put_row(text, SBL_DISTANCE_WIDTH, line.failed ? "" : line.data, triple, "%.4f");
    sbl_text_clear(&line);
}

void sbl_put_inputs(sbl_text *text, const json_t *document, const char *what)
{
    static const char *const roles[] = {"real", "synthetic", "train"};
    const json_t *inputs = json_object_get(document, "inputs");
    sbl_put_line(text, sbl_string_of(document, "warning"));
    sbl_text_printf(text, "\n\n");
    for (size_t i = 0; i < 3; i++) {
        const json_t *input = json_object_get(inputs, roles[i]);
        const json_t *used = json_object_get(input, "used"); /* of images */
        if (!json_is_object(input)) continue;
        sbl_text_printf(text, "%-10s ", roles[i]);
        sbl_put_line(text, sbl_string_of(input, "path"));
        sbl_text_printf(text, ": %lld %s", sbl_whole_of(input, "rows"), what);
        if (json_is_integer(used) && json_integer_value(used) < sbl_whole_of(input, "rows"))
            sbl_text_printf(text, ", of which %lld were drawn", (long long)json_integer_value(used));
        sbl_text_printf(text, "\n");
    }
}
