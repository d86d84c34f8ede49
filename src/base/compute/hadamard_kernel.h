/* SPDX-License-Identifier: Apache-2.0 */
/* The Walsh-Hadamard kernels; see hadamard.h and vector.h. Every width takes the bits of the index
 * from the highest to the lowest: the same sums in the same order. */

/* Butterflies between vectors `half` floats apart, two levels at a time where there are two. */
INLINE void butterfly(vec *a, vec *b)
{
    vec sum = *a + *b;
    *b = *a - *b;
    *a = sum;
}

INLINE void level_between(float *v, size_t size, size_t half)
{
    for (size_t i = 0; i < size; i += 2 * half)
        for (size_t j = i; j < i + half; j += WIDTH) {
            vec a = load(v + j), b = load(v + j + half);
            butterfly(&a, &b);
            store(v + j, a);
            store(v + j + half, b);
        }
}

/* The levels half and half / 2 in one pass. */
INLINE void levels_between(float *v, size_t size, size_t half)
{
    size_t quarter = half / 2;
    for (size_t i = 0; i < size; i += 2 * half)
        for (size_t j = i; j < i + quarter; j += WIDTH) {
            vec a = load(v + j), b = load(v + j + quarter);
            vec c = load(v + j + half), d = load(v + j + half + quarter);
            butterfly(&a, &c);
            butterfly(&b, &d);
            butterfly(&a, &b);
            butterfly(&c, &d);
            store(v + j, a);
            store(v + j + quarter, b);
            store(v + j + half, c);
            store(v + j + half + quarter, d);
        }
}

/* The levels inside one vector: lane l becomes lane l + lane (l ^ h), or the latter less the
 * former where l has the bit h. */
INLINE vec levels_within(vec x)
{
#if WIDTH == 16
    const vec s8 = {1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1};
    const vec s4 = {1, 1, 1, 1, -1, -1, -1, -1, 1, 1, 1, 1, -1, -1, -1, -1};
    const vec s2 = {1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1};
    const vec s1 = {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1};
    x = x * s8 + __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    x = x * s4 + __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    x = x * s2 + __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    return x * s1 + __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
#elif WIDTH == 8
    const vec s4 = {1, 1, 1, 1, -1, -1, -1, -1}, s2 = {1, 1, -1, -1, 1, 1, -1, -1};
    const vec s1 = {1, -1, 1, -1, 1, -1, 1, -1};
    x = x * s4 + __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
    x = x * s2 + __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5);
    return x * s1 + __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
#else
    const vec s2 = {1, 1, -1, -1}, s1 = {1, -1, 1, -1};
    x = x * s2 + __builtin_shufflevector(x, x, 2, 3, 0, 1);
    return x * s1 + __builtin_shufflevector(x, x, 1, 0, 3, 2);
#endif
}

/* v (size) = after * (H v), after NULL: all ones. */
INLINE void transform(float *v, size_t size, const float *after)
{
    size_t half = size / 2;
    for (; half >= 2 * WIDTH; half /= 4) levels_between(v, size, half);
    if (half >= WIDTH) level_between(v, size, half);
    for (size_t i = 0; i < size; i += WIDTH) {
        vec x = levels_within(load(v + i));
        store(v + i, after ? x * load(after + i) : x);
    }
}

/* v (size) = lengths * H D1 H D2 H D3 x: phases in turns. */
static __attribute__((noinline)) void project(float *v, const float *x, const sbl_hadamard *block)
{
    size_t size = block->size;
    const float *first = block->signs, *second = first + size, *third = second + size;
    for (size_t i = 0; i < block->columns; i++) v[i] = x[i] * third[i];
    memset(v + block->columns, 0, (size - block->columns) * sizeof *v);
    transform(v, size, second);
    transform(v, size, first);
    transform(v, size, block->lengths);
}

static void hadamard_pairs(float *out, const float *x, const sbl_hadamard *block, float *scratch)
{
    project(scratch, x, block);
    for (size_t i = 0; i < block->size; i += WIDTH) finish_pairs(out + 2 * i, load(scratch + i));
}

static void hadamard_phases(float *cosines, float *sines, const float *x, const sbl_hadamard *block)
{
    project(cosines, x, block);
    for (size_t i = 0; i < block->size; i += WIDTH) {
        vec sine, cosine;
        sincos_turns(&sine, &cosine, load(cosines + i));
        store(cosines + i, cosine);
        store(sines + i, sine);
    }
}

static void hadamard_gradient(float *gradient, const float *cosines, const float *sines, const float *a,
                              const float *b, const sbl_hadamard *block, float *v)
{
    size_t size = block->size;
    const float *first = block->signs, *second = first + size, *third = second + size;
    for (size_t i = 0; i < size; i += WIDTH)
        store(v + i,
              (load(a + i) * load(cosines + i) + load(b + i) * load(sines + i)) * load(block->lengths + i));
    transform(v, size, first);
    transform(v, size, second);
    transform(v, size, NULL);
    for (size_t i = 0; i < block->columns; i++) gradient[i] += v[i] * third[i];
}
