/* SPDX-License-Identifier: Apache-2.0 */
/* realloc would leave the old items behind; this copies and wipes. */
#include "records/persons/wiped_vector.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST 256

bool sbl_growing_reserve(sbl_growing *list, size_t more)
{
    size_t capacity = list->capacity != 0 ? list->capacity : FIRST;
    if (more > SIZE_MAX / 4 - list->count) return false;
    while (capacity < list->count + more) capacity *= 2;
    if (capacity == list->capacity) return true;
    void *items = sbl_alloc_array(capacity, list->size);
    if (items == NULL) return false;
    if (list->count != 0) memcpy(items, list->items, list->count * list->size);
    sbl_free_wiped(list->items, list->capacity * list->size);
    list->items = items;
    list->capacity = capacity;
    return true;
}

unsigned sbl_growing_add(sbl_growing *list)
{
    _Static_assert(sizeof(unsigned) == sizeof(uint32_t), "numbers have 32 bits");
    if (list->count >= UINT32_MAX || !sbl_growing_reserve(list, 1)) return 0;
    return (unsigned)++list->count;
}

void sbl_growing_clear(sbl_growing *list)
{
    sbl_free_wiped(list->items, list->capacity * list->size);
    *list = (sbl_growing){.size = list->size};
}
