/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the networks that generator.h draws. */
#include "after/model/generator.h"

#define KERNEL 5
#define PADDING 2
#define IMAGE_HIDDEN 3 /* h, c_0, c_1 */
#define MOST_WIDE 65536
#define MOST_IMAGE_LATENT 4096
#define MOST_CHANNELS 1024
#define MOST_LAYERS (3 * SBL_NETWORK_MOST_HIDDEN + 3)
#define FIRST_SIDE 4 /* of a residual network */
#define LEAST_CHANNELS 8
#define BLOCK_LAYERS 9
#define MOST_BLOCKS 6

/* images: of pixels, but for dense ones, whose hidden layers are as those of tables. */
static sbl_status check_hidden(const sbl_network *network, bool images, sbl_error *err)
{
    if (images && network->count != IMAGE_HIDDEN)
        return sbl_fail(err, SBL_EARG,
                        "hidden must be a size and two numbers of channels, such as 256,32,16");
    if (network->count < 1 || network->count > SBL_NETWORK_MOST_HIDDEN)
        return sbl_fail(err, SBL_EARG, "hidden must list 1 to %d layers", SBL_NETWORK_MOST_HIDDEN);
    for (size_t l = 0; l < network->count; l++) {
        const size_t most = images && l > 0 ? MOST_CHANNELS : MOST_WIDE;
        if (network->hidden[l] < 1 || network->hidden[l] > most)
            return sbl_fail(err, SBL_EARG, "hidden: %s must be from 1 to %zu",
                            images && l > 0 ? "channels" : "sizes", most);
    }
    return SBL_OK;
}

static sbl_status check_network(const sbl_network *network, bool images, sbl_error *err)
{
    const size_t most_latent = images ? MOST_IMAGE_LATENT : MOST_WIDE;
    if (network->latent < 1 || network->latent > most_latent)
        return sbl_fail(err, SBL_EARG, "latent must be from 1 to %zu", most_latent);
    if (network->signs > network->latent) return sbl_fail(err, SBL_EARG, "signs must be at most latent");
    if (images && network->residual && (network->hidden[0] % 16 != 0 || network->hidden[0] > MOST_CHANNELS))
        return sbl_fail(err, SBL_EARG,
                        "hidden of a residual generator must be a multiple of 16 from 16 to %d",
                        MOST_CHANNELS);
    return check_hidden(network, images && !network->dense, err);
}

static sbl_layer unbiased(sbl_layer layer)
{
    layer.no_bias = true; /* a batch norm behind it has one */
    return layer;
}

/* Returns the number of layers. */
static size_t add_hidden(sbl_layer *layers, const sbl_network *network)
{
    size_t count = 0;
    for (size_t l = 0; l < network->count; l++) {
        layers[count++] = unbiased(sbl_layer_dense(network->hidden[l]));
        layers[count++] = sbl_layer_batch_norm();
        layers[count++] = sbl_layer_relu();
    }
    return count;
}

static sbl_status make_table_net(sbl_net *net, const sbl_facts *facts, const sbl_network *network,
                                 sbl_error *err)
{
    const size_t codes = sbl_generator_codes(facts);
    sbl_layer layers[MOST_LAYERS];
    size_t count = add_hidden(layers, network);
    layers[count] = sbl_layer_dense(facts->shape.numeric + facts->shape.onehot);
    layers[count++].no_bias = codes > 0;
    if (codes > 0) layers[count++] = sbl_layer_add_input(codes);
    return sbl_net_init(net, sbl_volume_of(1, 1, network->latent + codes), layers, count, err);
}

static sbl_status make_image_net(sbl_net *net, const sbl_facts *facts, const sbl_network *network,
                                 sbl_error *err)
{
    const sbl_image_facts *images = &facts->images;
    const size_t height = (images->height + 3) / 4, width = (images->width + 3) / 4;
    const sbl_layer layers[] = {
        sbl_layer_dense(network->hidden[0]),
        sbl_layer_batch_norm(),
        sbl_layer_relu(),
        sbl_layer_dense(height * width * network->hidden[1]),
        sbl_layer_batch_norm(),
        sbl_layer_relu(),
        sbl_layer_reshape(height, width, network->hidden[1]),
        sbl_layer_bilinear(2, true),
        sbl_layer_conv(network->hidden[2], KERNEL, 1, PADDING),
        sbl_layer_batch_norm(),
        sbl_layer_relu(),
        sbl_layer_bilinear(2, true),
        sbl_layer_conv(images->channels, KERNEL, 1, PADDING),
        sbl_layer_sigmoid(),
    };
    return sbl_net_init(net, sbl_volume_of(1, 1, network->latent + sbl_generator_codes(facts)), layers,
                        sizeof layers / sizeof *layers, err);
}

/* The last layer gives the pixels of all channels, in the order of the image. */
static sbl_status make_dense_net(sbl_net *net, const sbl_facts *facts, const sbl_network *network,
                                 sbl_error *err)
{
    const sbl_image_facts *images = &facts->images;
    sbl_layer layers[MOST_LAYERS];
    size_t count = add_hidden(layers, network);
    layers[count++] = sbl_layer_dense(images->height * images->width * images->channels);
    layers[count++] = sbl_layer_reshape(images->height, images->width, images->channels);
    layers[count++] = sbl_layer_sigmoid();
    return sbl_net_init(net, sbl_volume_of(1, 1, network->latent + sbl_generator_codes(facts)), layers, count,
                        err);
}

/* One block of a residual network; returns the number of layers so far. */
static size_t add_block(sbl_layer *layers, size_t count, size_t channels)
{
    layers[count++] = sbl_layer_conv(channels, 1, 1, 0);
    const size_t source = count;
    layers[count++] = sbl_layer_nearest(2);
    layers[count++] = sbl_layer_batch_norm();
    layers[count++] = sbl_layer_relu();
    layers[count++] = unbiased(sbl_layer_conv(channels, 3, 1, 1));
    layers[count++] = sbl_layer_batch_norm();
    layers[count++] = sbl_layer_relu();
    layers[count++] = sbl_layer_conv(channels, 3, 1, 1);
    layers[count++] = sbl_layer_add(source);
    return count;
}

static sbl_status make_residual_net(sbl_net *net, const sbl_facts *facts, const sbl_network *network,
                                    sbl_error *err)
{
    const sbl_image_facts *images = &facts->images;
    sbl_layer layers[MOST_BLOCKS * BLOCK_LAYERS + 6];
    size_t channels = network->hidden[0], count = 0;
    layers[count++] = sbl_layer_dense(FIRST_SIDE * FIRST_SIDE * channels);
    layers[count++] = sbl_layer_reshape(FIRST_SIDE, FIRST_SIDE, channels);
    for (size_t side = FIRST_SIDE, block = 0;
         block < MOST_BLOCKS && (side < images->height || side < images->width || block == 0);
         side *= 2, block++) {
        if (channels / 2 >= LEAST_CHANNELS) channels /= 2;
        count = add_block(layers, count, channels);
    }
    layers[count++] = sbl_layer_batch_norm();
    layers[count++] = sbl_layer_relu();
    layers[count++] = sbl_layer_conv(images->channels, 3, 1, 1);
    layers[count++] = sbl_layer_sigmoid();
    return sbl_net_init(net, sbl_volume_of(1, 1, network->latent + sbl_generator_codes(facts)), layers, count,
                        err);
}

sbl_status sbl_generator_build(sbl_net *net, const sbl_facts *facts, const sbl_network *network,
                               sbl_error *err)
{
    const bool images = facts->kind == SBL_DATA_IMAGES;
    SBL_CHECK(check_network(network, images, err));
    if (images && network->residual) return make_residual_net(net, facts, network, err);
    if (images && network->dense) return make_dense_net(net, facts, network, err);
    return images ? make_image_net(net, facts, network, err) : make_table_net(net, facts, network, err);
}
