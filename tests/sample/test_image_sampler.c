/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing images: image i of a seed is one image, whatever is drawn with it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "after/sample/sampler.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

enum { SIZE = 6 * 5, COUNT = 150 };

static sbl_generator make(size_t classes)
{
    const sbl_network network = {.latent = 3, .hidden = {6, 4, 2}, .count = 3};
    sbl_image_facts images;
    sbl_facts facts;
    sbl_generator generator;
    assert_ok(sbl_image_facts_init(&images, 6, 5, 1, classes, NULL, NULL));
    assert_ok(sbl_facts_of_images(&facts, &images, false, NULL));
    assert_ok(sbl_generator_init(&generator, &facts, &network, NULL));
    sbl_net_randomise(&generator.net, 4);
    for (size_t i = 0; i < generator.net.weight_count; i++) generator.net.weights[i] *= 3;
    sbl_image_facts_clear(&images);
    sbl_facts_clear(&facts);
    return generator;
}

static void draw(uint8_t *pixels, uint32_t *labels, sbl_generator *generator, uint64_t seed, uint64_t first,
                 size_t count, size_t wanted)
{
    sbl_sampler *sampler;
    sbl_error err = {0};
    assert_ok(sbl_sampler_new(&sampler, generator, seed, &err));
    const sbl_drawn out = {.pixels = pixels, .labels = labels};
    assert_ok(sbl_sampler_draw(sampler, &out, first, count, wanted, &err));
    sbl_sampler_free(sampler);
}

TEST(an_image_is_the_same_in_any_company)
{
    static uint8_t all[COUNT * SIZE], some[COUNT * SIZE];
    uint32_t labels[COUNT], few[COUNT];
    const size_t cuts[][2] = {{0, 1}, {63, 2}, {64, 64}, {1, 149}, {149, 1}, {100, 37}};
    CLEARED(sbl_generator_clear) sbl_generator g = make(3);
    draw(all, labels, &g, 7, 0, COUNT, SBL_ANY_CLASS);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        draw(some, few, &g, 7, cuts[i][0], cuts[i][1], SBL_ANY_CLASS);
        assert_memory_equal(some, all + cuts[i][0] * SIZE, cuts[i][1] * SIZE);
        assert_memory_equal(few, labels + cuts[i][0], cuts[i][1] * sizeof *few);
    }
    draw(some, few, &g, 8, 0, COUNT, SBL_ANY_CLASS);
    assert_memory_not_equal(some, all, sizeof all);
}

TEST(classes_come_by_their_shares_or_as_wanted)
{
    enum { MANY = 3000 };
    FREED(free) uint8_t *pixels = malloc((size_t)MANY * SIZE);
    FREED(free) uint32_t *labels = malloc(MANY * sizeof *labels);
    size_t counts[3] = {0};
    CLEARED(sbl_generator_clear) sbl_generator g = make(3);
    g.class_shares[0] = 0.7f, g.class_shares[1] = 0, g.class_shares[2] = 0.3f;
    draw(pixels, labels, &g, 1, 0, MANY, SBL_ANY_CLASS);
    for (size_t i = 0; i < MANY; i++) counts[labels[i]]++;
    assert_int_equal(counts[1], 0);
    assert_true(counts[0] > 1950 && counts[0] < 2250); /* 2100, six standard deviations of 25 */
    draw(pixels, labels, &g, 1, 0, COUNT, 1);          /* of share 0 */
    for (size_t i = 0; i < COUNT; i++) assert_int_equal(labels[i], 1);
}

TEST(sets_without_labels_and_without_room_for_them_are_drawn)
{
    static uint8_t pixels[COUNT * SIZE];
    CLEARED(sbl_generator_clear) sbl_generator g = make(0);
    draw(pixels, NULL, &g, 1, 0, COUNT, SBL_ANY_CLASS);
    assert_memory_not_equal(pixels, pixels + SIZE, SIZE);
}

TEST(what_cannot_be_drawn_is_refused)
{
    uint8_t pixels[SIZE];
    sbl_sampler *sampler;
    CLEARED(sbl_generator_clear) sbl_generator g = make(3);
    assert_ok(sbl_sampler_new(&sampler, &g, 0, NULL));
    const sbl_drawn out = {.pixels = pixels};
    assert_int_equal(sbl_sampler_draw(sampler, &out, 0, 1, 3, NULL), SBL_EARG);
    assert_int_equal(sbl_sampler_draw(sampler, &out, UINT64_C(1) << 56, 1, 0, NULL), SBL_EARG);
    sbl_sampler_free(sampler);
    for (long n = 0; sbl_test_fail_next(&n);)
        if (sbl_test_no_memory(sbl_sampler_new(&sampler, &g, 0, NULL))) assert_null(sampler);
    sbl_sampler_free(sampler);
}
