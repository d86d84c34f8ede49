/* Counts, for each category of one column, the values of another: a category, or a number that is 0 or not. A
 * value that always occurs, and would not by chance, follows. */
#include "owner/inspect/inspect_column.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

#define MOST_COLUMNS 30    /* of categories; and of numbers */
#define MOST_CATEGORIES 20 /* of a column from which something follows, or that follows */
#define LEAST_ROWS 30      /* with the category from which something follows */
#define SURPRISE 20.0      /* nats: by chance once in 500 million */
#define LEAST_OTHERS 0.05  /* of all rows hold something else */

/* Rows by a category and the value of another column: a category, or a number that is 0 or not. */
typedef struct pair {
    size_t from, to;
    size_t codes;     /* of to: its categories, or 2 of a number: 0, and all else */
    uint64_t *counts; /* (categories of from, codes) */
} pair;

struct sbl_follows {
    const sbl_schema *schema;
    pair *pairs;
    size_t count;
    size_t at, code; /* where sbl_follows_next() goes on */
};

static bool is_category(const sbl_column *column)
{
    return column->kind == SBL_COLUMN_CATEGORY && column->categories.count >= 2 &&
           column->categories.count <= MOST_CATEGORIES;
}

static bool may_be_zero(const sbl_column *column)
{
    return column->kind == SBL_COLUMN_NUMBER && column->minimum <= 0 && column->maximum >= 0;
}

static sbl_status add_pair(sbl_follows *follows, size_t from, size_t to, sbl_error *err)
{
    const sbl_column *columns = follows->schema->columns;
    pair *made = &follows->pairs[follows->count];
    made->from = from;
    made->to = to;
    made->codes = is_category(&columns[to]) ? columns[to].categories.count : 2;
    made->counts = sbl_alloc_array(columns[from].categories.count, made->codes * sizeof *made->counts);
    if (made->counts == NULL) return sbl_no_memory(err, "constraints");
    follows->count++;
    return SBL_OK;
}

sbl_status sbl_follows_new(sbl_follows **follows, const sbl_schema *schema, const bool *used, sbl_error *err)
{
    sbl_follows *made = sbl_alloc_array(1, sizeof *made);
    size_t from[MOST_COLUMNS];
    size_t to[2 * MOST_COLUMNS];
    size_t from_count = 0;
    size_t to_count = 0;
    size_t zeros = 0;
    sbl_status status = SBL_OK;
    *follows = NULL;
    if (made == NULL) return sbl_no_memory(err, "constraints");
    made->schema = schema;
    for (size_t c = 0; c < schema->column_count; c++) {
        if (used[c] && is_category(&schema->columns[c]) && from_count < MOST_COLUMNS)
            from[from_count++] = to[to_count++] = c;
        else if (used[c] && may_be_zero(&schema->columns[c]) && zeros++ < MOST_COLUMNS)
            to[to_count++] = c;
    }
    SBL_ALLOC(made->pairs, from_count * to_count + 1, "constraints");
    for (size_t i = 0; i < from_count; i++)
        for (size_t j = 0; j < to_count; j++)
            if (from[i] != to[j]) SBL_TRY(add_pair(made, from[i], to[j], err));
    *follows = made;
    made = NULL;
done:
    sbl_follows_free(made);
    return status;
}

void sbl_follows_free(sbl_follows *follows)
{
    if (follows == NULL) return;
    for (size_t i = 0; follows->pairs != NULL && i < follows->count; i++) {
        const pair *p = &follows->pairs[i];
        const size_t size = follows->schema->columns[p->from].categories.count * p->codes;
        sbl_free_wiped(p->counts, size * sizeof *p->counts);
    }
    sbl_free(follows->pairs);
    sbl_free(follows);
}

void sbl_follows_take(sbl_follows *follows, const double *row)
{
    for (size_t i = 0; i < follows->count; i++) {
        const pair *p = &follows->pairs[i];
        const double value = row[p->to];
        if (isnan(row[p->from]) || isnan(value)) continue;
        const size_t code = follows->schema->columns[p->to].kind == SBL_COLUMN_CATEGORY
                                ? (size_t)value
                                : (size_t)(value != 0);
        p->counts[(size_t)row[p->from] * p->codes + code]++;
    }
}

/* ---- what holds ---- */

/* Do all rows with category v hold this code, and would they not by chance? */
static bool follows_from(const pair *p, size_t v, size_t code, double share)
{
    const uint64_t *counts = p->counts + v * p->codes;
    for (size_t i = 0; i < p->codes; i++)
        if (i != code && counts[i] > 0) return false;
    return counts[code] >= LEAST_ROWS && (double)counts[code] * -log(share) >= SURPRISE;
}

/* "a = 'x'" or "a in ('x', 'y')" of the categories that lead to this code; false: none does. */
static bool write_cause(sbl_text *text, const sbl_follows *follows, const pair *p, size_t code)
{
    const sbl_column *from = &follows->schema->columns[p->from];
    uint64_t all = 0;
    uint64_t with = 0;
    size_t found = 0;
    sbl_text list = {0};
    bool good = sbl_rule_name(text, from->name);
    for (size_t i = 0; i < from->categories.count * p->codes; i++) {
        all += p->counts[i];
        with += i % p->codes == code ? p->counts[i] : 0;
    }
    const double share = all > 0 ? (double)with / (double)all : 1;
    for (size_t v = 0; share <= 1 - LEAST_OTHERS && v < from->categories.count; v++) {
        if (!follows_from(p, v, code, share)) continue;
        if (found++ > 0) sbl_text_printf(&list, ", ");
        good = good && sbl_rule_category(&list, from->categories.items[v]);
    }
    if (found > 0) sbl_text_printf(text, found > 1 ? " in (%s)" : " = %s", list.data);
    good = good && found > 0 && !list.failed;
    sbl_text_clear(&list);
    return good;
}

/* "if a then b" where "if not b then not a" was said already: of two columns of two categories. */
static bool is_said(const sbl_follows *follows, const pair *p)
{
    const sbl_column *columns = follows->schema->columns;
    return p->to < p->from && columns[p->to].kind == SBL_COLUMN_CATEGORY &&
           columns[p->from].categories.count == 2 && p->codes == 2;
}

bool sbl_follows_next(sbl_follows *follows, sbl_text *rule)
{
    for (; follows->at < follows->count; follows->at++, follows->code = 0) {
        const pair *p = &follows->pairs[follows->at];
        const sbl_column *to = &follows->schema->columns[p->to];
        const size_t codes = to->kind == SBL_COLUMN_CATEGORY ? p->codes : 1;
        while (!is_said(follows, p) && follows->code < codes) {
            const size_t code = follows->code++;
            sbl_text cause = {0};
            bool good = write_cause(&cause, follows, p, code);
            rule->length = 0;
            if (good) sbl_text_printf(rule, "if %s then ", cause.data);
            good = good && sbl_rule_name(rule, to->name);
            sbl_text_printf(rule, " = ");
            if (to->kind == SBL_COLUMN_CATEGORY)
                good = good && sbl_rule_category(rule, to->categories.items[code]);
            else
                sbl_text_printf(rule, "0");
            sbl_text_clear(&cause);
            if (good && !rule->failed) return true;
        }
    }
    return false;
}

/* ---- the language ---- */

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

bool sbl_rule_name(sbl_text *text, const char *name)
{
    if (!is_plain(name)) return quote(text, name, '"') || quote(text, name, '`');
    sbl_text_printf(text, "%s", name);
    return true;
}

bool sbl_rule_category(sbl_text *text, const char *category) { return quote(text, category, '\''); }
