/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for numbers whose range depends on a category of the same row, as lab values depend on the test, and proposes
 * bounds by category. NOT PRIVATE.
 *
 * Reads the table once more and keeps a regular sample of its rows. For a number and a category, the spread of the
 * number (1st to 99th percentile) within each category is compared with its spread over all rows. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/inspect/inspect_column.h"

#define BATCH_ROWS 1024
#define MOST_ROWS 65536 /* of the sample */
#define MOST_NUMBERS 12
#define MOST_CATEGORIES 24 /* columns */
#define MOST_CODES 300     /* of one of them */
#define LEAST_ROWS 50      /* of a category in the sample, for bounds of its own */
#define LEAST_COVERED 0.8  /* of the sample, in categories with bounds of their own */
#define NARROW 0.4         /* spread within categories, as a share of the whole spread: geometric mean */
#define NARROWEST 0.05     /* shares below this count as this */
#define SKEWED 0.15        /* where the median lies between the bounds, for a logarithmic scale */
#define SHOWN 4
#define WHAT "bounds by category"

typedef struct sample {
    const sbl_schema *schema;
    size_t numbers[MOST_NUMBERS], number_count;
    size_t categories[MOST_CATEGORIES], category_count;
    double *values;  /* (number_count, MOST_ROWS); NaN: missing */
    uint32_t *codes; /* (category_count, MOST_ROWS) */
    size_t rows;
    uint64_t seen, stride; /* every stride-th row is kept */
    /* Of a number and a category at work. */
    double *sorted; /* (MOST_ROWS) */
    size_t starts[MOST_CODES + 2];
} sample;

/* ---- rows ---- */

static void list_columns(sample *s, const bool *named)
{
    for (size_t c = 0; c < s->schema->column_count; c++) {
        const sbl_column *column = &s->schema->columns[c];
        if (named[c]) continue;
        if (column->kind == SBL_COLUMN_NUMBER && s->number_count < MOST_NUMBERS)
            s->numbers[s->number_count++] = c;
        if (column->kind == SBL_COLUMN_CATEGORY && column->categories.count >= 2 &&
            column->categories.count <= MOST_CODES && s->category_count < MOST_CATEGORIES)
            s->categories[s->category_count++] = c;
    }
}

/* Every second row of a full sample goes. */
static void halve(sample *s)
{
    s->rows /= 2;
    s->stride *= 2;
    for (size_t r = 0; r < s->rows; r++) {
        for (size_t i = 0; i < s->number_count; i++)
            s->values[i * MOST_ROWS + r] = s->values[i * MOST_ROWS + 2 * r];
        for (size_t i = 0; i < s->category_count; i++)
            s->codes[i * MOST_ROWS + r] = s->codes[i * MOST_ROWS + 2 * r];
    }
}

static void take_row(sample *s, const sbl_batch *batch, size_t row)
{
    if (s->seen++ % s->stride != 0) return;
    if (s->rows == MOST_ROWS) {
        halve(s);
        if ((s->seen - 1) % s->stride != 0) return;
    }
    const uint8_t *faults = sbl_batch_faults(batch, row);
    for (size_t i = 0; i < s->number_count; i++) {
        const size_t c = s->numbers[i];
        const sbl_batch_column *column = &batch->columns[c];
        const bool good = (column->missing == NULL || column->missing[row] == 0) &&
                          !sbl_cell_is_misfit(&s->schema->columns[c], (sbl_cell_fault)faults[c]);
        s->values[i * MOST_ROWS + s->rows] = good ? column->values[row] : NAN;
    }
    for (size_t i = 0; i < s->category_count; i++)
        s->codes[i * MOST_ROWS + s->rows] = batch->columns[s->categories[i]].codes[row];
    s->rows++;
}

static sbl_status read_rows(sample *s, const sbl_table *table, sbl_error *err)
{
    sbl_rows *reader = NULL;
    sbl_batch *batch = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_rows_open(&reader, table, s->schema, NULL, err));
    SBL_TRY(sbl_batch_new(&batch, s->schema, BATCH_ROWS, err));
    SBL_TRY(sbl_batch_keep_faults(batch, err));
    do {
        SBL_TRY(sbl_rows_read(reader, batch, err));
        for (size_t row = 0; row < batch->rows; row++) take_row(s, batch, row);
    } while (batch->rows > 0);
done:
    sbl_batch_free(batch);
    sbl_rows_close(reader);
    return status;
}

/* ---- spreads ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values of each category, ascending: those of code k are sorted[starts[k]] .. sorted[starts[k + 1] - 1]. */
static void sort_by(sample *s, size_t number, size_t category)
{
    const size_t codes = s->schema->columns[s->categories[category]].categories.count;
    const double *values = s->values + number * MOST_ROWS;
    const uint32_t *code = s->codes + category * MOST_ROWS;
    memset(s->starts, 0, sizeof s->starts);
    for (size_t r = 0; r < s->rows; r++)
        if (!isnan(values[r]) && code[r] < codes) s->starts[code[r] + 2]++;
    for (size_t k = 1; k <= codes; k++) s->starts[k + 1] += s->starts[k];
    for (size_t r = 0; r < s->rows; r++)
        if (!isnan(values[r]) && code[r] < codes) s->sorted[s->starts[code[r] + 1]++] = values[r];
    for (size_t k = 0; k < codes; k++)
        qsort(s->sorted + s->starts[k], s->starts[k + 1] - s->starts[k], sizeof *s->sorted, compare);
}

static double quantile(const double *sorted, size_t count, double share)
{
    return sorted[(size_t)(share * (double)(count - 1) + 0.5)];
}

static double spread(const double *sorted, size_t count)
{
    return quantile(sorted, count, 0.99) - quantile(sorted, count, 0.01);
}

/* The spread within categories that have enough rows, as a share of the whole: the geometric mean over rows, since
 * one wide category must not hide the narrow ones. 1 where the rows of such categories are too few. */
static double narrowness(sample *s, size_t number, size_t category, double whole)
{
    const size_t codes = s->schema->columns[s->categories[category]].categories.count;
    double sum = 0;
    size_t rows = 0, groups = 0;
    sort_by(s, number, category);
    for (size_t k = 0; k < codes; k++) {
        const size_t count = s->starts[k + 1] - s->starts[k];
        if (count < LEAST_ROWS) continue;
        sum += (double)count * log(fmax(NARROWEST, spread(s->sorted + s->starts[k], count) / whole));
        rows += count;
        groups++;
    }
    return groups >= 2 && (double)rows >= LEAST_COVERED * (double)s->starts[codes] ? exp(sum / (double)rows)
                                                                                   : 1;
}

/* ---- what is proposed ---- */

/* The fewest digits after the point that hold all values, at most the column's. */
static int decimals_of(const double *sorted, size_t count, int most)
{
    int decimals = 0;
    double scale = 1;
    for (size_t i = 0; i < count && decimals < most; i++)
        while (decimals < most && fabs(sorted[i] * scale - nearbyint(sorted[i] * scale)) > 1e-6) {
            decimals++;
            scale *= 10;
        }
    return decimals;
}

/* Bounds of one category: the 1st and 99th percentile and as much again on each side, or the ends if they are
 * nearer. A slip of the pen does not widen them. */
static json_t *bounds_of(sbl_text *words, const sbl_column *column, const double *sorted, size_t count)
{
    char text[SBL_DOUBLE_TEXT_SIZE], other[SBL_DOUBLE_TEXT_SIZE];
    const double width = spread(sorted, count), median = quantile(sorted, count, 0.5);
    const double first = fmax(sorted[0], quantile(sorted, count, 0.01) - width);
    const double last = fmin(sorted[count - 1], quantile(sorted, count, 0.99) + width);
    const double low = fmax(column->minimum, sbl_plain_number_down(first, 2));
    const double high = fmin(column->maximum, sbl_plain_number_up(last, 2));
    const bool skewed = high > low && (median - low) / (high - low) < SKEWED;
    json_t *made = json_object();
    made = sbl_json_put(made, "minimum", sbl_writer_number(low));
    made = sbl_json_put(made, "maximum", sbl_writer_number(high));
    if (skewed != column->log_transform)
        made = sbl_json_put(made, "transform", json_string(skewed ? "log" : "none"));
    if (column->type == SBL_TYPE_NUMBER && column->decimals_declared)
        made = sbl_json_put(made, "decimals", json_integer(decimals_of(sorted, count, column->decimals)));
    sbl_text_printf(words, " from %s to %s", sbl_double_to_text(text, low), sbl_double_to_text(other, high));
    return made;
}

static sbl_status propose(sbl_schema_writer *writer, sample *s, size_t number, size_t category,
                          sbl_error *err)
{
    const sbl_column *column = &s->schema->columns[s->numbers[number]];
    const sbl_column *by = &s->schema->columns[s->categories[category]];
    sbl_text words = {0}, line = {0};
    json_t *bounds = json_object();
    size_t groups = 0;
    sort_by(s, number, category);
    for (size_t k = 0; k < by->categories.count; k++) {
        const size_t count = s->starts[k + 1] - s->starts[k];
        if (count < LEAST_ROWS) continue;
        line.length = 0;
        json_t *entry = bounds_of(&line, column, s->sorted + s->starts[k], count);
        bounds = sbl_json_put(bounds, by->categories.items[k], entry);
        if (groups++ < SHOWN && line.data != NULL)
            sbl_text_printf(&words, "%s %s%s", groups > 1 ? "," : "", by->categories.items[k], line.data);
    }
    line.length = 0;
    sbl_text_printf(&line, "the range of %s depends on %s:%s%s", column->name, by->name,
                    words.data != NULL ? words.data : "", groups > SHOWN ? ", ..." : "");
    sbl_text_clear(&words);
    json_t *piece = json_pack("{s:[{s:s, s:{s:s, s:o}}]}", "fields", "name", column->name, "semblance", "by",
                              by->name, "bounds", bounds);
    return sbl_inspect_propose(writer, "by", &line, piece, err);
}

/* The category within which a number varies least, if it varies much less than over all. */
static sbl_status look(sbl_schema_writer *writer, sample *s, size_t number, sbl_error *err)
{
    const double *values = s->values + number * MOST_ROWS;
    size_t count = 0, best = SBL_NO_COLUMN;
    double least = NARROW;
    for (size_t r = 0; r < s->rows; r++)
        if (!isnan(values[r])) s->sorted[count++] = values[r];
    if (count < 2 * LEAST_ROWS) return SBL_OK;
    qsort(s->sorted, count, sizeof *s->sorted, compare);
    const double whole = spread(s->sorted, count);
    if (!(whole > 0)) return SBL_OK;
    for (size_t c = 0; c < s->category_count; c++) {
        const double narrow = narrowness(s, number, c, whole);
        if (!(narrow < least)) continue;
        least = narrow;
        best = c;
    }
    return best != SBL_NO_COLUMN ? propose(writer, s, number, best, err) : SBL_OK;
}

sbl_status sbl_inspect_by_propose(sbl_schema_writer *writer, const sbl_table *table, const sbl_schema *schema,
                                  const bool *named, sbl_error *err)
{
    sample s = {.schema = schema, .stride = 1};
    sbl_status status = SBL_OK;
    list_columns(&s, named);
    if (s.number_count == 0 || s.category_count == 0) return SBL_OK;
    SBL_ALLOC(s.values, s.number_count * MOST_ROWS, WHAT);
    SBL_ALLOC(s.codes, s.category_count * MOST_ROWS, WHAT);
    SBL_ALLOC(s.sorted, MOST_ROWS, WHAT);
    SBL_TRY(read_rows(&s, table, err));
    for (size_t i = 0; i < s.number_count; i++) SBL_TRY(look(writer, &s, i, err));
done:
    sbl_free_wiped(s.values, s.number_count * MOST_ROWS * sizeof *s.values);
    sbl_free_wiped(s.codes, s.category_count * MOST_ROWS * sizeof *s.codes);
    sbl_free_wiped(s.sorted, MOST_ROWS * sizeof *s.sorted);
    return status;
}
