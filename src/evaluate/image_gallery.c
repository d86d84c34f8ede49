/* Nearest real images, and pictures to look at. */
#include <math.h>
#include <stdlib.h>

#include "evaluate/image_pictures.h"
#include "evaluate/image_study.h"

#define NEAREST 4
#define CLOSEST_IMAGES 100

/* Where neighbours are sought: among the images that may have been fitted. */
static const sbl_image_data *reference_of(const sbl_image_study *s)
{
    const sbl_image_data *real = s->sides[SBL_SIDE_REAL].images;
    return real != NULL ? real : s->test;
}

/* --- how close is the closest? --- */

static int by_value(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

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
        sbl_image_nearest(&index, &distances[i], 1,
                          images->pixels + image * sbl_image_size(images->shape), reference);
        *copies += distances[i] == 0 ? 1 : 0;
    }
    qsort(distances, count, sizeof *distances, by_value);
    *median = (distances[(count - 1) / 2] + distances[count / 2]) / 2;
    return count;
}

/* The ceiling is the distance from the test images: real ones that are no copies. */
sbl_status sbl_image_measure_closest(json_t *result, const sbl_image_study *s, sbl_error *err)
{
    const sbl_image_data *real = s->sides[SBL_SIDE_REAL].images;
    const sbl_image_data *from[SBL_SIDE_COUNT] = {s->sides[SBL_SIDE_SYNTHETIC].images,
                                                  s->sides[SBL_SIDE_FLOOR].images, s->test};
    double medians[SBL_SIDE_COUNT] = {NAN, NAN, NAN};
    size_t copies[SBL_SIDE_COUNT] = {0}, counts[SBL_SIDE_COUNT] = {0};
    if (real == NULL) return sbl_image_set(result, "closest", json_null(), err);
    for (int side = 0; side < SBL_SIDE_COUNT; side++)
        if (from[side] != NULL)
            counts[side] =
                closest_of(&medians[side], &copies[side], from[side], real,
                           sbl_progress_part(&s->progress, (uint64_t)side, SBL_SIDE_COUNT));
    return sbl_image_set(result, "closest",
                         json_pack("{s:o,s:I,s:{s:I,s:I,s:I,s:I}}", "distance",
                                   sbl_image_triple(medians), "reference", (json_int_t)real->count,
                                   "copies", "synthetic", (json_int_t)copies[SBL_SIDE_SYNTHETIC],
                                   "of_synthetic", (json_int_t)counts[SBL_SIDE_SYNTHETIC],
                                   "holdout", (json_int_t)copies[SBL_SIDE_REAL], "of_holdout",
                                   (json_int_t)counts[SBL_SIDE_REAL]),
                         err);
}

/* --- pictures --- */

static json_t *neighbour_entry(size_t synthetic, const uint32_t *index, const double *distance,
                               size_t count)
{
    json_t *real = json_array(), *distances = json_array();
    for (size_t k = 0; k < count; k++) {
        (void)json_array_append_new(real, json_integer((json_int_t)index[k]));
        (void)json_array_append_new(distances, json_real(distance[k]));
    }
    return json_pack("{s:I,s:o,s:o}", "synthetic", (json_int_t)synthetic, "real", real, "distance",
                     distances);
}

/* Two synthetic images on a line, each followed by its neighbours, with a gap between the two. */
#define LINE_PLACES (2 * (NEAREST + 1) + 1)

static sbl_picture *place_of(sbl_picture *places, size_t number)
{
    return &places[number / 2 * LINE_PLACES + number % 2 * (NEAREST + 2)];
}

/* Synthetic images at even steps, each with its nearest real ones: a list and a grid. */
static sbl_status find_neighbours(json_t *result, json_t *grids, const sbl_image_study *s,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    const sbl_image_data *synthetic = s->sides[SBL_SIDE_SYNTHETIC].images;
    const sbl_image_data *real = reference_of(s);
    sbl_picture places[(SBL_IMAGE_MAX_NEIGHBOURS + 1) / 2 * LINE_PLACES] = {0};
    size_t sought = s->options->neighbours;
    const size_t count = real->count < NEAREST ? real->count : NEAREST;
    json_t *list = json_array(), *grid = NULL;
    if (sought > synthetic->count) sought = synthetic->count;
    for (size_t i = 0; i < sought; i++) {
        const size_t image = i * (synthetic->count / sought);
        uint32_t index[NEAREST];
        double distance[NEAREST];
        sbl_picture *place = place_of(places, i);
        if (!sbl_progress_goes_on(&s->progress, i, sought)) SBL_TRY(sbl_progress_fail(err));
        sbl_image_nearest(index, distance, count,
                          synthetic->pixels + image * sbl_image_size(synthetic->shape), real);
        place[0] = (sbl_picture){synthetic, image};
        for (size_t k = 0; k < count; k++) place[k + 1] = (sbl_picture){real, index[k]};
        SBL_TRY(sbl_image_append(list, neighbour_entry(image, index, distance, count), err));
    }
    if (sought != 0) {
        SBL_TRY(sbl_picture_grid(&grid, "Synthetic images, each followed by the nearest real ones",
                                 places, (sought + 1) / 2, LINE_PLACES, synthetic->shape, err));
        SBL_TRY(sbl_image_append(grids, grid, err));
    }
    SBL_TRY(sbl_image_set(result, "neighbours", json_incref(list), err));
done:
    json_decref(list);
    return status;
}

sbl_status sbl_image_draw_pictures(json_t *result, const sbl_image_study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    json_t *grids = json_array(), *grid = NULL;
    SBL_TRY(
        sbl_picture_classes(&grid, "Synthetic images", s->sides[SBL_SIDE_SYNTHETIC].images, err));
    SBL_TRY(sbl_image_append(grids, grid, err));
    SBL_TRY(sbl_picture_classes(&grid, "Real images", s->test, err));
    SBL_TRY(sbl_image_append(grids, grid, err));
    if (s->sides[SBL_SIDE_FLOOR].images != NULL) {
        SBL_TRY(sbl_picture_classes(&grid, "The floor: real pixels of a class, drawn one by one",
                                    s->sides[SBL_SIDE_FLOOR].images, err));
        SBL_TRY(sbl_image_append(grids, grid, err));
    }
    SBL_TRY(find_neighbours(result, grids, s, err));
    SBL_TRY(sbl_image_set(result, "grids", json_incref(grids), err));
done:
    json_decref(grids);
    return status;
}
