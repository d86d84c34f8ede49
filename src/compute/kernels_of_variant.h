/* All kernels for one instruction set. Included by one file per set. */
#include "compute/vector.h"

#include "compute/fourier_kernel.h"
#include "compute/gemm_kernel.h"

#define AS_TEXT(name) #name
#define TEXT_OF(name) AS_TEXT(name)
#define JOIN(a, b) a##b
#define JOINED(a, b) JOIN(a, b)
const sbl_kernels JOINED(sbl_kernels_, KERNEL_NAME) = {
    TEXT_OF(KERNEL_NAME), features, loss, gemm_tile, KERNEL_ROWS, 2 * WIDTH};
