/* SPDX-License-Identifier: Apache-2.0 */
/* Bases, sides and links from a schema: public arithmetic. */
#include "public/counts/history_tree.h"

#define FREE_SPAN (1u << 24) /* steps of a time without a grid */
#define MOST_SPAN ((uint64_t)1 << 31)
#define WHAT "a plan"

/* The column of the schema that is column k of its cells. */
static size_t schema_column(const sbl_heads *heads, size_t k)
{
    size_t h = 0;
    for (; heads->items[h].indicator || k > 0; h++) k -= heads->items[h].indicator ? 0 : 1;
    return heads->items[h].column;
}

/* ---- links ---- */

static uint64_t span_of(const sbl_column *column)
{
    const double steps = column->grid_maximum - column->grid_minimum + 1.0;
    if (column->decimals < 0 || !(steps <= (double)MOST_SPAN)) return FREE_SPAN;
    return steps >= 1.0 ? (uint64_t)steps : 1;
}

/* By which column of cells a link's events are ordered, and over how many steps. One that is encoded relative to another
 * date is a column like any other. */
static void set_order(sbl_history_shape *link, const sbl_history_tree *tree, const sbl_schema *schema,
                      const sbl_heads *heads, size_t order)
{
    link->order = SBL_HISTORY_NONE;
    for (size_t k = 0; order != SBL_NO_COLUMN && k < tree->cells.count; k++)
        if (schema_column(heads, k) == order && tree->lags[k].codes == 0) link->order = k;
    if (link->order != SBL_HISTORY_NONE) link->span = span_of(&schema->columns[order]);
}

static sbl_status make_links(sbl_history_tree *tree, const sbl_schema *schema, const sbl_heads *heads,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    tree->linked = schema->table_count > 1;
    tree->link_count = tree->linked ? schema->table_count - 1 : 1;
    SBL_POOL(&tree->pool, tree->links, tree->link_count, 1, WHAT);
    SBL_POOL(&tree->pool, tree->events_at, tree->link_count, 1, WHAT);
    for (size_t l = 0; l < tree->link_count; l++) {
        sbl_history_shape *link = &tree->links[l];
        const sbl_linked_table *table = tree->linked ? &schema->tables[l + 1] : NULL;
        *link = (sbl_history_shape){
            .parent = table == NULL || table->parent == 0 ? SBL_HISTORY_NONE : table->parent - 1,
            .most = (size_t)(table != NULL ? table->rows_per_unit : schema->rows_per_unit),
            .least = table != NULL ? 0 : 1};
        set_order(link, tree, schema, heads, table != NULL ? table->order : schema->order);
    }
done:
    return status;
}

/* ---- bases of all ---- */

/* Does column k of the cells belong to events of a link (SBL_HISTORY_NONE: to persons)? */
static bool is_of(const sbl_history_tree *tree, const sbl_schema *schema, size_t column, size_t link)
{
    if (!tree->linked) return schema->columns[column].per_unit == (link == SBL_HISTORY_NONE);
    const sbl_linked_table *table = &schema->tables[link == SBL_HISTORY_NONE ? 0 : link + 1];
    return column >= table->first && column - table->first < table->count;
}

static void add_base(sbl_history_tree *tree, sbl_pairs_column column, size_t cell_column, size_t link)
{
    tree->columns[tree->base_count] = column;
    tree->cell_column[tree->base_count] = cell_column;
    tree->link_of[tree->base_count++] = link;
}

static sbl_pairs_column column_of(const sbl_history_tree *tree, size_t k)
{
    const sbl_lag *lag = &tree->lags[k];
    const bool missing = tree->cells.columns[k].domain.missing_allowed;
    if (lag->codes == 0) return sbl_pairs_column_of(&tree->cells.columns[k]);
    return (sbl_pairs_column){SBL_PAIRS_NUMBER, lag->codes + (missing ? 1 : 0), lag->codes, missing, 0, NULL};
}

/* The columns of one kind of rows, how many rows of each child table refer to one, and when the first was.
 * count_base and first_base are numbers of all bases for now. */
static void add_bases_of(sbl_history_tree *tree, const sbl_schema *schema, const sbl_heads *heads,
                         size_t owner)
{
    const sbl_history_shape *own = owner != SBL_HISTORY_NONE ? &tree->links[owner] : NULL;
    for (size_t k = 0; k < tree->cells.count; k++)
        if (is_of(tree, schema, schema_column(heads, k), owner) &&
            (own != NULL ? k != own->order : tree->linked || k != tree->links[0].order))
            add_base(tree, column_of(tree, k), k, owner);
    for (size_t l = 0; l < tree->link_count; l++) {
        sbl_history_shape *link = &tree->links[l];
        const uint32_t firsts = link->span != 0 ? sbl_history_first_cells(link->span) : 0;
        const uint32_t cells = sbl_history_count_cells(link->most, link->least);
        if (link->parent != owner) continue;
        link->count_base = tree->base_count;
        add_base(tree, (sbl_pairs_column){SBL_PAIRS_NUMBER, cells, cells, false, 0, NULL}, SBL_HISTORY_NONE,
                 owner);
        link->first_base = firsts != 0 ? tree->base_count : SBL_HISTORY_NONE;
        if (firsts != 0) /* one cell more where there may be no first */
            add_base(tree,
                     (sbl_pairs_column){SBL_PAIRS_NUMBER, firsts + (link->least == 0 ? 1 : 0), firsts, false,
                                        0, NULL},
                     SBL_HISTORY_NONE, owner);
    }
}

static void add_bases(sbl_history_tree *tree, const sbl_schema *schema, const sbl_heads *heads)
{
    add_bases_of(tree, schema, heads, SBL_HISTORY_NONE);
    tree->person_count = tree->base_count;
    for (size_t l = 0; l < tree->link_count; l++) {
        tree->events_at[l] = tree->base_count;
        if (tree->links[l].span != 0)
            add_base(
                tree,
                (sbl_pairs_column){SBL_PAIRS_NUMBER, SBL_HISTORY_PACES, SBL_HISTORY_PACES, false, 0, NULL},
                SBL_HISTORY_NONE, l);
        add_bases_of(tree, schema, heads, l);
    }
    tree->side_count = tree->base_count;
}

/* Bounds by category: the schema says that the number and the category belong together. */
static void find_by(sbl_history_tree *tree, const sbl_schema *schema, const sbl_heads *heads)
{
    for (size_t b = 0; b < tree->base_count; b++) {
        const size_t k = tree->cell_column[b];
        tree->by[b] = SBL_HISTORY_NONE;
        if (k == SBL_HISTORY_NONE) continue;
        const sbl_column *column = &schema->columns[schema_column(heads, k)];
        for (size_t other = 0; column->by_domains != NULL && other < tree->base_count; other++)
            if (tree->cell_column[other] != SBL_HISTORY_NONE &&
                schema_column(heads, tree->cell_column[other]) == column->by)
                tree->by[b] = other;
    }
}

/* ---- bases and sides of a link ---- */

static size_t add_side(sbl_history_shape *link, sbl_side_kind kind, size_t base)
{
    link->sides[link->side_count] = (sbl_side){kind, (uint32_t)base};
    return link->side_count++;
}

static void add_contexts(sbl_history_shape *link)
{
    const bool timed = link->span != 0;
    link->position = add_side(link, SBL_SIDE_POSITION, 0);
    link->calendar = timed ? add_side(link, SBL_SIDE_CALENDAR, 0) : SBL_HISTORY_NONE;
    link->left = timed ? add_side(link, SBL_SIDE_LEFT, 0) : SBL_HISTORY_NONE;
    link->previous = link->side_count;
    for (size_t b = link->person_count; b < link->base_count; b++) (void)add_side(link, SBL_SIDE_PREVIOUS, b);
    link->memory = link->side_count;
    for (size_t b = link->person_count; b < link->base_count; b++) (void)add_side(link, SBL_SIDE_MEMORY, b);
}

/* The number here of a base of all. */
static size_t local_of(const sbl_history_shape *link, size_t number)
{
    for (size_t b = 0; number != SBL_HISTORY_NONE && b < link->base_count; b++)
        if (link->number[b] == number) return b;
    return SBL_HISTORY_NONE;
}

/* The event base that orders the rows of a link and is encoded relative to another date. */
static size_t find_sorted(const sbl_history_shape *link, const sbl_history_tree *tree,
                          const sbl_schema *schema, const sbl_heads *heads, size_t l)
{
    for (size_t b = link->person_count; tree->follows && b < link->base_count; b++) {
        const size_t k = tree->cell_column[link->number[b]];
        if (k != SBL_HISTORY_NONE && tree->lags[k].codes != 0 &&
            schema_column(heads, k) == schema->tables[l + 1].order)
            return b;
    }
    return SBL_HISTORY_NONE;
}

/* Numbers here of what was numbered among all. */
static void localise(sbl_history_shape *link, const sbl_history_tree *tree, size_t l)
{
    link->count_base = local_of(link, link->count_base);
    link->first_base = local_of(link, link->first_base);
    link->gap_base = link->span != 0 ? local_of(link, tree->events_at[l]) : SBL_HISTORY_NONE;
}

/* Events are drawn given the columns of their parent row and of the person, the number of events of that
 * row and the time of the first; not given such numbers of other tables. */
static void choose_contexts(sbl_history_shape *link, const sbl_history_tree *tree)
{
    for (size_t b = 0; b < link->person_count; b++) {
        const size_t number = link->number[b];
        link->context[b] = tree->cell_column[number] != SBL_HISTORY_NONE || number == link->count_base ||
                           number == link->first_base;
    }
}

static sbl_status make_link(sbl_history_tree *tree, size_t l, sbl_error *err)
{
    sbl_history_shape *link = &tree->links[l];
    const sbl_history_shape *parent = link->parent != SBL_HISTORY_NONE ? &tree->links[link->parent] : NULL;
    const size_t from = tree->events_at[l];
    const size_t end = l + 1 < tree->link_count ? tree->events_at[l + 1] : tree->base_count;
    sbl_status status = SBL_OK;
    link->person_count = parent != NULL ? parent->base_count : tree->person_count;
    link->base_count = link->person_count + end - from;
    SBL_POOL(&tree->pool, link->columns, link->base_count, 1, WHAT);
    SBL_POOL(&tree->pool, link->context, link->person_count, 1, WHAT);
    SBL_POOL(&tree->pool, link->sides, 3 * link->base_count + 3, 1, WHAT);
    SBL_POOL(&tree->pool, link->number, 3 * link->base_count + 3, 1, WHAT);
    for (size_t b = 0; b < link->base_count; b++) {
        const size_t number = b >= link->person_count ? from + b - link->person_count
                              : parent != NULL        ? parent->number[b]
                                                      : b;
        link->number[b] = (uint32_t)number;
        link->columns[b] = tree->columns[number];
        (void)add_side(link, b < link->person_count ? SBL_SIDE_PERSON : SBL_SIDE_EVENT, b);
    }
    choose_contexts(link, tree);
    add_contexts(link);
    for (size_t s = link->base_count; s < link->side_count; s++)
        link->number[s] = (uint32_t)tree->side_count++;
done:
    return status;
}

static sbl_status make_all_links(sbl_history_tree *tree, const sbl_schema *schema, const sbl_heads *heads,
                                 sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t l = 0; l < tree->link_count; l++) SBL_TRY(make_link(tree, l, err));
    for (size_t l = 0; l < tree->link_count; l++) {
        sbl_history_shape *link = &tree->links[l];
        localise(link, tree, l);
        link->sorted = find_sorted(link, tree, schema, heads, l);
        SBL_POOL(&tree->pool, link->local, tree->side_count, 1, WHAT);
        for (size_t s = 0; s < tree->side_count; s++) link->local[s] = SBL_NO_SIDE;
        for (size_t s = 0; s < link->side_count; s++) link->local[link->number[s]] = (uint32_t)s;
    }
done:
    return status;
}

static sbl_status find_lags(sbl_history_tree *tree, const sbl_schema *schema, const sbl_heads *heads,
                            bool follow, sbl_error *err)
{
    size_t *columns = NULL;
    sbl_status status = SBL_OK;
    SBL_POOL(&tree->pool, tree->lags, tree->cells.count, 1, WHAT);
    SBL_ALLOC(columns, tree->cells.count, WHAT);
    for (size_t k = 0; k < tree->cells.count; k++) columns[k] = schema_column(heads, k);
    if (follow && schema->table_count > 1)
        tree->follows = sbl_lags_find(tree->lags, &tree->cells, columns, schema);
done:
    sbl_free(columns);
    return status;
}

sbl_status sbl_history_tree_init(sbl_history_tree *tree, const sbl_schema *schema, const sbl_heads *heads,
                                 size_t bins, size_t singles, size_t linear, bool follow, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *tree = (sbl_history_tree){0};
    if (schema->rows_per_unit == 0)
        return sbl_fail(err, SBL_EARG, "histories need persons: set semblance.unit in the schema");
    SBL_TRY(sbl_bins_init_joint(&tree->cells, schema, heads, bins, singles, linear, err));
    SBL_TRY(find_lags(tree, schema, heads, follow, err));
    SBL_TRY(make_links(tree, schema, heads, err));
    const size_t bases = tree->cells.count + 3 * tree->link_count;
    SBL_POOL(&tree->pool, tree->columns, bases, 1, WHAT);
    SBL_POOL(&tree->pool, tree->cell_column, bases, 1, WHAT);
    SBL_POOL(&tree->pool, tree->link_of, bases, 1, WHAT);
    SBL_POOL(&tree->pool, tree->by, bases, 1, WHAT);
    add_bases(tree, schema, heads);
    find_by(tree, schema, heads);
    SBL_TRY(make_all_links(tree, schema, heads, err));
done:
    if (status != SBL_OK) sbl_history_tree_clear(tree);
    return status;
}

void sbl_history_tree_clear(sbl_history_tree *tree)
{
    sbl_bins_clear(&tree->cells);
    sbl_pool_clear(&tree->pool);
    *tree = (sbl_history_tree){0};
}

/* ---- sides of all ---- */

/* The link whose side it is; the first one for a person's. */
static size_t link_of_side(const sbl_history_tree *tree, size_t side)
{
    if (side < tree->base_count) return tree->link_of[side] != SBL_HISTORY_NONE ? tree->link_of[side] : 0;
    size_t l = 0;
    while (tree->links[l].local[side] == SBL_NO_SIDE) l++; /* contexts are one link's */
    return l;
}

sbl_pairs_column sbl_tree_side_column(const sbl_history_tree *tree, const uint32_t *codes, size_t side)
{
    const sbl_history_shape *link = &tree->links[link_of_side(tree, side)];
    const uint32_t local = link->local[side];
    return sbl_side_column(link, codes[link->number[link->sides[local].base]], local);
}

uint32_t sbl_tree_side_codes(const sbl_history_tree *tree, const uint32_t *codes, size_t side)
{
    return sbl_tree_side_column(tree, codes, side).cells;
}

size_t sbl_tree_side_base(const sbl_history_tree *tree, size_t side)
{
    const sbl_history_shape *link = &tree->links[link_of_side(tree, side)];
    const sbl_side *local = &link->sides[link->local[side]];
    const bool own = local->kind == SBL_SIDE_PERSON || local->kind == SBL_SIDE_EVENT;
    const bool past = local->kind == SBL_SIDE_PREVIOUS || local->kind == SBL_SIDE_MEMORY;
    return own || past ? link->number[local->base] : SBL_HISTORY_NONE;
}

sbl_tree_table sbl_tree_table_of(const sbl_history_tree *tree, size_t first, size_t second)
{
    const bool one = second == SBL_HISTORY_NONE;
    const size_t a = link_of_side(tree, first), b = one ? 0 : link_of_side(tree, second);
    const size_t l = a > b ? a : b; /* a child comes after its parent */
    const sbl_history_shape *link = &tree->links[l];
    sbl_tree_table table = {
        .link = l, .first = link->local[first], .second = one ? SBL_NO_SIDE : link->local[second]};
    if (table.first != SBL_NO_SIDE && (one || table.second != SBL_NO_SIDE))
        table.sort = sbl_history_sort_of(link, table.first, one ? SBL_HISTORY_NONE : table.second);
    return table;
}

void sbl_link_codes(uint32_t *codes, const sbl_history_shape *link, const uint32_t *all)
{
    for (size_t b = 0; b < link->base_count; b++) codes[b] = all[link->number[b]];
}
