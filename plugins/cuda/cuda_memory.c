/* SPDX-License-Identifier: Apache-2.0 */
/* Memory on the device: tensors, copies, the loss that is collected, partial sums. */
#include <math.h>
#include <stdint.h>

#include "cuda/cuda_internal.h"

static cuda_address address_of(const float *tensor) { return (cuda_address)(uintptr_t)tensor; }

static float *allocate(void *device, size_t count)
{
    cuda_device *d = device;
    cuda_address at = 0;
    const size_t numbers = count > 0 ? count : 1;
    if (d->failed != 0 || count > SIZE_MAX / 8 || d->api.memory_take(&at, numbers * sizeof(float)) != 0)
        return NULL;
    cuda_set_zero(d, at, numbers);
    return (float *)(uintptr_t)at;
}

static void release(void *device, float *tensor, size_t count)
{
    cuda_device *d = device;
    if (tensor == NULL) return;
    cuda_flush(d);
    (void)d->api.memory_set(address_of(tensor), 0, count, d->stream);
    (void)d->api.stream_wait(d->stream);
    (void)d->api.memory_give(address_of(tensor));
}

static void put(void *device, float *to, const float *from, size_t count)
{
    cuda_flush(device);
    cuda_write(device, address_of(to), from, count * sizeof *to);
}

static void get(void *device, float *to, const float *from, size_t count)
{
    cuda_device *d = device;
    cuda_flush(d);
    if (d->failed != 0 || count == 0) return;
    cuda_check(d, d->api.to_host(to, address_of(from), count * sizeof *to, d->stream), "a copy");
    cuda_wait(d, "a copy");
}

static void copy(void *device, float *to, const float *from, size_t count)
{
    cuda_copy(device, to, from, count);
}

static void zero(void *device, float *to, size_t count) { cuda_set_zero(device, address_of(to), count); }

static void start(void *device) { cuda_flush(device); }

static sbl_status sync_all(void *device, sbl_error *err)
{
    cuda_device *d = device;
    cuda_wait(d, "waiting");
    if (d->failed == 0) return SBL_OK;
    return cuda_fail(err, d->failed == CUDA_ERROR_OUT_OF_MEMORY ? SBL_EMEM : SBL_EIO, "%s failed: %s",
                     d->name, d->reason);
}

static double collect(void *device)
{
    cuda_device *d = device;
    double loss = NAN;
    cuda_flush(d);
    if (d->failed != 0) return loss;
    cuda_check(d, d->api.to_host(&loss, d->loss, sizeof loss, d->stream), "a loss");
    cuda_check(d, d->api.memory_set(d->loss, 0, 2, d->stream), "a loss");
    cuda_wait(d, "a loss");
    return d->failed == 0 ? loss : NAN;
}

void cuda_set_memory(sbl_backend *to)
{
    to->allocate = allocate;
    to->release = release;
    to->write = put;
    to->read = get;
    to->copy = copy;
    to->zero = zero;
    to->start = start;
    to->sync = sync_all;
    to->collect = collect;
}

cuda_address cuda_parts(cuda_device *d, size_t count)
{
    if (count <= d->part_count) return d->parts;
    cuda_wait(d, "memory"); /* what waits works on the old ones */
    if (d->parts != 0) (void)d->api.memory_give(d->parts);
    d->parts = 0;
    d->part_count = 0;
    cuda_check(d, d->api.memory_take(&d->parts, count * sizeof(double)), "memory");
    if (d->failed == 0) d->part_count = count;
    return d->failed == 0 ? d->parts : 0;
}
