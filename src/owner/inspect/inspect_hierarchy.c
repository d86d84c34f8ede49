/* SPDX-License-Identifier: Apache-2.0 */
/* Codes whose prefixes group them (ICD codes, postcodes, products): a hierarchy is proposed where many categories share few
 * prefixes. Names have no digits, running numbers fill their range, and random ids have as many prefixes as chance gives:
 * none of them gets one. */
#include "owner/inspect/inspect_column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/hierarchy.h"

#define LEAST_CODES 60  /* categories: fewer need no hierarchy */
#define CODES 0.95      /* this share of them looks like codes */
#define LONGEST 12      /* bytes of a code */
#define CUT 0.9         /* of the codes change from letters to digits, or end, at a level that is natural */
#define SHARED 0.5      /* of the codes share their prefix with another one */
#define LARGE 8         /* codes of a group: levels that are not natural are added below */
#define BELOW_CHANCE .8 /* prefixes, at most this share of what chance would give */

/* The categories of a column, sorted. */
typedef struct code_list {
    const char **texts; /* (count) */
    size_t count;
    size_t longest;
} code_list;

/* What prefixes of a length do. */
typedef struct prefix_facts {
    size_t groups;
    size_t shared; /* codes whose prefix another one has */
    bool natural;
} prefix_facts;

static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_code(const char *text)
{
    const size_t length = strlen(text);
    bool digit = false;
    for (const char *c = text; *c != '\0'; c++) {
        if (!is_letter(*c) && !is_digit(*c) && strchr(".-/_", *c) == NULL) return false;
        digit = digit || is_digit(*c);
    }
    return digit && length >= 2 && length <= LONGEST;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static sbl_status list_codes(code_list *list, const sbl_inspect_column *column, sbl_error *err)
{
    list->texts = sbl_alloc_array(column->value_count, sizeof *list->texts);
    if (list->texts == NULL) return sbl_no_memory(err, "a schema");
    for (size_t i = 0; i < SBL_INSPECT_SLOTS; i++) {
        const char *text = column->values[i].text;
        if (text == NULL || !is_code(text)) continue;
        const size_t length = strlen(text);
        if (length > list->longest) list->longest = length;
        list->texts[list->count++] = text;
    }
    qsort(list->texts, list->count, sizeof *list->texts, by_text);
    return SBL_OK;
}

static bool have_same_prefix(const code_list *list, size_t i, size_t j, size_t length)
{
    return strncmp(list->texts[i], list->texts[j], length) == 0;
}

/* Does a code end after this number of bytes, or change from letters to digits or to a sign? */
static bool is_cut(const char *text, size_t at)
{
    if (strlen(text) <= at) return true;
    return is_letter(text[at - 1]) != is_letter(text[at]) || is_digit(text[at - 1]) != is_digit(text[at]);
}

static prefix_facts look_at(const code_list *list, size_t length)
{
    prefix_facts facts = {0};
    size_t cuts = 0;
    for (size_t i = 0; i < list->count; i++) {
        const bool first = i == 0 || !have_same_prefix(list, i - 1, i, length);
        const bool last = i + 1 == list->count || !have_same_prefix(list, i, i + 1, length);
        facts.groups += first;
        facts.shared += !(first && last);
        cuts += is_cut(list->texts[i], length);
    }
    facts.natural = (double)cuts >= CUT * (double)list->count;
    return facts;
}

/* Prefixes of this length, if each character were drawn by itself among those that occur in its place. */
static double by_chance(const code_list *list, size_t length)
{
    double cells = 1;
    for (size_t at = 0; at < length; at++) {
        bool seen[256] = {false};
        size_t characters = 0;
        for (size_t i = 0; i < list->count; i++) {
            const unsigned char c = strlen(list->texts[i]) > at ? (unsigned char)list->texts[i][at] : 0;
            characters += !seen[c];
            seen[c] = true;
        }
        cells *= (double)characters;
    }
    return cells * -expm1(-(double)list->count / cells);
}

/* P001 to P250: behind what all have in common there are digits alone, and most numbers of their range occur. */
static bool is_running(const code_list *list)
{
    size_t common = 0;
    unsigned long low = 0, high = 0;
    while (common < list->longest && have_same_prefix(list, 0, list->count - 1, common + 1)) common++;
    while (common > 0 && is_digit(list->texts[0][common - 1])) common--;
    for (size_t i = 0; i < list->count; i++) {
        char *end;
        const unsigned long value = strtoul(list->texts[i] + common, &end, 10);
        if (!is_digit(list->texts[i][common]) || *end != '\0') return false;
        low = i == 0 || value < low ? value : low;
        high = value > high ? value : high;
    }
    return high - low < 2 * list->count;
}

static bool is_postcode(const char *name)
{
    static const char *const words[] = {"plz", "zip", "post"};
    char small[64] = {0};
    for (size_t i = 0; i < sizeof small - 1 && name[i] != '\0'; i++) small[i] = (char)(name[i] | 32);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(small, words[i]) != NULL) return true;
    return false;
}

/* Levels from the shortest prefix on, each with at least twice the groups of the one before. */
static void add_levels(size_t *levels, size_t *level_count, const code_list *list, bool natural)
{
    size_t from = *level_count > 0 ? levels[*level_count - 1] : 0;
    size_t groups = from > 0 ? look_at(list, from).groups : 1;
    for (size_t length = from + 1; length < list->longest && *level_count < SBL_MOST_LEVELS; length++) {
        const prefix_facts facts = look_at(list, length);
        if ((natural && !facts.natural) || facts.groups < 2 * groups || 2 * facts.groups > list->count ||
            (double)facts.shared < SHARED * (double)list->count)
            continue;
        levels[(*level_count)++] = length;
        groups = facts.groups;
        if (!natural && LARGE * groups >= list->count) return;
    }
}

static size_t find_levels(size_t levels[SBL_MOST_LEVELS], const code_list *list,
                          const sbl_inspect_column *column)
{
    size_t count = 0;
    bool evident = is_postcode(column->name);
    if (is_running(list)) return 0;
    add_levels(levels, &count, list, true);
    evident = evident || count > 0;
    if (count == 0 || LARGE * look_at(list, levels[count - 1]).groups < list->count)
        add_levels(levels, &count, list, false);
    for (size_t length = 2; !evident && length < list->longest; length++)
        evident = (double)look_at(list, length).groups <= BELOW_CHANCE * by_chance(list, length);
    return evident ? count : 0;
}

/* code: 800 codes share 21 first characters, 240 first 3 characters */
static sbl_status propose(sbl_schema_writer *writer, const sbl_inspect_column *column, const code_list *list,
                          const size_t *levels, size_t count, sbl_error *err)
{
    sbl_text words = {0};
    json_t *prefix = json_array();
    sbl_text_printf(&words, "%s: its %zu codes form groups by how they begin:", column->name,
                    column->value_count);
    for (size_t i = 0; i < count; i++) {
        const char *sign = i == 0 ? "" : i + 1 < count ? "," : " and";
        if (levels[i] == 1)
            sbl_text_printf(&words, "%s %zu groups by the first character", sign, look_at(list, 1).groups);
        else
            sbl_text_printf(&words, "%s %zu%s by the first %zu", sign, look_at(list, levels[i]).groups,
                            i == 0 ? " groups" : "", levels[i]);
        (void)json_array_append_new(prefix, json_integer((json_int_t)levels[i]));
    }
    return sbl_inspect_propose(writer, "hierarchy", &words,
                               json_pack("{s:[{s:s, s:{s:{s:o}}}]}", "fields", "name", column->name,
                                         "semblance", "hierarchy", "prefix", prefix),
                               err);
}

sbl_status sbl_inspect_hierarchy_propose(sbl_schema_writer *writer, const sbl_inspect_column *columns,
                                         size_t count, const bool *named, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < count && status == SBL_OK; i++) {
        const sbl_inspect_column *column = &columns[i];
        size_t levels[SBL_MOST_LEVELS];
        code_list list = {0};
        if (named[i] || column->unnamed || column->kind != SBL_INSPECT_CATEGORIES ||
            column->value_count < LEAST_CODES)
            continue;
        status = list_codes(&list, column, err);
        if (status == SBL_OK && (double)list.count >= CODES * (double)column->value_count) {
            const size_t found = find_levels(levels, &list, column);
            if (found > 0) status = propose(writer, column, &list, levels, found, err);
        }
        sbl_free(list.texts);
    }
    return status;
}
