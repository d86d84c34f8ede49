/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the different values of a column with their counts and looks for spikes (a tenth of the
 * rows or more on one value), for codes far outside of all else (999), for a step that all values keep
 * and for a long upper tail, by quantiles 0.1, 0.5 and 0.9. */
#include "owner/inspect/inspect_column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define LEAST_VALUES 20   /* distinct ones: fewer are not a continuum */
#define SPIKE 0.1         /* of the rows on one value of many */
#define LEAST_DIFFERENT 5 /* values, among which codes may lie apart */
#define LEAST_CODED 5     /* rows with a code */
#define FAR_OFF 0.5       /* of the range of all else lies between it and a code */
#define MOST_SENTINELS 4
#define SURE_STEP 20.0 /* bits: by chance once in a million */
/* Skewed: the median lies in the lowest part of the bounds, and the upper tenth is further from it
 * than the lower one, several times. The second keeps one wrong value far off from deciding. Of an
 * exponential distribution the parts are 1/16 (100,000 rows) and 2.7, of a normal one 1/2 and 1. */
#define LOWEST_PART (1.0 / 12.0)
#define LONGER_TAIL 2.0

/* A value and how many cells held it. */
typedef struct held {
    double value;
    uint64_t count;
} held;

static int by_value(const void *a, const void *b)
{
    const held *x = a;
    const held *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* The values that are numbers, ascending, each once. */
static size_t collect(held *values, const sbl_inspect_column *column, int s)
{
    size_t count = 0;
    size_t kept = 0;
    for (size_t i = 0; i < SBL_INSPECT_SLOTS; i++) {
        const sbl_inspect_value *seen = &column->values[i];
        if (seen->text == NULL || !sbl_inspect_number(&values[count].value, &column->styles[s], seen->text))
            continue;
        values[count++].count = seen->count;
    }
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && values[kept - 1].value == values[i].value)
            values[kept - 1].count += values[i].count;
        else
            values[kept++] = values[i];
    }
    return kept;
}

/* Takes the spikes out of values; returns how many are left. */
static size_t find_spikes(sbl_inspect_shape *shape, held *values, size_t count, uint64_t cells)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        const bool spike = (double)values[i].count > SPIKE * (double)cells;
        if (spike && shape->spike_count < SBL_MOST_SPIKES - MOST_SENTINELS)
            shape->spikes[shape->spike_count++] = values[i].value + 0.0; /* -0 is 0 */
        else
            values[left++] = values[i];
    }
    return left;
}

/* The least value that at least this part of the cells is not above. */
static double quantile(const held *values, size_t count, double part)
{
    uint64_t all = 0;
    uint64_t below = 0;
    size_t i = 0;
    for (size_t j = 0; j < count; j++) all += values[j].count;
    while (i + 1 < count && (double)(below += values[i].count) < part * (double)all) i++;
    return values[i].value;
}

static bool is_skewed(const held *values, size_t count, double minimum, double maximum)
{
    if (count < LEAST_VALUES) return false;
    const double median = quantile(values, count, 0.5);
    const double lower = median - quantile(values, count, 0.1);
    const double upper = quantile(values, count, 0.9) - median;
    return median - minimum < LOWEST_PART * (maximum - minimum) && upper > LONGER_TAIL * lower;
}

/* Codes that lie apart: above or below all else by half its range, or the only negative ones. What else looks like
 * a code is a value like others. Takes sentinels out of values; returns how many are left. */
static size_t find_sentinels(sbl_inspect_shape *shape, held *values, size_t count,
                             const sbl_inspect_range *answers)
{
    const double gap = FAR_OFF * (answers->high - answers->low);
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = values[i].value;
        const bool apart =
            value > answers->high + gap || value < answers->low - gap || (value < 0 && answers->low >= 0);
        if (sbl_inspect_is_code(value) && apart && values[i].count >= LEAST_CODED && answers->count > 0 &&
            shape->sentinels < MOST_SENTINELS)
            shape->spikes[shape->sentinels++] = value; /* spikes go before them later */
        else
            values[left++] = values[i];
    }
    return left;
}

/* Bounds of what is left. Where values were not kept, the column's own are right. */
static void find_bounds(sbl_inspect_shape *shape, const held *values, size_t count,
                        const sbl_inspect_column *column)
{
    const sbl_inspect_range *all = &column->numbers[column->way];
    const sbl_inspect_range *answers = &column->answers[column->way];
    shape->low = shape->sentinels > 0 ? answers->low : all->low;
    shape->high = shape->sentinels > 0 ? answers->high : all->high;
    for (size_t i = 0; i < count; i++) {
        if (values[i].value < shape->low) shape->low = values[i].value;
        if (values[i].value > shape->high) shape->high = values[i].value;
    }
}

/* Are all cells that look like a code among the values that were kept? */
static bool codes_are_kept(const held *values, size_t count, const sbl_inspect_column *column)
{
    uint64_t cells = column->numbers[column->way].count - column->answers[column->way].count;
    for (size_t i = 0; i < count; i++) cells -= sbl_inspect_is_code(values[i].value) ? values[i].count : 0;
    return cells == 0;
}

/* A step that this number of distinct values would not keep by chance. */
static void find_step(sbl_inspect_shape *shape, const held *values, size_t count,
                      const sbl_inspect_column *column)
{
    double units = column->steps[column->way];
    const int decimals = column->decimals[column->way];
    if (decimals > 4) return;
    for (size_t i = 0; i < count; i++) units = sbl_inspect_common_step(units, values[i].value);
    const double times = units / pow(10, 4 - decimals); /* in units of the last decimal */
    if (times >= 2 && (double)count * log2(times) >= SURE_STEP) shape->step = units / 1e4;
}

/* Sentinels behind the spikes. */
static void join(sbl_inspect_shape *shape, const double *sentinels)
{
    for (size_t i = 0; i < shape->sentinels; i++) shape->spikes[shape->spike_count++] = sentinels[i];
}

sbl_status sbl_inspect_shape_of(sbl_inspect_shape *shape, const sbl_inspect_column *column, sbl_error *err)
{
    const sbl_inspect_range *range = &column->numbers[column->way];
    double sentinels[MOST_SENTINELS];
    held *values = NULL;
    sbl_status status = SBL_OK;
    *shape = (sbl_inspect_shape){.low = range->low, .high = range->high};
    if (column->value_count < LEAST_DIFFERENT) return SBL_OK;
    SBL_ALLOC(values, SBL_INSPECT_SLOTS, "a schema");
    size_t count = collect(values, column, column->way);
    const bool codes_kept = codes_are_kept(values, count, column);
    count = find_sentinels(shape, values, count, &column->answers[column->way]);
    memcpy(sentinels, shape->spikes, sizeof sentinels);
    find_bounds(shape, values, count, column);
    if (codes_kept) find_step(shape, values, count, column);
    if (count >= LEAST_VALUES) {
        const size_t left = find_spikes(shape, values, count, column->cells);
        shape->skewed = is_skewed(values, left, sbl_plain_number_down(shape->low, 2),
                                  sbl_plain_number_up(shape->high, 2));
    }
    join(shape, sentinels);
done:
    sbl_free_wiped(values, SBL_INSPECT_SLOTS * sizeof *values);
    return status;
}

/* ---- proposals ---- */

/* Rows that hold one value, in parts of a hundred. */
static double percent_with(const sbl_inspect_column *column, double wanted)
{
    uint64_t rows = 0;
    for (size_t v = 0; v < SBL_INSPECT_SLOTS; v++) {
        double value;
        if (column->values[v].text != NULL &&
            sbl_inspect_number(&value, &column->styles[column->way], column->values[v].text) &&
            value == wanted)
            rows += column->values[v].count;
    }
    return 100.0 * (double)rows / (double)column->cells;
}

static json_t *spikes_piece(const sbl_inspect_column *column, const sbl_inspect_shape *shape)
{
    json_t *list = json_array();
    for (size_t i = 0; i < shape->spike_count; i++)
        list = sbl_json_append(list, sbl_writer_number(shape->spikes[i]));
    json_t *piece = json_pack("{s:s, s:{s:o}}", "name", column->name, "semblance", "spikes", list);
    if (shape->sentinels == 0) return piece;
    return sbl_json_put(
        piece, "constraints",
        json_pack("{s:o, s:o}", "minimum", sbl_writer_number(sbl_plain_number_down(shape->low, 2)), "maximum",
                  sbl_writer_number(sbl_plain_number_up(shape->high, 2))));
}

sbl_status sbl_inspect_propose(sbl_schema_writer *writer, const char *kind, sbl_text *words, json_t *rest,
                               sbl_error *err)
{
    json_t *proposal = words->failed ? NULL : json_pack("{s:s, s:s}", "kind", kind, "words", words->data);
    if (rest == NULL || json_object_update(proposal, rest) != 0) {
        json_decref(proposal);
        proposal = NULL;
    }
    json_decref(rest);
    sbl_text_clear(words);
    return sbl_schema_writer_propose(writer, proposal, err);
}

static sbl_status propose_spikes(sbl_schema_writer *writer, const sbl_inspect_column *column,
                                 const sbl_inspect_shape *shape, sbl_error *err)
{
    char text[SBL_DOUBLE_TEXT_SIZE];
    char high[SBL_DOUBLE_TEXT_SIZE];
    sbl_text words = {0};
    sbl_text_printf(&words, "%s: ", column->name);
    for (size_t i = 0; i < shape->spike_count; i++)
        sbl_text_printf(&words, "%s%.*f %% of the rows hold %s", i == 0 ? "" : ", ",
                        percent_with(column, shape->spikes[i]) < 1 ? 1 : 0,
                        percent_with(column, shape->spikes[i]), sbl_double_to_text(text, shape->spikes[i]));
    if (shape->sentinels > 0)
        sbl_text_printf(&words, "; all else lies between %s and %s, so that ",
                        sbl_double_to_text(text, shape->low), sbl_double_to_text(high, shape->high));
    if (shape->sentinels == 1)
        sbl_text_printf(&words, "%s looks like a code",
                        sbl_double_to_text(text, shape->spikes[shape->spike_count - 1]));
    else if (shape->sentinels > 1)
        sbl_text_printf(&words, "the last %zu look like codes", shape->sentinels);
    return sbl_inspect_propose(writer, "spikes", &words,
                               json_pack("{s:[o]}", "fields", spikes_piece(column, shape)), err);
}

static sbl_status propose_step(sbl_schema_writer *writer, const sbl_inspect_column *column,
                               const sbl_inspect_shape *shape, sbl_error *err)
{
    char text[SBL_DOUBLE_TEXT_SIZE];
    sbl_text words = {0};
    sbl_text_printf(&words, "%s: every value%s is a multiple of %s", column->name,
                    shape->sentinels > 0 ? " but codes" : "", sbl_double_to_text(text, shape->step));
    return sbl_inspect_propose(writer, "step", &words,
                               json_pack("{s:[{s:s, s:{s:o}}]}", "fields", "name", column->name, "semblance",
                                         "step", sbl_writer_number(shape->step)),
                               err);
}

sbl_status sbl_inspect_shape_propose(sbl_schema_writer *writer, const sbl_inspect_column *column,
                                     const sbl_inspect_shape *shape, sbl_error *err)
{
    if (shape->step > 0) SBL_CHECK(propose_step(writer, column, shape, err));
    if (shape->spike_count > 0) SBL_CHECK(propose_spikes(writer, column, shape, err));
    return SBL_OK;
}
