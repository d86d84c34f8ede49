/* SPDX-License-Identifier: Apache-2.0 */
/* One builder writes all trees, in preorder: when trees are grown, when a plan is read back, and when a
 * model file is read. Trees that it accepted can be walked without checks. */
#include "public/counts/tree_shape.h"

#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"

enum { TARGETS, TARGET_OF, TREES, NODES, SETS, LEAVES, ASKS };

/* Room for `more` elements behind `count` of array `which`. */
#define ROOM(pointer, which, count, more)                                      \
    do {                                                                       \
        if ((count) + (more) > trees->capacity[which]) {                       \
            const size_t sbl_room = (count) + (more) + ((count) + (more)) / 2; \
            SBL_RESIZE(pointer, sbl_room, "trees");                            \
            trees->capacity[which] = sbl_room;                                 \
        }                                                                      \
    } while (0)

sbl_status sbl_trees_init(sbl_trees *trees, const uint32_t *codes, size_t column_count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *trees = (sbl_trees){.column_count = column_count, .ask_words = (column_count + 63) / 64};
    SBL_ALLOC(trees->codes, column_count, "trees");
    SBL_ALLOC(trees->open, 2 * SBL_TREE_DEPTH + 2, "trees");
    if (column_count > 0) memcpy(trees->codes, codes, column_count * sizeof *codes);
done:
    if (status != SBL_OK) sbl_trees_clear(trees);
    return status;
}

void sbl_trees_clear(sbl_trees *trees)
{
    sbl_free(trees->codes);
    sbl_free(trees->targets);
    sbl_free(trees->target_of);
    sbl_free(trees->trees);
    sbl_free(trees->nodes);
    sbl_free(trees->sets);
    sbl_free(trees->leaf_at);
    sbl_free(trees->asks);
    sbl_free(trees->open);
    *trees = (sbl_trees){0};
}

static sbl_status no_tree(sbl_error *err)
{
    return sbl_fail(err, SBL_EARG, "a tree is impossible or too large");
}

sbl_status sbl_trees_add_target(sbl_trees *trees, uint32_t column, uint32_t cells, const uint16_t *of,
                                sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (column >= trees->column_count || cells < 1) return no_tree(err);
    const size_t codes = trees->codes[column];
    for (size_t c = 0; c < codes; c++)
        if (of[c] >= cells) return no_tree(err);
    ROOM(trees->targets, TARGETS, trees->target_count, 1);
    ROOM(trees->target_of, TARGET_OF, trees->target_of_count, codes);
    memcpy(trees->target_of + trees->target_of_count, of, codes * sizeof *of);
    trees->targets[trees->target_count++] =
        (sbl_tree_target){.column = column, .cells = cells, .of_at = trees->target_of_count};
    trees->target_of_count += codes;
done:
    return status;
}

/* ---- in preorder ---- */

sbl_status sbl_trees_begin(sbl_trees *trees, uint32_t target, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (target >= trees->target_count || trees->open_count > 0 || trees->tree_count >= SBL_TREES_MOST)
        return no_tree(err);
    ROOM(trees->trees, TREES, trees->tree_count, 1);
    trees->trees[trees->tree_count++] = (sbl_tree){.target = target,
                                                   .root = SBL_TREE_NO_LEAF,
                                                   .first_leaf = (uint32_t)trees->leaf_count,
                                                   .at = trees->entry_count};
done:
    return status;
}

bool sbl_trees_is_whole(const sbl_trees *trees)
{
    return trees->open_count == 0 &&
           (trees->tree_count == 0 || trees->trees[trees->tree_count - 1].root != SBL_TREE_NO_LEAF);
}

/* Is there a place for one more node or leaf? */
static bool is_wanted(const sbl_trees *trees) { return trees->tree_count > 0 && !sbl_trees_is_whole(trees); }

/* What comes next in preorder hangs where a side is still open. A node stands twice among the open ones:
 * its left side is taken first. */
static void hang(sbl_trees *trees, int32_t child)
{
    if (trees->open_count == 0) {
        trees->trees[trees->tree_count - 1].root = child;
        return;
    }
    sbl_tree_node *parent = &trees->nodes[trees->open[--trees->open_count]];
    if (parent->left == SBL_TREE_NO_LEAF)
        parent->left = child;
    else
        parent->right = child;
}

/* How many splits lie above what comes next: a node that still waits for its left side stands twice. */
static uint32_t depth_of(const sbl_trees *trees)
{
    uint32_t depth = 0;
    const sbl_tree *tree = &trees->trees[trees->tree_count - 1];
    if (trees->open_count == 0) return 0;
    const int32_t last = trees->open[trees->open_count - 1];
    /* walk down from the root along sides that are there: the open node is on the rightmost path */
    for (int32_t i = tree->root; i >= 0; depth++) {
        if (i == last) return depth + 1;
        const sbl_tree_node *node = &trees->nodes[i];
        i = node->right != SBL_TREE_NO_LEAF ? node->right : node->left;
    }
    return depth;
}

sbl_status sbl_trees_split(sbl_trees *trees, uint32_t column, const uint64_t *set, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (!is_wanted(trees) || column >= trees->column_count) return no_tree(err);
    const sbl_tree *tree = &trees->trees[trees->tree_count - 1];
    const uint32_t codes = trees->codes[column], depth = depth_of(trees);
    const size_t words = sbl_tree_set_words(codes);
    if (column == trees->targets[tree->target].column || depth >= SBL_TREE_DEPTH ||
        trees->set_words + words > UINT32_MAX || trees->node_count >= INT32_MAX)
        return no_tree(err);
    if (codes % 64 != 0 && set[words - 1] >> (codes % 64) != 0) return no_tree(err);
    ROOM(trees->nodes, NODES, trees->node_count, 1);
    ROOM(trees->sets, SETS, trees->set_words, words);
    memcpy(trees->sets + trees->set_words, set, words * sizeof *set);
    const int32_t number = (int32_t)trees->node_count++;
    trees->nodes[number] = (sbl_tree_node){.column = column,
                                           .set = (uint32_t)trees->set_words,
                                           .left = SBL_TREE_NO_LEAF,
                                           .right = SBL_TREE_NO_LEAF};
    trees->set_words += words;
    hang(trees, number);
    trees->open[trees->open_count++] = number;
    trees->open[trees->open_count++] = number;
done:
    return status;
}

/* The columns on the path to the last leaf, and how long it is. */
static uint32_t mark_path(sbl_trees *trees, uint32_t leaf)
{
    const sbl_tree *tree = &trees->trees[trees->tree_count - 1];
    uint64_t *asks = trees->asks + leaf * trees->ask_words;
    const int32_t wanted = -1 - (int32_t)leaf;
    uint32_t depth = 0;
    memset(asks, 0, trees->ask_words * sizeof *asks);
    for (int32_t i = tree->root; i != wanted; depth++) {
        const sbl_tree_node *node = &trees->nodes[i];
        asks[node->column / 64] |= UINT64_C(1) << (node->column % 64);
        i = node->right != SBL_TREE_NO_LEAF ? node->right : node->left;
    }
    return depth;
}

sbl_status sbl_trees_leaf(sbl_trees *trees, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (!is_wanted(trees)) return no_tree(err);
    sbl_tree *tree = &trees->trees[trees->tree_count - 1];
    if (tree->leaf_count >= SBL_TREE_LEAVES) return no_tree(err);
    const uint32_t leaf = (uint32_t)trees->leaf_count, cells = trees->targets[tree->target].cells;
    const size_t room = trees->leaf_count + 1;
    if (room > trees->capacity[LEAVES]) {
        SBL_RESIZE(trees->leaf_at, room + room / 2, "trees");
        SBL_RESIZE(trees->asks, (room + room / 2) * trees->ask_words, "trees");
        trees->capacity[LEAVES] = room + room / 2;
    }
    trees->leaf_at[leaf] = trees->entry_count;
    trees->leaf_count++;
    trees->entry_count += cells;
    tree->leaf_count++;
    hang(trees, -1 - (int32_t)leaf);
    const uint32_t depth = mark_path(trees, leaf);
    if (depth > tree->depth) tree->depth = depth;
done:
    return status;
}

/* ---- copies ---- */

static sbl_status copy_side(sbl_trees *trees, const sbl_trees *from, int32_t root, sbl_error *err)
{
    int32_t waiting[SBL_TREE_DEPTH + 1];
    size_t count = 0;
    sbl_status status = SBL_OK;
    waiting[count++] = root;
    while (count > 0) {
        const int32_t i = waiting[--count];
        if (i < 0) {
            SBL_TRY(sbl_trees_leaf(trees, err));
            continue;
        }
        const sbl_tree_node *node = &from->nodes[i];
        SBL_TRY(sbl_trees_split(trees, node->column, from->sets + node->set, err));
        waiting[count++] = node->right;
        waiting[count++] = node->left;
    }
done:
    return status;
}

/* The target of a tree of another list, which trees of one target follow each other in. */
static sbl_status copy_target(sbl_trees *trees, const sbl_trees *more, size_t tree, bool again,
                              sbl_error *err)
{
    const sbl_tree_target *target = &more->targets[more->trees[tree].target];
    if (again) return SBL_OK;
    return sbl_trees_add_target(trees, target->column, target->cells, more->target_of + target->of_at, err);
}

sbl_status sbl_trees_append(sbl_trees *trees, const sbl_trees *more, size_t first, size_t count,
                            sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t t = first; t < first + count; t++) {
        const bool again = t > first && more->trees[t].target == more->trees[t - 1].target;
        SBL_TRY(copy_target(trees, more, t, again, err));
        SBL_TRY(sbl_trees_begin(trees, (uint32_t)trees->target_count - 1, err));
        SBL_TRY(copy_side(trees, more, more->trees[t].root, err));
    }
done:
    return status;
}

/* ---- text ---- */

static void write_set(sbl_text *text, const uint64_t *set, uint32_t codes)
{
    bool begun = false;
    for (size_t digit = (codes + 3) / 4; digit-- > 0;) {
        const unsigned value = (unsigned)(set[digit / 16] >> (4 * (digit % 16))) & 15u;
        begun = begun || value != 0 || digit == 0;
        if (begun) sbl_text_printf(text, "%x", value);
    }
}

void sbl_trees_write(sbl_text *text, const sbl_trees *trees, size_t tree)
{
    int32_t waiting[SBL_TREE_DEPTH + 1];
    size_t count = 0;
    waiting[count++] = trees->trees[tree].root;
    for (bool first = true; count > 0; first = false) {
        const int32_t i = waiting[--count];
        if (!first) sbl_text_printf(text, " ");
        if (i < 0) {
            sbl_text_printf(text, ".");
            continue;
        }
        const sbl_tree_node *node = &trees->nodes[i];
        sbl_text_printf(text, "%u:", (unsigned)node->column);
        write_set(text, trees->sets + node->set, trees->codes[node->column]);
        waiting[count++] = node->right;
        waiting[count++] = node->left;
    }
}

/* Digits up to the colon, without a leading 0 unless that is all. */
static bool read_column(uint32_t *column, const char **at, size_t columns)
{
    const char *p = *at;
    size_t value = 0;
    if (*p < '0' || *p > '9' || (*p == '0' && p[1] != ':')) return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        value = 10 * value + (size_t)(*p - '0');
        if (value >= columns) return false;
    }
    if (*p != ':') return false;
    *at = p + 1;
    *column = (uint32_t)value;
    return true;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_set(uint64_t *set, const char **at, uint32_t codes)
{
    const char *p = *at;
    size_t digits = 0;
    while (digit_of(p[digits]) >= 0) digits++;
    if (digits < 1 || digits > (codes + 3) / 4 || (digits > 1 && *p == '0')) return false;
    memset(set, 0, sbl_tree_set_words(codes) * sizeof *set);
    for (size_t d = 0; d < digits; d++) {
        const size_t place = digits - 1 - d;
        set[place / 16] |= (uint64_t)digit_of(p[d]) << (4 * (place % 16));
    }
    *at = p + digits;
    return true;
}

sbl_status sbl_trees_read(sbl_trees *trees, uint32_t target, const char *text, sbl_error *err)
{
    uint64_t *set = NULL;
    uint32_t most = 64, column = 0;
    sbl_status status = SBL_OK;
    for (size_t j = 0; j < trees->column_count; j++)
        if (trees->codes[j] > most) most = trees->codes[j];
    SBL_ALLOC(set, sbl_tree_set_words(most), "trees");
    SBL_TRY(sbl_trees_begin(trees, target, err));
    for (const char *at = text;; at++) {
        if (*at == '.') {
            at++;
            SBL_TRY(sbl_trees_leaf(trees, err));
        } else if (read_column(&column, &at, trees->column_count) &&
                   read_set(set, &at, trees->codes[column])) {
            SBL_TRY(sbl_trees_split(trees, column, set, err));
        } else {
            SBL_TRY(no_tree(err));
        }
        if (*at == '\0') break;
        if (*at != ' ') SBL_TRY(no_tree(err));
    }
    if (!sbl_trees_is_whole(trees)) SBL_TRY(no_tree(err));
done:
    sbl_free(set);
    return status == SBL_EARG ? SBL_EINPUT : status;
}

/* ---- rows ---- */

uint32_t sbl_tree_leaf_of_record(const sbl_trees *trees, size_t tree, const uint32_t *codes)
{
    int32_t i = trees->trees[tree].root;
    for (uint32_t step = 0; step < trees->trees[tree].depth; step++) {
        const uint32_t there = (uint32_t)(i >> 31); /* all ones once a leaf is reached */
        const sbl_tree_node *node = &trees->nodes[(uint32_t)i & ~there];
        const uint32_t left = 0u - sbl_tree_goes_left(trees, node, codes[node->column]);
        const uint32_t next = ((uint32_t)node->left & left) | ((uint32_t)node->right & ~left);
        i = (int32_t)(((uint32_t)i & there) | (next & ~there));
    }
    return (uint32_t)(-1 - i);
}

void sbl_trees_find(const sbl_trees *trees, uint32_t *leaves, const uint16_t *rows, size_t row_count,
                    size_t width)
{
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < row_count; r++)
        for (size_t t = 0; t < trees->tree_count; t++)
            leaves[r * trees->tree_count + t] = sbl_tree_leaf(trees, t, rows + r * width);
}

void sbl_trees_count(const sbl_trees *trees, uint32_t *counts, const uint32_t *leaves, const uint16_t *rows,
                     size_t row_count, size_t width)
{
    memset(counts, 0, trees->entry_count * sizeof *counts);
    SBL_OMP(omp parallel for schedule(static))
    for (size_t t = 0; t < trees->tree_count; t++) {
        const uint32_t target = trees->targets[trees->trees[t].target].column;
        for (size_t r = 0; r < row_count; r++)
            counts[sbl_tree_entry(trees, t, leaves[r * trees->tree_count + t], rows[r * width + target])]++;
    }
}
