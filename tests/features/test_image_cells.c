/* SPDX-License-Identifier: Apache-2.0 */
/* Cells inside classes: what a plan says of them, that an image's cell depends on that image alone, and what one record may
 * move in a sum by cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/backend/backend_internal.h"
#include "base/random/model_rng.h"
#include "public/features/image_cells.h"
#include "records/accumulate/sum.h"
#include "records/features/cell_labels.h"
#include "records/features/features.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"

FREES(sbl_encoder_workspace_free);
FREES(sbl_image_cells_free);
FREES(sbl_sum_free);

#define ROWS 40
#define CELLS 3
#define SIZE 20 /* numbers of a digit of the kit */

typedef struct cells_kit {
    sbl_facts facts;
    sbl_image_cells *cells;
    sbl_plan plan;
    sbl_features features;
    uint8_t pixels[ROWS * SIZE];
    uint32_t labels[ROWS];
} cells_kit;

static void draw_images(cells_kit *kit)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 1);
    for (size_t i = 0; i < ROWS * SIZE; i++) kit->pixels[i] = (uint8_t)sbl_model_rng_below(&rng, 256);
    for (size_t r = 0; r < ROWS; r++) kit->labels[r] = (uint32_t)(r % kit->facts.classes);
}

/* The place of image `row`. */
static void place_of(float *place, const cells_kit *kit, size_t row)
{
    const sbl_perceptual *space = &kit->cells->space;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    float image[SIZE];
    FREED(sbl_encoder_workspace_free) sbl_encoder_workspace *workspace;
    FREED(free) float *point = malloc(space->width * sizeof *point);
    for (size_t i = 0; i < SIZE; i++) image[i] = (float)kit->pixels[row * SIZE + i] / 255.0f;
    assert_int_equal(sbl_encoded_workspace(&workspace, &space->encoded, 1, false, &sbl_backend_cpu, NULL),
                     SBL_OK);
    sbl_encoder_forward(workspace, image, 1);
    sbl_points_job job = sbl_perceptual_points(space, values, workspace, 1);
    job.points = point;
    sbl_points_forward(&job);
    sbl_image_cells_project(place, kit->cells, point);
}

/* Directions at random; the centres of a class are the places of three images. */
static void make_cells(cells_kit *kit)
{
    static const sbl_encoded_ask ask = {.rule = SBL_ENCODED_SCALES};
    sbl_encoded encoded;
    sbl_model_rng rng;
    assert_int_equal(sbl_encoded_choose(&encoded, &kit->facts, &ask, NULL), SBL_OK);
    assert_int_equal(sbl_image_cells_new(&kit->cells, &kit->facts, &encoded, CELLS, NULL), SBL_OK);
    sbl_image_cells *cells = kit->cells;
    const size_t width = cells->space.width, each = cells->dimensions;
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 2);
    for (size_t i = 0; i < each * width; i++)
        cells->projection[i] = (int8_t)((int)sbl_model_rng_below(&rng, 255) - 127);
    for (size_t k = 0; k < kit->facts.classes * CELLS; k++) place_of(cells->centres + k * each, kit, k);
}

static void kit_make(cells_kit *kit)
{
    *kit = (cells_kit){.labels = {0}};
    data_facts(&kit->facts, DATA_DIGITS);
    kit->facts.encoder_path = NULL; /* the built-in one */
    assert_int_equal(kit->facts.shape.numeric, SIZE);
    draw_images(kit);
    make_cells(kit);
    assert_int_equal(sbl_plan_init(&kit->plan, "mepf", NULL), SBL_OK);
    kit->plan.counts = true;
    assert_int_equal(sbl_plan_set(&kit->plan, SBL_CELLS_SETTING, sbl_image_cells_to_json(kit->cells), NULL),
                     SBL_OK);
    assert_int_equal(
        sbl_plan_add(&kit->plan, SBL_PERCEPTUAL, data_parameters(SBL_PERCEPTUAL, 0, &kit->facts), 1, NULL),
        SBL_OK);
    assert_int_equal(sbl_plan_finish(&kit->plan, &kit->facts, NULL), SBL_OK);
    assert_int_equal(sbl_features_make(&kit->features, &kit->plan, &kit->facts, NULL, NULL), SBL_OK);
}

static void kit_clear(cells_kit *kit)
{
    sbl_features_clear(&kit->features);
    sbl_plan_clear(&kit->plan);
    sbl_image_cells_free(kit->cells);
    sbl_facts_clear(&kit->facts);
}

static sbl_records records_of(const cells_kit *kit, size_t first, size_t rows)
{
    return (sbl_records){.pixels = kit->pixels + first * SIZE, .labels = kit->labels + first, .rows = rows};
}

TEST(a_plan_gives_back_its_cells)
{
    cells_kit kit;
    FREED(sbl_image_cells_free) sbl_image_cells *again = NULL;
    kit_make(&kit);
    assert_int_equal(kit.features.layout.classes, kit.facts.classes * CELLS);
    assert_int_equal(sbl_image_cells_number(kit.plan.settings), CELLS);
    assert_int_equal(sbl_image_cells_read(&again, &kit.facts, kit.plan.settings, NULL), SBL_OK);
    assert_memory_equal(again->projection, kit.cells->projection, again->dimensions * again->space.width);
    assert_memory_equal(again->centres, kit.cells->centres,
                        again->classes * again->number * again->dimensions * sizeof(float));
    kit_clear(&kit);
}

static void refuse(const cells_kit *kit, const char *name, json_t *value)
{
    sbl_image_cells *no = NULL;
    json_t *settings = json_deep_copy(kit->plan.settings);
    json_object_set_new(json_object_get(settings, SBL_CELLS_SETTING), name, value);
    assert_int_equal(sbl_image_cells_read(&no, &kit->facts, settings, NULL), SBL_EINPUT);
    assert_null(no);
    json_decref(settings);
}

TEST(damaged_cells_are_refused)
{
    cells_kit kit;
    kit_make(&kit);
    refuse(&kit, "number", json_integer(1));
    refuse(&kit, "number", json_integer(CELLS + 1)); /* centres are too few */
    refuse(&kit, "number", json_integer(SBL_CELLS_MOST + 1));
    refuse(&kit, "dimensions", json_integer(SBL_CELLS_DIMENSIONS - 1));
    refuse(&kit, "centres", json_string("zz"));
    refuse(&kit, "projection", json_string(""));
    refuse(&kit, "space", json_object());
    refuse(&kit, "more", json_true());
    const char *centres =
        json_string_value(json_object_get(json_object_get(kit.plan.settings, SBL_CELLS_SETTING), "centres"));
    char *infinite = strdup(centres);
    memcpy(infinite, "0000807f", 8); /* infinity, low byte first */
    refuse(&kit, "centres", json_string(infinite));
    free(infinite);
    kit_clear(&kit);
}

/* One by one or sixteen at a time, in whatever company: the same cells, of the image's own class. */
TEST(the_cell_of_an_image_depends_on_it_alone)
{
    cells_kit kit;
    sbl_cell_labels *labels = NULL;
    uint32_t alone[ROWS];
    size_t used[64] = {0};
    kit_make(&kit);
    assert_int_equal(sbl_cell_labels_new(&labels, kit.features.cells, NULL), SBL_OK);
    for (size_t r = 0; r < ROWS; r++) {
        const sbl_records one = records_of(&kit, r, 1);
        alone[r] = sbl_cell_labels_find(labels, &one)[0];
        assert_int_equal(alone[r] / CELLS, kit.labels[r]);
        used[alone[r]]++;
    }
    size_t cells = 0;
    for (size_t i = 0; i < 64; i++) cells += used[i] > 0;
    assert_true(cells > kit.facts.classes); /* they are divided */
    for (size_t first = 0; first < ROWS; first += 7) {
        const size_t rows = ROWS - first < SBL_IMAGE_SLICE_ROWS ? ROWS - first : SBL_IMAGE_SLICE_ROWS;
        const sbl_records some = records_of(&kit, first, rows);
        assert_memory_equal(sbl_cell_labels_find(labels, &some), alone + first, rows * sizeof *alone);
    }
    kit.labels[0] = 1000; /* no class */
    const sbl_records strange = records_of(&kit, 0, 1);
    assert_true(sbl_cell_labels_find(labels, &strange)[0] < CELLS);
    sbl_cell_labels_free(labels);
    kit_clear(&kit);
}

static sbl_sum *sum_of(const cells_kit *kit, size_t rows)
{
    sbl_sum *sum = NULL;
    sbl_feature_workspaces *workspaces = NULL;
    assert_int_equal(sbl_sum_new(&sum, &kit->features.layout, NULL), SBL_OK);
    assert_int_equal(sbl_feature_workspaces_new(&workspaces, &kit->features, NULL), SBL_OK);
    for (size_t first = 0; first < rows; first += SBL_IMAGE_SLICE_ROWS) {
        const size_t left = rows - first;
        const sbl_records some =
            records_of(kit, first, left < SBL_IMAGE_SLICE_ROWS ? left : SBL_IMAGE_SLICE_ROWS);
        assert_int_equal(sbl_features_add(sum, workspaces, &some, NULL), SBL_OK);
    }
    sbl_feature_workspaces_free(workspaces);
    return sum;
}

/* With it and without it: one cell differs, by no more than the bound, and one count by 1. */
TEST(a_record_adds_one_vector_to_one_cell)
{
    cells_kit kit;
    kit_make(&kit);
    FREED(sbl_sum_free) sbl_sum *all = sum_of(&kit, ROWS);
    FREED(sbl_sum_free) sbl_sum *others = sum_of(&kit, ROWS - 1);
    const sbl_block *block = &kit.features.layout.blocks[0];
    const size_t cells = kit.features.layout.classes;
    const int64_t *a = sbl_sum_values(all, 0), *b = sbl_sum_values(others, 0);
    size_t moved = 0, counted = 0;
    for (size_t c = 0; c < cells; c++) {
        double squares = 0;
        for (size_t j = 0; j < block->width; j++) {
            const double apart = (double)(a[c * block->width + j] - b[c * block->width + j]);
            squares += apart * apart;
        }
        const int64_t count = sbl_sum_counts(all)[c] - sbl_sum_counts(others)[c];
        assert_true(squares <= (double)block->bound2 && count >= 0 && count <= 1);
        assert_int_equal(squares > 0, count);
        moved += squares > 0;
        counted += (size_t)count;
    }
    assert_int_equal(moved, 1);
    assert_int_equal(counted, 1);
    kit_clear(&kit);
}

static void expect_same_sums(const cells_kit *kit, const sbl_sum *a, const sbl_sum *b)
{
    const size_t classes = kit->features.layout.classes, width = kit->features.layout.blocks[0].width;
    assert_memory_equal(sbl_sum_values(a, 0), sbl_sum_values(b, 0), classes * width * sizeof(int64_t));
    assert_memory_equal(sbl_sum_counts(a), sbl_sum_counts(b), classes * sizeof *sbl_sum_counts(a));
}

/* The way through the encoder that finds an image's cell is that of its features, to the bit, where both take the same of
 * it. */
TEST(an_image_is_seen_once_for_its_cell_and_its_features)
{
    static const double scales[] = {0.2, 0.4};
    cells_kit kit;
    kit_make(&kit);
    assert_null(kit.features.seen); /* other layers than those of the cells */
    sbl_features_clear(&kit.features);
    sbl_plan_clear(&kit.plan);
    assert_int_equal(sbl_plan_init(&kit.plan, "mepf", NULL), SBL_OK);
    kit.plan.counts = true;
    assert_int_equal(sbl_plan_set(&kit.plan, SBL_CELLS_SETTING, sbl_image_cells_to_json(kit.cells), NULL),
                     SBL_OK);
    json_t *parameters = sbl_perceptual_parameters(&kit.cells->space.encoded, 74, scales, 2, 5);
    assert_int_equal(sbl_plan_add(&kit.plan, SBL_PERCEPTUAL, parameters, 1, NULL), SBL_OK);
    assert_int_equal(sbl_plan_finish(&kit.plan, &kit.facts, NULL), SBL_OK);
    assert_int_equal(sbl_features_make(&kit.features, &kit.plan, &kit.facts, NULL, NULL), SBL_OK);
    assert_ptr_equal(kit.features.seen, &kit.features.items[0]);
    FREED(sbl_sum_free) sbl_sum *once = sum_of(&kit, ROWS);
    kit.features.seen = NULL;
    FREED(sbl_sum_free) sbl_sum *twice = sum_of(&kit, ROWS);
    expect_same_sums(&kit, once, twice);
    kit_clear(&kit);
}
