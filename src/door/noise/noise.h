/* SPDX-License-Identifier: Apache-2.0 */
/* Exact integer noise from a secret key. Only privatise/ may include this.
 *
 * The key comes from getrandom(2) after a charge is on disk: opening needs the reservation's token
 * and spends it. There is no seed. Key and keystream live in locked memory that is left out of core
 * dumps and wiped on fork and on close. All code in this folder is compiled without floating point.
 */
#ifndef SBL_NOISE_NOISE_H
#define SBL_NOISE_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/int128.h"
#include "door/ledger/ledger_book.h"

typedef struct sbl_noise sbl_noise;

/* Batches shorter than this are drawn by the constant-flow sampler: the time to draw a single value
 * must not tell its size (Jin et al. 2022). */
#define SBL_NOISE_CONSTANT_FLOW_BELOW 4096

/* Returns: SBL_OK; SBL_EENTROPY when the key cannot be made or protected; SBL_EINTERNAL when the
 *          token was spent before, or is a test token in a real build or the reverse */
sbl_status sbl_noise_open(sbl_noise **noise, sbl_reserve_token *token, sbl_error *err);

/* count draws of the discrete Gaussian of scale 2^56. out is all zero on failure. */
sbl_status sbl_noise_gaussian(sbl_noise *noise, int64_t *out, size_t count, sbl_error *err);

/* count draws of the discrete Laplace of scale 2^56, exact: no restart, delta is 0. */
sbl_status sbl_noise_laplace(sbl_noise *noise, sbl_i128 *out, size_t count, sbl_error *err);

/* 64-bit words of keystream handed to the samplers so far. */
uint64_t sbl_noise_words(const sbl_noise *noise);

/* Wipes and releases everything; noise may be NULL. */
void sbl_noise_close(sbl_noise *noise);

/* True in a build whose key is fixed: what it writes guarantees nothing. */
bool sbl_noise_is_test_build(void);

#endif
