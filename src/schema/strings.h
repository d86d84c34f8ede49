/* A list of strings, owned. */
#ifndef SBL_SCHEMA_STRINGS_H
#define SBL_SCHEMA_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sbl_strings {
    char **items;
    size_t count;
} sbl_strings;

/* Room for so many in an empty list. False: out of memory, as below. */
bool sbl_strings_reserve(sbl_strings *strings, size_t capacity);
/* A copy of text goes to the end; there must be room. */
bool sbl_strings_add(sbl_strings *strings, const char *text);
bool sbl_strings_contain(const sbl_strings *strings, const char *text);
void sbl_strings_clear(sbl_strings *strings);

#endif
