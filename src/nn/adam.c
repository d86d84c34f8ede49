#include "nn/adam.h"

#include <math.h>

#include "compute/threads.h"

#define CHUNK 4096

SBL_CLONES static void update(float *restrict weights, float *restrict first,
                              float *restrict second, const float *restrict gradient, size_t count,
                              float rate, float correction)
{
    const float b1 = (float)SBL_ADAM_BETA1, b2 = (float)SBL_ADAM_BETA2;
    for (size_t i = 0; i < count; i++) {
        float g = gradient[i];
        float m = b1 * first[i] + (1 - b1) * g;
        float v = b2 * second[i] + (1 - b2) * g * g;
        first[i] = m;
        second[i] = v;
        weights[i] -= rate * m / (__builtin_sqrtf(v) * correction + (float)SBL_ADAM_EPSILON);
    }
}

void sbl_adam_step(sbl_adam *adam, float *weights, const float *gradient, double rate)
{
    adam->step++;
    double t = (double)adam->step;
    float scaled = (float)(rate / (1 - pow(SBL_ADAM_BETA1, t)));
    float correction = (float)(1 / sqrt(1 - pow(SBL_ADAM_BETA2, t)));
    SBL_OMP(omp parallel for schedule(static))
    for (size_t first = 0; first < adam->count; first += CHUNK) {
        size_t left = adam->count - first;
        update(weights + first, adam->first + first, adam->second + first, gradient + first,
               left < CHUNK ? left : CHUNK, scaled, correction);
    }
}

double sbl_cosine_rate(double rate, size_t step, size_t steps)
{
    return 0.5 * rate * (1 + cos(3.14159265358979323846 * (double)step / (double)steps));
}
