/* loss = sum over classes of w_c |v_c sum_r phi(x_r) - target_c|^2 for phi1 and, if it is there, for
 * phi2, v_c = share / (rows - 1). With g = 2 w_c v_c (residual), the same for all rows of a class,
 *     d loss / d e = (g1 - (g1 . phi1) phi1) / |e| + 2 e (g2 - (g2 . phi2) phi2) / |e^2|.
 * A class at a time, and a part of its rows, as in perceptual.c. Rows are split over threads where each is one thread's
 * work, coordinates where rows are added up: no sum depends on the number of threads. */
#include "features/activation_moments.h"

#include <math.h>
#include <string.h>

#include "accumulate/sum.h"
#include "base/memory.h"
#include "compute/threads.h"
#include "features/loss_parts.h"

#define LANES 16 /* sums side by side: the order of additions is fixed, and compilers may use it */
#define PIECE 1024 /* coordinates that one thread adds up over rows */

/* [3] phi1 and phi2 of an image: the encoder runs on a slice of records, norms are summed in a
 * fixed order over 16 lanes, and each row is written out whole, because the bound is on the whole
 * of it. The signed variant differs in where activations are taken and in the block's sign. */

typedef struct row_norms {
    float first, second;
} row_norms;

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

/* 1 / |e| and 1 / |e^2| of row `row` of the batch that the workspace last ran; 0 where a norm is 0 or not
 * finite. */
static row_norms norms_of(const sbl_encoded *encoded, const sbl_encoder_workspace *workspace,
                          size_t row)
{
    double sums[2] = {0};
    for (size_t l = 0; l < encoded->layer_count; l++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(encoded, l)->volume);
        const float *e = sbl_encoder_activation_values(workspace, encoded->layers[l]);
        add_powers(sums, e + row * size, size);
    }
    return (row_norms){inverse_root(sums[0]), inverse_root(sums[1])};
}

/* ---- the loss ---- */

typedef struct moments_loss {
    sbl_loss common; /* its running mean: as target */
    const sbl_moments_feature *made;
    sbl_encoded_pass pass;
    size_t classes;
    double weight, part; /* of the target */
    float *target;       /* (C, count D) */
    float *front;        /* (count D): g1, g2 of the class at work */
    row_norms *factors;  /* (rows) */
    double *losses;      /* of pieces */
    size_t pieces;       /* of all layers that are taken, for one moment */
} moments_loss;

/* A class at work. */
typedef struct class_work {
    size_t rows;
    const float *target;
    size_t first;                   /* of the class among all numbers */
    float row_weight, class_weight; /* v_c, w_c */
    float plain, decay;             /* share / rows; of the running means */
} class_work;

static void loss_clear(void *loss)
{
    sbl_encoder_workspace_free(((moments_loss *)loss)->pass.encoder);
}

static sbl_status allocate(moments_loss *l, size_t rows, double memory, sbl_error *err)
{
    const sbl_encoded *e = &l->made->encoded;
    const size_t numbers = l->made->count * l->made->width;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < e->layer_count; i++)
        l->pieces += (sbl_volume_size(sbl_encoded_layer(e, i)->volume) + PIECE - 1) / PIECE;
    SBL_POOL(&l->common.pool, l->target, l->classes, numbers, "training");
    SBL_POOL(&l->common.pool, l->front, numbers, 1, "training");
    SBL_POOL(&l->common.pool, l->factors, rows, 1, "training");
    SBL_POOL(&l->common.pool, l->losses, l->pieces, 1, "training");
    SBL_TRY(
        sbl_running_init(&l->common.running, &l->common.pool, memory, l->classes * numbers, err));
    SBL_TRY(sbl_encoded_pass_init(&l->pass, &l->common.pool, e, rows, err));
done:
    return status;
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    sbl_status status = SBL_OK;
    moments_loss *l = loss;
    l->made = made;
    l->classes = generated->facts->classes;
    l->weight = target->weight;
    l->part = target->part;
    SBL_TRY(allocate(l, sbl_generated_most_seen(generated, target->part), target->memory, err));
    memcpy(l->target, target->means,
           l->classes * l->made->count * l->made->width * sizeof *l->target);
done:
    return status;
}

/* A piece of a layer's coordinates: their sums over the rows. e: of the first row. */
SBL_CLONES static void piece_sums(float sums[PIECE], const float *restrict e, size_t stride,
                                  size_t count, const row_norms *factors, const class_work *work,
                                  bool squared)
{
    for (size_t r = 0; r < work->rows; r++, e += stride) {
        const float factor = squared ? factors[r].second : factors[r].first;
        if (squared)
            for (size_t i = 0; i < count; i++) sums[i] += factor * e[i] * e[i];
        else
            for (size_t i = 0; i < count; i++) sums[i] += factor * e[i];
    }
}

/* The residual and the loss of those coordinates, which begin at `first` of the class. */
static double piece_residual(moments_loss *l, const float *sums, size_t first, size_t count,
                             const class_work *work)
{
    const float *target = work->target + first;
    float *front = l->front + first;
    double loss = 0;
    for (size_t i = 0; i < count; i++) {
        const float mean =
            sbl_running_mean(&l->common.running, work->first + first + i, work->decay,
                             work->row_weight * sums[i], work->plain * sums[i]);
        const float residual = mean - target[i];
        loss += (double)work->class_weight * (double)residual * (double)residual;
        front[i] = 2 * work->class_weight * work->row_weight * residual;
    }
    return loss;
}

/* One layer, one moment; at: where the layer begins among the coordinates. */
static double layer_residual(moments_loss *l, size_t layer, size_t at, size_t moment,
                             const class_work *work)
{
    const sbl_encoded *e = &l->made->encoded;
    const size_t size = sbl_volume_size(sbl_encoded_layer(e, layer)->volume);
    const size_t pieces = (size + PIECE - 1) / PIECE, first = moment * l->made->width + at;
    const float *values = sbl_encoder_activation_values(l->pass.encoder, e->layers[layer]);
    double sum = 0;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t p = 0; p < pieces; p++) {
        const size_t from = p * PIECE, count = size - from < PIECE ? size - from : PIECE;
        float sums[PIECE] = {0};
        piece_sums(sums, values + from, size, count, l->factors, work, moment > 0);
        l->losses[p] = piece_residual(l, sums, first + from, count, work);
    }
    for (size_t p = 0; p < pieces; p++) sum += l->losses[p];
    return sum;
}

/* sums += (g1 . e, g2 . e^2) of one row's layer; g2 may be NULL. */
SBL_CLONES static void add_products(double sums[2], const float *restrict g1,
                                    const float *restrict g2, const float *restrict e, size_t count)
{
    float first[LANES] = {0}, second[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++) first[k] += g1[i + k] * e[i + k];
    for (; i < count; i++) first[0] += g1[i] * e[i];
    for (i = 0; g2 != NULL && i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++) second[k] += g2[i + k] * e[i + k] * e[i + k];
    for (; g2 != NULL && i < count; i++) second[0] += g2[i] * e[i] * e[i];
    for (size_t k = 0; k < LANES; k++) {
        sums[0] += (double)first[k];
        sums[1] += (double)second[k];
    }
}

/* d = f1 g1 - a1 e + e (f2 g2 - a2 e^2), with the factors of the formula above in f and a. */
SBL_CLONES static void write_gradient(float *restrict d, const float *restrict g1,
                                      const float *restrict g2, const float *restrict e,
                                      size_t count, const float f[2], const float a[2])
{
    const float f1 = f[0], f2 = f[1], a1 = a[0], a2 = a[1];
    if (g2 == NULL)
        for (size_t i = 0; i < count; i++) d[i] = f1 * g1[i] - a1 * e[i];
    else
        for (size_t i = 0; i < count; i++)
            d[i] = f1 * g1[i] - a1 * e[i] + e[i] * (f2 * g2[i] - a2 * e[i] * e[i]);
}

/* One row, all layers. */
static void row_gradient(moments_loss *l, size_t row)
{
    const sbl_encoded *e = &l->made->encoded;
    const float *g1 = l->front, *g2 = l->made->count > 1 ? l->front + l->made->width : NULL;
    const float i1 = l->factors[row].first, i2 = l->factors[row].second;
    double sums[2] = {0};
    size_t at = 0;
    for (size_t k = 0; k < e->layer_count; k++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(e, k)->volume);
        const float *values =
            sbl_encoder_activation_values(l->pass.encoder, e->layers[k]) + row * size;
        add_products(sums, g1 + at, g2 != NULL ? g2 + at : NULL, values, size);
        at += size;
    }
    const float f[2] = {i1, 2 * i2};
    const float a[2] = {(float)sums[0] * i1 * i1 * i1, 2 * (float)sums[1] * i2 * i2 * i2};
    at = 0;
    for (size_t k = 0; k < e->layer_count; k++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(e, k)->volume);
        const float *values =
            sbl_encoder_activation_values(l->pass.encoder, e->layers[k]) + row * size;
        write_gradient(l->pass.d_taken[k] + row * size, g1 + at, g2 != NULL ? g2 + at : NULL,
                       values, size, f, a);
        at += size;
    }
}

static double class_step(moments_loss *l, sbl_generated *generated, size_t c)
{
    const size_t size = generated->facts->shape.numeric, first = generated->starts[c] * size;
    const size_t rows = sbl_generated_seen(generated, l->part, c);
    /* phi has norm 1: over rows - 1 the squared distance is one of means without the variance of the
     * batch, but for a constant. A batch has at least two rows of a class (train/batch.h). */
    const class_work work = {
        .rows = rows,
        .target = l->target + c * l->made->count * l->made->width,
        .first = c * l->made->count * l->made->width,
        .row_weight = (float)(generated->shares[c] / (double)(rows - 1)),
        .class_weight = (float)(l->weight * generated->weights[c]),
        .plain = (float)(generated->shares[c] / (double)rows),
        .decay = sbl_running_decay(&l->common.running),
    };
    double loss = 0;
    sbl_encoder_forward(l->pass.encoder, generated->pixels + first, rows);
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++)
        l->factors[r] = norms_of(&l->made->encoded, l->pass.encoder, r);
    for (size_t moment = 0; moment < l->made->count; moment++)
        for (size_t k = 0, at = 0; k < l->made->encoded.layer_count; k++) {
            loss += layer_residual(l, k, at, moment, &work);
            at += sbl_volume_size(sbl_encoded_layer(&l->made->encoded, k)->volume);
        }
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++) row_gradient(l, r);
    sbl_encoder_backward(l->pass.encoder, generated->d_pixels + first, l->pass.d_all);
    return loss;
}

static double loss_step(void *loss, sbl_generated *generated)
{
    moments_loss *l = loss;
    double sum = 0;
    for (size_t c = 0; c < l->classes; c++)
        if (generated->starts[c + 1] > generated->starts[c] + 1) sum += class_step(l, generated, c);
    l->common.running.steps++;
    return sum;
}

/* ---- the feature ---- */

json_t *sbl_moments_parameters(const sbl_encoded *encoded, size_t count)
{
    return sbl_json_put(sbl_encoded_parameters(encoded), "moments",
                        json_integer((json_int_t)count));
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
    sbl_moments_feature *m;
    SBL_ALLOC(m, 1, "features of an encoder");
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

static sbl_status workspace_new(void **workspace, const void *made, sbl_error *err)
{
    const sbl_moments_feature *m = made;
    return sbl_encoded_records_new(workspace, &m->encoded,
                                   sbl_slice_rows(m->encoded.facts) * m->width, err);
}

/* One row of phi1 or, where squared, of phi2. */
static void write_row(float *phi, const sbl_encoded *encoded,
                      const sbl_encoder_workspace *workspace, size_t row, float factor,
                      bool squared)
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
    sbl_encoded_records *w = workspace;
    float *features = sbl_encoded_records_run(w, &m->encoded, records);
    sbl_status status = SBL_OK;
    for (size_t b = 0; b < m->count; b++) {
        for (size_t row = 0; row < records->rows; row++) {
            const row_norms f = norms_of(&m->encoded, w->encoder, row);
            write_row(features + row * m->width, &m->encoded, w->encoder, row,
                      b == 0 ? f.first : f.second, b > 0);
        }
        SBL_TRY(sbl_sum_add_f32(sum, block + b, 0, m->width, features, m->width, err));
    }
done:
    return status;
}

#define FEATURE(of_name, of_make)                                                                  \
    {                                                                                              \
        .name = (of_name), .make = (of_make), .free = free_made, .count = count_blocks,            \
        .describe = describe, .workspace_new = workspace_new,                                      \
        .workspace_free = sbl_encoded_records_free, .add = add, .loss_size = sizeof(moments_loss), \
        .loss_init = loss_init, .loss_step = loss_step, .loss_clear = loss_clear, .costly = true   \
    }

const sbl_feature sbl_feature_moments = FEATURE(SBL_MOMENTS, make);
const sbl_feature sbl_feature_signed_moments = FEATURE(SBL_SIGNED_MOMENTS, make_signed);
