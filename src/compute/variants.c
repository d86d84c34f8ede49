/* The choice of an instruction set by what the processor reports. Asked at every call: the answer
 * is a read of flags that the compiler's runtime has set, so there is no state to keep. */
#include "compute/variants.h"

const sbl_kernels *sbl_kernels_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &sbl_kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &sbl_kernels_avx2;
#endif
    return &sbl_kernels_portable;
}
