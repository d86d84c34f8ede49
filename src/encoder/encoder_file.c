/* From a safetensors file to an encoder. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "encoder/encoder_parts.h"
#include "tensors/tensor_file.h"

#define FILE_LIMIT ((size_t)256 << 20)
#define MAX_CONVOLUTIONS 40
#define MAX_CHANNELS ((size_t)1024)
#define MAX_KERNEL ((size_t)7)
#define MAX_CLASSES ((size_t)100000)
#define TENSOR_NAME_SIZE 64
#define DIGEST_SHOWN 12

/* A file on its way to become an encoder. */
typedef struct reading {
    sbl_encoder *encoder;
    sbl_tensor_file file;
    const char *where;
    sbl_volume volume; /* behind the last stage */
} reading;

#define REFUSE(...) return sbl_fail(err, SBL_EINPUT, __VA_ARGS__)

/* --- convolutions --- */

/* The layers of a stage, and the tensors of those that have weights. */
typedef struct plan {
    sbl_layer layers[2 * MAX_CONVOLUTIONS];
    char names[2 * MAX_CONVOLUTIONS][TENSOR_NAME_SIZE]; /* "": no weights */
    size_t count;
} plan;

static const sbl_foreign_tensor *find(const reading *r, const char *name, const char *part)
{
    char full[TENSOR_NAME_SIZE + 8];
    (void)snprintf(full, sizeof full, "%s.%s", name, part);
    return sbl_tensor_file_find(&r->file, full);
}

static bool in_range(size_t value, size_t most) { return value >= 1 && value <= most; }

static sbl_status plan_convolution(plan *p, const reading *r, const char *name, size_t stride,
                                   sbl_error *err)
{
    const sbl_foreign_tensor *weight = find(r, name, "weight"), *bias = find(r, name, "bias");
    if (weight == NULL || bias == NULL)
        REFUSE("%s: the tensors of '%.40s' are missing", r->where, name);
    const size_t kernel = weight->shape[2];
    if (weight->rank != 4 || !in_range(weight->shape[0], MAX_CHANNELS) ||
        !in_range(weight->shape[1], MAX_CHANNELS) || !in_range(kernel, MAX_KERNEL) ||
        kernel % 2 == 0 || weight->shape[3] != kernel || bias->rank != 1 ||
        bias->shape[0] != weight->shape[0])
        REFUSE("%s: the tensors of '%.40s' are not those of a convolution", r->where, name);
    (void)snprintf(p->names[p->count], TENSOR_NAME_SIZE, "%s", name);
    p->layers[p->count++] = sbl_layer_conv(weight->shape[0], kernel, stride, kernel / 2);
    return SBL_OK;
}

/* From (outputs, inputs, rows, columns) to (outputs, rows, columns, inputs). */
static sbl_status fill_layer(sbl_net *net, size_t number, const reading *r, const char *name,
                             sbl_error *err)
{
    const sbl_net_layer *layer = &net->layers[number];
    const sbl_foreign_tensor *weight = find(r, name, "weight"), *bias = find(r, name, "bias");
    const size_t inputs = layer->in.channels, outputs = layer->out.channels;
    const size_t taps = layer->ask.kernel * layer->ask.kernel;
    if (weight->shape[1] != inputs)
        REFUSE("%s: '%.40s' takes %zu channels and is given %zu", r->where, name, weight->shape[1],
               inputs);
    float *values = sbl_alloc_array(weight->count, sizeof *values);
    if (values == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for %s", r->where);
    const bool finite = sbl_foreign_tensor_read(values, weight) &&
                        sbl_foreign_tensor_read(net->weights + layer->bias, bias);
    for (size_t o = 0; o < outputs; o++)
        for (size_t i = 0; i < inputs; i++)
            for (size_t t = 0; t < taps; t++)
                net->weights[layer->weight + (o * taps + t) * inputs + i] =
                    values[(o * inputs + i) * taps + t];
    sbl_free(values);
    if (!finite) REFUSE("%s: a weight of '%.40s' is not a finite number", r->where, name);
    return SBL_OK;
}

static sbl_status make_net(sbl_net *net, const plan *p, const reading *r, sbl_error *err)
{
    sbl_status status = sbl_net_init(net, r->volume, p->layers, p->count, err);
    if (status == SBL_EMEM) return status;
    if (status != SBL_OK) REFUSE("%s: the layers do not fit together", r->where);
    for (size_t i = 0; i < p->count && status == SBL_OK; i++)
        if (p->names[i][0] != '\0') status = fill_layer(net, i, r, p->names[i], err);
    return status;
}

/* --- vgg --- */

/* The next name of a comma list; false at its end. */
static bool next_name(char name[TENSOR_NAME_SIZE], const char **list)
{
    const size_t length = strcspn(*list, ",");
    if (length == 0 || length >= TENSOR_NAME_SIZE) return false;
    memcpy(name, *list, length);
    name[length] = '\0';
    *list += length + ((*list)[length] == ',' ? 1 : 0);
    return true;
}

static sbl_status read_vgg(reading *r, plan *p, sbl_error *err)
{
    sbl_status status = SBL_OK;
    char name[TENSOR_NAME_SIZE];
    const char *list = sbl_tensor_file_text(&r->file, "layers");
    while (list != NULL && p->count + 2 <= 2 * MAX_CONVOLUTIONS && next_name(name, &list)) {
        if (strcmp(name, "pool2") == 0) {
            p->layers[p->count++] = sbl_layer_max_pool(2, 2);
            continue;
        }
        SBL_TRY(plan_convolution(p, r, name, 1, err));
        p->layers[p->count++] = sbl_layer_relu();
    }
    if (list == NULL || *list != '\0' || p->count == 0)
        REFUSE("%s: metadata field 'layers' is no list of 1 to %d layers", r->where,
               MAX_CONVOLUTIONS);
    r->encoder->stage_count = 1;
    SBL_TRY(make_net(&r->encoder->stages[0].net, p, r, err));
    r->volume = r->encoder->stages[0].net.output;
done:
    return status;
}

/* --- resnet --- */

static sbl_status read_block(reading *r, plan *p, const char *block, sbl_error *err)
{
    sbl_status status = SBL_OK;
    char name[TENSOR_NAME_SIZE];
    sbl_encoder_stage *stage = &r->encoder->stages[r->encoder->stage_count++];
    (void)snprintf(name, sizeof name, "%s.skip", block);
    stage->residual = true;
    stage->has_skip = find(r, name, "weight") != NULL;
    const size_t stride = stage->has_skip ? 2 : 1;
    if (stage->has_skip) {
        *p = (plan){0};
        SBL_TRY(plan_convolution(p, r, name, stride, err));
        SBL_TRY(make_net(&stage->skip, p, r, err));
    }
    *p = (plan){0};
    (void)snprintf(name, sizeof name, "%s.conv1", block);
    SBL_TRY(plan_convolution(p, r, name, stride, err));
    p->layers[p->count++] = sbl_layer_relu();
    (void)snprintf(name, sizeof name, "%s.conv2", block);
    SBL_TRY(plan_convolution(p, r, name, 1, err));
    SBL_TRY(make_net(&stage->net, p, r, err));
    const sbl_volume other = stage->has_skip ? stage->skip.output : r->volume;
    if (memcmp(&stage->net.output, &other, sizeof other) != 0)
        REFUSE("%s: the two ways through '%s' give different shapes", r->where, block);
    r->volume = stage->net.output;
done:
    return status;
}

static sbl_status read_resnet(reading *r, plan *p, sbl_error *err)
{
    sbl_status status = SBL_OK;
    char block[TENSOR_NAME_SIZE / 2], first[TENSOR_NAME_SIZE];
    SBL_TRY(plan_convolution(p, r, "stem", 1, err));
    p->layers[p->count++] = sbl_layer_relu();
    r->encoder->stage_count = 1;
    SBL_TRY(make_net(&r->encoder->stages[0].net, p, r, err));
    r->volume = r->encoder->stages[0].net.output;
    for (int i = 0;; i++) {
        (void)snprintf(block, sizeof block, "block%d", i);
        (void)snprintf(first, sizeof first, "%s.conv1", block);
        if (find(r, first, "weight") == NULL) break;
        if (r->encoder->stage_count == SBL_ENCODER_MAX_STAGES)
            REFUSE("%s: more than %d blocks", r->where, SBL_ENCODER_MAX_STAGES - 1);
        SBL_TRY(read_block(r, p, block, err));
    }
done:
    return status;
}

/* --- the whole --- */

static sbl_status read_three(float values[SBL_ENCODER_CHANNELS], const reading *r, const char *name,
                             sbl_error *err)
{
    const char *list = sbl_tensor_file_text(&r->file, name);
    char number[TENSOR_NAME_SIZE];
    double value;
    for (size_t c = 0; c < SBL_ENCODER_CHANNELS; c++) {
        if (list == NULL || !next_name(number, &list) || !sbl_text_to_double(&value, number) ||
            !(fabs(value) < 1e3))
            REFUSE("%s: metadata field '%s' is no list of three numbers", r->where, name);
        values[c] = (float)value;
    }
    return SBL_OK;
}

static sbl_status read_input(reading *r, sbl_error *err)
{
    static const char known[] = "RGB in [0,1], minus mean, over std";
    sbl_status status = SBL_OK;
    const char *input = sbl_tensor_file_text(&r->file, "input");
    if (input == NULL || strcmp(input, known) != 0)
        REFUSE("%s: metadata field 'input' is not '%s'", r->where, known);
    SBL_TRY(read_three(r->encoder->mean, r, "mean", err));
    SBL_TRY(read_three(r->encoder->deviation, r, "std", err));
    for (size_t c = 0; c < SBL_ENCODER_CHANNELS; c++)
        if (!(r->encoder->deviation[c] > 1e-6f))
            REFUSE("%s: metadata field 'std' must be positive", r->where);
done:
    return status;
}

static sbl_status read_head(reading *r, sbl_error *err)
{
    sbl_encoder *e = r->encoder;
    const sbl_foreign_tensor *weight = find(r, "fc", "weight"), *bias = find(r, "fc", "bias");
    e->width = r->volume.channels;
    if (weight == NULL || bias == NULL) return SBL_OK;
    if (weight->rank != 2 || !in_range(weight->shape[0], MAX_CLASSES) ||
        weight->shape[1] != e->width || bias->rank != 1 || bias->shape[0] != weight->shape[0])
        REFUSE("%s: the tensors of 'fc' do not fit %zu features", r->where, e->width);
    e->classes = weight->shape[0];
    e->fc_weight = sbl_alloc_array(weight->count, sizeof *e->fc_weight);
    e->fc_bias = sbl_alloc_array(bias->count, sizeof *e->fc_bias);
    if (e->fc_weight == NULL || e->fc_bias == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for %s", r->where);
    if (!sbl_foreign_tensor_read(e->fc_weight, weight) ||
        !sbl_foreign_tensor_read(e->fc_bias, bias))
        REFUSE("%s: a weight of 'fc' is not a finite number", r->where);
    return SBL_OK;
}

static sbl_status read_layers(reading *r, sbl_error *err)
{
    const char *architecture = sbl_tensor_file_text(&r->file, "architecture");
    plan *p = sbl_alloc_array(1, sizeof *p);
    sbl_status status;
    if (p == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for %s", r->where);
    if (architecture != NULL && strncmp(architecture, "vgg", 3) == 0)
        status = read_vgg(r, p, err);
    else if (architecture != NULL && strncmp(architecture, "resnet", 6) == 0)
        status = read_resnet(r, p, err);
    else
        status =
            sbl_fail(err, SBL_EINPUT,
                     "%s: metadata field 'architecture' names neither vgg nor resnet", r->where);
    sbl_free(p);
    return status;
}

static sbl_status name_encoder(sbl_encoder *e, const char *path, const uint8_t *bytes, size_t size,
                               sbl_error *err)
{
    static const char ending[] = ".safetensors";
    uint8_t digest[SBL_SHA256_SIZE];
    char text[SBL_SHA256_TEXT_SIZE];
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    size_t length = strlen(name);
    const sbl_status status = sbl_sha256(digest, bytes, size, NULL, 0, err);
    if (status != SBL_OK) return status;
    if (length >= sizeof ending && strcmp(name + length - (sizeof ending - 1), ending) == 0)
        length -= sizeof ending - 1;
    sbl_hex_encode(text, digest, sizeof digest);
    (void)snprintf(e->name, sizeof e->name, "%.*s (sha256 %.*s)", length < 48 ? (int)length : 48,
                   name, DIGEST_SHOWN, text);
    for (char *c = e->name; *c != '\0'; c++) /* it goes into documents */
        if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e) *c = '?';
    return SBL_OK;
}

sbl_status sbl_encoder_decode(sbl_encoder **encoder, const uint8_t *bytes, size_t size,
                              const char *path, sbl_error *err)
{
    sbl_status status = SBL_OK;
    reading r = {.where = path,
                 .encoder = sbl_alloc_array(1, sizeof *r.encoder),
                 .volume = {SBL_ENCODER_SIDE, SBL_ENCODER_SIDE, SBL_ENCODER_CHANNELS}};
    *encoder = NULL;
    if (r.encoder == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for %s", path);
    SBL_TRY(sbl_tensor_file_decode(&r.file, bytes, size, path, err));
    SBL_TRY(read_input(&r, err));
    SBL_TRY(read_layers(&r, err));
    SBL_TRY(read_head(&r, err));
    SBL_TRY(name_encoder(r.encoder, path, bytes, size, err));
    *encoder = r.encoder;
    r.encoder = NULL;
done:
    sbl_encoder_free(r.encoder);
    sbl_tensor_file_clear(&r.file);
    return status;
}

sbl_status sbl_encoder_load(sbl_encoder **encoder, const char *path, sbl_error *err)
{
    uint8_t *bytes = NULL;
    size_t size;
    *encoder = NULL;
    sbl_status status = sbl_file_read(&bytes, &size, path, FILE_LIMIT, err);
    if (status == SBL_OK) status = sbl_encoder_decode(encoder, bytes, size, path, err);
    sbl_free(bytes);
    return status;
}
