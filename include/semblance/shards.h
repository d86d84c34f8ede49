/* A run in parts: plan, sum, merge, release. Records that lie in many files, on many machines or at several sites are
 * summed where they are; the sums are exact integers, and merge to the bits of one process in any order and
 * division (docs/mechanisms/parts.md). What is done in the end is what a fit does, and a model is made
 * of the releases by sbl_synthesizer_train().
 *
 *   plan     PLAN, public, and PLAN.key, secret: from a schema, or after the releases of the rounds before
 *   sum      records by a plan into a part: a file of exact sums, SECRET, sealed with the key; no charge, no noise
 *   merge    parts into one
 *   release  a sum of which nothing is missing: the only step that charges a ledger and draws noise
 *   share    which of M parts the person of each row is in: for who brings the rows of each part together, and
 *            sums them as part I/M then. As secret as the records
 *
 * Plans, keys and sums are files, or bytes in memory as the files have them: what a cluster hands from process to
 * process. */
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

/* What a step reads and writes; set up by sbl_shards_init(). Texts are names of files unless it is said otherwise. */
typedef struct sbl_shards {
    size_t struct_size; /* set by sbl_shards_init() */
    sbl_shards_step step;
    /* Of sum, merge, release, share; needed there. Of a later plan, the one of the round before; default NULL: the plans of
     * the run are OUTPUT, OUTPUT.2, OUTPUT.3, ..., and the new one goes there. */
    const char *plan;
    const char
        *output; /* what is written: the plan, a part, the first release of the run; needed, but of share */

    /* plan */
    /* Of round 1, of a table; a plan without one is of a later round, unless data is images. */
    const sbl_schema *schema;
    /* Of round 1: how the table is written, may be NULL; or images, for their size and classes. No record is read. Of sum,
     * share: the records; needed. */
    sbl_data *data;
    uint64_t rows;     /* of round 1: how many records in all, public or about; needed */
    const char *sites; /* of round 1: X25519 public keys (PEM), a comma list; a site is called as its file.
                        * Sums are then masked between these; default NULL: they are not */
    bool
        persons_at_one_site; /* of round 1 with sites, where the schema names a unit: the owner's declaration, which the
                               * certificate lists, that all rows of a person are at one site. Default false: such a
                               * schema is refused */
    const char *release; /* of a later round: the first release; the others stand beside it */
    uint64_t round;      /* of a later round: its number must be this; default 0: any */

    /* sum */
    const char
        *part; /* its name, or "I/M": number I of M. Where the schema names a unit it must be I/M, and only
                       * rows of the persons whose hash is I's are summed. Default: the file's name; of a
                       * schema with a unit 1/1. A merge refuses a name that comes twice */
    uint64_t attempt; /* default 0: the first. A site that masks uses one for one set of records */
    const char *mask; /* the site's private key (PEM), where the plan names sites; else NULL */

    /* merge, release: parts, one or more; exactly one */
    const char *const *sums;
    size_t sum_count;

    /* share */
    uint64_t shares; /* M: 1 to 2^20; needed */

    /* In place of files. */
    const char *plan_text;          /* of PLAN, in place of plan; default NULL: it is a file */
    const char *key_text;           /* of PLAN.key; needed with plan_text */
    const sbl_sum_bytes *sum_bytes; /* (sum_count), in place of sums; default NULL: they are files */
    uint8_t **
        made; /* of plan, sum, merge in place of output; of share needed: a uint32_t for each row in order, from
                     * 0. A NUL stands behind it. sbl_free(); default NULL: a file is written. A plan after which
                     * nothing is left: NULL */
    size_t *made_size; /* in bytes; needed with made */
    char **made_key;   /* of plan, with made: the text of PLAN.key; needed there. sbl_free() */
} sbl_shards;

#define sbl_shards_init(pointer) SBL_STRUCT_INIT(pointer)

/* Do one step. Of the options those of a plan count for the plan of round 1; of sum threads; of release
 * ledger_path, certificate_path, title, by and health; overwrite always. What a run spends stands in its plan.
 * A network of the plan that was trained on a set of the name that the images have now, by title, by their files or
 * by their parts, is refused at each step: SBL_EINPUT.
 * Out:     text  of release the guarantee in words; of a plan after which nothing is left, that this is so, and
 *                nothing is written then; else NULL. sbl_free(); may be NULL
 * Returns: SBL_OK; SBL_EINPUT for a part that is another plan's, there twice, made with another key, cut or
 *          changed, for a part or site that is missing, and for sums that overflow; SBL_EBUDGET; SBL_EARG,
 *          SBL_EIO, SBL_ESTOPPED, SBL_EMEM, SBL_EENTROPY
 * Privacy: sum reads records, and what it writes must leave through release only. No status and no message
 *          depends on what a record holds */
SBL_API SBL_MUST_USE sbl_status sbl_shards_run(char **text, const sbl_shards *parts,
                                               const sbl_synth_options *options, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
