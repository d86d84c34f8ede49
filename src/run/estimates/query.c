/* SPDX-License-Identifier: Apache-2.0 */
/* Questions as a caller writes them, read against the schema. A column name may hold a comma or an equals sign, so the
 * longest name that fits is taken. */
#include "run/estimates/query.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define WHAT "questions"

void sbl_queries_clear(sbl_queries *queries)
{
    sbl_conditions_clear(&queries->where);
    sbl_free(queries->items);
    *queries = (sbl_queries){0};
}

size_t sbl_query_groups_of(const sbl_column *column)
{
    return column->categories.count + (column->missing_allowed ? 1 : 0);
}

uint32_t sbl_query_code_of(const sbl_queries *queries, uint32_t group, size_t place)
{
    size_t left = group;
    for (size_t i = queries->by_count; i-- > place + 1;)
        left /= sbl_query_groups_of(&queries->schema->columns[queries->by[i]]);
    return (uint32_t)(left % sbl_query_groups_of(&queries->schema->columns[queries->by[place]]));
}

/* ---- columns ---- */

/* The column that text begins with, before its end or one of the signs; *rest is behind the name. */
static sbl_status find_column(size_t *found, const char **rest, const char *text, const char *signs,
                              const sbl_queries *q, const char *option, sbl_error *err)
{
    size_t longest = 0;
    *found = SBL_NO_COLUMN;
    for (size_t i = 0; i < q->schema->column_count; i++) {
        const char *name = q->schema->columns[i].name;
        const size_t size = strlen(name);
        if (strncmp(text, name, size) != 0 || (text[size] != '\0' && strchr(signs, text[size]) == NULL) ||
            (*found != SBL_NO_COLUMN && size <= longest))
            continue;
        *found = i;
        longest = size;
    }
    if (*found == SBL_NO_COLUMN)
        return sbl_fail(err, SBL_EARG, "%s: the table has no column '%.*s'", option,
                        (int)(strcspn(text, signs) < 100 ? strcspn(text, signs) : 100), text);
    if (q->schema->columns[*found].kind == SBL_COLUMN_IGNORED)
        return sbl_fail(err, SBL_EARG,
                        "%s: '%.100s' is left out or made up, so nothing can be estimated from it", option,
                        q->schema->columns[*found].name);
    *rest = text + longest;
    return SBL_OK;
}

static sbl_status need_number(const sbl_queries *q, size_t column, const char *option, sbl_error *err)
{
    const sbl_column *facts = &q->schema->columns[column];
    if (facts->kind == SBL_COLUMN_NUMBER) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "%s: '%.100s' is a %s, not a number; %s", option, facts->name,
                    sbl_column_kind_name(facts->kind),
                    facts->kind == SBL_COLUMN_CATEGORY ? "use share" : "name a column of numbers");
}

static sbl_status need_category(const sbl_queries *q, size_t column, const char *option, sbl_error *err)
{
    const sbl_column *facts = &q->schema->columns[column];
    if (facts->kind == SBL_COLUMN_CATEGORY) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "%s: '%.100s' is a %s; name a column with categories", option, facts->name,
                    sbl_column_kind_name(facts->kind));
}

static sbl_status find_category(uint32_t *code, const sbl_queries *q, size_t column, const char *value,
                                const char *option, sbl_error *err)
{
    const sbl_column *facts = &q->schema->columns[column];
    for (size_t i = 0; i < facts->categories.count; i++)
        if (strcmp(facts->categories.items[i], value) == 0) {
            *code = (uint32_t)i;
            return SBL_OK;
        }
    return sbl_fail(err, SBL_EARG, "%s: '%.100s' does not have this category in the schema", option,
                    facts->name);
}

/* ---- statistics ---- */

static sbl_status add(sbl_queries *q, const sbl_query *query, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_RESIZE(q->items, q->count + 1, WHAT);
    q->items[q->count++] = *query;
done:
    return status;
}

static sbl_status read_means(sbl_queries *q, char *text, sbl_error *err)
{
    for (const char *at = text;;) {
        sbl_query query = {.kind = SBL_STATISTIC_MEAN};
        SBL_CHECK(find_column(&query.column, &at, at, ",", q, "mean", err));
        SBL_CHECK(need_number(q, query.column, "mean", err));
        SBL_CHECK(add(q, &query, err));
        if (*at++ == '\0') return SBL_OK;
    }
}

static sbl_status read_share(sbl_queries *q, char *line, sbl_error *err)
{
    sbl_query query = {.kind = SBL_STATISTIC_SHARE};
    const char *rest;
    SBL_CHECK(find_column(&query.column, &rest, line, "=", q, "share", err));
    SBL_CHECK(need_category(q, query.column, "share", err));
    if (*rest == '=') {
        SBL_CHECK(find_category(&query.code, q, query.column, rest + 1, "share", err));
        return add(q, &query, err);
    }
    for (size_t i = 0; i < q->schema->columns[query.column].categories.count; i++) {
        query.code = (uint32_t)i;
        SBL_CHECK(add(q, &query, err));
    }
    return SBL_OK;
}

static sbl_status read_quantile(sbl_queries *q, char *line, sbl_error *err)
{
    sbl_query query = {.kind = SBL_STATISTIC_QUANTILE};
    const char *rest;
    SBL_CHECK(find_column(&query.column, &rest, line, "=", q, "quantile", err));
    SBL_CHECK(need_number(q, query.column, "quantile", err));
    if (*rest != '=' || !sbl_text_to_double(&query.order, rest + 1) || !(query.order > 0 && query.order < 1))
        return sbl_fail(err, SBL_EARG,
                        "quantile: write '%.100s=P' with P above 0 and below 1; 0.5 is the median",
                        q->schema->columns[query.column].name);
    return add(q, &query, err);
}

static sbl_status read_correlation(sbl_queries *q, char *line, sbl_error *err)
{
    sbl_query query = {.kind = SBL_STATISTIC_CORRELATION};
    const char *rest;
    SBL_CHECK(find_column(&query.column, &rest, line, ",", q, "correlation", err));
    if (*rest != ',')
        return sbl_fail(err, SBL_EARG, "correlation: name two columns, '%.100s,OTHER'",
                        q->schema->columns[query.column].name);
    SBL_CHECK(find_column(&query.other, &rest, rest + 1, "", q, "correlation", err));
    SBL_CHECK(need_number(q, query.column, "correlation", err));
    SBL_CHECK(need_number(q, query.other, "correlation", err));
    if (query.column == query.other)
        return sbl_fail(err, SBL_EARG, "correlation: '%.100s' is named twice",
                        q->schema->columns[query.column].name);
    return add(q, &query, err);
}

/* Each line of a text; NULL: nothing. */
static sbl_status read_lines(sbl_queries *q, const char *text,
                             sbl_status (*read)(sbl_queries *q, char *line, sbl_error *err), sbl_error *err)
{
    char *copy = NULL;
    sbl_status status = SBL_OK;
    if (text == NULL) return SBL_OK;
    SBL_TRY(sbl_copy_text(&copy, text, WHAT, err));
    for (char *line = copy; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) *end++ = '\0';
        SBL_TRY(read(q, line, err));
        line = end;
    }
done:
    sbl_free(copy);
    return status;
}

/* ---- groups ---- */

static sbl_status read_by(sbl_queries *q, char *text, sbl_error *err)
{
    for (const char *at = text;;) {
        size_t column;
        SBL_CHECK(find_column(&column, &at, at, ",", q, "by", err));
        SBL_CHECK(need_category(q, column, "by", err));
        for (size_t i = 0; i < q->by_count; i++)
            if (q->by[i] == column)
                return sbl_fail(err, SBL_EARG, "by: '%.100s' is named twice",
                                q->schema->columns[column].name);
        if (q->by_count == SBL_MOST_BY)
            return sbl_fail(err, SBL_EARG, "by: name at most %d columns", SBL_MOST_BY);
        q->by[q->by_count++] = column;
        q->groups *= sbl_query_groups_of(&q->schema->columns[column]);
        if (q->groups > SBL_MOST_GROUPS)
            return sbl_fail(err, SBL_EARG, "by: these columns make more than %d groups; name fewer",
                            SBL_MOST_GROUPS);
        if (*at++ == '\0') return SBL_OK;
    }
}

static sbl_status read_groups(sbl_queries *q, const sbl_estimate_options *asked, sbl_error *err)
{
    q->groups = 1;
    q->against = SBL_NO_GROUP;
    SBL_CHECK(read_lines(q, asked->by, read_by, err));
    if (asked->difference == NULL) return SBL_OK;
    if (q->by_count != 1)
        return sbl_fail(err, SBL_EARG,
                        "difference: give one column of categories as 'by' to compare its groups");
    return find_category(&q->against, q, q->by[0], asked->difference, "difference", err);
}

/* ---- all ---- */

static sbl_status find_table(sbl_queries *q, const char *name, const sbl_facts *facts, sbl_error *err)
{
    if (facts->kind != SBL_DATA_TABLE)
        return sbl_fail(err, SBL_EARG, "statistics are estimated for tables only, not for images");
    q->schema = facts->declared;
    if (facts->table_facts == NULL)
        return name == NULL
                   ? SBL_OK
                   : sbl_fail(err, SBL_EARG, "table: the releases are of a single table; leave it out");
    const sbl_schema *all = facts->declared;
    if (name == NULL)
        return sbl_fail(err, SBL_EARG, "table: the releases are of linked tables; name one, such as '%.100s'",
                        all->tables[0].name);
    for (size_t t = 0; t < all->table_count; t++)
        if (strcmp(all->tables[t].name, name) == 0) {
            q->table = t;
            q->schema = facts->table_facts[t].declared;
            return SBL_OK;
        }
    return sbl_fail(err, SBL_EARG, "table: there is no table '%.100s'", name);
}

static sbl_status read_all(sbl_queries *q, const sbl_estimate_options *asked, const sbl_facts *facts,
                           sbl_error *err)
{
    const sbl_query rows = {.kind = SBL_STATISTIC_COUNT};
    SBL_CHECK(find_table(q, asked->table, facts, err));
    SBL_CHECK(read_groups(q, asked, err));
    if (asked->count) SBL_CHECK(add(q, &rows, err));
    SBL_CHECK(read_lines(q, asked->share, read_share, err));
    SBL_CHECK(read_lines(q, asked->mean, read_means, err));
    SBL_CHECK(read_lines(q, asked->quantile, read_quantile, err));
    SBL_CHECK(read_lines(q, asked->correlation, read_correlation, err));
    if (q->count == 0)
        return sbl_fail(err, SBL_EARG, "give a statistic: count, share, mean, quantile or correlation");
    return sbl_conditions_read_rows(&q->where, asked->where, q->schema, err);
}

sbl_status sbl_queries_read(sbl_queries *queries, const sbl_estimate_options *asked, const sbl_facts *facts,
                            sbl_error *err)
{
    *queries = (sbl_queries){0};
    const sbl_status status = read_all(queries, asked, facts, err);
    if (status != SBL_OK) sbl_queries_clear(queries);
    return status;
}
