/* A generator: a network that turns noise and a class into a record, its record shape and the
 * shares of the classes. Made from a release alone; sampling it costs nothing. */
#ifndef SBL_MODEL_GENERATOR_H
#define SBL_MODEL_GENERATOR_H

#include <stddef.h>

#include "base/status.h"
#include "nn/mlp.h"
#include "schema/record_shape.h"

typedef struct sbl_generator {
    sbl_record_shape shape;
    sbl_mlp mlp;         /* outputs: numbers, then the logits of the one-hot entries */
    float *class_shares; /* (C): nonnegative, sum 1 */
} sbl_generator;

/* latent, depth and hidden of network count; classes and outputs follow from shape. */
sbl_status sbl_generator_init(sbl_generator *generator, const sbl_record_shape *shape,
                              const sbl_mlp_shape *network, sbl_error *err);
void sbl_generator_clear(sbl_generator *generator);

#endif
