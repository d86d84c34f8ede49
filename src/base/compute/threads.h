/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMP behind macros, so that the code also builds without it (then on one thread); and, with
 * base/clones.h, SBL_CLONES for the loops that threads run. */
#ifndef SBL_COMPUTE_THREADS_H
#define SBL_COMPUTE_THREADS_H

#include "base/clones.h"

#ifdef _OPENMP
#include <omp.h>
#define SBL_OMP(directive) _Pragma(#directive)
static inline int sbl_thread_index(void) { return omp_get_thread_num(); }
/* Threads of a team that would start here: one inside of another has one. */
static inline int sbl_thread_limit(void) { return omp_in_parallel() ? 1 : omp_get_max_threads(); }
static inline void sbl_thread_set(int count) { omp_set_num_threads(count); }
#else
#define SBL_OMP(directive)
static inline int sbl_thread_index(void) { return 0; }
static inline int sbl_thread_limit(void) { return 1; }
static inline void sbl_thread_set(int count) { (void)count; }
#endif

#endif
