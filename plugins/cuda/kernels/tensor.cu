/* SPDX-License-Identifier: Apache-2.0 */
// ---- tensor cores: 16 x 8 numbers += 16 x 8 times 8 x 8, by a warp ----

#if TENSOR
#ifndef as_tf32  // an emulator brings its own

// To the nearest number of TF32.
__device__ __forceinline__ float as_tf32(float v)
{
    u32 bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
    return __uint_as_float(bits);
}

// With g = lane / 4 and t = lane % 4: c has (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1); a (g, t), (g + 8, t),
// (g, t + 4), (g + 8, t + 4); b (t, g), (t + 4, g).
__device__ __forceinline__ void multiply_fragments(float &c0, float &c1, float &c2, float &c3, const float *a,
                                                   const float *b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

#endif
#endif

