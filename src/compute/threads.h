/* OpenMP behind macros, so that the code also builds without it (then on one thread). */
#ifndef SBL_COMPUTE_THREADS_H
#define SBL_COMPUTE_THREADS_H

#ifdef _OPENMP
#include <omp.h>
#define SBL_OMP(directive) _Pragma(#directive)
static inline int sbl_thread_index(void) { return omp_get_thread_num(); }
static inline int sbl_thread_limit(void) { return omp_get_max_threads(); }
static inline void sbl_thread_set(int count) { omp_set_num_threads(count); }
#else
#define SBL_OMP(directive)
static inline int sbl_thread_index(void) { return 0; }
static inline int sbl_thread_limit(void) { return 1; }
static inline void sbl_thread_set(int count) { (void)count; }
#endif

/* SBL_CLONES marks a hot loop that the compiler vectorises: it then exists for several instruction
 * sets and the loader picks. Not under sanitizers, whose runtime is not ready when the loader asks,
 * and not with clang, whose clones do not link across files before version 18. For static functions
 * only: gcc shows what the loader picks to the world, also where everything else is hidden. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__OPTIMIZE__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SBL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SBL_CLONES
#endif

#endif
