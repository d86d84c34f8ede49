/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of numbers of events, weights, times and contexts of one link: all of it public arithmetic. */
#include "public/counts/history_shape.h"

#include <math.h>

#include "base/random/model_rng.h"

#define POSITIONS 7
#define TWELFTHS 12
#define LEFT_CODES 16
#define LEFT_A_DOUBLING 1.6
#define PACES (SBL_HISTORY_PACES - 1) /* cells of z beside that of gap 0 */
#define FIRST_CELLS 64                /* of the window, at most */
#define SINGLE_COUNTS 64              /* numbers of events that have a cell each, if these are all */
#define SINGLE_IF_MORE 32             /* and if they are not */
#define WIDEN 1.1                     /* each cell beyond to the one before */
#define MOST_SHARE 1.7

/* ---- numbers of events ---- */

/* The first number of the cell after one that begins at `low`. */
static size_t after_count(size_t most, size_t low)
{
    const size_t singles = most <= SINGLE_COUNTS ? SINGLE_COUNTS : SINGLE_IF_MORE;
    const size_t wide = (size_t)floor((double)low * WIDEN);
    return low < singles || wide <= low ? low + 1 : wide;
}

uint32_t sbl_history_count_cells(size_t most, size_t least)
{
    uint32_t cells = least == 0 ? 1 : 0;
    for (size_t low = 1; low <= most; low = after_count(most, low)) cells++;
    return cells;
}

uint32_t sbl_history_count_cell(const sbl_history_shape *shape, size_t events)
{
    uint32_t cell = shape->least == 0 && events > 0 ? 1 : 0;
    for (size_t low = 1; (low = after_count(shape->most, low)) <= shape->most && low <= events;) cell++;
    return cell;
}

void sbl_history_count_range(const sbl_history_shape *shape, uint32_t cell, size_t *low, size_t *high)
{
    *low = *high = 0;
    if (shape->least == 0 && cell-- == 0) return;
    *low = 1;
    for (uint32_t c = 0; c < cell; c++) *low = after_count(shape->most, *low);
    const size_t after = after_count(shape->most, *low);
    *high = after <= shape->most ? after - 1 : shape->most;
}

double sbl_history_share(size_t events)
{
    return events == 0 ? 0.0 : fmin(sqrt(sqrt((double)events)), MOST_SHARE);
}

uint32_t sbl_history_weight(size_t events, sbl_history_sort sort)
{
    const size_t of = sort == SBL_OF_STEPS && events > 0 ? events - 1 : events;
    if (sort == SBL_OF_PERSONS) return SBL_HISTORY_UNIT;
    if (of == 0) return 0;
    return (uint32_t)floor(SBL_HISTORY_UNIT * sbl_history_share(of) / (double)of);
}

/* ---- times ---- */

uint32_t sbl_history_first_cells(uint64_t span) { return span < FIRST_CELLS ? (uint32_t)span : FIRST_CELLS; }

uint32_t sbl_history_first_cell(const sbl_history_shape *shape, uint64_t step)
{
    return (uint32_t)(step * sbl_history_first_cells(shape->span) / shape->span);
}

uint64_t sbl_history_first_step(const sbl_history_shape *shape, uint32_t cell, double uniform)
{
    const uint64_t cells = sbl_history_first_cells(shape->span);
    if (cell >= cells) return (uint64_t)(uniform * (double)(shape->span - 1));
    const uint64_t low = (cell * shape->span + cells - 1) / cells;
    const uint64_t after = ((cell + 1) * shape->span + cells - 1) / cells;
    const uint64_t step = low + (uint64_t)(uniform * (double)(after - low));
    return step < after ? step : after - 1;
}

uint64_t sbl_history_step_of(const sbl_history_shape *shape, double place)
{
    const double last = (double)(shape->span - 1);
    return (uint64_t)nearbyint(fmin(fmax(place, 0.0), 1.0) * last);
}

double sbl_history_place_of(const sbl_history_shape *shape, uint64_t step)
{
    return shape->span > 1 ? (double)step / (double)(shape->span - 1) : 0.0;
}

/* Where cell i of z begins: cells are narrow where gaps are short. */
static double pace_edge(uint32_t i)
{
    const double even = (double)i / PACES;
    return even * sqrt(even);
}

/* base^exponent for 0 <= base <= 1, the same on every machine. */
static double power(double base, double exponent)
{
    return base > 0.0 ? sbl_exact_exp(exponent * sbl_exact_log(base)) : 0.0;
}

uint32_t sbl_history_pace(uint64_t gap, uint64_t left, size_t to_come)
{
    if (gap == 0 || left == 0) return 0;
    const double part = fmin(((double)gap - 0.5) / (double)left, 1.0);
    const double z = 1.0 - power(1.0 - part, (double)to_come);
    uint32_t cell = 0;
    while (cell + 1 < PACES && pace_edge(cell + 1) <= z) cell++;
    return cell + 1;
}

uint64_t sbl_history_gap(uint32_t cell, double uniform, uint64_t left, size_t to_come)
{
    if (cell == 0 || left == 0) return 0;
    const double low = pace_edge(cell - 1);
    const double z = low + uniform * (pace_edge(cell) - low);
    const double gap = ceil((1.0 - power(1.0 - z, 1.0 / (double)to_come)) * (double)left);
    return gap < 1.0 ? 1 : gap > (double)left ? left : (uint64_t)gap;
}

/* ---- sides ---- */

static sbl_pairs_column number_of(uint32_t cells)
{
    return (sbl_pairs_column){.kind = SBL_PAIRS_NUMBER, .cells = cells, .ordered = cells};
}

sbl_pairs_column sbl_side_column(const sbl_history_shape *shape, uint32_t base_codes, size_t side)
{
    const sbl_side *s = &shape->sides[side];
    const sbl_pairs_column *column = &shape->columns[s->base];
    uint32_t codes = base_codes;
    switch (s->kind) {
    case SBL_SIDE_POSITION:
        return number_of(POSITIONS);
    case SBL_SIDE_CALENDAR:
        return number_of(TWELFTHS);
    case SBL_SIDE_LEFT:
        return number_of(LEFT_CODES);
    case SBL_SIDE_PREVIOUS:
    case SBL_SIDE_MEMORY: /* the second event has no gap before it */
        codes += s->base == shape->gap_base ? 1 : 0;
        break;
    case SBL_SIDE_PERSON:
    case SBL_SIDE_EVENT:
        break;
    }
    return (sbl_pairs_column){.kind = column->kind,
                              .cells = codes,
                              .ordered = column->kind == SBL_PAIRS_CATEGORIES ? 0 : base_codes};
}

bool sbl_side_looks_back(const sbl_history_shape *shape, size_t side)
{
    const sbl_side_kind kind = shape->sides[side].kind;
    return side == shape->gap_base || kind == SBL_SIDE_CALENDAR || kind == SBL_SIDE_LEFT ||
           kind == SBL_SIDE_PREVIOUS || kind == SBL_SIDE_MEMORY;
}

sbl_history_sort sbl_history_sort_of(const sbl_history_shape *shape, size_t first, size_t second)
{
    const bool one = second == SBL_HISTORY_NONE;
    if (first < shape->person_count && (one || second < shape->person_count)) return SBL_OF_PERSONS;
    return sbl_side_looks_back(shape, first) || (!one && sbl_side_looks_back(shape, second)) ? SBL_OF_STEPS
                                                                                             : SBL_OF_EVENTS;
}

size_t sbl_history_contexts_of(const sbl_history_shape *shape, size_t base, uint32_t *sides)
{
    const bool several = shape->most > 1;
    const size_t event = base - shape->person_count;
    size_t count = 0;
    if (base < shape->person_count) {
        for (size_t b = 0; b < base; b++) sides[count++] = (uint32_t)b;
        return count;
    }
    for (size_t b = 0; b < shape->person_count; b++)
        if (shape->context[b] && (several || b != shape->count_base)) sides[count++] = (uint32_t)b;
    for (size_t b = shape->person_count; b < base; b++) sides[count++] = (uint32_t)b;
    if (!several) return count;
    sides[count++] = (uint32_t)shape->position;
    if (shape->span != 0) sides[count++] = (uint32_t)shape->calendar;
    if (base == shape->gap_base) sides[count++] = (uint32_t)shape->left;
    sides[count++] = (uint32_t)(shape->previous + event);
    if (shape->most > 2) sides[count++] = (uint32_t)(shape->memory + event);
    return count;
}

/* ---- contexts ---- */

sbl_status sbl_history_past_init(sbl_history_past *past, sbl_pool *pool, const sbl_history_shape *shape,
                                 const uint32_t *codes, sbl_error *err)
{
    const size_t events = shape->base_count - shape->person_count;
    sbl_status status = SBL_OK;
    *past = (sbl_history_past){.shape = shape, .codes = codes};
    for (size_t b = shape->person_count; b < shape->base_count; b++)
        if (codes[b] > past->most_codes) past->most_codes = codes[b];
    SBL_POOL(pool, past->times, events, past->most_codes, "a history");
    SBL_POOL(pool, past->totals, events, 1, "a history");
    SBL_POOL(pool, past->often, events, 1, "a history");
    SBL_POOL(pool, past->ordered, events, 1, "a history");
    for (size_t e = 0; e < events; e++)
        past->ordered[e] = shape->columns[shape->person_count + e].kind != SBL_PAIRS_CATEGORIES;
done:
    return status;
}

uint16_t sbl_history_position(size_t r)
{
    uint16_t code = 0;
    for (size_t rest = r; rest != 0 && code + 1 < POSITIONS; rest >>= 1) code++;
    return code;
}

static uint16_t left_code(uint64_t left, size_t to_come)
{
    const double ratio = 1.0 + (double)left / (double)to_come;
    const double code = LEFT_A_DOUBLING * sbl_exact_log(ratio) / 0.69314718055994531;
    return (uint16_t)fmin(code, LEFT_CODES - 1);
}

/* One event more of base e: `before` of them were seen. */
static uint16_t remember(sbl_history_past *past, size_t e, uint16_t code, size_t before)
{
    uint32_t *times = past->times + e * past->most_codes;
    times[code]++;
    past->totals[e] += code;
    if (before == 0 || times[code] >= times[past->often[e]]) past->often[e] = code;
    const uint64_t seen = before + 1;
    if (!past->ordered[e]) return past->often[e];
    return (uint16_t)((2 * past->totals[e] + seen) / (2 * seen));
}

void sbl_history_look_back(sbl_history_past *past, uint16_t *row, const uint64_t *step, size_t r, size_t m)
{
    const sbl_history_shape *shape = past->shape;
    const uint16_t *before = row - shape->side_count;
    row[shape->position] = sbl_history_position(r);
    if (r == 0) return;
    for (size_t b = shape->person_count; b < shape->base_count; b++) {
        const size_t e = b - shape->person_count;
        const bool none = b == shape->gap_base && r == 1;
        const size_t seen = r - 1 - (b == shape->gap_base && !none ? 1 : 0);
        row[shape->previous + e] = none ? (uint16_t)past->codes[b] : before[b];
        row[shape->memory + e] = none ? (uint16_t)past->codes[b] : remember(past, e, before[b], seen);
    }
    if (shape->span == 0) return;
    row[shape->calendar] = (uint16_t)(*step * TWELFTHS / shape->span);
    row[shape->left] = left_code(shape->span - 1 - *step, m - r);
}

void sbl_history_past_wipe(sbl_history_past *past)
{
    if (past->ordered == NULL) return; /* the last array that is made */
    const size_t events = past->shape->base_count - past->shape->person_count;
    sbl_wipe(past->times, events * past->most_codes * sizeof *past->times);
    sbl_wipe(past->totals, events * sizeof *past->totals);
    sbl_wipe(past->often, events * sizeof *past->often);
}

void sbl_history_forget(sbl_history_past *past, const uint16_t *rows, size_t m)
{
    const sbl_history_shape *shape = past->shape;
    for (size_t e = 0; e < shape->base_count - shape->person_count; e++) {
        past->totals[e] = 0;
        for (size_t r = 0; r < m; r++)
            past->times[e * past->most_codes + rows[r * shape->side_count + shape->person_count + e]] = 0;
    }
}
