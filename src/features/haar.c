/* Rows of normals from the public seed, orthonormalised by Gram-Schmidt: each finished row is
 * taken out of all later ones (in parallel), and once more out of the row at hand before it is
 * scaled. */
#include "features/haar.h"

#include <math.h>

#include "compute/threads.h"
#include "random/model_rng.h"

#define LANES 8 /* partial sums, added in one fixed order */

static double dot(const double *a, const double *b, size_t count)
{
    double sums[LANES] = {0};
    const size_t whole = count - count % LANES;
    double total = 0;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++) sums[lane] += a[i + lane] * b[i + lane];
    for (size_t i = whole; i < count; i++) total += a[i] * b[i];
    for (size_t lane = 0; lane < LANES; lane++) total += sums[lane];
    return total;
}

static void take_away(double *row, double factor, const double *other, size_t count)
{
    for (size_t i = 0; i < count; i++) row[i] -= factor * other[i];
}

/* Row k is finished; its part goes out of all later rows, each on its own. */
static void sweep(double *rows, size_t k, size_t count, size_t dimensions)
{
    const double *done = rows + k * dimensions;
    SBL_OMP(omp parallel for schedule(static) if (count - k > 64))
    for (size_t j = k + 1; j < count; j++) {
        double *row = rows + j * dimensions;
        take_away(row, dot(row, done, dimensions), done, dimensions);
    }
}

sbl_status sbl_orthonormalise(double *rows, size_t count, size_t dimensions, sbl_error *err)
{
    for (size_t k = 0; k < count; k++) {
        double *row = rows + k * dimensions;
        /* What rounding left along the rows before it. */
        for (size_t j = 0; j < k; j++) {
            const double *before = rows + j * dimensions;
            take_away(row, dot(row, before, dimensions), before, dimensions);
        }
        const double length = sqrt(dot(row, row, dimensions));
        if (!(length > 1e-9))
            return sbl_fail(err, SBL_EARG, "row %zu depends on those before it", k);
        for (size_t i = 0; i < dimensions; i++) row[i] /= length;
        sweep(rows, k, count, dimensions);
    }
    return SBL_OK;
}

sbl_status sbl_haar_rows(double *rows, size_t count, size_t dimensions, uint64_t seed,
                         sbl_error *err)
{
    for (size_t k = 0; k < count; k++) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, seed, SBL_RNG_ROTATION, k);
        for (size_t i = 0; i < dimensions; i++)
            rows[k * dimensions + i] = sbl_model_rng_normal(&rng);
    }
    return sbl_orthonormalise(rows, count, dimensions, err);
}
