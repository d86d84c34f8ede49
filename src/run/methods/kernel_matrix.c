/* SPDX-License-Identifier: Apache-2.0 */
/* Reads "age=400,bmi=100,age*bmi=-120": the entries of a symmetric matrix, those of the diagonal by one name. Columns are
 * put into the order of the record, so that the text's order does not matter. */
#include "run/methods/kernel_matrix.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"
#include "run/methods/kernel_lengths.h"

#define MOST_NUMBER 32 /* bytes of a number, with its end */
#define MOST_SHOWN 60  /* bytes of an item in a message */

const sbl_option sbl_option_mahalanobis = SBL_SETTING(
    "mahalanobis", SBL_OPTION_TEXT, "LIST", SBL_TABLES, SBL_STEPS_PLAN,
    "public matrix of a Mahalanobis kernel over columns of numbers, in units of their ranges, e.g. "
    "age=400,bmi=100,age*bmi=-120",
    SBL_STANDARD_WORDS("none"));

typedef struct entry {
    size_t row, column; /* numbers of a record, row >= column */
    double value;
} entry;

static sbl_status refuse(const char *item, size_t size, sbl_error *err)
{
    return sbl_fail(
        err, SBL_EARG,
        "mahalanobis: '%.*s' is not an entry over columns of numbers, e.g. age=400 or age*bmi=-120",
        (int)(size < MOST_SHOWN ? size : MOST_SHOWN), item);
}

static bool read_value(double *value, const char *text, size_t size)
{
    char number[MOST_NUMBER];
    if (size >= sizeof number) return false;
    memcpy(number, text, size);
    number[size] = '\0';
    return sbl_text_to_double(value, number) && fabs(*value) <= 1e6;
}

/* A name may hold a '*': it is first looked up whole. */
static bool read_names(entry *item, const sbl_facts *facts, const char *text, size_t size)
{
    if (sbl_number_column(&item->row, facts, text, size)) {
        item->column = item->row;
        return true;
    }
    for (const char *at = text; (at = memchr(at, '*', size - (size_t)(at - text))) != NULL; at++) {
        const size_t first = (size_t)(at - text);
        if (!sbl_number_column(&item->row, facts, text, first) ||
            !sbl_number_column(&item->column, facts, at + 1, size - first - 1))
            continue;
        if (item->row < item->column) {
            const size_t row = item->row;
            item->row = item->column;
            item->column = row;
        }
        return true;
    }
    return false;
}

static sbl_status read_entry(entry *item, const sbl_facts *facts, const char *text, size_t size,
                             sbl_error *err)
{
    size_t name = size;
    while (name > 0 && text[name - 1] != '=') name--;
    if (name < 2 || !read_value(&item->value, text + name, size - name) ||
        !read_names(item, facts, text, name - 1))
        return refuse(text, size, err);
    return SBL_OK;
}

/* The place of a number in the metric; count: it is not there. */
static size_t place_of(const sbl_metric *metric, size_t number)
{
    size_t i = 0;
    while (i < metric->count && metric->columns[i] != number) i++;
    return i;
}

/* A diagonal entry brings its column, in the order of the record. */
static sbl_status add_column(sbl_metric *metric, size_t number, sbl_error *err)
{
    size_t at = metric->count;
    if (place_of(metric, number) < metric->count)
        return sbl_fail(err, SBL_EARG, "mahalanobis: an entry of the diagonal is given twice: remove one");
    if (metric->count == SBL_METRIC_MOST)
        return sbl_fail(err, SBL_EARG, "mahalanobis takes at most %d columns", SBL_METRIC_MOST);
    for (; at > 0 && metric->columns[at - 1] > number; at--) metric->columns[at] = metric->columns[at - 1];
    metric->columns[at] = number;
    metric->count++;
    return SBL_OK;
}

static sbl_status set_entry(sbl_metric *metric, const entry *item, sbl_error *err)
{
    const size_t row = place_of(metric, item->row), column = place_of(metric, item->column);
    if (row == metric->count || column == metric->count)
        return sbl_fail(err, SBL_EARG,
                        "mahalanobis: each column of a product needs its own entry, e.g. age=400");
    metric->factor[row][column] = item->value;
    return SBL_OK;
}

/* Twice over the text: columns first, then values. */
static sbl_status read_entries(sbl_metric *metric, const sbl_facts *facts, const char *text, bool values,
                               sbl_error *err)
{
    for (;;) {
        entry item;
        const size_t size = strcspn(text, ",");
        SBL_CHECK(read_entry(&item, facts, text, size, err));
        if (values)
            SBL_CHECK(set_entry(metric, &item, err));
        else if (item.row == item.column)
            SBL_CHECK(add_column(metric, item.row, err));
        if (text[size] == '\0') return SBL_OK;
        text += size + 1;
    }
}

sbl_status sbl_kernel_matrix(sbl_metric *metric, const sbl_facts *facts, const sbl_synth_options *options,
                             sbl_error *err)
{
    const char *text = sbl_setting_given(options, sbl_option_mahalanobis.name);
    *metric = (sbl_metric){0};
    if (text == NULL) return SBL_OK;
    if (facts->kind != SBL_DATA_TABLE)
        return sbl_fail(err, SBL_EARG, "mahalanobis is an option for tables: leave it out for images");
    SBL_CHECK(read_entries(metric, facts, text, false, err));
    SBL_CHECK(read_entries(metric, facts, text, true, err));
    return sbl_metric_factor(metric, err);
}
