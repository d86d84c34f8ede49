/* SPDX-License-Identifier: Apache-2.0 */
/* Encoder files: any bytes. What is accepted can be run, and gives features. */
#include <stdlib.h>
#include <string.h>

#include "base/encoder/encoder_internal.h"

#define CHECK(condition) \
    if (!(condition)) abort()

/* Larger ones would be slow, not different. */
#define MAX_WIDTH 64

/* There and back from the last activation; a network whose input is not small enough is let alone. */
static void run_both_ways(const sbl_encoder *encoder, const float *image)
{
    const float *d_activations[128] = {0};
    float d_image[4 * 4] = {0};
    sbl_encoder_workspace *room = NULL;
    const size_t count = sbl_encoder_activation_count(encoder);
    CHECK(count < 128);
    if (count == 0 || sbl_encoder_products(encoder) > 1e7 ||
        sbl_encoder_workspace_new(&room, encoder, sbl_volume_of(4, 4, 1), SBL_ENCODER_PAD, 1, true, NULL) !=
            SBL_OK)
        return;
    sbl_encoder_forward(room, image, 1);
    d_activations[count - 1] = sbl_encoder_activation_values(room, count - 1);
    sbl_encoder_backward(room, d_image, d_activations);
    sbl_encoder_workspace_free(room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const float image[4 * 4] = {0.5f, 1.0f};
    sbl_encoder *encoder = NULL;
    sbl_error err = {0};
    if (size > 1 << 16) return 0;
    const sbl_status status = sbl_encoder_decode(&encoder, data, size, "input", SBL_ENCODER_SIDE, &err);
    if (status != SBL_OK) {
        CHECK(encoder == NULL && strchr(err.message, '\n') == NULL);
        CHECK(status == SBL_EINPUT || status == SBL_EMEM);
        return 0;
    }
    const size_t width = sbl_encoder_width(encoder), classes = encoder->classes;
    CHECK(width >= 1 && width <= size && classes <= size);
    if (width <= MAX_WIDTH && classes <= MAX_WIDTH &&
        sbl_encoder_prepare(encoder, sbl_volume_of(4, 4, 1), 1, &err) == SBL_OK) {
        float features[MAX_WIDTH], logits[MAX_WIDTH];
        sbl_encoder_run(encoder, features, logits, image, 1);
    }
    run_both_ways(encoder, image);
    sbl_encoder_free(encoder);
    return 0;
}
