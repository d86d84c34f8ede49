/* SPDX-License-Identifier: Apache-2.0 */
/* The loss is the distance of generated records' Hermite means from the noisy ones:
 *     loss = pull sum_c w_c / P sum over parts |mean_c - target_c|^2,
 * the mean of a class weighed by its share, P parts of norm at most 1 each. target->means (C, width).
 * For the unbiased distance products of a row with itself are left out (loss.h). A part's features are products of
 * those of its factors, so a row's squared length is the product of the factors' squared lengths.
 *
 * The recurrence of hermite_basis.h for up to 128 rows at once, one order after the other, and its
 * derivative phi_c' = sqrt(2 c rho) phi_{c-1} - 2 rho / (1 + rho) u phi_c, for the losses. */
#include <math.h>
#include <string.h>

#include "after/losses/loss.h"
#include "base/alloc.h"
#include "base/compute/threads.h"
#include "public/features/hermite_basis.h"

#define SBL_HERMITE_ROWS 128 /* at most, at a time */

static double rho_of(const sbl_hermite_function *function)
{
    const double s = function->length * function->reach;
    return sbl_hermite_rho(s * s);
}

SBL_CLONES static void slot_values(float *restrict phi, size_t stride, const float *restrict x, size_t count,
                                   double reach, double rho, size_t order)
{
    double u[SBL_HERMITE_ROWS], now[SBL_HERMITE_ROWS], before[SBL_HERMITE_ROWS];
    const double front = pow(1.0 - rho * rho, 0.25), decay = -rho / (1.0 + rho);
    for (size_t r = 0; r < count; r++) {
        u[r] = reach * ((double)x[r] - 0.5);
        now[r] = front * exp(decay * u[r] * u[r]);
        before[r] = 0.0;
    }
    for (size_t c = 0;; c++) {
        float *restrict to = phi + c * stride;
        for (size_t r = 0; r < count; r++) to[r] = (float)now[r];
        if (c == order) return;
        const double up = sqrt(2.0 * rho / (double)(c + 1));
        const double back = rho * sqrt((double)c / (double)(c + 1));
        for (size_t r = 0; r < count; r++) {
            const double next = up * u[r] * now[r] - back * before[r];
            before[r] = now[r];
            now[r] = next;
        }
    }
}

/* phi[c * stride + r] = phi_c of x[r], c = 0 .. order; in double, kept as floats. */
static void rows_values(float *phi, size_t stride, const float *x, size_t count,
                        const sbl_hermite_function *function)
{
    slot_values(phi, stride, x, count, function->reach, rho_of(function), function->order);
}

SBL_CLONES static void slot_gradient(float *restrict d_x, const float *restrict x, const float *restrict phi,
                                     const float *restrict d_phi, size_t stride, size_t count, double reach,
                                     double rho, size_t order)
{
    float below[SBL_HERMITE_ROWS] = {0}, own[SBL_HERMITE_ROWS] = {0};
    for (size_t r = 0; r < count; r++) own[r] = d_phi[r] * phi[r];
    for (size_t c = 1; c <= order; c++) {
        const float *restrict d = d_phi + c * stride, *restrict now = phi + c * stride;
        const float *restrict before = now - stride;
        const float up = (float)sqrt(2.0 * (double)c * rho);
        for (size_t r = 0; r < count; r++) {
            below[r] += up * d[r] * before[r];
            own[r] += d[r] * now[r];
        }
    }
    const float decay = (float)(2.0 * rho / (1.0 + rho));
    for (size_t r = 0; r < count; r++) {
        const float u = (float)reach * (x[r] - 0.5f);
        d_x[r] += (float)reach * (below[r] - decay * u * own[r]);
    }
}

/* d_x[r] += sum_c d_phi_c d phi_c / d x; d_phi as phi. */
static void rows_back(float *d_x, const float *x, const float *phi, const float *d_phi, size_t stride,
                      size_t count, const sbl_hermite_function *function)
{
    slot_gradient(d_x, x, phi, d_phi, stride, count, function->reach, rho_of(function), function->order);
}

/* Rows are cut into pieces of one class. First the functions of every number that a part uses, piece
 * by piece; then the parts, each by one thread: means, residuals, loss; then the pieces again, each
 * by one thread: the parts' gradients in their order, and the way back to the numbers. So sums have
 * one order for any number of threads.
 * A part of D factors is walked depth first: a branch holds the product of the factors so far, for
 * the rows of a piece.
 * Legend: R rows (padded), d numbers, T one-hot entries, C classes. */

#define PIECE SBL_HERMITE_ROWS
#define LANES 16

/* A number and the function that some factors see it through. */
typedef struct slot {
    size_t coordinate, function;
    size_t at; /* its values' place among the rows of phi */
} slot;

typedef struct hermite_loss {
    sbl_loss common; /* its running mean: as target */
    const sbl_hermite *hermite;
    size_t classes, padded;
    sbl_row_piece *pieces;
    size_t piece_count;
    slot *slots;
    size_t slot_count;
    size_t *slot_of; /* (factors): number of its slot; unused for categories */
    bool unbiased;
    float *row_weight;   /* (C): share over rows */
    float *mean_weight;  /* (C): the same, or share over rows - 1 */
    float *own_weight;   /* (C): what a row's own features weigh in its gradient; 0 for the plain distance */
    float *class_weight; /* (C): of a class and a part */
    float *target;       /* (C, width) */
    float *residual;     /* (C, width): means, then what is multiplied in the gradient */
    float *phi, *d_phi;  /* (values of all slots, R) */
    float *x, *d_x;      /* images: (d, R), pixels by columns; tables: (metric's coordinates, R) */
    double *losses;      /* (parts) */
} hermite_loss;

/* ---- making ---- */

/* Every (coordinate, function) once. numbers: d functions each, filled with slot + 1. */
static sbl_status find_slots(hermite_loss *l, size_t *values, sbl_error *err)
{
    const sbl_hermite *h = l->hermite;
    size_t *seen = NULL;
    sbl_status status = SBL_OK;
    *values = 0;
    SBL_ALLOC(seen, sbl_hermite_coordinates(h) * h->function_count, "training");
    SBL_POOL(&l->common.pool, l->slots, h->factor_count, 1, "training");
    SBL_POOL(&l->common.pool, l->slot_of, h->factor_count, 1, "training");
    for (size_t i = 0; i < h->factor_count; i++) {
        const sbl_hermite_factor *factor = &h->factors[i];
        if (factor->function == SBL_HERMITE_ONEHOT) continue;
        size_t *at = &seen[factor->coordinate * h->function_count + factor->function];
        if (*at == 0) {
            l->slots[l->slot_count++] = (slot){factor->coordinate, factor->function, *values};
            *at = l->slot_count;
            *values += factor->width;
        }
        l->slot_of[i] = *at - 1;
    }
done:
    sbl_free(seen);
    return status;
}

static sbl_status allocate(hermite_loss *l, size_t values, double memory, sbl_error *err)
{
    const sbl_hermite *h = l->hermite;
    const size_t pixels = h->facts->kind == SBL_DATA_IMAGES ? h->facts->shape.numeric : h->metric.count;
    sbl_status status = SBL_OK;
    SBL_POOL(&l->common.pool, l->row_weight, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->mean_weight, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->own_weight, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->class_weight, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->target, l->classes, h->width, "training");
    SBL_POOL(&l->common.pool, l->residual, l->classes, h->width, "training");
    SBL_POOL(&l->common.pool, l->phi, values, l->padded, "training");
    SBL_POOL(&l->common.pool, l->d_phi, values, l->padded, "training");
    SBL_POOL(&l->common.pool, l->x, pixels, l->padded, "training");
    SBL_POOL(&l->common.pool, l->d_x, pixels, l->padded, "training");
    SBL_POOL(&l->common.pool, l->losses, h->part_count, 1, "training");
    SBL_TRY(sbl_running_init(&l->common.running, &l->common.tensors, memory, l->classes * h->width, err));
done:
    return status;
}

static void set_constants(hermite_loss *l, const sbl_target *target, const sbl_generated *generated)
{
    const sbl_hermite *h = l->hermite;
    for (size_t c = 0; c < l->classes; c++) {
        const size_t rows = generated->starts[c + 1] - generated->starts[c];
        const size_t divisor = sbl_target_divisor(target, SBL_DISTANCE_PLAIN, rows);
        if (divisor == 0) continue;
        const double share = generated->shares[c];
        const double weight = h->pull * target->weight * generated->weights[c] / (double)h->part_count;
        l->row_weight[c] = (float)(share / (double)rows);
        l->mean_weight[c] = (float)(share / (double)divisor);
        l->class_weight[c] = (float)weight;
        if (l->unbiased)
            l->own_weight[c] = (float)(2 * weight * share * share / ((double)rows * (double)divisor));
    }
    memcpy(l->target, target->means, l->classes * h->width * sizeof *l->target);
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    size_t values;
    hermite_loss *l = loss;
    l->hermite = made;
    l->classes = generated->facts->classes;
    l->padded = generated->padded_rows;
    l->unbiased = sbl_target_is_unbiased(target, SBL_DISTANCE_PLAIN);
    SBL_CHECK(sbl_row_pieces(&l->pieces, &l->piece_count, &l->common.pool, generated->starts, l->classes,
                             PIECE, err));
    SBL_CHECK(find_slots(l, &values, err));
    SBL_CHECK(allocate(l, values, target->memory, err));
    set_constants(l, target, generated);
    return SBL_OK;
}

/* ---- functions of the numbers ---- */

/* Coordinate i of the rows of the generated batch, and where its gradient goes. */
static const float *numbers(const hermite_loss *l, const sbl_generated *generated, size_t i)
{
    const size_t first = sbl_hermite_first_metric(l->hermite);
    if (i >= first) return l->x + (i - first) * l->padded;
    return (generated->pixels ? l->x : generated->inputs) + i * l->padded;
}

static float *d_numbers(const hermite_loss *l, const sbl_generated *generated, size_t i)
{
    const size_t first = sbl_hermite_first_metric(l->hermite);
    if (i >= first) return l->d_x + (i - first) * l->padded;
    return (generated->pixels ? l->d_x : generated->d_inputs) + i * l->padded;
}

/* The metric's coordinates of the rows of a piece, moved to [0,1], and on the way back their gradients. */
static void take_metric(hermite_loss *l, const sbl_generated *generated, const sbl_row_piece *piece)
{
    const sbl_metric *metric = &l->hermite->metric;
    for (size_t j = 0; j < metric->count; j++) {
        float *z = l->x + j * l->padded + piece->first;
        double low, range;
        sbl_metric_bounds(&low, &range, metric, j);
        for (size_t r = 0; r < piece->count; r++) z[r] = (float)(-low / range);
        for (size_t i = j; i < metric->count; i++) {
            const float *x = generated->inputs + metric->columns[i] * l->padded + piece->first;
            const float weight = (float)(metric->factor[i][j] / range);
            for (size_t r = 0; r < piece->count; r++) z[r] += weight * x[r];
        }
        memset(l->d_x + j * l->padded + piece->first, 0, piece->count * sizeof *l->d_x);
    }
}

static void give_metric(const hermite_loss *l, const sbl_generated *generated, const sbl_row_piece *piece)
{
    const sbl_metric *metric = &l->hermite->metric;
    for (size_t j = 0; j < metric->count; j++) {
        const float *d_z = l->d_x + j * l->padded + piece->first;
        double low, range;
        sbl_metric_bounds(&low, &range, metric, j);
        for (size_t i = j; i < metric->count; i++) {
            float *d_x = generated->d_inputs + metric->columns[i] * l->padded + piece->first;
            const float weight = (float)(metric->factor[i][j] / range);
            for (size_t r = 0; r < piece->count; r++) d_x[r] += weight * d_z[r];
        }
    }
}

static void piece_values(hermite_loss *l, const sbl_generated *generated, const sbl_row_piece *piece)
{
    for (size_t s = 0; s < l->slot_count; s++) {
        const slot *own = &l->slots[s];
        const sbl_hermite_function *function = &l->hermite->functions[own->function];
        rows_values(l->phi + own->at * l->padded + piece->first, l->padded,
                    numbers(l, generated, own->coordinate) + piece->first, piece->count, function);
    }
}

/* ---- parts ---- */

/* The values of a factor, or their gradients: (width, R). */
static const float *factor_values(const hermite_loss *l, const sbl_generated *generated, size_t factor)
{
    const sbl_record_shape *shape = &l->hermite->facts->shape;
    const sbl_hermite_factor *f = &l->hermite->factors[factor];
    if (f->function != SBL_HERMITE_ONEHOT) return l->phi + l->slots[l->slot_of[factor]].at * l->padded;
    return generated->inputs + (shape->numeric + shape->offsets[f->coordinate - shape->numeric]) * l->padded;
}

static float *factor_gradients(const hermite_loss *l, const sbl_generated *generated, size_t factor)
{
    const sbl_record_shape *shape = &l->hermite->facts->shape;
    const sbl_hermite_factor *f = &l->hermite->factors[factor];
    if (f->function != SBL_HERMITE_ONEHOT) return l->d_phi + l->slots[l->slot_of[factor]].at * l->padded;
    return generated->d_inputs +
           (shape->numeric + shape->offsets[f->coordinate - shape->numeric]) * l->padded;
}

/* Sums of LANES places apart, then of these: one order whatever the instruction set. */
SBL_CLONES static float dot(const float *restrict a, const float *restrict b, size_t count)
{
    float lane[LANES] = {0}, sum = 0;
    size_t r = 0;
    for (; r + LANES <= count; r += LANES)
        for (size_t i = 0; i < LANES; i++) lane[i] += a[r + i] * b[r + i];
    for (size_t i = 0; i < LANES; i++) sum += lane[i];
    for (; r < count; r++) sum += a[r] * b[r];
    return sum;
}

SBL_CLONES static void multiply(float *restrict to, const float *restrict a, const float *restrict b,
                                size_t count)
{
    for (size_t r = 0; r < count; r++) to[r] = a[r] * b[r];
}

SBL_CLONES static void add_product(float *restrict to, const float *restrict a, const float *restrict b,
                                   size_t count)
{
    for (size_t r = 0; r < count; r++) to[r] += a[r] * b[r];
}

/* q += g b and d_b += g a. */
SBL_CLONES static void both_ways(float *restrict q, float *restrict d_b, const float *restrict a,
                                 const float *restrict b, float g, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        q[r] += g * b[r];
        d_b[r] += g * a[r];
    }
}

_Static_assert(PIECE == 128, "as many ones");
static const float ones[PIECE] = {
#define TEN 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
    TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN,
    TEN, 1,   1,   1,   1,   1,   1,   1,   1
#undef TEN
};

/* One part on its way through the rows of a piece. */
typedef struct walk {
    const float *values[SBL_HERMITE_MOST_SIZE]; /* from the piece's first row on */
    float *gradients[SBL_HERMITE_MOST_SIZE];
    size_t widths[SBL_HERMITE_MOST_SIZE];
    size_t depth, stride, count;
    float *means; /* (width of the part); on the way back, the factors of the gradient */
} walk;

static walk walk_of(const hermite_loss *l, const sbl_generated *generated, size_t p,
                    const sbl_row_piece *piece)
{
    const sbl_hermite_part *part = &l->hermite->parts[p];
    walk w = {.depth = part->count,
              .stride = l->padded,
              .count = piece->count,
              .means = l->residual + piece->class * l->hermite->width + part->offset};
    for (size_t k = 0; k < part->count; k++) {
        w.values[k] = factor_values(l, generated, part->factor + k) + piece->first;
        w.gradients[k] = factor_gradients(l, generated, part->factor + k) + piece->first;
        w.widths[k] = l->hermite->factors[part->factor + k].width;
    }
    return w;
}

/* Sums over the rows of a piece, from branch number `index` of depth k on. */
static void walk_sums(const walk *w, size_t k, const float *product, size_t index)
{
    float next[PIECE];
    for (size_t j = 0; j < w->widths[k]; j++) {
        const float *values = w->values[k] + j * w->stride;
        if (k + 1 == w->depth) {
            w->means[index * w->widths[k] + j] += dot(product, values, w->count);
            continue;
        }
        if (k > 0) multiply(next, product, values, w->count);
        walk_sums(w, k + 1, k > 0 ? next : values, index * w->widths[k] + j);
    }
}

/* q: d loss / d product, of the branch. */
static void walk_back(const walk *w, size_t k, const float *product, float *restrict q, size_t index)
{
    float next[PIECE], q_next[PIECE];
    memset(q, 0, w->count * sizeof *q);
    for (size_t j = 0; j < w->widths[k]; j++) {
        const float *values = w->values[k] + j * w->stride;
        float *gradients = w->gradients[k] + j * w->stride;
        if (k + 1 == w->depth) {
            both_ways(q, gradients, product, values, w->means[index * w->widths[k] + j], w->count);
            continue;
        }
        if (k > 0) multiply(next, product, values, w->count);
        walk_back(w, k + 1, k > 0 ? next : values, q_next, index * w->widths[k] + j);
        add_product(gradients, q_next, product, w->count);
        if (k > 0) add_product(q, q_next, values, w->count);
    }
}

SBL_CLONES static void scale_by(float *restrict to, const float *restrict by, size_t count)
{
    for (size_t r = 0; r < count; r++) to[r] *= by[r];
}

/* lengths[k][r]: the squared length of factor k of a row of the walk, all of them; product[r]: of the part's features. */
static void walk_lengths(const walk *w, float lengths[SBL_HERMITE_MOST_SIZE][PIECE], float *product)
{
    for (size_t r = 0; r < w->count; r++) product[r] = 1;
    for (size_t k = 0; k < w->depth; k++) {
        memset(lengths[k], 0, w->count * sizeof(float));
        for (size_t j = 0; j < w->widths[k]; j++)
            add_product(lengths[k], w->values[k] + j * w->stride, w->values[k] + j * w->stride, w->count);
        scale_by(product, lengths[k], w->count);
    }
}

/* The gradient of -own / 2 times the squared lengths of the rows. */
static void walk_own(const walk *w, float own)
{
    float lengths[SBL_HERMITE_MOST_SIZE][PIECE], others[PIECE];
    walk_lengths(w, lengths, others);
    for (size_t k = 0; k < w->depth; k++) {
        for (size_t r = 0; r < w->count; r++) others[r] = -own;
        for (size_t i = 0; i < w->depth; i++)
            if (i != k) scale_by(others, lengths[i], w->count);
        for (size_t j = 0; j < w->widths[k]; j++)
            add_product(w->gradients[k] + j * w->stride, others, w->values[k] + j * w->stride, w->count);
    }
}

/* What products of rows with themselves are in the loss of a part. */
static double own_loss(const hermite_loss *l, const sbl_generated *generated, size_t p)
{
    float lengths[SBL_HERMITE_MOST_SIZE][PIECE], product[PIECE];
    double sum = 0;
    for (size_t i = 0; i < l->piece_count; i++) {
        const walk w = walk_of(l, generated, p, &l->pieces[i]);
        walk_lengths(&w, lengths, product);
        sum += (double)l->own_weight[l->pieces[i].class] / 2 * (double)dot(ones, product, w.count);
    }
    return sum;
}

/* A number of a class's mean of the rows, own; what is remembered moves with it. Returns the number that is matched
 * and adds the loss to *loss. */
static float match(hermite_loss *l, double *loss, size_t c, size_t at, float own, float sum)
{
    const float decay = sbl_running_decay(&l->common.running), target = l->target[at];
    const float mean = sbl_running_mean(&l->common.running, at, decay, own);
    const double weight = (double)l->class_weight[c];
    if (!l->unbiased) {
        const float difference = mean - target;
        *loss += weight * (double)difference * (double)difference;
        return mean;
    }
    const float fewer = l->mean_weight[c] * sum - own; /* what one row less to divide by adds */
    const float matched = mean + (l->common.running.past != NULL ? (1 - decay) * fewer : fewer);
    *loss +=
        weight * ((double)mean * ((double)matched - 2 * (double)target) + (double)target * (double)target);
    return matched;
}

/* Means of a part in every class, its loss, and 2 w_c v_c (mean - target) in place of the means. */
static void part_residuals(hermite_loss *l, const sbl_generated *generated, size_t p)
{
    const sbl_hermite_part *part = &l->hermite->parts[p];
    for (size_t c = 0; c < l->classes; c++)
        memset(l->residual + c * l->hermite->width + part->offset, 0, part->width * sizeof(float));
    for (size_t i = 0; i < l->piece_count; i++) {
        const walk w = walk_of(l, generated, p, &l->pieces[i]);
        walk_sums(&w, 0, ones, 0);
    }
    l->losses[p] = 0;
    for (size_t c = 0; c < l->classes; c++) {
        const float row = l->row_weight[c], weight = l->class_weight[c];
        float *means = l->residual + c * l->hermite->width + part->offset;
        const size_t first = c * l->hermite->width + part->offset;
        for (size_t j = 0; j < part->width; j++) {
            const float matched = match(l, &l->losses[p], c, first + j, row * means[j], means[j]);
            means[j] = 2 * weight * row * (matched - l->target[first + j]);
        }
    }
    if (l->unbiased) l->losses[p] -= own_loss(l, generated, p);
}

static void piece_gradient(hermite_loss *l, const sbl_generated *generated, const sbl_row_piece *piece)
{
    float unused[PIECE];
    /* what is remembered of earlier steps has no product with the row */
    const float now = l->common.running.past != NULL ? 1 - sbl_running_decay(&l->common.running) : 1;
    for (size_t p = 0; p < l->hermite->part_count; p++) {
        const walk w = walk_of(l, generated, p, piece);
        walk_back(&w, 0, ones, unused, 0);
        if (l->unbiased) walk_own(&w, now * l->own_weight[piece->class]);
    }
    for (size_t s = 0; s < l->slot_count; s++) {
        const slot *own = &l->slots[s];
        const sbl_hermite_function *function = &l->hermite->functions[own->function];
        const size_t at = own->at * l->padded + piece->first;
        rows_back(d_numbers(l, generated, own->coordinate) + piece->first,
                  numbers(l, generated, own->coordinate) + piece->first, l->phi + at, l->d_phi + at,
                  l->padded, piece->count, function);
        for (size_t c = 0; c <= function->order; c++)
            memset(l->d_phi + at + c * l->padded, 0, piece->count * sizeof *l->d_phi);
    }
}

/* Pixels by columns, and their gradients by rows again. */
static void take_pixels(hermite_loss *l, const sbl_generated *generated, const sbl_row_piece *piece)
{
    const size_t d = l->hermite->facts->shape.numeric;
    for (size_t i = 0; i < d; i++)
        for (size_t r = piece->first; r < piece->first + piece->count; r++) {
            l->x[i * l->padded + r] = generated->pixels[r * d + i];
            l->d_x[i * l->padded + r] = 0;
        }
}

static void give_pixels(const hermite_loss *l, sbl_generated *generated, const sbl_row_piece *piece)
{
    const size_t d = l->hermite->facts->shape.numeric;
    for (size_t r = piece->first; r < piece->first + piece->count; r++)
        for (size_t i = 0; i < d; i++) generated->d_pixels[r * d + i] += l->d_x[i * l->padded + r];
}

static double loss_step(void *loss, sbl_generated *generated)
{
    hermite_loss *l = loss;
    const bool images = l->hermite->facts->kind == SBL_DATA_IMAGES;
    double sum = 0;
    SBL_OMP(omp parallel)
    {
        SBL_OMP(omp for schedule(dynamic))
        for (size_t i = 0; i < l->piece_count; i++) {
            if (images)
                take_pixels(l, generated, &l->pieces[i]);
            else
                take_metric(l, generated, &l->pieces[i]);
            piece_values(l, generated, &l->pieces[i]);
        }
        SBL_OMP(omp for schedule(dynamic))
        for (size_t p = 0; p < l->hermite->part_count; p++) part_residuals(l, generated, p);
        SBL_OMP(omp for schedule(dynamic))
        for (size_t i = 0; i < l->piece_count; i++) {
            piece_gradient(l, generated, &l->pieces[i]);
            if (images)
                give_pixels(l, generated, &l->pieces[i]);
            else
                give_metric(l, generated, &l->pieces[i]);
        }
    }
    for (size_t p = 0; p < l->hermite->part_count; p++) sum += l->losses[p];
    l->common.running.steps++;
    return sum;
}

#define LOSS(of_feature)                                                                            \
    {                                                                                               \
        .feature = (of_feature), .size = sizeof(hermite_loss), .init = loss_init, .step = loss_step \
    }

const sbl_loss_kind sbl_loss_hermite = LOSS(SBL_HERMITE);
const sbl_loss_kind sbl_loss_hermite_product = LOSS(SBL_HERMITE_PRODUCT);
