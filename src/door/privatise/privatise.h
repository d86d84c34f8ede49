/* SPDX-License-Identifier: Apache-2.0 */
/* [5] The release step: sum + budget + noise -> release.
 *
 * Only this folder includes door/noise, and only it writes releases. The steps, each of which starts when
 * the one before it is on disk: derive the sensitivities from what the sum enforces; charge the ledger;
 * make the key; draw all the noise; write the release; commit. A failure after the charge loses budget,
 * never privacy. */
#ifndef SBL_PRIVATISE_PRIVATISE_H
#define SBL_PRIVATISE_PRIVATISE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/store/store.h"
#include "door/certificate/certificate_document.h"
#include "door/release/release.h"
#include "public/account/charge.h"
#include "records/accumulate/key_tally.h"
#include "records/accumulate/sum.h"

typedef struct sbl_door_request {
    const char *name; /* of the release, as the ledger will name it */
    sbl_mechanism mechanism;
    sbl_neighbours neighbours;
    const uint64_t *multipliers; /* one per noisy block (records/accumulate/layout.h) */
    const char *plan;            /* JSON text; its SHA-256 must be the layout's plan_hash */
    sbl_store_entry ledger;      /* that is there */
    sbl_store_entry release;     /* where it goes */
    bool overwrite;
    const char *who; /* for the ledger: who releases, and the data set's title; NULL: not said */
    const char *title;
    const sbl_ledger_policy *policy; /* further limits; NULL: none */
} sbl_door_request;

/* Consumes *sum, which must be one: it is wiped and freed and *sum is NULL afterwards, whatever
 * happens, a request that is refused before the ledger is asked included.
 * Out:     release  what was written; NULL on failure
 * Returns: SBL_OK; SBL_EBUDGET, SBL_EINPUT, SBL_EIO, SBL_EENTROPY, SBL_EMEM, SBL_EARG, SBL_EINTERNAL
 * Owner:   of the release the caller; sbl_release_free() */
sbl_status sbl_privatise(sbl_release **release, sbl_sum **sum, const sbl_door_request *request,
                         sbl_error *err);

/* The same for a tally: noise is drawn for every key that was counted, and those whose noisy count
 * passes the threshold of the layout's survival_bits are named in the release, in order of column
 * and bytes, with their noisy counts. The charge has a delta for the keys that one record brings
 * (public/account/survival.h); its draws are those of a full tally, for how many keys there are is private.
 * Gaussian noise only. */
sbl_status sbl_privatise_keys(sbl_release **release, sbl_key_tally **tally, const sbl_door_request *request,
                              sbl_error *err);

/* What a release of this layout may add to delta, as fixed96 (base/int128.h): 0 but for keys. */
sbl_u128 sbl_layout_extra_delta(const sbl_layout *layout, sbl_neighbours neighbours);

/* True in a build with a fixed noise key, whose releases guarantee nothing and whose ledgers are
 * marked as such. Asked by those who make a ledger for the door. */
bool sbl_door_is_test_build(void);

/* Per noisy block (records/accumulate/layout.h; counts last): the sensitivity under a mechanism of what the
 * layout enforces. SBL_EARG when the mechanism needs a bound that is not enforced, or counts of a
 * single class are asked for under replace-one and a row is a person (they are the public n). */
sbl_status sbl_layout_sensitivities(sbl_sensitivity *blocks, const sbl_layout *layout,
                                    sbl_mechanism mechanism, sbl_neighbours neighbours, sbl_error *err);

/* What a release with these multipliers (one per noisy block) costs, and the joint sensitivity from
 * which that follows. All of it is public. */
sbl_status sbl_layout_charge(sbl_charge *charge, sbl_u128 *joint, const sbl_layout *layout,
                             sbl_mechanism mechanism, sbl_neighbours neighbours, const uint64_t *multipliers,
                             sbl_error *err);

/* The same blocks as a release holds and a certificate lists them, with their multipliers and the
 * places of their values; sensitivities are left for the certificate to derive. */
void sbl_layout_describe(sbl_block *described, const sbl_layout *layout, const uint64_t *multipliers);

#endif
