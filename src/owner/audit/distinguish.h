/* SPDX-License-Identifier: Apache-2.0 */
/* The attack on released sums, as a black box: two neighbouring data sets, many releases of each
 * through the real door with the real noise, and a guess which data set each release is of. The
 * guess is the best there is: the likelihood ratio of the two, against a threshold that was fixed
 * before the first release. How often it is right says how much at least is given away. */
#ifndef SBL_AUDIT_DISTINGUISH_H
#define SBL_AUDIT_DISTINGUISH_H

#include <stdbool.h>
#include <stdint.h>

#include "door/ledger/ledger_book.h"
#include "door/release/release.h"
#include "public/plan/plan.h"
#include "records/accumulate/sum.h"
#include "semblance/options.h"

#define SBL_ATTACK_RUNS 10000
#define SBL_ATTACK_MOST_RUNS (16 * SBL_ATTACK_RUNS)

/* What is attacked. */
typedef struct sbl_attack {
    const sbl_plan *plan;          /* of the sums */
    const sbl_release *release;    /* one that was made: for mechanism and multipliers */
    const sbl_ledger_entry *entry; /* as it was charged */
    const sbl_sum *first, *second; /* exact sums of the two data sets */
    double delta;                  /* 0: pure */
    uint64_t runs;                 /* releases of each; 0: as many as it takes to see half the
                                    * claim, by a rule of public numbers: SBL_ATTACK_RUNS at least,
                                    * SBL_ATTACK_MOST_RUNS at most */
    const sbl_store *store;        /* of the releases and their ledgers */
    sbl_progress progress;         /* may be NULL */
    void *context;
} sbl_attack;

typedef struct sbl_attack_result {
    uint64_t runs;               /* releases of each that were made */
    double epsilon_charged;      /* at delta, as the ledger's line costs */
    double epsilon_found;        /* a lower bound, with confidence SBL_AUDIT_CONFIDENCE: Gaussian, from the
                             * trade-off curve of mu; Laplace, as counted */
    double epsilon_counted;      /* the same from (epsilon, delta) alone, whatever the mechanism */
    double mu_charged, mu_found; /* Gaussian; else 0 */
    double epsilon_half;         /* the claim that is planted: half of what was charged */
    double mu_half;              /* the same as mu; Gaussian, else 0 */
    bool within;                 /* nothing found exceeds what was charged */
    bool caught;                 /* a release that claimed epsilon_half was found out */
} sbl_attack_result;

/* Returns: SBL_OK; SBL_ESTOPPED; SBL_EARG, SBL_EIO, SBL_EMEM, SBL_EENTROPY */
sbl_status sbl_attack_run(sbl_attack_result *result, const sbl_attack *attack, sbl_error *err);

#endif
