/* An array of copies. Capacity is reserved once, since every reader knows the length of its
 * list. */
#include "schema/strings.h"

#include <string.h>

#include "base/memory.h"

bool sbl_strings_reserve(sbl_strings *strings, size_t capacity)
{
    strings->items = sbl_alloc_array(capacity, sizeof *strings->items);
    return strings->items != NULL;
}

bool sbl_strings_add(sbl_strings *strings, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = sbl_alloc_array(size, 1);
    if (copy == NULL) return false;
    memcpy(copy, text, size);
    strings->items[strings->count++] = copy;
    return true;
}

bool sbl_strings_contain(const sbl_strings *strings, const char *text)
{
    for (size_t i = 0; i < strings->count; i++)
        if (strcmp(strings->items[i], text) == 0) return true;
    return false;
}

void sbl_strings_clear(sbl_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++) sbl_free(strings->items[i]);
    sbl_free(strings->items);
    memset(strings, 0, sizeof *strings);
}
