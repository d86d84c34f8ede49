/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are cut into pieces of one class. First the functions of every number that a product uses, piece by
 * piece; then the products, each by one thread: means, residuals, loss; then the pieces again, each by one thread: the
 * products' gradients in their order, and the way back to the numbers. So sums have one order for any
 * number of threads. */
#include <string.h>

#include "base/backend/backend_internal.h"
#include "base/backend/hermite_rows.h"
#include "base/compute/threads.h"

typedef sbl_hermite_job job;
typedef sbl_row_piece piece;

/* Column i of the rows, and where its gradient goes. */
static const float *column(const job *j, size_t i)
{
    if (j->by_rows) return j->z + i * j->padded;
    return i < j->columns ? j->x + i * j->padded : j->z + (i - j->columns) * j->padded;
}

static float *d_column(const job *j, size_t i)
{
    if (j->by_rows) return j->d_z + i * j->padded;
    return i < j->columns ? j->d_x + i * j->padded : j->d_z + (i - j->columns) * j->padded;
}

/* Images by columns, and their gradients by rows again. */
static void take_rows(const job *j, const piece *of)
{
    for (size_t i = 0; i < j->columns; i++)
        for (size_t r = of->first; r < of->first + of->count; r++) {
            j->z[i * j->padded + r] = j->x[r * j->columns + i];
            j->d_z[i * j->padded + r] = 0;
        }
}

static void give_rows(const job *j, const piece *of)
{
    for (size_t r = of->first; r < of->first + of->count; r++)
        for (size_t i = 0; i < j->columns; i++) j->d_x[r * j->columns + i] += j->d_z[i * j->padded + r];
}

static bool is_function(const sbl_hermite_slot *slot) { return slot->reach > 0; }

static void piece_values(const job *j, const piece *of)
{
    for (size_t s = 0; s < j->slot_count; s++) {
        const sbl_hermite_slot *slot = &j->slots[s];
        if (is_function(slot))
            sbl_hermite_rows_values(j->phi + slot->at * j->padded + of->first, j->padded,
                                    column(j, slot->column) + of->first, of->count, slot);
    }
}

/* Product p, for the rows of a piece. */
static sbl_hermite_walk walk_of(const job *j, size_t p, const piece *of)
{
    const sbl_hermite_product *product = &j->products[p];
    sbl_hermite_walk w = {.depth = product->count,
                          .stride = j->padded,
                          .count = of->count,
                          .means = j->residual + of->class * j->width + product->offset};
    for (size_t k = 0; k < product->count; k++) {
        const sbl_hermite_slot *slot = &j->slots[j->uses[product->use + k].slot];
        const size_t at = slot->at * j->padded;
        w.values[k] = (is_function(slot) ? j->phi + at : column(j, slot->column)) + of->first;
        w.gradients[k] = (is_function(slot) ? j->d_phi + at : d_column(j, slot->column)) + of->first;
        w.widths[k] = slot->width;
    }
    return w;
}

/* What products of rows with themselves are in the loss of product p. */
static double own_loss(const job *j, size_t p)
{
    double sum = 0;
    for (size_t i = 0; i < j->piece_count; i++) {
        const sbl_hermite_walk w = walk_of(j, p, &j->pieces[i]);
        sum += (double)j->own_weight[j->pieces[i].class] / 2 * (double)sbl_hermite_walk_lengths(&w);
    }
    return sum;
}

/* A number of a class's mean of the rows, own; what is remembered moves with it. Returns the number that is matched
 * and adds the loss to *loss. */
static float match(const job *j, double *loss, size_t c, size_t at, float own, float sum)
{
    const float decay = j->decay, target = j->target[at];
    const float mean = j->past != NULL ? decay * j->past[at] + (1 - decay) * own : own;
    const double weight = (double)j->class_weight[c];
    if (j->past != NULL) j->past[at] = mean;
    if (!j->unbiased) {
        const float difference = mean - target;
        *loss += weight * (double)difference * (double)difference;
        return mean;
    }
    const float fewer = j->mean_weight[c] * sum - own; /* what one row less to divide by adds */
    const float matched = mean + (j->past != NULL ? (1 - decay) * fewer : fewer);
    *loss +=
        weight * ((double)mean * ((double)matched - 2 * (double)target) + (double)target * (double)target);
    return matched;
}

/* Means of a product in every class, its loss, and 2 w_c v_c (mean - target) in place of the means. */
static void product_residuals(const job *j, size_t p)
{
    const size_t offset = j->products[p].offset, width = j->products[p].width;
    double loss = 0;
    for (size_t c = 0; c < j->classes; c++)
        memset(j->residual + c * j->width + offset, 0, width * sizeof(float));
    for (size_t i = 0; i < j->piece_count; i++) {
        const sbl_hermite_walk w = walk_of(j, p, &j->pieces[i]);
        sbl_hermite_walk_sums(&w);
    }
    for (size_t c = 0; c < j->classes; c++) {
        const float row = j->row_weight[c], weight = j->class_weight[c];
        const size_t first = c * j->width + offset;
        for (size_t i = 0; i < width; i++) {
            float *mean = &j->residual[first + i];
            const float matched = match(j, &loss, c, first + i, row * *mean, *mean);
            *mean = 2 * weight * row * (matched - j->target[first + i]);
        }
    }
    j->losses[p] = j->unbiased ? loss - own_loss(j, p) : loss;
}

static void piece_gradient(const job *j, const piece *of)
{
    /* what is remembered of earlier steps has no product with the row */
    const float now = j->past != NULL ? 1 - j->decay : 1;
    for (size_t p = 0; p < j->product_count; p++) {
        const sbl_hermite_walk w = walk_of(j, p, of);
        sbl_hermite_walk_back(&w);
        if (j->unbiased) sbl_hermite_walk_own(&w, now * j->own_weight[of->class]);
    }
    for (size_t s = 0; s < j->slot_count; s++) {
        const sbl_hermite_slot *slot = &j->slots[s];
        const size_t at = slot->at * j->padded + of->first;
        if (!is_function(slot)) continue;
        sbl_hermite_rows_back(d_column(j, slot->column) + of->first, column(j, slot->column) + of->first,
                              j->phi + at, j->d_phi + at, j->padded, of->count, slot);
        for (size_t c = 0; c < slot->width; c++)
            memset(j->d_phi + at + c * j->padded, 0, of->count * sizeof *j->d_phi);
    }
}

double sbl_hermite_loss(const sbl_hermite_job *j)
{
    double sum = 0;
    SBL_OMP(omp parallel)
    {
        SBL_OMP(omp for schedule(dynamic))
        for (size_t i = 0; i < j->piece_count; i++) {
            if (j->by_rows) take_rows(j, &j->pieces[i]);
            piece_values(j, &j->pieces[i]);
        }
        SBL_OMP(omp for schedule(dynamic))
        for (size_t p = 0; p < j->product_count; p++) product_residuals(j, p);
        SBL_OMP(omp for schedule(dynamic))
        for (size_t i = 0; i < j->piece_count; i++) {
            piece_gradient(j, &j->pieces[i]);
            if (j->by_rows) give_rows(j, &j->pieces[i]);
        }
    }
    for (size_t p = 0; p < j->product_count; p++) sum += j->losses[p];
    return sum;
}
