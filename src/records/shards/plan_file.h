/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a plan for sums that are made in shards (docs/FORMATS.md#plans): the public plan of one
 * round, what its run may spend, and the sites that take part if their sums are masked. PLAN.key, next to
 * it, is secret: shard files are sealed with it, and ids of persons are hashed with it. To sum, merge or
 * release, a process needs both. */
#ifndef SBL_SHARDS_PLAN_FILE_H
#define SBL_SHARDS_PLAN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/aead.h"
#include "base/error.h"
#include "base/key_agreement.h"
#include "base/sha256.h"
#include "base/siphash.h"
#include "base/store/store.h"
#include "base/text.h"
#include "public/account/charge.h"

#define SBL_ENDING_KEY ".key"
#define SBL_SITE_NAME_SIZE 64
#define SBL_MOST_SITES 256
#define SBL_ROUND_ID_SIZE 16

/* One of those who mask their sums against each other. */
typedef struct sbl_site {
    char name[SBL_SITE_NAME_SIZE];
    uint8_t key[SBL_AGREE_SIZE]; /* public */
} sbl_site;

typedef struct sbl_plan_file {
    uint8_t round_id[SBL_ROUND_ID_SIZE]; /* random: no two plans are the same */
    double epsilon;                      /* of the run; > 0 */
    double delta;                        /* 0: pure releases */
    sbl_neighbours neighbours;
    uint64_t rows; /* that it was planned for: public, or declared */
    char *why;     /* that auto took the method; empty where it was named */
    char *plan;    /* canonical JSON (public/plan/plan.h) */
    sbl_site *sites;
    size_t site_count; /* 0: sums are not masked */
    bool one_site;     /* with sites: it is declared that no person is at two of them */

    /* Once it was written or read. */
    uint8_t hash[SBL_SHA256_SIZE]; /* of the file: a part of another plan has another */
    uint8_t secret[SBL_SEAL_KEY_SIZE];
} sbl_plan_file;

/* Write PLAN (anyone may read it) and PLAN.key (mode 0600). The round id is made here; the secret is, too,
 * where `before` is NULL, and is else that of the round before: whose row it is must hash the same in all
 * rounds of a run, so that records need not be divided anew. */
sbl_status sbl_plan_file_save(sbl_plan_file *file, const sbl_plan_file *before, sbl_store_entry item,
                              bool overwrite, sbl_error *err);
/* Returns: SBL_OK; SBL_EINPUT, SBL_EIO, SBL_EMEM */
sbl_status sbl_plan_file_load(sbl_plan_file *file, sbl_store_entry item, sbl_error *err);
void sbl_plan_file_clear(sbl_plan_file *file); /* wipes */

/* The name of the key of the plan of that name. name: is filled. */
sbl_status sbl_plan_file_name_key(sbl_text *name, const char *plan, sbl_error *err);
/* The key of this plan's part files. */
sbl_status sbl_plan_file_seal_key(uint8_t key[SBL_SEAL_KEY_SIZE], const sbl_plan_file *file, sbl_error *err);
/* The key of the hashes that say whose row it is, the same in all rounds of a run. */
sbl_status sbl_plan_file_unit_key(uint8_t key[SBL_SIPHASH_KEY_SIZE], const sbl_plan_file *file,
                                  sbl_error *err);

/* The sites whose public keys are in these files, a comma list; a site is named after its file, without the
 * ending. */
sbl_status sbl_plan_file_read_sites(sbl_plan_file *file, const char *paths, sbl_error *err);

/* Is it a name of a site or a part: 1 to 63 letters, digits, '.', '_', '-'? */
bool sbl_is_part_name(const char *text);

#endif
