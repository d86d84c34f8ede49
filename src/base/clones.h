/* SPDX-License-Identifier: Apache-2.0 */
/* SBL_CLONES marks an inner loop that the compiler vectorises: where the compiler and the C library
 * can choose at load time, it exists for any x86-64, for machines with AVX2, which take half the
 * time, and for those with AVX-512. Of integer additions, and of floating point where no operation
 * mixes elements, the results are the same bits: multiplication and addition are never contracted
 * (-ffp-contract=off).
 * Only static functions are marked: the name of a global one would leave a shared library, because
 * gcc gives what the loader chooses default visibility. Others reach them by a function that only
 * calls. */
#ifndef SBL_BASE_CLONES_H
#define SBL_BASE_CLONES_H

#include <features.h> /* __GLIBC__ */

/* Not under sanitizers: functions chosen at load time run before their runtime is ready. Not with
 * clang: before version 18 its clones do not link across files. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__OPTIMIZE__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SBL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SBL_CLONES
#endif

#endif
