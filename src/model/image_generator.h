/* A generator of images: a convolutional network that turns noise and a class into an image, and
 * the shares of the classes. Made from a release alone; sampling it costs nothing.
 *
 *     latent, one-hot class -> dense h, batch norm, ReLU -> dense, batch norm, ReLU
 *     -> (H/4, W/4, c_0) -> bilinear x2 -> 5x5 convolution c_1, batch norm, ReLU
 *     -> bilinear x2 -> 5x5 convolution, sigmoid s
 * Sides that 4 does not divide are rounded up and the middle is cut out. A pixel is
 * (1 + 2 m) s - m held to [0, 1], m = SBL_IMAGE_MARGIN, so that plain black and plain white, which
 * most images are full of, are within a network's reach. */
#ifndef SBL_MODEL_IMAGE_GENERATOR_H
#define SBL_MODEL_IMAGE_GENERATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/status.h"
#include "nn/net.h"
#include "schema/image_facts.h"

#define SBL_IMAGE_MARGIN 0.02f
#define SBL_IMAGE_LEAK 0.01f /* slope beyond [0, 1] in training, so that no pixel is stuck */

typedef struct sbl_image_network {
    size_t latent;      /* 1 .. 4096 */
    size_t hidden;      /* 1 .. 65536 */
    size_t channels[2]; /* c_0, c_1: 1 .. 1024 */
} sbl_image_network;

typedef struct sbl_image_generator {
    sbl_image_facts facts;
    size_t latent;
    sbl_net net;         /* input: latent, then the class's one-hot code where there are several */
    float *class_shares; /* (groups): nonnegative, sum 1 */
} sbl_image_generator;

/* Zero weights, equal shares.   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_image_generator_init(sbl_image_generator *generator, const sbl_image_facts *facts,
                                    const sbl_image_network *network, sbl_error *err);
void sbl_image_generator_clear(sbl_image_generator *generator);

/* Width of the network's input: the latents and the one-hot code. */
static inline size_t sbl_image_generator_inputs(const sbl_image_generator *generator)
{
    return sbl_volume_size(generator->net.input);
}

/* pixels (rows, height, width, channels) from the network's outputs; training: with the leak, else
 * within [0, 1]. */
void sbl_image_generator_pixels(float *pixels, const sbl_image_generator *generator,
                                const float *outputs, size_t rows, bool training);
/* d_outputs from d_pixels, for the outputs that pixels came from. */
void sbl_image_generator_backward(float *d_outputs, const sbl_image_generator *generator,
                                  const float *d_pixels, const float *outputs, size_t rows);

/* The model file. extra: an object of strings that is stored beside the model's own, or NULL. Names
 * that begin with "semblance." are ours. */
sbl_status sbl_image_generator_save(const sbl_image_generator *generator, const char *path,
                                    const json_t *extra, bool overwrite, sbl_error *err);
/* extra (may be NULL) receives all metadata, owned by the caller: json_decref.
 * Returns: SBL_OK, SBL_EINPUT, SBL_EIO, SBL_EMEM */
sbl_status sbl_image_generator_load(sbl_image_generator *generator, json_t **extra,
                                    const char *path, sbl_error *err);
/* Is this metadata that of an image generator? */
bool sbl_image_generator_is(const json_t *metadata);

#endif
