/* SPDX-License-Identifier: Apache-2.0 */
/* A shard: the exact sums of some of the records, on their way from the process that read them to the one
 * that releases them (docs/FORMATS.md#parts). SECRET: as sensitive as the records, unless it is masked
 * (records/shards/mask.h). The file has mode 0600 and is sealed with the plan's key, so a shard is as
 * trustworthy as the holders of that key. It names its plan, layout, parts and attempts, which cannot be
 * changed either. */
#ifndef SBL_SHARDS_SHARD_FILE_H
#define SBL_SHARDS_SHARD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "records/accumulate/sum.h"
#include "records/shards/plan_file.h"

/* What was summed: a name, or "I/M", number I of M parts, from 1. */
typedef struct sbl_part_id {
    char name[SBL_SITE_NAME_SIZE];
    uint64_t attempt; /* of who summed it, from 1 */
} sbl_part_id;

#define SBL_MOST_SHARES (UINT64_C(1) << 20) /* M at most */

/* The I and M of "I/M"; false: the text has another form. */
bool sbl_part_share(uint64_t *number, uint64_t *shares, const char *name);

typedef struct sbl_part {
    sbl_part_id *ids; /* (id_count), more than one after a merge */
    size_t id_count;
    uint32_t *places; /* (place_count): numbers of ids, from 1, by a hash of their names; 0: free */
    size_t place_count;
    bool masked;     /* the sums of one site, which say nothing without those of all others */
    uint64_t *words; /* (word_count): the number of rows, then every value of the sum, modulo 2^64 */
    size_t word_count;
} sbl_part;

/* Replaces its words. */
sbl_status sbl_part_take(sbl_part *part, const sbl_sum *sum, sbl_error *err);
/* A sum of them; where (a path) is for messages. A masked part has none. */
sbl_status sbl_part_give(sbl_sum **sum, const sbl_part *part, const sbl_layout *layout, const char *where,
                         sbl_error *err);
void sbl_part_clear(sbl_part *part); /* wipes */

/* One more id. SBL_EINPUT where it is there already, whatever the attempt, or where parts are numbered
 * and others are not, or out of another number. */
sbl_status sbl_part_add_id(sbl_part *part, const sbl_part_id *id, const char *where, sbl_error *err);
/* Another name for the first, the only one. */
void sbl_part_rename(sbl_part *part, const char *name);
/* Is nothing missing: of numbered parts all of them, of a plan with sites all sites? SBL_EINPUT names
 * what is. */
sbl_status sbl_part_is_all(const sbl_part *part, const sbl_plan_file *plan, const char *where,
                           sbl_error *err);

sbl_status sbl_part_save(const sbl_part *part, const sbl_plan_file *plan, const sbl_layout *layout,
                         sbl_store_entry item, bool overwrite, sbl_error *err);
/* Returns: SBL_OK; SBL_EINPUT for a file that is not a shard, was cut or changed, belongs to another plan, or
 *          is sealed with another key; SBL_EIO, SBL_EMEM */
sbl_status sbl_part_load(sbl_part *part, const sbl_plan_file *plan, const sbl_layout *layout,
                         sbl_store_entry item, sbl_error *err);

#endif
