/* SPDX-License-Identifier: Apache-2.0 */
/* What a frozen network is, before it is used: layers, shapes, counts, hash and origin. */
#include <stdio.h>

#include "base/encoder/encoder.h"
#include "base/json.h"
#include "base/text.h"
#include "semblance/synthesizer.h"

static void describe(sbl_text *words, const sbl_encoder *e, uint64_t side)
{
    const size_t count = sbl_encoder_activation_count(e);
    size_t total = 0;
    sbl_text_printf(words, "encoder     %s, %s\n", sbl_encoder_name(e), sbl_encoder_family(e));
    sbl_text_printf(words, "sha256      %s\n", sbl_encoder_hash(e));
    sbl_text_printf(words, "trained on  %s\n", sbl_encoder_origin(e));
    sbl_text_printf(words, "            a network that has seen the private images is not public\n");
    sbl_text_printf(words, "size        %zu weights, %.3g operations an image\n", sbl_encoder_weights(e),
                    2 * sbl_encoder_products(e));
    sbl_text_printf(words, "\nactivations of an input of %llu x %llu, every one behind a ReLU:\n",
                    (unsigned long long)side, (unsigned long long)side);
    sbl_text_printf(words, "  %4s  %-24s %16s %10s\n", "", "layer", "h x w x channels", "numbers");
    for (size_t i = 0; i < count; i++) {
        const sbl_encoder_activation *a = sbl_encoder_activation_at(e, i);
        char shape[64];
        (void)snprintf(shape, sizeof shape, "%zu x %zu x %zu", a->volume.height, a->volume.width,
                       a->volume.channels);
        sbl_text_printf(words, "  %4zu  %-24s %16s %10zu\n", i + 1, a->name, shape,
                        sbl_volume_size(a->volume));
        total += sbl_volume_size(a->volume);
    }
    sbl_text_printf(words, "  %4s  %-24s %16s %10zu\n", "", "together", "", total);
}

static json_t *list(const sbl_encoder *e)
{
    json_t *activations = json_array();
    for (size_t i = 0; activations != NULL && i < sbl_encoder_activation_count(e); i++) {
        const sbl_encoder_activation *a = sbl_encoder_activation_at(e, i);
        json_t *one = json_pack("{s:s, s:[I,I,I]}", "layer", a->name, "shape", (json_int_t)a->volume.height,
                                (json_int_t)a->volume.width, (json_int_t)a->volume.channels);
        if (json_array_append_new(activations, one) != 0) {
            json_decref(activations);
            return NULL;
        }
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:f, s:o}", "name", sbl_encoder_name(e), "family",
                     sbl_encoder_family(e), "sha256", sbl_encoder_hash(e), "trained_on",
                     sbl_encoder_origin(e), "weights", (json_int_t)sbl_encoder_weights(e), "operations",
                     2 * sbl_encoder_products(e), "activations", activations);
}

sbl_status sbl_images_encoder_show(char **text, const char *path, uint64_t side, bool json, sbl_error *err)
{
    const size_t of_input = side != 0 && side <= SBL_ENCODER_MOST_SIDE ? (size_t)side
                            : side == 0                                ? SBL_ENCODER_SIDE
                                                                       : 0;
    sbl_encoder *encoder = NULL;
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    SBL_TRY(sbl_encoder_load(&encoder, path != NULL ? path : SBL_ENCODER_BUILT_IN, of_input, err));
    if (json) {
        json_t *object = list(encoder);
        *text = object != NULL ? sbl_json_pretty(object) : NULL;
        json_decref(object);
    } else {
        describe(&words, encoder, of_input);
        *text = words.failed ? NULL : words.data;
        if (!words.failed) words = (sbl_text){0};
    }
    if (*text == NULL) status = sbl_fail(err, SBL_EMEM, "out of memory");
done:
    sbl_text_clear(&words);
    sbl_encoder_free(encoder);
    return status;
}
