/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints of one of linked tables that name columns of the tables above it. They are refused where no row of the
 * table and of those above it holds all constraints of these tables. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/rules/parser_internal.h"
#include "public/rules/rules_internal.h"
#include "public/schema/package.h"

/* A rule of columns of other tables alone is a rule of such a table. */
static sbl_status check_own(const sbl_rules *rules, sbl_error *err)
{
    for (size_t i = 0; i < rules->count; i++) {
        bool own = false;
        for (size_t c = 0; c < rules->own; c++)
            own = own || sbl_program_reads(&rules->items[i].parsed.program, c);
        if (!own)
            return sbl_rule_fail(err, rules->items[i].text,
                                 "names no column of its own table: move it to the table of its columns");
    }
    return SBL_OK;
}

/* The constraints of the table and of all above it, over the same columns. */
static sbl_status read_all(sbl_rules *all, const sbl_schema *package, size_t table, sbl_error *err)
{
    const sbl_linked_table *tables = package->tables;
    size_t count = 0;
    sbl_status status = SBL_OK;
    for (size_t t = table; t != SBL_NO_TABLE; t = tables[t].parent)
        count += tables[t].schema->constraints.count;
    SBL_POOL(&all->pool, all->items, count, 1, "constraints");
    for (size_t t = table; t != SBL_NO_TABLE; t = tables[t].parent)
        SBL_TRY(sbl_rules_read(all, &tables[t].schema->constraints, t != table ? tables[t].name : NULL, err));
    SBL_TRY(sbl_rules_arrange(all, err));
    SBL_POOL(&all->pool, all->witness, all->columns, 1, "constraints");
done:
    return status;
}

/* Rows above are given: they hold their own constraints. Is there a row that holds these beside one of them? */
static sbl_status check_all(const sbl_rules *rules, const sbl_schema *package, size_t table, sbl_error *err)
{
    sbl_rules *all = NULL;
    double *full = NULL;
    size_t fault = 0;
    sbl_status status = SBL_OK;
    SBL_ALLOC(full, rules->columns, "constraints");
    SBL_ALLOC(all, 1, "constraints");
    all->schema = rules->schema;
    all->columns = all->own = rules->columns;
    SBL_TRY(read_all(all, package, table, err));
    if (sbl_rules_find_witness(all, all->witness, full, SBL_NO_COLUMN, 0, &fault)) {
        status = sbl_rules_check_category_bounds(all, err);
        goto done;
    }
    status =
        sbl_rule_fail(err, rules->items[fault < rules->count ? fault : 0].text,
                      "contradicts the others of table '%s', those of the tables above it, or the bounds: "
                      "no row was found that holds every constraint",
                      package->tables[table].name);
done:
    sbl_rules_free(all);
    sbl_free(full);
    return status;
}

/* Does a constraint name one of the columns from `first` on? */
static bool names_any(const char *text, const sbl_schema *schema, size_t first)
{
    for (sbl_token token = sbl_token_next(&text); token.kind != SBL_TOKEN_END; token = sbl_token_next(&text))
        for (size_t c = first; c < schema->column_count; c++)
            if ((token.kind == SBL_TOKEN_WORD || token.kind == SBL_TOKEN_NAME) &&
                sbl_token_is(&token, token.kind, schema->columns[c].name))
                return true;
    return false;
}

/* Was a name refused that a column of a table above has? Then the message says what to write. Such a name alone is
 * not taken: it could be a category. */
static bool suggest_column(const sbl_token *token, const char *text, const char *column, sbl_error *err)
{
    const char *dot = strrchr(column, '.');
    char words[SBL_ERROR_MESSAGE_SIZE];
    if (dot == NULL || !sbl_token_is(token, token->kind, dot + 1)) return false;
    (void)snprintf(words, sizeof words, "'%s', which is n", dot + 1);
    if (strstr(err->message, words) == NULL) return false;
    (void)sbl_rule_fail(err, text, "names '%s', which is not a column of its own table: write %s", dot + 1,
                        column);
    return true;
}

static void suggest_name(const sbl_strings *constraints, const sbl_schema *seen, size_t own, sbl_error *err)
{
    for (size_t i = 0; i < constraints->count; i++) {
        const char *rest = constraints->items[i];
        for (sbl_token token = sbl_token_next(&rest); token.kind != SBL_TOKEN_END;
             token = sbl_token_next(&rest))
            for (size_t c = own; c < seen->column_count; c++)
                if (suggest_column(&token, constraints->items[i], seen->columns[c].name, err)) return;
    }
}

static sbl_status read_rules(sbl_rules **rules, const sbl_schema *schema, const sbl_schema *package,
                             size_t table, sbl_error *err)
{
    sbl_schema *seen;
    bool above = false;
    SBL_CHECK(sbl_schema_see(&seen, package, table, err));
    for (size_t i = 0; i < schema->constraints.count; i++)
        above = above || names_any(schema->constraints.items[i], seen, schema->column_count);
    if (!above) {
        sbl_schema_free(seen);
        return sbl_rules_new(rules, schema, err);
    }
    sbl_rules *made = NULL;
    sbl_status status = sbl_rules_make(&made, seen, seen, schema->column_count, err);
    if (status == SBL_OK) status = check_own(made, err);
    if (status == SBL_OK) status = check_all(made, package, table, err);
    if (status != SBL_OK) {
        sbl_rules_free(made);
        return status;
    }
    *rules = made;
    return SBL_OK;
}

sbl_status sbl_rules_new_linked(sbl_rules **rules, const sbl_schema *schema, const sbl_schema *package,
                                size_t table, sbl_error *err)
{
    sbl_schema *seen;
    *rules = NULL;
    if (schema->constraints.count == 0) return SBL_OK;
    const sbl_status status = read_rules(rules, schema, package, table, err);
    if (status != SBL_EINPUT || err == NULL || sbl_schema_see(&seen, package, table, NULL) != SBL_OK)
        return status;
    suggest_name(&schema->constraints, seen, schema->column_count, err);
    sbl_schema_free(seen);
    return status;
}
