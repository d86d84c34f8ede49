#include "sample/marginals_sampler.h"

#include "base/memory.h"
#include "compute/threads.h"
#include "random/model_rng.h"

#define MOST_ROWS (UINT64_C(1) << 56) /* streams of one use */

struct sbl_marginals_sampler {
    const sbl_marginals_model *model;
    double *cumulative; /* (C, T): running sums of a column's probabilities */
    double *shares;     /* (C): running sums of the class shares */
    uint64_t seed;
};

static void running_sums(double *sums, const float *values, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++) sums[i] = total += (double)values[i];
}

sbl_status sbl_marginals_sampler_new(sbl_marginals_sampler **sampler,
                                     const sbl_marginals_model *model, uint64_t seed,
                                     sbl_error *err)
{
    const sbl_cells *cells = &model->cells;
    *sampler = NULL;
    sbl_marginals_sampler *s = sbl_alloc_array(1, sizeof *s);
    if (!s) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    s->model = model;
    s->seed = seed;
    s->cumulative = sbl_alloc_array(cells->classes * cells->total, sizeof *s->cumulative);
    s->shares = sbl_alloc_array(cells->classes, sizeof *s->shares);
    if (!s->cumulative || !s->shares) {
        sbl_marginals_sampler_free(s);
        return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    }
    for (size_t c = 0; c < cells->classes; c++)
        for (size_t k = 0; k < cells->count; k++) {
            size_t at = c * cells->total + cells->columns[k].offset;
            running_sums(s->cumulative + at, model->probabilities + at, cells->columns[k].count);
        }
    running_sums(s->shares, model->class_shares, cells->classes);
    *sampler = s;
    return SBL_OK;
}

void sbl_marginals_sampler_free(sbl_marginals_sampler *sampler)
{
    if (!sampler) return;
    sbl_free(sampler->cumulative);
    sbl_free(sampler->shares);
    sbl_free(sampler);
}

/* The first entry above uniform * total: never one of probability 0. */
static size_t pick(const double *sums, size_t count, double uniform)
{
    double wanted = uniform * sums[count - 1];
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sums[middle] > wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double place(const sbl_cells_column *column, size_t cell, double uniform)
{
    double low = column->low[cell], width = column->high[cell] - low;
    double unit = low + uniform * width;
    if (!(unit >= 0)) return 0;
    return unit <= 1 ? unit : 1;
}

/* Every column takes the same number of draws whatever comes out of them. */
static void draw_row(const sbl_marginals_sampler *s, double *numeric, uint32_t *codes, uint64_t row,
                     size_t wanted)
{
    const sbl_cells *cells = &s->model->cells;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, s->seed, SBL_RNG_SAMPLE_ROW, row);
    size_t class = pick(s->shares, cells->classes, sbl_model_rng_uniform(&rng));
    if (wanted != SBL_ANY_CLASS) class = wanted;
    if (cells->label != SBL_NO_HEAD) codes[cells->label] = (uint32_t) class;
    for (size_t k = 0; k < cells->count; k++) {
        const sbl_cells_column *column = &cells->columns[k];
        size_t cell = pick(s->cumulative + class * cells->total + column->offset, column->count,
                           sbl_model_rng_uniform(&rng));
        if (column->kind == SBL_HEAD_CATEGORICAL) {
            codes[column->index] = (uint32_t)cell;
            continue;
        }
        numeric[column->index] = place(column, cell, sbl_model_rng_uniform(&rng));
        if (column->indicator != SBL_NO_HEAD) codes[column->indicator] = cell == column->intervals;
    }
}

sbl_status sbl_marginals_sampler_draw(const sbl_marginals_sampler *s, double *numeric,
                                      uint32_t *codes, uint64_t first, size_t rows, size_t wanted,
                                      sbl_error *err)
{
    const sbl_cells *cells = &s->model->cells;
    if (wanted != SBL_ANY_CLASS && wanted >= cells->classes)
        return sbl_fail(err, SBL_EARG, "there is no class number %zu", wanted);
    if (first > MOST_ROWS || rows > MOST_ROWS - first)
        return sbl_fail(err, SBL_EARG, "a seed has no more than 2^56 rows");
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++)
        draw_row(s, numeric ? numeric + r * cells->numeric_count : NULL,
                 codes ? codes + r * cells->categorical_count : NULL, first + r, wanted);
    return SBL_OK;
}
