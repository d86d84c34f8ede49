/* Blocked matrix product in slabs of DEPTH along k: B is packed into panels, A only where it is
 * stored transposed, and each thread fills its own tiles of C. An entry of C is added up in the
 * same order whatever the number of threads. */
#include "compute/gemm.h"

#include <string.h>

#include "compute/threads.h"
#include "compute/variants.h"

#define DEPTH 384          /* of k at a time: a tile of A and a panel of B stay in cache */
#define BLOCK_TILES 8      /* tiles of rows that share a panel of B: 96 KiB of packed A */
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
        for (size_t p0 = 0; p0 < depth; p0 += 16) { /* one line of each column at a time */
            size_t last = p0 + 16 < depth ? p0 + 16 : depth;
            for (size_t j = 0; j < columns; j++) {
                const float *column = b + (first + j) * s->b_stride + k0;
                for (size_t p = p0; p < last; p++) out[p * width + j] = column[p];
            }
        }
        return;
    }
    for (size_t p = 0; p < depth; p++)
        copy_run(out + p * width, b + (k0 + p) * s->b_stride + first, columns);
}

/* out (depth, height) = rows first .. of A, stored (k, m), from column k0 on, zeros beyond m. */
static void pack_a(float *out, const float *a, const sbl_gemm_shape *s, size_t k0, size_t depth,
                   size_t first, size_t height)
{
    size_t rows = s->m - first < height ? s->m - first : height;
    if (rows < height) memset(out, 0, depth * height * sizeof *out);
    for (size_t p = 0; p < depth; p++)
        copy_run(out + p * height, a + (k0 + p) * s->a_stride + first, rows);
}

/* What a slab of k is made from. */
typedef struct slab {
    const sbl_kernels *kernels;
    const sbl_gemm_shape *shape;
    float *c;
    const float *a, *b; /* b packed */
    size_t k0, depth;
    bool add;
} slab;

/* One tile of C at (row, column), from packed rows of A or, without these, from A itself. */
static void run_tile(const slab *t, float *place, size_t stride, size_t row, const float *packed_a,
                     const float *panel, bool add)
{
    const sbl_gemm_shape *s = t->shape;
    const float *rows[SBL_TILE_MOST_ROWS];
    if (packed_a) {
        t->kernels->gemm_tile(place, stride, packed_a, panel, t->depth, add);
        return;
    }
    for (size_t m = 0; m < t->kernels->tile_rows; m++) /* rows beyond the last repeat it */
        rows[m] = t->a + (row + m < s->m ? row + m : s->m - 1) * s->a_stride + t->k0;
    t->kernels->gemm_tile_rows(place, stride, rows, panel, t->depth, add);
}

/* A tile that sticks out goes through a whole one beside it. */
static void put_tile(const slab *t, size_t row, size_t column, const float *packed_a)
{
    const sbl_gemm_shape *s = t->shape;
    size_t height = t->kernels->tile_rows, width = t->kernels->tile_columns;
    float *place = t->c + row * s->c_stride + column;
    const float *panel = t->b + column * t->depth;
    if (row + height <= s->m && column + width <= s->n) {
        run_tile(t, place, s->c_stride, row, packed_a, panel, t->add);
        return;
    }
    float tile[SBL_TILE_MOST_ROWS * SBL_TILE_MOST_COLUMNS];
    size_t rows = s->m - row < height ? s->m - row : height;
    size_t columns = s->n - column < width ? s->n - column : width;
    run_tile(t, tile, width, row, packed_a, panel, false);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            float *entry = place + i * s->c_stride + j;
            *entry = t->add ? *entry + tile[i * width + j] : tile[i * width + j];
        }
}

/* Rows row .. last - 1, at most BLOCK_TILES tiles of them, and columns column .. end - 1 of C: a
 * panel of B is read once for all of them. */
static void put_block(const slab *t, size_t row, size_t last, size_t column, size_t end)
{
    float packed[BLOCK_TILES * SBL_TILE_MOST_ROWS * DEPTH];
    size_t height = t->kernels->tile_rows;
    bool pack = t->shape->a_transposed;
    for (size_t r = row; pack && r < last; r += height)
        pack_a(packed + (r - row) * t->depth, t->a, t->shape, t->k0, t->depth, r, height);
    for (; column < end; column += t->kernels->tile_columns)
        for (size_t r = row; r < last; r += height)
            put_tile(t, r, column, pack ? packed + (r - row) * t->depth : NULL);
}

static size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

/* How C is shared out: blocks of rows, and of columns where rows are few. Each number of C is added up
 * in the same order for any sharing. */
typedef struct sharing {
    size_t rows, columns; /* of a block */
    size_t down, across;  /* blocks */
} sharing;

static sharing share_out(const sbl_gemm_shape *s, const sbl_kernels *kernels)
{
    size_t height = kernels->tile_rows, width = kernels->tile_columns;
    size_t threads = (size_t)sbl_thread_limit(), tiles = divide_up(s->m, height);
    size_t each = divide_up(tiles, threads);
    if (each > BLOCK_TILES) each = BLOCK_TILES;
    sharing by = {.rows = each * height, .down = divide_up(tiles, each)};
    by.across = by.down < threads ? divide_up(threads, by.down) : 1;
    by.columns = divide_up(divide_up(s->n, width), by.across) * width;
    return by;
}

static slab slab_at(float *c, const float *a, const sbl_gemm_shape *s, const float *packed,
                    size_t k0)
{
    return (slab){.kernels = sbl_kernels_best(),
                  .shape = s,
                  .c = c,
                  .a = a,
                  .b = packed,
                  .k0 = k0,
                  .depth = s->k - k0 < DEPTH ? s->k - k0 : DEPTH,
                  .add = s->add || k0 > 0};
}

/* One team for all slabs: a block's thread is the same in each of them, and only the packed panels have to
 * be waited for. */
/* NOLINTNEXTLINE(readability-non-const-parameter): it is written through a copy of it */
void sbl_gemm(float *c, const float *a, const float *b, const sbl_gemm_shape *s, float *workspace)
{
    const sharing by = share_out(s, sbl_kernels_best());
    const size_t width = sbl_kernels_best()->tile_columns;
    SBL_OMP(omp parallel if (s->m * s->n * s->k > SERIAL_WORK))
    for (size_t k0 = 0; k0 < s->k; k0 += DEPTH) {
        const slab t = slab_at(c, a, s, workspace, k0);
        SBL_OMP(omp for schedule(static))
        for (size_t column = 0; column < s->n; column += width)
            pack_b(workspace + column * t.depth, b, s, k0, t.depth, column, width);
        SBL_OMP(omp for schedule(static) nowait)
        for (size_t block = 0; block < by.down * by.across; block++) {
            size_t row = block / by.across * by.rows, column = block % by.across * by.columns;
            size_t last = s->m - row < by.rows ? s->m : row + by.rows;
            size_t end = column + by.columns < s->n ? column + by.columns : s->n;
            put_block(&t, row, last, column, end);
        }
        if (k0 + DEPTH < s->k) { /* then the panels are packed anew */
            SBL_OMP(omp barrier)
        }
    }
}

/* ---- exact: without contraction or reassociation ---- */

#define STRIP 64 /* floats of a row of C kept in registers or L1 */

void sbl_gemm_exact(float *restrict c, const float *restrict a, const float *restrict b, size_t m,
                    size_t n, size_t k)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t first = 0; first < n; first += STRIP) {
            float sum[STRIP] = {0};
            size_t width = n - first < STRIP ? n - first : STRIP;
            for (size_t p = 0; p < k; p++) {
                float factor = a[i * k + p];
                const float *row = b + p * n + first;
                for (size_t j = 0; j < width; j++) sum[j] += factor * row[j];
            }
            for (size_t j = 0; j < width; j++) c[i * n + first + j] = sum[j];
        }
    }
}
