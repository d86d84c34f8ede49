/* The update in chunks that threads share and compilers vectorise: every weight is its own, so
 * that any sharing gives the same bits. */
#include "nn/adam.h"

#include <math.h>

#include "compute/threads.h"

#define CHUNK 4096

/* What one step does to every weight. */
typedef struct rates {
    float beta1, beta2, rate, correction, epsilon;
} rates;

SBL_CLONES static void update(float *restrict weights, float *restrict first,
                              float *restrict second, const float *restrict gradient, size_t count,
                              rates by)
{
    const float b1 = by.beta1, b2 = by.beta2;
    for (size_t i = 0; i < count; i++) {
        float g = gradient[i];
        float m = b1 * first[i] + (1 - b1) * g;
        float v = b2 * second[i] + (1 - b2) * g * g;
        first[i] = m;
        second[i] = v;
        weights[i] -= by.rate * m / (__builtin_sqrtf(v) * by.correction + by.epsilon);
    }
}

void sbl_adam_step(sbl_adam *adam, float *weights, const float *gradient, double rate)
{
    adam->step++;
    double t = (double)adam->step;
    rates by = {(float)adam->beta1, (float)adam->beta2, (float)(rate / (1 - pow(adam->beta1, t))),
                (float)(1 / sqrt(1 - pow(adam->beta2, t))), (float)adam->epsilon};
    SBL_OMP(omp parallel for schedule(static) if (adam->count > 16 * CHUNK))
    for (size_t first = 0; first < adam->count; first += CHUNK) {
        size_t left = adam->count - first;
        update(weights + first, adam->first + first, adam->second + first, gradient + first,
               left < CHUNK ? left : CHUNK, by);
    }
}

double sbl_cosine_rate(double rate, size_t step, size_t steps)
{
    return 0.5 * rate * (1 + cos(3.14159265358979323846 * (double)step / (double)steps));
}

SBL_CLONES static void move_towards(float *restrict average, const float *restrict weights,
                                    size_t count, float part)
{
    for (size_t i = 0; i < count; i++) average[i] += part * (weights[i] - average[i]);
}

void sbl_average_weights(float *average, const float *weights, size_t count, double decay)
{
    move_towards(average, weights, count, (float)(1 - decay));
}
