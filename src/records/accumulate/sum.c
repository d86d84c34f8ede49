/* SPDX-License-Identifier: Apache-2.0 */
/* [4] The life of a sum. A batch of rows is opened, every column of every block is fed once, and the batch
 * is closed; anything else breaks the sum for good. Each record is quantised, enforced run by run, and
 * added. A merge tries all additions before it makes one. */
#include "records/accumulate/sum.h"

#include <string.h>

#include "base/alloc.h"
#include "records/accumulate/enforce.h"
#include "records/accumulate/sum_state.h"

/* A block with groups is worked on in tiles of about this many coordinates. */
#define TILE_TARGET 4096

static void prepare_block(sbl_block_state *state, const sbl_block *block)
{
    state->bounds = sbl_block_run_bounds(block);
    const size_t run = state->bounds.run;
    const double largest = (double)state->bounds.largest;
    state->tile = run > TILE_TARGET ? run : TILE_TARGET / run * run;
    if (state->tile > block->width) state->tile = block->width;
    state->grid =
        (sbl_grid){.scale = block->scale, .low = block->nonnegative ? 0 : -largest, .high = largest};
}

/* Tells each source where its moments go. */
static bool prepare_moments(sbl_sum *sum)
{
    const sbl_layout *layout = &sum->layout;
    bool any = false;
    bool fits = true;
    for (size_t b = 0; b < layout->block_count; b++) {
        const sbl_block *block = &layout->blocks[b];
        if (!sbl_block_is_moments(block)) continue;
        sbl_block_state *source = &sum->blocks[sbl_layout_source(layout, b)];
        source->is_source = true;
        source->moments.per_class = block->per_class;
        if (block->kind == SBL_BLOCK_SQUARES) {
            source->moments.squares = sum->blocks[b].values;
            source->moments.squares_outer = block->outer;
        } else {
            source->moments.products = sum->blocks[b].values;
            source->moments.products_outer = block->outer;
        }
    }
    for (size_t b = 0; b < layout->block_count && fits; b++) {
        fits = sbl_moments_init(&sum->blocks[b].moments);
        any |= sum->blocks[b].is_source;
    }
    if (fits && any) {
        sum->starts = sbl_alloc_array(layout->classes, sizeof *sum->starts);
        fits = sum->starts != NULL;
    }
    return fits;
}

/* Everything in sum but the layout itself. */
static sbl_status prepare(sbl_sum *sum, sbl_error *err)
{
    static const char what[] = "the sums; use fewer features or classes";
    const sbl_layout *layout = &sum->layout;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_layout_hash(sum->layout_hash, layout, err));
    sum->value_count = sbl_layout_values(layout);
    SBL_ALLOC(sum->values, sum->value_count, what);
    SBL_ALLOC(sum->blocks, layout->block_count, what);
    int64_t *next = sum->values;
    for (size_t b = 0; b < layout->block_count; b++) {
        prepare_block(&sum->blocks[b], &layout->blocks[b]);
        sum->blocks[b].values = next;
        next += sbl_block_values(layout, b);
    }
    sum->counts = next;
    if (!prepare_moments(sum) || !sbl_sum_prepare_levels(sum)) status = sbl_no_memory(err, "one record");
done:
    return status;
}

sbl_status sbl_sum_new(sbl_sum **sum, const sbl_layout *layout, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_sum *made = NULL;
    *sum = NULL;
    SBL_TRY(sbl_layout_validate(layout, err));
    SBL_ALLOC(made, 1, "a sum");
    SBL_TRY(sbl_layout_copy(&made->layout, layout, err));
    SBL_TRY(prepare(made, err));
    *sum = made;
    made = NULL;
done:
    sbl_sum_free(made);
    return status;
}

static void free_labels(sbl_sum *sum)
{
    sbl_free_wiped(sum->labels, sum->labels_size * sizeof *sum->labels);
    sbl_free_wiped(sum->by_class, sum->labels_size * sizeof *sum->by_class);
    sum->labels = NULL;
    sum->by_class = NULL;
    sum->labels_size = 0;
}

void sbl_sum_free(sbl_sum *sum)
{
    if (sum == NULL) return;
    sbl_free_wiped(sum->values, sum->value_count * sizeof *sum->values);
    sbl_free_wiped(sum->tile, sum->tile_size * sizeof *sum->tile);
    sbl_free_wiped(sum->places, 2 * sum->places_size * sizeof *sum->places);
    sbl_free_wiped(sum->scratch, sum->scratch_size * sizeof *sum->scratch);
    free_labels(sum);
    sbl_sum_free_unit_rows(sum);
    sbl_free_wiped(sum->starts, sum->layout.classes * sizeof *sum->starts);
    for (size_t b = 0; sum->blocks != NULL && b < sum->layout.block_count; b++)
        sbl_moments_clear(&sum->blocks[b].moments);
    if (sum->blocks != NULL) sbl_sum_clear_levels(sum);
    sbl_free(sum->blocks);
    sbl_layout_clear(&sum->layout);
    sbl_free_wiped(sum, sizeof *sum);
}

/* Lists the rows of the batch class after class, for the blocks whose moments are per class: rows
 * of one class are multiplied together. */
static void sort_by_class(sbl_sum *sum, size_t rows)
{
    const size_t classes = sum->layout.classes;
    memset(sum->starts, 0, classes * sizeof *sum->starts);
    for (size_t r = 0; r < rows; r++) sum->starts[sum->labels[r]]++;
    size_t before = 0;
    for (size_t c = 0; c < classes; c++) {
        const size_t count = sum->starts[c];
        sum->starts[c] = before;
        before += count;
    }
    for (size_t r = 0; r < rows; r++) sum->by_class[sum->starts[sum->labels[r]]++] = r;
}

/* Labels of a batch are kept so that every block of it sees the same ones. */
static bool keep_labels(sbl_sum *sum, const uint32_t *labels, size_t rows)
{
    if (rows > sum->labels_size) {
        free_labels(sum);
        sum->labels = sbl_alloc_array(rows, sizeof *sum->labels);
        if (sum->starts != NULL) sum->by_class = sbl_alloc_array(rows, sizeof *sum->by_class);
        sum->labels_size = rows;
        if (sum->labels == NULL || (sum->starts != NULL && sum->by_class == NULL)) return false;
    }
    for (size_t r = 0; r < rows; r++) sum->labels[r] = labels[r] < sum->layout.classes ? labels[r] : 0;
    if (sum->starts != NULL) sort_by_class(sum, rows);
    return true;
}

sbl_status sbl_sum_begin_rows(sbl_sum *sum, const uint32_t *labels, size_t rows, sbl_error *err)
{
    return sbl_sum_begin_unit_rows(sum, labels, NULL, rows, err);
}

sbl_status sbl_sum_begin_unit_rows(sbl_sum *sum, const uint32_t *labels, const uint32_t *unit_rows,
                                   size_t rows, sbl_error *err)
{
    const bool labelled = sum->layout.classes > 1;
    const bool owned = sum->layout.rows_per_unit != 0;
    if (sum->broken)
        return sbl_sum_break(sum, SBL_EARG, "the sum was broken by an earlier batch; start anew", err);
    if (sum->batch_open)
        return sbl_sum_break(sum, SBL_EARG, "a batch of rows is open already; end it first", err);
    if (labelled && labels == NULL)
        return sbl_sum_break(sum, SBL_EARG, "labels are missing although there are classes", err);
    if (owned != (unit_rows != NULL))
        return sbl_sum_break(sum, SBL_EARG,
                             owned ? "unit_rows are missing although a unit may own several rows"
                                   : "unit_rows are given although a row is a unit",
                             err);
    if (rows > sum->layout.rows_cap - sum->rows)
        return sbl_sum_break(sum, SBL_EINPUT, "more rows than the plan's row cap; raise rows_cap", err);
    if (labelled && !keep_labels(sum, labels, rows))
        return sbl_sum_break(sum, SBL_EMEM, "out of memory for the labels of a batch", err);
    if (owned && !sbl_sum_keep_unit_rows(sum, unit_rows, rows))
        return sbl_sum_break(sum, SBL_EMEM, "out of memory for the unit rows of a batch", err);
    for (size_t b = 0; b < sum->layout.block_count; b++) sum->blocks[b].next_column = 0;
    sum->batch_rows = rows;
    sum->batch_open = true;
    return SBL_OK;
}

/* Features of a batch: exactly one of f32 and f64 is not NULL, unless there are no rows. */
typedef struct feature_view {
    const float *f32;
    const double *f64;
    size_t stride;
} feature_view;

/* One row of one call: quantise, enforce each run, add. */
static void add_row(const sbl_sum *sum, const sbl_block_state *state, int64_t *target, feature_view view,
                    size_t start, size_t columns)
{
    const sbl_run_bounds bounds = state->bounds;
    for (size_t from = 0; from < columns; from += state->tile) {
        const size_t left = columns - from;
        const size_t count = left < state->tile ? left : state->tile;
        if (view.f32 != NULL)
            sbl_quantise_f32(sum->tile, view.f32 + start + from, count, state->grid);
        else
            sbl_quantise_f64(sum->tile, view.f64 + start + from, count, state->grid);
        const bool pairs = bounds.run == 2 && bounds.bound1 == 0;
        if (!pairs || !sbl_pairs_within(sum->tile, count / 2, bounds.bound2))
            for (size_t run = 0; run < count; run += bounds.run)
                sbl_enforce(sum->tile + run, bounds.run, bounds.bound2, bounds.bound1);
        sbl_add_record(target + from, sum->tile, count);
    }
}

/* One row of a block that moments are formed from, which comes whole: only what the bounds have
 * been enforced on is ever squared or multiplied. */
static void add_source_row(const sbl_sum *sum, sbl_block_state *state, const sbl_block *block,
                           feature_view view, size_t row)
{
    const size_t start = row * view.stride;
    const size_t class_index = sbl_sum_class(sum, row);
    if (view.f32 != NULL)
        sbl_quantise_f32(sum->tile, view.f32 + start, block->width, state->grid);
    else
        sbl_quantise_f64(sum->tile, view.f64 + start, block->width, state->grid);
    /* The grid of a source has at most 2^15 units: whether the bound holds is seen in 64 bits, and
     * it nearly always does. */
    const uint64_t squares = sbl_sum_of_small_squares(sum->tile, block->width);
    if (squares > state->bounds.bound2 || state->bounds.bound1 != 0)
        sbl_enforce(sum->tile, block->width, state->bounds.bound2, state->bounds.bound1);
    sbl_moments_add(&state->moments, sum->tile, class_index);
    if (block->withheld) return;
    sbl_add_record(state->values + (block->per_class ? class_index * block->width : 0), sum->tile,
                   block->width);
}

static void add_source(const sbl_sum *sum, sbl_block_state *state, const sbl_block *block, feature_view view)
{
    const size_t *order = block->per_class ? sum->by_class : NULL;
    for (size_t i = 0; i < sum->batch_rows; i++) {
        const size_t row = order != NULL ? order[i] : i;
        if (sbl_sum_counts_row(sum, row)) add_source_row(sum, state, block, view, row);
    }
    sbl_moments_finish(&state->moments);
}

/* Why this call may not come now, or NULL. */
static const char *add_fault(const sbl_sum *sum, size_t block, size_t first_column, size_t columns,
                             feature_view view)
{
    const char *fault = sbl_sum_block_fault(sum, block);
    if (fault != NULL) return fault;
    const sbl_block_state *state = &sum->blocks[block];
    if (state->pending != NULL) return "this block takes levels, and no features of any other origin";
    if (first_column != state->next_column) return "columns of a block must come from left to right";
    if (columns == 0 || columns > sum->layout.blocks[block].width - first_column)
        return "the number of columns does not fit the block";
    if (columns % state->bounds.run != 0)
        return "columns must cover whole groups, or the whole block where it has no groups";
    if (view.stride < columns) return "stride is less than the number of columns";
    if (view.f32 == NULL && view.f64 == NULL && sum->batch_rows != 0)
        return "features are missing although there are rows";
    return NULL;
}

static sbl_status add_columns(sbl_sum *sum, size_t block, size_t first_column, size_t columns,
                              feature_view view, sbl_error *err)
{
    const char *fault = add_fault(sum, block, first_column, columns, view);
    if (fault != NULL) return sbl_sum_break(sum, SBL_EARG, fault, err);
    sbl_block_state *state = &sum->blocks[block];
    if (!sbl_sum_make_tile(sum, state->tile))
        return sbl_sum_break(sum, SBL_EMEM, "out of memory for one record", err);
    const sbl_block *b = &sum->layout.blocks[block];
    const size_t class_stride = b->per_class ? b->width : 0;
    if (state->is_source) add_source(sum, state, b, view);
    for (size_t row = 0; !state->is_source && row < sum->batch_rows; row++) {
        if (!sbl_sum_counts_row(sum, row)) continue;
        int64_t *target = state->values + sbl_sum_class(sum, row) * class_stride + first_column;
        add_row(sum, state, target, view, row * view.stride, columns);
    }
    state->next_column += columns;
    return SBL_OK;
}

sbl_status sbl_sum_add_f32(sbl_sum *sum, size_t block, size_t first_column, size_t columns,
                           const float *features, size_t stride, sbl_error *err)
{
    return add_columns(sum, block, first_column, columns, (feature_view){.f32 = features, .stride = stride},
                       err);
}

sbl_status sbl_sum_add_f64(sbl_sum *sum, size_t block, size_t first_column, size_t columns,
                           const double *features, size_t stride, sbl_error *err)
{
    return add_columns(sum, block, first_column, columns, (feature_view){.f64 = features, .stride = stride},
                       err);
}

sbl_status sbl_sum_end_rows(sbl_sum *sum, sbl_error *err)
{
    if (!sum->batch_open)
        return sbl_sum_break(sum, SBL_EARG, "no batch of rows is open; begin one first", err);
    for (size_t b = 0; b < sum->layout.block_count; b++)
        if (sum->layout.blocks[b].kind == SBL_BLOCK_VECTOR &&
            sum->blocks[b].next_column != sum->layout.blocks[b].width)
            return sbl_sum_break(sum, SBL_EARG, "a batch ended before all its columns were added", err);
    for (size_t row = 0; row < sum->batch_rows; row++) {
        const bool counts = sbl_sum_counts_row(sum, row);
        sum->counts[sbl_sum_class(sum, row)] += counts;
        sum->rows += counts;
    }
    sbl_sum_count_units(sum);
    sum->batch_open = false;
    return SBL_OK;
}

sbl_status sbl_sum_merge(sbl_sum *into, const sbl_sum *from, sbl_error *err)
{
    int64_t total;
    if (!sbl_sum_is_whole(into) || !sbl_sum_is_whole(from))
        return sbl_fail(err, SBL_EARG, "only whole sums can be merged; end the open batch first");
    if (memcmp(into->layout_hash, from->layout_hash, SBL_SHA256_SIZE) != 0)
        return sbl_fail(err, SBL_EINPUT, "sums of different plans cannot be merged");
    if (from->rows > into->layout.rows_cap - into->rows)
        return sbl_fail(err, SBL_EINPUT,
                        "the merged sum has more rows than the plan's row cap; raise rows_cap");
    sbl_sum_fold_levels(into);
    sbl_sum_fold_levels(from);
    /* First every addition is tried, then all are made: `into` changes wholly or not at all. */
    for (size_t i = 0; i < into->value_count; i++)
        if (__builtin_add_overflow(into->values[i], from->values[i], &total))
            return sbl_fail(err, SBL_EINPUT, "the merged sum overflows; a partial sum must be damaged");
    for (size_t i = 0; i < into->value_count; i++) into->values[i] += from->values[i];
    into->rows += from->rows;
    return SBL_OK;
}

const sbl_layout *sbl_sum_layout(const sbl_sum *sum) { return &sum->layout; }

uint64_t sbl_sum_rows(const sbl_sum *sum) { return sum->rows; }

bool sbl_sum_is_whole(const sbl_sum *sum) { return !sum->batch_open && !sum->broken; }

const int64_t *sbl_sum_values(const sbl_sum *sum, size_t block)
{
    sbl_sum_fold_levels(sum);
    return sum->blocks[block].values;
}

const int64_t *sbl_sum_counts(const sbl_sum *sum) { return sum->counts; }
