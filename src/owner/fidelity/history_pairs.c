/* SPDX-License-Identifier: Apache-2.0 */
/* Total variation distances of histories: how many events persons have, alone and by their columns; an
 * event's columns by those of the event before, and by the person's; a gap by the gap before. */
#include "base/alloc.h"
#include "owner/fidelity/person_events.h"

#define GAP_PARTS 8

/* ---- how many events ---- */

/* The least number of events of each bucket but the first. */
static const uint32_t buckets[] = {2, 3, 4, 5, 6, 8, 11, 16, 21, 31, 41, 51, 101, 201, 501};
_Static_assert(sizeof buckets / sizeof buckets[0] + 1 == SBL_HISTORY_BUCKETS, "one less");

uint32_t sbl_history_bucket(uint32_t events)
{
    uint32_t bucket = 0;
    while (bucket + 1 < SBL_HISTORY_BUCKETS && buckets[bucket] <= events) bucket++;
    return bucket;
}

static sbl_status count_events(sbl_codes *counts, const sbl_histories *h, sbl_error *err)
{
    size_t persons[SBL_ROLE_COUNT];
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) persons[t] = h->of[t].persons;
    const sbl_status status = sbl_codes_init(counts, 1, persons, err);
    if (status != SBL_OK) return status;
    counts->sizes[0] = SBL_HISTORY_BUCKETS;
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++)
        for (size_t p = 0; p < persons[t]; p++)
            counts->codes[t][p] = sbl_history_bucket(h->of[t].starts[p + 1] - h->of[t].starts[p]);
    return SBL_OK;
}

/* When persons begin: it is kept as a relation alone. */
static sbl_status keep_first_time(const sbl_histories *h, const sbl_codes *of_persons, sbl_error *err)
{
    const sbl_view *view = h->columns.view;
    const sbl_compared first = {SBL_RELATION_FIRST, view};
    sbl_triple ignored;
    if (h->columns.order == NULL || h->tables->relations == NULL) return SBL_OK;
    const uint32_t column = (uint32_t)(h->columns.order - view->columns);
    return sbl_codes_distance(ignored, h->tables, of_persons, NULL, &column, 1, &first, NULL, err);
}

sbl_status sbl_history_events(sbl_triple tvd, sbl_triple by_person, const sbl_histories *h, sbl_error *err)
{
    const sbl_history_columns *columns = &h->columns;
    const uint32_t *firsts[SBL_ROLE_COUNT];
    size_t persons[SBL_ROLE_COUNT];
    const sbl_compared rows = {SBL_RELATION_ROWS, columns->view};
    sbl_codes counts = {0}, of_persons = {0};
    sbl_status status = SBL_OK;
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        firsts[t] = h->of[t].starts;
        persons[t] = h->of[t].persons;
    }
    SBL_TRY(count_events(&counts, h, err));
    SBL_TRY(sbl_codes_distance(tvd, h->tables, &counts, NULL, (uint32_t[]){0}, 1, &rows, NULL, err));
    SBL_TRY(sbl_codes_pick(&of_persons, &h->cells, firsts, persons, 0, err));
    SBL_TRY(sbl_codes_distance(by_person, h->tables, &counts, &of_persons, columns->person,
                               columns->person_count, &rows, NULL, err));
    SBL_TRY(keep_first_time(h, &of_persons, err));
done:
    sbl_codes_clear(&counts);
    sbl_codes_clear(&of_persons);
    return status;
}

/* ---- pairs of columns ---- */

/* All pairs of a column of one list with one of another, or a seeded sample of `limit`: numbers of pairs of columns
 * of the view. Owner: the caller; NULL when out of memory. */
static uint32_t *pairs_of(size_t *count, const sbl_histories *h, const uint32_t *first, size_t first_count,
                          size_t limit)
{
    const sbl_history_columns *columns = &h->columns;
    uint32_t *list = sbl_sample_rows(count, first_count * columns->event_count, limit, h->tables->seed,
                                     SBL_STREAM_HISTORIES);
    for (size_t i = 0; list != NULL && i < *count; i++)
        list[i] = first[list[i] / columns->event_count] * (uint32_t)columns->view->count +
                  columns->event[list[i] % columns->event_count];
    return list;
}

/* The cells of events that have one before, and of those before. */
static sbl_status pick_neighbours(sbl_codes *before, sbl_codes *after, const sbl_histories *h, sbl_error *err)
{
    const uint32_t *places[SBL_ROLE_COUNT];
    size_t counts[SBL_ROLE_COUNT];
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        places[t] = h->of[t].later;
        counts[t] = h->of[t].later_count;
    }
    SBL_CHECK(sbl_codes_pick(before, &h->cells, places, counts, 1, err));
    SBL_CHECK(sbl_codes_pick(after, &h->cells, places, counts, 0, err));
    before->effects = after->effects = h->effects;
    return SBL_OK;
}

sbl_status sbl_history_previous(sbl_triple tvd, sbl_triple same, const sbl_histories *h, size_t limit,
                                sbl_error *err)
{
    const sbl_history_columns *columns = &h->columns;
    const sbl_progress_span progress = sbl_progress_part(&h->tables->progress, 0, 2);
    const sbl_compared previous = {SBL_RELATION_PREVIOUS, columns->view};
    sbl_codes before = {0}, after = {0};
    uint32_t *list = NULL;
    size_t count;
    sbl_status status = SBL_OK;
    SBL_TRY(pick_neighbours(&before, &after, h, err));
    list = pairs_of(&count, h, columns->event, columns->event_count, limit);
    if (list == NULL) SBL_TRY(sbl_no_memory(err, "pairs of columns"));
    SBL_TRY(sbl_codes_distance(tvd, h->tables, &before, &after, list, count, &previous, &progress, err));
    sbl_free(list);
    SBL_ALLOC(list, columns->event_count, "pairs of columns");
    for (size_t i = 0; i < columns->event_count; i++)
        list[i] = columns->event[i] * (uint32_t)(columns->view->count + 1);
    SBL_TRY(
        sbl_codes_distance(same, h->tables, &before, &after, list, columns->event_count, NULL, NULL, err));
done:
    sbl_free(list);
    sbl_codes_clear(&before);
    sbl_codes_clear(&after);
    return status;
}

sbl_status sbl_history_parent(sbl_triple tvd, const sbl_histories *h, size_t limit, sbl_error *err)
{
    const sbl_progress_span progress = sbl_progress_part(&h->tables->progress, 1, 2);
    const sbl_compared person = {SBL_RELATION_PERSON, h->columns.view};
    size_t count;
    sbl_status status = SBL_OK;
    uint32_t *list = pairs_of(&count, h, h->columns.person, h->columns.person_count, limit);
    if (list == NULL) SBL_TRY(sbl_no_memory(err, "pairs of columns"));
    SBL_TRY(sbl_codes_distance(tvd, h->tables, &h->cells, &h->cells, list, count, &person, &progress, err));
done:
    sbl_free(list);
    return status;
}

/* ---- gaps ---- */

static double gap_at(const sbl_history_table *table, uint32_t place)
{
    return table->times[place] - table->times[place - 1];
}

static sbl_status cut_gaps(sbl_edges *edges, const sbl_history_table *real, sbl_error *err)
{
    double *gaps = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(gaps, real->later_count, "gaps");
    for (size_t i = 0; i < real->later_count; i++) gaps[i] = gap_at(real, real->later[i]);
    *edges = sbl_edges_of(gaps, real->later_count, GAP_PARTS);
done:
    sbl_free_wiped(gaps, real->later_count * sizeof *gaps);
    return status;
}

/* Is the event at later[i] its person's third or a later one? */
static bool is_third(const sbl_history_table *table, size_t i)
{
    return i > 0 && table->later[i - 1] + 1 == table->later[i];
}

static void fill_gaps(uint32_t *before, uint32_t *after, const sbl_history_table *table,
                      const sbl_edges *edges)
{
    size_t count = 0;
    for (size_t i = 0; i < table->later_count; i++) {
        if (!is_third(table, i)) continue;
        before[count] = sbl_edges_cell(edges, gap_at(table, table->later[i] - 1));
        after[count++] = sbl_edges_cell(edges, gap_at(table, table->later[i]));
    }
}

sbl_status sbl_history_gap_pairs(sbl_triple tvd, const sbl_histories *h, sbl_error *err)
{
    size_t counts[SBL_ROLE_COUNT] = {0};
    sbl_codes before = {0}, after = {0};
    sbl_edges edges;
    sbl_status status = SBL_OK;
    SBL_TRY(cut_gaps(&edges, &h->of[SBL_ROLE_REAL], err));
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++)
        for (size_t i = 0; i < h->of[t].later_count; i++) counts[t] += is_third(&h->of[t], i);
    SBL_TRY(sbl_codes_init(&before, 1, counts, err));
    SBL_TRY(sbl_codes_init(&after, 1, counts, err));
    before.sizes[0] = after.sizes[0] = (uint32_t)edges.count + 1;
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) fill_gaps(before.codes[t], after.codes[t], &h->of[t], &edges);
    SBL_TRY(sbl_codes_distance(tvd, h->tables, &before, &after, (uint32_t[]){0}, 1, NULL, NULL, err));
done:
    sbl_codes_clear(&before);
    sbl_codes_clear(&after);
    return status;
}
