/* SPDX-License-Identifier: Apache-2.0 */
/* A source in memory that hands out batches of any size feeds the real sbl_gather(). Every sum
 * is compared with the one without the hostile record, in every value and count, over 4 sizes
 * of batches, 8 places and 3 numbers of threads. */
#include "owner/audit/additivity.h"

#include "owner/audit/audit_records.h"
#include "records/source/source.h"
#include "run/pipeline/gather.h"

/* ---- records in memory, in batches of any size ---- */

typedef struct batches {
    const sbl_drawn *columns;
    size_t rows;
    size_t size;
    size_t next;
} batches;

static sbl_status read_batch(sbl_source *source, sbl_error *err)
{
    batches *state = source->state;
    const size_t left = state->rows - state->next;
    const size_t rows = left < state->size ? left : state->size;
    (void)err;
    source->batch = sbl_drawn_records(state->columns, source->facts, state->next, rows);
    state->next += rows;
    return SBL_OK;
}

static sbl_status rewind_batches(sbl_source *source, sbl_error *err)
{
    (void)err;
    ((batches *)source->state)->next = 0;
    return SBL_OK;
}

static void close_batches(sbl_source *source) { source->state = NULL; /* not its own */ }

static sbl_status sum_of(sbl_sum **sum, const sbl_drawn *columns, size_t rows, size_t batch, unsigned threads,
                         const sbl_features *features, const sbl_facts *facts, sbl_error *err)
{
    static const sbl_source_kind kind = {
        .read = read_batch, .rewind = rewind_batches, .close = close_batches};
    batches state = {.columns = columns, .rows = rows, .size = batch};
    sbl_source *source = NULL;
    const sbl_synth_options options = {.struct_size = sizeof options, .threads = threads};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_source_new(&source, &kind, 0, "records in memory", facts, err));
    source->state = &state;
    source->can_rewind = threads != 2; /* of whole persons both ways are taken */
    if (features->whole_units) SBL_TRY(sbl_source_open_persons(&source, source, err));
    SBL_TRY(sbl_gather(sum, source, features, "nothing", &options, err));
done:
    sbl_source_close(source);
    return status;
}

/* ---- comparing ---- */

/* whole - without = own, value by value. own NULL: nothing. */
static bool values_add_up(const int64_t *whole, const int64_t *without, const int64_t *own, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (whole[i] - without[i] != (own != NULL ? own[i] : 0)) return false;
    return true;
}

bool sbl_sums_add_up(const sbl_sum *whole, const sbl_sum *without, const sbl_sum *own)
{
    const sbl_layout *layout = sbl_sum_layout(whole);
    bool same = sbl_sum_is_whole(whole) &&
                sbl_sum_rows(whole) == sbl_sum_rows(without) + (own != NULL ? sbl_sum_rows(own) : 0);
    for (size_t b = 0; same && b < layout->block_count; b++)
        same = layout->blocks[b].withheld ||
               values_add_up(sbl_sum_values(whole, b), sbl_sum_values(without, b),
                             own != NULL ? sbl_sum_values(own, b) : NULL, sbl_block_values(layout, b));
    return same && values_add_up(sbl_sum_counts(whole), sbl_sum_counts(without),
                                 own != NULL ? sbl_sum_counts(own) : NULL, layout->classes);
}

/* ---- arrangements ---- */

typedef struct table {
    const sbl_features *features;
    const sbl_facts *facts;
    const sbl_records *records;
    const sbl_hostile *hostile;
    const sbl_contributions *own;
    sbl_drawn columns; /* with room for the hostile rows */
    sbl_sum *without;
} table;

static void put_hostile(table *t, size_t row, size_t which, size_t turn)
{
    const size_t record = sbl_hostile_turn(t->hostile, t->features, which, turn);
    const sbl_records one = sbl_hostile_records(t->hostile, record, 1);
    sbl_drawn_copy(&t->columns, row, &one, 0, t->facts);
    if (t->columns.units != NULL) t->columns.units[row] = (sbl_unit_tag){UINT64_MAX, UINT64_MAX};
}

/* The records, with a hostile one before record `place`; SIZE_MAX: without. The last row of a hostile person
 * comes after all others. */
static size_t arrange(table *t, size_t place, size_t which)
{
    const size_t times = sbl_hostile_times(t->features, which);
    const size_t together = times > 1 ? times - 1 : 1;
    size_t rows = 0;
    for (size_t i = 0; i <= t->records->rows; i++) {
        for (size_t j = 0; i == place && j < together; j++) put_hostile(t, rows++, which, j);
        if (i < t->records->rows) sbl_drawn_copy(&t->columns, rows++, t->records, i, t->facts);
    }
    if (place != SIZE_MAX && times > 1) put_hostile(t, rows++, which, together);
    return rows;
}

/* which: the hostile record, ignored without a place. */
static sbl_status compare(sbl_additivity *result, table *t, size_t place, size_t which, size_t batch,
                          unsigned threads, sbl_error *err)
{
    const size_t rows = arrange(t, place, which);
    const bool with = rows > t->records->rows;
    sbl_sum *whole = NULL;
    const sbl_status status = sum_of(&whole, &t->columns, rows, batch, threads, t->features, t->facts, err);
    if (status != SBL_OK) return status;
    result->sums++;
    result->equal += sbl_sums_add_up(whole, t->without, with ? t->own->sums[which] : NULL);
    sbl_sum_free(whole);
    return SBL_OK;
}

sbl_status sbl_additivity_check(sbl_additivity *result, const sbl_features *features, const sbl_facts *facts,
                                const sbl_records *records, const sbl_hostile *hostile,
                                const sbl_contributions *own, sbl_error *err)
{
    static const unsigned threads[] = {1, 2, 5};
    const size_t slice = sbl_slice_rows(facts);
    const size_t n = records->rows;
    const size_t sizes[] = {7, slice, slice + 1, n + 1};
    const size_t places[] = {SIZE_MAX, 0, 6, 7, slice - 1, slice, n / 2, n};
    table t = {features, facts, records, hostile, own, {0}, NULL};
    size_t which = 0;
    sbl_status status = SBL_OK;
    *result = (sbl_additivity){0};
    SBL_TRY(sbl_drawn_make(&t.columns, facts, n + SBL_HOSTILE_MOST_TIMES, true, err));
    SBL_TRY(sum_of(&t.without, &t.columns, arrange(&t, SIZE_MAX, 0), n + 1, 1, features, facts, err));
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++)
            for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
                const size_t place = places[k] == SIZE_MAX || places[k] <= n ? places[k] : n;
                SBL_TRY(compare(result, &t, place, which, sizes[j], threads[i], err));
                which = (which + 1) % hostile->rows;
            }
done:
    sbl_sum_free(t.without);
    sbl_drawn_clear(&t.columns, facts);
    return status;
}
