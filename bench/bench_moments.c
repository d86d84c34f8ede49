/* SPDX-License-Identifier: Apache-2.0 */
/* Exact second moments against the machine's matrix product in doubles, on one thread, in turns in
 * one run. For n rows of p columns the symmetric product is n p^2 operations (p^2 / 2 sums of n
 * products); dgemm's rate is that of a large square product by OpenBLAS, and dsyrk's that of the
 * same symmetric product in doubles. `products` is the kernel alone; `sum` everything that a row
 * passes through: quantised, enforced, added, squared, multiplied.
 *
 * usage: OPENBLAS_NUM_THREADS=1 bench_moments [classes batch_rows] */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compute/products.h"
#include "records/accumulate/sum.h"

#define ROUNDS 7
#define SQUARE 1024
#define BOUND2 (UINT64_C(1) << 28)

extern void dgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
                   const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                   const double *beta, double *c, const int *ldc);
extern void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
                   const double *a, const int *lda, const double *beta, double *c, const int *ldc);

typedef struct bench {
    size_t columns, classes, batch, batches;
    double *features; /* (batch, columns) */
    double *square;
    double *workspace;
    int64_t *products;
    uint32_t *labels;
    sbl_sum *sum;
} bench;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* whoever else computes here */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double run_dgemm(bench *b)
{
    const int n = SQUARE;
    const double one = 1, zero = 0;
    const double *x = b->square, *y = x + (size_t)SQUARE * SQUARE;
    dgemm_("N", "N", &n, &n, &n, &one, x, &n, y, &n, &zero, b->square + 2 * (size_t)SQUARE * SQUARE, &n);
    return 2.0 * SQUARE * SQUARE * SQUARE;
}

/* In one piece, into doubles: no classes, no enforcement, not exact for long. */
static double run_dsyrk(bench *b)
{
    const int p = (int)b->columns, n = (int)b->batch;
    const double one = 1;
    for (size_t i = 0; i < b->batches; i++)
        dsyrk_("L", "N", &p, &n, &one, b->features, &p, &one, b->square, &p);
    return (double)(b->batches * b->batch) * (double)(b->columns * b->columns);
}

static double run_products(bench *b)
{
    const size_t repeats = b->batches * b->batch / SBL_PRODUCT_ROWS;
    for (size_t i = 0; i < repeats; i++)
        sbl_products_add(b->products, NULL, b->workspace, SBL_PRODUCT_ROWS, b->columns);
    return (double)(repeats * SBL_PRODUCT_ROWS) * (double)(b->columns * b->columns);
}

static double run_sum(bench *b)
{
    for (size_t i = 0; i < b->batches; i++)
        if (sbl_sum_begin_rows(b->sum, b->labels, b->batch, NULL) != SBL_OK ||
            sbl_sum_add_f64(b->sum, 0, 0, b->columns, b->features, b->columns, NULL) != SBL_OK ||
            sbl_sum_end_rows(b->sum, NULL) != SBL_OK)
            abort();
    return (double)(b->batches * b->batch) * (double)(b->columns * b->columns);
}

static sbl_sum *new_sum(const bench *b)
{
    sbl_block blocks[3] = {{.name = "mean",
                            .width = b->columns,
                            .per_class = true,
                            .bound2 = BOUND2,
                            .scale = sbl_block_scale(b->columns, BOUND2, 1)}};
    blocks[1] = sbl_block_of_moments("squares", SBL_BLOCK_SQUARES, &blocks[0], b->columns);
    blocks[2] = sbl_block_of_moments("products", SBL_BLOCK_PRODUCTS, &blocks[0], b->columns);
    const sbl_layout layout = {
        .blocks = blocks, .block_count = 3, .classes = b->classes, .rows_cap = SBL_ROWS_CAP_DEFAULT};
    sbl_sum *sum = NULL;
    if (sbl_sum_new(&sum, &layout, NULL) != SBL_OK) abort();
    return sum;
}

static void fill(bench *b)
{
    uint64_t state = 1;
    const size_t entries = b->batch * b->columns;
    for (size_t i = 0; i < 3 * (size_t)SQUARE * SQUARE; i++) b->square[i] = (double)(i % 7) - 3;
    for (size_t i = 0; i < entries; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        b->features[i] = ((double)(state >> 32) / 2147483648.0 - 1) / sqrt((double)b->columns);
    }
    for (size_t r = 0; r < b->batch; r++) b->labels[r] = (uint32_t)(r * 7 % b->classes);
    for (size_t i = 0; i < sbl_products_workspace(b->columns); i++)
        b->workspace[i] = (double)(i % 2001) - 1000;
}

static void measure(size_t columns, size_t classes, size_t batch)
{
    static double (*const runs[])(bench *) = {run_dgemm, run_dsyrk, run_products, run_sum};
    double best[4] = {0};
    bench b = {.columns = columns, .classes = classes, .batch = batch};
    b.batches = (size_t)(4e8 / (double)(columns * columns) / (double)batch) + 1;
    b.features = malloc(batch * columns * sizeof(double));
    b.square = malloc(3 * (size_t)SQUARE * SQUARE * sizeof(double));
    b.workspace = malloc(sbl_products_workspace(columns) * sizeof(double));
    b.products = calloc(columns * columns, sizeof(int64_t));
    b.labels = malloc(batch * sizeof(uint32_t));
    if (b.features == NULL || b.square == NULL || b.workspace == NULL || b.products == NULL ||
        b.labels == NULL)
        abort();
    fill(&b);
    b.sum = new_sum(&b);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < 4; i++) {
            const double start = now();
            const double rate = runs[i](&b) / (now() - start);
            if (rate > best[i]) best[i] = rate;
        }
    printf(
        "{\"bench\": \"moments\", \"columns\": %zu, \"classes\": %zu, \"batch_rows\": %zu, "
        "\"dgemm_gflops\": %.2f, \"dsyrk_gflops\": %.2f, \"products_gflops\": %.2f, "
        "\"sum_gflops\": %.2f, \"products_of_dgemm\": %.3f, \"sum_of_dgemm\": %.3f}\n",
        columns, classes, batch, best[0] * 1e-9, best[1] * 1e-9, best[2] * 1e-9, best[3] * 1e-9,
        best[2] / best[0], best[3] / best[0]);
    sbl_sum_free(b.sum);
    free(b.labels);
    free(b.products);
    free(b.workspace);
    free(b.square);
    free(b.features);
}

int main(int argc, char **argv)
{
    static const size_t columns[] = {32, 64, 78, 117, 392, 784};
    const size_t classes = argc > 2 ? strtoul(argv[1], NULL, 10) : 1;
    const size_t batch = argc > 2 ? strtoul(argv[2], NULL, 10) : 8192;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) measure(columns[i], classes, batch);
    return 0;
}
