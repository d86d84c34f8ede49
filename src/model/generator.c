#include "model/generator.h"

#include "base/memory.h"

sbl_status sbl_generator_init(sbl_generator *generator, const sbl_record_shape *shape,
                              const sbl_mlp_shape *network, sbl_error *err)
{
    *generator = (sbl_generator){0};
    sbl_mlp_shape whole = *network;
    whole.classes = shape->classes;
    whole.outputs = shape->numeric + shape->onehot;
    sbl_status status;
    SBL_TRY(sbl_record_shape_copy(&generator->shape, shape, err));
    SBL_TRY(sbl_mlp_init(&generator->mlp, &whole, err));
    generator->class_shares = sbl_alloc_array(shape->classes, sizeof *generator->class_shares);
    if (!generator->class_shares) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a generator");
        goto done;
    }
    for (size_t c = 0; c < shape->classes; c++)
        generator->class_shares[c] = 1 / (float)shape->classes;
done:
    if (status != SBL_OK) sbl_generator_clear(generator);
    return status;
}

void sbl_generator_clear(sbl_generator *generator)
{
    sbl_record_shape_clear(&generator->shape);
    sbl_mlp_clear(&generator->mlp);
    sbl_free(generator->class_shares);
    *generator = (sbl_generator){0};
}
