/* SPDX-License-Identifier: Apache-2.0 */
/* The door with squares and products: what is charged, released and certified. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "door/certificate/certificate_document.h"
#include "door/ledger/ledger_book.h"
#include "door/privatise/privatise.h"
#include "support/cmocka_all.h"
#include "support/door_kit.h"
#include "support/temp_folder.h"

FREES(sbl_free);

#define R2 (UINT64_C(1) << 28)

enum { BLOCKS = 4, WIDTH = 6, OUTER = 4 };

typedef struct shape {
    size_t classes;
    bool per_class, withheld, counts;
    sbl_mechanism mechanism;
    sbl_neighbours neighbours;
} shape;

/* A mean, squares of all its coordinates, products of fewer, and a histogram that is apart. */
static void make_layout(sbl_layout *layout, sbl_block blocks[BLOCKS], const shape *s)
{
    memset(blocks, 0, BLOCKS * sizeof *blocks);
    blocks[0] = (sbl_block){
        .name = "histogram", .width = 3, .nonnegative = true, .bound2 = 1, .bound1 = 1, .scale = 1};
    blocks[1] = (sbl_block){"mean",
                            .width = WIDTH,
                            .per_class = s->per_class,
                            .bound2 = R2,
                            .bound1 = s->mechanism == SBL_DISCRETE_LAPLACE ? UINT64_C(3) << 14 : 0,
                            .scale = sbl_block_scale(WIDTH, R2, 1),
                            .withheld = s->withheld};
    blocks[2] = sbl_block_of_moments("moments.products", SBL_BLOCK_PRODUCTS, &blocks[1], OUTER);
    blocks[3] = sbl_block_of_moments("moments.squares", SBL_BLOCK_SQUARES, &blocks[1], WIDTH);
    *layout = (sbl_layout){blocks, .block_count = BLOCKS, .classes = s->classes, .counts = s->counts,
                           .rows_cap = 1000};
    assert_ok(sbl_sha256(layout->plan_hash, DOOR_KIT_PLAN, strlen(DOOR_KIT_PLAN), NULL, 0, NULL));
}

static const shape shapes[] = {
    {1, false, false, false, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE},
    {1, true, false, false, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE},
    {1, true, false, false, SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE},
    {1, true, true, true, SBL_DISCRETE_LAPLACE, SBL_ADD_REMOVE},
    {3, false, false, true, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE},
    {3, true, false, true, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE},
    {3, true, true, true, SBL_DISCRETE_GAUSSIAN, SBL_ADD_REMOVE},
    {3, false, true, false, SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE},
    {3, true, false, true, SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE},
};

static sbl_sum *make_sum(const sbl_layout *layout)
{
    static const uint32_t labels[3] = {0, 2, 1};
    static const double bins[9] = {1, 0, 0, 0, 1, 0, 0, 1, 0};
    static const double rows[3 * WIDTH] = {.5, .5, .5, .5, 0, 0, -1, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9};
    sbl_sum *sum = NULL;
    assert_ok(sbl_sum_new(&sum, layout, NULL));
    assert_ok(sbl_sum_begin_rows(sum, layout->classes > 1 ? labels : NULL, 3, NULL));
    assert_ok(sbl_sum_add_f64(sum, 0, 0, 3, bins, 3, NULL));
    assert_ok(sbl_sum_add_f64(sum, 1, 0, WIDTH, rows, WIDTH, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
    return sum;
}

static void choose(uint64_t *multipliers, const sbl_layout *layout, const shape *s)
{
    sbl_sensitivity sensitivities[BLOCKS + 1];
    const double by_block[BLOCKS + 1] = {1, 0x1p-14, 0x1p-28, 0x1p-28, 1};
    double weights[BLOCKS + 1];
    const size_t noisy = sbl_layout_noisy_blocks(layout);
    for (size_t i = 0; i < noisy; i++) weights[i] = by_block[sbl_layout_noisy_block(layout, i)];
    assert_ok(sbl_layout_sensitivities(sensitivities, layout, s->mechanism, s->neighbours, NULL));
    assert_ok(sbl_choose_multipliers(multipliers, s->mechanism, s->neighbours, sensitivities, weights, noisy,
                                     0.5, NULL));
}

/* What was charged must be what a certificate derives from the blocks as described. */
static void certify(const char *ledger, const sbl_release *release, const sbl_block *blocks, size_t count)
{
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view = {0};
    sbl_error err = {0};
    FREED(sbl_free) char *text = NULL;
    FREED(sbl_free) char *statement = NULL;
    assert_ok(sbl_ledger_read(&view, sbl_file_item(ledger), NULL));
    const sbl_certificate_release own = {
        .seq = release->seq, .classes = release->classes, .blocks = blocks, .block_count = count};
    const sbl_certificate_facts facts = {&view, .ledger_covers_run_only = true, .releases = &own,
                                         .release_count = 1, .method = "test"};
    assert_ok_or_say(sbl_certificate_write(&text, &facts, &err));
    assert_ok_or_say(sbl_certificate_check(&statement, text, strlen(text), &view, "c", &err));
}

TEST(every_shape_is_released_and_certified_as_charged)
{
    char folder[256];
    temp_folder_make(folder);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const shape *s = &shapes[i];
        const char *ledger = in_folder(folder, "l");
        sbl_block blocks[BLOCKS];
        sbl_block described[BLOCKS + 1];
        sbl_layout layout;
        uint64_t multipliers[BLOCKS + 1];
        sbl_release *release = NULL;
        sbl_error err = {0};
        make_layout(&layout, blocks, s);
        choose(multipliers, &layout, s);
        sbl_layout_describe(described, &layout, multipliers);
        make_roomy_ledger(ledger, s->neighbours);
        sbl_sum *sum = make_sum(&layout);
        const sbl_door_request request = {"test.moments",
                                          .mechanism = s->mechanism,
                                          .neighbours = s->neighbours,
                                          .multipliers = multipliers,
                                          .plan = DOOR_KIT_PLAN,
                                          .ledger = sbl_file_item(ledger),
                                          .release = sbl_file_item(in_folder(folder, "r")),
                                          .overwrite = true};
        if (sbl_privatise(&release, &sum, &request, &err) != SBL_OK)
            fail_msg("shape %zu: %s", i, err.message);
        assert_int_equal(release->block_count, sbl_layout_noisy_blocks(&layout));
        assert_int_equal(release->value_count, sbl_layout_noisy_values(&layout));
        assert_int_equal(sbl_release_find(release, "mean") == NULL, s->withheld);
        assert_int_equal(sbl_release_find(release, "counts") != NULL, s->counts);
        const sbl_block *squares = sbl_release_find(release, "moments.squares");
        const sbl_block *products = sbl_release_find(release, "moments.products");
        assert_true(squares != NULL && products != NULL);
        assert_int_equal(squares->width, WIDTH);
        assert_int_equal(products->width, OUTER * (OUTER - 1) / 2);
        assert_true(squares->scale == blocks[1].scale * blocks[1].scale);
        certify(ledger, release, described, release->block_count);
        sbl_release_free(release);
        (void)remove(ledger);
    }
    temp_folder_remove(folder);
}

TEST(sensitivities_of_moments_follow_from_their_source)
{
    const shape gaussian = {3, true, false, true, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE};
    shape pure = {3, true, false, true, SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE};
    sbl_block blocks[BLOCKS];
    sbl_layout layout;
    sbl_sensitivity s[BLOCKS + 1];
    sbl_error err = {0};
    make_layout(&layout, blocks, &gaussian);
    assert_ok(sbl_layout_sensitivities(s, &layout, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, NULL));
    assert_true(s[0].family == 0 && s[1].family != 0 && s[4].family == 0);
    assert_true(s[2].family == s[1].family && s[3].family == s[1].family);
    assert_true(!s[1].is_moments && s[2].is_moments && s[3].is_moments);
    assert_true(s[1].same_label == 4 * R2 && s[1].label_change == 2 * R2);
    assert_true(s[2].same_label == R2 * R2 && s[2].one_record == R2 * R2 / 2);
    assert_true(s[3].same_label == 2 * R2 * R2 && s[3].one_record == R2 * R2);
    /* Pure: the larger number of coordinates counts for both. */
    make_layout(&layout, blocks, &pure);
    assert_ok(sbl_layout_sensitivities(s, &layout, SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE, NULL));
    assert_true(s[2].label_change == (WIDTH + 1) * R2 && s[3].label_change == (WIDTH + 1) * R2);
    /* Whichever of them comes first. */
    const sbl_block products = blocks[2];
    blocks[2] = blocks[3];
    blocks[3] = products;
    assert_ok(sbl_layout_sensitivities(s, &layout, SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE, NULL));
    assert_true(s[2].label_change == (WIDTH + 1) * R2 && s[3].label_change == (WIDTH + 1) * R2);
    /* A mean needs its L1 bound, unless it is withheld. */
    blocks[1].bound1 = 0;
    assert_int_equal(sbl_layout_sensitivities(s, &layout, SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE, &err),
                     SBL_EARG);
    assert_non_null(strstr(err.message, "'mean'"));
    pure.withheld = true;
    make_layout(&layout, blocks, &pure);
    blocks[1].bound1 = 0;
    assert_ok(sbl_layout_sensitivities(s, &layout, SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE, NULL));
    assert_true(s[1].is_moments && s[1].label_change == (WIDTH + 1) * R2);
}
