/* The shape of an encoded record, as networks and features see it: numbers in [0,1], one code per
 * categorical column, and the class. A classification label is not among the categorical columns;
 * unlabelled tables and regression have one class. */
#ifndef SBL_SCHEMA_RECORD_SHAPE_H
#define SBL_SCHEMA_RECORD_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct sbl_record_shape {
    size_t numeric;        /* d: number of numeric columns */
    size_t categorical;    /* K: number of categorical columns */
    size_t *cardinalities; /* (K) */
    size_t *offsets;       /* (K + 1): column k's categories are one-hot entries offsets[k] .. */
    size_t onehot;         /* T = offsets[K] */
    size_t classes;        /* C >= 1 */
} sbl_record_shape;

/* Checks: at least one column, every cardinality and classes >= 1, sizes below 2^24. */
sbl_status sbl_record_shape_init(sbl_record_shape *shape, size_t numeric,
                                 const size_t *cardinalities, size_t categorical, size_t classes,
                                 sbl_error *err);
sbl_status sbl_record_shape_copy(sbl_record_shape *copy, const sbl_record_shape *shape,
                                 sbl_error *err);
void sbl_record_shape_clear(sbl_record_shape *shape);

#endif
