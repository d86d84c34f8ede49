/* SPDX-License-Identifier: Apache-2.0 */
/* The secret behind noise.h: a ChaCha20 key and a stretch of its keystream.
 *
 * The whole of struct sbl_noise lies in one mapping that is locked (never swapped), left out of
 * core dumps and wiped on fork. A wiped struct has no words left and no mark of life, so a child
 * process gets an error where it would repeat its parent's stream.
 *
 * Internal to noise/. sbl_keystream_open asks for no reservation: whatever is to be released goes
 * through sbl_noise_open. */
#ifndef SBL_NOISE_KEYSTREAM_H
#define SBL_NOISE_KEYSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"

#ifdef __FAST_MATH__
#error "noise/ must not be compiled with -ffast-math"
#endif

/* 16 KiB: long enough to hide the set-up of a refill, small enough for the first-level cache. */
#define SBL_KEYSTREAM_WORDS 2048
#define SBL_KEYSTREAM_ALIVE UINT64_C(0x6b65797374726561)

typedef struct sbl_noise sbl_noise;
struct sbl_noise {
    uint64_t alive;   /* SBL_KEYSTREAM_ALIVE; 0 after a fork */
    uint64_t refills; /* decides nonce and block number of the next stretch */
    uint64_t words;   /* put into the buffer so far */
    size_t left;      /* words of the buffer not handed out yet: its last ones */
    bool failed;      /* for good */
    uint8_t key[SBL_CHACHA20_KEY_SIZE];
    /* Words of 8 bytes, little-endian on every machine. */
    _Alignas(uint64_t) uint8_t buffer[SBL_KEYSTREAM_WORDS][sizeof(uint64_t)];
};

/* A Linux user may lock 64 KiB even where the limit was never raised. */
_Static_assert(sizeof(sbl_noise) <= 48 * 1024, "key and keystream must fit the smallest lock limit");

/* Map and protect the memory, then make the key. SBL_EENTROPY when any of it fails. */
sbl_status sbl_keystream_open(sbl_noise **noise, sbl_error *err);

/* The next stretch of keystream into an empty buffer; false, for good, when there is none. */
bool sbl_keystream_refill(sbl_noise *noise);

/* Wipe, then unmap; noise may be NULL. */
void sbl_keystream_close(sbl_noise *noise);

#endif
