/* SPDX-License-Identifier: Apache-2.0 */
/* From finished sums to releases on disk, with one certificate: the steps every method shares.
 *
 *   open    refuses what can be refused without data: budget, files, the ledger
 *   next    multipliers -> charge -> privatise -> release k on disk -> certificate of releases 1 .. k
 *   finish  the certificate once more, with the hashes of the outputs
 *
 * A run stopped between two rounds leaves every release that was paid for on disk and listed, and
 * continues from there without paying again (sbl_publish_resume). */
#ifndef SBL_PIPELINE_PUBLISH_H
#define SBL_PIPELINE_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/store/store.h"
#include "base/text.h"
#include "door/certificate/certificate_document.h"
#include "door/release/release.h"
#include "public/plan/facts.h"
#include "public/plan/plan.h"
#include "records/accumulate/key_tally.h"
#include "records/accumulate/sum.h"
#include "semblance/account.h"

/* What a run asks for; texts are borrowed until it is closed. */
typedef struct sbl_publish_facts {
    sbl_data_kind data;
    const sbl_facts *facts; /* of a table whose first release may hold its health; may be NULL */
    const char *method;     /* "summary", "merf", ... */
    uint64_t rows_together; /* where whole persons are summed: how many rows of each enter at most,
                             * as one record; 0: rows are */
    const char *title;      /* of the data set, and who made the certificate; NULL: not said */
    const char *by;
    const char *who;    /* who releases, for the ledger; NULL: not said */
    const char *policy; /* the file of a policy that every charge must keep; NULL: none */
    sbl_neighbours neighbours;
    double epsilon;
    double delta;         /* 0: pure releases */
    double keys_delta;    /* part of delta that is kept for releases of keys, below delta; 0: none */
    size_t rounds;        /* releases that there can be, >= 1 */
    const double *shares; /* (rounds): what part of mu^2 (pure: of epsilon) each may spend at most,
                            * above 0, together at most 1; NULL: one round may spend all */
    const char *input;    /* the data: its ledger is INPUT.ledger. NULL or "-": none to name it by */
    /* (table_count): the files of linked tables, for the same ledger. NULL: in memory. */
    const char *const *tables;
    size_t table_count;
    sbl_store_entry ledger;  /* another ledger, which is there; none: the data's own */
    sbl_store_entry release; /* number 1; k > 1 is "NAME.k" */
    sbl_store_entry certificate;
    bool overwrite;
    const char *const *also_public; /* further public assumptions for the certificate */
    size_t also_public_count;
} sbl_publish_facts;

typedef struct sbl_publish sbl_publish;

/* The multipliers with which a release of this layout spends its share of (epsilon, delta): what
 * `plan` shows, and a run will use. weights: one per noisy block, relative precision. */
sbl_status sbl_publish_multipliers(uint64_t *multipliers, const sbl_layout *layout, const double *weights,
                                   double share, const sbl_publish_facts *facts, sbl_error *err);

/* layout, weights, share: of the first release. n: the public number of records, 0 where it is not
 * known yet or private.
 * Returns: SBL_OK; SBL_EBUDGET; SBL_EARG, SBL_EINPUT, SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_publish_close() */
sbl_status sbl_publish_open(sbl_publish **publish, const sbl_publish_facts *facts, const sbl_layout *layout,
                            const double *weights, double share, uint64_t n, sbl_error *err);
/* The same for a run whose releases 1 .. count are kept: they are in its ledger, as they were
 * committed there. releases are borrowed until it is closed. */
sbl_status sbl_publish_resume(sbl_publish **publish, const sbl_publish_facts *facts,
                              const sbl_release *const *releases, size_t count, sbl_error *err);
void sbl_publish_close(sbl_publish *publish); /* NULL is fine */

/* What was gathered for one release, here or elsewhere (sums of one layout merge): a sum of features, or
 * a tally of texts; the other is NULL. */
typedef struct sbl_gathered {
    sbl_sum *sum;
    sbl_key_tally *tally;
} sbl_gathered;
void sbl_gathered_clear(sbl_gathered *gathered); /* wipes */

/* Takes what was gathered (cleared whatever happens); the layout of a tally may add at most keys_delta to
 * delta. The release is on disk, charged and listed in the certificate when this returns; it is the
 * caller's, but must outlive the run. */
sbl_status sbl_publish_next(sbl_publish *publish, sbl_release **release, sbl_gathered *gathered,
                            const sbl_plan *plan, const double *weights, sbl_error *err);

/* Plan the rest of the run anew, from the releases so far: from now on `rounds` releases there can
 * be, those that are there included, with these shares (copied). What was spent so far and what may
 * be spent from here on still add up to the budget at most; the ledger adds it up in any case
 * (docs/mechanisms/discover.md). method and also_public are the run's from here on. */
typedef struct sbl_publish_rest {
    const char *method;
    size_t rounds;
    const double *shares; /* (rounds); those of releases that are there stay as they were */
    const char *const *also_public;
    size_t also_public_count;
} sbl_publish_rest;
sbl_status sbl_publish_replan(sbl_publish *publish, const sbl_publish_rest *rest, sbl_error *err);

/* What was made of the releases: a model, where there is one, and files, all borrowed. */
typedef struct sbl_publish_made {
    sbl_store_entry model;  /* where it is kept; none: it is not */
    const char *trained_on; /* the device that trained it; NULL: nothing was trained */
    const char *const *outputs;
    size_t output_count;
    const sbl_certified_relations *relations; /* that the releases show; NULL: nothing was fitted */
} sbl_publish_made;
/* The last certificate names their hashes, and the device. statement (may be NULL): the guarantee in words,
 * sbl_free(). */
sbl_status sbl_publish_finish(sbl_publish *publish, char **statement, const sbl_publish_made *made,
                              sbl_error *err);

/* The certificate as it stands, JSON text; NULL before the first release. */
const char *sbl_publish_certificate(const sbl_publish *publish);
/* What the first release says of the data's health; none: count is 0. */
const sbl_certified_health *sbl_publish_health(const sbl_publish *publish, size_t *count);
/* The ledger that is charged, and whether it is next to the release because the data has no place
 * for one. */
const char *sbl_publish_ledger(const sbl_publish *publish);
bool sbl_publish_fell_back(const sbl_publish *publish);

/* Release number `round` of a run. name: cleared and filled; the item borrows it. */
sbl_status sbl_publish_item(sbl_store_entry *item, sbl_text *name, sbl_store_entry first, size_t round,
                            sbl_error *err);

#endif
