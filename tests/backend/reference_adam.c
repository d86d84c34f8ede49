/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: the optimiser. */
#include <math.h>

#include "backend/reference_parts.h"

static void adam(void *device, float *weights, float *first, float *second, const float *gradient,
                 size_t count, const sbl_adam_rates *by)
{
    (void)device;
    reference_unlock();
    for (size_t i = 0; i < count; i++) {
        const double g = (double)gradient[i], b1 = (double)by->beta1, b2 = (double)by->beta2;
        first[i] = (float)(b1 * (double)first[i] + (1 - b1) * g);
        second[i] = (float)(b2 * (double)second[i] + (1 - b2) * g * g);
        weights[i] -= (float)((double)by->rate * (double)first[i] /
                              (sqrt((double)second[i]) * (double)by->correction + (double)by->epsilon));
    }
    reference_lock();
}

static void average(void *device, float *to, const float *weights, size_t count, float part)
{
    (void)device;
    reference_unlock();
    for (size_t i = 0; i < count; i++) to[i] += part * (weights[i] - to[i]);
    reference_lock();
}

void reference_adam(sbl_backend *table)
{
    table->adam = adam;
    table->average = average;
}
