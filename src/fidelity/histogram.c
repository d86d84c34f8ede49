/* Histograms for people: at most MAX_CELLS bars, real beside synthetic.
 *
 * Numbers are cut into equal bins on their declared scale (a log transform counts here, so that a
 * heavy tail can be seen), or have one bar per value where there are few. Of a long list of
 * categories the rarer ones share one bar. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fidelity/measures.h"
#include "schema/spikes.h"
#include "table/cell_format.h"

#define MAX_CELLS 40
#define BINS 20

/* Bars of a number: one per value of a short grid, else equal bins of the unit interval. */
typedef struct bars {
    const sbl_view_column *column;
    bool per_value;
    size_t count; /* without those of what stands apart, which come after them */
    size_t apart; /* sentinels, then missing */
} bars;

static bars make_bars(const sbl_view_column *column)
{
    const sbl_column *facts = column->column;
    bars b = {.column = column, .count = BINS, .apart = column->cells - SBL_VIEW_BINS};
    const double values = facts->grid_maximum - facts->grid_minimum + 1;
    b.per_value = facts->decimals >= 0 && values >= 1 && values < MAX_CELLS;
    if (b.per_value) b.count = (size_t)values;
    return b;
}

static double unit_of(const sbl_view_column *column, const sbl_frame *frame, size_t row)
{
    return frame->numeric[row * frame->codec->heads.numeric_count + column->index];
}

static size_t bar_of(const bars *b, const sbl_frame *frame, size_t row)
{
    const sbl_column *facts = b->column->column;
    const uint32_t apart = sbl_view_apart(b->column, frame, row);
    if (apart == 1 && facts->missing_allowed) return b->count + b->apart - 1;
    if (apart != 0) return b->count + apart - sbl_spike_code(facts, 0);
    const double unit = unit_of(b->column, frame, row);
    const double place = b->per_value
                             ? sbl_column_grid_whole(facts, sbl_column_from_unit(facts, unit)) -
                                   facts->grid_minimum + 0.5
                             : unit * (double)b->count;
    return place < (double)b->count ? (size_t)place : b->count - 1;
}

static void count_numbers(double *shares, const bars *b, const sbl_frame *frame)
{
    for (size_t row = 0; row < frame->rows; row++) shares[bar_of(b, frame, row)] += 1.0;
    for (size_t bar = 0; bar < b->count + b->apart; bar++) shares[bar] /= (double)frame->rows;
}

/* The value that a bar is of, or begins with. */
static double bar_value(const bars *b, size_t bar)
{
    const sbl_column *facts = b->column->column;
    if (bar >= b->count) return facts->spikes[bar - b->count];
    return b->per_value ? sbl_column_grid_value(facts, facts->grid_minimum + (double)bar)
                        : sbl_column_from_unit(facts, (double)bar / (double)b->count);
}

static json_t *bar_label(const bars *b, size_t bar)
{
    char text[SBL_CELL_TEXT_SIZE];
    const sbl_column *facts = b->column->column;
    if (bar + 1 == b->count + b->apart && facts->missing_allowed) return json_string("(missing)");
    const double value = bar_value(b, bar);
    if (facts->kind == SBL_COLUMN_NUMBER && facts->decimals < 0) {
        char number[32];
        (void)snprintf(number, sizeof number, "%.4g", value);
        return json_string(number);
    }
    const size_t length = sbl_cell_format(text, facts, sbl_column_snap(facts, value));
    return json_stringn(text, length);
}

static bool put(json_t *labels, json_t *shares[2], json_t *label, const double values[2])
{
    bool good = json_array_append_new(labels, label) == 0;
    for (size_t side = 0; side < 2; side++)
        good = json_array_append_new(shares[side], sbl_number_json(values[side])) == 0 && good;
    return good;
}

static bool put_numbers(json_t *labels, json_t *shares[2], const sbl_view_column *column,
                        const sbl_frame *const frames[2])
{
    const bars b = make_bars(column);
    const size_t count = b.count + b.apart;
    double values[2][MAX_CELLS + 1 + SBL_MOST_SPIKES] = {{0}};
    bool good = true;
    for (size_t side = 0; side < 2; side++) count_numbers(values[side], &b, frames[side]);
    for (size_t bar = 0; bar < count; bar++) {
        const double both[2] = {values[0][bar], values[1][bar]};
        good = put(labels, shares, bar_label(&b, bar), both) && good;
    }
    return good;
}

/* One category with its shares. */
typedef struct category {
    uint32_t code;
    double share[2];
} category;

/* Larger shares first, then the declared order. */
static int by_share(const void *a, const void *b)
{
    const category *x = a;
    const category *y = b;
    const double sum_x = x->share[0] + x->share[1];
    const double sum_y = y->share[0] + y->share[1];
    if (sum_x != sum_y) return sum_x > sum_y ? -1 : 1;
    return x->code < y->code ? -1 : 1;
}

static int by_code(const void *a, const void *b)
{
    const category *x = a;
    const category *y = b;
    return x->code < y->code ? -1 : 1;
}

static json_t *category_label(const sbl_column *column, uint32_t code)
{
    if (code >= column->categories.count) return json_string("(missing)");
    json_t *label = json_string(column->categories.items[code]);
    return label != NULL ? label : json_string("(not text)");
}

static bool put_categories(json_t *labels, json_t *shares[2], const sbl_view_column *column,
                           const sbl_frame *const frames[2])
{
    category *list = sbl_alloc_array(column->cells, sizeof *list);
    size_t shown = column->cells;
    double others[2] = {0, 0};
    bool good = list != NULL;
    if (!good) return false;
    for (uint32_t code = 0; code < column->cells; code++) list[code].code = code;
    for (size_t side = 0; side < 2; side++)
        for (size_t row = 0; row < frames[side]->rows; row++)
            list[sbl_view_code(column, frames[side], row)].share[side] += 1.0;
    for (uint32_t code = 0; code < column->cells; code++)
        for (size_t side = 0; side < 2; side++)
            list[code].share[side] /= (double)frames[side]->rows;
    if (shown > MAX_CELLS) {
        shown = MAX_CELLS - 1;
        qsort(list, column->cells, sizeof *list, by_share);
        for (size_t i = shown; i < column->cells; i++)
            for (size_t side = 0; side < 2; side++) others[side] += list[i].share[side];
        qsort(list, shown, sizeof *list, by_code);
    }
    for (size_t i = 0; i < shown; i++)
        good = put(labels, shares, category_label(column->column, list[i].code), list[i].share) &&
               good;
    if (shown < column->cells) good = put(labels, shares, json_string("(others)"), others) && good;
    sbl_free(list);
    return good;
}

json_t *sbl_histogram_json(const sbl_view_column *column, const sbl_frame *real,
                           const sbl_frame *synthetic)
{
    const sbl_frame *const frames[2] = {real, synthetic};
    json_t *labels = json_array();
    json_t *shares[2] = {json_array(), json_array()};
    const bool good = column->numeric ? put_numbers(labels, shares, column, frames)
                                      : put_categories(labels, shares, column, frames);
    if (good)
        return json_pack("{s:o, s:o, s:o}", "labels", labels, "real", shares[0], "synthetic",
                         shares[1]);
    json_decref(labels);
    json_decref(shares[0]);
    json_decref(shares[1]);
    return NULL;
}
