/* SPDX-License-Identifier: Apache-2.0 */
/* Work is recorded on a tape and sent to the device when the caller waits for it. A tape that occurred before, byte
 * for byte, has become a graph, which the device runs in one launch. Values that change from step to step (rates,
 * decays) are not part of the tape: kernels read them from slots in the device's memory, written before.
 * A tape names the memory that it works on, so a graph is launched only if its addresses are those that
 * would be used anyway. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda_internal.h"

#define MOST_BLOCKS 65535
#define MOST_NUMBERS ((size_t)0xf0000000) /* of a tensor */
#define GRAPH_LEAST 8                     /* works that a graph is made for */
#define CAPTURE_THREAD_LOCAL 1            /* CU_STREAM_CAPTURE_MODE_THREAD_LOCAL */

typedef enum work_kind { WORK_KERNEL, WORK_PRODUCT, WORK_SET, WORK_COPY } work_kind;

/* A work on the tape; of a kernel its arguments follow, each in ROOM_OF(size) bytes, behind their sizes. All bytes
 * count when tapes are compared: none is left as it was. */
typedef struct work {
    uint32_t kind, kernel, grid[3], block[2], shared, arguments, unused;
    uint64_t bytes;                      /* of the arguments with their sizes */
    uint64_t to, from, with;             /* tensors: of a product c, a, b */
    uint64_t count;                      /* bytes of a copy, numbers of a set */
    uint64_t m, n, k, strides[3], flags; /* of a product: a transposed, b transposed, add */
} work;

#define ROOM_OF(size) (((size) + 15) / 16 * 16)

/* ---- failures ---- */

void cuda_check(cuda_device *d, int error, const char *what)
{
    const char *words = NULL;
    if (error == 0 || d->failed != 0) return;
    d->failed = error;
    if (d->api.error_words(error, &words) != 0 || words == NULL) words = "an unknown error";
    (void)snprintf(d->reason, sizeof d->reason, "%s: %s", what, words);
}

unsigned cuda_count(cuda_device *d, size_t a, size_t b)
{
    if (b == 0 || a <= MOST_NUMBERS / b) return (unsigned)(a * b);
    cuda_check(d, CUDA_ERROR_OUT_OF_MEMORY, "a batch of this size");
    return 0;
}

unsigned cuda_blocks(unsigned long long count)
{
    const unsigned long long blocks = (count + CUDA_THREADS - 1) / CUDA_THREADS;
    return blocks < 1 ? 1 : blocks < MOST_BLOCKS ? (unsigned)blocks : MOST_BLOCKS;
}

/* ---- the tape ---- */

static unsigned char *extend(cuda_device *d, size_t bytes)
{
    cuda_tape *t = &d->tape;
    if (t->size + bytes > t->room) {
        const size_t room = 2 * (t->size + bytes) + 4096;
        unsigned char *grown = realloc(t->bytes, room);
        if (grown == NULL) {
            cuda_check(d, CUDA_ERROR_OUT_OF_MEMORY, "a list of work");
            return NULL;
        }
        t->bytes = grown;
        t->room = room;
    }
    unsigned char *at = t->bytes + t->size;
    memset(at, 0, bytes);
    t->size += bytes;
    return at;
}

static void put_work(cuda_device *d, const work *w)
{
    unsigned char *at = d->failed == 0 ? extend(d, sizeof *w) : NULL;
    if (at == NULL) return;
    memcpy(at, w, sizeof *w);
    d->tape.works++;
}

/* A number of this step alone; what the kernel is handed is its address. */
static cuda_address slot_for(cuda_device *d, float value)
{
    if (d->slot_count == CUDA_SLOTS) cuda_flush(d);
    d->slot_values[d->slot_count] = value;
    return d->slots + sizeof(float) * d->slot_count++;
}

void cuda_launch_kernel(cuda_device *d, cuda_kernel kernel, const unsigned grid[3], unsigned block_x,
                        unsigned block_y, unsigned shared, const cuda_argument *arguments, size_t count)
{
    cuda_address slots[CUDA_MOST_ARGUMENTS];
    work w = {.kind = WORK_KERNEL,
              .kernel = kernel,
              .grid = {grid[0], grid[1], grid[2]},
              .block = {block_x, block_y},
              .shared = shared,
              .arguments = (uint32_t)count};
    if (d->failed != 0) return;
    /* Slots first: they may flush, and a work is written whole. */
    if (d->slot_count + count > CUDA_SLOTS) cuda_flush(d);
    for (size_t i = 0; i < count; i++) {
        if (arguments[i].varies) slots[i] = slot_for(d, *(const float *)arguments[i].at);
        w.bytes +=
            ROOM_OF(sizeof(uint64_t)) + ROOM_OF(arguments[i].varies ? sizeof *slots : arguments[i].size);
    }
    put_work(d, &w);
    for (size_t i = 0; i < count && d->failed == 0; i++) {
        const void *from = arguments[i].varies ? (const void *)&slots[i] : arguments[i].at;
        const uint64_t size = arguments[i].varies ? sizeof *slots : arguments[i].size;
        unsigned char *at = extend(d, ROOM_OF(sizeof size) + ROOM_OF(size));
        if (at == NULL) return;
        memcpy(at, &size, sizeof size);
        memcpy(at + ROOM_OF(sizeof size), from, size);
    }
}

static uint64_t address_of(const float *tensor) { return (uint64_t)(uintptr_t)tensor; }

void cuda_product(cuda_device *d, float *c, const float *a, const float *b, const sbl_gemm_shape *s)
{
    put_work(
        d, &(work){.kind = WORK_PRODUCT,
                   .to = address_of(c),
                   .from = address_of(a),
                   .with = address_of(b),
                   .m = s->m,
                   .n = s->n,
                   .k = s->k,
                   .strides = {s->a_stride, s->b_stride, s->c_stride},
                   .flags = (s->a_transposed ? 1u : 0u) | (s->b_transposed ? 2u : 0u) | (s->add ? 4u : 0u)});
}

void cuda_set_zero(cuda_device *d, cuda_address to, size_t count)
{
    if (count > 0) put_work(d, &(work){.kind = WORK_SET, .to = to, .count = count});
}

void cuda_copy(cuda_device *d, float *to, const float *from, size_t count)
{
    if (count > 0 && to != from)
        put_work(d, &(work){.kind = WORK_COPY,
                            .to = address_of(to),
                            .from = address_of(from),
                            .count = count * sizeof *to});
}

/* ---- to the device ---- */

static void issue_kernel(cuda_device *d, const work *w, unsigned char *arguments)
{
    void *pointers[CUDA_MOST_ARGUMENTS];
    for (uint32_t i = 0; i < w->arguments; i++) {
        uint64_t size;
        memcpy(&size, arguments, sizeof size);
        pointers[i] = arguments + ROOM_OF(sizeof size);
        arguments += ROOM_OF(sizeof size) + ROOM_OF(size);
    }
    cuda_check(d,
               d->api.launch(d->kernels[w->kernel], w->grid[0], w->grid[1], w->grid[2], w->block[0],
                             w->block[1], 1, w->shared, d->stream, pointers, NULL),
               "a kernel");
}

static const float *tensor_at(uint64_t address) { return (const float *)(uintptr_t)address; }

/* Row major is the transpose of cuBLAS's column major: C^T = B^T A^T. */
static void issue_product(cuda_device *d, const work *w)
{
    const float one = 1, beta = w->flags & 4 ? 1.0f : 0.0f;
    const int error =
        d->api.blas_sgemm(d->blas, w->flags & 2 ? CUBLAS_TRANSPOSED : CUBLAS_PLAIN,
                          w->flags & 1 ? CUBLAS_TRANSPOSED : CUBLAS_PLAIN, (int)w->n, (int)w->m, (int)w->k,
                          &one, tensor_at(w->with), (int)w->strides[1], tensor_at(w->from),
                          (int)w->strides[0], &beta, (float *)(uintptr_t)w->to, (int)w->strides[2]);
    if (error != 0) cuda_check(d, CUDA_ERROR_UNKNOWN, "a product of cuBLAS");
}

static void issue_all(cuda_device *d)
{
    work w;
    for (size_t at = 0; at < d->tape.size && d->failed == 0; at += sizeof w + w.bytes) {
        memcpy(&w, d->tape.bytes + at, sizeof w);
        if (w.kind == WORK_KERNEL)
            issue_kernel(d, &w, d->tape.bytes + at + sizeof w);
        else if (w.kind == WORK_PRODUCT)
            issue_product(d, &w);
        else if (w.kind == WORK_SET)
            cuda_check(d, d->api.memory_set(w.to, 0, w.count, d->stream), "memory");
        else
            cuda_check(d, d->api.on_device(w.to, w.from, w.count, d->stream), "a copy");
    }
}

/* ---- graphs ---- */

static void forget(cuda_device *d, cuda_graph *graph)
{
    if (graph->made != NULL) (void)d->api.graph_destroy(graph->made);
    free(graph->bytes);
    *graph = (cuda_graph){0};
}

/* Of this tape; NULL: it was not seen. */
static cuda_graph *find_graph(cuda_device *d)
{
    for (size_t i = 0; i < CUDA_GRAPHS; i++) {
        cuda_graph *graph = &d->graphs[i];
        if (graph->bytes != NULL && graph->size == d->tape.size &&
            memcmp(graph->bytes, d->tape.bytes, d->tape.size) == 0)
            return graph;
    }
    return NULL;
}

/* Replaces the least recently used one. */
static void remember(cuda_device *d)
{
    cuda_graph *oldest = &d->graphs[0];
    for (size_t i = 1; i < CUDA_GRAPHS; i++)
        if (d->graphs[i].used < oldest->used) oldest = &d->graphs[i];
    forget(d, oldest);
    oldest->bytes = malloc(d->tape.size);
    if (oldest->bytes == NULL) return; /* then it stays a list */
    memcpy(oldest->bytes, d->tape.bytes, d->tape.size);
    oldest->size = d->tape.size;
    oldest->used = ++d->flushes;
}

/* Where a driver will not make one, lists go on as lists. */
static void capture(cuda_device *d, cuda_graph *graph)
{
    cuda_handle whole = NULL;
    if (d->api.capture_begin(d->stream, CAPTURE_THREAD_LOCAL) != 0) {
        d->graphless = true;
        return;
    }
    issue_all(d);
    if (d->api.capture_end(d->stream, &whole) != 0 || whole == NULL ||
        d->api.graph_make(&graph->made, whole, 0) != 0) {
        graph->made = NULL;
        d->graphless = true;
    }
    if (whole != NULL) (void)d->api.graph_drop(whole);
}

static void run_tape(cuda_device *d)
{
    cuda_graph *graph = NULL;
    if (!d->graphless && d->tape.works >= GRAPH_LEAST) {
        graph = find_graph(d);
        if (graph == NULL)
            remember(d);
        else if (graph->made == NULL)
            capture(d, graph);
    }
    if (d->failed != 0) return;
    if (graph == NULL || graph->made == NULL) {
        issue_all(d);
        return;
    }
    graph->used = ++d->flushes;
    cuda_check(d, d->api.graph_launch(graph->made, d->stream), "a kernel");
}

void cuda_flush(cuda_device *d)
{
    if (d->tape.size > 0 && d->failed == 0) {
        if (d->slot_count > 0) cuda_write(d, d->slots, d->slot_values, d->slot_count * sizeof(float));
        run_tape(d);
    }
    d->tape.size = d->tape.works = d->slot_count = 0;
}

void cuda_wait(cuda_device *d, const char *what)
{
    cuda_flush(d);
    cuda_check(d, d->api.stream_wait(d->stream), what);
    d->staged = 0;
}

void cuda_write(cuda_device *d, cuda_address to, const void *from, size_t bytes)
{
    if (d->failed != 0 || bytes == 0) return;
    if (bytes > CUDA_STAGE) { /* from where it is: the caller may change it afterwards */
        cuda_check(d, d->api.to_device(to, from, bytes, d->stream), "a copy");
        cuda_check(d, d->api.stream_wait(d->stream), "a copy");
        d->staged = 0;
        return;
    }
    if (d->staged + bytes > CUDA_STAGE) {
        cuda_check(d, d->api.stream_wait(d->stream), "a copy");
        d->staged = 0;
    }
    memcpy(d->stage + d->staged, from, bytes);
    cuda_check(d, d->api.to_device(to, d->stage + d->staged, bytes, d->stream), "a copy");
    d->staged += ROOM_OF(bytes);
}

void cuda_stream_clear(cuda_device *d)
{
    for (size_t i = 0; i < CUDA_GRAPHS; i++) forget(d, &d->graphs[i]);
    free(d->tape.bytes);
    d->tape = (cuda_tape){0};
}
