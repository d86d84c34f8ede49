/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/reference_backend.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "backend/reference_parts.h"
#include "support/cmocka_all.h"

#define ROOM ((size_t)1 << 31) /* bytes of addresses, of which few are used */
#define PAGE ((size_t)4096)

typedef struct memory {
    char *base;
    size_t used, live; /* bytes handed out; tensors that live */
    size_t left;       /* allocations until one fails */
    bool broken;
    double loss; /* kept for collect */
} memory;

static memory m;
static sbl_backend reference; /* filled when it is opened */

void reference_unlock(void) { assert_int_equal(mprotect(m.base, m.used + PAGE, PROT_READ | PROT_WRITE), 0); }

void reference_lock(void) { assert_int_equal(mprotect(m.base, m.used + PAGE, PROT_NONE), 0); }

void reference_keep_loss(double loss) { m.loss += loss; }

static float *allocate(void *device, size_t count)
{
    assert_ptr_equal(device, &m);
    const size_t bytes = (count * sizeof(float) + 256 + PAGE - 1) / PAGE * PAGE;
    if (m.left == 0 || bytes > ROOM - PAGE - m.used) return NULL;
    if (m.left != SIZE_MAX) m.left--;
    if (m.live == 0) m.used = 0;
    float *at = (float *)(m.base + m.used);
    m.used += bytes;
    m.live++;
    reference_unlock();
    memset(at, 0, count * sizeof *at);
    reference_lock();
    return at;
}

static void release(void *device, float *tensor, size_t count)
{
    assert_ptr_equal(device, &m);
    if (tensor == NULL) return;
    assert_true((char *)tensor >= m.base && (char *)(tensor + count) <= m.base + m.used);
    assert_true(m.live > 0);
    m.live--;
}

static void move(void *device, float *to, const float *from, size_t count)
{
    assert_ptr_equal(device, &m);
    if (m.broken) return;
    reference_unlock();
    memcpy(to, from, count * sizeof *to);
    reference_lock();
}

static void zero(void *device, float *to, size_t count)
{
    (void)device;
    reference_unlock();
    memset(to, 0, count * sizeof *to);
    reference_lock();
}

static void start(void *device) { (void)device; }

static sbl_status sync_all(void *device, sbl_error *err)
{
    (void)device;
    return m.broken ? sbl_fail(err, SBL_EIO, "the reference device is broken") : SBL_OK;
}

static double collect(void *device)
{
    (void)device;
    const double loss = m.broken ? (double)NAN : m.loss;
    m.loss = 0;
    return loss;
}

const sbl_backend *reference_backend_open(void)
{
    m = (memory){.left = SIZE_MAX};
    m.base = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(m.base != MAP_FAILED);
    reference = (sbl_backend){
        .name = "reference",
        .device = &m,
        .trains = SBL_TRAINS_IMAGES,
        .allocate = allocate,
        .release = release,
        .write = move,
        .read = move,
        .copy = move,
        .zero = zero,
        .start = start,
        .sync = sync_all,
        .collect = collect,
    };
    reference_products(&reference);
    reference_layers(&reference);
    reference_resampling(&reference);
    reference_images(&reference);
    reference_points(&reference);
    reference_losses(&reference);
    reference_hermite(&reference);
    reference_adam(&reference);
    return &reference;
}

void reference_backend_close(void)
{
    assert_int_equal(m.live, 0);
    assert_int_equal(munmap(m.base, ROOM), 0);
}

void reference_backend_fail(size_t after) { m.left = after; }

void reference_backend_break(void) { m.broken = true; }
