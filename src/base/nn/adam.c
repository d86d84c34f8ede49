/* SPDX-License-Identifier: Apache-2.0 */
/* The rates of a step, corrected for how many there were; the update itself is a backend's. */
#include "base/nn/adam.h"

#include <math.h>

void sbl_adam_step_on(const sbl_backend *on, sbl_adam *adam, float *weights, const float *gradient,
                      double rate)
{
    adam->step++;
    double t = (double)adam->step;
    const sbl_adam_rates by = {(float)adam->beta1, (float)adam->beta2,
                               (float)(rate / (1 - pow(adam->beta1, t))),
                               (float)(1 / sqrt(1 - pow(adam->beta2, t))), (float)adam->epsilon};
    on->adam(on->device, weights, adam->first, adam->second, gradient, adam->count, &by);
}

void sbl_adam_step(sbl_adam *adam, float *weights, const float *gradient, double rate)
{
    sbl_adam_step_on(&sbl_backend_cpu, adam, weights, gradient, rate);
}

double sbl_cosine_rate(double rate, size_t step, size_t steps)
{
    return 0.5 * rate * (1 + cos(3.14159265358979323846 * (double)step / (double)steps));
}
