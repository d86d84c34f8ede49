/* SPDX-License-Identifier: Apache-2.0 */
/* q^T q of integer rows as tiles of doubles, panel by panel, on and above the diagonal only. Every
 * sum of at most SBL_PRODUCT_ROWS products is below 2^51 and exact, so it moves to int64 by adding
 * 1.5 * 2^52 and taking the bits. */
#include "base/compute/products.h"

#include <string.h>

#include "base/compute/threads.h"
#include "base/compute/variants.h"

/* The workspace holds the columns in panels as wide as a tile: panel after panel, each
 * (SBL_PRODUCT_ROWS, width), from the first line of the cache on: a vector that straddles two lines
 * takes twice as long to load. */
#define LINE 64

size_t sbl_products_workspace(size_t columns)
{
    const size_t width = sbl_kernels_best()->product_columns;
    return (columns + width - 1) / width * width * SBL_PRODUCT_ROWS + LINE / sizeof(double);
}

static size_t doubles_to_line(const double *workspace)
{
    return (LINE - (uintptr_t)workspace % LINE) / sizeof *workspace;
}

void sbl_products_put(double *workspace, size_t row, const int32_t *q, size_t columns)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    kernels->products_put(workspace + doubles_to_line(workspace) + row * kernels->product_columns, q,
                          columns);
}

/* In [2^52, 2^53) the doubles are the integers: for |v| < 2^51 the bits of v + 1.5 * 2^52 are those
 * of 1.5 * 2^52 plus v. Vectors of any width can do that; few can convert to int64. */
#define SHIFTER 0x1.8p52

SBL_CLONES static void add_run(int64_t *restrict sums, const double *restrict values, size_t count)
{
    const double shifter = SHIFTER;
    int64_t zero;
    memcpy(&zero, &shifter, sizeof zero);
    for (size_t i = 0; i < count; i++) {
        const double shifted = values[i] + shifter;
        int64_t bits;
        memcpy(&bits, &shifted, sizeof bits);
        sums[i] += bits - zero;
    }
}

/* A tile's place in the matrix of all products. */
typedef struct place {
    size_t row, column;
    size_t columns; /* of the matrix */
} place;

/* Adds what of a tile lies on the diagonal or right of it, and within the columns. */
static void add_tile(int64_t *products, int64_t *squares, const double *tile, const sbl_kernels *kernels,
                     place at)
{
    const size_t columns = at.columns;
    const size_t column = at.column;
    const size_t width = kernels->product_columns;
    const size_t end = columns - column < width ? columns : column + width;
    for (size_t m = 0; m < kernels->product_rows && at.row + m < end; m++) {
        const size_t i = at.row + m;
        const double *line = tile + m * width;
        /* (i, j) is at i (2 columns - i - 1) / 2 + j - i - 1. */
        int64_t *sums = products + i * (2 * columns - i - 1) / 2;
        const size_t from = i < column ? column : i + 1;
        if (i >= column && squares != NULL) squares[i] += (int64_t)line[i - column];
        add_run(sums + (from - i - 1), line + (from - column), end - from);
    }
}

void sbl_products_add(int64_t *products, int64_t *squares, const double *workspace, size_t rows,
                      size_t columns)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    const size_t width = kernels->product_columns;
    const double *panels = workspace + doubles_to_line(workspace);
    double tile[SBL_PRODUCT_TILE];
    for (size_t column = 0; column < columns; column += width) {
        const double *b = panels + column * SBL_PRODUCT_ROWS;
        for (size_t row = 0; row < column + width && row < columns; row += kernels->product_rows) {
            const double *a = panels + row / width * width * SBL_PRODUCT_ROWS + row % width;
            kernels->products_tile(tile, a, b, rows);
            add_tile(products, squares, tile, kernels, (place){row, column, columns});
        }
    }
}
