/* The certificate: what is guaranteed, by what, assuming what; enough to recompute it.
 * Written once per run after COMMIT; checked by `semblance verify`. docs/FORMATS.md has every
 * field. */
#ifndef SBL_ACCOUNT_CERTIFICATE_H
#define SBL_ACCOUNT_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/charge.h"
#include "ledger/ledger.h"
#include "base/status.h"

/* One block of the release, as enforced. */
typedef struct sbl_certificate_block {
    char name[32];
    uint64_t width;   /* coordinates per record */
    uint64_t columns; /* number of classes, or 1 */
    bool nonnegative;
    uint64_t bound2; /* enforced squared L2 norm per record, grid units */
    uint64_t bound1; /* enforced L1 norm per record; 0: none, and for squares and products */
    uint64_t multiplier;
    sbl_sensitivity sensitivity; /* derived, whatever stands here */
    sbl_block_kind kind;         /* squares and products: */
    char source[32];             /* name of the block they were formed from, released or not */
} sbl_certificate_block;

/* A release that the certificate lists with all that its cost follows from. */
typedef struct sbl_certificate_release {
    uint64_t seq; /* of its RESERVE */
    const sbl_certificate_block *blocks;
    size_t block_count;
} sbl_certificate_release;

#define SBL_CERTIFICATE_RELEASES 2 /* of one run, at most */

typedef struct sbl_certificate_facts {
    const sbl_ledger_view *ledger; /* read after the last COMMIT of this run */
    bool ledger_covers_run_only;   /* a one-run ledger was made for this run: lists all of it */
    /* This run's, in the order in which they were made; the last is the one that is certified.
     * Other releases of the ledger count as "others". */
    const sbl_certificate_release *releases;
    size_t release_count;
    const char *method;             /* "summary", "merf", ... */
    const char *const *also_public; /* further assumptions, e.g. "kernel width"; may be NULL */
    size_t also_public_count;
} sbl_certificate_facts;

/* The certificate as JSON text for people (final newline), owned by the caller (sbl_free).
 * The epsilon stated is at the ledger budget's delta over ALL releases of the ledger, rounded up.
 */
sbl_status sbl_certificate_write(char **text, const sbl_certificate_facts *facts, sbl_error *err);

/* Recompute everything that can be recomputed, compare every field, and against ledger (may be
 * NULL): the head at the certificate's sequence number must be there. where is used in messages.
 * statement (may be NULL) receives the guarantee in words, owned by the caller (sbl_free).
 * Returns: SBL_OK; SBL_EINPUT naming the first field that is wrong */
sbl_status sbl_certificate_check(char **statement, const char *text, size_t length,
                                 const sbl_ledger_view *ledger, const char *where, sbl_error *err);

#endif
