/* SPDX-License-Identifier: Apache-2.0 */
/* Blocked matrix product in slabs of DEPTH along k: B is packed into panels, A only where it is
 * stored transposed, and each thread fills a rectangle of C's tiles. An entry of C is added up in the
 * same order whatever the number of threads. */
#include "base/compute/gemm.h"

#include <stdint.h>
#include <string.h>

#include "base/compute/threads.h"
#include "base/compute/variants.h"

#define DEPTH 384          /* of k at a time: a tile of A and a panel of B stay in cache */
#define BLOCK_TILES 8      /* tiles of rows that share a panel of B: 96 KiB of packed A */
#define PIECE 64           /* of k that one thread packs at a time, in a panel */
#define FEW_COLUMNS 512    /* up to this number, several slabs are packed together */
#define SLABS 3            /* that many: to meet costs small products more than room */
#define SERIAL_WORK 262144 /* multiplications below which threads cost more than they save */
#define TILE_COST 16       /* of k: what a tile of C costs beside its products */
#define NUMBER_COST 16     /* multiplications: a number of A or B from where another core left it */

static size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

static size_t slabs_at_once(size_t n) { return n <= FEW_COLUMNS ? SLABS : 1; }

size_t sbl_gemm_workspace(size_t n)
{
    return divide_up(n, SBL_TILE_MOST_COLUMNS) * SBL_TILE_MOST_COLUMNS * DEPTH * slabs_at_once(n);
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
static void pack_b(float *out, const float *b, const sbl_gemm_shape *s, size_t k0, size_t depth, size_t first,
                   size_t width)
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
    for (size_t p = 0; p < depth; p++) copy_run(out + p * width, b + (k0 + p) * s->b_stride + first, columns);
}

/* out (depth, height) = rows first .. of A, stored (k, m), from column k0 on, zeros beyond m. */
static void pack_a(float *out, const float *a, const sbl_gemm_shape *s, size_t k0, size_t depth, size_t first,
                   size_t height)
{
    size_t rows = s->m - first < height ? s->m - first : height;
    if (rows < height) memset(out, 0, depth * height * sizeof *out);
    for (size_t p = 0; p < depth; p++) copy_run(out + p * height, a + (k0 + p) * s->a_stride + first, rows);
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

/* How C is shared out: a rectangle of tiles for each thread. */
typedef struct grid {
    size_t tiles, panels; /* tiles of rows and of columns in all */
    size_t down, across;  /* rectangles */
} grid;

/* What the largest rectangle costs in multiplications: its tiles, and the numbers that it needs, which
 * are fewer the squarer it is. Those of A count twice where they are packed for it. */
static size_t cost_of(const grid *g, const sbl_gemm_shape *s, const sbl_kernels *kernels)
{
    const size_t rows = divide_up(g->tiles, g->down) * kernels->tile_rows;
    const size_t columns = divide_up(g->panels, g->across) * kernels->tile_columns;
    return rows * columns * (s->k + TILE_COST) +
           NUMBER_COST * s->k * (rows * (s->a_transposed ? 2 : 1) + columns);
}

static grid share_out(const sbl_gemm_shape *s, const sbl_kernels *kernels)
{
    const grid whole = {divide_up(s->m, kernels->tile_rows), divide_up(s->n, kernels->tile_columns), 1, 1};
    const size_t work =
        whole.tiles * kernels->tile_rows * whole.panels * kernels->tile_columns * (s->k + TILE_COST);
    const size_t threads = work > SERIAL_WORK ? (size_t)sbl_thread_limit() : 1;
    grid best = whole;
    size_t least = SIZE_MAX;
    for (size_t across = 1; across <= threads && across <= whole.panels; across++) {
        grid by = whole;
        by.across = across;
        by.down = threads / across < by.tiles ? threads / across : by.tiles;
        const size_t cost = cost_of(&by, s, kernels);
        if (cost < least) {
            least = cost;
            best = by;
        }
    }
    return best;
}

/* One rectangle of the grid, of one slab. */
static void put_rectangle(const slab *t, const grid *g, size_t number)
{
    const sbl_gemm_shape *s = t->shape;
    const size_t height = t->kernels->tile_rows, width = t->kernels->tile_columns;
    const size_t i = number / g->across, j = number % g->across;
    const size_t below = g->tiles * (i + 1) / g->down * height, bottom = below < s->m ? below : s->m;
    const size_t right = g->panels * (j + 1) / g->across * width, end = right < s->n ? right : s->n;
    for (size_t row = g->tiles * i / g->down * height; row < bottom; row += BLOCK_TILES * height)
        put_block(t, row, bottom - row < BLOCK_TILES * height ? bottom : row + BLOCK_TILES * height,
                  g->panels * j / g->across * width, end);
}

static slab slab_at(float *c, const float *a, const sbl_gemm_shape *s, const float *packed, size_t k0)
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

/* What a team does between two meetings: slabs first .. first + count - 1, packed side by side. */
typedef struct stretch {
    size_t first, count;
    size_t room;   /* of a slab in the workspace */
    size_t pieces; /* of a panel */
} stretch;

static stretch stretch_from(const sbl_gemm_shape *s, const grid *g, size_t first)
{
    const size_t left = s->k - first * DEPTH, slabs = divide_up(left, DEPTH);
    const size_t once = g->down * g->across > 1 ? slabs_at_once(s->n) : 1;
    return (stretch){.first = first,
                     .count = slabs < once ? slabs : once,
                     .room = g->panels * sbl_kernels_best()->tile_columns * DEPTH,
                     .pieces = divide_up(left < DEPTH ? left : DEPTH, PIECE)};
}

/* Piece `number` of all those of a stretch: PIECE numbers of k, of one panel. */
static void pack_piece(float *workspace, const float *b, const sbl_gemm_shape *s, const grid *g,
                       const stretch *of, size_t number)
{
    const size_t width = sbl_kernels_best()->tile_columns, each = g->panels * of->pieces;
    const size_t at = number / each, k0 = (of->first + at) * DEPTH;
    const size_t column = number % each / of->pieces * width, k = number % of->pieces * PIECE;
    const size_t depth = s->k - k0 < DEPTH ? s->k - k0 : DEPTH;
    if (k < depth)
        pack_b(workspace + at * of->room + column * depth + k * width, b, s, k0 + k,
               depth - k < PIECE ? depth - k : PIECE, column, width);
}

/* One team for all slabs, which meets when panels are packed and before they are packed anew; a
 * rectangle's thread is the same in each of them. */
/* NOLINTNEXTLINE(readability-non-const-parameter): it is written through a copy of it */
void sbl_gemm(float *c, const float *a, const float *b, const sbl_gemm_shape *s, float *workspace)
{
    const grid g = share_out(s, sbl_kernels_best());
    const size_t slabs = divide_up(s->k, DEPTH);
    SBL_OMP(omp parallel if (g.down * g.across > 1))
    for (size_t first = 0, next; first < slabs; first = next) {
        const stretch of = stretch_from(s, &g, first);
        next = first + of.count;
        SBL_OMP(omp for schedule(static))
        for (size_t piece = 0; piece < of.count * g.panels * of.pieces; piece++)
            pack_piece(workspace, b, s, &g, &of, piece);
        SBL_OMP(omp for schedule(static) nowait)
        for (size_t rectangle = 0; rectangle < g.down * g.across; rectangle++)
            for (size_t i = 0; i < of.count; i++) {
                const slab t = slab_at(c, a, s, workspace + i * of.room, (first + i) * DEPTH);
                put_rectangle(&t, &g, rectangle);
            }
        if (next < slabs) { /* then the panels are packed anew */
            SBL_OMP(omp barrier)
        }
    }
}

/* ---- exact: without contraction or reassociation ---- */

#define STRIP 64 /* floats of a row of C kept in registers or L1 */

void sbl_gemm_exact(float *restrict c, const float *restrict a, const float *restrict b, size_t m, size_t n,
                    size_t k)
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
