#include "model/image_generator.h"

#include "base/memory.h"
#include "compute/threads.h"

#define KERNEL 5
#define PADDING 2

static sbl_status check_network(const sbl_image_network *network, sbl_error *err)
{
    if (network->latent < 1 || network->latent > 4096)
        return sbl_fail(err, SBL_EARG, "latent must be from 1 to 4096");
    if (network->hidden < 1 || network->hidden > 65536)
        return sbl_fail(err, SBL_EARG, "hidden must be from 1 to 65536");
    for (size_t i = 0; i < 2; i++)
        if (network->channels[i] < 1 || network->channels[i] > 1024)
            return sbl_fail(err, SBL_EARG, "channels must be from 1 to 1024");
    return SBL_OK;
}

static sbl_status make_net(sbl_net *net, const sbl_image_facts *facts,
                           const sbl_image_network *network, sbl_error *err)
{
    const size_t height = (facts->height + 3) / 4, width = (facts->width + 3) / 4;
    const sbl_layer layers[] = {
        sbl_layer_dense(network->hidden),
        sbl_layer_batch_norm(),
        sbl_layer_relu(),
        sbl_layer_dense(height * width * network->channels[0]),
        sbl_layer_batch_norm(),
        sbl_layer_relu(),
        sbl_layer_reshape(height, width, network->channels[0]),
        sbl_layer_bilinear(2, true),
        sbl_layer_conv(network->channels[1], KERNEL, 1, PADDING),
        sbl_layer_batch_norm(),
        sbl_layer_relu(),
        sbl_layer_bilinear(2, true),
        sbl_layer_conv(facts->channels, KERNEL, 1, PADDING),
        sbl_layer_sigmoid(),
    };
    const size_t codes = facts->classes > 1 ? facts->classes : 0;
    return sbl_net_init(net, sbl_volume_of(1, 1, network->latent + codes), layers,
                        sizeof layers / sizeof *layers, err);
}

sbl_status sbl_image_generator_init(sbl_image_generator *generator, const sbl_image_facts *facts,
                                    const sbl_image_network *network, sbl_error *err)
{
    const size_t groups = sbl_image_facts_groups(facts);
    sbl_status status;
    *generator = (sbl_image_generator){.latent = network->latent};
    SBL_TRY(check_network(network, err));
    SBL_TRY(sbl_image_facts_copy(&generator->facts, facts, err));
    SBL_TRY(make_net(&generator->net, facts, network, err));
    generator->class_shares = sbl_alloc_array(groups, sizeof *generator->class_shares);
    if (!generator->class_shares) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a generator");
        goto done;
    }
    for (size_t c = 0; c < groups; c++) generator->class_shares[c] = 1 / (float)groups;
done:
    if (status != SBL_OK) sbl_image_generator_clear(generator);
    return status;
}

void sbl_image_generator_clear(sbl_image_generator *generator)
{
    sbl_image_facts_clear(&generator->facts);
    sbl_net_clear(&generator->net);
    sbl_free(generator->class_shares);
    *generator = (sbl_image_generator){0};
}

/* Where an image stands in the network's output: rows of `run` values, the first at `first`. */
typedef struct window {
    size_t first, lines, run, stride, whole;
} window;

static window window_of(const sbl_image_generator *generator)
{
    const sbl_volume out = generator->net.output;
    const sbl_image_facts *facts = &generator->facts;
    const size_t top = (out.height - facts->height) / 2, left = (out.width - facts->width) / 2;
    return (window){.first = (top * out.width + left) * out.channels,
                    .lines = facts->height,
                    .run = facts->width * out.channels,
                    .stride = out.width * out.channels,
                    .whole = sbl_volume_size(out)};
}

static inline float stretched(float s) { return (1 + 2 * SBL_IMAGE_MARGIN) * s - SBL_IMAGE_MARGIN; }

static inline float held(float v) { return v < 0 ? 0 : v > 1 ? 1 : v; }

void sbl_image_generator_pixels(float *pixels, const sbl_image_generator *generator,
                                const float *outputs, size_t rows, bool training)
{
    const window w = window_of(generator);
    const float leak = training ? SBL_IMAGE_LEAK : 0;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++)
        for (size_t line = 0; line < w.lines; line++) {
            const float *from = outputs + r * w.whole + w.first + line * w.stride;
            float *to = pixels + (r * w.lines + line) * w.run;
            for (size_t i = 0; i < w.run; i++) {
                const float v = stretched(from[i]), h = held(v);
                to[i] = h + leak * (v - h);
            }
        }
}

void sbl_image_generator_backward(float *d_outputs, const sbl_image_generator *generator,
                                  const float *d_pixels, const float *outputs, size_t rows)
{
    const window w = window_of(generator);
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++) {
        float *image = d_outputs + r * w.whole;
        for (size_t i = 0; i < w.whole; i++) image[i] = 0;
        for (size_t line = 0; line < w.lines; line++) {
            const size_t place = w.first + line * w.stride;
            const float *from = outputs + r * w.whole + place;
            const float *d = d_pixels + (r * w.lines + line) * w.run;
            for (size_t i = 0; i < w.run; i++) {
                const float v = stretched(from[i]);
                const float slope = v < 0 || v > 1 ? SBL_IMAGE_LEAK : 1;
                image[place + i] = (1 + 2 * SBL_IMAGE_MARGIN) * slope * d[i];
            }
        }
    }
}
