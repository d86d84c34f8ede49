/* SPDX-License-Identifier: Apache-2.0 */
/* A run in shards: plan | sum | merge | release. A plan is made from public facts. Each party that holds it and its
 * key sums some of the records. The sums are merged, in any order, and the holder of the ledger releases the total.
 * Only this last step draws noise and charges, through the same release step as any run (publish.h): its input is
 * as trusted as the key of the plan. A run of several rounds does this for each, and a later plan follows from the
 * releases before it. Sums are the bits of one process (docs/mechanisms/parts.md). */
#ifndef SBL_PIPELINE_SHARDS_H
#define SBL_PIPELINE_SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/store/store.h"
#include "records/source/data_source.h"
#include "run/pipeline/job.h"
#include "semblance/options.h"

/* The plan of round 1 of what the job says, for n records. sites: files of public keys, a comma list; NULL:
 * sums are not masked. one_site: it is declared that no person is at two of them. */
sbl_status sbl_shards_plan(const sbl_job *job, uint64_t n, const char *sites, bool one_site,
                           sbl_store_entry output, sbl_error *err);

/* The plan after the releases of a run that are there, from the first on; `before` is the one of the last of
 * them. None (no store): the plans of a run are OUTPUT, OUTPUT.2, OUTPUT.3, ..., which `before` and the new one then are.
 * round: the number that the new one must have; 0: any. more: there is one; else the run is complete
 * and nothing is written. */
sbl_status sbl_shards_plan_next(bool *more, sbl_store_entry before, const char *release, uint64_t round,
                                sbl_store_entry output, const sbl_synth_options *options, sbl_error *err);

/* What is summed of the data, as what. */
typedef struct sbl_part_wish {
    const char *name; /* of the part; NULL: that of its file, or 1/1 where the schema names a unit */
    uint64_t attempt; /* 0: 1 */
    const char *mask; /* file of the site's private key; NULL: no mask */
} sbl_part_wish;
sbl_status sbl_shards_sum(sbl_data *data, sbl_store_entry plan, const sbl_part_wish *wish,
                          sbl_store_entry output, const sbl_synth_options *options, sbl_error *err);

/* The shard of every row (of at most SBL_MOST_SHARES), from 0, in the order of reading: the division of rows where
 * the schema names a unit. The same in all rounds. As secret as the records.
 * Out: numbers  (rows), sbl_free_wiped() */
sbl_status sbl_shards_share(uint32_t **numbers, size_t *rows, sbl_data *data, sbl_store_entry plan,
                            uint64_t shares, const sbl_synth_options *options, sbl_error *err);

sbl_status sbl_shards_merge(const sbl_store_entry *sums, size_t count, sbl_store_entry plan,
                            sbl_store_entry output, const sbl_synth_options *options, sbl_error *err);

/* Release a sum that nothing is missing of, as release number k of the run whose first is `release`.
 * Out: statement  the guarantee in words (sbl_free); may be NULL */
sbl_status sbl_shards_release(char **statement, bool brief, sbl_store_entry sum, sbl_store_entry plan,
                              const char *release, const sbl_synth_options *options, sbl_error *err);

#endif
