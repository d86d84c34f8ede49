#include "nn/class_rows.h"

#include <string.h>

#include "compute/threads.h"

#define STRIP 64

void sbl_class_rows_fill(float *rows, const float *values, size_t width, const size_t *starts,
                         size_t classes)
{
    for (size_t c = 0; c < classes; c++) {
        SBL_OMP(omp parallel for schedule(static) if (width * (starts[c + 1] - starts[c]) > 65536))
        for (size_t r = starts[c]; r < starts[c + 1]; r++)
            memcpy(rows + r * width, values + c * width, width * sizeof *rows);
    }
}

SBL_CLONES static void strip_sum(float *restrict sums, const float *restrict rows, size_t width,
                                 size_t columns, size_t first_row, size_t last_row)
{
    float sum[STRIP] = {0};
    for (size_t r = first_row; r < last_row; r++) {
        const float *row = rows + r * width;
        if (columns == STRIP) {
            for (size_t j = 0; j < STRIP; j++) sum[j] += row[j];
        } else {
            for (size_t j = 0; j < columns; j++) sum[j] += row[j];
        }
    }
    memcpy(sums, sum, columns * sizeof *sums);
}

void sbl_class_rows_sum(float *sums, const float *rows, size_t width, const size_t *starts,
                        size_t classes)
{
    SBL_OMP(omp parallel for schedule(static))
    for (size_t first = 0; first < width; first += STRIP) {
        size_t columns = width - first < STRIP ? width - first : STRIP;
        for (size_t c = 0; c < classes; c++)
            strip_sum(sums + c * width + first, rows + first, width, columns, starts[c],
                      starts[c + 1]);
    }
}
