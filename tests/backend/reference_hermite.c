/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: products of Hermite functions, every number of every row by its definition and its derivative by
 * each of its factors. */
#include <math.h>
#include <stdlib.h>

#include "backend/reference_parts.h"

/* phi_c of x and its derivative in x. */
static double function_of(const sbl_hermite_slot *s, double x, size_t c, double *slope)
{
    const double u = s->reach * (x - 0.5), rho = s->rho;
    double before = 0, now = pow(1 - rho * rho, 0.25) * exp(-rho * u * u / (1 + rho));
    for (size_t k = 0; k < c; k++) {
        const double next = (sqrt(2 * rho) * u * now - rho * sqrt((double)k) * before) / sqrt((double)k + 1);
        before = now;
        now = next;
    }
    *slope = s->reach * (sqrt(2 * (double)c * rho) * before - 2 * rho / (1 + rho) * u * now);
    return now;
}

/* A factor of a number of a row: its value, its derivative, and the place of what it is a function of. */
typedef struct part {
    double value, slope;
    size_t at;
} part;

/* Of number i of product p; returns the number. */
static double parts_of(part *parts, const sbl_hermite_job *j, const sbl_hermite_product *p, size_t i,
                       size_t row)
{
    double number = 1;
    for (size_t k = p->count; k-- > 0;) {
        const sbl_hermite_slot *s = &j->slots[j->uses[p->use + k].slot];
        parts[k].at = row * j->columns + s->column;
        parts[k].value = function_of(s, (double)j->x[parts[k].at], i % s->width, &parts[k].slope);
        number *= parts[k].value;
        i /= s->width;
    }
    return number;
}

/* d_x += g times the derivatives of a number. */
static void number_back(const sbl_hermite_job *j, const part *parts, size_t count, double g)
{
    for (size_t k = 0; k < count; k++) {
        double slope = g * parts[k].slope;
        for (size_t other = 0; other < count; other++)
            if (other != k) slope *= parts[other].value;
        j->d_x[parts[k].at] += (float)slope;
    }
}

/* Number i of product p in class c. */
static double number_loss(const sbl_hermite_job *j, const sbl_hermite_product *p, size_t i, size_t c)
{
    part parts[SBL_HERMITE_MOST_FACTORS];
    const size_t at = c * j->width + p->offset + i;
    const double v = (double)j->row_weight[c], w = (double)j->class_weight[c], t = (double)j->target[at];
    const double own = j->unbiased ? (double)j->own_weight[c] : 0;
    const double now = j->past != NULL ? 1 - (double)j->decay : 1;
    double sum = 0, squares = 0;
    for (size_t r = j->starts[c]; r < j->starts[c + 1]; r++) {
        const double number = parts_of(parts, j, p, i, r);
        sum += number;
        squares += number * number;
    }
    const double mean = now * v * sum + (j->past != NULL ? (double)j->decay * (double)j->past[at] : 0);
    const double matched = mean + (j->unbiased ? now * ((double)j->mean_weight[c] - v) * sum : 0);
    if (j->past != NULL) j->past[at] = (float)mean;
    for (size_t r = j->starts[c]; r < j->starts[c + 1]; r++) {
        const double number = parts_of(parts, j, p, i, r);
        number_back(j, parts, p->count, 2 * w * v * (matched - t) - now * own * number);
    }
    return w * (mean * (matched - 2 * t) + t * t) - own / 2 * squares;
}

static double hermite(void *device, const sbl_hermite_job *j)
{
    (void)device;
    reference_unlock();
    for (size_t p = 0; p < j->product_count; p++)
        for (size_t i = 0; i < j->products[p].width; i++)
            for (size_t c = 0; c < j->classes; c++)
                reference_keep_loss(number_loss(j, &j->products[p], i, c));
    reference_lock();
    return 0;
}

void reference_hermite(sbl_backend *table) { table->hermite = hermite; }
