/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Which tables of two the second release measures, over which groups of codes, and how precisely.
 *
 * Every column with each of its contexts is a candidate. A table with E entries, precision p and n records in all has
 * the expected L1 noise sqrt(2 / pi) E sigma(p) / n. Precision by (E / n)^(2/3) minimises the sum over the tables.
 *
 * Two distributions differ by at most 2. A table with more noise than MUCH_NOISE is measured over groups: its larger side
 * is halved until it has less, or both sides have two groups. If its noise is more than 2 even so, it says nothing and
 * takes precision from the others, so it is left out. All this follows from the numbers of codes and from the first
 * release.
 *
 * A number with bounds by category and its category belong together, as the schema declares. Their table is always
 * measured, with at least BY_SHARE of the release. */
#include <math.h>
#include <stdlib.h>

#include "after/counts/bin_codes.h"
#include "after/histories/history_selection_internal.h"

#define WHAT "the tables of a selection"
#define MOST_NOISE 2.0  /* L1 */
#define MUCH_NOISE 0.25 /* L1: larger groups pay */
#define FEWEST_GROUPS 2
#define ABSOLUTE 0.7978845608028654 /* sqrt(2 / pi): the mean of a standard normal's absolute value */
#define BY_SHARE 0.2      /* of the other tables' precision, for each table of a number and its category */
#define MOST_BY_SHARE 0.3 /* for all of them */

typedef struct candidate {
    uint32_t low, high; /* sides */
    uint32_t groups[2]; /* of their codes */
    bool ordered[2];    /* do neighbours of a side belong together? */
    double records;     /* what all persons weigh in it */
    double weight;      /* its precision, before all are divided by their sum */
    double hardness;    /* L1 noise, up to a factor that all candidates share */
    bool by;            /* a number and the category that its bounds depend on */
} candidate;

/* The sides that a base is drawn by, both of all sides, and how many. */
static size_t contexts_of(const sbl_history_tree *tree, size_t base, uint32_t *sides)
{
    const size_t l = tree->link_of[base] != SBL_HISTORY_NONE ? tree->link_of[base] : 0;
    const sbl_history_shape *link = &tree->links[l];
    const size_t count = sbl_history_contexts_of(link, link->local[base], sides);
    for (size_t i = 0; i < count; i++) sides[i] = link->number[sides[i]];
    return count;
}

static size_t count_all(const sbl_history_tree *tree, uint32_t *scratch)
{
    size_t tables = 0;
    for (size_t b = 0; b < tree->base_count; b++) tables += contexts_of(tree, b, scratch);
    return tables;
}

sbl_status sbl_history_tables_count(size_t *count, const sbl_history_tree *tree, sbl_error *err)
{
    uint32_t *sides = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(sides, tree->side_count, WHAT);
    *count = count_all(tree, sides);
done:
    sbl_free(sides);
    return status;
}

static bool belong_together(const sbl_history_tree *tree, size_t side, size_t base)
{
    return side < tree->base_count && (tree->by[base] == side || tree->by[side] == base);
}

static void set_weight(candidate *c)
{
    const double entries = (double)c->groups[0] * c->groups[1], each = entries / c->records;
    c->weight = cbrt(each * each);
    c->hardness = each / sqrt(c->weight);
}

static void set_side(candidate *c, size_t place, const sbl_history_tree *tree, const uint32_t *codes,
                     uint32_t side)
{
    const sbl_pairs_column column = sbl_tree_side_column(tree, codes, side);
    c->groups[place] = column.cells;
    c->ordered[place] = column.kind != SBL_PAIRS_CATEGORIES;
}

static candidate candidate_of(const sbl_history_selection *selection, uint32_t side, uint32_t base)
{
    const sbl_history_tree *tree = selection->tree;
    const sbl_tree_table of = sbl_tree_table_of(tree, side, base);
    candidate made = {.low = side < base ? side : base,
                      .high = side < base ? base : side,
                      .records = selection->weights[of.link][of.sort],
                      .by = belong_together(tree, side, base)};
    set_side(&made, 0, tree, selection->code_counts, made.low);
    set_side(&made, 1, tree, selection->code_counts, made.high);
    if (made.groups[0] > 1 && made.groups[1] > 1) set_weight(&made);
    return made;
}

/* Declared tables first, then the easiest. */
static int compare(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->by != y->by) return x->by ? -1 : 1;
    if (x->hardness != y->hardness) return x->hardness < y->hardness ? -1 : 1;
    return x->high != y->high ? (x->high < y->high ? -1 : 1) : (x->low > y->low) - (x->low < y->low);
}

/* The L1 noise of a table of hardness 1, if the weights of all tables add up to 1. */
static double unit_noise(const sbl_history_setting *s)
{
    return ABSOLUTE * sqrt(s->sensitivity2 / sbl_history_shares[1]) / s->mu;
}

/* The larger of the sides that can have fewer groups; NULL: neither can. */
static uint32_t *larger_side(candidate *c)
{
    uint32_t *found = NULL;
    for (size_t i = 0; i < 2; i++)
        if (!c->by && c->ordered[i] && c->groups[i] > FEWEST_GROUPS &&
            (found == NULL || c->groups[i] > *found))
            found = &c->groups[i];
    return found;
}

/* Larger groups for tables with much noise, again and again: each takes less precision from the others. Returns the sum of
 * the weights. */
static double merge_noisy(const sbl_history_selection *selection, candidate *list, size_t count)
{
    const double unit = unit_noise(&selection->setting);
    double total = 0.0;
    bool changed = true;
    for (size_t i = 0; i < count; i++) total += list[i].weight;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            candidate *c = &list[i];
            uint32_t *larger = larger_side(c);
            if (larger == NULL || unit * c->hardness * sqrt(total) <= MUCH_NOISE) continue;
            total -= c->weight;
            *larger = (*larger + 1) / 2;
            set_weight(c);
            total += c->weight;
            changed = true;
        }
    }
    return total;
}

/* The back of a sorted list is left out as long as its last table holds more noise than it can say. total: of the
 * weights, and afterwards of those that stay. */
static size_t leave_out(const sbl_history_selection *selection, const candidate *list, size_t count,
                        double *total)
{
    const double unit = unit_noise(&selection->setting);
    while (count > 0 && !list[count - 1].by && unit * list[count - 1].hardness * sqrt(*total) > MOST_NOISE)
        *total -= list[--count].weight;
    return count;
}

/* Declared tables have at least their share; the new total. */
static double raise_declared(candidate *list, size_t count, double total)
{
    size_t declared = 0;
    double others = total;
    while (declared < count && list[declared].by) others -= list[declared++].weight;
    const double least = fmin(BY_SHARE, MOST_BY_SHARE / (double)(declared > 0 ? declared : 1)) * others;
    for (size_t i = 0; i < declared; i++) {
        total += fmax(least - list[i].weight, 0.0);
        list[i].weight = fmax(least, list[i].weight);
    }
    return total;
}

static int by_sides(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return x->high != y->high ? (x->high < y->high ? -1 : 1) : (x->low > y->low) - (x->low < y->low);
}

/* ---- groups of codes ---- */

/* The shares of a side's codes, by the first release; even where it says nothing of them. */
static void side_mass(double *mass, const sbl_history_selection *selection, size_t side, uint32_t codes)
{
    const sbl_history_tree *tree = selection->tree;
    const size_t base = sbl_tree_side_base(tree, side);
    for (uint32_t v = 0; v < codes; v++) mass[v] = base == SBL_HISTORY_NONE ? 1.0 / (double)codes : 0.0;
    for (size_t c = 0; base != SBL_HISTORY_NONE && c < tree->columns[base].cells; c++)
        mass[selection->codes[base].of[c]] += selection->bases[base].fine[c];
}

/* The map of a side onto about that number of groups: its own if these are its codes. */
static sbl_status find_map(sbl_history_selection *selection, uint32_t *map, uint32_t side, uint32_t most,
                           sbl_error *err)
{
    const uint32_t codes = sbl_tree_side_codes(selection->tree, selection->code_counts, side);
    const sbl_pairs_column column = sbl_tree_side_column(selection->tree, selection->code_counts, side);
    sbl_pairs_map groups = {.column = side};
    double *mass = NULL;
    sbl_status status = SBL_OK;
    *map = side;
    if (most >= codes) return SBL_OK;
    SBL_ALLOC(mass, codes, WHAT);
    SBL_ALLOC(groups.of, codes, WHAT);
    side_mass(mass, selection, side, codes);
    SBL_TRY(sbl_pairs_merge_groups(&groups, &selection->plan.maps[side], &column, mass, most, err));
    SBL_TRY(sbl_pairs_plan_add_map(&selection->plan, map, &groups, codes, err));
done:
    sbl_free(groups.of);
    sbl_free(mass);
    return status;
}

static sbl_status add_table(sbl_history_selection *selection, const candidate *c, double total,
                            sbl_error *err)
{
    uint32_t first, second;
    SBL_CHECK(find_map(selection, &first, c->low, c->groups[0], err));
    SBL_CHECK(find_map(selection, &second, c->high, c->groups[1], err));
    return sbl_pairs_plan_add_table(&selection->plan, first, second,
                                    sbl_history_shares[1] * c->weight / total, err);
}

sbl_status sbl_history_tables_add(sbl_history_selection *selection, sbl_error *err)
{
    const sbl_history_tree *tree = selection->tree;
    candidate *list = NULL;
    uint32_t *sides = NULL;
    size_t count = 0;
    double total;
    sbl_status status = SBL_OK;
    SBL_ALLOC(sides, tree->side_count, WHAT);
    SBL_ALLOC(list, count_all(tree, sides), WHAT);
    for (uint32_t b = 0; b < tree->base_count; b++) {
        const size_t contexts = contexts_of(tree, b, sides);
        for (size_t i = 0; i < contexts; i++) {
            list[count] = candidate_of(selection, sides[i], b);
            if (list[count].weight > 0.0) count++;
        }
    }
    total = merge_noisy(selection, list, count);
    qsort(list, count, sizeof *list, compare);
    count = leave_out(selection, list, count, &total);
    total = raise_declared(list, count, total);
    qsort(list, count, sizeof *list, by_sides);
    for (size_t i = 0; i < count; i++) SBL_TRY(add_table(selection, &list[i], total, err));
done:
    sbl_free(sides);
    sbl_free(list);
    return status;
}
