/* [6] Reads the blocks of a RON-Gauss release into means and symmetric second moments per
 * class, each with the deviation of its noise. Means are pulled back into the ball; sizes are
 * at least 1. */
#include "gauss/moments.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define LARGEST 1e12 /* noise so large drowns everything; a fit that was paid for must not fail */

static sbl_status find_block(const sbl_block **block, const sbl_release *release, const char *name,
                             size_t width, size_t columns, sbl_error *err)
{
    *block = sbl_release_find(release, name);
    if (*block == NULL || (*block)->width != width ||
        sbl_release_columns(release, *block) != columns)
        return sbl_fail(err, SBL_EINPUT, "the release has no block '%s' of the plan's shape", name);
    return SBL_OK;
}

static double bounded(double value) { return fmax(-LARGEST, fmin(LARGEST, value)); }

/* Sizes of the classes: the public n where there is one class, else noisy counts, at least 1. */
static sbl_status read_sizes(sbl_gauss_moments *moments, const sbl_ron_plan *plan,
                             const sbl_release *first, sbl_error *err)
{
    const sbl_block *counts;
    double total = 0.0;
    moments->rows = fmax((double)first->n, 1.0);
    if (!plan->options.counts) {
        for (size_t c = 0; c < moments->count; c++)
            moments->classes[c].size = moments->rows / (double)moments->count;
        return SBL_OK;
    }
    const sbl_status status = find_block(&counts, first, "counts", moments->count, 1, err);
    if (status != SBL_OK) return status;
    for (size_t c = 0; c < moments->count; c++) {
        const double count = bounded(sbl_release_estimate(first, counts, 0, c));
        moments->classes[c].size = fmax(count, 1.0);
        total += moments->classes[c].size;
    }
    if (first->n == 0) moments->rows = total;
    return SBL_OK;
}

/* A mean of points of a ball lies in the ball. */
static void into_ball(double *mean, size_t width, double radius)
{
    double square = 0.0;
    for (size_t i = 0; i < width; i++) square += mean[i] * mean[i];
    if (square <= radius * radius) return;
    for (size_t i = 0; i < width; i++) mean[i] *= radius / sqrt(square);
}

static sbl_status read_means(sbl_gauss_moments *moments, const sbl_ron_plan *plan,
                             const sbl_release *first, sbl_error *err)
{
    const sbl_block *block;
    sbl_status status = find_block(&block, first, SBL_RON_MEAN, plan->width, moments->count, err);
    if (status != SBL_OK) return status;
    for (size_t c = 0; c < moments->count; c++) {
        sbl_class_moments *class = &moments->classes[c];
        class->mean = sbl_alloc_array(plan->width, sizeof *class->mean);
        if (class->mean == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a model");
        for (size_t i = 0; i < plan->width; i++)
            class->mean[i] = bounded(sbl_release_estimate(first, block, c, i)) / class->size;
        class->mean_noise = bounded(sbl_release_noise_deviation(first, block)) / class->size;
        into_ball(class->mean, plan->width, plan->radius);
    }
    return SBL_OK;
}

static void fill_second(sbl_class_moments *class, size_t c, size_t size, const sbl_release *release,
                        const sbl_block *squares, const sbl_block *products)
{
    size_t next = 0;
    for (size_t i = 0; i < size; i++) {
        class->second[i * size + i] =
            bounded(sbl_release_estimate(release, squares, c, i)) / class->size;
        for (size_t j = i + 1; j < size; j++) {
            const double value =
                bounded(sbl_release_estimate(release, products, c, next++)) / class->size;
            class->second[i * size + j] = class->second[j * size + i] = value;
        }
    }
    class->diagonal_noise = bounded(sbl_release_noise_deviation(release, squares)) / class->size;
    class->off_noise = products != NULL
                           ? bounded(sbl_release_noise_deviation(release, products)) / class->size
                           : class->diagonal_noise / sqrt(2.0);
}

static sbl_status read_second(sbl_gauss_moments *moments, const sbl_ron_plan *plan,
                              const sbl_release *second, sbl_error *err)
{
    const size_t size = plan->moments;
    const sbl_block *squares;
    const sbl_block *products = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(find_block(&squares, second, SBL_RON_SQUARES, size, moments->count, err));
    if (size > 1)
        SBL_TRY(find_block(&products, second, SBL_RON_PRODUCTS, size * (size - 1) / 2,
                           moments->count, err));
    for (size_t c = 0; c < moments->count; c++) {
        sbl_class_moments *class = &moments->classes[c];
        class->second = sbl_alloc_array(size, size * sizeof *class->second);
        if (class->second == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a model");
        fill_second(class, c, size, second, squares, products);
    }
done:
    return status;
}

static sbl_status classes_new(sbl_gauss_moments *moments, const sbl_ron_plan *plan, sbl_error *err)
{
    *moments = (sbl_gauss_moments){.count = plan->record.shape.classes};
    moments->classes = sbl_alloc_array(moments->count, sizeof *moments->classes);
    return moments->classes != NULL ? SBL_OK : sbl_fail(err, SBL_EMEM, "out of memory for a model");
}

sbl_status sbl_gauss_moments_means(sbl_gauss_moments *moments, const sbl_ron_plan *plan,
                                   const sbl_release *first, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(classes_new(moments, plan, err));
    SBL_TRY(read_sizes(moments, plan, first, err));
    SBL_TRY(read_means(moments, plan, first, err));
done:
    if (status != SBL_OK) sbl_gauss_moments_clear(moments);
    return status;
}

/* What the first release of normalise said, from the second one's plan. */
static sbl_status copy_centre(sbl_gauss_moments *moments, const sbl_ron_plan *plan, sbl_error *err)
{
    const sbl_ron_centre *centre = &plan->centre;
    const size_t width = plan->width;
    sbl_status status = classes_new(moments, plan, err);
    moments->rows = centre->rows;
    for (size_t c = 0; status == SBL_OK && c < moments->count; c++) {
        sbl_class_moments *class = &moments->classes[c];
        class->size = centre->sizes[c];
        class->mean = sbl_alloc_array(width, sizeof *class->mean);
        if (class->mean == NULL)
            status = sbl_fail(err, SBL_EMEM, "out of memory for a model");
        else
            memcpy(class->mean, centre->means + c * width, width * sizeof *class->mean);
    }
    if (status != SBL_OK) sbl_gauss_moments_clear(moments);
    return status;
}

sbl_status sbl_gauss_moments_read(sbl_gauss_moments *moments, const sbl_ron_plan *plan,
                                  const sbl_release *release, sbl_error *err)
{
    if (plan->options.geometry == SBL_RON_NORMALISE && plan->centre.means == NULL)
        return sbl_fail(err, SBL_EINPUT,
                        "the release holds means only: take the one that was made after it");
    sbl_status status = plan->centre.means != NULL
                            ? copy_centre(moments, plan, err)
                            : sbl_gauss_moments_means(moments, plan, release, err);
    if (status != SBL_OK) return status;
    status = read_second(moments, plan, release, err);
    if (status != SBL_OK) sbl_gauss_moments_clear(moments);
    return status;
}

void sbl_gauss_moments_clear(sbl_gauss_moments *moments)
{
    for (size_t c = 0; moments->classes != NULL && c < moments->count; c++) {
        sbl_free(moments->classes[c].mean);
        sbl_free(moments->classes[c].second);
    }
    sbl_free(moments->classes);
    *moments = (sbl_gauss_moments){0};
}
