/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the activations that are taken, and how many rows fit the memory at a time. */
#include "after/losses/encoder_pass.h"

sbl_status sbl_encoded_pass_init(sbl_encoded_pass *pass, sbl_tensors *tensors, const sbl_encoded *encoded,
                                 size_t rows, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < encoded->layer_count; i++) {
        SBL_TENSOR(tensors, pass->d_taken[i], rows, sbl_volume_size(sbl_encoded_layer(encoded, i)->volume),
                   "training");
        pass->d_all[encoded->layers[i]] = pass->d_taken[i];
    }
    SBL_TRY(sbl_encoded_workspace(&pass->encoder, encoded, rows, true, tensors->on, err));
done:
    return status;
}

double sbl_encoded_row_bytes(const sbl_encoded *encoded)
{
    return sbl_encoder_workspace_bytes(encoded->encoder, 1, true) +
           (double)sbl_encoded_width(encoded) * sizeof(float);
}

size_t sbl_encoded_rows_at_once(const sbl_encoded *encoded, double bytes, size_t rows)
{
    const double fit = bytes / sbl_encoded_row_bytes(encoded);
    if (!(bytes > 0) || fit >= (double)rows || rows <= 2) return rows;
    const size_t most = fit > 2 ? (size_t)fit : 2;
    const size_t parts = (rows + most - 1) / most, each = (rows + parts - 1) / parts;
    return each + each % 2;
}

size_t sbl_generated_seen(const sbl_generated *generated, double part, size_t c)
{
    const size_t rows = generated->starts[c + 1] - generated->starts[c];
    const size_t seen = part > 0 ? (size_t)(part * (double)rows + 0.5) : rows;
    const size_t least = rows < 2 ? rows : 2;
    return seen < least ? least : seen < rows ? seen : rows;
}

size_t sbl_generated_most_seen(const sbl_generated *generated, double part)
{
    size_t most = 1;
    for (size_t c = 0; c < generated->facts->classes; c++) {
        const size_t rows = sbl_generated_seen(generated, part, c);
        if (rows > most) most = rows;
    }
    return most;
}
