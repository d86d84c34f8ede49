/* SBL_HOT marks the inner loops through which every feature passes. Where the compiler and the C
 * library can choose at load time, they exist for any x86-64, for machines with AVX2, which
 * take half the time, and for those with AVX-512. The results are the same bits: no operation mixes
 * elements but integer addition, and multiplication and addition are never contracted
 * (-ffp-contract=off).
 * Only static functions are marked: the name of a global one would leave a shared library, because
 * gcc gives what the loader chooses default visibility. Others reach them by a function that only
 * calls. */
#ifndef SBL_ACCUMULATE_HOT_H
#define SBL_ACCUMULATE_HOT_H

#include <features.h> /* __GLIBC__ */

/* Not under sanitizers: functions chosen at load time run before their runtime is ready. Not with
 * clang: before version 18 its clones do not link across files. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__OPTIMIZE__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SBL_HOT __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SBL_HOT
#endif

#endif
