/* SPDX-License-Identifier: Apache-2.0 */
/* Inside publishing: a run at work, what a release costs (publish_cost.c) and what the certificate says of
 * those that there are (publish_certificate.c). */
#ifndef SBL_PIPELINE_PUBLISH_INTERNAL_H
#define SBL_PIPELINE_PUBLISH_INTERNAL_H

#include "door/ledger/ledger_book.h"
#include "run/pipeline/ledger_place.h"
#include "run/pipeline/policy.h"
#include "run/pipeline/publish.h"
#include "run/pipeline/release_check.h"

struct sbl_publish {
    sbl_publish_facts facts;
    sbl_ledger_policy policy;          /* that the file says; no limits without one */
    sbl_ledger_choice ledger_choice;   /* that is charged */
    bool made_ledger;                  /* for this run */
    sbl_ledger_view ledger;            /* as it was after the last release */
    double *shares;                    /* once they were planned anew; facts point here */
    sbl_certificate_release *releases; /* (count); blocks are the releases' own */
    sbl_described *described;          /* (count): what their plans say */
    size_t count;
    sbl_certified_health *health; /* (health_count) */
    size_t health_count;
    char *certificate;
};

/* ---- what a release costs ---- */

sbl_mechanism sbl_publish_mechanism(const sbl_publish_facts *facts);
/* Is the requested budget a meaningful guarantee for n records? n = 0: unknown. */
sbl_status sbl_publish_check_guarantee(const sbl_publish_facts *facts, uint64_t n, sbl_error *err);
/* Where the data is, for the choice of its ledger; and that choice, made again. */
sbl_data_places sbl_publish_places(const sbl_publish *publish);
sbl_status sbl_publish_choose_ledger(sbl_publish *publish, sbl_error *err);
/* Does the ledger allow a release that costs as much? The ledger decides again, under its lock, when it is
 * charged. Where there was none, another run may have made it since: it is looked for again. */
sbl_status sbl_publish_check_ledger(sbl_publish *publish, const uint64_t *multipliers,
                                    const sbl_layout *layout, sbl_error *err);

/* ---- the certificate ---- */

/* The next of the run's releases, which is there. */
sbl_status sbl_publish_list(sbl_publish *publish, const sbl_release *release, sbl_error *err);
/* What the certificate says was made of the releases: all zeros while that is nothing. */
typedef struct sbl_certified_made {
    const sbl_certified_file *files;
    size_t file_count;
    const char *trained_on;
    const sbl_certified_relations *relations;
} sbl_certified_made;
/* Of all releases so far, and of the ledger as it was after the last of them. What is published is
 * what a verifier would accept, or it is not published. statement may be NULL. */
sbl_status sbl_publish_certify(sbl_publish *publish, char **statement, const sbl_certified_made *made,
                               sbl_error *err);

#endif
