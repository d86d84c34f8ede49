/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest real images by exact integer distances, and grids of images to look at, as PNG files in base64. NOT PRIVATE: a grid
 * of real images shows records as they are. */
#include "owner/evaluate/image_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/sinks/image_writer.h"
#include "base/alloc.h"
#include "base/json.h"
#include "base/order.h"
#include "owner/fidelity/compared_tables.h"
#include "public/image/png.h"

/* {"caption": ..., "png_base64": ...} */
static sbl_status add_grid(json_t **grids, const char *caption, const sbl_image_grid *grid, sbl_error *err)
{
    sbl_text png = {0};
    char *text = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_image_grid_encode(grid, &png, err));
    SBL_TRY(sbl_png_base64(&text, &png, err));
    *grids = sbl_json_append(*grids, json_pack("{s:s,s:s}", "caption", caption, "png_base64", text));
done:
    sbl_text_clear(&png);
    sbl_free(text);
    return status;
}

/* The first images of every class, one row per class; of a set without labels, the first ones. */
#define COLUMNS ((size_t)10)
#define ROWS ((size_t)20) /* at most: further classes are left out */

static sbl_status show_classes(json_t **grids, const char *caption, const sbl_image_data *images,
                               sbl_error *err)
{
    sbl_image_grid *grid = NULL;
    size_t rows = images->classes != 0 ? images->classes : ROWS / 2;
    sbl_status status = SBL_OK;
    if (rows > ROWS) rows = ROWS;
    SBL_TRY(sbl_image_grid_new(&grid, images->shape, rows, COLUMNS, err));
    sbl_image_grid_add(grid, images->pixels, images->classes != 0 ? images->labels : NULL, images->count);
    SBL_TRY(add_grid(grids, caption, grid, err));
done:
    sbl_image_grid_free(grid);
    return status;
}

/* ---- nearest neighbours ---- */

/* Exact: at most 128 x 128 x 3 differences of 255^2. */
static uint64_t squared_distance(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t sum = 0;
    for (size_t j = 0; j < size; j++) {
        const int difference = (int)a[j] - (int)b[j];
        sum += (uint64_t)(difference * difference);
    }
    return sum;
}

void sbl_image_nearest(uint32_t *index, double *distance, size_t count, const uint8_t *image,
                       const sbl_image_data *real)
{
    uint64_t best[SBL_MAX_NEIGHBOURS] = {0};
    const size_t size = sbl_image_size(real->shape);
    size_t found = 0;
    for (size_t i = 0; i < real->count; i++) {
        const uint64_t d = squared_distance(image, real->pixels + i * size, size);
        if (found == count && d >= best[count - 1]) continue;
        size_t place = found < count ? found++ : count - 1;
        for (; place > 0 && best[place - 1] > d; place--) {
            best[place] = best[place - 1];
            index[place] = index[place - 1];
        }
        best[place] = d;
        index[place] = (uint32_t)i;
    }
    for (size_t k = 0; k < count; k++) distance[k] = sqrt((double)best[k] / (double)size) / 255;
}

#define NEAREST 4
#define CLOSEST_IMAGES 100

/* Where neighbours are sought: among the images that may have been fitted. */
static const sbl_image_data *reference_of(const sbl_image_study *s)
{
    const sbl_image_data *real = s->sides[SBL_SIDE_REAL].images;
    return real != NULL ? real : s->test;
}

/* --- how close is the closest? --- */

/* The median distance from images at even steps to the nearest of reference, and how many of them
 * are copies. */
static size_t closest_of(double *median, size_t *copies, const sbl_image_data *images,
                         const sbl_image_data *reference, sbl_progress_span progress)
{
    double distances[CLOSEST_IMAGES];
    const size_t count = images->count < CLOSEST_IMAGES ? images->count : CLOSEST_IMAGES;
    *copies = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t index;
        distances[i] = 0;
        if (!sbl_progress_goes_on(&progress, i, count)) continue;
        const size_t image = i * (images->count / count);
        sbl_image_nearest(&index, &distances[i], 1, images->pixels + image * sbl_image_size(images->shape),
                          reference);
        *copies += distances[i] == 0 ? 1 : 0;
    }
    qsort(distances, count, sizeof *distances, sbl_double_order);
    *median = (distances[(count - 1) / 2] + distances[count / 2]) / 2;
    return count;
}

/* The ceiling is the distance from the test images: real ones that are not copies. */
sbl_status sbl_image_measure_closest(json_t **result, const sbl_image_study *s, sbl_error *err)
{
    const sbl_image_data *real = s->sides[SBL_SIDE_REAL].images;
    const sbl_image_data *from[SBL_SIDE_COUNT] = {s->sides[SBL_SIDE_SYNTHETIC].images,
                                                  s->sides[SBL_SIDE_FLOOR].images, s->test};
    double medians[SBL_SIDE_COUNT] = {NAN, NAN, NAN};
    size_t copies[SBL_SIDE_COUNT] = {0}, counts[SBL_SIDE_COUNT] = {0};
    (void)err;
    if (real == NULL) {
        *result = sbl_json_put(*result, "closest", json_null());
        return SBL_OK;
    }
    for (int side = 0; side < SBL_SIDE_COUNT; side++)
        if (from[side] != NULL)
            counts[side] = closest_of(&medians[side], &copies[side], from[side], real,
                                      sbl_progress_part(&s->progress, (uint64_t)side, SBL_SIDE_COUNT));
    *result = sbl_json_put(
        *result, "closest",
        json_pack("{s:o,s:I,s:{s:I,s:I,s:I,s:I}}", "distance", sbl_triple_json(medians), "reference",
                  (json_int_t)real->count, "copies", "synthetic", (json_int_t)copies[SBL_SIDE_SYNTHETIC],
                  "of_synthetic", (json_int_t)counts[SBL_SIDE_SYNTHETIC], "holdout",
                  (json_int_t)copies[SBL_SIDE_REAL], "of_holdout", (json_int_t)counts[SBL_SIDE_REAL]));
    return SBL_OK;
}

/* --- pictures --- */

static json_t *neighbour_entry(size_t synthetic, const uint32_t *index, const double *distance, size_t count)
{
    json_t *real = json_array(), *distances = json_array();
    for (size_t k = 0; k < count; k++) {
        real = sbl_json_append(real, json_integer((json_int_t)index[k]));
        distances = sbl_json_append(distances, json_real(distance[k]));
    }
    return json_pack("{s:I,s:o,s:o}", "synthetic", (json_int_t)synthetic, "real", real, "distance",
                     distances);
}

/* Two synthetic images on a line, each followed by its neighbours, with a gap between the two. */
#define LINE_PLACES (2 * (NEAREST + 1) + 1)

/* The next image of the line; NULL: a place that stays white. */
static void show(sbl_image_grid *grid, uint32_t line, const sbl_image_data *images, size_t index)
{
    sbl_image_grid_add(grid, images != NULL ? images->pixels + index * sbl_image_size(images->shape) : NULL,
                       &line, 1);
}

/* Synthetic images at even steps, each with its nearest real ones: a list and a grid. */
static sbl_status find_neighbours(json_t **result, json_t **grids, const sbl_image_study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const sbl_image_data *synthetic = s->sides[SBL_SIDE_SYNTHETIC].images;
    const sbl_image_data *real = reference_of(s);
    size_t sought = s->options->neighbours;
    const size_t count = real->count < NEAREST ? real->count : NEAREST;
    json_t *list = json_array();
    sbl_image_grid *grid = NULL;
    if (sought > synthetic->count) sought = synthetic->count;
    if (sought != 0) SBL_TRY(sbl_image_grid_new(&grid, synthetic->shape, (sought + 1) / 2, LINE_PLACES, err));
    for (size_t i = 0; i < sought; i++) {
        const size_t image = i * (synthetic->count / sought);
        const uint32_t line = (uint32_t)(i / 2);
        uint32_t index[NEAREST];
        double distance[NEAREST];
        if (!sbl_progress_goes_on(&s->progress, i, sought)) SBL_TRY(sbl_progress_fail(err));
        sbl_image_nearest(index, distance, count,
                          synthetic->pixels + image * sbl_image_size(synthetic->shape), real);
        show(grid, line, synthetic, image);
        for (size_t k = 0; k < NEAREST; k++)
            show(grid, line, k < count ? real : NULL, k < count ? index[k] : 0);
        if (i % 2 == 0) show(grid, line, NULL, 0);
        list = sbl_json_append(list, neighbour_entry(image, index, distance, count));
    }
    if (sought != 0)
        SBL_TRY(add_grid(grids, "Synthetic images, each followed by the nearest real ones", grid, err));
    *result = sbl_json_put(*result, "neighbours", json_incref(list));
done:
    sbl_image_grid_free(grid);
    json_decref(list);
    return status;
}

sbl_status sbl_image_draw_pictures(json_t **result, const sbl_image_study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    json_t *grids = json_array();
    SBL_TRY(show_classes(&grids, "Synthetic images", s->sides[SBL_SIDE_SYNTHETIC].images, err));
    SBL_TRY(show_classes(&grids, "Real images", s->test, err));
    if (s->sides[SBL_SIDE_FLOOR].images != NULL)
        SBL_TRY(show_classes(&grids,
                             s->test->classes != 0 ? "The floor: real pixels of a class, drawn one by one"
                                                   : "The floor: real pixels, drawn one by one",
                             s->sides[SBL_SIDE_FLOOR].images, err));
    SBL_TRY(find_neighbours(result, &grids, s, err));
    *result = sbl_json_put(*result, "grids", json_incref(grids));
done:
    json_decref(grids);
    return status;
}
