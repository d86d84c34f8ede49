/* [7] One random stream per row: class, latents, a product with the class's factors, and back to
 * the columns. Rows go in chunks of 64 that share a worker's buffers. */
#include "sample/gauss_sampler.h"

#include "base/memory.h"
#include "compute/gemm.h"
#include "compute/threads.h"
#include "random/model_rng.h"

#define MOST_ROWS (UINT64_C(1) << 56) /* streams of one use */
#define CHUNK 64                      /* rows that share a worker's room */

/* One worker's room. */
typedef struct room {
    float *latents; /* (G) */
    float *point;   /* (W) */
    float *proportions;
} room;

static size_t most_categories(const sbl_record_shape *shape)
{
    size_t most = 1;
    for (size_t k = 0; k < shape->categorical; k++)
        if (shape->cardinalities[k] > most) most = shape->cardinalities[k];
    return most;
}

static double to_unit(double value)
{
    const double unit = (1.0 + value) / 2.0;
    if (!(unit >= 0.0)) return 0.0;
    return unit <= 1.0 ? unit : 1.0;
}

static void write_projected(double *numeric, const sbl_gauss_model *model, const float *point)
{
    for (size_t i = 0; i < model->width; i++) {
        const double radius = i < model->targets ? model->record.target_radius : 1.0;
        numeric[i] = to_unit((double)point[i] / radius);
    }
}

static void draw_row(const sbl_gauss_model *model, double *numeric, uint32_t *codes,
                     uint32_t *label, room *own, uint64_t seed, uint64_t row, size_t wanted)
{
    const size_t width = model->width;
    const size_t latents = model->latents;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_SAMPLE_ROW, row);
    size_t class = sbl_model_rng_categorical(&rng, model->shares, model->record.shape.classes);
    if (wanted != SBL_ANY_CLASS) class = wanted;
    *label = (uint32_t) class;
    sbl_model_rng_normals(&rng, own->latents, latents);
    sbl_gemm_exact(own->point, own->latents, model->factors + class * latents * width, 1, width,
                   latents);
    for (size_t i = 0; i < width; i++) own->point[i] += model->means[class * width + i];
    if (model->projected) {
        write_projected(numeric, model, own->point);
        return;
    }
    float *x = own->point + model->targets;
    for (size_t i = model->targets; i < width; i++)
        own->point[i] = (float)((double)own->point[i] * model->stretch);
    sbl_unit_record_decode(&model->record, numeric, codes, x,
                           model->targets != 0 ? (double)own->point[0] : 0.0,
                           model->offsets + class * model->record.shape.onehot, own->proportions);
}

static sbl_status check(const sbl_gauss_model *model, uint64_t first, size_t rows, size_t wanted,
                        sbl_error *err)
{
    if (wanted != SBL_ANY_CLASS && wanted >= model->record.shape.classes)
        return sbl_fail(err, SBL_EARG, "there is no class number %zu", wanted);
    if (first > MOST_ROWS || rows > MOST_ROWS - first)
        return sbl_fail(err, SBL_EARG, "a seed has no more than 2^56 rows");
    return SBL_OK;
}

sbl_status sbl_gauss_draw(const sbl_gauss_model *model, double *numeric, uint32_t *codes,
                          uint32_t *labels, uint64_t seed, uint64_t first, size_t rows,
                          size_t wanted, sbl_error *err)
{
    const sbl_record_shape *shape = &model->record.shape;
    const size_t numbers = model->projected ? model->width : shape->numeric;
    const size_t categories = model->projected ? 0 : shape->categorical;
    const size_t floats = model->latents + model->width + most_categories(shape);
    const size_t threads = (size_t)sbl_thread_limit();
    const size_t chunks = (rows + CHUNK - 1) / CHUNK;
    sbl_status status = check(model, first, rows, wanted, err);
    if (status != SBL_OK) return status;
    float *rooms = sbl_alloc_array(threads, floats * sizeof *rooms);
    if (rooms == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    SBL_OMP(omp parallel for schedule(static))
    for (size_t k = 0; k < chunks; k++) {
        float *start = rooms + (size_t)sbl_thread_index() * floats;
        room own = {start, start + model->latents, start + model->latents + model->width};
        const size_t end = (k + 1) * CHUNK < rows ? (k + 1) * CHUNK : rows;
        for (size_t r = k * CHUNK; r < end; r++)
            draw_row(model, numeric != NULL ? numeric + r * numbers : NULL,
                     codes != NULL ? codes + r * categories : NULL, &labels[r], &own, seed,
                     first + r, wanted);
    }
    sbl_free(rooms);
    return SBL_OK;
}
