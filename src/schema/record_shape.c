/* Checks the sizes of an encoded record once and adds up the offsets of its one-hot entries. */
#include "schema/record_shape.h"

#include "base/memory.h"

#define LARGEST ((size_t)1 << 24)

sbl_status sbl_record_shape_init(sbl_record_shape *shape, size_t numeric,
                                 const size_t *cardinalities, size_t categorical, size_t classes,
                                 sbl_error *err)
{
    *shape = (sbl_record_shape){.numeric = numeric, .categorical = categorical, .classes = classes};
    if (numeric + categorical == 0)
        return sbl_fail(err, SBL_EARG, "a record needs at least one column beside the label");
    if (classes < 1 || classes > LARGEST || numeric > LARGEST || categorical > LARGEST)
        return sbl_fail(err, SBL_EARG, "number of columns or classes is out of range");
    shape->cardinalities = sbl_alloc_array(categorical, sizeof *shape->cardinalities);
    shape->offsets = sbl_alloc_array(categorical + 1, sizeof *shape->offsets);
    if (!shape->cardinalities || !shape->offsets) {
        sbl_record_shape_clear(shape);
        return sbl_fail(err, SBL_EMEM, "out of memory");
    }
    for (size_t k = 0; k < categorical; k++) {
        if (cardinalities[k] < 1 || cardinalities[k] > LARGEST - shape->offsets[k]) {
            sbl_record_shape_clear(shape);
            return sbl_fail(err, SBL_EARG, "categorical column %zu has no or too many categories",
                            k);
        }
        shape->cardinalities[k] = cardinalities[k];
        shape->offsets[k + 1] = shape->offsets[k] + cardinalities[k];
    }
    shape->onehot = shape->offsets[categorical];
    return SBL_OK;
}

sbl_status sbl_record_shape_copy(sbl_record_shape *copy, const sbl_record_shape *shape,
                                 sbl_error *err)
{
    return sbl_record_shape_init(copy, shape->numeric, shape->cardinalities, shape->categorical,
                                 shape->classes, err);
}

void sbl_record_shape_clear(sbl_record_shape *shape)
{
    sbl_free(shape->cardinalities);
    sbl_free(shape->offsets);
    *shape = (sbl_record_shape){0};
}
