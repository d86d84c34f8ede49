#include "table/guess_shape.h"

#include <stdlib.h>

#include "base/memory.h"

#define LEAST_VALUES 20 /* different ones: fewer are no continuum */
#define SPIKE 0.1       /* of the rows on one value of many */
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
static size_t collect(held *values, const sbl_guess_column *column, int s)
{
    size_t count = 0;
    size_t kept = 0;
    for (size_t i = 0; i < SBL_GUESS_SLOTS; i++) {
        const sbl_guess_value *seen = &column->values[i];
        if (seen->text == NULL ||
            !sbl_guess_number(&values[count].value, &column->styles[s], seen->text))
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
static size_t find_spikes(sbl_guess_shape *shape, held *values, size_t count, uint64_t cells)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        const bool spike = (double)values[i].count > SPIKE * (double)cells;
        if (spike && shape->spike_count < SBL_MOST_SPIKES)
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

sbl_status sbl_guess_shape_of(sbl_guess_shape *shape, const sbl_guess_column *column, int s,
                              double minimum, double maximum, sbl_error *err)
{
    *shape = (sbl_guess_shape){0};
    if (column->value_count < LEAST_VALUES) return SBL_OK;
    held *values = sbl_alloc_array(SBL_GUESS_SLOTS, sizeof *values);
    if (values == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a schema");
    const size_t count = collect(values, column, s);
    const size_t left = find_spikes(shape, values, count, column->cells);
    shape->skewed = is_skewed(values, left, minimum, maximum);
    sbl_free_wiped(values, SBL_GUESS_SLOTS * sizeof *values);
    return SBL_OK;
}

/* Rows that hold one value, in parts of a hundred. */
static double percent_with(const sbl_guess_column *column, double wanted)
{
    uint64_t rows = 0;
    for (size_t v = 0; v < SBL_GUESS_SLOTS; v++) {
        double value;
        if (column->values[v].text != NULL &&
            sbl_guess_number(&value, &column->styles[column->way], column->values[v].text) &&
            value == wanted)
            rows += column->values[v].count;
    }
    return 100.0 * (double)rows / (double)column->cells;
}

sbl_status sbl_guess_spikes_propose(sbl_schema_draft *draft, const sbl_guess_column *column,
                                    const sbl_guess_shape *shape, sbl_error *err)
{
    sbl_text words = {0};
    json_t *list = json_array();
    if (shape->spike_count == 0) {
        json_decref(list);
        return SBL_OK;
    }
    sbl_text_printf(&words, "%s: ", column->name);
    for (size_t i = 0; i < shape->spike_count; i++) {
        char text[SBL_DOUBLE_TEXT_SIZE];
        sbl_text_printf(&words, "%s%.0f %% of the rows hold %s", i == 0 ? "" : ", ",
                        percent_with(column, shape->spikes[i]),
                        sbl_double_to_text(text, shape->spikes[i]));
        if (json_array_append_new(list, sbl_draft_number(shape->spikes[i])) != 0)
            words.failed = true;
    }
    json_t *proposal =
        words.failed ? NULL
                     : json_pack("{s:s, s:s, s:[{s:s, s:{s:O}}]}", "kind", "spikes", "words",
                                 words.data, "fields", "name", column->name, "semblance", "spikes",
                                 list);
    json_decref(list);
    sbl_text_clear(&words);
    return sbl_schema_draft_propose(draft, proposal, err);
}
