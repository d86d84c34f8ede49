/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation of images as aligned tables for people. */
#include "owner/evaluate/evaluation_text.h"

#include <string.h>

#define NAME_WIDTH 34

static void put_head(sbl_text *text, const json_t *document, const json_t *images)
{
    const json_t *inputs = json_object_get(document, "inputs");
    const json_t *shape = json_object_get(images, "shape");
    const bool trained = json_is_object(json_object_get(inputs, "train"));
    sbl_put_inputs(text, document, "images");
    sbl_text_printf(text, "%lld x %lld x %lld, ", (long long)json_integer_value(json_array_get(shape, 0)),
                    (long long)json_integer_value(json_array_get(shape, 1)),
                    (long long)json_integer_value(json_array_get(shape, 2)));
    if (sbl_whole_of(images, "classes") != 0)
        sbl_text_printf(text, "%lld classes\n", sbl_whole_of(images, "classes"));
    else
        sbl_text_printf(text, "no labels\n");
    sbl_text_printf(text,
                    "\nsynth.   the synthetic images\n"
                    "floor    images whose pixels are drawn one by one from %s%s\n"
                    "ceiling  %s itself\n",
                    trained ? "the training images" : "one half of the real images",
                    sbl_whole_of(images, "classes") != 0 ? " of their class" : "",
                    trained ? "the training set" : "that half");
}

static void put_scores(sbl_text *text, const json_t *images)
{
    const json_t *rows = json_object_get(images, "rows"), *score, *words;
    const json_t *synthetic = json_object_get(rows, "synthetic");
    const json_t *real = json_object_get(rows, "real"), *chance = json_object_get(images, "chance");
    size_t i;
    json_array_foreach(json_object_get(images, "missing"), i, words)
    {
        sbl_put_line(text, json_is_string(words) ? json_string_value(words) : "");
        sbl_text_printf(text, "\n");
    }
    if (json_array_size(json_object_get(images, "scores")) == 0) return;
    sbl_put_heading(text, NAME_WIDTH, "Models tested on real images");
    json_array_foreach(json_object_get(images, "scores"), i, score)
    {
        sbl_put_name(text, sbl_string_of(score, "name"), NAME_WIDTH);
        sbl_put_triple(text, json_object_get(score, "value"), "%.4f");
        if (*sbl_string_of(score, "why") != '\0') {
            sbl_text_printf(text, "  ");
            sbl_put_line(text, sbl_string_of(score, "why"));
        }
        sbl_text_printf(text, "\n");
    }
    sbl_text_printf(text,
                    "  learned from %lld synthetic and %lld real images, tested on %lld; always "
                    "the most frequent class: %.4f\n",
                    sbl_whole_of(synthetic, "used"), sbl_whole_of(real, "used"), sbl_whole_of(rows, "test"),
                    json_number_value(chance));
}

static void put_frechet(sbl_text *text, const json_t *frechet)
{
    const json_t *noise = json_object_get(frechet, "noise");
    const long long side = sbl_whole_of(frechet, "side");
    sbl_put_heading(text, NAME_WIDTH, "Distance to real images");
    sbl_put_row(text, NAME_WIDTH, "Frechet distance, lower is better", json_object_get(frechet, "distance"),
                "%.4g");
    sbl_text_printf(text, "  in the features of ");
    sbl_put_line(text, sbl_string_of(frechet, "encoder"));
    sbl_text_printf(text, ", %lld images on each side; no other distance compares with it\n",
                    sbl_whole_of(frechet, "images"));
    if (*sbl_string_of(frechet, "trained_on") != '\0') {
        sbl_text_printf(text, "  its input is %lld x %lld; trained on: ", side, side);
        sbl_put_line(text, sbl_string_of(frechet, "trained_on"));
        sbl_text_printf(text, "\n");
    }
    if (json_is_number(noise))
        sbl_text_printf(text, "  images of uniform noise: %.4g\n", json_number_value(noise));
}

static void put_closest(sbl_text *text, const json_t *closest)
{
    const json_t *copies = json_object_get(closest, "copies");
    if (!json_is_object(closest)) return;
    sbl_put_heading(text, NAME_WIDTH, "Copies? (a smoke test, no proof)");
    sbl_put_row(text, NAME_WIDTH, "median distance to the nearest", json_object_get(closest, "distance"),
                "%.4f");
    sbl_text_printf(text,
                    "  of %lld real images; root mean square of pixels in 0..1; the ceiling is "
                    "that of unfitted images\n",
                    sbl_whole_of(closest, "reference"));
    sbl_text_printf(text,
                    "  exact copies: %lld of %lld synthetic images that were looked at, %lld of "
                    "%lld unfitted ones\n",
                    sbl_whole_of(copies, "synthetic"), sbl_whole_of(copies, "of_synthetic"),
                    sbl_whole_of(copies, "holdout"), sbl_whole_of(copies, "of_holdout"));
}

void sbl_put_images(sbl_text *text, const json_t *document)
{
    const json_t *images = json_object_get(document, "images");
    put_head(text, document, images);
    put_scores(text, images);
    put_frechet(text, json_object_get(images, "frechet"));
    put_closest(text, json_object_get(images, "closest"));
}
