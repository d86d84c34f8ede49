#include "compute/gemm.h"

#include <string.h>

#include "compute/threads.h"
#include "compute/variants.h"

#define DEPTH 384          /* of k at a time: a tile of A and a panel of B stay in cache */
#define SERIAL_WORK 262144 /* multiplications below which threads cost more than they save */

size_t sbl_gemm_workspace(size_t n)
{
    return (n + SBL_TILE_MOST_COLUMNS - 1) / SBL_TILE_MOST_COLUMNS * SBL_TILE_MOST_COLUMNS * DEPTH;
}

/* count floats, where count is nearly always one of few sizes that compilers copy in line. */
static inline void copy_run(float *to, const float *from, size_t count)
{
    if (count == 32)
        memcpy(to, from, 32 * sizeof *to);
    else if (count == 8)
        memcpy(to, from, 8 * sizeof *to);
    else
        memcpy(to, from, count * sizeof *to);
}

/* out (depth, width) = columns first .. of B (k, n) from row k0 on, zeros beyond n. */
static void pack_b(float *out, const float *b, const sbl_gemm_shape *s, size_t k0, size_t depth,
                   size_t first, size_t width)
{
    size_t columns = s->n - first < width ? s->n - first : width;
    if (columns < width) memset(out, 0, depth * width * sizeof *out);
    if (s->b_transposed) {
        for (size_t j = 0; j < columns; j++) {
            const float *column = b + (first + j) * s->b_stride + k0;
            for (size_t p = 0; p < depth; p++) out[p * width + j] = column[p];
        }
        return;
    }
    for (size_t p = 0; p < depth; p++)
        copy_run(out + p * width, b + (k0 + p) * s->b_stride + first, columns);
}

/* out (depth, height) = rows first .. of A (m, k) from column k0 on, transposed, zeros beyond m. */
static void pack_a(float *out, const float *a, const sbl_gemm_shape *s, size_t k0, size_t depth,
                   size_t first, size_t height)
{
    size_t rows = s->m - first < height ? s->m - first : height;
    if (rows < height) memset(out, 0, depth * height * sizeof *out);
    if (s->a_transposed) {
        for (size_t p = 0; p < depth; p++)
            copy_run(out + p * height, a + (k0 + p) * s->a_stride + first, rows);
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        const float *row = a + (first + i) * s->a_stride + k0;
        for (size_t p = 0; p < depth; p++) out[p * height + i] = row[p];
    }
}

/* One tile of C; a tile that sticks out goes through a whole one beside it. */
static void put_tile(const sbl_kernels *kernels, float *c, const sbl_gemm_shape *s, size_t row,
                     size_t column, const float *a, const float *b, size_t depth, bool add)
{
    size_t height = kernels->tile_rows, width = kernels->tile_columns;
    float *place = c + row * s->c_stride + column;
    if (row + height <= s->m && column + width <= s->n) {
        kernels->gemm_tile(place, s->c_stride, a, b, depth, add);
        return;
    }
    float tile[SBL_TILE_MOST_ROWS * SBL_TILE_MOST_COLUMNS];
    size_t rows = s->m - row < height ? s->m - row : height;
    size_t columns = s->n - column < width ? s->n - column : width;
    kernels->gemm_tile(tile, width, a, b, depth, false);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            float *entry = place + i * s->c_stride + j;
            *entry = add ? *entry + tile[i * width + j] : tile[i * width + j];
        }
}

/* C = or += A[:, k0 ..] B[k0 .., :], rows of C shared out among the threads. */
static void put_slab(const sbl_kernels *kernels, float *c, const float *a, const float *b,
                     const sbl_gemm_shape *s, size_t k0, float *packed)
{
    size_t height = kernels->tile_rows, width = kernels->tile_columns;
    size_t depth = s->k - k0 < DEPTH ? s->k - k0 : DEPTH;
    bool add = s->add || k0 > 0;
    SBL_OMP(omp parallel if (s->m * s->n * depth > SERIAL_WORK))
    {
        float tile_of_a[SBL_TILE_MOST_ROWS * DEPTH];
        SBL_OMP(omp for schedule(static))
        for (size_t column = 0; column < s->n; column += width)
            pack_b(packed + column * depth, b, s, k0, depth, column, width);
        SBL_OMP(omp for schedule(static))
        for (size_t row = 0; row < s->m; row += height) {
            pack_a(tile_of_a, a, s, k0, depth, row, height);
            for (size_t column = 0; column < s->n; column += width)
                put_tile(kernels, c, s, row, column, tile_of_a, packed + column * depth, depth,
                         add);
        }
    }
}

void sbl_gemm(float *c, const float *a, const float *b, const sbl_gemm_shape *s, float *workspace)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    for (size_t k0 = 0; k0 < s->k; k0 += DEPTH) put_slab(kernels, c, a, b, s, k0, workspace);
}
