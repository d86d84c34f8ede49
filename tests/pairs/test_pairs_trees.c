/* SPDX-License-Identifier: Apache-2.0 */
/* Trees over codes: what the builder takes and refuses, text there and back, every row in one leaf, and what
 * is grown on rows. */
#include <stdlib.h>

#include "after/forest/tree_grow.h"
#include "base/alloc.h"
#include "public/counts/tree_shape.h"
#include "support/cmocka_all.h"

#define COLUMNS 4

static const uint32_t sizes[COLUMNS] = {2, 16, 70, 5}; /* the first is the target */
static const uint16_t two[2] = {0, 1};

static void begin_trees(sbl_trees *trees)
{
    assert_ok(sbl_trees_init(trees, sizes, COLUMNS, NULL));
    assert_ok(sbl_trees_add_target(trees, 0, 2, two, NULL));
}

static char *text_of(const sbl_trees *trees, size_t t)
{
    sbl_text text = {0};
    sbl_trees_write(&text, trees, t);
    assert_false(text.failed);
    return text.data;
}

TEST(text_is_read_back_as_the_same_tree)
{
    static const char *const texts[] = {".", "1:ff . .", "2:200000000000000001 1:1 . . 3:1e . .",
                                        "3:0 1:8000 . 1:1 . . 2:1 . ."};
    CLEARED(sbl_trees_clear) sbl_trees trees;
    begin_trees(&trees);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_ok(sbl_trees_read(&trees, 0, texts[i], NULL));
        char *again = text_of(&trees, i);
        assert_string_equal(again, texts[i]);
        sbl_free(again);
    }
    assert_int_equal(trees.tree_count, 4);
    assert_int_equal(trees.trees[3].leaf_count, 5);
    assert_int_equal(trees.trees[3].depth, 3);
    assert_int_equal(trees.entry_count, 2 * (1 + 2 + 4 + 5));
    CLEARED(sbl_trees_clear) sbl_trees more;
    begin_trees(&more);
    assert_ok(sbl_trees_append(&more, &trees, 0, trees.tree_count, NULL));
    for (size_t i = 0; i < 4; i++) {
        char *again = text_of(&more, i);
        assert_string_equal(again, texts[i]);
        sbl_free(again);
    }
}

TEST(what_is_no_tree_is_refused)
{
    static const char *const texts[] = {"",          "1:ff .",   "1:ff . . .",  "1:ff .  .",
                                        "1:ff . . ", "1:FF . .", "1:0ff . .",   "01:f . .",
                                        "4:1 . .",   "0:1 . .",  "1:10000 . .", "3:20 . .",
                                        "1 . .",     "1:",       "x",           "2:1000000000000000000 . ."};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CLEARED(sbl_trees_clear) sbl_trees trees;
        begin_trees(&trees);
        if (sbl_trees_read(&trees, 0, texts[i], NULL) != SBL_EINPUT) fail_msg("'%s'", texts[i]);
    }
}

TEST(a_tree_is_no_deeper_than_a_walk_can_remember)
{
    CLEARED(sbl_trees_clear) sbl_trees trees;
    const uint64_t set = 1;
    begin_trees(&trees);
    assert_ok(sbl_trees_begin(&trees, 0, NULL));
    for (size_t depth = 0; depth < SBL_TREE_DEPTH; depth++) assert_ok(sbl_trees_split(&trees, 1, &set, NULL));
    assert_int_equal(sbl_trees_split(&trees, 1, &set, NULL), SBL_EARG);
    for (size_t leaf = 0; leaf <= SBL_TREE_DEPTH; leaf++) assert_ok(sbl_trees_leaf(&trees, NULL));
    assert_true(sbl_trees_is_whole(&trees));
    assert_int_equal(sbl_trees_leaf(&trees, NULL), SBL_EARG);
    assert_int_equal(trees.trees[0].depth, SBL_TREE_DEPTH);
}

/* Rows whose target is decided by two numbers together; column 3 is noise. */
typedef struct made_rows {
    uint16_t *rows;
    size_t count;
} made_rows;

static made_rows make_rows(size_t count, bool parity)
{
    made_rows m = {malloc(count * COLUMNS * sizeof(uint16_t)), count};
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 0);
    for (size_t r = 0; r < count; r++) {
        uint16_t *row = m.rows + r * COLUMNS;
        for (size_t j = 1; j < COLUMNS; j++) row[j] = (uint16_t)sbl_model_rng_below(&rng, sizes[j]);
        const bool up = row[1] >= 8, right = row[2] >= 35;
        row[0] = (uint16_t)(parity ? up != right : up && right);
    }
    return m;
}

static const uint32_t ordered[COLUMNS] = {0, 16, 70, 0};

TEST(every_row_has_one_leaf_of_a_tree_whichever_way_it_is_found)
{
    made_rows m = make_rows(4000, false);
    const sbl_grow_rows on = {m.rows, m.count, COLUMNS, ordered};
    const sbl_grow_rule rule = {.trees = 6, .leaves = 40, .seed = 3};
    sbl_trees trees;
    begin_trees(&trees);
    assert_ok(sbl_trees_grow(&trees, 0, &on, &rule, NULL));
    assert_ok(sbl_trees_grow_blind(&trees, 0, &on, &rule, NULL));
    assert_int_equal(trees.tree_count, 12);
    uint32_t *leaves = malloc(m.count * trees.tree_count * sizeof *leaves);
    uint32_t *counts = malloc(trees.entry_count * sizeof *counts);
    sbl_trees_find(&trees, leaves, m.rows, m.count, COLUMNS);
    for (size_t r = 0; r < m.count; r++) {
        uint32_t codes[COLUMNS];
        for (size_t j = 0; j < COLUMNS; j++) codes[j] = m.rows[r * COLUMNS + j];
        for (size_t t = 0; t < trees.tree_count; t++) {
            const uint32_t leaf = leaves[r * trees.tree_count + t];
            assert_true(leaf >= trees.trees[t].first_leaf &&
                        leaf < trees.trees[t].first_leaf + trees.trees[t].leaf_count);
            assert_int_equal(sbl_tree_leaf_of_record(&trees, t, codes), leaf);
        }
    }
    sbl_trees_count(&trees, counts, leaves, m.rows, m.count, COLUMNS);
    for (size_t t = 0; t < trees.tree_count; t++) {
        size_t sum = 0;
        for (size_t i = 0; i < sbl_tree_entries(&trees, t); i++) sum += counts[trees.trees[t].at + i];
        assert_int_equal(sum, m.count);
    }
    free(counts);
    free(leaves);
    sbl_trees_clear(&trees);
    free(m.rows);
}

/* How well the leaves' commoner cell says the target. */
static double purity(const sbl_trees *trees, size_t t, const made_rows *m)
{
    uint32_t *leaves = malloc(m->count * trees->tree_count * sizeof *leaves);
    uint32_t *counts = malloc(trees->entry_count * sizeof *counts);
    size_t right = 0;
    sbl_trees_find(trees, leaves, m->rows, m->count, COLUMNS);
    sbl_trees_count(trees, counts, leaves, m->rows, m->count, COLUMNS);
    for (size_t i = trees->trees[t].at; i < trees->trees[t].at + sbl_tree_entries(trees, t); i += 2)
        right += counts[i] > counts[i + 1] ? counts[i] : counts[i + 1];
    free(counts);
    free(leaves);
    return (double)right / (double)m->count;
}

TEST(grown_trees_find_what_two_columns_decide_and_are_the_same_again)
{
    made_rows m = make_rows(5000, false);
    const sbl_grow_rows on = {m.rows, m.count, COLUMNS, ordered};
    const sbl_grow_rule rule = {.trees = 3, .leaves = 16, .seed = 1};
    sbl_trees trees, again;
    begin_trees(&trees);
    begin_trees(&again);
    assert_ok(sbl_trees_grow(&trees, 0, &on, &rule, NULL));
    assert_ok(sbl_trees_grow(&again, 0, &on, &rule, NULL));
    for (size_t t = 0; t < 3; t++) {
        char *one = text_of(&trees, t), *other = text_of(&again, t);
        assert_string_equal(one, other);
        sbl_free(one);
        sbl_free(other);
        assert_true(trees.trees[t].leaf_count <= 16);
        assert_true(purity(&trees, t, &m) > 0.99);
    }
    sbl_trees_clear(&again);
    sbl_trees_clear(&trees);
    free(m.rows);
}

/* A parity is in no column alone: a tree that asks both halves has it. */
TEST(blind_trees_see_a_parity)
{
    made_rows m = make_rows(5000, true);
    const sbl_grow_rows on = {m.rows, m.count, COLUMNS, ordered};
    const sbl_grow_rule rule = {.trees = 3, .leaves = 4, .seed = 1};
    sbl_trees trees;
    double best = 0;
    begin_trees(&trees);
    assert_ok(sbl_trees_grow_blind(&trees, 0, &on, &rule, NULL));
    for (size_t t = 0; t < 3; t++) {
        assert_int_equal(trees.trees[t].leaf_count, 4);
        if (purity(&trees, t, &m) > best) best = purity(&trees, t, &m);
    }
    assert_true(best > 0.95); /* two of three columns, left out in turn: one tree asks the right ones */
    sbl_trees_clear(&trees);
    free(m.rows);
}

/* Of 8 columns, 4 trees that leave out 2 each, in turn: any 3 are asked together by one of them. */
TEST(blind_trees_that_ask_most_columns_cover_every_three)
{
    enum { EIGHT = 9, ROWS = 256 };
    uint32_t codes[EIGHT], order[EIGHT] = {0};
    FREED(free) uint16_t *rows = malloc(ROWS * EIGHT * sizeof *rows);
    for (size_t j = 0; j < EIGHT; j++) codes[j] = 2;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t j = 0; j < EIGHT; j++)
            rows[r * EIGHT + j] = (uint16_t)(j == 0 ? (size_t)__builtin_parityll(r) : r >> (j - 1) & 1);
    const sbl_grow_rows on = {rows, ROWS, EIGHT, order};
    for (uint64_t seed = 0; seed < 20; seed++) {
        const sbl_grow_rule rule = {.trees = 4, .leaves = 64, .seed = seed};
        CLEARED(sbl_trees_clear) sbl_trees trees;
        assert_ok(sbl_trees_init(&trees, codes, EIGHT, NULL));
        assert_ok(sbl_trees_add_target(&trees, 0, 2, two, NULL));
        assert_ok(sbl_trees_grow_blind(&trees, 0, &on, &rule, NULL));
        for (size_t a = 1; a < EIGHT; a++)
            for (size_t b = a + 1; b < EIGHT; b++)
                for (size_t c = b + 1; c < EIGHT; c++) {
                    bool covered = false;
                    for (size_t t = 0; t < 4; t++) {
                        const uint32_t leaf = trees.trees[t].first_leaf;
                        covered =
                            covered || (sbl_tree_asks(&trees, leaf, a) && sbl_tree_asks(&trees, leaf, b) &&
                                        sbl_tree_asks(&trees, leaf, c));
                    }
                    assert_true(covered);
                }
    }
}

/* A column that is the target over again but for one row in eight would hide what the others say. */
TEST(blind_trees_do_not_ask_a_copy_of_their_target)
{
    enum { FOUR = 4, ROWS = 64 };
    const uint32_t codes[FOUR] = {2, 2, 2, 2}, order[FOUR] = {0};
    uint16_t rows[ROWS * FOUR];
    for (size_t r = 0; r < ROWS; r++) {
        uint16_t *row = rows + r * FOUR;
        for (size_t j = 0; j < 3; j++) row[j] = (uint16_t)(r >> j & 1);
        row[3] = (uint16_t)(row[0] ^ (r >> 3 == 0));
    }
    const sbl_grow_rows on = {rows, ROWS, FOUR, order};
    const sbl_grow_rule rule = {.trees = 3, .leaves = 64, .seed = 1};
    CLEARED(sbl_trees_clear) sbl_trees trees;
    assert_ok(sbl_trees_init(&trees, codes, FOUR, NULL));
    assert_ok(sbl_trees_add_target(&trees, 0, 2, two, NULL));
    assert_ok(sbl_trees_grow_blind(&trees, 0, &on, &rule, NULL));
    for (size_t t = 0; t < 3; t++) {
        const uint32_t leaf = trees.trees[t].first_leaf;
        assert_true(sbl_tree_asks(&trees, leaf, 1) && sbl_tree_asks(&trees, leaf, 2));
        assert_false(sbl_tree_asks(&trees, leaf, 3));
    }
}
