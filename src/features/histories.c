/* [3] The feature `histories`: a person's rows become codes and contexts, one event after the other, and
 * each table gets what the events weigh. All of it depends on the one person's rows. */
#include "features/histories.h"

#include "accumulate/sum.h"
#include "base/memory.h"
#include "features/parameters.h"

#define NAME "histories"
#define WHAT "the features of a few persons"
#define UNIT ((uint32_t)1 << 20) /* the largest amount of a person in a table */

/* ---- parameters ---- */

static json_t *codes_to_json(const sbl_history_shape *shape, const sbl_pairs_map *codes)
{
    json_t *all = json_array();
    for (size_t b = 0; b < shape->base_count; b++) {
        json_t *of = codes[b].of == NULL ? json_null() : json_array();
        for (size_t c = 0; codes[b].of != NULL && c < shape->columns[b].cells; c++)
            of = sbl_json_append(of, json_integer((json_int_t)codes[b].of[c]));
        all = sbl_json_append(all, of);
    }
    return all;
}

static void make_sides(sbl_pairs_column *sides, const sbl_history_shape *shape,
                       const sbl_pairs_map *codes, uint32_t *counts)
{
    for (size_t b = 0; b < shape->base_count; b++)
        counts[b] = codes[b].of == NULL ? shape->columns[b].cells : codes[b].cells;
    for (size_t s = 0; s < shape->side_count; s++) sides[s] = sbl_side_column(shape, counts, s);
}

json_t *sbl_histories_parameters(const sbl_pairs_plan *plan, const sbl_history_shape *shape,
                                 const sbl_pairs_map *codes)
{
    sbl_pairs_column *sides = sbl_alloc_array(shape->side_count, sizeof *sides);
    uint32_t *counts = sbl_alloc_array(shape->base_count, sizeof *counts);
    const sbl_cells *cells = &shape->cells;
    json_t *parameters = json_pack("{s:I, s:I, s:I}", "bins", (json_int_t)cells->bins, "singles",
                                   (json_int_t)cells->singles, "linear", (json_int_t)cells->linear);
    parameters = sbl_json_put(parameters, "codes", codes_to_json(shape, codes));
    if (sides != NULL && counts != NULL) {
        make_sides(sides, shape, codes, counts);
        parameters = sbl_table_list_to_json(parameters, plan, sides);
    } else {
        json_decref(parameters);
        parameters = NULL;
    }
    sbl_free(sides);
    sbl_free(counts);
    return parameters;
}

static sbl_status unknown(sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "feature '%s' has parameters that this version does not know",
                    NAME);
}

/* A map onto its codes, or none. */
static sbl_status read_codes(sbl_histories *h, size_t base, const json_t *of, sbl_error *err)
{
    const size_t cells = h->shape.columns[base].cells;
    sbl_pairs_map *map = &h->codes[base];
    uint8_t *taken = NULL;
    sbl_status status = SBL_OK;
    if (json_is_null(of)) return SBL_OK;
    if (!json_is_array(of) || json_array_size(of) != cells) return unknown(err);
    SBL_POOL(&h->pool, map->of, cells, 1, "a plan");
    SBL_ALLOC(taken, cells, "a plan");
    for (size_t c = 0; c < cells; c++) {
        const json_t *code = json_array_get(of, c);
        const json_int_t value = json_integer_value(code);
        if (!json_is_integer(code) || value < 0 || value >= (json_int_t)cells)
            SBL_TRY(unknown(err));
        map->of[c] = (uint32_t)value;
        taken[value] = 1;
        if (map->of[c] >= map->cells) map->cells = map->of[c] + 1;
    }
    for (size_t v = 0; v < map->cells; v++)
        if (!taken[v]) SBL_TRY(unknown(err));
done:
    sbl_free(taken);
    return status;
}

static sbl_status read_all_codes(sbl_histories *h, const json_t *parameters, sbl_error *err)
{
    json_t *all;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_array(&all, parameters, "codes", NAME, err));
    if (json_array_size(all) != h->shape.base_count) return unknown(err);
    SBL_POOL(&h->pool, h->codes, h->shape.base_count, 1, "a plan");
    SBL_POOL(&h->pool, h->code_counts, h->shape.base_count, 1, "a plan");
    SBL_POOL(&h->pool, h->sides, h->shape.side_count, 1, "a plan");
    for (size_t b = 0; b < h->shape.base_count; b++)
        SBL_TRY(read_codes(h, b, json_array_get(all, b), err));
    make_sides(h->sides, &h->shape, h->codes, h->code_counts);
done:
    return status;
}

static sbl_status read_shape(sbl_histories *h, const json_t *parameters, sbl_error *err)
{
    uint64_t bins;
    uint64_t singles;
    uint64_t linear;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_u64(&bins, parameters, "bins", NAME, err));
    SBL_TRY(sbl_json_get_u64(&singles, parameters, "singles", NAME, err));
    SBL_TRY(sbl_json_get_u64(&linear, parameters, "linear", NAME, err));
    SBL_TRY(sbl_history_shape_init(&h->shape, h->facts->schema, &h->facts->heads, bins, singles,
                                   linear, err));
done:
    return status;
}

static void free_made(void *made)
{
    sbl_histories *h = made;
    sbl_table_list_clear(&h->list);
    sbl_history_shape_clear(&h->shape);
    sbl_pool_clear(&h->pool);
    sbl_free(h);
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_histories *h;
    SBL_ALLOC(h, 1, "a plan");
    h->facts = facts;
    if (facts->kind != SBL_DATA_TABLE)
        SBL_FAIL(err, SBL_EINPUT, "feature '%s' is one of tables", NAME);
    SBL_TRY(sbl_parameters_are(parameters, 6, NAME, err));
    SBL_TRY(read_shape(h, parameters, err));
    SBL_TRY(read_all_codes(h, parameters, err));
    SBL_TRY(sbl_table_list_read(&h->list, parameters, h->sides, h->shape.side_count,
                                (sbl_table_rule){UNIT, (uint32_t)h->shape.person_count}, NAME,
                                err));
    SBL_POOL(&h->pool, h->weights, h->shape.most + 1, SBL_HISTORY_SORTS, "a plan");
    for (size_t m = 1; m <= h->shape.most; m++)
        for (size_t sort = 0; sort < SBL_HISTORY_SORTS; sort++)
            h->weights[m * SBL_HISTORY_SORTS + sort] =
                sbl_history_weight(m, (sbl_history_sort)sort);
    for (size_t m = 0; m < h->list.plan.map_count; m++)
        h->contexts |= h->list.plan.maps[m].column >= h->shape.base_count;
    *made = h;
    h = NULL;
done:
    if (h != NULL) free_made(h);
    return status;
}

/* ---- blocks ---- */

static size_t count_blocks(const void *made)
{
    return ((const sbl_histories *)made)->list.block_count;
}

/* What a person adds up to, in the L1 norm, is more than one unit: weights are for the L2 norm. */
static void describe(const void *made, sbl_block *blocks, double *weights)
{
    const sbl_histories *h = made;
    sbl_table_list_describe(&h->list, NAME, blocks, weights);
    for (size_t b = 0; b < h->list.block_count; b++) blocks[b].bound1 = 0;
}

/* ---- a person's rows in codes ---- */

typedef struct workspace {
    uint64_t *steps; /* (k) */
    uint16_t *all;   /* (persons of a slice, k, side_count) */
    sbl_history_past past;
    size_t starts[SBL_PERSON_SLICE + 1];
    uint32_t *entries, *amounts; /* (persons, k, tables of the largest block) */
    sbl_pool pool;
} workspace;

static uint32_t code_of(const sbl_histories *h, size_t base, size_t cell)
{
    return h->codes[base].of != NULL ? h->codes[base].of[cell] : (uint32_t)cell;
}

static uint16_t cell_code(const sbl_histories *h, size_t base, const sbl_records *records,
                          size_t row)
{
    const sbl_cells *cells = &h->shape.cells;
    const double *numeric = records->events.numeric + row * cells->numeric_count;
    const uint32_t *codes = records->events.codes + row * cells->categorical_count;
    const sbl_cells_column *column = &cells->columns[h->shape.cell_column[base]];
    return (uint16_t)code_of(h, base, sbl_cells_find(column, numeric, codes));
}

static uint64_t step_of(const sbl_histories *h, const sbl_records *records, size_t row)
{
    const sbl_cells *cells = &h->shape.cells;
    const double *numeric = records->events.numeric + row * cells->numeric_count;
    return sbl_history_step_of(&h->shape, numeric[cells->columns[h->shape.order].index]);
}

/* The bases of event r of m, which is row `row` of the records. */
static void fill_event(const sbl_histories *h, uint16_t *out, const uint64_t *steps,
                       const sbl_records *records, size_t row, size_t r, size_t m)
{
    const sbl_history_shape *shape = &h->shape;
    for (size_t b = shape->person_count; b < shape->base_count; b++)
        if (b != shape->gap_base) out[b] = cell_code(h, b, records, row);
    if (shape->span == 0) return;
    const uint64_t before = steps[r > 0 ? r - 1 : 0];
    const uint64_t gap = steps[r] > before ? steps[r] - before : 0;
    out[shape->gap_base] = (uint16_t)code_of(
        h, shape->gap_base, sbl_history_pace(gap, shape->span - 1 - before, m - r));
}

static void fill_person(const sbl_histories *h, uint16_t *out, uint64_t first_step,
                        const sbl_records *records, size_t row, size_t m)
{
    const sbl_history_shape *shape = &h->shape;
    for (size_t b = 0; b < shape->person_count; b++)
        if (shape->cell_column[b] != SBL_HISTORY_NONE) out[b] = cell_code(h, b, records, row);
    out[shape->count_base] =
        (uint16_t)code_of(h, shape->count_base, sbl_history_count_cell(shape, m));
    if (shape->span != 0)
        out[shape->first_base] =
            (uint16_t)code_of(h, shape->first_base, sbl_history_first_cell(shape, first_step));
}

/* The m rows of a person, its columns those of the first event. */
static void fill_rows(const sbl_histories *h, workspace *w, uint16_t *rows,
                      const sbl_records *records, size_t first, size_t m)
{
    const sbl_history_shape *shape = &h->shape;
    for (size_t r = 0; shape->span != 0 && r < m; r++) w->steps[r] = step_of(h, records, first + r);
    fill_person(h, rows, w->steps[0], records, first, m);
    for (size_t r = 0; r < m; r++) {
        uint16_t *row = rows + r * shape->side_count;
        for (size_t b = 0; r > 0 && b < shape->person_count; b++) row[b] = rows[b];
        fill_event(h, row, w->steps, records, first + r, r, m);
        if (h->contexts) sbl_history_look_back(&w->past, row, w->steps + (r > 0 ? r - 1 : 0), r, m);
    }
    if (h->contexts) sbl_history_forget(&w->past, rows, m);
}

/* ---- records ---- */

static size_t events_of(const sbl_histories *h, const sbl_records *records, size_t p)
{
    const size_t rows = records->events.starts[p + 1] - records->events.starts[p];
    return rows < h->shape.most ? rows : h->shape.most;
}

/* What the events of one person add to table t; returns how many entries. */
static size_t add_table(const sbl_histories *h, const uint16_t *rows, size_t m, size_t t,
                        uint32_t *entries, uint32_t *amounts)
{
    const sbl_pairs_plan *plan = &h->list.plan;
    const sbl_pairs_table *table = &plan->tables[t];
    const sbl_pairs_map *first = &plan->maps[table->first];
    const bool one = table->second == SBL_PAIRS_NO_MAP;
    const sbl_pairs_map *second = one ? NULL : &plan->maps[table->second];
    const sbl_history_sort sort =
        sbl_history_sort_of(&h->shape, first->column, one ? SBL_HISTORY_NONE : second->column);
    const uint32_t amount = (uint32_t)((uint64_t)h->list.amounts[t] *
                                       h->weights[m * SBL_HISTORY_SORTS + sort] / SBL_HISTORY_UNIT);
    const size_t from = sort == SBL_OF_STEPS ? 1 : 0;
    const size_t to = sort == SBL_OF_PERSONS ? 1 : m;
    for (size_t r = from; r < to; r++) {
        const uint16_t *row = rows + r * h->shape.side_count;
        size_t entry = first->of[row[first->column]];
        if (!one) entry = entry * second->cells + second->of[row[second->column]];
        entries[r - from] = (uint32_t)(h->list.offset[t] + entry);
        amounts[r - from] = amount;
    }
    return to > from ? to - from : 0;
}

static sbl_status add_block(sbl_sum *sum, size_t block, size_t b, const sbl_histories *h,
                            workspace *w, const sbl_records *records, sbl_error *err)
{
    const size_t stride = h->shape.most * h->shape.side_count;
    size_t at = 0;
    for (size_t p = 0; p < records->rows; p++) {
        w->starts[p] = at;
        for (size_t t = 0; t < h->list.plan.table_count; t++)
            if (h->list.block_of[t] == b)
                at += add_table(h, w->all + p * stride, events_of(h, records, p), t,
                                w->entries + at, w->amounts + at);
    }
    w->starts[records->rows] = at;
    return sbl_sum_add_sparse(sum, block, w->starts, w->entries, w->amounts, err);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace_of,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_histories *h = made;
    workspace *w = workspace_of;
    sbl_status status = SBL_OK;
    if (records->events.starts == NULL || records->rows > SBL_PERSON_SLICE)
        return sbl_fail(err, SBL_EINTERNAL, "histories are of whole persons");
    for (size_t p = 0; p < records->rows; p++)
        fill_rows(h, w, w->all + p * h->shape.most * h->shape.side_count, records,
                  records->events.starts[p], events_of(h, records, p));
    for (size_t b = 0; b < h->list.block_count; b++)
        SBL_TRY(add_block(sum, block + b, b, h, w, records, err));
done:
    return status;
}

/* ---- workspaces ---- */

static size_t most_entries(const sbl_histories *h)
{
    return h->shape.most * sbl_table_list_largest(&h->list);
}

static void workspace_free(void *workspace_of, const void *made)
{
    const sbl_histories *h = made;
    workspace *w = workspace_of;
    const size_t rows = h->shape.most * h->shape.side_count * sizeof *w->all;
    if (w->all != NULL) sbl_wipe(w->all, SBL_PERSON_SLICE * rows);
    if (w->steps != NULL) sbl_wipe(w->steps, h->shape.most * sizeof *w->steps);
    if (w->entries != NULL)
        sbl_wipe(w->entries, SBL_PERSON_SLICE * most_entries(h) * sizeof *w->entries);
    if (w->amounts != NULL) /* they tell how many events a person has */
        sbl_wipe(w->amounts, SBL_PERSON_SLICE * most_entries(h) * sizeof *w->amounts);
    sbl_history_past_wipe(&w->past);
    sbl_pool_clear(&w->pool);
    sbl_free_wiped(w, sizeof *w);
}

static sbl_status workspace_new(void **workspace_of, const void *made, sbl_error *err)
{
    const sbl_histories *h = made;
    sbl_status status = SBL_OK;
    workspace *w;
    SBL_ALLOC(w, 1, WHAT);
    *workspace_of = w;
    SBL_POOL(&w->pool, w->all, SBL_PERSON_SLICE * h->shape.most, h->shape.side_count, WHAT);
    SBL_POOL(&w->pool, w->steps, h->shape.most, 1, WHAT);
    SBL_POOL(&w->pool, w->entries, SBL_PERSON_SLICE, most_entries(h), WHAT);
    SBL_POOL(&w->pool, w->amounts, SBL_PERSON_SLICE, most_entries(h), WHAT);
    SBL_TRY(sbl_history_past_init(&w->past, &w->pool, &h->shape, h->code_counts, err));
done:
    return status;
}

const sbl_feature sbl_feature_histories = {
    .name = NAME,
    .whole_units = true,
    .make = make,
    .free = free_made,
    .count = count_blocks,
    .describe = describe,
    .workspace_new = workspace_new,
    .workspace_free = workspace_free,
    .add = add,
};
