/* SPDX-License-Identifier: Apache-2.0 */
/* From a safetensors file to an encoder. */
#include "base/encoder/encoder_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"

#define REFUSE(...) return sbl_fail(err, SBL_EINPUT, __VA_ARGS__)
#define MAX_CONVOLUTIONS 40
#define DIGEST_SHOWN 12
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
    (void)snprintf(name, sizeof name, "features.%zu", *place);
    (void)snprintf(norm, sizeof norm, "features.%zu", *place + 1);
    const bool has_norm = sbl_reading_find(r, norm, "running_mean") != NULL;
    SBL_CHECK(sbl_reading_same(r, name, has_norm ? norm : "", 1, err));
    SBL_CHECK(sbl_reading_relu(r, name, err));
    *place += has_norm ? 3 : 2;
    return SBL_OK;
}

static sbl_status read_torchvision_vgg(sbl_reading *r, sbl_error *err)
{
    size_t last = 0;
    imagenet_input(r->encoder);
    for (size_t i = 0; i <= LAST_VGG; i++)
        if (is_vgg_convolution(r, i)) last = i;
    for (size_t place = 0; place <= last;) {
        if (is_vgg_convolution(r, place)) {
            SBL_CHECK(vgg_convolution(r, &place, err));
        } else {
            SBL_CHECK(sbl_reading_pool(r, 2, 2, 0, err));
            place++;
        }
    }
    return sbl_reading_stage(r, err);
}

/* ---- torchvision's ResNet: blocks of two convolutions (18 and 34), the first of which has the stride, or
 * of three (50, 101, 152), the second of which has ---- */

static sbl_status resnet_block(sbl_reading *r, const char *block, size_t stride, sbl_error *err)
{
    char conv[SBL_READING_NAME_SIZE], norm[SBL_READING_NAME_SIZE], skip[SBL_READING_NAME_SIZE];
    (void)snprintf(conv, sizeof conv, "%s.conv3", block);
    const int count = sbl_reading_find(r, conv, "weight") != NULL ? 3 : 2;
    for (int i = 1; i <= count; i++) {
        (void)snprintf(conv, sizeof conv, "%s.conv%d", block, i);
        (void)snprintf(norm, sizeof norm, "%s.bn%d", block, i);
        SBL_CHECK(sbl_reading_same(r, conv, norm, i == count - 1 ? stride : 1, err));
        if (i < count) SBL_CHECK(sbl_reading_relu(r, conv, err));
    }
    (void)snprintf(skip, sizeof skip, "%s.downsample.0", block);
    (void)snprintf(norm, sizeof norm, "%s.downsample.1", block);
    if (sbl_reading_find(r, skip, "weight") == NULL) skip[0] = '\0';
    return sbl_reading_residual(r, block, skip, norm, stride, err);
}

static sbl_status read_torchvision_resnet(sbl_reading *r, sbl_error *err)
{
    char block[SBL_READING_NAME_SIZE / 2], first[SBL_READING_NAME_SIZE];
    imagenet_input(r->encoder);
    SBL_CHECK(sbl_reading_same(r, "conv1", "bn1", 2, err));
    SBL_CHECK(sbl_reading_relu(r, "conv1", err));
    SBL_CHECK(sbl_reading_pool(r, 3, 2, 1, err));
    SBL_CHECK(sbl_reading_stage(r, err));
    for (size_t layer = 1; layer <= 4; layer++)
        for (size_t b = 0; b < LAST_BLOCK; b++) {
            (void)snprintf(block, sizeof block, "layer%zu.%zu", layer, b);
            (void)snprintf(first, sizeof first, "%s.conv1", block);
            if (b > 0 && sbl_reading_find(r, first, "weight") == NULL) break;
            SBL_CHECK(resnet_block(r, block, layer > 1 && b == 0 ? 2 : 1, err));
        }
    return sbl_reading_head(r, "fc", err);
}

/* ---- SqueezeNet 1.1: blue, green, red from 0 to 255 ---- */

static sbl_status fire_module(sbl_reading *r, int number, sbl_error *err)
{
    char squeeze[SBL_READING_NAME_SIZE], one[SBL_READING_NAME_SIZE], three[SBL_READING_NAME_SIZE];
    char name[SBL_READING_NAME_SIZE];
    (void)snprintf(name, sizeof name, "fire%d", number);
    (void)snprintf(squeeze, sizeof squeeze, "fire%d/squeeze1x1", number);
    (void)snprintf(one, sizeof one, "fire%d/expand1x1", number);
    (void)snprintf(three, sizeof three, "fire%d/expand3x3", number);
    SBL_CHECK(sbl_reading_same(r, squeeze, "", 1, err));
    SBL_CHECK(sbl_reading_relu(r, squeeze, err));
    /* The two expansions of the same inputs, side by side: one convolution. That of 1 x 1 is checked
     * as a layer of its own, which then becomes the other's centre. */
    SBL_CHECK(sbl_reading_same(r, one, "", 1, err));
    const sbl_layer ask = r->layers[--r->layer_count].ask;
    SBL_CHECK(sbl_reading_same(r, three, "", 1, err));
    sbl_reading_layer *both = &r->layers[r->layer_count - 1];
    if (ask.kernel != 1 || both->ask.kernel != 3)
        return sbl_fail(err, SBL_EINPUT, "%s: the expansions of '%s' are not 1 x 1 and 3 x 3", r->where,
                        name);
    both->ask.channels += ask.channels;
    (void)snprintf(both->centre, sizeof both->centre, "%s", one);
    return sbl_reading_relu(r, name, err);
}

static sbl_status read_squeezenet(sbl_reading *r, sbl_error *err)
{
    static const float mean[] = {123.0f / 255, 117.0f / 255, 104.0f / 255};
    for (size_t c = 0; c < SBL_ENCODER_CHANNELS; c++) {
        r->encoder->mean[c] = mean[c];
        r->encoder->deviation[c] = 1.0f / 255;
    }
    SBL_CHECK(sbl_reading_convolution(r, "conv1", "", 2, 0, err));
    r->layers[0].reversed = true;
    SBL_CHECK(sbl_reading_relu(r, "conv1", err));
    for (int fire = 2; fire <= 9; fire++) {
        if (fire == 2 || fire == 4 || fire == 6) SBL_CHECK(sbl_reading_pool(r, 3, 2, 0, err));
        SBL_CHECK(fire_module(r, fire, err));
    }
    return sbl_reading_stage(r, err);
}

/* ---- vgg ---- */

/* The next name of a comma list; false at its end. */
static bool next_name(char name[SBL_READING_NAME_SIZE], const char **list)
{
    const size_t length = strcspn(*list, ",");
    if (length == 0 || length >= SBL_READING_NAME_SIZE) return false;
    memcpy(name, *list, length);
    name[length] = '\0';
    *list += length + ((*list)[length] == ',' ? 1 : 0);
    return true;
}

static sbl_status read_vgg(sbl_reading *r, sbl_error *err)
{
    char name[SBL_READING_NAME_SIZE];
    const char *list = sbl_tensor_file_text(&r->file, "layers");
    while (list != NULL && r->layer_count + 2 <= 2 * MAX_CONVOLUTIONS && next_name(name, &list)) {
        if (strcmp(name, "pool2") == 0) {
            SBL_CHECK(sbl_reading_pool(r, 2, 2, 0, err));
            continue;
        }
        SBL_CHECK(sbl_reading_same(r, name, "", 1, err));
        SBL_CHECK(sbl_reading_relu(r, name, err));
    }
    if (list == NULL || *list != '\0' || r->layer_count == 0)
        REFUSE("%s: metadata field 'layers' is not a list of 1 to %d layers", r->where, MAX_CONVOLUTIONS);
    return sbl_reading_stage(r, err);
}

/* ---- resnet ---- */

static sbl_status read_block(sbl_reading *r, const char *block, sbl_error *err)
{
    char name[SBL_READING_NAME_SIZE], skip[SBL_READING_NAME_SIZE];
    (void)snprintf(skip, sizeof skip, "%s.skip", block);
    if (sbl_reading_find(r, skip, "weight") == NULL) skip[0] = '\0';
    const size_t stride = skip[0] != '\0' ? 2 : 1;
    (void)snprintf(name, sizeof name, "%s.conv1", block);
    SBL_CHECK(sbl_reading_same(r, name, "", stride, err));
    SBL_CHECK(sbl_reading_relu(r, name, err));
    (void)snprintf(name, sizeof name, "%s.conv2", block);
    SBL_CHECK(sbl_reading_same(r, name, "", 1, err));
    return sbl_reading_residual(r, block, skip, "", stride, err);
}

static sbl_status read_resnet(sbl_reading *r, sbl_error *err)
{
    char block[SBL_READING_NAME_SIZE / 2], first[SBL_READING_NAME_SIZE];
    SBL_CHECK(sbl_reading_same(r, "stem", "", 1, err));
    SBL_CHECK(sbl_reading_relu(r, "stem", err));
    SBL_CHECK(sbl_reading_stage(r, err));
    for (int i = 0;; i++) {
        (void)snprintf(block, sizeof block, "block%d", i);
        (void)snprintf(first, sizeof first, "%s.conv1", block);
        if (sbl_reading_find(r, first, "weight") == NULL) break;
        SBL_CHECK(read_block(r, block, err));
    }
    return SBL_OK;
}

/* ---- the input, as a file of our own families describes it ---- */

static sbl_status read_three(float values[SBL_ENCODER_CHANNELS], const sbl_reading *r, const char *name,
                             sbl_error *err)
{
    const char *list = sbl_tensor_file_text(&r->file, name);
    char number[SBL_READING_NAME_SIZE];
    double value;
    for (size_t c = 0; c < SBL_ENCODER_CHANNELS; c++) {
        if (list == NULL || !next_name(number, &list) || !sbl_text_to_double(&value, number) ||
            !(fabs(value) < 1e3))
            REFUSE("%s: metadata field '%s' is not a list of three numbers", r->where, name);
        values[c] = (float)value;
    }
    return SBL_OK;
}

static sbl_status read_input(sbl_reading *r, sbl_error *err)
{
    static const char known[] = "RGB in [0,1], minus mean, over std";
    const char *input = sbl_tensor_file_text(&r->file, "input");
    if (input == NULL || strcmp(input, known) != 0)
        REFUSE("%s: metadata field 'input' is not '%s'", r->where, known);
    SBL_CHECK(read_three(r->encoder->mean, r, "mean", err));
    SBL_CHECK(read_three(r->encoder->deviation, r, "std", err));
    for (size_t c = 0; c < SBL_ENCODER_CHANNELS; c++)
        if (!(r->encoder->deviation[c] > 1e-6f))
            REFUSE("%s: metadata field 'std' must be positive", r->where);
    return SBL_OK;
}

/* ---- the whole ---- */

/* Printable, and cut where it is longer. */
static void copy_text(char *to, size_t size, const char *from)
{
    (void)snprintf(to, size, "%s", from);
    (void)sbl_ascii_line(to);
}

static sbl_status read_own(sbl_reading *r, bool vgg, sbl_error *err)
{
    SBL_CHECK(read_input(r, err));
    SBL_CHECK(vgg ? read_vgg(r, err) : read_resnet(r, err));
    return sbl_reading_head(r, "fc", err);
}

static sbl_status read_layers(sbl_reading *r, sbl_error *err)
{
    const char *said = sbl_tensor_file_text(&r->file, "architecture");
    const char *family = NULL;
    sbl_status status;
    if (said != NULL && strncmp(said, "vgg", 3) == 0) {
        family = "vgg";
        status = read_own(r, true, err);
    } else if (said != NULL && strncmp(said, "resnet", 6) == 0) {
        family = "resnet";
        status = read_own(r, false, err);
    } else if (sbl_tensor_file_find(&r->file, "fire2/squeeze1x1.weight") != NULL) {
        family = "squeezenet";
        status = read_squeezenet(r, err);
    } else if (sbl_tensor_file_find(&r->file, "features.0.weight") != NULL) {
        family = "torchvision vgg";
        status = read_torchvision_vgg(r, err);
    } else if (sbl_tensor_file_find(&r->file, "layer1.0.conv1.weight") != NULL) {
        family = "torchvision resnet";
        status = read_torchvision_resnet(r, err);
    } else {
        REFUSE(
            "%s: metadata field 'architecture' names neither vgg nor resnet, and the tensors are "
            "named as in no other known network",
            r->where);
    }
    if (status != SBL_OK) return status;
    r->encoder->width = r->volume.channels;
    copy_text(r->encoder->family, sizeof r->encoder->family, family);
    return SBL_OK;
}

/* What is known of it beside its layers. */
static sbl_status name_encoder(sbl_reading *r, const uint8_t *bytes, size_t size, sbl_error *err)
{
    static const char ending[] = ".safetensors";
    sbl_encoder *e = r->encoder;
    uint8_t digest[SBL_SHA256_SIZE];
    char name[SBL_ENCODER_NAME_SIZE];
    const char *trained = sbl_tensor_file_text(&r->file, "trained_on");
    const char *slash = strrchr(r->where, '/'), *base = slash != NULL ? slash + 1 : r->where;
    size_t length = strlen(base);
    const sbl_status status = sbl_sha256(digest, bytes, size, NULL, 0, err);
    if (status != SBL_OK) return status;
    if (length >= sizeof ending && strcmp(base + length - (sizeof ending - 1), ending) == 0)
        length -= sizeof ending - 1;
    sbl_hex_encode(e->hash, digest, sizeof digest);
    (void)snprintf(name, sizeof name, "%.*s (sha256 %.*s)", length < 48 ? (int)length : 48, base,
                   DIGEST_SHOWN, e->hash);
    copy_text(e->name, sizeof e->name, name);
    copy_text(e->origin, sizeof e->origin, trained != NULL ? trained : "not stated");
    return SBL_OK;
}

sbl_status sbl_encoder_decode(sbl_encoder **encoder, const uint8_t *bytes, size_t size, const char *path,
                              size_t side, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_reading *r = sbl_alloc_array(1, sizeof *r);
    *encoder = NULL;
    if (r == NULL) return sbl_no_memory(err, "an encoder");
    r->where = path;
    r->volume = sbl_volume_of(side, side, SBL_ENCODER_CHANNELS);
    SBL_ALLOC(r->encoder, 1, "an encoder");
    if (side < SBL_ENCODER_LEAST_SIDE || side > SBL_ENCODER_MOST_SIDE)
        SBL_FAIL(err, SBL_EARG, "the side of an encoder's input must be from %zu to %zu",
                 SBL_ENCODER_LEAST_SIDE, SBL_ENCODER_MOST_SIDE);
    r->encoder->side = side;
    SBL_TRY(sbl_tensor_file_decode(&r->file, bytes, size, false, path, err));
    SBL_TRY(read_layers(r, err));
    SBL_TRY(name_encoder(r, bytes, size, err));
    *encoder = r->encoder;
    r->encoder = NULL;
done:
    sbl_encoder_free(r->encoder);
    sbl_tensor_file_clear(&r->file);
    sbl_free(r);
    return status;
}
