/* SPDX-License-Identifier: Apache-2.0 */
/* Names and categories as the language of constraints writes them, and the list of rules that were found. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/inspect/rule_search.h"

#define WHAT "constraints"

static bool is_plain(const char *name)
{
    static const char *const words[] = {"if", "then",   "and",     "or",    "not",  "in",
                                        "is", "forbid", "missing", "round", "year", "date"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0) return false;
    return name[0] != '\0' && strchr(letters, name[0]) != NULL && strspn(name, signs) == strlen(name);
}

static bool quote(sbl_text *text, const char *word, char sign)
{
    for (const char *p = word; *p != '\0'; p++)
        if (*p == sign || (unsigned char)*p < 0x20 || *p == 0x7f) return false;
    sbl_text_printf(text, "%c%s%c", sign, word, sign);
    return true;
}

bool sbl_rule_name(sbl_text *text, const sbl_rule_column *column)
{
    const char *name = column->facts->name;
    sbl_text whole = {0};
    if (column->table == NULL && is_plain(name)) {
        sbl_text_printf(text, "%s", name);
        return true;
    }
    if (column->table != NULL && is_plain(name) && is_plain(column->table)) {
        sbl_text_printf(text, "%s.%s", column->table, name);
        return true;
    }
    if (column->table != NULL) sbl_text_printf(&whole, "%s.", column->table);
    sbl_text_printf(&whole, "%s", name);
    const bool good = !whole.failed && (quote(text, whole.data, '"') || quote(text, whole.data, '`'));
    sbl_text_clear(&whole);
    return good;
}

bool sbl_rule_category(sbl_text *text, const char *category) { return quote(text, category, '\''); }

/* ---- what is found ---- */

void sbl_found_rules_clear(sbl_found_rules *found)
{
    for (size_t i = 0; i < found->count; i++) {
        json_decref(found->items[i].constraints);
        sbl_free(found->items[i].words);
    }
    sbl_free(found->items);
    *found = (sbl_found_rules){0};
}

static sbl_status grow(sbl_found_rules *found, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (found->count < found->capacity) return SBL_OK;
    SBL_RESIZE(found->items, 2 * found->capacity + 16, WHAT);
    found->capacity = 2 * found->capacity + 16;
done:
    return status;
}

sbl_status sbl_found_rules_add(sbl_found_rules *found, json_t *constraints, const char *what, uint64_t kept,
                               uint64_t rows, double use, sbl_error *err)
{
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    if (constraints == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
    SBL_TRY(grow(found, err));
    if (kept == rows)
        sbl_text_printf(&words, "%s: holds in every row", what);
    else
        sbl_text_printf(&words, "%s: holds in %.2f %% of rows, and %" PRIu64 " of %" PRIu64 " break it", what,
                        100.0 * (double)kept / (double)rows, rows - kept, rows);
    SBL_TRY(sbl_text_check(&words, WHAT, err));
    found->items[found->count++] = (sbl_found_rule){constraints, words.data, use, found->context};
    return SBL_OK;
done:
    json_decref(constraints);
    sbl_text_clear(&words);
    return status;
}

/* Insertion keeps rules of the same use in the order in which they were found. */
void sbl_found_rules_choose(sbl_found_rules *found)
{
    for (size_t i = 1; i < found->count; i++) {
        const sbl_found_rule rule = found->items[i];
        size_t at = i;
        for (; at > 0 && found->items[at - 1].use < rule.use; at--) found->items[at] = found->items[at - 1];
        found->items[at] = rule;
    }
    while (found->count > SBL_MOST_RULES) {
        const sbl_found_rule *last = &found->items[--found->count];
        json_decref(last->constraints);
        sbl_free(last->words);
    }
}
