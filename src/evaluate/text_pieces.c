#include "evaluate/text_pieces.h"

#include <stdbool.h>
#include <stdio.h>

void sbl_put_name(sbl_text *text, const char *name, size_t width)
{
    size_t places = 0;
    for (const char *c = name; *c != '\0'; c++) places += ((unsigned char)*c & 0xc0) != 0x80;
    const bool cut = places > width;
    const size_t room = cut ? width - 2 : width;
    size_t used = 0;
    for (; *name != '\0'; name++) {
        const unsigned char byte = (unsigned char)*name;
        if ((byte & 0xc0) != 0x80 && used++ == room) break;
        sbl_text_append(text, byte < 0x20 || byte == 0x7f ? "?" : name, 1);
    }
    if (cut) sbl_text_append(text, "..", 2);
    for (used = cut ? width : places; used < width; used++) sbl_text_append(text, " ", 1);
}

void sbl_put_line(sbl_text *text, const char *words)
{
    for (; *words != '\0'; words++) {
        const unsigned char byte = (unsigned char)*words;
        sbl_text_append(text, byte < 0x20 || byte == 0x7f ? "?" : words, 1);
    }
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
