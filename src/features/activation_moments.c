/* [3] phi1 and phi2 of an image: the encoder runs on a slice of records, norms are summed in a
 * fixed order over 16 lanes, and each row is written out whole, because the bound is on the whole
 * of it. The signed variant differs in where activations are taken and in the block's sign. */
#include "features/activation_moments.h"

#include <math.h>
#include <string.h>

#include "accumulate/sum.h"
#include "base/memory.h"
#include "compute/threads.h"

#define LANES \
    16 /* sums side by side: the order of additions is fixed, and the compiler may use it */

SBL_CLONES static void add_powers(double sums[2], const float *restrict e, size_t count)
{
    float squares[LANES] = {0}, fourths[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const float square = e[i + k] * e[i + k];
            squares[k] += square;
            fourths[k] += square * square;
        }
    for (; i < count; i++) {
        squares[0] += e[i] * e[i];
        fourths[0] += e[i] * e[i] * e[i] * e[i];
    }
    for (size_t k = 0; k < LANES; k++) {
        sums[0] += (double)squares[k];
        sums[1] += (double)fourths[k];
    }
}

static float inverse_root(double sum)
{
    return sum > 0 && isfinite(sum) ? (float)(1 / sqrt(sum)) : 0;
}

sbl_moments_factors sbl_moments_norms(const sbl_encoded *encoded, const sbl_encoder_room *workspace,
                                      size_t row)
{
    double sums[2] = {0};
    for (size_t l = 0; l < encoded->layer_count; l++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(encoded, l)->volume);
        const float *e = sbl_encoder_activation_values(workspace, encoded->layers[l]);
        add_powers(sums, e + row * size, size);
    }
    return (sbl_moments_factors){inverse_root(sums[0]), inverse_root(sums[1])};
}

/* ---- the feature ---- */

json_t *sbl_moments_parameters(const sbl_encoded *encoded, size_t count)
{
    json_t *object = sbl_encoded_parameters(encoded);
    if (object != NULL &&
        json_object_set_new(object, "moments", json_integer((json_int_t)count)) == 0)
        return object;
    json_decref(object);
    return NULL;
}

static void free_made(void *made)
{
    sbl_moments_feature *m = made;
    sbl_encoded_clear(&m->encoded);
    sbl_free(m);
}

static sbl_status make_of(void **made, const sbl_facts *facts, const json_t *parameters, bool signs,
                          sbl_error *err)
{
    const char *name = signs ? SBL_SIGNED_MOMENTS : SBL_MOMENTS;
    uint64_t count;
    sbl_status status = SBL_OK;
    sbl_moments_feature *m = sbl_alloc_array(1, sizeof *m);
    if (m == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for features of an encoder");
    SBL_TRY(sbl_encoded_read(&m->encoded, facts, parameters, 5, name, err));
    SBL_TRY(sbl_json_get_u64(&count, parameters, "moments", name, err));
    if (count < 1 || count > 2) SBL_FAIL(err, SBL_EARG, "moments must be 1 or 2");
    if (signs) sbl_encoded_take_signed(&m->encoded);
    m->count = (size_t)count;
    m->width = sbl_encoded_width(&m->encoded);
    *made = m;
    m = NULL;
done:
    if (m != NULL) free_made(m);
    return status;
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    return make_of(made, facts, parameters, false, err);
}

static sbl_status make_signed(void **made, const sbl_facts *facts, const json_t *parameters,
                              sbl_error *err)
{
    return make_of(made, facts, parameters, true, err);
}

static size_t count_blocks(const void *made) { return ((const sbl_moments_feature *)made)->count; }

static void describe(const void *made, sbl_block *blocks, double *weights)
{
    const sbl_moments_feature *m = made;
    for (size_t b = 0; b < m->count; b++) {
        blocks[b] = (sbl_block){.width = m->width,
                                .per_class = true,
                                .nonnegative = b > 0 || !m->encoded.signs,
                                .bound2 = SBL_GRID_BOUND2};
        memcpy(blocks[b].name, b == 0 ? "phi1" : "phi2", 5);
        blocks[b].scale = sbl_block_scale(blocks[b].width, blocks[b].bound2, 1.0);
        weights[b] = 1 / blocks[b].scale;
    }
}

typedef struct moments_room {
    sbl_encoder_room *encoder;
    float *pixels;   /* (slice, d) */
    float *features; /* (slice, D) */
} moments_room;

static void workspace_free(void *workspace, const void *made)
{
    const sbl_moments_feature *m = made;
    const size_t slice = sbl_slice_rows(m->encoded.facts);
    moments_room *r = workspace;
    sbl_encoder_room_free(r->encoder);
    sbl_free_wiped(r->pixels, slice * m->encoded.facts->shape.numeric * sizeof *r->pixels);
    sbl_free_wiped(r->features, slice * m->width * sizeof *r->features);
    sbl_free(r);
}

static sbl_status workspace_new(void **workspace, const void *made, sbl_error *err)
{
    const sbl_moments_feature *m = made;
    const size_t slice = sbl_slice_rows(m->encoded.facts);
    sbl_status status = SBL_OK;
    moments_room *r = sbl_alloc_array(1, sizeof *r);
    if (r == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for the features of a few images");
    r->pixels = sbl_alloc_array(slice * m->encoded.facts->shape.numeric, sizeof *r->pixels);
    r->features = sbl_alloc_array(slice, m->width * sizeof *r->features);
    if (r->pixels == NULL || r->features == NULL)
        SBL_FAIL(err, SBL_EMEM, "out of memory for the features of a few images");
    SBL_TRY(sbl_encoded_workspace(&r->encoder, &m->encoded, slice, false, err));
    *workspace = r;
    r = NULL;
done:
    if (r != NULL) workspace_free(r, made);
    return status;
}

/* One row of phi1 or, where squared, of phi2. */
static void write_row(float *phi, const sbl_encoded *encoded, const sbl_encoder_room *workspace,
                      size_t row, float factor, bool squared)
{
    for (size_t l = 0; l < encoded->layer_count; l++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(encoded, l)->volume);
        const float *e = sbl_encoder_activation_values(workspace, encoded->layers[l]) + row * size;
        for (size_t i = 0; i < size; i++) phi[i] = (squared ? e[i] * e[i] : e[i]) * factor;
        phi += size;
    }
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_moments_feature *m = made;
    moments_room *r = workspace;
    sbl_encoded_pixels(r->pixels, records, m->encoded.facts);
    sbl_encoder_forward(r->encoder, r->pixels, records->rows);
    for (size_t b = 0; b < m->count; b++) {
        for (size_t row = 0; row < records->rows; row++) {
            const sbl_moments_factors f = sbl_moments_norms(&m->encoded, r->encoder, row);
            write_row(r->features + row * m->width, &m->encoded, r->encoder, row,
                      b == 0 ? f.first : f.second, b > 0);
        }
        const sbl_status status =
            sbl_sum_add_f32(sum, block + b, 0, m->width, r->features, m->width, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

const sbl_feature sbl_feature_moments = {
    .name = SBL_MOMENTS,
    .make = make,
    .free = free_made,
    .count = count_blocks,
    .describe = describe,
    .workspace_new = workspace_new,
    .workspace_free = workspace_free,
    .add = add,
    .loss_new = sbl_moments_loss_new,
    .loss_step = sbl_moments_loss_step,
    .loss_free = sbl_moments_loss_free,
    .loss_memory = sbl_moments_loss_memory,
    .costly = true,
};

const sbl_feature sbl_feature_signed_moments = {
    .name = SBL_SIGNED_MOMENTS,
    .make = make_signed,
    .free = free_made,
    .count = count_blocks,
    .describe = describe,
    .workspace_new = workspace_new,
    .workspace_free = workspace_free,
    .add = add,
    .loss_new = sbl_moments_loss_new,
    .loss_step = sbl_moments_loss_step,
    .loss_free = sbl_moments_loss_free,
    .loss_memory = sbl_moments_loss_memory,
    .costly = true,
};
