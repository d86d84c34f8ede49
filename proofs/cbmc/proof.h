/* SPDX-License-Identifier: Apache-2.0 */
/* What every harness has: values of which nothing is known, and two words. CBMC reads a harness together with the source file that
 * it includes, and tries all values at once; `make prove` says which functions it holds. */
#ifndef SBL_PROOF_H
#define SBL_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int32_t nondet_i32(void);
int64_t nondet_i64(void);
uint32_t nondet_u32(void);
uint64_t nondet_u64(void);
__extension__ unsigned __int128 nondet_u128(void);
double nondet_double(void);
float nondet_float(void);
bool nondet_bool(void);
size_t nondet_size(void);
char nondet_char(void);
int nondet_int(void);

#define GIVEN(condition) __CPROVER_assume(condition)
#define PROVE(condition, words) __CPROVER_assert(condition, words)

#endif
