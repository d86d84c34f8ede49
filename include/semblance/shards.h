/* SPDX-License-Identifier: Apache-2.0 */
/* A run in parts: plan, sum, merge, release. Records in many files, on many machines or at several sites are
 * summed where they are. The sums are exact integers, and merge to the bits of one process in any order and
 * division (docs/mechanisms/parts.md). The result is that of a fit, and sbl_synthesizer_train() makes a model
 * from the releases.
 *
 *   plan     makes PLAN, public, and PLAN.key, secret: from a schema, or after the releases of the rounds before
 *   sum      sums records by a plan into a part: a file of exact sums, SECRET, sealed with the key; no charge, no noise
 *   merge    merges parts into one
 *   release  releases a complete sum: the only step that charges a ledger and draws noise
 *   share    tells for each row which of M parts its person is in: for a caller that brings the rows of each part
 *            together, and then sums them as part I/M. As secret as the records
 *
 * Plans, keys and sums are files, or the same bytes in memory, for a cluster to pass from process to process.
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_PARTS_H
#define SEMBLANCE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/data.h"
#include "semblance/export.h"
#include "semblance/options.h"
#include "semblance/schema.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sbl_shards_step {
    SBL_SHARDS_PLAN = 1,
    SBL_SHARDS_SUM,
    SBL_SHARDS_MERGE,
    SBL_SHARDS_RELEASE,
    SBL_SHARDS_SHARE
} sbl_shards_step;

/* A sum in memory. */
typedef struct sbl_sum_bytes {
    const uint8_t *bytes;
    size_t size;
} sbl_sum_bytes;

/* What a step reads and writes; set up by sbl_shards_init(). Texts are names of files unless stated
 * otherwise. */
typedef struct sbl_shards {
    /* Set by sbl_shards_init(). */
    size_t struct_size;
    sbl_shards_step step;
    /* Required for sum, merge, release and share. For a later plan: the plan of the round before; default
     * NULL: the plans of the run are OUTPUT, OUTPUT.2, OUTPUT.3, ..., and the new one is written there. */
    const char *plan;
    /* The file to write: the plan, a part, or the first release of the run. Required, except for share. */
    const char *output;

    /* plan */
    /* Round 1 of a table. A plan without a schema is for a later round, unless `data` is images. */
    const sbl_schema *schema;
    /* Plan, round 1: how the table is written, may be NULL; or images, for their size and classes. No
     * record is read. Sum and share: the records; required. */
    sbl_data *data;
    /* Round 1: the number of records in all, public or approximate; required. */
    uint64_t rows;
    /* Round 1: X25519 public keys (PEM), separated by commas. A site is named after its file, and sums are
     * masked between the sites. Default NULL: no masks. */
    const char *sites;
    /* Round 1 with sites, if the schema names a unit: the owner declares that all rows of a person are at
     * one site, and the certificate lists this. Default false: such a schema is refused. */
    bool persons_at_one_site;
    /* Later rounds: the first release; the others are next to it. */
    const char *release;
    /* Later rounds: the number that the round must have. Default 0: any. */
    uint64_t round;

    /* sum */
    /* The part's name, or "I/M": number I of M. If the schema names a unit it must be I/M, and only rows
     * of persons whose hash belongs to I are summed. Default: the file's name, or 1/1 if the schema names
     * a unit. A merge refuses a name that occurs twice. */
    const char *part;
    /* A site that masks uses one attempt for one set of records. Default 0: the first. */
    uint64_t attempt;
    /* The site's private key (PEM), if the plan names sites; NULL otherwise. */
    const char *mask;

    /* merge: one or more parts; release: exactly one */
    const char *const *sums;
    size_t sum_count;

    /* share */
    /* M, 1 to 2^20; required. */
    uint64_t shares;

    /* Bytes in memory instead of files */
    /* The text of PLAN, instead of `plan`. Default NULL: a file. */
    const char *plan_text;
    /* The text of PLAN.key; required with plan_text. */
    const char *key_text;
    /* (sum_count), instead of `sums`. Default NULL: files. */
    const sbl_sum_bytes *sum_bytes;
    /* The result of plan, sum or merge, instead of `output`, followed by a NUL; sbl_free(). NULL for a
     * plan if no round is left. Required for share: a uint32_t for each row in order, from 0. Default
     * NULL: a file is written. */
    uint8_t **made;
    /* In bytes; required with made. */
    size_t *made_size;
    /* The text of PLAN.key, for a plan with made; required there; sbl_free(). */
    char **made_key;

    /* For release: `text` is the short guarantee, as SBL_TEXT_STATEMENT_SHORT. Default false: all of it. */
    bool brief;
} sbl_shards;

#define sbl_shards_init(pointer) SBL_STRUCT_INIT(pointer)

/* Do one step. The options of a plan apply to the plan of round 1; sum takes threads; release takes
 * ledger_path, certificate_path, title, by and health; overwrite always applies. The plan states what a run spends.
 * Each step refuses an encoder that was trained on a set with the name of the images, by title, by their files or
 * by their parts: SBL_EINPUT.
 * Out:     text  for release, the guarantee in words; for a plan, a line if no round is left (then nothing is
 *                written); otherwise NULL. sbl_free(); may be NULL
 * Returns: SBL_OK; SBL_EINPUT for a part that belongs to another plan, occurs twice, was made with another key, is cut
 *          or changed, for a missing part or site, and for sums that overflow; SBL_EBUDGET; SBL_EARG,
 *          SBL_EIO, SBL_ESTOPPED, SBL_EMEM, SBL_EENTROPY
 * Privacy: sum reads records, and its output may leave only through release. No status and no message
 *          depends on the content of a record */
SBL_API SBL_MUST_USE sbl_status sbl_shards_run(char **text, const sbl_shards *parts,
                                               const sbl_synth_options *options, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
