/* SPDX-License-Identifier: Apache-2.0 */
/* The table of defaults, whose numbers come from public/options/option_defaults.h, and the hidden sizes of a
 * network put over them. */
#include "after/train/train_defaults.h"

#include "public/options/option_defaults.h"

static const sbl_train_defaults defaults[] = {
    [SBL_DATA_TABLE] = {.network = {.latent = SBL_DEFAULT_LATENT, .hidden = {SBL_DEFAULT_HIDDEN}, .count = 3},
                        .steps = SBL_DEFAULT_STEPS,
                        .batch = SBL_DEFAULT_BATCH,
                        .most_batch = 1000000,
                        .rate = SBL_DEFAULT_RATE,
                        .average = 0,
                        .balance = 0.5,
                        .class_power = 1},
    [SBL_DATA_IMAGES] = {.network = {.latent = SBL_DEFAULT_IMAGE_LATENT,
                                     .hidden = {SBL_DEFAULT_IMAGE_HIDDEN, SBL_DEFAULT_IMAGE_CHANNELS},
                                     .count = 3},
                         .steps = SBL_DEFAULT_IMAGE_STEPS,
                         .batch = SBL_DEFAULT_IMAGE_BATCH,
                         .most_batch = 100000,
                         .rate = SBL_DEFAULT_RATE,
                         .average = 0.998,
                         .balance = 0.5,
                         .class_power = 1},
};

const sbl_train_defaults *sbl_train_defaults_of(sbl_data_kind kind) { return &defaults[kind]; }

sbl_status sbl_network_choose(sbl_network *network, sbl_data_kind kind, const size_t *hidden, size_t count,
                              sbl_error *err)
{
    *network = sbl_train_defaults_of(kind)->network;
    if (count == 0) return SBL_OK;
    if (kind == SBL_DATA_IMAGES && count != 1 && count != 3)
        return sbl_fail(
            err, SBL_EARG,
            "for images, hidden must be one size, or a size and two numbers of channels, such as 256,32,16");
    if (count > SBL_NETWORK_MOST_HIDDEN)
        return sbl_fail(err, SBL_EARG, "hidden must list 1 to %d layers", SBL_NETWORK_MOST_HIDDEN);
    for (size_t l = 0; l < count; l++) network->hidden[l] = hidden[l];
    if (kind == SBL_DATA_TABLE) network->count = count;
    return SBL_OK;
}

sbl_status sbl_network_choose_residual(sbl_network *network, const size_t *hidden, size_t count,
                                       sbl_error *err)
{
    *network = sbl_train_defaults_of(SBL_DATA_IMAGES)->network;
    network->residual = true;
    network->hidden[0] = SBL_DEFAULT_RESIDUAL_CHANNELS;
    if (count > 1)
        return sbl_fail(err, SBL_EARG,
                        "for a residual generator, hidden must be one number of channels, such as 128");
    if (count == 1) network->hidden[0] = hidden[0];
    return SBL_OK;
}

sbl_status sbl_network_choose_dense(sbl_network *network, const size_t *hidden, size_t count, sbl_error *err)
{
    static const size_t usual[] = {SBL_DEFAULT_DENSE_HIDDEN};
    const bool given = count > 0;
    if (!given) count = sizeof usual / sizeof *usual;
    if (count > SBL_NETWORK_MOST_HIDDEN)
        return sbl_fail(err, SBL_EARG, "hidden must list 1 to %d layers", SBL_NETWORK_MOST_HIDDEN);
    *network = sbl_train_defaults_of(SBL_DATA_IMAGES)->network;
    network->dense = true;
    network->count = count;
    for (size_t l = 0; l < count; l++) network->hidden[l] = given ? hidden[l] : usual[l];
    return SBL_OK;
}
