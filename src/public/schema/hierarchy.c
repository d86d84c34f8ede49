/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the groups of categories at each level: categories with the same prefix, or with the same ancestor, have
 * the same number. Texts are sorted, so that 65,536 codes take no time. */
#include "public/schema/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define WHAT "a hierarchy"

typedef struct entry {
    const char *text;
    size_t length;
    uint32_t category;
} entry;

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const size_t length = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->text, y->text, length);
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

/* Equal texts get equal numbers, from 0 on. */
static void number_texts(uint32_t *numbers, entry *entries, size_t count)
{
    uint32_t number = 0;
    qsort(entries, count, sizeof *entries, compare);
    for (size_t i = 0; i < count; i++) {
        number += i > 0 && compare(&entries[i - 1], &entries[i]) != 0;
        numbers[entries[i].category] = number;
    }
}

/* Bytes of the first characters of a text, at most all. */
static size_t prefix_of(const char *text, json_int_t characters)
{
    size_t length = 0;
    for (; text[length] != '\0' && characters > 0; characters--) do
            length++;
        while (((unsigned char)text[length] & 0xC0) == 0x80);
    return length;
}

static sbl_status read_prefixes(sbl_column *column, entry *entries, const json_t *list,
                                const sbl_field_place *at)
{
    const size_t count = column->categories.count;
    json_int_t before = 0;
    column->levels = json_array_size(list);
    for (size_t level = 0; level < column->levels; level++) {
        const json_int_t characters = json_integer_value(json_array_get(list, level));
        if (characters <= before)
            return sbl_fail_column(at,
                                   "has a semblance.hierarchy.prefix that is not a list of ascending "
                                   "numbers of characters");
        before = characters;
        for (size_t c = 0; c < count; c++) {
            const char *text = column->categories.items[c];
            entries[c] = (entry){text, prefix_of(text, characters), (uint32_t)c};
        }
        number_texts(column->ancestors + level * count, entries, count);
    }
    return SBL_OK;
}

/* The ancestors of a category from the nearest on; their number, or more than SBL_MOST_LEVELS in a circle. */
static size_t climb(const char *chain[SBL_MOST_LEVELS], const json_t *parents, const char *name)
{
    size_t count = 0;
    while ((name = json_string_value(json_object_get(parents, name))) != NULL) {
        if (count == SBL_MOST_LEVELS) return count + 1;
        chain[count++] = name;
    }
    return count;
}

static sbl_status check_parents(const sbl_column *column, const json_t *parents, const sbl_field_place *at)
{
    const char *chain[SBL_MOST_LEVELS];
    const char *name;
    json_t *parent, *used = json_object();
    sbl_status status = used != NULL ? SBL_OK : sbl_fail_column_memory(at);
    for (size_t c = 0; status == SBL_OK && c < column->categories.count; c++) {
        const char *category = column->categories.items[c];
        const size_t count = climb(chain, parents, category);
        if (count == 0)
            status = sbl_fail_column(at, "has no parent for '%s' in semblance.hierarchy.parents", category);
        else if (count > SBL_MOST_LEVELS)
            status = sbl_fail_column(at,
                                     "has a circle or more than %d levels above '%s' in "
                                     "semblance.hierarchy.parents",
                                     SBL_MOST_LEVELS, category);
        else if (json_object_set_new(used, category, json_true()) != 0)
            status = sbl_fail_column_memory(at);
        for (size_t i = 0; status == SBL_OK && i < count; i++)
            if (json_object_set_new(used, chain[i], json_true()) != 0) status = sbl_fail_column_memory(at);
    }
    json_object_foreach((json_t *)(uintptr_t)parents, name, parent)
    {
        if (status != SBL_OK) break;
        if (json_object_get(used, name) == NULL)
            status = sbl_fail_column(at,
                                     "has '%s' in semblance.hierarchy.parents, which is not above or among "
                                     "its categories",
                                     name);
        else if (!json_is_string(parent))
            status = sbl_fail_column(at, "has a parent that is not a text in semblance.hierarchy.parents");
    }
    json_decref(used);
    return status;
}

/* The top is level 0. A category with fewer ancestors than another is below its nearest one at every further level. */
static sbl_status read_parents(sbl_column *column, entry *entries, const json_t *parents,
                               const sbl_field_place *at)
{
    const size_t count = column->categories.count;
    const char *chain[SBL_MOST_LEVELS] = {NULL};
    SBL_CHECK(check_parents(column, parents, at));
    for (size_t c = 0; c < count; c++) {
        const size_t own = climb(chain, parents, column->categories.items[c]);
        if (own > column->levels) column->levels = own;
    }
    for (size_t level = 0; level < column->levels; level++) {
        for (size_t c = 0; c < count; c++) {
            const size_t own = climb(chain, parents, column->categories.items[c]);
            const char *name = chain[level < own ? own - 1 - level : 0];
            entries[c] = (entry){name, strlen(name), (uint32_t)c};
        }
        number_texts(column->ancestors + level * count, entries, count);
    }
    return SBL_OK;
}

static sbl_status read_levels(sbl_column *column, entry *entries, const json_t *object,
                              const sbl_field_place *at)
{
    const json_t *prefix = json_object_get(object, "prefix"), *parents = json_object_get(object, "parents");
    if (json_object_size(object) != 1 || (prefix == NULL && parents == NULL))
        return sbl_fail_column(at, "has a semblance.hierarchy without either 'prefix' or 'parents'");
    if (prefix != NULL && (json_array_size(prefix) < 1 || json_array_size(prefix) > SBL_MOST_LEVELS))
        return sbl_fail_column(at, "has a semblance.hierarchy.prefix that is not a list of 1 to %d numbers",
                               SBL_MOST_LEVELS);
    if (json_is_string(parents))
        return sbl_fail_column(
            at,
            "has a semblance.hierarchy.parents that names a file, which is read only if the "
            "schema is a file: put the parents themselves there");
    if (parents != NULL && !json_is_object(parents))
        return sbl_fail_column(at,
                               "has a semblance.hierarchy.parents that is neither an object of parents by "
                               "category nor the name of a file");
    return prefix != NULL ? read_prefixes(column, entries, prefix, at)
                          : read_parents(column, entries, parents, at);
}

sbl_status sbl_hierarchy_parse(sbl_column *column, const json_t *object, const sbl_field_place *at)
{
    if (object == NULL) return SBL_OK;
    if (column->kind != SBL_COLUMN_CATEGORY || column->ordered || column->type == SBL_TYPE_BOOLEAN)
        return sbl_fail_column(at, "has semblance.hierarchy, which is for categories without an order");
    if (!json_is_object(object))
        return sbl_fail_column(at, "has a semblance.hierarchy that is not an object");
    entry *entries = sbl_alloc_array(column->categories.count, sizeof *entries);
    column->ancestors =
        sbl_alloc_array(SBL_MOST_LEVELS * column->categories.count, sizeof *column->ancestors);
    column->hierarchy = sbl_json_canonical(object);
    const bool good = entries != NULL && column->ancestors != NULL && column->hierarchy != NULL;
    const sbl_status status = good ? read_levels(column, entries, object, at) : sbl_fail_column_memory(at);
    sbl_free(entries);
    return status;
}

json_t *sbl_hierarchy_write(json_t *options, const sbl_column *column)
{
    json_t *object = NULL;
    if (column->hierarchy == NULL) return options;
    (void)sbl_json_parse(&object, column->hierarchy, strlen(column->hierarchy), WHAT, NULL);
    return sbl_json_put(options, "hierarchy", object);
}

sbl_status sbl_hierarchy_copy(sbl_column *copy, const sbl_column *from, sbl_error *err)
{
    copy->hierarchy = NULL;
    copy->ancestors = NULL;
    if (from->hierarchy == NULL) return SBL_OK;
    const size_t size = from->levels * from->categories.count;
    SBL_CHECK(sbl_copy_text(&copy->hierarchy, from->hierarchy, WHAT, err));
    copy->ancestors = sbl_alloc_array(size, sizeof *copy->ancestors);
    if (copy->ancestors == NULL) return sbl_no_memory(err, WHAT);
    memcpy(copy->ancestors, from->ancestors, size * sizeof *copy->ancestors);
    return SBL_OK;
}

void sbl_hierarchy_clear(sbl_column *column)
{
    sbl_free(column->hierarchy);
    sbl_free(column->ancestors);
}
