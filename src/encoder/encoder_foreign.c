/* Networks under the names that others give their tensors: torchvision's state dictionaries and the
 * Caffe model of SqueezeNet. What their files do not say (strides, the input's normalisation) is
 * what these architectures fix. */
#include <stdio.h>
#include <string.h>

#include "encoder/encoder_reading.h"

#define REFUSE(...) return sbl_fail(err, SBL_EINPUT, __VA_ARGS__)
#define LAST_VGG 60 /* above the number of any of its layers */
#define LAST_BLOCK 40

static void imagenet_input(sbl_encoder *e)
{
    static const float mean[] = {0.485f, 0.456f, 0.406f}, deviation[] = {0.229f, 0.224f, 0.225f};
    memcpy(e->mean, mean, sizeof mean);
    memcpy(e->deviation, deviation, sizeof deviation);
}

/* ---- torchvision's VGG: features.0, features.1, ...: a convolution, perhaps its batch norm, a ReLU;
 * what has no tensors between them is a pool. The classifier is for inputs of 224 pixels. ---- */

static bool is_vgg_convolution(const sbl_reading *r, size_t i)
{
    char name[SBL_READING_NAME_SIZE];
    (void)snprintf(name, sizeof name, "features.%zu", i);
    const sbl_foreign_tensor *weight = sbl_reading_find(r, name, "weight");
    return weight != NULL && weight->rank == 4;
}

static sbl_status vgg_convolution(sbl_reading *r, size_t *place, sbl_error *err)
{
    char name[SBL_READING_NAME_SIZE], norm[SBL_READING_NAME_SIZE];
    sbl_status status = SBL_OK;
    (void)snprintf(name, sizeof name, "features.%zu", *place);
    (void)snprintf(norm, sizeof norm, "features.%zu", *place + 1);
    const bool has_norm = sbl_reading_find(r, norm, "running_mean") != NULL;
    SBL_TRY(sbl_reading_same(r, name, has_norm ? norm : "", 1, err));
    SBL_TRY(sbl_reading_relu(r, name, err));
    *place += has_norm ? 3 : 2;
done:
    return status;
}

sbl_status sbl_reading_torchvision_vgg(sbl_reading *r, sbl_error *err)
{
    size_t last = 0;
    sbl_status status = SBL_OK;
    imagenet_input(r->encoder);
    for (size_t i = 0; i <= LAST_VGG; i++)
        if (is_vgg_convolution(r, i)) last = i;
    for (size_t place = 0; place <= last;) {
        if (is_vgg_convolution(r, place)) {
            SBL_TRY(vgg_convolution(r, &place, err));
        } else {
            SBL_TRY(sbl_reading_pool(r, 2, 2, 0, err));
            place++;
        }
    }
    SBL_TRY(sbl_reading_stage(r, err));
done:
    return status;
}

/* ---- torchvision's ResNet of two convolutions to a block: 18 and 34 ---- */

static sbl_status resnet_block(sbl_reading *r, const char *block, size_t stride, sbl_error *err)
{
    char conv[SBL_READING_NAME_SIZE], norm[SBL_READING_NAME_SIZE], skip[SBL_READING_NAME_SIZE];
    sbl_status status = SBL_OK;
    (void)snprintf(skip, sizeof skip, "%s.conv3", block);
    if (sbl_reading_find(r, skip, "weight") != NULL)
        REFUSE("%s: blocks of three convolutions (ResNet 50 and larger) are not known", r->where);
    for (int i = 1; i <= 2; i++) {
        (void)snprintf(conv, sizeof conv, "%s.conv%d", block, i);
        (void)snprintf(norm, sizeof norm, "%s.bn%d", block, i);
        SBL_TRY(sbl_reading_same(r, conv, norm, i == 1 ? stride : 1, err));
        if (i == 1) SBL_TRY(sbl_reading_relu(r, conv, err));
    }
    (void)snprintf(skip, sizeof skip, "%s.downsample.0", block);
    (void)snprintf(norm, sizeof norm, "%s.downsample.1", block);
    if (sbl_reading_find(r, skip, "weight") == NULL) skip[0] = '\0';
    SBL_TRY(sbl_reading_residual(r, block, skip, norm, stride, err));
done:
    return status;
}

sbl_status sbl_reading_torchvision_resnet(sbl_reading *r, sbl_error *err)
{
    char block[SBL_READING_NAME_SIZE / 2], first[SBL_READING_NAME_SIZE];
    sbl_status status = SBL_OK;
    imagenet_input(r->encoder);
    SBL_TRY(sbl_reading_same(r, "conv1", "bn1", 2, err));
    SBL_TRY(sbl_reading_relu(r, "conv1", err));
    SBL_TRY(sbl_reading_pool(r, 3, 2, 1, err));
    SBL_TRY(sbl_reading_stage(r, err));
    for (size_t layer = 1; layer <= 4; layer++)
        for (size_t b = 0; b < LAST_BLOCK; b++) {
            (void)snprintf(block, sizeof block, "layer%zu.%zu", layer, b);
            (void)snprintf(first, sizeof first, "%s.conv1", block);
            if (b > 0 && sbl_reading_find(r, first, "weight") == NULL) break;
            SBL_TRY(resnet_block(r, block, layer > 1 && b == 0 ? 2 : 1, err));
        }
    SBL_TRY(sbl_reading_head(r, "fc", err));
done:
    return status;
}

/* ---- SqueezeNet 1.1: blue, green, red from 0 to 255 ---- */

static sbl_status fire_module(sbl_reading *r, int number, sbl_error *err)
{
    char squeeze[SBL_READING_NAME_SIZE], one[SBL_READING_NAME_SIZE], three[SBL_READING_NAME_SIZE];
    char name[SBL_READING_NAME_SIZE];
    sbl_status status = SBL_OK;
    (void)snprintf(name, sizeof name, "fire%d", number);
    (void)snprintf(squeeze, sizeof squeeze, "fire%d/squeeze1x1", number);
    (void)snprintf(one, sizeof one, "fire%d/expand1x1", number);
    (void)snprintf(three, sizeof three, "fire%d/expand3x3", number);
    SBL_TRY(sbl_reading_same(r, squeeze, "", 1, err));
    SBL_TRY(sbl_reading_relu(r, squeeze, err));
    /* The two expansions of the same inputs, side by side: one convolution. That of 1 x 1 is checked
     * as a layer of its own, which then becomes the other's centre. */
    SBL_TRY(sbl_reading_same(r, one, "", 1, err));
    const sbl_layer ask = r->layers[--r->layer_count].ask;
    SBL_TRY(sbl_reading_same(r, three, "", 1, err));
    sbl_reading_layer *both = &r->layers[r->layer_count - 1];
    if (ask.kernel != 1 || both->ask.kernel != 3)
        SBL_FAIL(err, SBL_EINPUT, "%s: the expansions of '%s' are not 1 x 1 and 3 x 3", r->where,
                 name);
    both->ask.channels += ask.channels;
    (void)snprintf(both->centre, sizeof both->centre, "%s", one);
    SBL_TRY(sbl_reading_relu(r, name, err));
done:
    return status;
}

sbl_status sbl_reading_squeezenet(sbl_reading *r, sbl_error *err)
{
    static const float mean[] = {123.0f / 255, 117.0f / 255, 104.0f / 255};
    sbl_status status = SBL_OK;
    for (size_t c = 0; c < SBL_ENCODER_CHANNELS; c++) {
        r->encoder->mean[c] = mean[c];
        r->encoder->deviation[c] = 1.0f / 255;
    }
    SBL_TRY(sbl_reading_convolution(r, "conv1", "", 2, 0, err));
    r->layers[0].reversed = true;
    SBL_TRY(sbl_reading_relu(r, "conv1", err));
    for (int fire = 2; fire <= 9; fire++) {
        if (fire == 2 || fire == 4 || fire == 6) SBL_TRY(sbl_reading_pool(r, 3, 2, 0, err));
        SBL_TRY(fire_module(r, fire, err));
    }
    SBL_TRY(sbl_reading_stage(r, err));
done:
    return status;
}
