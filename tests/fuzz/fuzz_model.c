/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: any bytes, as a safetensors file and as a model of any kind. Tensors that are accepted
 * lie within the file, and a model that is accepted can be drawn from. */
#include <stdlib.h>
#include <string.h>

#include "after/model/model.h"
#include "base/alloc.h"
#include "base/tensors/safetensors.h"
#include "run/methods/method.h"
#include "support/model_kit.h"

#define CHECK(condition) \
    if (!(condition)) abort()

#define ROWS 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool refused(sbl_status status, const sbl_error *err)
{
    if (status == SBL_OK) return false;
    CHECK(strchr(err->message, '\n') == NULL);
    CHECK(status == SBL_EINPUT || status == SBL_EMEM);
    return true;
}

static void read_tensors(const uint8_t *data, size_t size)
{
    sbl_safetensors file = {0};
    sbl_error err = {0};
    if (refused(sbl_safetensors_decode(&file, data, size, "input", &err), &err)) return;
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
}

static void draw_rows(sbl_model *model)
{
    drawn_room room;
    sbl_error err = {0};
    drawn_make(&room, sbl_model_output(model), ROWS);
    if (!refused(sbl_model_seed(model, 7, &err), &err))
        (void)refused(sbl_model_draw(model, &room.out, 3, ROWS, SBL_ANY_CLASS, &err), &err);
    drawn_clear(&room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbl_model *model;
    sbl_error err = {0};
    read_tensors(data, size);
    if (!refused(sbl_model_decode(&model, data, size, "input", sbl_model_kinds, &err), &err))
        draw_rows(model);
    sbl_model_free(model);
    return 0;
}
