/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the tags with their rows, so that each person's first row is found without a hash table: it
 * takes memory by rows, of which the frame beside it takes more. */
#include "owner/fidelity/row_persons.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST_ROWS 16384

sbl_status sbl_row_tags_add(sbl_row_tags *list, const sbl_unit_tag *tags, size_t count, sbl_error *err)
{
    sbl_unit_tag *larger = NULL;
    sbl_status status = SBL_OK;
    if (list->count + count > list->capacity) {
        size_t capacity = list->capacity != 0 ? list->capacity : FIRST_ROWS;
        while (capacity < list->count + count) capacity *= 2;
        SBL_ALLOC(larger, capacity, "the persons of a table");
        if (list->count != 0) memcpy(larger, list->tags, list->count * sizeof *larger);
        sbl_free_wiped(list->tags, list->capacity * sizeof *list->tags);
        list->tags = larger;
        list->capacity = capacity;
    }
    memcpy(list->tags + list->count, tags, count * sizeof *list->tags);
    list->count += count;
done:
    return status;
}

void sbl_row_tags_clear(sbl_row_tags *list)
{
    sbl_free_wiped(list->tags, list->capacity * sizeof *list->tags);
    *list = (sbl_row_tags){0};
}

typedef struct tagged_row {
    sbl_unit_tag tag;
    uint32_t row;
} tagged_row;

static int compare_words(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

/* By persons, the rows of each in order; rows without a person come first. */
static int by_tag(const void *a, const void *b)
{
    const tagged_row *x = a, *y = b;
    int order = compare_words(x->tag.high, y->tag.high);
    if (order == 0) order = compare_words(x->tag.low, y->tag.low);
    return order != 0 ? order : compare_words(x->row, y->row);
}

static bool is_nobody(sbl_unit_tag tag) { return tag.low == 0 && tag.high == 0; }

static bool same_person(sbl_unit_tag a, sbl_unit_tag b)
{
    return a.low == b.low && a.high == b.high && !is_nobody(a);
}

/* The first row of the person of each row: firsts (count). */
static void find_firsts(uint32_t *firsts, const tagged_row *sorted, size_t count)
{
    uint32_t first = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !same_person(sorted[i - 1].tag, sorted[i].tag)) first = sorted[i].row;
        firsts[sorted[i].row] = first;
    }
}

/* First rows, which come before others of their person, become numbers. */
static size_t number(uint32_t *persons, size_t count)
{
    size_t total = 0;
    for (size_t row = 0; row < count; row++)
        persons[row] = persons[row] == row ? (uint32_t)total++ : persons[persons[row]];
    return total;
}

sbl_status sbl_row_persons(uint32_t **persons, size_t *total, const sbl_row_tags *list, sbl_error *err)
{
    tagged_row *sorted = NULL;
    bool anybody = false;
    sbl_status status = SBL_OK;
    *persons = NULL;
    *total = 0;
    for (size_t i = 0; !anybody && i < list->count; i++) anybody = !is_nobody(list->tags[i]);
    if (!anybody) return SBL_OK;
    SBL_ALLOC(sorted, list->count, "the persons of a table");
    SBL_ALLOC(*persons, list->count, "the persons of a table");
    for (size_t i = 0; i < list->count; i++)
        sorted[i] = (tagged_row){.tag = list->tags[i], .row = (uint32_t)i};
    qsort(sorted, list->count, sizeof *sorted, by_tag);
    find_firsts(*persons, sorted, list->count);
    *total = number(*persons, list->count);
done:
    sbl_free_wiped(sorted, list->count * sizeof *sorted);
    return status;
}
