/* Lists every relation of two or three columns that a constraint could state, reads the table once more
 * and drops each at the first row that breaks it. Those that are left are proposed where rows whose cells
 * are mixed would break them: what holds only because of where the columns lie says nothing. */
#include "owner/inspect/inspect_column.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "public/schema/calendar.h"

#define BATCH_ROWS 1024
#define MOST_NUMBERS 20 /* columns of a kind that are compared with each other */
#define MOST_RULES 20   /* that are proposed */
#define LEAST_ROWS 30
#define LEAST_TELLING 0.05 /* of the rows, in which a relation says something: no term is 0 */
#define LEAST_APART 20     /* mixed rows break an order: none of real ones would by chance, e^-20 */
#define MOSTLY_APART 0.5   /* of mixed rows break an equation */
#define EQUAL 1e-9

typedef enum relation_kind {
    ORDER,   /* a <= b */
    SUM,     /* c = a + b */
    PRODUCT, /* c = a * b */
    DAYS,    /* c = b - a, of dates */
    YEAR,    /* c = year(a) */
    AGE      /* c = year(a) - b */
} relation_kind;

typedef struct relation {
    relation_kind kind;
    size_t a, b, c;
    uint64_t rows, telling, apart;
} relation;

typedef struct search {
    const sbl_schema *schema;
    size_t columns;
    relation *items;
    size_t count, capacity;
    double *values; /* (BATCH_ROWS, columns) */
    double *years;  /* likewise: of dates */
    bool failed;
} search;

/* ---- candidates ---- */

static void add(search *s, relation_kind kind, size_t a, size_t b, size_t c)
{
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity * 2 + 64;
        relation *items = sbl_resize_array(s->items, capacity, sizeof *items);
        s->failed = s->failed || items == NULL;
        if (items == NULL) return;
        s->items = items;
        s->capacity = capacity;
    }
    s->items[s->count++] = (relation){.kind = kind, .a = a, .b = b, .c = c};
}

/* The columns of a kind that have values, at most this number. */
static size_t list_columns(size_t list[MOST_NUMBERS], const search *s, const bool *named,
                           sbl_column_kind kind)
{
    size_t count = 0;
    for (size_t c = 0; c < s->columns && count < MOST_NUMBERS; c++)
        if (!named[c] && s->schema->columns[c].kind == kind) list[count++] = c;
    return count;
}

static void add_orders(search *s, const size_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (i != j && s->schema->columns[list[i]].decimals == s->schema->columns[list[j]].decimals)
                add(s, ORDER, list[i], list[j], 0);
}

static void add_candidates(search *s, const bool *named)
{
    size_t numbers[MOST_NUMBERS] = {0};
    size_t dates[MOST_NUMBERS] = {0};
    size_t moments[MOST_NUMBERS] = {0};
    const sbl_column *columns = s->schema->columns;
    const size_t number_count = list_columns(numbers, s, named, SBL_COLUMN_NUMBER);
    const size_t date_count = list_columns(dates, s, named, SBL_COLUMN_DATE);
    add_orders(s, moments, list_columns(moments, s, named, SBL_COLUMN_DATETIME));
    add_orders(s, dates, date_count);
    add_orders(s, numbers, number_count);
    for (size_t c = 0; c < number_count; c++)
        for (size_t a = 0; a < number_count; a++)
            for (size_t b = a + 1; b < number_count; b++) {
                if (a == c || b == c) continue;
                add(s, SUM, numbers[a], numbers[b], numbers[c]);
                add(s, PRODUCT, numbers[a], numbers[b], numbers[c]);
            }
    for (size_t c = 0; c < number_count; c++)
        for (size_t d = 0; d < date_count; d++) {
            if (columns[numbers[c]].type != SBL_TYPE_INTEGER) continue;
            add(s, YEAR, dates[d], 0, numbers[c]);
            for (size_t e = 0; e < date_count; e++)
                if (e != d) add(s, DAYS, dates[d], dates[e], numbers[c]);
            for (size_t b = 0; b < number_count; b++)
                if (columns[numbers[b]].type == SBL_TYPE_INTEGER &&
                    columns[numbers[c]].maximum > columns[numbers[b]].maximum)
                    add(s, AGE, dates[d], numbers[b], numbers[c]);
        }
}

/* ---- rows ---- */

static double year_of(double days)
{
    char text[SBL_DATE_LENGTH];
    if (isnan(days)) return NAN;
    (void)sbl_date_format(text, (int64_t)days);
    return (text[0] - '0') * 1000 + (text[1] - '0') * 100 + (text[2] - '0') * 10 + (text[3] - '0');
}

/* A cell as constraints see it: NaN is missing, and so is what does not fit. */
static double value_of(const sbl_batch *batch, size_t c, size_t row)
{
    const sbl_batch_column *column = &batch->columns[c];
    const sbl_column *facts = &batch->schema->columns[c];
    if (sbl_cell_is_misfit(facts, (sbl_cell_fault)sbl_batch_faults(batch, row)[c])) return NAN;
    if (column->codes != NULL)
        return column->codes[row] != sbl_column_missing_code(facts) ? (double)column->codes[row]
                                                                    : (double)NAN;
    if (column->values == NULL || (column->missing != NULL && column->missing[row] != 0)) return NAN;
    return column->values[row];
}

static void take_batch(search *s, const sbl_batch *batch)
{
    for (size_t row = 0; row < batch->rows; row++)
        for (size_t c = 0; c < s->columns; c++) {
            const double value = value_of(batch, c, row);
            s->values[row * s->columns + c] = value;
            if (s->schema->columns[c].kind == SBL_COLUMN_DATE)
                s->years[row * s->columns + c] = year_of(value);
        }
}

/* The right side of an equation in a row; NaN: it depends on a missing value. */
static double right_side(const search *s, const relation *r, size_t row)
{
    const double *values = s->values + row * s->columns;
    const double *years = s->years + row * s->columns;
    switch (r->kind) {
    case SUM:
        return values[r->a] + values[r->b];
    case PRODUCT:
        return values[r->a] * values[r->b];
    case DAYS:
        return values[r->b] - values[r->a];
    case YEAR:
        return years[r->a];
    case AGE:
        return years[r->a] - values[r->b];
    default:
        return values[r->b];
    }
}

/* As public/rules/rules.c compares them. */
static bool holds(const search *s, const relation *r, double left, double right)
{
    const sbl_column *column = &s->schema->columns[r->kind == ORDER ? r->a : r->c];
    if (r->kind == ORDER) return left <= right;
    if (column->decimals >= 0) right = nearbyint(right * column->scale) / column->scale;
    return fabs(left - right) <= EQUAL * fmax(1, fmax(fabs(left), fabs(right)));
}

/* Is the relation more than "c = a" here? */
static bool tells(const search *s, const relation *r, size_t row)
{
    const double *values = s->values + row * s->columns;
    const double a = values[r->a];
    const double b = values[r->b];
    if (r->kind == ORDER) return a < b;
    if (r->kind == SUM) return a != 0 && b != 0;
    if (r->kind == PRODUCT) return a != 0 && b != 0 && fabs(a) != 1 && fabs(b) != 1;
    return r->kind != DAYS || values[r->c] != 0;
}

/* False: a row breaks it. */
static bool test_batch(const search *s, relation *r, size_t rows)
{
    const size_t left = r->kind == ORDER ? r->a : r->c;
    for (size_t row = 0; row < rows; row++) {
        const double value = s->values[row * s->columns + left];
        const double right = right_side(s, r, row);
        const double mixed = right_side(s, r, (row + rows / 2) % rows);
        if (isnan(value) || isnan(right)) continue;
        if (!holds(s, r, value, right)) return false;
        r->rows++;
        r->telling += tells(s, r, row);
        r->apart += !isnan(mixed) && !holds(s, r, value, mixed);
    }
    return true;
}

static void test_all(search *s, size_t rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (test_batch(s, &s->items[i], rows)) s->items[kept++] = s->items[i];
    s->count = kept;
}

static sbl_status read_rows(search *s, sbl_follows *follows, const sbl_table *table, sbl_error *err)
{
    sbl_rows *reader = NULL;
    sbl_batch *batch = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_rows_open(&reader, table, s->schema, NULL, err));
    SBL_TRY(sbl_batch_new(&batch, s->schema, BATCH_ROWS, err));
    SBL_TRY(sbl_batch_keep_faults(batch, err));
    do {
        SBL_TRY(sbl_rows_read(reader, batch, err));
        take_batch(s, batch);
        test_all(s, batch->rows);
        for (size_t row = 0; row < batch->rows; row++)
            sbl_follows_take(follows, s->values + row * s->columns);
    } while (batch->rows > 0);
done:
    sbl_batch_free(batch);
    sbl_rows_close(reader);
    return status;
}

/* ---- what is proposed ---- */

static bool is_shown(const relation *r)
{
    const double rows = (double)r->rows;
    return r->rows >= LEAST_ROWS && (double)r->telling >= LEAST_TELLING * rows &&
           (double)r->apart >= (r->kind == ORDER ? LEAST_APART : MOSTLY_APART * rows);
}

static bool has_order(const search *s, size_t a, size_t b)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].kind == ORDER && s->items[i].a == a && s->items[i].b == b) return true;
    return false;
}

/* Does an order follow from others, or from a sum of what is not negative? */
static bool is_implied(const search *s, const relation *r)
{
    const sbl_column *columns = s->schema->columns;
    if (r->kind != ORDER) return false;
    for (size_t m = 0; m < s->columns; m++)
        if (m != r->a && m != r->b && has_order(s, r->a, m) && has_order(s, m, r->b)) return true;
    for (size_t i = 0; i < s->count; i++) {
        const relation *sum = &s->items[i];
        if (sum->kind == SUM && sum->c == r->b &&
            ((sum->a == r->a && columns[sum->b].minimum >= 0) ||
             (sum->b == r->a && columns[sum->a].minimum >= 0)))
            return true;
    }
    return false;
}

static bool write_rule(sbl_text *text, const search *s, const relation *r)
{
    static const char *const between[] = {" <= ", " + ", " * ", " - ", "", " - "};
    const sbl_column *columns = s->schema->columns;
    const bool year = r->kind == YEAR || r->kind == AGE;
    const size_t first = r->kind == DAYS ? r->b : r->a;
    bool good = true;
    text->length = 0;
    if (r->kind != ORDER) {
        good = sbl_rule_name(text, columns[r->c].name);
        sbl_text_printf(text, " = %s", year ? "year(" : "");
    }
    good = good && sbl_rule_name(text, columns[first].name);
    sbl_text_printf(text, "%s%s", year ? ")" : "", between[r->kind]);
    if (r->kind != YEAR) good = good && sbl_rule_name(text, columns[r->kind == DAYS ? r->a : r->b].name);
    return good && !text->failed;
}

static sbl_status propose(sbl_schema_writer *writer, const sbl_text *rule, sbl_error *err)
{
    sbl_text words = {0};
    sbl_text_printf(&words, "%s: holds in every row", rule->data);
    return sbl_inspect_propose(writer, "constraint", &words,
                               json_pack("{s:{s:[s]}}", "semblance", "constraints", rule->data), err);
}

static sbl_status propose_all(sbl_schema_writer *writer, search *s, sbl_follows *follows, sbl_error *err)
{
    size_t kept = 0;
    size_t count = 0;
    sbl_text rule = {0};
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < s->count; i++)
        if (is_shown(&s->items[i])) s->items[kept++] = s->items[i];
    s->count = kept;
    for (size_t i = 0; i < s->count && count < MOST_RULES; i++) {
        if (is_implied(s, &s->items[i]) || !write_rule(&rule, s, &s->items[i])) continue;
        SBL_TRY(propose(writer, &rule, err));
        count++;
    }
    for (; count < MOST_RULES && sbl_follows_next(follows, &rule); count++)
        SBL_TRY(propose(writer, &rule, err));
done:
    sbl_text_clear(&rule);
    return status;
}

sbl_status sbl_inspect_rules_propose(sbl_schema_writer *writer, const sbl_table *table,
                                     const sbl_schema *schema, const bool *named, sbl_error *err)
{
    search s = {.schema = schema, .columns = schema->column_count};
    sbl_follows *follows = NULL;
    bool *used = sbl_alloc_array(s.columns, sizeof *used);
    sbl_status status = SBL_OK;
    s.values = sbl_alloc_array(s.columns, BATCH_ROWS * sizeof *s.values);
    s.years = sbl_alloc_array(s.columns, BATCH_ROWS * sizeof *s.years);
    if (used == NULL || s.values == NULL || s.years == NULL) SBL_TRY(sbl_no_memory(err, "constraints"));
    for (size_t c = 0; c < s.columns; c++) used[c] = !named[c];
    add_candidates(&s, named);
    if (s.failed) SBL_TRY(sbl_no_memory(err, "constraints"));
    SBL_TRY(sbl_follows_new(&follows, schema, used, err));
    SBL_TRY(read_rows(&s, follows, table, err));
    SBL_TRY(propose_all(writer, &s, follows, err));
done:
    sbl_follows_free(follows);
    sbl_free_wiped(s.values, s.columns * BATCH_ROWS * sizeof *s.values);
    sbl_free_wiped(s.years, s.columns * BATCH_ROWS * sizeof *s.years);
    sbl_free(s.items);
    sbl_free(used);
    return status;
}
