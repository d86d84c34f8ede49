/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/backend_check.h"

#include <math.h>
#include <stdlib.h>

#include "backend/checked_operation.h"
#include "base/compute/threads.h"
#include "support/cmocka_all.h"

/* ---- the same numbers for both ---- */

static void begin(checked_run *r, const sbl_backend *on, uint64_t seed)
{
    *r = (checked_run){.on = on, .tensors = sbl_tensors_on(on)};
    sbl_model_rng_init(&r->rng, seed, SBL_RNG_OTHER, 0);
}

float *checked_numbers(checked_run *r, size_t count, bool positive)
{
    float *host = calloc(count + 1, sizeof *host), *tensor = sbl_tensors_take(&r->tensors, count, 1);
    assert_non_null(tensor);
    assert_true(r->count < CHECKED_MOST_ARRAYS);
    for (size_t i = 0; i < count; i++) {
        const double v = sbl_model_rng_normal(&r->rng);
        host[i] = (float)(positive ? fabs(v) + 0.01 : v);
    }
    r->on->write(r->on->device, tensor, host, count);
    free(host);
    r->arrays[r->count] = tensor;
    r->counts[r->count++] = count;
    return tensor;
}

float *checked_normals(checked_run *r, size_t count) { return checked_numbers(r, count, false); }

float *checked_scratch(checked_run *r, size_t count)
{
    float *tensor = sbl_tensors_take(&r->tensors, count, 1);
    assert_non_null(tensor);
    return tensor;
}

static float *read_back(const checked_run *r, size_t i)
{
    float *host = calloc(r->counts[i] + 1, sizeof *host);
    r->on->read(r->on->device, host, r->arrays[i], r->counts[i]);
    return host;
}

/* ---- comparing ---- */

static void compare_arrays(const char *name, size_t variant, size_t number, const float *have,
                           const float *want, size_t count, double tolerance)
{
    double square = 0, worst = 0;
    for (size_t i = 0; i < count; i++) {
        const double off = fabs((double)have[i] - (double)want[i]);
        square += (double)want[i] * (double)want[i];
        if (!(off <= worst) && !isnan(worst)) worst = off; /* NaN counts, and stays */
    }
    const double limit = tolerance * (sqrt(square / (double)(count > 0 ? count : 1)) + 1e-12);
    if (!(worst <= limit))
        fail_msg("%s, variant %zu, array %zu: off by %g, allowed %g", name, variant, number, worst, limit);
}

/* threads: of `want`, `have` then having one; 0: as they are. */
static void compare(const sbl_backend *have, const sbl_backend *want, const checked_operation *of,
                    uint64_t seed, size_t variant, double tolerance, int threads)
{
    checked_run a, b;
    const int before = sbl_thread_limit();
    begin(&a, have, seed);
    begin(&b, want, seed);
    if (threads > 0) sbl_thread_set(1);
    of->run(&a, variant);
    const double loss_a = a.loss + have->collect(have->device);
    if (threads > 0) sbl_thread_set(threads);
    of->run(&b, variant);
    sbl_thread_set(before);
    const double loss_b = b.loss + want->collect(want->device);
    assert_ok(have->sync(have->device, NULL));
    assert_ok(want->sync(want->device, NULL));
    assert_int_equal(a.count, b.count);
    for (size_t i = 0; i < a.count; i++) {
        float *x = read_back(&a, i), *y = read_back(&b, i);
        compare_arrays(of->name, variant, i, x, y, a.counts[i], tolerance);
        free(x);
        free(y);
    }
    if (!(fabs(loss_a - loss_b) <= tolerance * (fabs(loss_b) + 1e-12)))
        fail_msg("%s, variant %zu: loss %.9g in place of %.9g", of->name, variant, loss_a, loss_b);
    sbl_tensors_clear(&a.tensors);
    sbl_tensors_clear(&b.tensors);
}

/* Every variant of every operation. */
static void compare_all(const sbl_backend *have, const sbl_backend *want, double tolerance, int threads)
{
    const checked_operation *const lists[] = {checked_layers, checked_losses, checked_hermite};
    uint64_t seed = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const checked_operation *of = lists[i]; of->name != NULL; of++, seed += 100)
            for (size_t v = 0; v < of->variants; v++)
                compare(have, want, of, seed + v, v, tolerance, threads);
}

void backend_check_all(const sbl_backend *have, const sbl_backend *want, double tolerance)
{
    compare_all(have, want, tolerance, 0);
}

void backend_check_repeats(const sbl_backend *have) { compare_all(have, have, 0, 0); }

void backend_check_threads(const sbl_backend *have, int threads) { compare_all(have, have, 0, threads); }
