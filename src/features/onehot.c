#include "features/onehot.h"

#include <string.h>

static size_t entry_of(const sbl_record_shape *shape, const uint32_t *row, const size_t *columns,
                       size_t k)
{
    size_t code = row[columns ? columns[k] : k];
    return shape->offsets[k] + (code < shape->cardinalities[k] ? code : 0);
}

void sbl_onehot_rows(float *features, const sbl_record_shape *shape, const uint32_t *codes,
                     size_t stride, const size_t *columns, size_t rows)
{
    memset(features, 0, rows * shape->onehot * sizeof *features);
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < shape->categorical; k++)
            features[r * shape->onehot + entry_of(shape, codes + r * stride, columns, k)] = 1;
}

void sbl_onehot_entries(uint32_t *entries, const sbl_record_shape *shape, const uint32_t *codes,
                        size_t stride, const size_t *columns, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < shape->categorical; k++)
            entries[r * shape->categorical + k] =
                (uint32_t)entry_of(shape, codes + r * stride, columns, k);
}
