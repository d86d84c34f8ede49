/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a list from left to right. A name ends at the last '=' of its item, so that only a comma cannot be part of
 * it. Names are those of the schema that is fitted. */
#include "run/methods/kernel_lengths.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "public/features/hermite_basis.h"

#define MOST_NUMBER 32 /* bytes of a number, with its end */
#define MOST_SHOWN 60  /* bytes of an item in a message */

bool sbl_number_column(size_t *place, const sbl_facts *facts, const char *name, size_t length)
{
    for (size_t h = 0; h < facts->heads.count; h++) {
        const sbl_head *head = &facts->heads.items[h];
        const char *column = facts->schema->columns[head->column].name;
        if (head->indicator || head->kind != SBL_HEAD_NUMERIC || strlen(column) != length ||
            memcmp(column, name, length) != 0)
            continue;
        *place = head->index;
        return true;
    }
    return false;
}

static sbl_status refuse(const char *option, bool orders, const char *item, size_t size, sbl_error *err)
{
    return sbl_fail(err, SBL_EARG, "%s must be numbers from %g to %g, e.g. 0.05,0.2 or age=0.1%s, not '%.*s'",
                    option, SBL_LENGTH_LEAST, SBL_LENGTH_MOST, orders ? " or 0.1:20 with an order" : "",
                    (int)(size < MOST_SHOWN ? size : MOST_SHOWN), item);
}

/* LENGTH or LENGTH:ORDER. */
static bool read_number(sbl_kernel_length *item, const char *text, size_t size, bool orders)
{
    char number[MOST_NUMBER];
    if (size >= sizeof number) return false;
    memcpy(number, text, size);
    number[size] = '\0';
    char *colon = orders ? strchr(number, ':') : NULL;
    if (colon != NULL) {
        *colon = '\0';
        if (!sbl_text_to_u64(&item->order, colon + 1) || item->order < 1 ||
            item->order > SBL_HERMITE_MOST_ORDER)
            return false;
    }
    return sbl_text_to_double(&item->length, number) && item->length >= SBL_LENGTH_LEAST &&
           item->length <= SBL_LENGTH_MOST;
}

static sbl_status read_item(sbl_kernel_length *item, const char *text, size_t size, bool orders,
                            const char *option, const sbl_facts *facts, sbl_error *err)
{
    size_t name = size;
    *item = (sbl_kernel_length){.column = SBL_EVERY_COLUMN};
    while (name > 0 && text[name - 1] != '=') name--;
    if (!read_number(item, text + name, size - name, orders)) return refuse(option, orders, text, size, err);
    if (name == 0) return SBL_OK;
    name--;
    if (facts->kind == SBL_DATA_TABLE && sbl_number_column(&item->column, facts, text, name)) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "%s: '%.*s' is not a column of numbers in the schema", option,
                    (int)(name < MOST_SHOWN ? name : MOST_SHOWN), text);
}

sbl_status sbl_kernel_lengths_read(sbl_kernel_lengths *lengths, const char *text, bool orders,
                                   const char *option, const sbl_facts *facts, sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t most = 1;
    *lengths = (sbl_kernel_lengths){0};
    for (const char *at = text; *at != '\0'; at++) most += *at == ',';
    SBL_ALLOC(lengths->items, most, "a plan");
    while (lengths->count < most) {
        const size_t size = strcspn(text, ",");
        SBL_TRY(read_item(&lengths->items[lengths->count], text, size, orders, option, facts, err));
        lengths->count++;
        text += size + (text[size] == ',');
    }
done:
    if (status != SBL_OK) sbl_kernel_lengths_clear(lengths);
    return status;
}

void sbl_kernel_lengths_clear(sbl_kernel_lengths *lengths)
{
    sbl_free(lengths->items);
    *lengths = (sbl_kernel_lengths){0};
}

size_t sbl_kernel_lengths_general(const sbl_kernel_lengths *lengths)
{
    size_t count = 0;
    for (size_t i = 0; i < lengths->count; i++) count += lengths->items[i].column == SBL_EVERY_COLUMN;
    return count;
}

sbl_status sbl_kernel_lengths_once(const sbl_kernel_lengths *lengths, const char *option, sbl_error *err)
{
    for (size_t i = 0; i < lengths->count; i++)
        for (size_t j = 0; j < i; j++)
            if (lengths->items[i].column == lengths->items[j].column &&
                lengths->items[i].column != SBL_EVERY_COLUMN)
                return sbl_fail(err, SBL_EARG, "%s: a column is named twice", option);
    return SBL_OK;
}
