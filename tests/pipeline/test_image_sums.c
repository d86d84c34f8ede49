/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to the door of an image set: the exact sums of its features by class, and counts where
 * they are needed. */
#include <math.h>

#include <stdio.h>

#include "records/features/orthogonal.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"
#include "run/pipeline/rounds.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "support/option_kit.h"
#include "support/sum_kit.h"

enum {
    IMAGES = 41,
    HEIGHT = 9,
    WIDTH = 7,
    SIZE = HEIGHT * WIDTH,
    CLASSES = 3,
    FEATURES = 150 /* as the option says */
};

static uint8_t pixels[IMAGES][SIZE], labels[IMAGES];

static void write_idx(const char *name, const char *head, size_t head_size, const void *bytes, size_t size)
{
    FILE *file = fopen(in_folder(folder, name), "wb");
    assert_non_null(file);
    (void)fwrite(head, 1, head_size, file);
    (void)fwrite(bytes, 1, size, file);
    (void)fclose(file);
}

AROUND(fresh)
{
    static const char image_head[16] = {0, 0, 8, 3, 0, 0, 0, IMAGES, 0, 0, 0, HEIGHT, 0, 0, 0, WIDTH};
    static const char label_head[8] = {0, 0, 8, 1, 0, 0, 0, IMAGES};
    temp_folder_make(folder);
    for (size_t i = 0; i < IMAGES; i++) {
        labels[i] = i == 5 ? 200 : (uint8_t)(i % CLASSES); /* 200: no class, so class 0 */
        for (size_t p = 0; p < SIZE; p++) pixels[i][p] = (uint8_t)(i * 37 + p * p * 11);
    }
    write_idx("images", image_head, sizeof image_head, pixels, sizeof pixels);
    write_idx("labels", label_head, sizeof label_head, labels, sizeof labels);
}

static sbl_synth_options options_of(sbl_neighbours neighbours)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = "merf";
    give(&options, "features", "150");
    options.neighbours = neighbours;
    options.threads = 3;
    return options;
}

static void add_features(double sums[CLASSES][FEATURES], const sbl_orthogonal *frequencies, size_t image)
{
    const size_t n = frequencies->size, class = labels[image] < CLASSES ? labels[image] : 0;
    float x[SIZE], features[2 * 64], scratch[64];
    assert_int_equal(n, 64);
    for (size_t p = 0; p < SIZE; p++) x[p] = (float)pixels[image][p] / 255.0f;
    for (size_t b = 0; b < frequencies->blocks; b++) {
        sbl_orthogonal_rows(frequencies, features, 2 * n, x, SIZE, 1, b, scratch);
        for (size_t j = 0; j < 2 * sbl_orthogonal_used(frequencies, b); j++)
            sums[class][2 * b * n + j] += (double)features[j];
    }
}

/* Every image counts in full: as long as the bound, in units of the scale, in the class of its
 * label. */
TEST(sums_are_those_of_every_image_s_features_by_class)
{
    static double want[CLASSES][FEATURES];
    sbl_error err = {0};
    char images_path[300], labels_path[300];
    (void)snprintf(images_path, sizeof images_path, "%s/images", folder);
    (void)snprintf(labels_path, sizeof labels_path, "%s/labels", folder);
    const sbl_image_place origin = {.images = images_path, .labels = labels_path, .classes = CLASSES};
    const sbl_synth_options options = options_of(SBL_REPLACE_ONE);
    sbl_source *source = NULL;
    sbl_facts facts;
    sbl_rounds rounds;
    planned p;
    assert_ok(sbl_source_open_images(&source, &facts, &origin, false, &err));
    assert_ok(sbl_rounds_begin(&rounds, &facts, &options, &err));
    planned_make(&p, rounds.items[0].plan.text);
    sbl_sum *sum = sum_of_source(&p, source, 3);
    assert_int_equal(sbl_sum_rows(sum), IMAGES);
    for (size_t i = 0; i < IMAGES; i++) add_features(want, p.features.items[0].made, i);
    const sbl_block *block = &p.features.layout.blocks[0];
    const int64_t *have = sbl_sum_values(sum, 0), *counts = sbl_sum_counts(sum);
    /* A quantised number is within two units of the feature: rounding, and a nudge below the bound.
     */
    for (size_t i = 0; i < CLASSES * FEATURES; i++)
        if (fabs((double)have[i] - block->scale * want[i / FEATURES][i % FEATURES]) > 2.0 * IMAGES)
            fail_msg("sum %zu is %.9g features, not %.9g", i, (double)have[i] / block->scale,
                     want[i / FEATURES][i % FEATURES]);
    assert_int_equal(counts[0], 15); /* images 0, 3, ..., 39 and 5 */
    assert_int_equal(counts[1], 14);
    assert_int_equal(counts[2], 12);
    /* The length of one image's features, sqrt(75), is the whole bound: no noise is wasted. */
    const double length2 = block->scale * block->scale * FEATURES / 2;
    assert_true(length2 <= (double)block->bound2 && length2 > 0.999 * (double)block->bound2);
    sbl_sum_free(sum);
    planned_clear(&p);
    sbl_rounds_clear(&rounds);
    sbl_source_close(source);
    sbl_facts_clear(&facts);
}

/* Counts tell how frequent classes are, unless they are declared equally frequent, and how many
 * images there are, where that is not public; a block of its own does where only that is wanted. */
TEST(counts_are_released_only_where_they_are_needed)
{
    static const struct {
        size_t classes;
        bool balanced;
        sbl_neighbours neighbours;
        bool counts, total;
    } cases[] = {{3, false, SBL_REPLACE_ONE, true, false},  {3, true, SBL_REPLACE_ONE, false, false},
                 {0, false, SBL_REPLACE_ONE, false, false}, {3, false, SBL_ADD_REMOVE, true, false},
                 {3, true, SBL_ADD_REMOVE, false, true},    {0, false, SBL_ADD_REMOVE, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sbl_synth_options options = options_of(cases[i].neighbours);
        sbl_image_facts images;
        sbl_facts facts;
        sbl_rounds rounds;
        sbl_error err = {0};
        assert_ok(sbl_image_facts_init(&images, HEIGHT, WIDTH, 1, cases[i].classes, NULL, &err));
        assert_ok(sbl_facts_of_images(&facts, &images, cases[i].balanced, &err));
        assert_ok(sbl_rounds_begin(&rounds, &facts, &options, &err));
        const bool counts = rounds.items[0].features.layout.counts, balanced = facts.balanced;
        const size_t blocks = rounds.items[0].features.layout.block_count;
        sbl_rounds_clear(&rounds);
        sbl_facts_clear(&facts);
        sbl_image_facts_clear(&images);
        if (counts != cases[i].counts || balanced != cases[i].balanced || blocks != (cases[i].total ? 2 : 1))
            fail_msg("case %zu: counts %d, balanced %d, %zu blocks", i, counts, balanced, blocks);
    }
}

EACH_TEST(fresh, remove_folder)
