/* SPDX-License-Identifier: Apache-2.0 */
/* Reads linked tables, joins rows by keyed hashes of their keys, all under one key for this reading, and puts the
 * rows of a table next to their parents. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/os_random.h"
#include "owner/fidelity/linked_frames.h"
#include "owner/fidelity/person_events.h"

static const char what[] = "linked tables";

/* ---- keys ---- */

typedef struct keyed_row {
    sbl_unit_tag key;
    uint32_t row;
} keyed_row;

static int compare_tags(sbl_unit_tag a, sbl_unit_tag b)
{
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return a.low < b.low ? -1 : a.low > b.low;
}

static int by_key(const void *a, const void *b)
{
    const keyed_row *x = a, *y = b;
    const int order = compare_tags(x->key, y->key);
    return order != 0 ? order : x->row < y->row ? -1 : x->row > y->row;
}

static bool is_nobody(sbl_unit_tag tag) { return tag.low == 0 && tag.high == 0; }

/* The rows of a table by their own keys, the first of a key first. */
static sbl_status sort_keys(keyed_row **sorted, const sbl_row_tags *keys, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(*sorted, keys->count, what);
    for (size_t i = 0; i < keys->count; i++) (*sorted)[i] = (keyed_row){keys->tags[i], (uint32_t)i};
    qsort(*sorted, keys->count, sizeof **sorted, by_key);
done:
    return status;
}

static size_t count_repeated(const keyed_row *sorted, size_t count)
{
    size_t repeated = 0;
    for (size_t i = 0; i < count; i++)
        if (is_nobody(sorted[i].key) || (i > 0 && compare_tags(sorted[i - 1].key, sorted[i].key) == 0))
            repeated++;
    return repeated;
}

/* The first row with this key. */
static uint32_t find_row(const keyed_row *sorted, size_t count, sbl_unit_tag key)
{
    size_t low = 0, high = count;
    if (is_nobody(key)) return SBL_NO_PARENT;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_tags(sorted[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && compare_tags(sorted[low].key, key) == 0 ? sorted[low].row : SBL_NO_PARENT;
}

static sbl_status find_parents(sbl_linked_frame *rows, const keyed_row *parents, size_t count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(rows->parents, rows->frame.rows, what);
    for (size_t i = 0; i < rows->frame.rows; i++) {
        rows->parents[i] = find_row(parents, count, rows->hangs_on.tags[i]);
        rows->orphans += rows->parents[i] == SBL_NO_PARENT ? 1 : 0;
    }
done:
    return status;
}

/* Sorts the keys of table t; its child rows then find their parents. */
static sbl_status link_table(sbl_linked_set *set, const sbl_linked_plan *plan, size_t t, sbl_error *err)
{
    sbl_linked_frame *rows = &set->tables[t];
    const sbl_row_tags *keys = t == 0 ? &rows->hangs_on : &rows->keys;
    const sbl_linked_view *view = &plan->views[t];
    keyed_row *sorted = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sort_keys(&sorted, keys, err));
    rows->repeated = count_repeated(sorted, keys->count);
    for (size_t c = 0; c < view->child_count; c++)
        SBL_TRY(find_parents(&set->tables[view->children[c]], sorted, keys->count, err));
done:
    if (sorted != NULL) sbl_free_wiped(sorted, keys->count * sizeof *sorted);
    return status;
}

/* ---- reading ---- */

static sbl_status read_table(sbl_linked_frame *rows, const sbl_linked_view *view, const sbl_table *table,
                             const uint8_t *key, const sbl_progress_span *progress, sbl_error *err)
{
    const sbl_linked_table *facts = view->table;
    /* A key that is also what names the parent's row is read once. */
    const bool own =
        facts->parent != SBL_NO_TABLE && facts->key != SBL_NO_COLUMN && facts->key != facts->parent_key;
    const sbl_table_options options = {
        .unit_key = key, .with_keys = own, .key_column = own ? facts->key - facts->first : 0};
    return sbl_frame_read_keyed(&rows->frame, &rows->hangs_on, own ? &rows->keys : NULL, table, &view->codec,
                                &options, progress, err);
}

/* One that is its parent's key as well has it a second time. */
static sbl_status copy_keys(sbl_linked_frame *rows, const sbl_linked_view *view, sbl_error *err)
{
    const sbl_row_tags *from = &rows->hangs_on;
    sbl_status status = SBL_OK;
    if (view->table->parent == SBL_NO_TABLE || view->table->key != view->table->parent_key) return SBL_OK;
    SBL_ALLOC(rows->keys.tags, from->count, what);
    if (from->count != 0) memcpy(rows->keys.tags, from->tags, from->count * sizeof *from->tags);
    rows->keys.count = rows->keys.capacity = from->count;
done:
    return status;
}

sbl_status sbl_linked_set_read(sbl_linked_set *set, const sbl_linked_plan *plan,
                               const sbl_table *const *tables, const sbl_progress_span *progress,
                               sbl_error *err)
{
    const size_t count = plan->schema->table_count;
    uint8_t key[SBL_SIPHASH_KEY_SIZE];
    sbl_status status = SBL_OK;
    *set = (sbl_linked_set){0};
    SBL_ALLOC(set->tables, count, what);
    set->count = count;
    SBL_TRY(sbl_os_random(key, sizeof key, err));
    for (size_t t = 0; t < count; t++) {
        SBL_TRY(read_table(&set->tables[t], &plan->views[t], tables[t], key, progress, err));
        SBL_TRY(copy_keys(&set->tables[t], &plan->views[t], err));
    }
    if (set->tables[0].frame.rows == 0)
        SBL_FAIL(err, SBL_EINPUT, "%s: the table has no rows", tables[0]->name);
    for (size_t t = 0; t < count; t++) SBL_TRY(link_table(set, plan, t, err));
done:
    sbl_wipe(key, sizeof key);
    if (status != SBL_OK) sbl_linked_set_clear(set);
    return status;
}

void sbl_linked_set_clear(sbl_linked_set *set)
{
    for (size_t t = 0; t < set->count; t++) {
        sbl_linked_frame *rows = &set->tables[t];
        sbl_free_wiped(rows->parents, rows->frame.rows * sizeof *rows->parents);
        sbl_row_tags_clear(&rows->hangs_on);
        sbl_row_tags_clear(&rows->keys);
        sbl_frame_clear(&rows->frame);
    }
    sbl_free(set->tables);
    *set = (sbl_linked_set){0};
}

/* ---- joined rows ---- */

/* The number of a table's rows for each row of its parent. */
static sbl_status count_children(uint32_t **counts, const sbl_linked_frame *child, size_t parents,
                                 sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(*counts, parents, what);
    for (size_t i = 0; i < child->frame.rows; i++)
        if (child->parents[i] != SBL_NO_PARENT) (*counts)[child->parents[i]]++;
done:
    return status;
}

static void copy_part(sbl_frame *to, size_t row, size_t numbers_at, size_t codes_at, const sbl_frame *from,
                      size_t from_row)
{
    const sbl_heads *heads = &from->codec->heads;
    memcpy(to->numeric + row * to->codec->heads.numeric_count + numbers_at,
           from->numeric + from_row * heads->numeric_count, heads->numeric_count * sizeof *to->numeric);
    memcpy(to->codes + row * to->codec->heads.categorical_count + codes_at,
           from->codes + from_row * heads->categorical_count, heads->categorical_count * sizeof *to->codes);
}

/* One column of numbers of rows, the i-th. */
static sbl_status join_counts(sbl_frame *frame, const sbl_linked_frame *rows, const sbl_linked_frame *child,
                              size_t place, sbl_error *err)
{
    const size_t width = frame->codec->heads.categorical_count;
    uint32_t *counts = NULL;
    size_t at = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(count_children(&counts, child, rows->frame.rows, err));
    for (size_t i = 0; i < rows->frame.rows; i++) {
        if (rows->parents != NULL && rows->parents[i] == SBL_NO_PARENT) continue;
        frame->codes[at++ * width + place] = counts[i] == 0 ? 0 : 1 + sbl_history_bucket(counts[i]);
    }
done:
    if (counts != NULL) sbl_free_wiped(counts, rows->frame.rows * sizeof *counts);
    return status;
}

sbl_status sbl_linked_join(sbl_frame *frame, const sbl_linked_plan *plan, const sbl_linked_set *set, size_t t,
                           sbl_error *err)
{
    const sbl_linked_view *view = &plan->views[t];
    const sbl_linked_frame *rows = &set->tables[t];
    const bool root = view->table->parent == SBL_NO_TABLE;
    const sbl_frame *above = root ? NULL : &set->tables[view->table->parent].frame;
    const size_t numbers = root ? 0 : above->codec->heads.numeric_count;
    const size_t codes = root ? 0 : above->codec->heads.categorical_count;
    size_t at = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_frame_init(frame, &view->joined_codec, rows->frame.rows - rows->orphans, err));
    SBL_ALLOC(frame->persons, frame->rows != 0 ? frame->rows : 1, what);
    frame->person_count = root ? rows->frame.rows : above->rows;
    for (size_t i = 0; i < rows->frame.rows; i++) {
        const uint32_t parent = root ? (uint32_t)i : rows->parents[i];
        if (parent == SBL_NO_PARENT) continue;
        if (!root) copy_part(frame, at, 0, 0, above, parent);
        copy_part(frame, at, numbers, codes, &rows->frame, i);
        frame->persons[at++] = parent;
    }
    for (size_t c = 0; c < view->child_count; c++)
        SBL_TRY(join_counts(frame, rows, &set->tables[view->children[c]],
                            codes + view->codec.heads.categorical_count + c, err));
done:
    if (status != SBL_OK) sbl_frame_clear(frame);
    return status;
}
