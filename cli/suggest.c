/* SPDX-License-Identifier: Apache-2.0 */
/* Optimal string alignment distance (Damerau 1964) in three rows, with starts of a name as near as
 * one edit. */
#include "suggest.h"

#include <string.h>

#define LONGEST 32

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string
 * alignment, Damerau 1964). Both are at most LONGEST long. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1] = {{0}};
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    const size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++) above[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = smaller(replaced, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[width];
}

sbl_suggestion sbl_suggestion_start(const char *typed)
{
    return (sbl_suggestion){.typed = typed, .best = NULL, .distance = 3};
}

void sbl_suggestion_offer(sbl_suggestion *suggestion, const char *name)
{
    const size_t typed_length = strlen(suggestion->typed);
    const size_t name_length = strlen(name);
    if (typed_length == 0 || typed_length > LONGEST || name_length > LONGEST) return;
    /* "--eps" for "--epsilon": a start of at least two letters is near whatever its length. */
    const size_t distance = typed_length >= 2 && strncmp(suggestion->typed, name, typed_length) == 0
                                ? 1
                                : edit_distance(suggestion->typed, name);
    if (distance >= suggestion->distance || distance >= name_length || distance >= typed_length) return;
    suggestion->distance = distance;
    suggestion->best = name;
}
