/* SPDX-License-Identifier: Apache-2.0 */
/* A list of tensors, kept beside them: a device's memory cannot hold the list itself. */
#include "base/backend/backend.h"

#include "base/size.h"

typedef struct node {
    struct node *before;
    float *tensor;
    size_t count;
} node;

float *sbl_tensors_take(sbl_tensors *tensors, size_t rows, size_t columns)
{
    size_t count;
    if (!sbl_size_mul(&count, rows, columns)) return NULL;
    node *made = sbl_alloc_array(1, sizeof *made);
    if (made == NULL) return NULL;
    made->tensor = tensors->on->allocate(tensors->on->device, count);
    if (made->tensor == NULL) {
        sbl_free(made);
        return NULL;
    }
    made->count = count;
    made->before = tensors->last;
    tensors->last = made;
    return made->tensor;
}

void sbl_tensors_clear(sbl_tensors *tensors)
{
    while (tensors->last != NULL) {
        node *last = tensors->last;
        tensors->on->release(tensors->on->device, last->tensor, last->count);
        tensors->last = last->before;
        sbl_free(last);
    }
}

sbl_status sbl_tensors_no_room(const sbl_tensors *tensors, const char *what, sbl_error *err)
{
    if (tensors->on->is_host) return sbl_no_memory(err, what);
    return sbl_fail(err, SBL_EMEM, "out of memory for %s on %s", what, tensors->on->name);
}

sbl_status sbl_tensors_place(const float **tensor, sbl_tensors *tensors, const void *numbers, size_t count,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    float *made;
    *tensor = numbers;
    if (tensors->on->is_host) return SBL_OK;
    SBL_TENSOR(tensors, made, count, 1, "training");
    tensors->on->write(tensors->on->device, made, numbers, count);
    *tensor = made;
done:
    return status;
}
