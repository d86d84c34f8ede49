/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the bins of a row into codes as the plan merged them; counts and paces are codes, too. Rows that
 * refer to the same row are next to each other, in the order of the rows that they refer to. */
#include "records/features/person_codes.h"

#include "base/alloc.h"

#define WHAT "the features of a few persons"

static uint16_t code_of(const sbl_histories *h, size_t number, size_t cell)
{
    return (uint16_t)(h->codes[number].of != NULL ? h->codes[number].of[cell] : cell);
}

/* above: the parent row, which is the same person's; a date may be encoded relative to its dates. */
static uint16_t cell_code(const sbl_histories *h, size_t number, const sbl_records *records, size_t row,
                          size_t above)
{
    const sbl_bins *cells = &h->tree.cells;
    const double *numeric = records->events.numeric + row * cells->numeric_count;
    const uint32_t *codes = records->events.codes + row * cells->categorical_count;
    const sbl_bins_column *column = &cells->columns[h->tree.cell_column[number]];
    const sbl_lag *lag = &h->tree.lags[h->tree.cell_column[number]];
    const double *parent = records->events.numeric + above * cells->numeric_count;
    return code_of(h, number,
                   lag->codes != 0 ? sbl_lag_code(lag, cells, numeric, codes, parent)
                                   : sbl_bins_find(column, numeric, codes));
}

static uint64_t step_of(const sbl_histories *h, const sbl_history_shape *link, const sbl_records *records,
                        size_t row)
{
    const sbl_bins *cells = &h->tree.cells;
    const double *numeric = records->events.numeric + row * cells->numeric_count;
    return sbl_history_step_of(link, numeric[cells->columns[link->order].index]);
}

/* Rows of the records that refer to the same row. */
typedef struct group {
    size_t first, count;
} group;

/* All of a person in a table; no more than count. */
static group rows_of(const sbl_histories *h, const sbl_records *records, size_t p, size_t table)
{
    const size_t tables = h->tree.linked ? h->tree.link_count + 1 : 1;
    const uint32_t *starts = records->events.starts + p * tables + table;
    return (group){starts[0], starts[1] - starts[0]};
}

static group events_of(const sbl_histories *h, const sbl_records *records, size_t p, size_t link)
{
    group all = rows_of(h, records, p, h->tree.linked ? link + 1 : 0);
    if (all.count > h->tree.links[link].most) all.count = h->tree.links[link].most;
    return all;
}

/* The rows that refer to row `parent` of the person: they are next to each other, in the order of their
 * parents. */
static group hang_on(const sbl_histories *h, const sbl_records *records, size_t p, size_t link, size_t parent)
{
    const group all = events_of(h, records, p, link);
    group of = {all.first, 0};
    if (h->tree.links[link].parent == SBL_HISTORY_NONE) return all;
    size_t low = 0, high = all.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (records->events.parents[all.first + middle] < parent)
            low = middle + 1;
        else
            high = middle;
    }
    of.first += low;
    while (low + of.count < all.count && records->events.parents[of.first + of.count] == parent) of.count++;
    return of;
}

/* The number of rows of each table that refer to row `parent` of link `owner`, and the time of the first. */
static void fill_counts(const sbl_histories *h, uint16_t *out, const sbl_records *records, size_t p,
                        size_t owner, size_t parent)
{
    for (size_t l = 0; l < h->tree.link_count; l++) {
        const sbl_history_shape *link = &h->tree.links[l];
        if (link->parent != owner) continue;
        const group of = hang_on(h, records, p, l, parent);
        out[link->count_base] =
            code_of(h, link->number[link->count_base], sbl_history_count_cell(link, of.count));
        if (link->span == 0) continue;
        const size_t cell = of.count > 0 ? sbl_history_first_cell(link, step_of(h, link, records, of.first))
                                         : sbl_history_first_cells(link->span);
        out[link->first_base] = code_of(h, link->number[link->first_base], cell);
    }
}

/* The person's columns are in its own row, or in its first event. */
static void fill_person(const sbl_histories *h, uint16_t *out, const sbl_records *records, size_t p)
{
    const size_t row = rows_of(h, records, p, 0).first;
    for (size_t b = 0; b < h->tree.person_count; b++)
        if (h->tree.cell_column[b] != SBL_HISTORY_NONE) out[b] = cell_code(h, b, records, row, row);
    fill_counts(h, out, records, p, SBL_HISTORY_NONE, 0);
}

/* The row of the records that row `row` of person p refers to; in a single table its own. */
static size_t row_above(const sbl_histories *h, const sbl_history_shape *link, const sbl_records *records,
                        size_t p, size_t row)
{
    if (!h->tree.linked) return row;
    const bool direct = link->parent == SBL_HISTORY_NONE;
    const group above = rows_of(h, records, p, direct ? 0 : link->parent + 1);
    return above.first + (direct ? 0 : records->events.parents[row]);
}

/* The bases of event r of m, which is row `row` of the records; steps: of event r and those before. */
static void fill_event(const sbl_histories *h, const sbl_history_shape *link, uint16_t *out,
                       const uint64_t *steps, const sbl_records *records, size_t row, size_t above, size_t r,
                       size_t m)
{
    for (size_t b = link->person_count; b < link->base_count; b++)
        if (h->tree.cell_column[link->number[b]] != SBL_HISTORY_NONE)
            out[b] = cell_code(h, link->number[b], records, row, above);
    if (link->span == 0) return;
    const uint64_t before = *(r > 0 ? steps - 1 : steps);
    const uint64_t gap = *steps > before ? *steps - before : 0;
    out[link->gap_base] =
        code_of(h, link->number[link->gap_base], sbl_history_pace(gap, link->span - 1 - before, m - r));
}

/* The events that refer to one row, whose codes are `parent`, from number `at` of the person's events on. */
static void fill_group(const sbl_histories *h, sbl_person_codes *w, const sbl_records *records, size_t p,
                       size_t l, const uint16_t *parent, group of, size_t at)
{
    const sbl_history_shape *link = &h->tree.links[l];
    sbl_link_rows *to = &w->links[l];
    uint16_t *rows = to->rows + (p * link->most + at) * link->side_count;
    for (size_t r = 0; r < of.count; r++) {
        uint16_t *row = rows + r * link->side_count;
        uint64_t *step = to->steps + at + r;
        if (link->span != 0) *step = step_of(h, link, records, of.first + r);
        for (size_t b = 0; b < link->person_count; b++) row[b] = parent[b];
        fill_event(h, link, row, step, records, of.first + r, row_above(h, link, records, p, of.first + r), r,
                   of.count);
        fill_counts(h, row, records, p, l, at + r);
        if (h->links[l].contexts) sbl_history_look_back(&to->past, row, step - (r > 0 ? 1 : 0), r, of.count);
        to->places[p * link->most + at + r] = (uint16_t)r;
    }
    if (h->links[l].contexts) sbl_history_forget(&to->past, rows, of.count);
}

static void fill_link(const sbl_histories *h, sbl_person_codes *w, const sbl_records *records, size_t p,
                      size_t l)
{
    const sbl_history_shape *link = &h->tree.links[l];
    const bool direct = link->parent == SBL_HISTORY_NONE;
    const sbl_link_rows *on = direct ? NULL : &w->links[link->parent];
    const size_t parents = direct ? 1 : on->counts[p];
    size_t at = 0, later = 0;
    for (size_t j = 0; j < parents; j++) {
        const sbl_history_shape *above = direct ? NULL : &h->tree.links[link->parent];
        const uint16_t *parent = direct ? w->persons + p * h->tree.person_count
                                        : on->rows + (p * above->most + j) * above->side_count;
        const group of = hang_on(h, records, p, l, j);
        fill_group(h, w, records, p, l, parent, of, at);
        at += of.count;
        later += of.count > 0 ? of.count - 1 : 0;
    }
    w->links[l].counts[p] = at;
    w->links[l].later[p] = later;
}

void sbl_person_codes_fill(sbl_person_codes *codes, const sbl_histories *h, const sbl_records *records,
                           size_t p)
{
    fill_person(h, codes->persons + p * h->tree.person_count, records, p);
    for (size_t l = 0; l < h->tree.link_count; l++) fill_link(h, codes, records, p, l);
}

/* ---- room ---- */

static sbl_status make_rows(sbl_link_rows *rows, sbl_pool *pool, const sbl_histories *h, size_t l,
                            sbl_error *err)
{
    const sbl_history_shape *link = &h->tree.links[l];
    sbl_status status = SBL_OK;
    SBL_POOL(pool, rows->rows, SBL_PERSON_SLICE * link->most, link->side_count, WHAT);
    SBL_POOL(pool, rows->places, SBL_PERSON_SLICE, link->most, WHAT);
    SBL_POOL(pool, rows->steps, link->most, 1, WHAT);
    SBL_TRY(sbl_history_past_init(&rows->past, pool, link, h->links[l].codes, err));
done:
    return status;
}

sbl_status sbl_person_codes_init(sbl_person_codes *codes, sbl_pool *pool, const sbl_histories *h,
                                 sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_POOL(pool, codes->persons, SBL_PERSON_SLICE, h->tree.person_count, WHAT);
    SBL_POOL(pool, codes->links, h->tree.link_count, 1, WHAT);
    for (size_t l = 0; l < h->tree.link_count; l++) SBL_TRY(make_rows(&codes->links[l], pool, h, l, err));
done:
    return status;
}

static void wipe(void *at, size_t count, size_t size)
{
    if (at != NULL) sbl_wipe(at, count * size);
}

void sbl_person_codes_wipe(sbl_person_codes *codes, const sbl_histories *h)
{
    for (size_t l = 0; codes->links != NULL && l < h->tree.link_count; l++) {
        const sbl_history_shape *link = &h->tree.links[l];
        const size_t rows = SBL_PERSON_SLICE * link->most;
        sbl_link_rows *of = &codes->links[l];
        wipe(of->rows, rows * link->side_count, sizeof(uint16_t));
        wipe(of->places, rows, sizeof(uint16_t));
        wipe(of->steps, link->most, sizeof(uint64_t));
        sbl_history_past_wipe(&of->past);
        sbl_wipe(of->counts, sizeof of->counts);
        sbl_wipe(of->later, sizeof of->later);
    }
    wipe(codes->persons, SBL_PERSON_SLICE * h->tree.person_count, sizeof *codes->persons);
}
