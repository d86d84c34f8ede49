/* Reads the parameters of a plan back into names of columns. Which tables make up block "tables.N"
 * is found by the same rule as in tables.c: levels in the order in which they first come. */
#include "features/named.h"

#include <string.h>

#include "plan/block.h"

#define ENOUGH 200 /* bytes of names; what does not fit is counted */

/* Names with a plus between them. */
typedef struct names {
    sbl_text *text;
    size_t begin; /* of the text, before the first */
    size_t count;
    size_t left_out;
    const char *first, *second; /* the last ones: a column that is cut twice is named once */
} names;

static void add_name(names *n, const char *first, const char *second)
{
    if (n->count > 0 && first == n->first && second == n->second) return;
    n->first = first;
    n->second = second;
    if (n->count++ > 0 && n->text->length - n->begin > ENOUGH) {
        n->left_out++;
        return;
    }
    sbl_text_printf(n->text, "%s%s%s%s", n->count > 1 ? " + " : "", first,
                    second != NULL ? " x " : "", second != NULL ? second : "");
}

static void end_names(const names *n)
{
    if (n->left_out > 0) sbl_text_printf(n->text, " and %zu more", n->left_out);
    if (n->count == 0) sbl_text_printf(n->text, "no column");
}

static const char *name_of(const sbl_facts *facts, const sbl_head *head)
{
    return facts->schema->columns[head->column].name;
}

/* The name of fitted column number k, in the order of the schema: the columns of joint cells. */
static const char *column_name(const sbl_facts *facts, size_t k)
{
    for (size_t h = 0; h < facts->heads.count; h++) {
        const sbl_head *head = &facts->heads.items[h];
        if (!head->indicator && k-- == 0) return name_of(facts, head);
    }
    return "?";
}

static const json_t *parameters_of(const sbl_plan *plan, const char *feature)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->items[i].feature, feature) == 0) return plan->items[i].parameters;
    return NULL;
}

static const char *map_name(const json_t *parameters, json_int_t map, const sbl_facts *facts)
{
    const json_t *entry = json_array_get(json_object_get(parameters, "maps"), (size_t)map);
    const json_int_t column = json_integer_value(json_object_get(entry, "column"));
    return column_name(facts, (size_t)column);
}

/* Minus the level of a table, which is 0 to MOST_LEVEL; anything else counts as 0: no such plan is made. */
#define MOST_LEVEL 1024
static size_t level_of(const json_t *table)
{
    const json_int_t level = -json_integer_value(json_array_get(table, 2));
    return level >= 0 && level <= MOST_LEVEL ? (size_t)level : 0;
}

/* Tables of one level are one block, in the order in which levels come first (features/tables.c). */
static void name_tables(names *n, size_t number, const json_t *parameters, const sbl_facts *facts)
{
    const json_t *list = json_object_get(parameters, "tables");
    const size_t count = json_array_size(list);
    size_t block_of[MOST_LEVEL + 1] = {0}; /* by level; 0: none yet */
    size_t blocks = 0;
    for (size_t t = 0; t < count; t++) {
        const json_t *table = json_array_get(list, t);
        const json_int_t second = json_integer_value(json_array_get(table, 1));
        const size_t level = level_of(table);
        if (block_of[level] == 0) block_of[level] = ++blocks;
        if (block_of[level] != number) continue;
        add_name(n, map_name(parameters, json_integer_value(json_array_get(table, 0)), facts),
                 second < 0 ? NULL : map_name(parameters, second, facts));
    }
}

static void name_keys(names *n, const json_t *parameters)
{
    const json_t *list = json_object_get(parameters, "columns");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        add_name(n, name != NULL ? name : "?", NULL);
    }
}

/* Columns that have a head of this kind; those of an indicator are numbers that may be missing. */
static void name_heads(names *n, bool numeric, bool categorical, const sbl_facts *facts)
{
    const sbl_heads *heads = &facts->heads;
    for (size_t h = 0; h < heads->count; h++) {
        const sbl_head *head = &heads->items[h];
        const bool wanted = head->kind == SBL_HEAD_NUMERIC ? numeric : categorical;
        if (wanted && !(head->indicator && numeric)) add_name(n, name_of(facts, head), NULL);
    }
}

/* The part of a block's name before its number, or all of it. */
static bool is_block(const char *block, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(block, name, length) == 0 && (block[length] == '\0' || block[length] == '.');
}

void sbl_block_words(sbl_text *text, const char *block, const sbl_plan *plan,
                     const sbl_facts *facts)
{
    static const char *const fixed[][2] = {{"total", "number of rows"},
                                           {SBL_PERSONS_BLOCK, "number of rows of a person"},
                                           {"health", "cells that do not fit, by column"}};
    names n = {.text = text, .begin = text->length};
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (is_block(block, fixed[i][0])) {
            sbl_text_printf(text, "%s", fixed[i][1]);
            return;
        }
    if (is_block(block, SBL_COUNTS_BLOCK))
        add_name(&n,
                 facts->classes > 1 ? facts->schema->columns[facts->schema->label].name
                                    : "number of rows",
                 NULL);
    else if (is_block(block, "keys"))
        name_keys(&n, parameters_of(plan, "keys"));
    else if (strncmp(block, "tables.", 7) == 0 && sbl_text_to_u64(&number, block + 7))
        name_tables(&n, number, parameters_of(plan, "tables"), facts);
    else
        name_heads(&n, !is_block(block, "onehot"), !is_block(block, "means"), facts);
    end_names(&n);
}
