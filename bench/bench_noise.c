/* SPDX-License-Identifier: Apache-2.0 */
/* What one draw of noise costs on one core: nanoseconds and 64-bit words of keystream.
 *
 * Each sampler runs in batches as a release would run it; the best of several rounds counts. The
 * keystream is opened without a reservation: nothing drawn here leaves the program. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "door/noise/keystream.h"
#include "door/noise/noise.h"

#define ROUNDS 7
#define DRAWS 1000000u

typedef sbl_status draw_batch(sbl_noise *noise, void *out, size_t count);

static sbl_status gaussian(sbl_noise *noise, void *out, size_t count)
{
    return sbl_noise_gaussian(noise, out, count, NULL);
}

static sbl_status laplace(sbl_noise *noise, void *out, size_t count)
{
    return sbl_noise_laplace(noise, out, count, NULL);
}

/* Of processor time: other programs on the machine are not to count. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(const char *name, draw_batch *draw, sbl_noise *noise, void *out, size_t batch)
{
    double best = 1e300;
    double words = 0;
    const size_t batches = DRAWS / batch;
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t words_before = sbl_noise_words(noise);
        const double start = seconds();
        for (size_t i = 0; i < batches; i++) {
            if (draw(noise, out, batch) == SBL_OK) continue;
            fprintf(stderr, "bench_noise: %s failed\n", name);
            exit(1);
        }
        const double elapsed = seconds() - start;
        if (elapsed < best) best = elapsed;
        words = (double)(sbl_noise_words(noise) - words_before);
    }
    const double draws = (double)(batches * batch);
    printf("%-34s %8zu %10.1f %14.2f\n", name, batch, 1e9 * best / draws, words / draws);
}

int main(void)
{
    sbl_error err;
    sbl_noise *noise;
    if (sbl_keystream_open(&noise, &err) != SBL_OK) {
        fprintf(stderr, "bench_noise: %s\n", err.message);
        return 1;
    }
    sbl_i128 *out = calloc(DRAWS, sizeof *out);
    if (out == NULL) return 1;
    printf("%-34s %8s %10s %14s\n", "sampler, scale 2^56", "batch", "ns/draw", "words/draw");
    measure("discrete Gaussian, exact", gaussian, noise, out, DRAWS);
    measure("discrete Gaussian, constant flow", gaussian, noise, out, SBL_NOISE_CONSTANT_FLOW_BELOW - 1);
    measure("discrete Laplace, exact", laplace, noise, out, DRAWS);
    free(out);
    sbl_noise_close(noise);
    return 0;
}
