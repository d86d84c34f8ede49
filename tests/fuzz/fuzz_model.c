/* Model files: any bytes. What is accepted lies within its own bounds. */
#include <stdlib.h>
#include <string.h>

#include "tensors/safetensors.h"

#define CHECK(condition) \
    if (!(condition)) abort()

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbl_safetensors file = {0};
    sbl_error err = {0};
    const sbl_status status = sbl_safetensors_decode(&file, data, size, "input", &err);
    if (status != SBL_OK) {
        CHECK(strchr(err.message, '\n') == NULL);
        CHECK(status == SBL_EINPUT || status == SBL_EMEM);
        return 0;
    }
    unsigned sum = 0;
    for (size_t t = 0; t < file.count; t++) {
        const sbl_tensor *tensor = &file.tensors[t];
        const size_t values = tensor->shape[0] * (tensor->rank == 2 ? tensor->shape[1] : 1);
        const size_t bytes = values * sbl_tensor_value_size(tensor->type);
        CHECK(values <= size && bytes <= size);
        for (size_t i = 0; i < bytes; i++) sum += ((const uint8_t *)tensor->data)[i];
    }
    (void)sum;
    sbl_safetensors_clear(&file);
    return 0;
}
