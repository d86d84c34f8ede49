/* SPDX-License-Identifier: Apache-2.0 */
/* A release: noisy integers and public facts about them. It knows nothing about records. Everything that is
 * computed from it is post-processing.
 *
 * Value v of block b stands for v / (multiplier_b * scale_b) in feature units, with noise of scale 2^56 on
 * v. */
#ifndef SBL_RELEASE_RELEASE_H
#define SBL_RELEASE_RELEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/int128.h"
#include "base/sha256.h"
#include "base/store/store.h"
#include "public/account/charge.h"
#include "public/plan/block.h"

/* A key that was named: its column among those that were tallied, and its bytes, valid UTF-8. */
typedef struct sbl_release_key {
    uint32_t column;
    char *text;
} sbl_release_key;

typedef struct sbl_release {
    char name[64];   /* as in the ledger */
    char rid[33];    /* reservation id */
    char ledger[33]; /* id of the ledger */
    uint64_t seq;    /* of the reservation */
    sbl_mechanism mechanism;
    sbl_neighbours neighbours;
    uint64_t rows_per_unit; /* of one person that count; 0: a row is a person */
    uint64_t n; /* public number of rows; 0 where it is private: under add-remove, and where persons
                 * may own several rows */
    size_t classes;
    bool counts;        /* the last block, "counts", holds records per class: width classes, columns 1 */
    bool test_key;      /* guarantee: NONE */
    char *plan;         /* the public plan as JSON text; its SHA-256 is the ledger's plan= */
    sbl_block *blocks;  /* with multiplier and offset; none is withheld */
    size_t block_count; /* counts included */
    sbl_i128 *values;
    size_t value_count;
    sbl_release_key *keys; /* (value_count), rising by column, then by bytes, where the one block is
                            * of keys (survival_bits); NULL otherwise */
} sbl_release;

void sbl_release_free(sbl_release *release);

/* The number of sums of a block: classes, or 1. */
size_t sbl_release_columns(const sbl_release *release, const sbl_block *block);

/* Find a block by name; NULL when there is none. */
const sbl_block *sbl_release_find(const sbl_release *release, const char *name);

/* The estimate of value (column, coordinate) of a block in feature units, and the standard
 * deviation (Gaussian) of its noise. */
double sbl_release_estimate(const sbl_release *release, const sbl_block *block, size_t column,
                            size_t coordinate);
double sbl_release_noise_deviation(const sbl_release *release, const sbl_block *block);

/* File (docs/FORMATS.md): magic, version, header length, JSON header, little-endian int128 values,
 * SHA-256 of all before it. Synced and renamed into place. hash (may be NULL) receives SHA-256 of
 * the whole file, which COMMIT records; appeared (may be NULL) whether the file has its name, which
 * it may have though the folder could not be synced: hash is good then. */
sbl_status sbl_release_save(const sbl_release *release, sbl_store_entry to, bool overwrite,
                            uint8_t hash[SBL_SHA256_SIZE], bool *appeared, sbl_error *err);
sbl_status sbl_release_load(sbl_release **release, sbl_store_entry from, sbl_error *err);
/* The same, with the SHA-256 of the whole file. */
sbl_status sbl_release_load_hashed(sbl_release **release, uint8_t hash[SBL_SHA256_SIZE], sbl_store_entry from,
                                   sbl_error *err);
/* The part of loading without the file (fuzzed). */
sbl_status sbl_release_decode(sbl_release **release, const uint8_t *bytes, size_t size, const char *where,
                              sbl_error *err);

/* ---- the JSON header of the file: everything but the values ---- */

/* Canonical JSON text, owned by the caller (sbl_free). */
sbl_status sbl_release_header_write(char **text, const sbl_release *release, sbl_error *err);

/* Read and check every field; values is left NULL, value_count is set. *release is all zero before;
 * what it owns after a failure is freed by the caller. */
sbl_status sbl_release_header_read(sbl_release *release, const char *text, size_t length, const char *where,
                                   sbl_error *err);

#endif
