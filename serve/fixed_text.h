/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in fields of a fixed size, as those of a run and of a data set are. */
#ifndef SBL_SERVE_FIELD_H
#define SBL_SERVE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A text, with its NUL, into a field of `size` bytes. False where there is no room for all of it: the field is then
 * empty, for half a path or half a name would be another one. */
static inline bool sbl_serve_put(char *field, size_t size, const char *text)
{
    const size_t length = strlen(text);
    field[0] = '\0';
    if (length >= size) return false;
    memcpy(field, text, length + 1);
    return true;
}

#endif
