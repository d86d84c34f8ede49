/* SPDX-License-Identifier: Apache-2.0 */
/* Directions: of some images of each class, less the class's mean, by subspace iteration with Gram-Schmidt; rounded to 8
 * bits. Places of all images: by these directions, as the records' places are found. Then k-means in each class. */
#include "after/train/cell_centres.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/backend/backend_internal.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"

#define BATCH 64     /* images through the encoder at a time: a run of the sampler */
#define DIRECTED 128 /* images of a class that directions are found from */
#define SUBSPACE_STEPS 8
#define MEANS_STEPS 30
#define MOST_DIRECTION 127 /* of the numbers of a direction */

typedef struct finder {
    sbl_image_cells *cells;
    sbl_model *model;
    sbl_encoder_workspace *encoder;
    sbl_drawn drawn;
    float *pixels; /* (BATCH, size) */
    float *points; /* (BATCH, P) */
    float *some;   /* (directed, P): points of some images of each class, less the class's mean */
    float *places; /* (C, each, dimensions) */
    float *basis;  /* (dimensions, P) */
    float *turned; /* (directed, dimensions) */
    size_t each, some_each;
    uint64_t seed;
    sbl_pool pool;
} finder;

static sbl_status allocate(finder *f, sbl_error *err)
{
    const sbl_image_cells *cells = f->cells;
    const size_t width = cells->space.width, size = f->model->facts.shape.numeric;
    const size_t directed = cells->classes * f->some_each;
    sbl_status status = SBL_OK;
    SBL_POOL(&f->pool, f->pixels, BATCH, size, "the cells of images");
    SBL_POOL(&f->pool, f->points, BATCH, width, "the cells of images");
    SBL_POOL(&f->pool, f->some, directed, width, "the cells of images");
    SBL_POOL(&f->pool, f->places, cells->classes * f->each, cells->dimensions, "the cells of images");
    SBL_POOL(&f->pool, f->basis, cells->dimensions, width, "the cells of images");
    SBL_POOL(&f->pool, f->turned, directed, cells->dimensions, "the cells of images");
    SBL_TRY(sbl_encoded_workspace(&f->encoder, &cells->space.encoded, BATCH, false, &sbl_backend_cpu, err));
    SBL_TRY(sbl_drawn_make(&f->drawn, &f->model->facts, BATCH, false, err));
done:
    return status;
}

/* Images first .. first + rows - 1 of a class, as points. */
static sbl_status see(finder *f, size_t class, size_t first, size_t rows, sbl_error *err)
{
    const size_t size = f->model->facts.shape.numeric;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    SBL_CHECK(sbl_model_draw(f->model, &f->drawn, (uint64_t) class * f->each + first, rows, class, err));
    for (size_t i = 0; i < rows * size; i++) f->pixels[i] = (float)f->drawn.pixels[i] / 255.0f;
    sbl_encoder_forward(f->encoder, f->pixels, rows);
    sbl_points_job job = sbl_perceptual_points(&f->cells->space, values, f->encoder, rows);
    job.points = f->points;
    sbl_points_forward(&job);
    return SBL_OK;
}

static size_t batch_of(size_t first, size_t count) { return count - first < BATCH ? count - first : BATCH; }

/* ---- directions ---- */

static sbl_status gather_some(finder *f, sbl_error *err)
{
    const size_t width = f->cells->space.width;
    for (size_t c = 0; c < f->cells->classes; c++) {
        float *own = f->some + c * f->some_each * width;
        for (size_t first = 0; first < f->some_each; first += BATCH) {
            const size_t rows = batch_of(first, f->some_each);
            SBL_CHECK(see(f, c, first, rows, err));
            memcpy(own + first * width, f->points, rows * width * sizeof *own);
        }
        for (size_t i = 0; i < width; i++) {
            double mean = 0;
            for (size_t r = 0; r < f->some_each; r++) mean += (double)own[r * width + i];
            mean /= (double)f->some_each;
            for (size_t r = 0; r < f->some_each; r++) own[r * width + i] -= (float)mean;
        }
    }
    return SBL_OK;
}

static double product(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Rows become orthonormal in order; one that the others span becomes zeros. */
static void orthonormalise(float *basis, size_t count, size_t width)
{
    for (size_t d = 0; d < count; d++) {
        float *row = basis + d * width;
        const double before = sqrt(product(row, row, width));
        for (int twice = 0; twice < 2; twice++)
            for (size_t e = 0; e < d; e++) {
                const float part = (float)product(row, basis + e * width, width);
                for (size_t i = 0; i < width; i++) row[i] -= part * basis[e * width + i];
            }
        const double length = sqrt(product(row, row, width));
        const float factor = length > 1e-5 * before && length > 0 ? (float)(1 / length) : 0;
        for (size_t i = 0; i < width; i++) row[i] *= factor;
    }
}

/* basis = (some' some) basis, by its two products. */
static void turn(finder *f)
{
    const size_t width = f->cells->space.width, dimensions = f->cells->dimensions;
    const size_t rows = f->cells->classes * f->some_each;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++)
        for (size_t d = 0; d < dimensions; d++)
            f->turned[r * dimensions + d] = (float)product(f->some + r * width, f->basis + d * width, width);
    SBL_OMP(omp parallel for schedule(static))
    for (size_t d = 0; d < dimensions; d++) {
        float *row = f->basis + d * width;
        memset(row, 0, width * sizeof *row);
        for (size_t r = 0; r < rows; r++) {
            const float by = f->turned[r * dimensions + d];
            for (size_t i = 0; i < width; i++) row[i] += by * f->some[r * width + i];
        }
    }
}

static void find_directions(finder *f)
{
    const size_t count = f->cells->dimensions * f->cells->space.width;
    float most = 0;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, f->seed, SBL_RNG_CELLS, 0);
    sbl_model_rng_normals(&rng, f->basis, count);
    for (int step = 0; step < SUBSPACE_STEPS; step++) {
        orthonormalise(f->basis, f->cells->dimensions, f->cells->space.width);
        turn(f);
    }
    orthonormalise(f->basis, f->cells->dimensions, f->cells->space.width);
    for (size_t i = 0; i < count; i++) most = fmaxf(most, fabsf(f->basis[i]));
    for (size_t i = 0; i < count && most > 0; i++)
        f->cells->projection[i] = (int8_t)lrintf(f->basis[i] / most * MOST_DIRECTION);
}

/* ---- centres ---- */

static sbl_status place_all(finder *f, sbl_error *err)
{
    const size_t dimensions = f->cells->dimensions, width = f->cells->space.width;
    for (size_t c = 0; c < f->cells->classes; c++)
        for (size_t first = 0; first < f->each; first += BATCH) {
            const size_t rows = batch_of(first, f->each);
            float *places = f->places + (c * f->each + first) * dimensions;
            SBL_CHECK(see(f, c, first, rows, err));
            SBL_OMP(omp parallel for schedule(static))
            for (size_t r = 0; r < rows; r++)
                sbl_image_cells_project(places + r * dimensions, f->cells, f->points + r * width);
        }
    return SBL_OK;
}

/* Each centre becomes the mean of its images; one without any stays. */
static bool move_centres(sbl_image_cells *cells, size_t class, const float *places, size_t count,
                         double *sums, size_t *sizes)
{
    const size_t dimensions = cells->dimensions;
    float *centres = cells->centres + class * cells->number * dimensions;
    bool moved = false;
    memset(sums, 0, cells->number * dimensions * sizeof *sums);
    memset(sizes, 0, cells->number * sizeof *sizes);
    for (size_t r = 0; r < count; r++) {
        const size_t k = sbl_image_cells_nearest(cells, places + r * dimensions, class);
        sizes[k]++;
        for (size_t d = 0; d < dimensions; d++)
            sums[k * dimensions + d] += (double)places[r * dimensions + d];
    }
    for (size_t i = 0; i < cells->number * dimensions; i++) {
        if (sizes[i / dimensions] == 0) continue;
        const float mean = (float)(sums[i] / (double)sizes[i / dimensions]);
        moved = moved || mean != centres[i];
        centres[i] = mean;
    }
    return moved;
}

static sbl_status find_centres(finder *f, sbl_error *err)
{
    sbl_image_cells *cells = f->cells;
    const size_t dimensions = cells->dimensions, number = cells->number;
    double *sums = NULL;
    size_t *sizes = NULL;
    uint32_t *order = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(sums, number * dimensions, "the cells of images");
    SBL_ALLOC(sizes, number, "the cells of images");
    SBL_ALLOC(order, f->each, "the cells of images");
    for (size_t c = 0; c < cells->classes; c++) {
        const float *places = f->places + c * f->each * dimensions;
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, f->seed, SBL_RNG_CELLS, c + 1);
        for (size_t r = 0; r < f->each; r++) order[r] = (uint32_t)r;
        sbl_model_rng_shuffle(&rng, order, f->each);
        for (size_t k = 0; k < number; k++)
            memcpy(cells->centres + (c * number + k) * dimensions,
                   places + (size_t)order[k % f->each] * dimensions, dimensions * sizeof *places);
        for (int step = 0; step < MEANS_STEPS && move_centres(cells, c, places, f->each, sums, sizes);)
            step++;
    }
done:
    sbl_free(sums);
    sbl_free(sizes);
    sbl_free(order);
    return status;
}

sbl_status sbl_cell_centres_find(sbl_image_cells *cells, sbl_model *model, size_t each, uint64_t seed,
                                 sbl_error *err)
{
    finder f = {.cells = cells, .model = model, .each = each, .seed = seed};
    sbl_status status = SBL_OK;
    f.some_each = each < DIRECTED ? each : DIRECTED;
    SBL_TRY(allocate(&f, err));
    SBL_TRY(sbl_model_seed(model, seed, err));
    SBL_TRY(gather_some(&f, err));
    find_directions(&f);
    SBL_TRY(place_all(&f, err));
    SBL_TRY(find_centres(&f, err));
done:
    sbl_encoder_workspace_free(f.encoder);
    sbl_drawn_clear(&f.drawn, &model->facts);
    sbl_pool_clear(&f.pool);
    return status;
}
